/* A priority queue of endpoints by time, and by number at equal times. Times are never before the
 * one taken last.
 *
 * A radix heap (Ahuja, Mehlhorn, Orlin, Tarjan: "Faster algorithms for the shortest path problem",
 * J. ACM 1990) whose digits have 12 bits: an endpoint is in the bucket of the highest digit in
 * which its time differs from the present one, and of that digit's value; when the present time
 * reaches a bucket of a higher digit, its endpoints move to lower ones. So an endpoint moves at
 * most once per digit, and once in all for most gaps below 4,096 cycles, whatever the number of
 * endpoints. Those of the present time pass through a hierarchical bit set, whose levels mark the
 * non-empty words of the level below, and so come out sorted. Nothing is allocated after
 * vef_schedule_create. */
#ifndef VEF_NETMODEL_TRAFFIC_SCHEDULE_H
#define VEF_NETMODEL_TRAFFIC_SCHEDULE_H

#include "common/arena.h"
#include "common/status.h"

#include <stdint.h>

enum {
    VEF_SCHEDULE_DIGIT_BITS = 12,
    VEF_SCHEDULE_DIGITS = 6, /* 64 bits and more */
    VEF_SCHEDULE_BUCKETS = 1 << VEF_SCHEDULE_DIGIT_BITS,
    VEF_SCHEDULE_WORDS = VEF_SCHEDULE_BUCKETS / 64, /* of bits: the non-empty buckets */
    VEF_SCHEDULE_DEPTH = 6,                         /* 64^6 endpoints and more */
};

typedef struct vef_schedule {
    uint64_t time; /* the earliest; VEF_FOREVER: the set is empty */
    /* [endpoints]: those of that time in order; the first is present[first]. */
    uint32_t *present;
    uint32_t first, count;

    uint64_t base;  /* the base of the buckets: `time`, unless that is FOREVER */
    uint64_t *at;   /* [endpoints]: their times, if at a digit above the lowest */
    uint32_t *next; /* [endpoints]: behind them in their bucket; UINT32_MAX: none */
    uint32_t *head; /* [digits * buckets] */
    uint64_t holds[VEF_SCHEDULE_DIGITS][VEF_SCHEDULE_WORDS];
    uint64_t holds_words[VEF_SCHEDULE_DIGITS]; /* bit i: holds[digit][i] is not 0 */

    uint64_t *bits[VEF_SCHEDULE_DEPTH]; /* for sorting, empty between; the highest is one word */
    uint32_t levels;
} vef_schedule;

/* An empty set at time 0 for endpoints below `endpoints`. */
void vef_schedule_create(vef_schedule *schedule, uint32_t endpoints, vef_arena *arena);
/* Inserts an endpoint that is not in the queue (time VEF_FOREVER: does nothing), in any order
 * before vef_schedule_begin. */
void vef_schedule_put(vef_schedule *schedule, uint32_t endpoint, uint64_t time);
/* Advances to the earliest time. */
void vef_schedule_begin(vef_schedule *schedule);
/* Sets a new time of the first endpoint of the present time, not before it (VEF_FOREVER: removes
 * it), and advances to the next. */
void vef_schedule_move_first(vef_schedule *schedule, uint64_t time);

#endif
