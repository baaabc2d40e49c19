/* The traffic matrix and its rows. See traffic.h. */
#include "traces/file/traffic.h"

#include "common/containers/grow.h"
#include "common/containers/order.h"
#include "common/memory.h"
#include "traces/file/trace.h"

#include <stdlib.h>
#include <string.h>

void vef_traffic_matrix_begin(vef_traffic_matrix *traffic, uint32_t tasks) {
    *traffic = (vef_traffic_matrix){.tasks = tasks};
    traffic->first = vef_calloc(tasks + 1ull, sizeof *traffic->first);
}

void vef_traffic_row_begin(vef_traffic_row *row, uint32_t tasks) {
    *row = (vef_traffic_row){.place = vef_calloc(tasks + 1ull, sizeof *row->place)};
}

void vef_traffic_row_free(vef_traffic_row *row) {
    free(row->place);
    free(row->flows);
    *row = (vef_traffic_row){0};
}

void vef_traffic_row_add(vef_traffic_row *row, uint32_t to, uint64_t messages, uint64_t bytes) {
    uint32_t place = row->place[to];
    if (place == 0) {
        *VEF_NEW_ITEM(row->flows, row->count, row->capacity) = (vef_flow){.to = to};
        row->place[to] = place = row->count;
    }
    vef_flow *flow = &row->flows[place - 1];
    flow->messages += messages;
    flow->bytes = flow->bytes > UINT64_MAX - bytes ? UINT64_MAX : flow->bytes + bytes;
}

void vef_traffic_row_clear(vef_traffic_row *row) {
    for (uint32_t i = 0; i < row->count; i++)
        row->place[row->flows[i].to] = 0;
    row->count = 0;
}

VEF_ORDER_BY(by_receiver, vef_flow, to)

void vef_traffic_matrix_end_row(vef_traffic_matrix *traffic, uint32_t task, vef_traffic_row *row) {
    size_t count = traffic->first[task];
    if (row->count > 0) {
        qsort(row->flows, row->count, sizeof *row->flows, by_receiver);
        const size_t flows = count + row->count;
        vef_grow(&traffic->flows, &traffic->capacity, flows, sizeof *traffic->flows);
        memcpy(traffic->flows + count, row->flows, row->count * sizeof *row->flows);
    }
    traffic->first[task + 1] = count + row->count;
    vef_traffic_row_clear(row);
}

void vef_traffic_matrix_count(const vef_traffic_matrix *traffic, vef_traffic_matrix *counted) {
    const size_t count = traffic->first[traffic->tasks];
    vef_traffic_matrix_begin(counted, traffic->tasks);
    counted->flows = vef_calloc(count + 1, sizeof *counted->flows);
    counted->capacity = count + 1;
    memcpy(counted->first, traffic->first, (traffic->tasks + (size_t)1) * sizeof *counted->first);
    for (size_t i = 0; i < count; i++) {
        const vef_flow *flow = &traffic->flows[i];
        counted->flows[i] = (vef_flow){flow->to, flow->messages, flow->messages};
    }
}

void vef_traffic_matrix_transpose(const vef_traffic_matrix *traffic,
                                  vef_traffic_matrix *transposed) {
    uint32_t tasks = traffic->tasks;
    size_t count = traffic->first[tasks];
    vef_traffic_matrix_begin(transposed, tasks);
    transposed->flows = vef_calloc(count + 1, sizeof *transposed->flows);
    size_t *next = vef_calloc(tasks + 1ull, sizeof *next);
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
}

static void count_event(vef_traffic_row *row, const vef_event *event) {
    if (vef_call_kind(event->call) != VEF_KIND_TRANSFER)
        return;
    for (uint32_t i = 0; i < event->operation_count; i++) {
        const vef_operation *operation = &event->operations[i];
        if ((operation->flags & VEF_OP_SEND) && !(operation->flags & VEF_OP_CANCELLED) &&
            operation->peer != VEF_NO_TASK)
            vef_traffic_row_add(row, (uint32_t)operation->peer, 1, operation->bytes);
    }
}

static vef_code read_thread(vef_trace *trace, uint32_t task, uint32_t thread, vef_traffic_row *row,
                            vef_error *error) {
    vef_stream *stream = NULL;
    const vef_event *event = NULL;
    vef_code code = vef_stream_open(trace, task, thread, &stream, error);
    while (!code && (code = vef_stream_next(stream, &event, error)) == VEF_OK && event)
        count_event(row, event);
    vef_stream_close(stream);
    return code;
}

vef_code vef_traffic_matrix_read(vef_trace *trace, vef_traffic_matrix *traffic, vef_error *error) {
    const vef_trace_header *header = vef_trace_get_header(trace);
    vef_traffic_row row = {0};
    vef_code code = VEF_OK;
    vef_traffic_matrix_begin(traffic, header->tasks);
    vef_traffic_row_begin(&row, header->tasks);
    for (uint32_t task = 0; task < header->tasks && !code; task++) {
        for (uint32_t thread = 0; thread < header->task[task].threads && !code; thread++)
            code = read_thread(trace, task, thread, &row, error);
        if (!code)
            vef_traffic_matrix_end_row(traffic, task, &row);
    }
    vef_traffic_row_free(&row);
    if (code)
        vef_traffic_matrix_free(traffic);
    return code;
}

void vef_traffic_matrix_free(vef_traffic_matrix *traffic) {
    free(traffic->first);
    free(traffic->flows);
    *traffic = (vef_traffic_matrix){0};
}
