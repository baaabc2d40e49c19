/* The traffic matrix. One row of it is dense at a time, for the task that is being read. See
 * traffic.h. */
#include "traces/traffic.h"

#include "traces/trace.h"

#include <stdlib.h>

vef_code vef_traffic_begin(vef_traffic *traffic, uint32_t tasks, vef_error *error) {
    *traffic = (vef_traffic){.tasks = tasks};
    traffic->first = calloc(tasks + 1ull, sizeof *traffic->first);
    return traffic->first
               ? VEF_OK
               : vef_fail_memory(error, "the traffic matrix", tasks * sizeof *traffic->first);
}

vef_code vef_traffic_end_row(vef_traffic *traffic, uint32_t task, vef_flow *row, vef_error *error) {
    size_t count = traffic->first[task];
    for (uint32_t to = 0; to < traffic->tasks; to++) {
        if (row[to].messages == 0)
            continue;
        if (count == traffic->capacity) {
            size_t wanted = 2 * count + 256;
            vef_flow *grown = realloc(traffic->flows, wanted * sizeof *grown);
            if (!grown)
                return vef_fail_memory(error, "the traffic matrix", wanted * sizeof *grown);
            traffic->flows = grown;
            traffic->capacity = wanted;
        }
        traffic->flows[count++] = (vef_flow){to, row[to].messages, row[to].bytes};
        row[to] = (vef_flow){0};
    }
    traffic->first[task + 1] = count;
    return VEF_OK;
}

vef_code vef_traffic_transpose(const vef_traffic *traffic, vef_traffic *transposed,
                               vef_error *error) {
    uint32_t tasks = traffic->tasks;
    size_t count = traffic->first[tasks];
    vef_code code = vef_traffic_begin(transposed, tasks, error);
    if (code)
        return code;
    transposed->flows = calloc(count + 1, sizeof *transposed->flows);
    size_t *next = calloc(tasks + 1ull, sizeof *next);
    if (!transposed->flows || !next) {
        free(next);
        vef_traffic_free(transposed);
        return vef_fail_memory(error, "the traffic matrix", count * sizeof *transposed->flows);
    }
    transposed->capacity = count + 1;
    for (size_t i = 0; i < count; i++)
        transposed->first[traffic->flows[i].to + 1]++;
    for (uint32_t task = 0; task < tasks; task++) {
        transposed->first[task + 1] += transposed->first[task];
        next[task] = transposed->first[task];
    }
    for (uint32_t from = 0; from < tasks; from++)
        for (size_t i = traffic->first[from]; i < traffic->first[from + 1]; i++) {
            const vef_flow *flow = &traffic->flows[i];
            transposed->flows[next[flow->to]++] = (vef_flow){from, flow->messages, flow->bytes};
        }
    free(next);
    return VEF_OK;
}

static void count_event(vef_flow *row, const vef_event *event) {
    if (vef_call_kind(event->call) != VEF_KIND_TRANSFER)
        return;
    for (uint32_t i = 0; i < event->operation_count; i++) {
        const vef_operation *operation = &event->operations[i];
        if (!(operation->flags & VEF_OP_SEND) || (operation->flags & VEF_OP_CANCELLED) ||
            operation->peer == VEF_NO_TASK)
            continue;
        row[operation->peer].messages++;
        row[operation->peer].bytes += operation->bytes;
    }
}

static vef_code read_thread(vef_trace *trace, uint32_t task, uint32_t thread, vef_flow *row,
                            vef_error *error) {
    vef_stream *stream = NULL;
    const vef_event *event = NULL;
    vef_code code = vef_stream_open(trace, task, thread, &stream, error);
    while (!code && (code = vef_stream_next(stream, &event, error)) == VEF_OK && event)
        count_event(row, event);
    vef_stream_close(stream);
    return code;
}

vef_code vef_traffic_read(vef_trace *trace, vef_traffic *traffic, vef_error *error) {
    const vef_trace_header *header = vef_trace_get_header(trace);
    vef_code code = vef_traffic_begin(traffic, header->tasks, error);
    vef_flow *row = calloc(header->tasks, sizeof *row);
    if (!code && !row)
        code = vef_fail_memory(error, "the traffic matrix", header->tasks * sizeof *row);
    for (uint32_t task = 0; task < header->tasks && !code; task++) {
        for (uint32_t thread = 0; thread < header->task[task].threads && !code; thread++)
            code = read_thread(trace, task, thread, row, error);
        if (!code)
            code = vef_traffic_end_row(traffic, task, row, error);
    }
    free(row);
    if (code)
        vef_traffic_free(traffic);
    return code;
}

void vef_traffic_free(vef_traffic *traffic) {
    free(traffic->first);
    free(traffic->flows);
    *traffic = (vef_traffic){0};
}
