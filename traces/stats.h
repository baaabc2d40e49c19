/* What happens in a trace, in numbers, from one pass over its events. */
#ifndef VEF_TRACES_STATS_H
#define VEF_TRACES_STATS_H

#include "traces/trace.h"
#include "traces/traffic.h"

enum { VEF_SIZE_CLASSES = 65 }; /* message sizes: 0, then [2^(i-1), 2^i) bytes */

typedef struct vef_call_stats {
    uint64_t calls;       /* a run of polls counts as that many */
    uint64_t bytes;       /* sent by the call, or received where it only receives; collectives: as
                             FORMAT.md counts them, vectors summed over those sent */
    uint64_t duration_ns; /* inside the call, over all tasks */
} vef_call_stats;

typedef struct vef_task_stats {
    uint64_t calls, messages, message_bytes;
    uint64_t compute_ns, mpi_ns; /* sums of gaps and of durations */
} vef_task_stats;

typedef struct vef_stats {
    uint64_t events, calls;
    uint64_t messages, message_bytes; /* point-to-point sends that move something */
    uint64_t compute_ns, mpi_ns;
    vef_call_stats *call; /* per call number */
    vef_task_stats *task;
    uint64_t sizes[VEF_SIZE_CLASSES];
    vef_traffic traffic;
} vef_stats;

/* On failure nothing is held. */
vef_code vef_stats_read(vef_trace *trace, vef_stats *stats, vef_error *error);
void vef_stats_free(vef_stats *stats);

#endif
