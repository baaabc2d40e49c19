/* Merging the streams of a task's threads. See task_events.h. */
#include "traces/file/task_events.h"
#include "common/memory.h"
#include "traces/file/thread_order.h"

#include <stdlib.h>

struct vef_task_events {
    vef_thread_order order;
    uint32_t threads, last; /* `last`: thread of the event returned last; `threads` at the start */
    struct {
        vef_stream *stream;
        const vef_event *head; /* NULL: at its end */
    } thread[];
};

vef_code vef_task_events_open(vef_trace *trace, uint32_t task, vef_task_events **events,
                              vef_error *error) {
    uint32_t threads = vef_trace_get_header(trace)->task[task].threads;
    size_t bytes = sizeof(vef_task_events) + threads * sizeof((vef_task_events){0}.thread[0]);
    vef_task_events *opened = vef_calloc(1, bytes);
    *events = NULL;
    opened->threads = opened->last = threads;
    vef_code code = VEF_OK;
    for (uint32_t i = 0; i < threads && !code; i++)
        code = vef_stream_open(trace, task, i, &opened->thread[i].stream, error);
    for (uint32_t i = 0; i < threads && !code; i++)
        code = vef_stream_next(opened->thread[i].stream, &opened->thread[i].head, error);
    if (code)
        vef_task_events_close(opened);
    else
        *events = opened;
    return code;
}

void vef_task_events_close(vef_task_events *events) {
    if (!events)
        return;
    for (uint32_t i = 0; i < events->threads; i++)
        vef_stream_close(events->thread[i].stream);
    vef_thread_order_release(&events->order);
    free(events);
}

vef_code vef_task_events_next(vef_task_events *events, const vef_event **event, vef_error *error) {
    vef_code code = VEF_OK;
    *event = NULL;
    if (events->last < events->threads)
        code = vef_stream_next(events->thread[events->last].stream,
                               &events->thread[events->last].head, error);
    if (code)
        return code;
    for (uint32_t i = 0; i < events->threads; i++) {
        const vef_event *head = events->thread[i].head;
        if (head && (!*event || vef_thread_order_precedes(&events->order, head, *event))) {
            *event = head;
            events->last = i;
        }
    }
    if (!*event)
        events->last = events->threads;
    else if (events->threads > 1)
        vef_thread_order_take(&events->order, *event);
    return VEF_OK;
}
