/* The events of a task over all its threads, in the order of entry; where that is unknown, in an
 * order that respects their requests (thread_order.h). Each thread's stream holds one decoded
 * block. */
#ifndef VEF_TRACES_FILE_TASK_EVENTS_H
#define VEF_TRACES_FILE_TASK_EVENTS_H

#include "common/status.h"
#include "traces/file/trace.h"

typedef struct vef_task_events vef_task_events;

vef_code vef_task_events_open(vef_trace *trace, uint32_t task, vef_task_events **events,
                              vef_error *error);
void vef_task_events_close(vef_task_events *events); /* NULL is fine */

/* The next event, or NULL in `*event` at the end; valid until the next call. */
vef_code vef_task_events_next(vef_task_events *events, const vef_event **event, vef_error *error);

#endif
