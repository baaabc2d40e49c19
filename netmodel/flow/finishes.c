/* A heap whose items know their places. See finishes.h. */
#include "netmodel/flow/finishes.h"

#include "common/containers/grow.h"
#include "common/containers/heap.h"

#include <stdlib.h>
#include <string.h>

static bool before(const vef_finish *a, const vef_finish *b) {
    return a->time_ps != b->time_ps ? a->time_ps < b->time_ps : a->flow < b->flow;
}

static const vef_finish *get(const vef_finishes *finishes, size_t place) {
    return &finishes->heap[place];
}

static void put(vef_finishes *finishes, size_t place, vef_finish item) {
    finishes->heap[place] = item;
    finishes->place[item.flow] = (uint32_t)place;
}
VEF_HEAP_IN(vef_finishes, vef_finish, before, get, put);

void vef_finishes_set(vef_finishes *finishes, uint32_t flow, uint64_t time_ps) {
    const size_t places = finishes->place_room;
    vef_grow(&finishes->place, &finishes->place_room, flow + 1u, sizeof *finishes->place);
    vef_grow(&finishes->heap, &finishes->room, finishes->count + 1u, sizeof *finishes->heap);
    memset(finishes->place + places, 0xff,
           (finishes->place_room - places) * sizeof *finishes->place);
    const vef_finish item = {time_ps, flow};
    const uint32_t place = finishes->place[flow];
    if (place == VEF_NOT_IN_HEAP)
        heap_rise(finishes, finishes->count++, item);
    else if (before(&item, &finishes->heap[place]))
        heap_rise(finishes, place, item);
    else
        heap_sink(finishes, finishes->count, place, item);
}

uint32_t vef_finishes_take(vef_finishes *finishes) {
    const uint32_t flow = finishes->heap[0].flow;
    const vef_finish last = finishes->heap[--finishes->count];
    finishes->place[flow] = VEF_NOT_IN_HEAP;
    if (finishes->count > 0)
        heap_sink(finishes, finishes->count, 0, last);
    return flow;
}

void vef_finishes_release(vef_finishes *finishes) {
    free(finishes->heap);
    free(finishes->place);
    *finishes = (vef_finishes){0};
}
