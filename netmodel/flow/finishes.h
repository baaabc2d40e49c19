/* When each flow is through its source: a binary heap (common/containers/heap.h) of flows by time,
 * lower number first among equals, in which the time of a flow may change. */
#ifndef VEF_NETMODEL_FLOW_FINISHES_H
#define VEF_NETMODEL_FLOW_FINISHES_H

#include <stddef.h>
#include <stdint.h>

typedef struct vef_finish {
    uint64_t time_ps;
    uint32_t flow;
} vef_finish;

typedef struct vef_finishes {
    vef_finish *heap;
    uint32_t *place; /* [flow]: in the heap; VEF_NOT_IN_HEAP: it is not there */
    uint32_t count;
    size_t room, place_room;
} vef_finishes; /* zero-initialised is empty */

#define VEF_NOT_IN_HEAP UINT32_MAX

/* The flow is through at that time. Flow numbers should be small. */
void vef_finishes_set(vef_finishes *finishes, uint32_t flow, uint64_t time_ps);
/* The least time; UINT64_MAX if there is none. */
static inline uint64_t vef_finishes_time(const vef_finishes *finishes) {
    return finishes->count ? finishes->heap[0].time_ps : UINT64_MAX;
}
/* Takes out the first; there must be one. */
uint32_t vef_finishes_take(vef_finishes *finishes);
void vef_finishes_release(vef_finishes *finishes);

#endif
