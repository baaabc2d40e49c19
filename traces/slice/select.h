/* Which events of a task are in a slice. Told event by event, in the order of
 * traces/file/task_events.h; the same twice. */
#ifndef VEF_TRACES_SLICE_SELECT_H
#define VEF_TRACES_SLICE_SELECT_H

#include "traces/slice/slice.h"

typedef struct vef_selector_thread {
    bool seen;
    uint64_t entered_ns, end_ns; /* of its last call */
    uint64_t left;               /* tick of its return */
    uint64_t depth;              /* entries of the region under way, one inside another */
    bool counts;                 /* the outermost is one of those asked for */
} vef_selector_thread;

typedef struct vef_selector {
    const vef_slice_options *options;
    int wanted_call; /* of `between`; -1: a mark */
    vef_selector_thread *threads;
    uint32_t thread_count;
    uint64_t entries, calls; /* of the region, of `between`; so far */
    uint32_t inside;         /* threads in an entry that counts */
    uint64_t since_ns;       /* beginning of the piece under way */
    /* Of the present event: */
    uint64_t entered_ns; /* since the start of the task */
    uint64_t before_ns;  /* how much of its gap and time outside is in the slice */
} vef_selector;

vef_code vef_selector_begin(vef_selector *selector, const vef_slice_options *options,
                            uint32_t threads, vef_error *error);
void vef_selector_end(vef_selector *selector);

/* Whether the task's next event is in; of a thread below those that were begun with. */
bool vef_selector_next(vef_selector *selector, const vef_event *event);

/* Whether the slice goes on behind the events so far: a call that the task entered as soon as its
 * last one returned would be in. */
bool vef_selector_goes_on(const vef_selector *selector);

#endif
