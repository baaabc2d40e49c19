/* Reading the summary at the end of a trace: totals, how each task ended, its streams and the
 * positions of their pieces. FORMAT.md defines the bytes, write_summary.c writes them. See
 * trace_file.h. */
#include "traces/file/trace_file.h"

void vef_tail_make(vef_trace *trace, vef_trace_tail *tail) {
    uint32_t tasks = trace->header.tasks;
    *tail = (vef_trace_tail){
        .task = vef_arena_alloc(&trace->arena, tasks, sizeof *tail->task),
        .first_stream = vef_arena_alloc(&trace->arena, tasks + 1ull, sizeof *tail->first_stream),
        .not_recorded =
            vef_arena_alloc(&trace->arena, vef_call_count(), sizeof *tail->not_recorded),
        .not_recorded_ns =
            vef_arena_alloc(&trace->arena, vef_call_count(), sizeof *tail->not_recorded_ns)};
    for (uint32_t i = 0; i < tasks; i++)
        tail->task[i].threads = 1;
}

static void read_tasks(const vef_trace *trace, vef_cursor *from, vef_trace_tail *tail) {
    uint32_t tasks = trace->header.tasks;
    for (uint32_t i = 0; i < tasks; i++)
        tail->task[i].record = tail->task[i].end = (vef_log_end)vef_get_limited(from, VEF_LOG_FULL);
    for (uint32_t i = 0; i < tasks; i++)
        tail->task[i].skipped = vef_get_varint(from);
    for (uint32_t i = 0; i < tasks; i++) {
        uint32_t threads = (uint32_t)vef_get_limited(from, VEF_THREAD_LIMIT);
        tail->task[i].threads = threads;
        tail->first_stream[i + 1] = tail->first_stream[i] + threads;
        if (threads == 0)
            from->bad = true;
    }
}

/* Three numbers of each stream, at least a byte each. Returns the number of their pieces. */
static uint64_t read_streams(vef_trace *trace, vef_cursor *from, vef_trace_tail *tail) {
    uint32_t tasks = trace->header.tasks;
    uint64_t count = tail->first_stream[tasks], pieces = 0;
    if (from->bad || count > (uint64_t)(from->end - from->next) / 3) {
        from->bad = true;
        return 0;
    }
    vef_stream_facts *streams = vef_arena_alloc(&trace->arena, count, sizeof *streams);
    tail->streams = streams;
    for (uint64_t i = 0; i < count; i++)
        streams[i].events = vef_get_varint(from);
    for (uint64_t i = 0; i < count; i++)
        streams[i].requests = vef_get_varint(from);
    for (uint64_t i = 0; i < count; i++) {
        streams[i].pieces = (uint32_t)vef_get_limited(from, UINT32_MAX);
        streams[i].first_place = pieces;
        pieces += streams[i].pieces;
    }
    for (uint32_t i = 0; i < tasks; i++) {
        vef_trace_task *task = &tail->task[i];
        for (uint64_t k = tail->first_stream[i]; k < tail->first_stream[i + 1]; k++) {
            task->events += streams[k].events;
            if (streams[k].requests > task->requests)
                task->requests = streams[k].requests;
        }
    }
    return pieces;
}

static void read_places(vef_trace *trace, vef_cursor *from, vef_trace_tail *tail, uint64_t count) {
    if (from->bad || count > (uint64_t)(from->end - from->next) / 2) {
        from->bad = true;
        return;
    }
    tail->places = vef_arena_alloc(&trace->arena, count + 1, sizeof *tail->places);
    for (uint64_t i = 0, offset = 0; i < count; i++) {
        offset += (uint64_t)vef_get_signed(from);
        tail->places[i].offset = offset;
    }
    for (uint64_t i = 0; i < count; i++)
        tail->places[i].number = (uint32_t)vef_get_limited(from, UINT32_MAX);
}

vef_code vef_tail_read(vef_trace *trace, const vef_block *block, const uint8_t *raw,
                       vef_trace_tail *tail, vef_error *error) {
    vef_cursor from = {raw, raw + block->raw_bytes, false};
    tail->messages = vef_get_varint(&from);
    tail->message_bytes = vef_get_varint(&from);
    const uint64_t counts = vef_get_varint(&from);
    vef_calls_get(&from, counts, tail->not_recorded, tail->not_recorded_ns);
    read_tasks(trace, &from, tail);
    const uint64_t pieces = read_streams(trace, &from, tail);
    read_places(trace, &from, tail, pieces);
    if (from.bad || from.next != from.end)
        return vef_fail(error, VEF_CORRUPT, "the summary does not decode");
    return VEF_OK;
}

void vef_tail_take(vef_trace *trace, const vef_trace_tail *tail) {
    vef_trace_header *header = &trace->header;
    trace->tail = *tail;
    header->task = tail->task;
    header->not_recorded = tail->not_recorded;
    header->not_recorded_ns = tail->not_recorded_ns;
    header->messages = tail->messages;
    header->message_bytes = tail->message_bytes;
    header->events = 0;
    for (uint32_t i = 0; i < header->tasks; i++)
        header->events += tail->task[i].events;
}

static vef_code take_measured(vef_trace *trace, const vef_block *block, const uint8_t *raw,
                              vef_error *error) {
    vef_cursor from = {raw, raw + block->raw_bytes, false};
    vef_trace_header *header = &trace->header;
    if (header->tasks > block->raw_bytes) /* at least a byte per number */
        return vef_fail(error, VEF_CORRUPT, "the measured times have fewer entries than tasks");
    vef_measured *task = vef_arena_alloc(&trace->arena, header->tasks, sizeof *task);
    vef_left_out left_out = {vef_arena_alloc(&trace->arena, vef_call_count(), sizeof(uint64_t)),
                             vef_arena_alloc(&trace->arena, vef_call_count(), sizeof(uint64_t))};
    vef_measured_get(&from, block->kind == VEF_BLOCK_MEASURED_ROWS, task, header->tasks);
    vef_calls_get(&from, UINT64_MAX, left_out.calls, left_out.ns);
    if (from.bad)
        return vef_fail(error, VEF_CORRUPT, "the measured times do not decode");
    header->measured = task;
    header->left_out = left_out;
    return VEF_OK;
}

static vef_code take_records(const vef_trace *trace, const vef_block *block, const uint8_t *raw,
                             vef_trace_tail *tail, vef_error *error) {
    vef_cursor from = {raw, raw + block->raw_bytes, false};
    for (uint32_t i = 0; i < trace->header.tasks && !from.bad; i++)
        tail->task[i].record = (vef_log_end)vef_get_limited(&from, VEF_LOG_FULL);
    if (from.bad || from.next != from.end)
        return vef_fail(error, VEF_CORRUPT, "the ends of tasks in the capture do not decode");
    return VEF_OK;
}

vef_code vef_behind_take(vef_trace *trace, const vef_block *block, const uint8_t *raw,
                         vef_trace_tail *tail, vef_error *error) {
    if (block->kind == VEF_BLOCK_MEASURED || block->kind == VEF_BLOCK_MEASURED_ROWS)
        return take_measured(trace, block, raw, error);
    return block->kind == VEF_BLOCK_RECORDS ? take_records(trace, block, raw, tail, error) : VEF_OK;
}
