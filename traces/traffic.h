/* Who sends how much to whom: the point-to-point messages of a trace as a sparse matrix.
 * Collectives are not in it, since what they send is decided at replay. */
#ifndef VEF_TRACES_TRAFFIC_H
#define VEF_TRACES_TRAFFIC_H

#include "common/status.h"

#include <stddef.h>
#include <stdint.h>

typedef struct vef_flow {
    uint32_t to;
    uint64_t messages, bytes;
} vef_flow;

/* Row of task t: flows[first[t]] to flows[first[t + 1] - 1], by ascending receiver; only pairs with
 * at least one message. */
typedef struct vef_traffic {
    uint32_t tasks;
    size_t *first; /* tasks + 1 entries */
    vef_flow *flows;
} vef_traffic;

struct vef_trace;

/* Reads the trace once. On failure nothing is held. */
vef_code vef_traffic_read(struct vef_trace *trace, vef_traffic *traffic, vef_error *error);
void vef_traffic_free(vef_traffic *traffic);

#endif
