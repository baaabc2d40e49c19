/* Handing out the events of one task, a block at a time. What comes out has been checked against
 * the header: tasks, communicators and requests that there are. See trace.h. */
#include "traces/codec.h"
#include "traces/footer.h"
#include "traces/trace_file.h"

#include <stdlib.h>

struct vef_stream {
    vef_trace *trace;
    uint32_t task;
    uint64_t next_place, end_place; /* numbers of blocks in the index */
    uint64_t events, requests;      /* in the blocks so far */
    uint64_t handed_out;
    uint32_t sequence;
    uint8_t *raw;
    vef_decoder decoder;
};

vef_code vef_stream_open(vef_trace *trace, uint32_t task, uint32_t thread, vef_stream **stream,
                         vef_error *error) {
    *stream = NULL;
    if (task >= trace->header.tasks)
        return vef_fail(error, VEF_INVALID, "%s: there is no task %u; it has tasks 0 to %u",
                        trace->path, task, trace->header.tasks - 1);
    if (thread >= trace->task[task].threads)
        return vef_fail(error, VEF_INVALID, "%s: task %u has no thread %u; it has %u", trace->path,
                        task, thread, trace->task[task].threads);
    vef_stream *opened = calloc(1, sizeof *opened);
    if (!opened)
        return vef_fail_memory(error, "a stream of events", sizeof *opened);
    opened->trace = trace;
    opened->task = task;
    opened->next_place = trace->first_place[task];
    opened->end_place = trace->first_place[task + 1];
    *stream = opened;
    return VEF_OK;
}

void vef_stream_close(vef_stream *stream) {
    if (!stream)
        return;
    vef_decoder_free(&stream->decoder);
    free(stream->raw);
    free(stream);
}

static vef_code find_place(const vef_stream *stream, vef_block_place *place, vef_error *error) {
    const vef_trace *trace = stream->trace;
    if (trace->places) {
        *place = trace->places[stream->next_place];
        return VEF_OK;
    }
    uint8_t entry[VEF_INDEX_ENTRY_BYTES];
    vef_code code =
        vef_read_at(trace->file, entry, sizeof entry,
                    trace->index_offset + stream->next_place * VEF_INDEX_ENTRY_BYTES, error);
    *place = (vef_block_place){vef_get_u64(entry), vef_get_u32(entry + 8), vef_get_u32(entry + 12)};
    return code;
}

static vef_code load(vef_stream *stream, vef_error *error) {
    vef_trace *trace = stream->trace;
    vef_block_place place;
    vef_block block;
    free(stream->raw);
    stream->raw = NULL;
    vef_code code = find_place(stream, &place, error);
    if (code)
        return code;
    if (place.size < VEF_BLOCK_HEADER_BYTES || place.offset > trace->size ||
        place.size > trace->size - place.offset)
        return vef_fail(error, VEF_CORRUPT, "a block lies outside the file");
    uint8_t *bytes = malloc(place.size);
    if (!bytes)
        return vef_fail_memory(error, "a block", place.size);
    code = vef_read_at(trace->file, bytes, place.size, place.offset, error);
    if (!code &&
        (!vef_block_unpack(bytes, &block) || block.kind != VEF_BLOCK_EVENTS ||
         block.stored_bytes != place.size - VEF_BLOCK_HEADER_BYTES || block.task != stream->task ||
         block.sequence != stream->sequence || block.events != place.events ||
         block.first_event != stream->events || block.first_request != stream->requests))
        code = vef_fail(error, VEF_CORRUPT, "the block at byte %llu is not the one expected",
                        (unsigned long long)place.offset);
    if (!code)
        code = vef_block_body(&block, bytes + VEF_BLOCK_HEADER_BYTES, &stream->raw, error);
    free(bytes);
    if (code)
        return code;
    stream->next_place++;
    stream->sequence++;
    stream->events += block.events;
    stream->requests += block.requests;
    vef_decoder_restart(&stream->decoder, stream->raw, block.column_bytes, block.events,
                        block.first_request);
    return VEF_OK;
}

static bool operations_fit(const vef_stream *stream, const vef_event *event) {
    const vef_trace_header *header = &stream->trace->header;
    for (uint32_t i = 0; i < event->operation_count; i++) {
        const vef_operation *operation = &event->operations[i];
        if (operation->peer < VEF_NO_TASK || operation->peer >= (int32_t)header->tasks ||
            operation->comm >= header->communicator_count)
            return false;
        if (operation->request != VEF_NO_REQUEST && operation->request >= stream->requests)
            return false;
    }
    for (uint32_t i = 0; i < event->completion_count; i++)
        if (event->completions[i].request >= stream->requests)
            return false;
    return true;
}

static bool group_fits(const vef_stream *stream, const vef_event *event) {
    const vef_trace_header *header = &stream->trace->header;
    vef_kind kind = vef_call_kind(event->call);
    if (kind != VEF_KIND_COLLECTIVE && kind != VEF_KIND_COMM)
        return true;
    if (event->comm >= header->communicator_count)
        return false;
    if (kind == VEF_KIND_COMM)
        return event->new_comm == VEF_NO_COMM || event->new_comm < header->communicator_count;
    const vef_communicator *comm = &header->communicators[event->comm];
    uint32_t other = comm->remote_size ? comm->remote_size : comm->size;
    if (event->root < -1 || event->root >= (int32_t)(comm->size > other ? comm->size : other))
        return false;
    return (event->send_count == 0 || event->send_count == comm->size ||
            event->send_count == other) &&
           (event->receive_count == 0 || event->receive_count == comm->size ||
            event->receive_count == other);
}

vef_code vef_stream_next(vef_stream *stream, const vef_event **event, vef_error *error) {
    vef_code code = vef_decode(&stream->decoder, event, error);
    while (!code && !*event && stream->next_place < stream->end_place) {
        code = load(stream, error);
        if (!code)
            code = vef_decode(&stream->decoder, event, error);
    }
    if (!code && *event && (!operations_fit(stream, *event) || !group_fits(stream, *event)))
        code =
            vef_fail(error, VEF_CORRUPT,
                     "%s names a task, communicator, root or request that the trace does not have",
                     vef_call_name((*event)->call));
    if (!code && !*event && stream->handed_out != stream->trace->task[stream->task].events)
        code = vef_fail(error, VEF_CORRUPT, "its stream ends early: the header states %llu events",
                        (unsigned long long)stream->trace->task[stream->task].events);
    if (code) {
        *event = NULL;
        return vef_fail_within(error, "%s: task %u, event %llu", stream->trace->path, stream->task,
                               (unsigned long long)stream->handed_out);
    }
    if (*event)
        stream->handed_out++;
    return VEF_OK;
}
