/* An order for the events of a task's threads where their ticks do not give one.
 *
 * Schedules of other tools order calls of different threads by requests alone: all ticks are 0. A
 * reader that takes the events of a task one by one has to take the start of a request before the
 * calls that wait for it, and so what releases it: the last Pready, or Grequest_complete. */
#ifndef VEF_TRACES_FILE_THREAD_ORDER_H
#define VEF_TRACES_FILE_THREAD_ORDER_H

#include "common/map64.h"
#include "traces/event.h"

typedef struct vef_thread_order {
    vef_map64 requests; /* of the events taken so far: whether they are released */
} vef_thread_order;     /* zero-initialised is that of a task's beginning */

void vef_thread_order_clear(vef_thread_order *order);
void vef_thread_order_release(vef_thread_order *order);

/* Whether ticks say which events of other threads this one comes after. */
bool vef_thread_order_has_ticks(const vef_event *event);

/* Whether an event, the next of its thread, may be taken now. Events with ticks always may. */
bool vef_thread_order_is_ready(const vef_thread_order *order, const vef_event *event);

/* Whether `a` is to be taken before `b`, the next event of another thread: a ready one first, then
 * the one that was entered first. */
bool vef_thread_order_precedes(const vef_thread_order *order, const vef_event *a,
                               const vef_event *b);

/* The event is taken. False without memory. */
bool vef_thread_order_take(vef_thread_order *order, const vef_event *event);

#endif
