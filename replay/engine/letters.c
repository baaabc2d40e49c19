/* Letters between the parts of a replay. See letters.h. */
#include "replay/engine/letters.h"

static vef_letter *letter_at(const vef_letters *letters, uint32_t number) {
    return vef_blocks_at(&letters->blocks, number, sizeof(vef_letter));
}

void vef_letters_release(vef_letters *letters) {
    vef_blocks_release(&letters->blocks, sizeof(vef_letter));
}

/* Only the part that writes takes numbers, so a list that others extend needs no more than an
 * exchange of its first one. */
static uint32_t take(vef_letters *letters) {
    if (letters->unused == VEF_NO_LETTER)
        letters->unused =
            atomic_exchange_explicit(&letters->read, VEF_NO_LETTER, memory_order_acquire);
    if (letters->unused == VEF_NO_LETTER) {
        vef_blocks_reserve(&letters->blocks, letters->untouched + UINT64_C(1), sizeof(vef_letter));
        return letters->untouched++;
    }
    const uint32_t number = letters->unused;
    letters->unused = letter_at(letters, number)->next;
    return number;
}

uint64_t vef_letter_write(vef_letters *letters, uint32_t part, const vef_transfer *transfer,
                          unsigned readers) {
    const uint32_t number = take(letters);
    vef_letter *letter = letter_at(letters, number);
    letter->key = transfer->key;
    letter->bytes = transfer->bytes;
    letter->sent_ps = transfer->sent_ps;
    letter->posted_ps = transfer->posted_ps;
    letter->flags = transfer->flags;
    atomic_init(&letter->readers, readers);
    return (part + UINT64_C(1)) << 32 | number;
}

vef_letter vef_letter_read(vef_letters *letters, uint64_t number) {
    const uint32_t place = (uint32_t)number;
    vef_letter *letter = letter_at(letters, place);
    const vef_letter copy = {.key = letter->key,
                             .bytes = letter->bytes,
                             .sent_ps = letter->sent_ps,
                             .posted_ps = letter->posted_ps,
                             .flags = letter->flags};
    if (atomic_fetch_sub_explicit(&letter->readers, 1, memory_order_acq_rel) > 1)
        return copy;
    uint32_t first = atomic_load_explicit(&letters->read, memory_order_relaxed);
    do
        letter->next = first;
    while (!atomic_compare_exchange_weak_explicit(&letters->read, &first, place,
                                                  memory_order_release, memory_order_relaxed));
    return copy;
}
