/* Streaming statistics and the traffic matrix. One row of the matrix is dense at a time, for the
 * task that is being read. See stats.h and traffic.h. */
#include "traces/stats.h"

#include <stdlib.h>

typedef struct dense_row {
    vef_flow *cells; /* per receiver */
    size_t flow_capacity;
} dense_row;

static void count_operation(vef_stats *stats, vef_task_stats *task, vef_call_stats *call,
                            dense_row *row, const vef_operation *operation, bool only_receives) {
    bool send = operation->flags & VEF_OP_SEND;
    if ((operation->flags & VEF_OP_CANCELLED) || operation->peer == VEF_NO_TASK)
        return;
    if (send || only_receives)
        call->bytes += operation->bytes;
    if (!send)
        return;
    stats->messages++;
    stats->message_bytes += operation->bytes;
    task->messages++;
    task->message_bytes += operation->bytes;
    stats->sizes[operation->bytes ? 64 - __builtin_clzll(operation->bytes) : 0]++;
    row->cells[operation->peer].messages++;
    row->cells[operation->peer].bytes += operation->bytes;
}

static void count_event(vef_stats *stats, vef_task_stats *task, dense_row *row,
                        const vef_event *event) {
    vef_call_stats *call = &stats->call[event->call];
    stats->events++;
    stats->calls += event->repeats;
    task->calls += event->repeats;
    call->calls += event->repeats;
    call->duration_ns += event->duration_ns;
    stats->mpi_ns += event->duration_ns;
    task->mpi_ns += event->duration_ns;
    stats->compute_ns += event->gap_ns;
    task->compute_ns += event->gap_ns;
    if (vef_call_kind(event->call) == VEF_KIND_TRANSFER) {
        bool sends = false;
        for (uint32_t i = 0; i < event->operation_count; i++)
            sends |= (event->operations[i].flags & VEF_OP_SEND) != 0;
        for (uint32_t i = 0; i < event->operation_count; i++)
            count_operation(stats, task, call, row, &event->operations[i], !sends);
    }
    if (vef_call_kind(event->call) == VEF_KIND_COLLECTIVE) {
        call->bytes += event->bytes;
        for (uint32_t i = 0; i < event->send_count; i++)
            call->bytes += event->send_bytes[i];
    }
}

/* Moves the row of a task to the matrix and clears it. */
static vef_code finish_row(vef_traffic *traffic, uint32_t task, dense_row *row, vef_error *error) {
    size_t count = traffic->first[task];
    for (uint32_t to = 0; to < traffic->tasks; to++) {
        if (row->cells[to].messages == 0)
            continue;
        if (count == row->flow_capacity) {
            size_t wanted = 2 * count + 256;
            vef_flow *grown = realloc(traffic->flows, wanted * sizeof *grown);
            if (!grown)
                return vef_fail_memory(error, "the traffic matrix", wanted * sizeof *grown);
            traffic->flows = grown;
            row->flow_capacity = wanted;
        }
        traffic->flows[count++] = (vef_flow){to, row->cells[to].messages, row->cells[to].bytes};
        row->cells[to] = (vef_flow){0};
    }
    traffic->first[task + 1] = count;
    return VEF_OK;
}

vef_code vef_stats_read(vef_trace *trace, vef_stats *stats, vef_error *error) {
    const vef_trace_header *header = vef_trace_get_header(trace);
    dense_row row = {0};
    *stats = (vef_stats){0};
    stats->call = calloc(vef_call_count(), sizeof *stats->call);
    stats->task = calloc(header->tasks, sizeof *stats->task);
    stats->traffic.tasks = header->tasks;
    stats->traffic.first = calloc(header->tasks + 1ull, sizeof *stats->traffic.first);
    row.cells = calloc(header->tasks, sizeof *row.cells);
    vef_code code = VEF_OK;
    if (!stats->call || !stats->task || !stats->traffic.first || !row.cells)
        code = vef_fail_memory(error, "statistics", header->tasks * sizeof *row.cells);
    for (uint32_t task = 0; task < header->tasks && !code; task++) {
        vef_stream *stream = NULL;
        const vef_event *event = NULL;
        code = vef_stream_open(trace, task, 0, &stream, error);
        while (!code && (code = vef_stream_next(stream, &event, error)) == VEF_OK && event)
            count_event(stats, &stats->task[task], &row, event);
        vef_stream_close(stream);
        if (!code)
            code = finish_row(&stats->traffic, task, &row, error);
    }
    free(row.cells);
    if (code)
        vef_stats_free(stats);
    return code;
}

void vef_stats_free(vef_stats *stats) {
    free(stats->call);
    free(stats->task);
    vef_traffic_free(&stats->traffic);
    *stats = (vef_stats){0};
}

vef_code vef_traffic_read(vef_trace *trace, vef_traffic *traffic, vef_error *error) {
    vef_stats stats;
    *traffic = (vef_traffic){0};
    vef_code code = vef_stats_read(trace, &stats, error);
    if (code)
        return code;
    *traffic = stats.traffic;
    stats.traffic = (vef_traffic){0};
    vef_stats_free(&stats);
    return VEF_OK;
}

void vef_traffic_free(vef_traffic *traffic) {
    free(traffic->first);
    free(traffic->flows);
    *traffic = (vef_traffic){0};
}
