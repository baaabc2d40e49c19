/* A timing wheel. See calendar.h. */
#include "netmodel/router/core/calendar.h"

#include "common/memory.h"

void vef_calendar_create(vef_calendar *calendar, uint32_t horizon, uint64_t most_items,
                         vef_arena *arena) {
    uint32_t slots = 64;
    while (slots <= horizon)
        slots *= 2;
    /* Every slot may end in a chunk that is not full. */
    uint64_t chunks = most_items / VEF_CHUNK_ITEMS + slots + 1;
    if (chunks > UINT32_MAX)
        vef_lost(vef_product(chunks, sizeof *calendar->chunks));
    calendar->mask = slots - 1;
    calendar->room = (uint32_t)chunks;
    calendar->free = NULL;
    calendar->untouched = 0;
    calendar->slots = vef_arena_alloc(arena, slots, sizeof *calendar->slots);
    calendar->occupied = vef_arena_alloc(arena, slots / 64, sizeof *calendar->occupied);
    calendar->chunks = vef_arena_alloc(arena, calendar->room, sizeof *calendar->chunks);
}

void vef_calendar_grow(vef_calendar *calendar, uint32_t number) {
    vef_chunk *fresh = calendar->free;
    if (fresh) {
        calendar->free = fresh->newer;
    } else {
        assert(calendar->untouched < calendar->room);
        fresh = &calendar->chunks[calendar->untouched++];
    }
    fresh->newer = NULL;
    vef_calendar_slot *of = &calendar->slots[number];
    if (of->oldest) {
        unsigned char *items = (unsigned char *)(of->end - VEF_CHUNK_ITEMS);
        ((vef_chunk *)(void *)(items - offsetof(vef_chunk, items)))->newer = fresh;
    } else {
        of->oldest = fresh;
    }
    of->next = fresh->items;
    of->end = fresh->items + VEF_CHUNK_ITEMS;
    calendar->occupied[number / 64] |= UINT64_C(1) << (number % 64);
}

uint64_t vef_slots_next(const uint64_t *occupied, uint32_t mask, uint64_t now) {
    uint32_t words = (mask + 1) / 64;
    uint32_t from = (uint32_t)(now + 1) & mask;
    /* The word of `from` is checked twice: from its bit on, and at the end up to that bit. */
    for (uint32_t i = 0; i <= words; i++) {
        uint32_t word = (from / 64 + i) % words;
        uint64_t bits = occupied[word];
        if (i == 0)
            bits &= ~UINT64_C(0) << (from % 64);
        if (i == words)
            bits &= (UINT64_C(1) << (from % 64)) - 1;
        if (bits != 0) {
            uint32_t slot = word * 64 + (uint32_t)__builtin_ctzll(bits);
            return now + 1 + ((slot - from) & mask);
        }
    }
    return UINT64_MAX;
}
