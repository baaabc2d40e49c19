/* Letters between the parts of a replay. See letters.h. */
#include "replay/engine/letters.h"

#include "common/containers/grow.h"

#include <stdlib.h>

/* The place of a letter. */
typedef struct slot {
    vef_letter letter;
    uint32_t next;       /* among unused ones */
    atomic_uint readers; /* parts that have still to read it */
} slot;

static slot *slot_at(const vef_letters *letters, uint32_t place) {
    return vef_blocks_at(&letters->blocks, place, sizeof(slot));
}

void vef_letters_begin(vef_letters *letters, bool posts) {
    *letters = (vef_letters){.unused = VEF_NO_LETTER, .posts = posts};
    atomic_init(&letters->read, VEF_NO_LETTER);
}

void vef_letters_release(vef_letters *letters) {
    vef_blocks_release(&letters->blocks, sizeof(slot));
    vef_map64_free(&letters->places);
    free(letters->posted);
}

/* Only the part that writes takes places, so a list that others extend needs no more than an
 * exchange of its first one. */
static uint32_t take(vef_letters *letters) {
    if (letters->unused == VEF_NO_LETTER)
        letters->unused =
            atomic_exchange_explicit(&letters->read, VEF_NO_LETTER, memory_order_acquire);
    if (letters->unused == VEF_NO_LETTER) {
        vef_blocks_reserve(&letters->blocks, letters->untouched + UINT64_C(1), sizeof(slot));
        return letters->untouched++;
    }
    const uint32_t place = letters->unused;
    letters->unused = slot_at(letters, place)->next;
    return place;
}

static uint32_t put(vef_letters *letters, const vef_letter *letter, unsigned readers) {
    const uint32_t place = take(letters);
    slot *taken = slot_at(letters, place);
    taken->letter = *letter;
    atomic_init(&taken->readers, readers);
    return place;
}

void vef_letter_keep(vef_letters *letters, const vef_posted_letter *posted) {
    vef_map64_set(&letters->places, posted->serial, put(letters, &posted->letter, 1));
}

/* The serial number of a letter to a part in another process: it is free again when 2^32 more have
 * been written. */
static uint32_t post(vef_letters *own, vef_letters *other, const vef_letter *letter, bool kept) {
    const vef_posted_letter posted = {*letter, own->serial++};
    *VEF_NEW_ITEM(other->posted, other->posted_count, other->posted_room) = posted;
    if (kept)
        vef_letter_keep(own, &posted);
    return posted.serial;
}

uint64_t vef_letter_write(vef_letters *letters, uint32_t from, uint32_t to,
                          const vef_transfer *transfer, bool kept) {
    vef_letters *own = &letters[from];
    const vef_letter letter = {.key = transfer->key,
                               .bytes = transfer->bytes,
                               .sent_ps = transfer->sent_ps,
                               .posted_ps = transfer->posted_ps,
                               .flags = transfer->flags};
    const uint32_t number =
        own->posts ? post(own, &letters[to], &letter, kept) : put(own, &letter, kept ? 2 : 1);
    return (from + UINT64_C(1)) << 32 | number;
}

vef_letter vef_letter_read(vef_letters *letters, uint64_t number) {
    uint64_t found = (uint32_t)number;
    if (letters->posts)
        vef_map64_take(&letters->places, (uint32_t)number, &found);
    const uint32_t place = (uint32_t)found;
    slot *read = slot_at(letters, place);
    const vef_letter letter = read->letter;
    if (atomic_fetch_sub_explicit(&read->readers, 1, memory_order_acq_rel) > 1)
        return letter;
    uint32_t first = atomic_load_explicit(&letters->read, memory_order_relaxed);
    do
        read->next = first;
    while (!atomic_compare_exchange_weak_explicit(&letters->read, &first, place,
                                                  memory_order_release, memory_order_relaxed));
    return letter;
}
