/* Queue of threads and background plans to continue: a binary heap by time, then by number, so that
 * a result never depends on the order of insertion. Each is in it at most once. */
#ifndef VEF_REPLAY_WAKEUPS_H
#define VEF_REPLAY_WAKEUPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct vef_wakeup {
    uint64_t time_cycles;
    uint32_t who;
} vef_wakeup;

typedef struct vef_wakeups {
    vef_wakeup *heap;
    size_t count, capacity;
    bool
        taken; /* heap[0] has been taken: the next wake-up, often of the same thread, replaces it */
} vef_wakeups; /* zero-initialised is empty, without room */

/* Room for `count` entries in all; false without memory. */
bool vef_wakeups_reserve(vef_wakeups *wakeups, size_t count);
void vef_wakeups_release(vef_wakeups *wakeups);
void vef_wakeups_push(vef_wakeups *wakeups, uint64_t time_cycles, uint32_t who);

/* Removes heap[0], which has been taken. */
void vef_wakeups_settle(vef_wakeups *wakeups);
/* The first; NULL if there is none. Valid until the next change. */
static inline const vef_wakeup *vef_wakeups_first(vef_wakeups *wakeups) {
    if (wakeups->taken)
        vef_wakeups_settle(wakeups);
    return wakeups->count ? wakeups->heap : NULL;
}
/* Takes the first; there must be one. */
static inline vef_wakeup vef_wakeups_pop(vef_wakeups *wakeups) {
    const vef_wakeup first = *vef_wakeups_first(wakeups);
    wakeups->taken = true;
    return first;
}

#endif
