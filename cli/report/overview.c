/* The overview of a trace. See overview.h. */
#include "cli/report/overview.h"

#include "common/memory.h"
#include "common/report/result.h"
#include "traces/file/task_events.h"
#include "traces/slice/select.h"

#include <stdlib.h>

enum { MOST_ROWS = 128, INTERVALS = 160 };

typedef struct overview {
    vef_trace *trace;
    uint32_t tasks, rows;
    double interval_ns;
    double *in_mpi_ns; /* per row, per interval */
} overview;

static void add_call(const overview *shown, uint32_t row, uint64_t begin_ns, uint64_t end_ns) {
    double *of_row = shown->in_mpi_ns + (size_t)row * INTERVALS;
    size_t i = (size_t)((double)begin_ns / shown->interval_ns);
    for (; i < INTERVALS; i++) {
        double from = (double)i * shown->interval_ns, to = from + shown->interval_ns;
        double begin = (double)begin_ns > from ? (double)begin_ns : from;
        double end = (double)end_ns < to ? (double)end_ns : to;
        if (end <= begin)
            return;
        of_row[i] += end - begin;
    }
}

static vef_code read_task(const overview *shown, uint32_t task, vef_error *error) {
    static const vef_slice_options whole = {0};
    uint32_t threads = vef_trace_get_header(shown->trace)->task[task].threads;
    uint32_t row = (uint32_t)((uint64_t)task * shown->rows / shown->tasks);
    vef_selector selector;
    vef_task_events *events = NULL;
    const vef_event *event = NULL;
    vef_selector_begin(&selector, &whole, threads);
    vef_code code = vef_task_events_open(shown->trace, task, &events, error);
    while (!code && (code = vef_task_events_next(events, &event, error)) == VEF_OK && event) {
        vef_selector_next(&selector, event);
        const vef_selector_thread *thread = &selector.threads[event->thread];
        if (event->thread == 0)
            add_call(shown, row, thread->entered_ns, thread->end_ns);
    }
    vef_task_events_close(events);
    vef_selector_end(&selector);
    return code;
}

static void write(const overview *shown, vef_result *into) {
    vef_result *overview_group = vef_put_group(into, "overview");
    VEF_PUT(overview_group, "interval_ns", shown->interval_ns);
    vef_result *rows_list = vef_put_list(overview_group, "rows");
    for (uint32_t row = 0; row < shown->rows; row++) {
        /* The tasks of a row: those whose place in read_task is this one. */
        uint32_t first = (uint32_t)(((uint64_t)row * shown->tasks + shown->rows - 1) / shown->rows);
        uint32_t next =
            (uint32_t)((((uint64_t)row + 1) * shown->tasks + shown->rows - 1) / shown->rows);
        double whole_ns = shown->interval_ns * (next - first);
        vef_result *item = vef_put_group(rows_list, NULL);
        VEF_PUT(item, "first_task", first);
        vef_result *in_mpi = vef_put_list(item, "in_mpi");
        for (size_t i = 0; i < INTERVALS; i++)
            VEF_PUT(
                in_mpi, NULL,
                (uint64_t)(1000 * shown->in_mpi_ns[(size_t)row * INTERVALS + i] / whole_ns + 0.5));
    }
}

vef_code vef_report_overview(vef_trace *trace, uint64_t run_ns, vef_result *into,
                             vef_error *error) {
    uint32_t tasks = vef_trace_get_header(trace)->tasks;
    overview shown = {.trace = trace,
                      .tasks = tasks,
                      .rows = tasks < MOST_ROWS ? tasks : MOST_ROWS,
                      .interval_ns = (double)run_ns / INTERVALS};
    shown.in_mpi_ns = vef_calloc((size_t)shown.rows * INTERVALS, sizeof *shown.in_mpi_ns);
    vef_code code = VEF_OK;
    for (uint32_t task = 0; task < tasks && !code; task++)
        code = read_task(&shown, task, error);
    if (!code)
        write(&shown, into);
    free(shown.in_mpi_ns);
    return code;
}
