/* Writing traces. See writer.h; the bytes are in FORMAT.md. */
#include "traces/writer.h"
#include "common/file.h"
#include "traces/block.h"
#include "traces/codec.h"
#include "traces/communicator.h"
#include "traces/footer.h"
#include "traces/preamble.h"
#include "traces/split.h"

#include <assert.h>
#include <stdlib.h>

/* A piece of a stream in the file. */
typedef struct place {
    uint64_t offset;
    uint32_t task, thread;
    uint32_t number; /* in its block */
} place;

typedef struct stream {
    vef_encoder *encoder; /* NULL before the first event and after the end */
    uint64_t events, requests;
    uint32_t pieces;
} stream;

typedef struct task_state {
    stream *streams; /* by thread */
    uint32_t threads;
    vef_log_end end;
    uint64_t skipped;
} task_state;

/* The ends of streams, which are short: they share blocks. */
typedef struct pool {
    vef_piece *pieces;
    size_t count, capacity;
    uint8_t *column[VEF_COLUMNS];
    size_t used[VEF_COLUMNS], room[VEF_COLUMNS], bytes;
} pool;

struct vef_writer {
    vef_output output;
    uint64_t offset;
    uint32_t tasks, gap_unit;
    task_state *task;
    uint64_t *not_recorded, *not_recorded_ns;
    vef_left_out left_out;
    vef_measured *measured; /* per task; NULL: nothing was told */
    uint64_t events, messages, message_bytes;
    pool pool;
    place *places; /* in file order */
    size_t place_count, place_capacity;
    uint8_t *packed; /* a compressed body */
    size_t packed_capacity;
};

/* Bytes of one body, which need not lie together. */
typedef struct part {
    const uint8_t *bytes;
    size_t size;
    int level; /* of compression */
} part;

/* A trace is written once and read often, so payloads get all that zlib can. Classes of times and
 * the bits behind them do not: they get no shorter than with level 6, which takes a third of the
 * time there (bench/codec.c). */
enum { COMPRESSION_LEVEL = 9, TIMES_LEVEL = 6 };

static vef_code put(vef_writer *writer, const void *bytes, size_t size, vef_error *error) {
    writer->offset += size;
    return vef_output_write(&writer->output, bytes, size, error);
}

/* Compresses the parts one after another into writer->packed, each with codes of its own. */
static vef_code pack(vef_writer *writer, vef_block *block, const part *parts, size_t count,
                     vef_error *error) {
    uLong raw = block->raw_bytes;
    size_t bound = compressBound(raw) + 64;
    if (bound > writer->packed_capacity) {
        uint8_t *grown = realloc(writer->packed, bound);
        if (!grown)
            return vef_fail_memory(error, "a block", bound);
        writer->packed = grown;
        writer->packed_capacity = bound;
    }
    z_stream zip = {.next_out = writer->packed, .avail_out = (uInt)bound};
    if (deflateInit2(&zip, parts[0].level, Z_DEFLATED, -MAX_WBITS, MAX_MEM_LEVEL,
                     Z_DEFAULT_STRATEGY) != Z_OK)
        return vef_fail_memory(error, "compression", 1 << 18);
    int state = Z_OK;
    for (size_t i = 0; i < count && state == Z_OK; i++) {
        if (i > 0 && parts[i].level != parts[i - 1].level)
            deflateParams(&zip, parts[i].level, Z_DEFAULT_STRATEGY);
        zip.next_in = (Bytef *)(uintptr_t)parts[i].bytes;
        zip.avail_in = (uInt)parts[i].size;
        state = deflate(&zip, i + 1 < count ? Z_BLOCK : Z_FINISH);
        if (state == Z_BUF_ERROR) /* an empty part: nothing to do */
            state = Z_OK;
    }
    block->stored_bytes = (uint32_t)zip.total_out;
    deflateEnd(&zip);
    if (state != Z_STREAM_END)
        return vef_fail(error, VEF_NO_MEMORY, "zlib could not compress a block");
    if (block->stored_bytes < raw || block->method == VEF_METHOD_SPLIT)
        return VEF_OK;
    block->method = VEF_METHOD_STORED; /* small or random: as it is */
    block->stored_bytes = 0;
    for (size_t i = 0; i < count; i++) {
        if (parts[i].size)
            memcpy(writer->packed + block->stored_bytes, parts[i].bytes, parts[i].size);
        block->stored_bytes += (uint32_t)parts[i].size;
    }
    return VEF_OK;
}

static vef_code put_block(vef_writer *writer, uint8_t kind, uint8_t method, const part *parts,
                          size_t count, vef_error *error) {
    uint8_t header[VEF_BLOCK_HEADER_BYTES];
    vef_block block = {.kind = kind, .method = method};
    uint64_t raw = 0;
    for (size_t i = 0; i < count; i++)
        raw += parts[i].size;
    if (raw > VEF_BLOCK_BODY_LIMIT)
        return vef_fail(error, VEF_UNSUPPORTED,
                        "a block of %llu bytes: more communicators, tasks or events, or an event "
                        "with longer lists, than a trace can hold",
                        (unsigned long long)raw);
    block.raw_bytes = (uint32_t)raw;
    vef_code code = pack(writer, &block, parts, count, error);
    if (code)
        return code;
    block.checksum = (uint32_t)crc32(0, writer->packed, block.stored_bytes);
    vef_block_pack(&block, header);
    code = put(writer, header, sizeof header, error);
    return code ? code : put(writer, writer->packed, block.stored_bytes, error);
}

static vef_code put_communicators(vef_writer *writer, const vef_trace_header *header,
                                  vef_error *error) {
    size_t bound = VEF_VARINT_BYTES;
    for (uint32_t i = 0; i < header->communicator_count; i++)
        bound += vef_communicator_bound(&header->communicators[i], VEF_LISTS_OF_ALL);
    uint8_t *bytes = malloc(bound), *to = bytes;
    if (!bytes)
        return vef_fail_memory(error, "communicators", bound);
    to = vef_put_varint(to, header->communicator_count);
    for (uint32_t i = 0; i < header->communicator_count; i++)
        to = vef_communicator_put(to, &header->communicators[i], VEF_LISTS_OF_ALL);
    part body = {bytes, (size_t)(to - bytes), COMPRESSION_LEVEL};
    vef_code code = put_block(writer, VEF_BLOCK_COMMUNICATORS, VEF_METHOD_ZLIB, &body, 1, error);
    free(bytes);
    return code;
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
        return vef_fail(error, VEF_UNSUPPORTED, "%s: %u tasks; a trace holds at most %d", path,
                        header->tasks, VEF_TASK_LIMIT);
    vef_writer *writer = calloc(1, sizeof *writer);
    if (!writer)
        return vef_fail_memory(error, "a trace", sizeof *writer);
    writer->tasks = header->tasks;
    writer->task = calloc(header->tasks ? header->tasks : 1, sizeof *writer->task);
    writer->not_recorded = calloc(vef_call_count(), sizeof *writer->not_recorded);
    writer->not_recorded_ns = calloc(vef_call_count(), sizeof *writer->not_recorded_ns);
    writer->left_out.calls = calloc(vef_call_count(), sizeof *writer->left_out.calls);
    writer->left_out.ns = calloc(vef_call_count(), sizeof *writer->left_out.ns);
    writer->gap_unit = header->times ? vef_gap_unit(header->times) : 1;
    vef_code code = VEF_OK;
    if (!writer->task || !writer->not_recorded || !writer->not_recorded_ns ||
        !writer->left_out.calls || !writer->left_out.ns)
        code = vef_fail_memory(error, "a trace", header->tasks * sizeof *writer->task);
    if (!code)
        code = vef_output_open(&writer->output, path, error);
    if (code) {
        free_tables(writer);
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

vef_code vef_writer_under_way(vef_writer *writer, const vef_under_way *list, size_t count,
                              vef_error *error) {
    char line[VEF_UNDER_WAY_BYTES];
    size_t bytes = 0;
    if (count == 0)
        return VEF_OK;
    for (size_t i = 0; i < count; i++) {
        vef_under_way_put(&list[i], line);
        bytes += strlen(line) + 1;
    }
    char *text = malloc(bytes + 1), *to = text;
    if (!text)
        return vef_fail_memory(error, "the calls under way", bytes);
    for (size_t i = 0; i < count; i++) {
        vef_under_way_put(&list[i], line);
        to = stpcpy(stpcpy(to, line), "\n");
    }
    part body = {(uint8_t *)text, bytes, COMPRESSION_LEVEL};
    vef_code code = put_block(writer, VEF_BLOCK_UNDER_WAY, VEF_METHOD_ZLIB, &body, 1, error);
    free(text);
    return code;
}

static vef_code note_places(vef_writer *writer, const vef_piece *pieces, uint32_t count,
                            uint64_t offset, vef_error *error) {
    if (writer->place_count + count > writer->place_capacity) {
        size_t wanted = 2 * writer->place_capacity + count + 64;
        place *grown = realloc(writer->places, wanted * sizeof *grown);
        if (!grown)
            return vef_fail_memory(error, "the index", wanted * sizeof *grown);
        writer->places = grown;
        writer->place_capacity = wanted;
    }
    for (uint32_t i = 0; i < count; i++) {
        writer->places[writer->place_count++] =
            (place){offset, pieces[i].task, pieces[i].thread, i};
        writer->task[pieces[i].task].streams[pieces[i].thread].pieces++;
    }
    return VEF_OK;
}

/* A block of pieces, whose columns are given. */
static vef_code put_pieces(vef_writer *writer, const vef_piece *pieces, uint32_t count,
                           uint8_t *const *column, const size_t *bytes, vef_error *error) {
    vef_split split;
    vef_code code = vef_split_make(&split, pieces, count, column, error);
    if (code)
        return code;
    uint64_t offset = writer->offset;
    uint8_t *directory = malloc(vef_pieces_bound(count));
    if (directory) {
        uint8_t *end = vef_pieces_put(directory, split.pieces, count);
        part parts[2 + VEF_COLUMNS] = {{directory, (size_t)(end - directory), COMPRESSION_LEVEL}};
        for (unsigned c = 0; c < VEF_COLUMNS; c++)
            parts[1 + c] = split.classes[c]
                               ? (part){split.classes[c], split.class_bytes[c], TIMES_LEVEL}
                               : (part){column[c], bytes[c], COMPRESSION_LEVEL};
        parts[1 + VEF_COLUMNS] = (part){split.bits, split.bit_bytes, TIMES_LEVEL};
        code = put_block(writer, VEF_BLOCK_EVENTS, VEF_METHOD_SPLIT, parts, 2 + VEF_COLUMNS, error);
    } else {
        code = vef_fail_memory(error, "a block", vef_pieces_bound(count));
    }
    free(directory);
    vef_split_free(&split);
    return code ? code : note_places(writer, pieces, count, offset, error);
}

static vef_code put_pool(vef_writer *writer, vef_error *error) {
    pool *shared = &writer->pool;
    if (shared->count == 0)
        return VEF_OK;
    vef_code code = put_pieces(writer, shared->pieces, (uint32_t)shared->count, shared->column,
                               shared->used, error);
    shared->count = shared->bytes = 0;
    memset(shared->used, 0, sizeof shared->used);
    return code;
}

static vef_code grow(void **list, size_t *capacity, size_t wanted, size_t size, vef_error *error) {
    if (wanted <= *capacity)
        return VEF_OK;
    void *grown = realloc(*list, 2 * wanted * size);
    if (!grown)
        return vef_fail_memory(error, "a block", 2 * wanted * size);
    *list = grown;
    *capacity = 2 * wanted;
    return VEF_OK;
}

/* The end of a stream joins those before it, as far as a block goes. */
static vef_code add_to_pool(vef_writer *writer, const vef_piece *piece, const vef_encoder *from,
                            vef_error *error) {
    pool *shared = &writer->pool;
    uint64_t bytes = vef_piece_bytes(piece);
    vef_code code = VEF_OK;
    if (shared->bytes + bytes > VEF_BLOCK_RAW_BYTES)
        code = put_pool(writer, error);
    if (!code)
        code = grow((void **)&shared->pieces, &shared->capacity, shared->count + 1,
                    sizeof *shared->pieces, error);
    for (unsigned i = 0; i < VEF_COLUMNS && !code; i++)
        code = grow((void **)&shared->column[i], &shared->room[i],
                    shared->used[i] + piece->column_bytes[i] + 1, 1, error);
    if (code)
        return code;
    for (unsigned i = 0; i < VEF_COLUMNS; i++) {
        memcpy(shared->column[i] + shared->used[i], from->column[i], piece->column_bytes[i]);
        shared->used[i] += piece->column_bytes[i];
    }
    shared->pieces[shared->count++] = *piece;
    shared->bytes += bytes;
    return VEF_OK;
}

/* Writes what a stream holds: alone when that is a whole block. */
static vef_code flush(vef_writer *writer, uint32_t task, uint32_t thread, vef_error *error) {
    vef_encoder *encoder = writer->task[task].streams[thread].encoder;
    if (!encoder || encoder->events == 0)
        return VEF_OK;
    vef_piece piece = vef_encoder_piece(encoder, task, thread);
    vef_code code;
    if (vef_encoder_full(encoder))
        code = put_pieces(writer, &piece, 1, encoder->column, encoder->used, error);
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

static vef_code stream_of(vef_writer *writer, uint32_t number, uint32_t thread, stream **found,
                          vef_error *error) {
    task_state *task = &writer->task[number];
    if (thread >= VEF_THREAD_LIMIT)
        return vef_fail(error, VEF_UNSUPPORTED,
                        "task %u has a thread %u; a trace holds those with numbers below %d",
                        number, thread, VEF_THREAD_LIMIT);
    if (thread >= task->threads) {
        stream *grown = realloc(task->streams, (thread + 1ull) * sizeof *grown);
        if (!grown)
            return vef_fail_memory(error, "threads", (thread + 1ull) * sizeof *grown);
        memset(grown + task->threads, 0, (thread + 1ull - task->threads) * sizeof *grown);
        task->streams = grown;
        task->threads = thread + 1;
    }
    *found = &task->streams[thread];
    if ((*found)->encoder)
        return VEF_OK;
    assert((*found)->events == 0); /* not after its end */
    vef_encoder *encoder = malloc(sizeof *encoder);
    if (!encoder)
        return vef_fail_memory(error, "a block of events", sizeof *encoder);
    vef_code code = vef_encoder_init(encoder, error);
    if (code) {
        free(encoder);
        return code;
    }
    encoder->gap_unit = writer->gap_unit;
    (*found)->encoder = encoder;
    return VEF_OK;
}

vef_code vef_writer_event(vef_writer *writer, uint32_t task, const vef_event *event,
                          vef_error *error) {
    stream *to = NULL;
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

static void drop_encoders(task_state *task) {
    for (uint32_t i = 0; i < task->threads; i++) {
        if (task->streams[i].encoder)
            vef_encoder_free(task->streams[i].encoder);
        free(task->streams[i].encoder);
        task->streams[i].encoder = NULL;
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
    drop_encoders(&writer->task[task]);
    return code;
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

vef_code vef_writer_measured(vef_writer *writer, uint32_t task, const vef_measured *measured,
                             vef_error *error) {
    static const vef_measured nothing;
    if (memcmp(measured, &nothing, sizeof nothing) == 0)
        return VEF_OK;
    if (!writer->measured)
        writer->measured = calloc(writer->tasks, sizeof *writer->measured);
    if (!writer->measured)
        return vef_fail_memory(error, "the tasks", writer->tasks * sizeof *writer->measured);
    writer->measured[task] = *measured;
    return VEF_OK;
}

uint64_t vef_writer_events(const vef_writer *writer) {
    return writer->events;
}

static uint8_t *put_counts(const vef_writer *writer, uint8_t *to) {
    uint64_t count = 0;
    for (size_t call = 0; call < vef_call_count(); call++)
        count += writer->not_recorded[call] != 0;
    to = vef_put_varint(to, count);
    for (size_t call = 0; call < vef_call_count(); call++) {
        if (writer->not_recorded[call] == 0)
            continue;
        to = vef_put_varint(to, call);
        to = vef_put_varint(to, writer->not_recorded[call]);
        to = vef_put_varint(to, writer->not_recorded_ns[call]);
    }
    return to;
}

/* A task without events has a stream too, an empty one. */
static uint32_t threads_of(const task_state *task) {
    return task->threads ? task->threads : 1;
}
static const stream *stream_at(const task_state *task, uint32_t thread) {
    static const stream empty = {0};
    return thread < task->threads ? &task->streams[thread] : &empty;
}

/* The streams of all tasks, one after another. */
static uint64_t count_streams(const vef_writer *writer) {
    uint64_t count = 0;
    for (uint32_t i = 0; i < writer->tasks; i++)
        count += threads_of(&writer->task[i]);
    return count;
}
static void list_streams(const vef_writer *writer, const stream **all) {
    for (uint32_t i = 0; i < writer->tasks; i++)
        for (uint32_t k = 0; k < threads_of(&writer->task[i]); k++)
            *all++ = stream_at(&writer->task[i], k);
}

static uint8_t *put_tasks(const vef_writer *writer, const stream *const *all, uint64_t streams,
                          uint8_t *to) {
    for (uint32_t i = 0; i < writer->tasks; i++)
        to = vef_put_varint(to, writer->task[i].end);
    for (uint32_t i = 0; i < writer->tasks; i++)
        to = vef_put_varint(to, writer->task[i].skipped);
    for (uint32_t i = 0; i < writer->tasks; i++)
        to = vef_put_varint(to, threads_of(&writer->task[i]));
    for (uint64_t i = 0; i < streams; i++)
        to = vef_put_varint(to, all[i]->events);
    for (uint64_t i = 0; i < streams; i++)
        to = vef_put_varint(to, all[i]->requests);
    for (uint64_t i = 0; i < streams; i++)
        to = vef_put_varint(to, all[i]->pieces);
    return to;
}

/* By stream; those of one are in their order already. */
static vef_code sort_places(const vef_writer *writer, const stream *const *all, place *sorted,
                            vef_error *error) {
    uint64_t *first_stream = malloc((writer->tasks + 1ull) * sizeof *first_stream);
    uint64_t *next = malloc((count_streams(writer) + 1) * sizeof *next);
    uint64_t streams = 0, places = 0;
    vef_code code = VEF_OK;
    if (!first_stream || !next)
        code = vef_fail_memory(error, "the index", writer->place_count * sizeof *sorted);
    for (uint32_t i = 0; i < writer->tasks && !code; i++) {
        first_stream[i] = streams;
        for (uint32_t k = 0; k < threads_of(&writer->task[i]); k++) {
            next[streams] = places;
            places += all[streams++]->pieces;
        }
    }
    for (size_t i = 0; i < writer->place_count && !code; i++) {
        const place *from = &writer->places[i];
        sorted[next[first_stream[from->task] + from->thread]++] = *from;
    }
    free(next);
    free(first_stream);
    return code;
}

static uint8_t *put_places(const place *sorted, size_t count, uint8_t *to) {
    uint64_t before = 0;
    for (size_t i = 0; i < count; i++) {
        to = vef_put_signed(to, (int64_t)(sorted[i].offset - before));
        before = sorted[i].offset;
    }
    for (size_t i = 0; i < count; i++)
        to = vef_put_varint(to, sorted[i].number);
    return to;
}

static vef_code put_summary(vef_writer *writer, vef_error *error) {
    uint64_t streams = count_streams(writer);
    size_t bound = VEF_VARINT_BYTES * (3 + 3 * (size_t)writer->tasks + 3 * streams +
                                       3 * vef_call_count() + 2 * writer->place_count);
    uint8_t *bytes = malloc(bound), *to = bytes;
    const stream **all = malloc((streams + 1) * sizeof *all);
    place *sorted = malloc((writer->place_count + 1) * sizeof *sorted);
    vef_code code = VEF_OK;
    if (!bytes || !all || !sorted)
        code = vef_fail_memory(error, "the summary", bound);
    if (!code) {
        list_streams(writer, all);
        code = sort_places(writer, all, sorted, error);
    }
    if (!code) {
        to = vef_put_varint(to, writer->messages);
        to = vef_put_varint(to, writer->message_bytes);
        to = put_counts(writer, to);
        to = put_tasks(writer, all, streams, to);
        to = put_places(sorted, writer->place_count, to);
        part body = {bytes, (size_t)(to - bytes), COMPRESSION_LEVEL};
        code = put_block(writer, VEF_BLOCK_SUMMARY, VEF_METHOD_ZLIB, &body, 1, error);
    }
    free(sorted);
    free(all);
    free(bytes);
    return code;
}

/* Behind the summary; left out where it says nothing. */
static vef_code put_measured(vef_writer *writer, vef_error *error) {
    static const vef_measured unknown;
    size_t bound = VEF_MEASURED_BOUND * (size_t)writer->tasks + vef_left_out_bound();
    bool any = writer->measured != NULL;
    for (size_t call = 0; call < vef_call_count(); call++)
        any |= writer->left_out.calls[call] != 0;
    if (!any)
        return VEF_OK;
    uint8_t *bytes = malloc(bound), *to = bytes;
    if (!bytes)
        return vef_fail_memory(error, "how times were measured", bound);
    for (uint32_t i = 0; i < writer->tasks; i++)
        to = vef_measured_put(to, writer->measured ? &writer->measured[i] : &unknown);
    to = vef_left_out_put(to, writer->left_out.calls, writer->left_out.ns);
    part body = {bytes, (size_t)(to - bytes), COMPRESSION_LEVEL};
    vef_code code = put_block(writer, VEF_BLOCK_MEASURED, VEF_METHOD_ZLIB, &body, 1, error);
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
        code = flush_task(writer, i, error);
    if (!code)
        code = put_pool(writer, error);
    uint64_t summary = writer->offset;
    if (!code)
        code = put_summary(writer, error);
    if (!code)
        code = put_measured(writer, error);
    vef_footer_pack(footer, summary);
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
    for (uint32_t i = 0; i < writer->tasks; i++) {
        drop_encoders(&writer->task[i]);
        free(writer->task[i].streams);
    }
    for (unsigned i = 0; i < VEF_COLUMNS; i++)
        free(writer->pool.column[i]);
    free(writer->pool.pieces);
    free_tables(writer);
    free(writer->places);
    free(writer->packed);
    free(writer);
}
