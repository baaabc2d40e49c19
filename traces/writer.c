/* Writing traces. See writer.h; the bytes are in FORMAT.md. */
#include "traces/writer.h"
#include "common/file.h"
#include "traces/block.h"
#include "traces/codec.h"
#include "traces/communicator.h"
#include "traces/footer.h"
#include "traces/preamble.h"

#include <stdlib.h>

/* A block of events in the file. */
typedef struct place {
    uint64_t offset;
    uint32_t size, events, task;
} place;

typedef struct task_state {
    vef_encoder *encoder; /* NULL before the first event and after the end */
    uint64_t events, requests;
    uint32_t blocks;
    vef_log_end end;
} task_state;

struct vef_writer {
    vef_output output;
    uint64_t offset;
    uint32_t tasks;
    task_state *task;
    uint64_t *not_recorded;
    uint64_t events, messages, message_bytes;
    place *places; /* in file order */
    size_t place_count, place_capacity;
    uint8_t *packed; /* a compressed body */
    size_t packed_capacity;
};

/* Level 9: a trace is written once and read often. On blocks of this
 * size it takes no longer than level 6 (bench/codec.c). */
enum { COMPRESSION_LEVEL = 9 };

static vef_code put(vef_writer *writer, const void *bytes, size_t size, vef_error *error) {
    writer->offset += size;
    return vef_output_write(&writer->output, bytes, size, error);
}

/* Compresses the columns one after another into writer->packed. */
static vef_code pack(vef_writer *writer, vef_block *block, const uint8_t *const *columns,
                     vef_error *error) {
    uLong raw = (uLong)vef_block_raw_bytes(block);
    size_t bound = compressBound(raw) + 64;
    if (bound > writer->packed_capacity) {
        uint8_t *grown = realloc(writer->packed, bound);
        if (!grown)
            return vef_fail_memory(error, "a block", bound);
        writer->packed = grown;
        writer->packed_capacity = bound;
    }
    z_stream stream = {.next_out = writer->packed, .avail_out = (uInt)bound};
    if (deflateInit(&stream, COMPRESSION_LEVEL) != Z_OK)
        return vef_fail_memory(error, "compression", 1 << 18);
    int state = Z_OK;
    for (size_t i = 0; i < VEF_COLUMNS && state == Z_OK; i++) {
        stream.next_in = (Bytef *)(uintptr_t)columns[i];
        stream.avail_in = block->column_bytes[i];
        state = deflate(&stream, i + 1 < VEF_COLUMNS ? Z_NO_FLUSH : Z_FINISH);
        if (state == Z_BUF_ERROR) /* an empty column: nothing to do */
            state = Z_OK;
    }
    block->stored_bytes = (uint32_t)stream.total_out;
    deflateEnd(&stream);
    if (state != Z_STREAM_END)
        return vef_fail(error, VEF_NO_MEMORY, "zlib could not compress a block");
    block->method = VEF_METHOD_ZLIB;
    if (block->stored_bytes < raw)
        return VEF_OK;
    block->method = VEF_METHOD_STORED; /* small or random: as it is */
    block->stored_bytes = 0;
    for (size_t i = 0; i < VEF_COLUMNS; i++) {
        if (block->column_bytes[i])
            memcpy(writer->packed + block->stored_bytes, columns[i], block->column_bytes[i]);
        block->stored_bytes += block->column_bytes[i];
    }
    return VEF_OK;
}

static vef_code put_block(vef_writer *writer, vef_block *block, const uint8_t *const *columns,
                          vef_error *error) {
    uint8_t header[VEF_BLOCK_HEADER_BYTES];
    vef_code code = pack(writer, block, columns, error);
    if (code)
        return code;
    block->checksum = (uint32_t)crc32(0, writer->packed, block->stored_bytes);
    vef_block_pack(block, header);
    code = put(writer, header, sizeof header, error);
    return code ? code : put(writer, writer->packed, block->stored_bytes, error);
}

/* A block that is not of events, with one column. */
static vef_code put_plain(vef_writer *writer, uint8_t kind, uint32_t entries, const uint8_t *bytes,
                          size_t size, vef_error *error) {
    if (size > VEF_BLOCK_BODY_LIMIT)
        return vef_fail(error, VEF_UNSUPPORTED,
                        "more communicators or tasks than a trace can hold");
    vef_block block = {.kind = kind, .events = entries, .column_bytes = {(uint32_t)size}};
    return put_block(writer, &block, (const uint8_t *[]){bytes, NULL, NULL}, error);
}

static vef_code put_communicators(vef_writer *writer, const vef_trace_header *header,
                                  vef_error *error) {
    size_t bound = 16;
    for (uint32_t i = 0; i < header->communicator_count; i++)
        bound += vef_communicator_bound(&header->communicators[i], VEF_LISTS_OF_ALL);
    uint8_t *bytes = malloc(bound), *to = bytes;
    if (!bytes)
        return vef_fail_memory(error, "communicators", bound);
    for (uint32_t i = 0; i < header->communicator_count; i++)
        to = vef_communicator_put(to, &header->communicators[i], VEF_LISTS_OF_ALL);
    vef_code code = put_plain(writer, VEF_BLOCK_COMMUNICATORS, header->communicator_count, bytes,
                              (size_t)(to - bytes), error);
    free(bytes);
    return code;
}

static const char *text(const char *value) {
    return value ? value : "";
}

static vef_code put_preamble(vef_writer *writer, const vef_trace_header *header, vef_error *error) {
    const vef_field fields[] = {
        {"tasks", NULL, header->tasks},        {"application", text(header->application), 0},
        {"command", text(header->command), 0}, {"exit_status", NULL, header->exit_status},
        {"library", text(header->library), 0}, {"clock", text(header->clock), 0},
        {"options", text(header->options), 0}, {"date", text(header->date), 0},
    };
    uint8_t *bytes = NULL;
    size_t size = 0;
    vef_code code = vef_preamble_make(vef_trace_magic, "vef trace", fields,
                                      sizeof fields / sizeof *fields, &bytes, &size, error);
    if (!code)
        code = put(writer, bytes, size, error);
    free(bytes);
    return code;
}

vef_code vef_writer_open(const char *path, const vef_trace_header *header, vef_writer **opened,
                         vef_error *error) {
    *opened = NULL;
    vef_writer *writer = calloc(1, sizeof *writer);
    if (!writer)
        return vef_fail_memory(error, "a trace", sizeof *writer);
    writer->tasks = header->tasks;
    writer->task = calloc(header->tasks ? header->tasks : 1, sizeof *writer->task);
    writer->not_recorded = calloc(vef_call_count(), sizeof *writer->not_recorded);
    vef_code code = VEF_OK;
    if (!writer->task || !writer->not_recorded)
        code = vef_fail_memory(error, "a trace", header->tasks * sizeof *writer->task);
    if (!code)
        code = vef_output_open(&writer->output, path, error);
    if (code) {
        free(writer->task);
        free(writer->not_recorded);
        free(writer);
        return code;
    }
    code = put_preamble(writer, header, error);
    if (!code)
        code = put_communicators(writer, header, error);
    if (code)
        vef_writer_discard(writer);
    else
        *opened = writer;
    return code;
}

static vef_code flush(vef_writer *writer, uint32_t number, vef_error *error) {
    task_state *task = &writer->task[number];
    vef_encoder *encoder = task->encoder;
    if (!encoder || encoder->events == 0)
        return VEF_OK;
    if (writer->place_count == writer->place_capacity) {
        size_t wanted = 2 * writer->place_capacity + 64;
        place *grown = realloc(writer->places, wanted * sizeof *grown);
        if (!grown)
            return vef_fail_memory(error, "the index", wanted * sizeof *grown);
        writer->places = grown;
        writer->place_capacity = wanted;
    }
    vef_block block = {
        .kind = VEF_BLOCK_EVENTS,
        .task = number,
        .sequence = task->blocks,
        .first_event = encoder->first_event,
        .first_request = encoder->first_request,
        .events = encoder->events,
        .requests = (uint32_t)(encoder->coder.next_request - encoder->first_request),
    };
    for (size_t i = 0; i < VEF_COLUMNS; i++)
        block.column_bytes[i] = (uint32_t)encoder->used[i];
    uint64_t offset = writer->offset;
    vef_code code = put_block(writer, &block, (const uint8_t *const *)encoder->column, error);
    if (code)
        return code;
    writer->places[writer->place_count++] =
        (place){offset, (uint32_t)(writer->offset - offset), block.events, number};
    task->blocks++;
    vef_encoder_restart(encoder);
    return VEF_OK;
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

vef_code vef_writer_event(vef_writer *writer, uint32_t number, const vef_event *event,
                          vef_error *error) {
    task_state *task = &writer->task[number];
    if (!task->encoder) {
        task->encoder = malloc(sizeof *task->encoder);
        if (!task->encoder)
            return vef_fail_memory(error, "a block of events", sizeof *task->encoder);
        vef_code code = vef_encoder_init(task->encoder, error);
        if (code) {
            free(task->encoder);
            task->encoder = NULL;
            return code;
        }
    }
    vef_code code = vef_encode(task->encoder, event, error);
    if (code)
        return code;
    task->events++;
    task->requests = task->encoder->coder.next_request;
    writer->events++;
    count_messages(writer, event);
    return vef_encoder_full(task->encoder) ? flush(writer, number, error) : VEF_OK;
}

static void drop_encoder(task_state *task) {
    if (task->encoder)
        vef_encoder_free(task->encoder);
    free(task->encoder);
    task->encoder = NULL;
}

vef_code vef_writer_end_task(vef_writer *writer, uint32_t number, vef_log_end end,
                             vef_error *error) {
    vef_code code = flush(writer, number, error);
    writer->task[number].end = end;
    drop_encoder(&writer->task[number]);
    return code;
}

void vef_writer_not_recorded(vef_writer *writer, uint16_t call, uint64_t times,
                             uint64_t inside_ns) {
    (void)inside_ns;
    if (call < vef_call_count())
        writer->not_recorded[call] += times;
}

uint64_t vef_writer_events(const vef_writer *writer) {
    return writer->events;
}

static vef_code put_summary(vef_writer *writer, vef_error *error) {
    size_t bound =
        64 + 4 * VEF_VARINT_BYTES * (size_t)writer->tasks + 2 * VEF_VARINT_BYTES * vef_call_count();
    uint8_t *bytes = malloc(bound), *to = bytes;
    if (!bytes)
        return vef_fail_memory(error, "the summary", bound);
    to = vef_put_varint(to, writer->messages);
    to = vef_put_varint(to, writer->message_bytes);
    for (uint32_t i = 0; i < writer->tasks; i++) {
        to = vef_put_varint(to, writer->task[i].events);
        to = vef_put_varint(to, writer->task[i].requests);
        to = vef_put_varint(to, writer->task[i].end);
        to = vef_put_varint(to, writer->task[i].blocks);
    }
    for (size_t call = 0; call < vef_call_count(); call++) {
        if (writer->not_recorded[call] == 0)
            continue;
        to = vef_put_varint(to, call);
        to = vef_put_varint(to, writer->not_recorded[call]);
    }
    vef_code code =
        put_plain(writer, VEF_BLOCK_SUMMARY, writer->tasks, bytes, (size_t)(to - bytes), error);
    free(bytes);
    return code;
}

/* Entries stand task by task, those of a task in their order; stored, so that a reader can take
 * just those it needs. */
static vef_code put_index(vef_writer *writer, vef_error *error) {
    uint64_t size = writer->place_count * (uint64_t)VEF_INDEX_ENTRY_BYTES;
    if (size > VEF_BLOCK_BODY_LIMIT)
        return vef_fail(error, VEF_UNSUPPORTED, "more blocks than an index can hold");
    uint8_t *bytes = malloc(size + 1);
    uint64_t *next = calloc(writer->tasks + 1ull, sizeof *next);
    vef_code code = VEF_OK;
    if (!bytes || !next)
        code = vef_fail_memory(error, "the index", size);
    for (uint32_t i = 0; i < writer->tasks && !code; i++)
        next[i + 1] = next[i] + writer->task[i].blocks;
    for (size_t i = 0; i < writer->place_count && !code; i++) {
        const place *block = &writer->places[i];
        uint8_t *entry = bytes + VEF_INDEX_ENTRY_BYTES * next[block->task]++;
        vef_put_u64(entry, block->offset);
        vef_put_u32(entry + 8, block->size);
        vef_put_u32(entry + 12, block->events);
    }
    uint8_t header[VEF_BLOCK_HEADER_BYTES];
    if (!code) {
        vef_block block = {.kind = VEF_BLOCK_INDEX,
                           .method = VEF_METHOD_STORED,
                           .column_bytes = {(uint32_t)size},
                           .stored_bytes = (uint32_t)size,
                           .checksum = (uint32_t)crc32(0, bytes, (uInt)size)};
        vef_block_pack(&block, header);
        code = put(writer, header, sizeof header, error);
    }
    if (!code)
        code = put(writer, bytes, size, error);
    free(next);
    free(bytes);
    return code;
}

void vef_writer_keep_existing(vef_writer *writer) {
    writer->output.keep_existing = true;
}

vef_code vef_writer_finish(vef_writer *writer, vef_error *error) {
    vef_code code = VEF_OK;
    uint8_t footer[VEF_FOOTER_BYTES];
    for (uint32_t i = 0; i < writer->tasks && !code; i++)
        code = flush(writer, i, error);
    uint64_t summary = writer->offset;
    if (!code)
        code = put_summary(writer, error);
    uint64_t index = writer->offset;
    if (!code)
        code = put_index(writer, error);
    vef_footer_pack(footer, summary, index);
    if (!code)
        code = put(writer, footer, sizeof footer, error);
    if (!code)
        code = vef_output_commit(&writer->output, error);
    vef_writer_discard(writer);
    return code;
}

void vef_writer_discard(vef_writer *writer) {
    if (!writer)
        return;
    vef_output_discard(&writer->output);
    for (uint32_t i = 0; i < writer->tasks; i++)
        drop_encoder(&writer->task[i]);
    free(writer->task);
    free(writer->not_recorded);
    free(writer->places);
    free(writer->packed);
    free(writer);
}
