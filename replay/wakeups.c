/* A binary heap of wake-ups. */
#include "replay/wakeups.h"

#include "common/grow.h"
#include "common/heap.h"

#include <assert.h>
#include <stdlib.h>

bool vef_wakeups_reserve(vef_wakeups *wakeups, size_t count) {
    return vef_grow(&wakeups->heap, &wakeups->capacity, count, sizeof *wakeups->heap);
}

void vef_wakeups_release(vef_wakeups *wakeups) {
    free(wakeups->heap);
    *wakeups = (vef_wakeups){0};
}

static bool before(const vef_wakeup *a, const vef_wakeup *b) {
    return a->time_cycles < b->time_cycles || (a->time_cycles == b->time_cycles && a->who < b->who);
}
VEF_HEAP(vef_wakeup, before);

void vef_wakeups_push(vef_wakeups *wakeups, uint64_t time_cycles, uint32_t who) {
    assert(wakeups->count < wakeups->capacity);
    heap_add(wakeups->heap, wakeups->count++, (vef_wakeup){time_cycles, who});
}

vef_wakeup vef_wakeups_pop(vef_wakeups *wakeups) {
    assert(wakeups->count);
    return heap_take(wakeups->heap, wakeups->count--);
}
