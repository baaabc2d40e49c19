/* Decoding the events of one thread of a task, a piece at a time. Tasks, communicators and requests
 * of decoded events have been checked against the header. See trace.h. */
#include "common/memory.h"
#include "traces/fields.h"
#include "traces/file/trace_file.h"
#include "traces/format/repeat.h"

#include <stdlib.h>
#include <string.h>

struct vef_stream {
    vef_decoder decoder; /* its arrays have about 2 KiB, at most 40, until the end */
    uint64_t requests;   /* in the pieces so far */
    uint64_t handed_out;
    vef_trace *trace;
    const vef_stream_facts *facts;
    uint32_t task, thread;
    uint32_t next_piece;
    uint64_t events; /* in the pieces so far */
    /* The columns of the current piece, of so many bytes; or 0, and a whole body with them. */
    uint8_t *raw;
    size_t raw_bytes;
};

vef_code vef_trace_read_block(const vef_trace *trace, uint64_t offset, uint8_t kind,
                              vef_block *block, uint8_t **raw, vef_error *error) {
    vef_code code = vef_block_read_split(trace->file, trace->size, offset, block, raw, error);
    if (code || block->kind == kind)
        return code;
    free(*raw);
    *raw = NULL;
    return vef_fail(error, VEF_CORRUPT, "the block at byte %llu is of kind %u: expected %u",
                    (unsigned long long)offset, block->kind, kind);
}

vef_code vef_stream_open(vef_trace *trace, uint32_t task, uint32_t thread, vef_stream **stream,
                         vef_error *error) {
    *stream = NULL;
    if (task >= trace->header.tasks)
        return vef_fail(error, VEF_INVALID, "%s: task %u is out of range: expected 0 to %u",
                        trace->path, task, trace->header.tasks - 1);
    if (thread >= trace->header.task[task].threads)
        return vef_fail(error, VEF_INVALID,
                        "%s: task %u: thread %u is out of range: the task has %u", trace->path,
                        task, thread, trace->header.task[task].threads);
    vef_stream *opened = vef_store_take(trace->store, 1, sizeof *opened);
    opened->decoder.store = trace->store;
    opened->trace = trace;
    opened->task = task;
    opened->thread = thread;
    opened->facts = &trace->tail.streams[trace->tail.first_stream[task] + thread];
    *stream = opened;
    return VEF_OK;
}

void vef_stream_skip_durations(vef_stream *stream) {
    const vef_trace_header *header = &stream->trace->header;
    stream->decoder.without_durations = true;
    stream->decoder.without_polls = strcmp(header->clock, "wall") != 0;
}

void vef_stream_skip_ticks(vef_stream *stream) {
    stream->decoder.without_ticks = stream->trace->header.task[stream->task].threads == 1;
}

static void drop_columns(vef_stream *stream) {
    vef_store_put(stream->raw_bytes ? stream->trace->store : NULL, stream->raw, stream->raw_bytes,
                  1);
    stream->raw = NULL;
    stream->raw_bytes = 0;
}

static void drop_decoder(vef_stream *stream) {
    vef_decoder_free(&stream->decoder);
    drop_columns(stream);
}

void vef_stream_close(vef_stream *stream) {
    if (!stream)
        return;
    drop_decoder(stream);
    vef_store_put(stream->trace->store, stream, 1, sizeof *stream);
}

/* Copies the stream's columns, and the bits of its times, out of a block that many streams share.
 */
static void keep_columns(vef_stream *stream, const vef_piece *piece,
                         const uint8_t *column[VEF_COLUMNS], vef_time_bits *times) {
    const uint64_t first = times ? times->gap / 8 : 0;
    const uint64_t bit_bytes = times ? (times->end + 7) / 8 - first : 0;
    const uint64_t bytes = vef_piece_bytes(piece) + bit_bytes + VEF_TIME_BITS_SLACK;
    uint8_t *copied = vef_store_take(stream->trace->store, bytes, 1), *to = copied;
    for (unsigned i = 0; i < VEF_COLUMNS; i++) {
        memcpy(to, column[i], piece->column_bytes[i]);
        column[i] = to;
        to += piece->column_bytes[i];
    }
    if (times) {
        memcpy(to, times->bits + first, bit_bytes);
        *times = (vef_time_bits){to, 0, times->duration - 8 * first, times->end - 8 * first};
    }
    stream->raw = copied;
    stream->raw_bytes = bytes;
}

static vef_code begin_piece(vef_stream *stream, const vef_shared_block *block,
                            const vef_piece_place *place, vef_error *error) {
    const vef_piece *piece = place->number < block->count ? &block->pieces[place->number] : NULL;
    if (!piece || piece->task != stream->task || piece->thread != stream->thread ||
        piece->first_event != stream->events || piece->first_request != stream->requests ||
        piece->requests > stream->trace->header.task[stream->task].requests - stream->requests)
        return vef_fail(error, VEF_CORRUPT, "unexpected block at byte %llu",
                        (unsigned long long)place->offset);
    const uint8_t *column[VEF_COLUMNS];
    vef_time_bits times = {0};
    memcpy(column, block->column + (size_t)place->number * VEF_COLUMNS, sizeof column);
    if (block->times)
        times = block->times[place->number];
    if (block->count > 1)
        keep_columns(stream, piece, column, block->times ? &times : NULL);
    stream->next_piece++;
    stream->events += piece->events;
    stream->requests = piece->first_request + piece->requests;
    stream->decoder.sites = stream->trace->header.site_count > 0;
    vef_decoder_restart_split(&stream->decoder, piece, column, &times, stream->trace->gap_unit);
    return VEF_OK;
}

void vef_shared_block_release(vef_shared_block *shared) {
    free(shared->raw);
    free(shared->pieces);
    free(shared->column);
    free(shared->times);
    *shared = (vef_shared_block){0};
}

/* Reads the block at an offset into `shared`, which is empty. */
static vef_code read_shared(vef_trace *trace, uint64_t offset, vef_error *error) {
    vef_shared_block *shared = &trace->shared;
    vef_block block;
    const uint8_t *columns = NULL;
    size_t bit_bytes = 0;
    vef_code code =
        vef_trace_read_block(trace, offset, VEF_BLOCK_EVENTS, &block, &shared->raw, error);
    const bool split = !code && block.method == VEF_METHOD_SPLIT;
    if (!code)
        code = vef_pieces_get(shared->raw, block.raw_bytes, &shared->pieces, &shared->count,
                              &columns, split ? &bit_bytes : NULL, error);
    if (code)
        return code;
    const size_t bytes = (size_t)shared->count * VEF_COLUMNS * sizeof *shared->column;
    shared->column = vef_malloc(bytes);
    if (split)
        shared->times = vef_malloc(shared->count * sizeof *shared->times);
    vef_pieces_columns(shared->pieces, shared->count, columns, shared->column);
    return split ? vef_split_find(shared->pieces, shared->count, shared->column,
                                  shared->raw + block.raw_bytes - bit_bytes, bit_bytes,
                                  shared->times, error)
                 : VEF_OK;
}

/* The same unless the block is there already. */
static vef_code share(vef_trace *trace, uint64_t offset, vef_error *error) {
    vef_shared_block *shared = &trace->shared;
    if (shared->raw && shared->offset == offset)
        return VEF_OK;
    vef_shared_block_release(shared);
    vef_code code = read_shared(trace, offset, error);
    shared->offset = offset;
    if (code)
        vef_shared_block_release(shared);
    return code;
}

/* By one thread at a time. */
static vef_code load_shared(vef_stream *stream, vef_error *error) {
    vef_trace *trace = stream->trace;
    vef_shared_block *shared = &trace->shared;
    const vef_piece_place *place =
        &trace->tail.places[stream->facts->first_place + stream->next_piece];
    drop_columns(stream);
    vef_code code = share(trace, place->offset, error);
    if (code)
        return code;
    code = begin_piece(stream, shared, place, error);
    if (shared->count == 1) { /* the block has only this stream */
        stream->raw = shared->raw;
        shared->raw = NULL;
        vef_shared_block_release(shared);
    }
    return code;
}

static vef_code load(vef_stream *stream, vef_error *error) {
    pthread_mutex_lock(&stream->trace->lock);
    const vef_code code = load_shared(stream, error);
    pthread_mutex_unlock(&stream->trace->lock);
    return code;
}

/* ---- what an event may have ---- */

static vef_code check_task(const vef_trace_header *header, int32_t task, vef_error *error) {
    if (task >= VEF_NO_TASK && task < (int64_t)header->tasks)
        return VEF_OK;
    return vef_fail(error, VEF_CORRUPT, "task %d is out of range: expected 0 to %u", task,
                    header->tasks - 1);
}

static vef_code check_comm(const vef_trace_header *header, uint32_t comm, vef_error *error) {
    return comm < header->communicator_count
               ? VEF_OK
               : vef_fail(error, VEF_CORRUPT, "communicator %u is out of range", comm);
}

static vef_code check_request(uint64_t requests, uint64_t request, vef_error *error) {
    return request < requests ? VEF_OK
                              : vef_fail(error, VEF_CORRUPT, "request %llu is out of range",
                                         (unsigned long long)request);
}

/* Lengths of the lists of collectives on neighbours are the topology's. */
static bool list_fits(const vef_communicator *comm, uint16_t call, uint32_t length) {
    const uint32_t other = comm->remote_size ? comm->remote_size : comm->size;
    const bool neighbours = comm->neighbours || comm->dimensions > 0;
    return length == 0 || length == comm->size || length == other ||
           (neighbours && vef_call_has(call, VEF_FACT_NEIGHBOURS));
}

static vef_code check_group(const vef_trace_header *header, const vef_event *event,
                            vef_error *error) {
    vef_code code = check_comm(header, event->comm, error);
    if (!code && event->new_comm != VEF_NO_COMM)
        code = check_comm(header, event->new_comm, error);
    for (uint32_t i = 0; !code && i < event->peer_count; i++)
        code = check_task(header, event->peers[i], error);
    if (code)
        return code;
    const vef_communicator *comm = &header->communicators[event->comm];
    const uint32_t ranks = comm->remote_size > comm->size ? comm->remote_size : comm->size;
    if (event->root < VEF_ROOT_HERE || event->root >= (int64_t)ranks)
        return vef_fail(error, VEF_CORRUPT,
                        "root %d is out of range: the communicator has %u ranks", event->root,
                        comm->size);
    if (!list_fits(comm, event->call, event->send_count) ||
        !list_fits(comm, event->call, event->receive_count))
        return vef_fail(error, VEF_CORRUPT, "sends and receives: expected one count per rank: %u",
                        comm->size);
    return VEF_OK;
}

vef_code vef_event_check(const vef_trace_header *header, uint64_t requests, const vef_event *event,
                         vef_error *error) {
    const vef_kind kind = vef_call_kind(event->call);
    vef_code code = VEF_OK;
    if (event->site > header->site_count)
        return vef_fail(error, VEF_CORRUPT, "call site %u is out of range: the trace has %u",
                        event->site, header->site_count);
    if ((kind == VEF_KIND_ONE_SIDED && event->operation_count != 1) ||
        (kind == VEF_KIND_TRANSFER && event->operation_count == 0 &&
         !vef_call_has(event->call, VEF_FACT_MAY_BE_EMPTY)))
        return vef_fail(error, VEF_CORRUPT, "it has %u operations", event->operation_count);
    for (uint32_t i = 0; !code && i < event->operation_count; i++) {
        const vef_operation *operation = &event->operations[i];
        code = check_task(header, operation->peer, error);
        if (!code)
            code = check_comm(header, operation->comm, error);
        if (!code && operation->request != VEF_NO_REQUEST)
            code = check_request(requests, operation->request, error);
    }
    for (uint32_t i = 0; !code && i < event->completion_count; i++)
        code = check_request(requests, event->completions[i].request, error);
    if (!code && vef_event_starts_request(event) && event->request != VEF_NO_REQUEST)
        code = check_request(requests, event->request, error);
    return !code && VEF_IN_GROUP >> kind & 1 ? check_group(header, event, error) : code;
}

/* The next event, if it is not a repetition. `code`: of decoding `*event`. */
static vef_code next_checked(vef_stream *stream, vef_code code, const vef_event **event,
                             vef_error *error) {
    while (!code && !*event && stream->next_piece < stream->facts->pieces) {
        code = load(stream, error);
        if (!code)
            code = vef_decode(&stream->decoder, event, error);
    }
    if (!code && *event) {
        code = vef_event_check(&stream->trace->header, stream->requests, *event, error);
        if (code)
            vef_fail_within(error, "%s", vef_call_name((*event)->call));
    }
    if (!code && !*event && stream->handed_out != stream->facts->events)
        code = vef_fail(error, VEF_CORRUPT, "its stream ends early: the summary states %llu events",
                        (unsigned long long)stream->facts->events);
    if (code) {
        *event = NULL;
        if (stream->thread > 0)
            return vef_fail_within(error, "%s: task %u, thread %u, event %llu", stream->trace->path,
                                   stream->task, stream->thread,
                                   (unsigned long long)stream->handed_out);
        return vef_fail_within(error, "%s: task %u, event %llu", stream->trace->path, stream->task,
                               (unsigned long long)stream->handed_out);
    }
    if (*event)
        stream->handed_out++;
    else
        drop_decoder(stream);
    return VEF_OK;
}

vef_code vef_stream_next(vef_stream *stream, const vef_event **event, vef_error *error) {
    vef_decoder *decoder = &stream->decoder;
    vef_code code;
    if (vef_decode_repeated(decoder, event)) {
        /* It has the tasks, communicators and root of an event that was checked; its requests are
         * below the request counter. */
        if (*event && decoder->coder.next_request <= stream->requests) {
            stream->handed_out++;
            return VEF_OK;
        }
        code = *event ? VEF_OK : vef_decode_fail(error);
    } else {
        code = vef_decode_new(decoder, event, error);
    }
    return next_checked(stream, code, event, error);
}

void vef_stream_prefetch(const vef_stream *stream, bool near) {
    vef_decoder_prefetch(&stream->decoder, near);
}
