/* When each of many numbers continues: threads and plans of a replay, endpoints that generate
 * traffic. By time, in any unit, then by number, so that a result never depends on the order of
 * insertion. Each is in the queue at most once. A queue for results that do not depend on the order
 * at all may be `cyclic`: then those of one time are taken in cyclic order of number, also if they
 * are added meanwhile, which goes through memory in its order.
 *
 * Two other queues hold events of simulated time: the timing wheel of the router model
 * (netmodel/router/calendar.h), where every delay is bounded, and a binary heap
 * (netmodel/pending.h), where times may lie before those that were taken.
 *
 * Simulated time never goes back, so no wake-up is compared with all others. Those of the current
 * time form a bit set by number. Each of the next 63 times has a slot. Later wake-ups are in a
 * radix heap (Ahuja, Mehlhorn, Orlin and Tarjan, "Faster algorithms for the shortest path problem",
 * JACM 1990) with digits of six bits: a time selects its slot by the highest digit in which it
 * differs from a base, the earliest time of the slot that was opened last. */
#ifndef VEF_COMMON_CONTAINERS_WAKEUPS_H
#define VEF_COMMON_CONTAINERS_WAKEUPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    VEF_WAKEUP_DIGIT_BITS = 6,
    VEF_WAKEUP_SLOTS = 1 << VEF_WAKEUP_DIGIT_BITS,
    VEF_WAKEUP_DIGITS = 11, /* of a time below 2^64 */
    VEF_WAKEUP_LEVELS = 6,  /* of the bit set: numbers below 2^32 */
};

typedef struct vef_wakeup {
    uint64_t time;
    uint32_t who;
} vef_wakeup;

typedef struct vef_wakeup_slot {
    uint64_t earliest; /* valid if the slot is occupied */
    uint32_t first;    /* of a list of numbers, in no order */
} vef_wakeup_slot;

/* By number: its time and the next in the list of its slot. */
typedef struct vef_wakeup_item {
    uint64_t time;
    uint32_t next;
} vef_wakeup_item;

#define VEF_NO_WAKEUP UINT64_MAX
#define VEF_NOBODY UINT32_MAX

typedef struct vef_wakeups {
    uint64_t now;   /* the time of the last one taken */
    uint64_t first; /* of the first; VEF_NO_WAKEUP if there is none */
    uint64_t base;  /* of the radix heap: no time in it is earlier */
    uint64_t later; /* the earliest in digits above 0, or VEF_NO_WAKEUP */
    vef_wakeup_item *items;
    uint64_t *due[VEF_WAKEUP_LEVELS];     /* wake-ups of `now`: a bit for each number, and at
                                             each higher level a bit for each word that is not 0 */
    size_t capacity;                      /* numbers are below it */
    bool cyclic;                          /* set by the caller */
    uint32_t last;                        /* number of the last one taken */
    uint32_t levels;                      /* of `due` in use: the highest has one word */
    uint32_t digits;                      /* a bit for each digit above 0 with an occupied slot */
    uint64_t occupied[VEF_WAKEUP_DIGITS]; /* a bit for each slot */
    uint32_t near, far;                   /* the next ones to report, or VEF_NOBODY */
    vef_wakeup_slot slots[VEF_WAKEUP_DIGITS][VEF_WAKEUP_SLOTS]; /* [0]: of the next times */
} vef_wakeups; /* zero-initialised is without room, and needs vef_wakeups_reserve */

/* Room for the numbers below `count`. */
void vef_wakeups_reserve(vef_wakeups *wakeups, size_t count);
void vef_wakeups_release(vef_wakeups *wakeups);
/* Adds a number that is not in the queue. A time before that of the last one taken counts as that.
 */
void vef_wakeups_push(vef_wakeups *wakeups, uint64_t time, uint32_t who);
/* Takes the first; there must be one. */
vef_wakeup vef_wakeups_pop(vef_wakeups *wakeups);
/* Takes the first and the following ones of its time, at most so many, of a queue that is not
 * cyclic; returns their number, at least 1. There must be one. */
uint32_t vef_wakeups_take(vef_wakeups *wakeups, uint32_t *who, uint32_t most);

/* Whether a number, below the capacity, is one of the current time. */
static inline bool vef_wakeups_is_due(const vef_wakeups *wakeups, uint32_t who) {
    return wakeups->due[0][who / 64] >> who % 64 & 1;
}

/* A number whose turn probably comes after those of the current time, or some time later, so that
 * the caller can prefetch what it needs; VEF_NOBODY: none. */
static inline uint32_t vef_wakeups_ahead(const vef_wakeups *wakeups, uint32_t *cursor) {
    const uint32_t who = *cursor;
    if (who != VEF_NOBODY)
        *cursor = wakeups->items[who].next;
    return who;
}
static inline uint32_t vef_wakeups_near(vef_wakeups *wakeups) {
    return vef_wakeups_ahead(wakeups, &wakeups->near);
}
static inline uint32_t vef_wakeups_far(vef_wakeups *wakeups) {
    return vef_wakeups_ahead(wakeups, &wakeups->far);
}

/* The time of the first; VEF_NO_WAKEUP if there is none. */
static inline uint64_t vef_wakeups_first(const vef_wakeups *wakeups) {
    return wakeups->first;
}

#endif
