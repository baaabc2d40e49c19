/* Who sends how much to whom, as a sparse matrix. Collectives are not in it, since what they send
 * is decided at replay. */
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
    size_t capacity; /* of `flows` */
} vef_traffic;

struct vef_trace;

/* The point-to-point messages of a trace, which is read once. On failure nothing is held. */
vef_code vef_traffic_read(struct vef_trace *trace, vef_traffic *traffic, vef_error *error);
void vef_traffic_free(vef_traffic *traffic);

/* Building one row by row: begin; for each task in order add to `row` (tasks entries, zeroed; their
 * `to` does not matter), then end the row, which takes it over and zeroes it again. On failure what
 * is held stays to be freed by vef_traffic_free. */
vef_code vef_traffic_begin(vef_traffic *traffic, uint32_t tasks, vef_error *error);
vef_code vef_traffic_end_row(vef_traffic *traffic, uint32_t task, vef_flow *row, vef_error *error);

/* The matrix with rows and columns exchanged: who receives how much from whom. */
vef_code vef_traffic_transpose(const vef_traffic *traffic, vef_traffic *transposed,
                               vef_error *error);

#endif
