/* An order for the events of a task's threads without ticks.
 *
 * In schedules of other tools, only requests order calls of different threads: all ticks are 0. A
 * reader that processes the events of a task one by one must process the start of a request before
 * the calls that wait for it, and likewise its release: the last Pready, or Grequest_complete. */
#ifndef VEF_TRACES_FILE_THREAD_ORDER_H
#define VEF_TRACES_FILE_THREAD_ORDER_H

#include "common/containers/map64.h"
#include "traces/event.h"

typedef struct vef_thread_order {
    vef_map64 requests; /* started requests: whether they are released */
} vef_thread_order;     /* zero-initialised is that of a task's beginning */

void vef_thread_order_clear(vef_thread_order *order);
void vef_thread_order_release(vef_thread_order *order);

/* Whether ticks order this event after events of other threads. */
bool vef_thread_order_has_ticks(const vef_event *event);

/* Whether `a` precedes `b`, the next event of another thread: ready events first, then by entry. */
bool vef_thread_order_precedes(const vef_thread_order *order, const vef_event *a,
                               const vef_event *b);

/* Records a processed event. */
void vef_thread_order_take(vef_thread_order *order, const vef_event *event);

#endif
