/* Whether the names of a slice's conditions occur in the trace. See slice.h. */
#include "traces/file/task_events.h"
#include "traces/slice/select.h"
#include "traces/slice/slice.h"

/* Reads a task up to the point where both names have occurred. */
static vef_code look(vef_trace *trace, uint32_t task, const vef_slice_options *options,
                     bool *region, bool *between, vef_error *error) {
    const uint32_t threads = vef_trace_get_header(trace)->task[task].threads;
    vef_task_events *events = NULL;
    const vef_event *event = NULL;
    vef_selector selector;
    vef_selector_begin(&selector, options, threads);
    vef_code code = vef_task_events_open(trace, task, &events, error);
    while (!code && !(*region && *between) &&
           (code = vef_task_events_next(events, &event, error)) == VEF_OK && event)
        if (event->thread < threads) {
            vef_selector_next(&selector, event);
            *region |= selector.entries > 0;
            *between |= selector.calls > 0;
        }
    vef_task_events_close(events);
    vef_selector_end(&selector);
    return code;
}

vef_code vef_slice_check_names(vef_trace *trace, const vef_slice_options *options,
                               vef_error *error) {
    const uint32_t tasks = vef_trace_get_header(trace)->tasks;
    bool region = !options->region, between = !options->between;
    vef_code code = VEF_OK;
    for (uint32_t task = 0; task < tasks && !(region && between) && !code; task++)
        if (!options->chosen || options->chosen[task])
            code = look(trace, task, options, &region, &between, error);
    if (!code && !region)
        return vef_fail(error, VEF_INVALID,
                        "%s: unknown region '%s': expected one that `vef info --regions` lists",
                        vef_trace_path(trace), options->region);
    if (!code && !between)
        return vef_fail(error, VEF_INVALID, "%s: no call of %s and no mark of that name",
                        vef_trace_path(trace), options->between);
    return code;
}
