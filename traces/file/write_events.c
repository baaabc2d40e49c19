/* Writing traces. See writer.h; the bytes are in FORMAT.md. */
#include "common/containers/grow.h"
#include "common/limits.h"
#include "common/memory.h"
#include "traces/file/footer.h"
#include "traces/file/writer.h"
#include "traces/file/writer_state.h"
#include "traces/format/communicator.h"
#include "traces/format/preamble.h"

#include <assert.h>
#include <stdlib.h>

static vef_code put_communicators(vef_writer *writer, const vef_trace_header *header,
                                  vef_error *error) {
    size_t bound = VEF_VARINT_BYTES;
    for (uint32_t i = 0; i < header->communicator_count; i++)
        bound += vef_communicator_bound(&header->communicators[i], VEF_LISTS_OF_ALL);
    uint8_t *bytes = vef_malloc(bound), *to = bytes;
    to = vef_put_varint(to, header->communicator_count);
    for (uint32_t i = 0; i < header->communicator_count; i++)
        to = vef_communicator_put(to, &header->communicators[i], VEF_LISTS_OF_ALL);
    return vef_writer_put_block(writer, VEF_BLOCK_COMMUNICATORS, bytes, to, error);
}

static vef_code put_sites(vef_writer *writer, const vef_trace_header *header, vef_error *error) {
    if (header->site_count == 0)
        return VEF_OK;
    uint8_t *bytes = vef_malloc(vef_sites_bound(header->sites, header->site_count));
    uint8_t *to = vef_sites_put(bytes, header->sites, header->site_count);
    return vef_writer_put_block(writer, VEF_BLOCK_SITES, bytes, to, error);
}

static const char *text(const char *value) {
    return value ? value : "";
}

static vef_code put_preamble(vef_writer *writer, const vef_trace_header *header, vef_error *error) {
    const vef_field fields[] = {
        {"tasks", NULL, header->tasks},
        {"application", text(header->application), 0},
        {"command", text(header->command), 0},
        {"exit_status", NULL, header->exit_status},
        {"library", text(header->library), 0},
        {"clock", text(header->clock), 0},
        {"options", text(header->options), 0},
        {"date", text(header->date), 0},
        {"times", header->times && *header->times ? header->times : "all", 0},
        {"sites", NULL, header->site_count}, /* only if it has some */
    };
    const size_t count = sizeof fields / sizeof *fields - !header->site_count;
    uint8_t *bytes = NULL;
    size_t size = 0;
    vef_code code =
        vef_preamble_make(vef_trace_magic, "vef trace", fields, count, &bytes, &size, error);
    if (!code)
        code = vef_writer_put(writer, bytes, size, error);
    free(bytes);
    return code;
}

static void free_tables(vef_writer *writer) {
    free(writer->task);
    free(writer->not_recorded);
    free(writer->not_recorded_ns);
    free(writer->left_out.calls);
    free(writer->left_out.ns);
    free(writer->measured);
}

vef_code vef_writer_open(const char *path, const vef_trace_header *header, vef_writer **opened,
                         vef_error *error) {
    *opened = NULL;
    if (header->tasks > VEF_TASK_LIMIT)
        return vef_fail(error, VEF_UNSUPPORTED, "%s: %u tasks: out of range: expected at most %d",
                        path, header->tasks, VEF_TASK_LIMIT);
    uint64_t members = 0;
    for (uint32_t i = 0; i < header->communicator_count; i++)
        members += header->communicators[i].size + (uint64_t)header->communicators[i].remote_size;
    if (vef_limit_check(VEF_LIMIT_TASKS, header->tasks, error) != VEF_OK ||
        vef_limit_check(VEF_LIMIT_MEMBERS, members, error) != VEF_OK)
        return vef_fail_within(error, "%s", path);
    vef_writer *writer = vef_calloc(1, sizeof *writer);
    writer->tasks = header->tasks;
    writer->task = vef_calloc(header->tasks ? header->tasks : 1, sizeof *writer->task);
    writer->not_recorded = vef_calloc(vef_call_count(), sizeof *writer->not_recorded);
    writer->not_recorded_ns = vef_calloc(vef_call_count(), sizeof *writer->not_recorded_ns);
    writer->left_out.calls = vef_calloc(vef_call_count(), sizeof *writer->left_out.calls);
    writer->left_out.ns = vef_calloc(vef_call_count(), sizeof *writer->left_out.ns);
    writer->gap_unit = header->times ? vef_gap_unit(header->times) : 1;
    writer->sites = header->site_count > 0;
    vef_code code = vef_output_open(&writer->output, path, error);
    if (code) {
        free_tables(writer);
        free(writer);
        return code;
    }
    code = put_preamble(writer, header, error);
    if (!code)
        code = put_communicators(writer, header, error);
    if (!code)
        code = put_sites(writer, header, error);
    if (code)
        vef_writer_discard(writer);
    else
        *opened = writer;
    return code;
}

vef_code vef_writer_under_way(vef_writer *writer, const vef_under_way *list, size_t count,
                              vef_error *error) {
    char line[VEF_UNDER_WAY_BYTES], *text = NULL;
    size_t bytes = 0, room = 0;
    if (count == 0)
        return VEF_OK;
    for (size_t i = 0; i < count; i++) {
        vef_under_way_put(&list[i], line);
        const size_t length = strlen(line);
        vef_grow(&text, &room, bytes + length + 1, 1);
        memcpy(text + bytes, line, length);
        bytes += length + 1;
        text[bytes - 1] = '\n';
    }
    return vef_writer_put_block(writer, VEF_BLOCK_UNDER_WAY, (uint8_t *)text,
                                (uint8_t *)text + bytes, error);
}

static vef_code put_pool(vef_writer *writer, vef_error *error) {
    vef_writer_pool *shared = &writer->pool;
    if (shared->count == 0)
        return VEF_OK;
    vef_code code = vef_writer_put_pieces(writer, shared->pieces, (uint32_t)shared->count,
                                          shared->column, shared->used, error);
    shared->count = shared->bytes = 0;
    memset(shared->used, 0, sizeof shared->used);
    return code;
}

/* Puts the end of a stream into the shared block, up to the size of a block. */
static vef_code add_to_pool(vef_writer *writer, const vef_piece *piece, const vef_encoder *from,
                            vef_error *error) {
    vef_writer_pool *shared = &writer->pool;
    uint64_t bytes = vef_piece_bytes(piece);
    vef_code code = VEF_OK;
    if (shared->bytes + bytes > VEF_BLOCK_RAW_BYTES)
        code = put_pool(writer, error);
    if (code)
        return code;
    vef_grow(&shared->pieces, &shared->capacity, shared->count + 1, sizeof *shared->pieces);
    for (unsigned i = 0; i < VEF_COLUMNS; i++) {
        vef_grow(&shared->column[i], &shared->room[i], shared->used[i] + piece->column_bytes[i] + 1,
                 1);
        memcpy(shared->column[i] + shared->used[i], from->column[i], piece->column_bytes[i]);
        shared->used[i] += piece->column_bytes[i];
    }
    shared->pieces[shared->count++] = *piece;
    shared->bytes += bytes;
    return VEF_OK;
}

/* Writes the data of a stream: alone if it fills a block. */
static vef_code flush(vef_writer *writer, uint32_t task, uint32_t thread, vef_error *error) {
    vef_encoder *encoder = writer->task[task].streams[thread].encoder;
    if (!encoder || encoder->events == 0)
        return VEF_OK;
    vef_piece piece = vef_encoder_piece(encoder, task, thread);
    vef_code code = vef_limit_check(VEF_LIMIT_EVENTS, writer->events, error);
    if (code)
        return code;
    if (vef_encoder_full(encoder))
        code = vef_writer_put_pieces(writer, &piece, 1, encoder->column, encoder->used, error);
    else
        code = add_to_pool(writer, &piece, encoder, error);
    vef_encoder_restart(encoder);
    return code;
}

static void count_messages(vef_writer *writer, const vef_event *event) {
    if (vef_call_kind(event->call) != VEF_KIND_TRANSFER)
        return;
    for (uint32_t i = 0; i < event->operation_count; i++) {
        const vef_operation *operation = &event->operations[i];
        if ((operation->flags & VEF_OP_SEND) && !(operation->flags & VEF_OP_CANCELLED) &&
            operation->peer != VEF_NO_TASK) {
            writer->messages++;
            writer->message_bytes += operation->bytes;
        }
    }
}

static vef_code stream_of(vef_writer *writer, uint32_t number, uint32_t thread,
                          vef_writer_stream **found, vef_error *error) {
    vef_writer_task *task = &writer->task[number];
    if (thread >= VEF_THREAD_LIMIT)
        return vef_fail(error, VEF_UNSUPPORTED,
                        "task %u: thread %u is out of range: expected less than %d", number, thread,
                        VEF_THREAD_LIMIT);
    if (thread >= task->threads) {
        writer->threads += thread + 1 - task->threads;
        const vef_code code = vef_limit_check(VEF_LIMIT_THREADS, writer->threads, error);
        if (code)
            return code;
        vef_writer_stream *grown = vef_realloc(task->streams, (thread + 1ull) * sizeof *grown);
        memset(grown + task->threads, 0, (thread + 1ull - task->threads) * sizeof *grown);
        task->streams = grown;
        task->threads = thread + 1;
    }
    *found = &task->streams[thread];
    if ((*found)->encoder)
        return VEF_OK;
    assert((*found)->events == 0); /* not after its end */
    vef_encoder *encoder = writer->spare;
    writer->spare = NULL;
    if (encoder) {
        vef_encoder_renew(encoder);
    } else {
        encoder = vef_malloc(sizeof *encoder);
        const vef_code code = vef_encoder_init(encoder, error);
        if (code) {
            free(encoder);
            return code;
        }
    }
    encoder->gap_unit = writer->gap_unit;
    encoder->coder.sites = writer->sites;
    (*found)->encoder = encoder;
    return VEF_OK;
}

vef_code vef_writer_event(vef_writer *writer, uint32_t task, const vef_event *event,
                          vef_error *error) {
    vef_writer_stream *to = NULL;
    vef_code code = stream_of(writer, task, event->thread, &to, error);
    if (!code)
        code = vef_encode(to->encoder, event, error);
    if (code)
        return code;
    to->events++;
    to->requests = to->encoder->coder.next_request;
    writer->events++;
    count_messages(writer, event);
    return vef_encoder_full(to->encoder) ? flush(writer, task, event->thread, error) : VEF_OK;
}

static void free_encoder(vef_encoder *encoder) {
    if (encoder)
        vef_encoder_free(encoder);
    free(encoder);
}

/* One is kept: with a million tasks written one after another, allocating and freeing the memory of
 * each took longer than everything else. */
static void drop_encoders(vef_writer *writer, vef_writer_task *task) {
    for (uint32_t i = 0; i < task->threads; i++) {
        vef_encoder *encoder = task->streams[i].encoder;
        task->streams[i].encoder = NULL;
        if (!writer->spare)
            writer->spare = encoder;
        else
            free_encoder(encoder);
    }
}

static vef_code flush_task(vef_writer *writer, uint32_t task, vef_error *error) {
    vef_code code = VEF_OK;
    for (uint32_t i = 0; i < writer->task[task].threads && !code; i++)
        code = flush(writer, task, i, error);
    return code;
}

vef_code vef_writer_end_task(vef_writer *writer, uint32_t task, vef_log_end end, vef_error *error) {
    vef_code code = flush_task(writer, task, error);
    writer->task[task].end = end;
    drop_encoders(writer, &writer->task[task]);
    return code;
}

void vef_writer_record(vef_writer *writer, uint32_t task, vef_log_end record) {
    writer->task[task].record = record;
    writer->task[task].is_slice = true;
}

void vef_writer_skipped(vef_writer *writer, uint32_t task, uint64_t events) {
    writer->task[task].skipped += events;
}

void vef_writer_not_recorded(vef_writer *writer, uint16_t call, uint64_t times,
                             uint64_t inside_ns) {
    if (call >= vef_call_count())
        return;
    writer->not_recorded[call] += times;
    writer->not_recorded_ns[call] += inside_ns;
}

void vef_writer_left_out(vef_writer *writer, uint16_t call, uint64_t times, uint64_t inside_ns) {
    if (call >= vef_call_count())
        return;
    writer->left_out.calls[call] += times;
    writer->left_out.ns[call] += inside_ns;
}

void vef_writer_counts(vef_writer *writer, const uint64_t *not_recorded, const uint64_t *ns,
                       const vef_left_out *left_out) {
    for (uint16_t call = 0; call < vef_call_count(); call++) {
        vef_writer_not_recorded(writer, call, not_recorded[call], ns[call]);
        vef_writer_left_out(writer, call, left_out->calls[call], left_out->ns[call]);
    }
}

void vef_writer_measured(vef_writer *writer, uint32_t task, const vef_measured *measured) {
    static const vef_measured nothing;
    if (memcmp(measured, &nothing, sizeof nothing) == 0)
        return;
    if (!writer->measured)
        writer->measured = vef_calloc(writer->tasks, sizeof *writer->measured);
    writer->measured[task] = *measured;
}

uint64_t vef_writer_events(const vef_writer *writer) {
    return writer->events;
}

void vef_writer_keep_existing(vef_writer *writer) {
    writer->output.keep_existing = true;
}

vef_code vef_writer_finish(vef_writer *writer, vef_error *error) {
    vef_code code = VEF_OK;
    uint8_t footer[VEF_FOOTER_BYTES];
    for (uint32_t i = 0; i < writer->tasks && !code; i++)
        code = flush_task(writer, i, error);
    if (!code)
        code = put_pool(writer, error);
    if (!code)
        code = vef_writer_settle(writer, error);
    uint64_t summary = writer->offset;
    if (!code)
        code = vef_writer_put_summary(writer, error);
    if (!code)
        code = vef_writer_put_measured(writer, error);
    if (!code)
        code = vef_writer_put_records(writer, error);
    vef_footer_pack(footer, summary);
    if (!code)
        code = vef_writer_put(writer, footer, sizeof footer, error);
    if (!code)
        code = vef_output_commit(&writer->output, error);
    vef_writer_discard(writer);
    return code;
}

void vef_writer_discard(vef_writer *writer) {
    if (!writer)
        return;
    vef_output_discard(&writer->output);
    for (uint32_t i = 0; i < writer->tasks; i++) {
        drop_encoders(writer, &writer->task[i]);
        free(writer->task[i].streams);
    }
    free_encoder(writer->spare);
    for (unsigned i = 0; i < VEF_COLUMNS; i++)
        free(writer->pool.column[i]);
    free(writer->pool.pieces);
    free_tables(writer);
    free(writer->places);
    vef_writer_free_blocks(writer);
    free(writer);
}
