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
    const vef_wakeup added = {time_cycles, who};
    if (wakeups->taken) {
        wakeups->taken = false;
        heap_replace(wakeups->heap, wakeups->count, added);
        return;
    }
    assert(wakeups->count < wakeups->capacity);
    heap_add(wakeups->heap, wakeups->count++, added);
}

void vef_wakeups_settle(vef_wakeups *wakeups) {
    wakeups->taken = false;
    heap_take(wakeups->heap, wakeups->count--);
}
