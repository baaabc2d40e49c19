/* A binary heap of things to come. See pending.h. */
#include "netmodel/pending.h"

#include "common/containers/grow.h"
#include "common/containers/heap.h"

#include <stdlib.h>

static bool before(const vef_pending_item *a, const vef_pending_item *b) {
    if (a->time != b->time)
        return a->time < b->time;
    return a->order < b->order;
}
VEF_HEAP(vef_pending_item, before);

static void add(vef_pending *pending, vef_pending_item item) {
    vef_grow(&pending->items, &pending->room, pending->count + 1, sizeof *pending->items);
    heap_add(pending->items, pending->count++, item);
}

void vef_pending_add(vef_pending *pending, uint64_t time, uint64_t value, uint32_t note) {
    add(pending, (vef_pending_item){time, pending->added++, value, note});
}

void vef_pending_insert(vef_pending *pending, uint64_t time, uint64_t order, uint64_t value) {
    add(pending, (vef_pending_item){time, order, value, 0});
}

void vef_pending_replace(vef_pending *pending, uint64_t time, uint64_t order, uint64_t value) {
    heap_replace(pending->items, pending->count, (vef_pending_item){time, order, value, 0});
}

uint64_t vef_pending_take(vef_pending *pending) {
    return heap_take(pending->items, pending->count--).value;
}

void vef_pending_release(vef_pending *pending) {
    free(pending->items);
    *pending = (vef_pending){0};
}
