/* A radix heap of wake-ups. See wakeups.h. */
#include "common/containers/wakeups.h"
#include "common/memory.h"

#include <stdlib.h>
#include <string.h>

/* ---- the bit set ---- */

/* Sets a bit, and the bits above it that say that its word is not 0. */
static inline void mark(vef_wakeups *wakeups, unsigned level, uint32_t index) {
    for (; level < wakeups->levels; level++, index /= 64) {
        uint64_t *word = &wakeups->due[level][index / 64];
        const bool occupied = *word != 0;
        *word |= UINT64_C(1) << index % 64;
        if (occupied)
            return;
    }
}

/* The least number below a bit of a level. */
static inline uint32_t least_below(const vef_wakeups *wakeups, unsigned level, uint32_t index) {
    while (level-- > 0)
        index = 64 * index + (uint32_t)__builtin_ctzll(wakeups->due[level][index]);
    return index;
}

/* The least number that is at least `index`, or else the least. There must be one. */
static inline uint32_t next_from(const vef_wakeups *wakeups, uint32_t index) {
    for (unsigned level = 0; level < wakeups->levels; level++, index = index / 64 + 1) {
        if (index >= wakeups->capacity >> VEF_WAKEUP_DIGIT_BITS * level)
            break;
        const uint64_t bits = wakeups->due[level][index / 64] >> index % 64;
        if (bits)
            return least_below(wakeups, level, index + (uint32_t)__builtin_ctzll(bits));
    }
    return least_below(wakeups, wakeups->levels, 0);
}

/* Takes a number out. */
static inline void clear(vef_wakeups *wakeups, uint32_t index) {
    for (unsigned level = 0; level < wakeups->levels; level++, index /= 64) {
        uint64_t *word = &wakeups->due[level][index / 64];
        *word &= ~(UINT64_C(1) << index % 64);
        if (*word)
            break;
    }
}

static void grow_due(vef_wakeups *wakeups, size_t capacity) {
    const size_t words = capacity / 64, old_words = wakeups->capacity / 64;
    uint64_t *room = vef_calloc(2 * words, sizeof *room); /* each level has half a word or less */
    if (old_words)
        memcpy(room, wakeups->due[0], old_words * sizeof *room);
    free(wakeups->due[0]);
    wakeups->levels = 0;
    for (size_t count = words;; count = (count + 63) / 64) {
        wakeups->due[wakeups->levels++] = room;
        room += count;
        if (count == 1)
            break;
    }
    for (uint32_t i = 0; i < old_words; i++)
        if (wakeups->due[0][i])
            mark(wakeups, 1, i);
}

/* ---- the queue ---- */

void vef_wakeups_reserve(vef_wakeups *wakeups, size_t count) {
    if (count <= wakeups->capacity)
        return;
    size_t capacity = 64;
    if (wakeups->capacity == 0) {
        wakeups->first = wakeups->later = VEF_NO_WAKEUP;
        wakeups->near = wakeups->far = VEF_NOBODY;
    }
    while (capacity < count)
        capacity *= 2;
    wakeups->items = vef_realloc(wakeups->items, capacity * sizeof *wakeups->items);
    grow_due(wakeups, capacity);
    wakeups->capacity = capacity;
}

void vef_wakeups_release(vef_wakeups *wakeups) {
    free(wakeups->items);
    free(wakeups->due[0]);
    *wakeups = (vef_wakeups){0};
}

/* Into the slot of its time, which is not due. */
static inline void insert(vef_wakeups *wakeups, uint64_t time, uint32_t who) {
    unsigned digit = 0;
    if (time - wakeups->now >= VEF_WAKEUP_SLOTS) {
        const unsigned bit = 63 - (unsigned)__builtin_clzll(time ^ wakeups->base);
        digit = bit / VEF_WAKEUP_DIGIT_BITS;
        wakeups->digits |= 1u << digit;
        if (time < wakeups->later)
            wakeups->later = time;
    }
    const unsigned place = time >> digit * VEF_WAKEUP_DIGIT_BITS & (VEF_WAKEUP_SLOTS - 1);
    const uint64_t mask = UINT64_C(1) << place;
    vef_wakeup_slot *slot = &wakeups->slots[digit][place];
    vef_wakeup_item *item = &wakeups->items[who];
    item->time = time;
    item->next = slot->first;
    if (!(wakeups->occupied[digit] & mask)) {
        item->next = VEF_NOBODY;
        slot->earliest = time;
        wakeups->occupied[digit] |= mask;
    } else if (time < slot->earliest) {
        slot->earliest = time;
    }
    slot->first = who;
}

void vef_wakeups_push(vef_wakeups *wakeups, uint64_t time, uint32_t who) {
    if (time <= wakeups->now) {
        wakeups->first = wakeups->now;
        mark(wakeups, 0, who);
        return;
    }
    if (time < wakeups->first)
        wakeups->first = time;
    insert(wakeups, time, who);
}

/* The first slot of a digit above 0, which is occupied. */
static inline vef_wakeup_slot *first_slot(vef_wakeups *wakeups, unsigned digit) {
    return &wakeups->slots[digit][__builtin_ctzll(wakeups->occupied[digit])];
}

/* Empties the first slot of the digits above 0, whose earliest wake-ups are due. */
static void open_later(vef_wakeups *wakeups) {
    const unsigned digit = (unsigned)__builtin_ctz(wakeups->digits);
    uint64_t *occupied = &wakeups->occupied[digit];
    uint32_t who = first_slot(wakeups, digit)->first;
    *occupied &= *occupied - 1;
    if (!*occupied)
        wakeups->digits &= wakeups->digits - 1;
    const uint64_t now = wakeups->base = wakeups->now;
    for (uint32_t next; who != VEF_NOBODY; who = next) {
        const vef_wakeup_item *item = &wakeups->items[who];
        next = item->next;
        if (item->time == now)
            mark(wakeups, 0, who);
        else
            insert(wakeups, item->time, who);
    }
    wakeups->later = VEF_NO_WAKEUP;
    if (wakeups->digits) {
        const unsigned first = (unsigned)__builtin_ctz(wakeups->digits);
        wakeups->later = first_slot(wakeups, first)->earliest;
    }
    wakeups->far = wakeups->occupied[1] ? first_slot(wakeups, 1)->first : VEF_NOBODY;
}

/* The earliest time of the next times' slots, or VEF_NO_WAKEUP. Its wake-ups are `near`. */
static inline uint64_t find_soon(vef_wakeups *wakeups) {
    const unsigned place = wakeups->now % VEF_WAKEUP_SLOTS;
    const uint64_t bits = wakeups->occupied[0];
    if (!bits)
        return VEF_NO_WAKEUP;
    const uint64_t from_now = bits >> place | bits << (-place % VEF_WAKEUP_SLOTS);
    const uint64_t soon = wakeups->now + (unsigned)__builtin_ctzll(from_now);
    wakeups->near = wakeups->slots[0][soon % VEF_WAKEUP_SLOTS].first;
    return soon;
}

/* Advances to the time of the first wake-up. Returns it if it is the only one of that time; else
 * they are due, and it returns VEF_NOBODY. */
static inline uint32_t advance(vef_wakeups *wakeups) {
    const uint64_t now = wakeups->now = wakeups->first;
    const unsigned place = now % VEF_WAKEUP_SLOTS;
    if (wakeups->occupied[0] >> place & 1) {
        uint32_t who = wakeups->slots[0][place].first;
        wakeups->occupied[0] &= ~(UINT64_C(1) << place);
        if (wakeups->items[who].next == VEF_NOBODY && now != wakeups->later)
            return who;
        for (; who != VEF_NOBODY; who = wakeups->items[who].next)
            mark(wakeups, 0, who);
    }
    if (now == wakeups->later)
        open_later(wakeups);
    find_soon(wakeups);
    return VEF_NOBODY;
}

/* Finds the first time again. */
static inline void find_first(vef_wakeups *wakeups) {
    if (*wakeups->due[wakeups->levels - 1]) {
        wakeups->first = wakeups->now;
        return;
    }
    const uint64_t soon = find_soon(wakeups);
    wakeups->first = soon < wakeups->later ? soon : wakeups->later;
}

vef_wakeup vef_wakeups_pop(vef_wakeups *wakeups) {
    const uint64_t *due = wakeups->due[wakeups->levels - 1];
    uint32_t who = *due ? VEF_NOBODY : advance(wakeups);
    if (who == VEF_NOBODY) {
        who = next_from(wakeups, wakeups->cyclic ? wakeups->last + 1 : 0);
        clear(wakeups, who);
    }
    wakeups->last = who;
    find_first(wakeups);
    return (vef_wakeup){wakeups->now, who};
}

uint32_t vef_wakeups_take(vef_wakeups *wakeups, uint32_t *who, uint32_t most) {
    const uint64_t *due = wakeups->due[wakeups->levels - 1];
    uint32_t count = 0;
    if (!*due && (*who = advance(wakeups)) != VEF_NOBODY)
        count = 1;
    while (*due && count < most) {
        const uint32_t least = least_below(wakeups, wakeups->levels, 0);
        uint64_t *word = &wakeups->due[0][least / 64];
        for (; *word && count < most; *word &= *word - 1)
            who[count++] = least / 64 * 64 + (uint32_t)__builtin_ctzll(*word);
        if (!*word)
            clear(wakeups, least); /* and the bits above it */
    }
    find_first(wakeups);
    return count;
}
