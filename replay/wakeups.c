/* A binary heap of wake-ups. */
#include "replay/wakeups.h"

#include <assert.h>
#include <stdlib.h>

bool vef_wakeups_reserve(vef_wakeups *wakeups, size_t count) {
    if (count <= wakeups->capacity)
        return true;
    vef_wakeup *heap = realloc(wakeups->heap, count * sizeof *heap);
    if (!heap)
        return false;
    wakeups->heap = heap;
    wakeups->capacity = count;
    return true;
}

void vef_wakeups_release(vef_wakeups *wakeups) {
    free(wakeups->heap);
    *wakeups = (vef_wakeups){0};
}

static bool before(vef_wakeup a, vef_wakeup b) {
    return a.time_cycles < b.time_cycles || (a.time_cycles == b.time_cycles && a.who < b.who);
}

void vef_wakeups_push(vef_wakeups *wakeups, uint64_t time_cycles, uint32_t who) {
    assert(wakeups->count < wakeups->capacity);
    vef_wakeup added = {time_cycles, who};
    size_t place = wakeups->count++;
    while (place) {
        size_t parent = (place - 1) / 2;
        if (!before(added, wakeups->heap[parent]))
            break;
        wakeups->heap[place] = wakeups->heap[parent];
        place = parent;
    }
    wakeups->heap[place] = added;
}

vef_wakeup vef_wakeups_pop(vef_wakeups *wakeups) {
    assert(wakeups->count);
    vef_wakeup *heap = wakeups->heap;
    vef_wakeup first = heap[0], moved = heap[--wakeups->count];
    size_t count = wakeups->count, place = 0;
    for (size_t child = 1; child < count; child = 2 * place + 1) {
        if (child + 1 < count && before(heap[child + 1], heap[child]))
            child++;
        if (!before(heap[child], moved))
            break;
        heap[place] = heap[child];
        place = child;
    }
    heap[place] = moved;
    return first;
}
