/* Tasks that do not start at time 0: those of jobs with a start, or of a batch that a scheduler
 * places while the replay runs. */
#ifndef VEF_REPLAY_GATE_H
#define VEF_REPLAY_GATE_H

#include "common/status.h"

#include <stdint.h>

/* Tasks first … first + count - 1. */
typedef struct vef_gate_start {
    uint32_t first, count;
} vef_gate_start;

/* With a gate every task waits until the gate starts it. The time before counts as nothing: a
 * task's times add up to its end less its start. */
typedef struct vef_replay_gate {
    void *context;
    uint32_t endpoints; /* the mapping of no task will exceed them */
    /* When the gate acts next: now or later; VEF_FOREVER: not before another task has ended
     * (the event `retires`, events.h). */
    uint64_t (*next)(void *context);
    /* Called while `next` is not later than now, after everything else of that time. May start
     * tasks, whose entries in the mapping of the replay are final then; `start->count` 0: none. */
    vef_code (*act)(void *context, uint64_t now_ps, vef_gate_start *start, vef_error *error);
} vef_replay_gate;

#endif
