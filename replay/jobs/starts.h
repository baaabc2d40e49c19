/* The gate of jobs that start at given times. */
#ifndef VEF_REPLAY_JOBS_STARTS_H
#define VEF_REPLAY_JOBS_STARTS_H

#include "replay/replay.h"

#include <stdbool.h>

/* Tasks first … first + count - 1 start at a time. */
typedef struct vef_timed_start {
    uint64_t start_ps;
    vef_gate_start tasks;
} vef_timed_start;

typedef struct vef_job_starts {
    vef_replay_gate gate;    /* for the options of the replay */
    vef_timed_start *starts; /* by time, then by task */
    uint32_t count, next;
} vef_job_starts;

/* Copies `listed`; it must not move while its gate is in use. */
void vef_job_starts_begin(vef_job_starts *starts, const vef_timed_start *listed, uint32_t count,
                          uint32_t endpoints);
void vef_job_starts_release(vef_job_starts *starts); /* zeroed is fine */

#endif
