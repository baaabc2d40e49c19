/* A binary heap of things to come. See pending.h. */
#include "netmodel/pending.h"

#include <stdlib.h>

static bool before(const vef_pending_item *a, const vef_pending_item *b) {
    if (a->time_cycles != b->time_cycles)
        return a->time_cycles < b->time_cycles;
    return a->order < b->order;
}

bool vef_pending_add(vef_pending *pending, uint64_t time_cycles, uint64_t value, uint32_t note) {
    if (pending->count == pending->room) {
        size_t room = pending->room ? pending->room * 2 : 64;
        vef_pending_item *items = realloc(pending->items, room * sizeof *items);
        if (!items)
            return false;
        pending->items = items;
        pending->room = room;
    }
    vef_pending_item item = {time_cycles, pending->added++, value, note};
    size_t at = pending->count++;
    while (at > 0 && before(&item, &pending->items[(at - 1) / 2])) {
        pending->items[at] = pending->items[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    pending->items[at] = item;
    return true;
}

uint64_t vef_pending_take(vef_pending *pending) {
    uint64_t value = pending->items[0].value;
    vef_pending_item last = pending->items[--pending->count];
    size_t at = 0;
    for (;;) {
        size_t child = 2 * at + 1;
        if (child >= pending->count)
            break;
        if (child + 1 < pending->count &&
            before(&pending->items[child + 1], &pending->items[child]))
            child++;
        if (!before(&pending->items[child], &last))
            break;
        pending->items[at] = pending->items[child];
        at = child;
    }
    if (pending->count > 0)
        pending->items[at] = last;
    return value;
}

void vef_pending_release(vef_pending *pending) {
    free(pending->items);
    *pending = (vef_pending){0};
}
