/* Selects the events of a task for a slice, event by event, in the order of
 * traces/file/task_events.h; two passes give the same result. */
#ifndef VEF_TRACES_SLICE_SELECT_H
#define VEF_TRACES_SLICE_SELECT_H

#include "traces/slice/slice.h"

typedef struct vef_selector_thread {
    bool seen;
    uint64_t entered_ns, end_ns; /* of its last call */
    uint64_t left;               /* tick of its return */
    uint64_t delay_ns; /* from the entry of its last call by its own times to that by slice.h */
    uint64_t depth;    /* entries of the current region, nested */
    bool counts;       /* the outermost matches the condition */
} vef_selector_thread;

typedef struct vef_selector {
    const vef_slice_options *options;
    int wanted_call; /* of `between`; -1: a mark */
    vef_selector_thread *threads;
    uint32_t thread_count;
    uint64_t entries;  /* into the region, so far */
    uint64_t calls;    /* of `between`, so far */
    uint32_t inside;   /* threads in a matching entry */
    uint64_t since_ns; /* beginning of the current interval */
    /* Of the present event: */
    uint64_t entered_ns; /* since the start of the task */
    uint64_t before_ns;  /* part of its gap and time outside in the slice */
} vef_selector;

void vef_selector_begin(vef_selector *selector, const vef_slice_options *options, uint32_t threads);
void vef_selector_end(vef_selector *selector);

/* Whether the task's next event is in the slice; its thread is below the number of threads given at
 * the beginning. */
bool vef_selector_next(vef_selector *selector, const vef_event *event);
/* The same with a clock of the caller's, by which the event's call is entered at this time. */
bool vef_selector_next_at(vef_selector *selector, const vef_event *event, uint64_t entered_ns);

/* Whether the slice continues after the events so far: a call entered immediately after the last
 * return would be in. */
bool vef_selector_goes_on(const vef_selector *selector);
/* The same for the conditions other than time. */
bool vef_selector_is_inside(const vef_selector *selector);

#endif
