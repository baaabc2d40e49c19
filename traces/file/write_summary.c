/* The summary at the end of a trace: counts, streams and the positions of their pieces. See
 * writer.h; FORMAT.md defines the bytes. */
#include "common/memory.h"
#include "traces/file/writer_state.h"

#include <stdlib.h>

static uint8_t *put_counts(const vef_writer *writer, uint8_t *to) {
    uint64_t count = 0;
    for (size_t call = 0; call < vef_call_count(); call++)
        count += writer->not_recorded[call] != 0;
    return vef_calls_put(vef_put_varint(to, count), writer->not_recorded, writer->not_recorded_ns);
}

/* A task without events has one empty stream. */
static uint32_t threads_of(const vef_writer_task *task) {
    return task->threads ? task->threads : 1;
}
static const vef_writer_stream *stream_at(const vef_writer_task *task, uint32_t thread) {
    static const vef_writer_stream empty = {0};
    return thread < task->threads ? &task->streams[thread] : &empty;
}

/* The streams of all tasks, one after another. */
static uint64_t count_streams(const vef_writer *writer) {
    uint64_t count = 0;
    for (uint32_t i = 0; i < writer->tasks; i++)
        count += threads_of(&writer->task[i]);
    return count;
}
static void list_streams(const vef_writer *writer, const vef_writer_stream **list) {
    for (uint32_t i = 0; i < writer->tasks; i++)
        for (uint32_t k = 0; k < threads_of(&writer->task[i]); k++)
            *list++ = stream_at(&writer->task[i], k);
}

static uint8_t *put_tasks(const vef_writer *writer, const vef_writer_stream *const *list,
                          uint64_t streams, uint8_t *to) {
    for (uint32_t i = 0; i < writer->tasks; i++)
        to = vef_put_varint(to, writer->task[i].end);
    for (uint32_t i = 0; i < writer->tasks; i++)
        to = vef_put_varint(to, writer->task[i].skipped);
    for (uint32_t i = 0; i < writer->tasks; i++)
        to = vef_put_varint(to, threads_of(&writer->task[i]));
    for (uint64_t i = 0; i < streams; i++)
        to = vef_put_varint(to, list[i]->events);
    for (uint64_t i = 0; i < streams; i++)
        to = vef_put_varint(to, list[i]->requests);
    for (uint64_t i = 0; i < streams; i++)
        to = vef_put_varint(to, list[i]->pieces);
    return to;
}

/* By stream; stable, because the pieces of a stream are in order already. */
static void sort_places(const vef_writer *writer, const vef_writer_stream *const *list,
                        vef_writer_place *sorted) {
    uint64_t *first_stream = vef_malloc((writer->tasks + 1ull) * sizeof *first_stream);
    uint64_t *next = vef_malloc((count_streams(writer) + 1) * sizeof *next);
    uint64_t streams = 0, places = 0;
    for (uint32_t i = 0; i < writer->tasks; i++) {
        first_stream[i] = streams;
        for (uint32_t k = 0; k < threads_of(&writer->task[i]); k++) {
            next[streams] = places;
            places += list[streams++]->pieces;
        }
    }
    for (size_t i = 0; i < writer->place_count; i++) {
        const vef_writer_place *from = &writer->places[i];
        sorted[next[first_stream[from->task] + from->thread]++] = *from;
    }
    free(next);
    free(first_stream);
}

static uint8_t *put_places(const vef_writer_place *sorted, size_t count, uint8_t *to) {
    uint64_t before = 0;
    for (size_t i = 0; i < count; i++) {
        to = vef_put_signed(to, (int64_t)(sorted[i].offset - before));
        before = sorted[i].offset;
    }
    for (size_t i = 0; i < count; i++)
        to = vef_put_varint(to, sorted[i].number);
    return to;
}

vef_code vef_writer_put_summary(vef_writer *writer, vef_error *error) {
    uint64_t streams = count_streams(writer);
    size_t bound = VEF_VARINT_BYTES * (3 + 3 * (size_t)writer->tasks + 3 * streams +
                                       3 * vef_call_count() + 2 * writer->place_count);
    uint8_t *bytes = vef_malloc(bound), *to = bytes;
    const vef_writer_stream **list = vef_malloc((streams + 1) * sizeof *list);
    vef_writer_place *sorted = vef_malloc((writer->place_count + 1) * sizeof *sorted);
    list_streams(writer, list);
    sort_places(writer, list, sorted);
    to = vef_put_varint(to, writer->messages);
    to = vef_put_varint(to, writer->message_bytes);
    to = put_counts(writer, to);
    to = put_tasks(writer, list, streams, to);
    to = put_places(sorted, writer->place_count, to);
    free(sorted);
    free(list);
    return vef_writer_put_block(writer, VEF_BLOCK_SUMMARY, bytes, to, error);
}

vef_code vef_writer_put_measured(vef_writer *writer, vef_error *error) {
    size_t bound = vef_measured_bound(writer->tasks) + vef_calls_bound();
    bool any = writer->measured != NULL;
    for (size_t call = 0; call < vef_call_count(); call++)
        any |= writer->left_out.calls[call] != 0;
    if (!any)
        return VEF_OK;
    if (!writer->measured)
        writer->measured = vef_calloc(writer->tasks, sizeof *writer->measured);
    uint8_t *bytes = vef_malloc(bound), *to = bytes;
    to = vef_measured_put(to, writer->measured, writer->tasks);
    to = vef_calls_put(to, writer->left_out.calls, writer->left_out.ns);
    return vef_writer_put_block(writer, VEF_BLOCK_MEASURED, bytes, to, error);
}

vef_code vef_writer_put_records(vef_writer *writer, vef_error *error) {
    bool any = false;
    for (uint32_t i = 0; i < writer->tasks; i++)
        any |= writer->task[i].is_slice && writer->task[i].record != writer->task[i].end;
    if (!any)
        return VEF_OK;
    uint8_t *bytes = vef_malloc(writer->tasks), *to = bytes;
    for (uint32_t i = 0; i < writer->tasks; i++) {
        const vef_writer_task *task = &writer->task[i];
        to = vef_put_varint(to, task->is_slice ? task->record : task->end);
    }
    return vef_writer_put_block(writer, VEF_BLOCK_RECORDS, bytes, to, error);
}
