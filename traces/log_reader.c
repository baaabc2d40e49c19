/* Reading logs. Opening walks all blocks once, so that how far a log is whole is settled before the
 * first event is handed out and is the same in every pass. See log_reader.h. */
#include "traces/log_reader.h"
#include "traces/block.h"
#include "traces/codec.h"
#include "traces/communicator.h"
#include "traces/preamble.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

struct vef_log_reader {
    int file;
    char *path;
    vef_arena arena;
    vef_log_facts facts;
    vef_communicator *communicators;
    size_t communicator_capacity;
    uint64_t *counts;
    uint64_t first_block, whole_bytes, at;
    uint8_t *raw; /* the block under way */
    vef_decoder decoder;
};

static vef_code load(const vef_log_reader *reader, uint64_t at, uint64_t limit, vef_block *block,
                     uint8_t **raw, vef_error *error) {
    uint8_t bytes[VEF_BLOCK_HEADER_BYTES];
    *raw = NULL;
    vef_code code = vef_read_at(reader->file, bytes, sizeof bytes, at, error);
    if (code)
        return code;
    if (!vef_block_unpack(bytes, block) || block->stored_bytes > limit - at - sizeof bytes)
        return vef_fail(error, VEF_CORRUPT, "no whole block at byte %llu", (unsigned long long)at);
    uint8_t *stored = malloc(block->stored_bytes ? block->stored_bytes : 1);
    if (!stored)
        return vef_fail_memory(error, "a block", block->stored_bytes);
    code = vef_read_at(reader->file, stored, block->stored_bytes, at + sizeof bytes, error);
    if (!code)
        code = vef_block_body(block, stored, raw, error);
    free(stored);
    return code;
}

static vef_code take_communicators(vef_log_reader *reader, const vef_block *block,
                                   const uint8_t *raw, vef_error *error) {
    vef_cursor from = {raw, raw + vef_block_raw_bytes(block), false};
    for (uint32_t i = 0; i < block->events; i++) {
        uint32_t number = reader->facts.communicator_count;
        if (number == reader->communicator_capacity) {
            size_t wanted = 2 * reader->communicator_capacity + 8;
            vef_communicator *grown =
                realloc(reader->communicators, wanted * sizeof *reader->communicators);
            if (!grown)
                return vef_fail_memory(error, "communicators", wanted * sizeof *grown);
            reader->communicators = grown;
            reader->communicator_capacity = wanted;
        }
        vef_code code =
            vef_communicator_get(&from, number, reader->facts.header.tasks, VEF_LISTS_OF_ONE,
                                 &reader->arena, &reader->communicators[number], error);
        if (code)
            return code;
        reader->facts.communicator_count++;
    }
    reader->facts.communicators = reader->communicators;
    return VEF_OK;
}

static vef_code take_block(vef_log_reader *reader, const vef_block *block, const uint8_t *raw,
                           vef_error *error) {
    vef_log_facts *facts = &reader->facts;
    vef_cursor from = {raw, raw + vef_block_raw_bytes(block), false};
    if (block->task != facts->header.task)
        return vef_fail(error, VEF_CORRUPT, "a block of task %u", block->task);
    switch (block->kind) {
    case VEF_BLOCK_EVENTS:
        if (block->first_event != facts->events || block->first_request != facts->requests)
            return vef_fail(error, VEF_CORRUPT, "a block of events is missing");
        facts->events += block->events;
        facts->requests += block->requests;
        return VEF_OK;
    case VEF_BLOCK_COMMUNICATORS:
        return take_communicators(reader, block, raw, error);
    case VEF_BLOCK_COUNTS:
        while (from.at < from.end) {
            uint64_t call = vef_get_varint(&from), times = vef_get_varint(&from);
            if (!from.bad && call < vef_call_count())
                reader->counts[call] = times;
        }
        return VEF_OK;
    case VEF_BLOCK_END:
        if (from.at == from.end || *from.at < VEF_LOG_FINALIZED || *from.at > VEF_LOG_EXITED)
            return vef_fail(error, VEF_CORRUPT, "an end that is none");
        facts->end = (vef_log_end)*from.at;
        return VEF_OK;
    default:
        return vef_fail(error, VEF_CORRUPT, "a block that logs do not have");
    }
}

/* Walks the blocks until the end, or until one that is not whole: what comes after is not used. */
static vef_code survey(vef_log_reader *reader, uint64_t size, vef_error *error) {
    uint64_t at = reader->first_block;
    while (at < size && reader->facts.end == VEF_LOG_CUT) {
        vef_block block;
        uint8_t *raw;
        vef_code code = load(reader, at, size, &block, &raw, error);
        if (!code)
            code = take_block(reader, &block, raw, error);
        free(raw);
        if (code == VEF_CORRUPT)
            break;
        if (code)
            return code;
        at += VEF_BLOCK_HEADER_BYTES + block.stored_bytes;
    }
    reader->whole_bytes = at;
    return VEF_OK;
}

static vef_code read_header(vef_log_reader *reader, bool *cut, vef_error *error) {
    const vef_field *fields = NULL;
    size_t count = 0;
    vef_code code =
        vef_preamble_read(reader->file, vef_log_magic, "log", reader->path, &reader->arena, &fields,
                          &count, &reader->first_block, cut, error);
    if (code)
        return code;
    int64_t task = vef_field_number(fields, count, "task", -1);
    int64_t tasks = vef_field_number(fields, count, "tasks", -1);
    if (tasks < 1 || tasks > INT32_MAX || task < 0 || task >= tasks)
        return vef_fail(error, VEF_CORRUPT, "%s: its header does not say which of how many tasks",
                        reader->path);
    reader->facts.header = (vef_log_header){
        .task = (uint32_t)task,
        .tasks = (uint32_t)tasks,
        .program = vef_field_text(fields, count, "program"),
        .library = vef_field_text(fields, count, "library"),
        .clock = vef_field_text(fields, count, "clock"),
        .host = vef_field_text(fields, count, "host"),
        .started_ns = (uint64_t)vef_field_number(fields, count, "started_ns", 0),
        .options = vef_field_text(fields, count, "options"),
        .job = vef_field_text(fields, count, "job"),
        .times = vef_field_text(fields, count, "times"),
        .spawned = vef_field_number(fields, count, "spawned", 0) != 0,
    };
    return VEF_OK;
}

vef_code vef_log_reader_open(const char *path, vef_log_reader **opened, bool *cut,
                             vef_error *error) {
    bool ignored;
    struct stat status;
    *opened = NULL;
    cut = cut ? cut : &ignored;
    *cut = false;
    vef_log_reader *reader = calloc(1, sizeof *reader);
    if (!reader)
        return vef_fail_memory(error, "a log", sizeof *reader);
    reader->file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* nobody may feed a pipe */
    vef_code code = VEF_OK;
    if (reader->file < 0 || fstat(reader->file, &status) != 0)
        code = vef_fail_errno(error, "opening %s", path);
    else if (!S_ISREG(status.st_mode))
        code = vef_fail(error, VEF_IO, "opening %s: not a regular file", path);
    reader->path = vef_arena_string(&reader->arena, path);
    reader->counts = vef_arena_alloc(&reader->arena, vef_call_count(), sizeof *reader->counts);
    reader->facts.counts = reader->counts;
    if (!code && (!reader->path || !reader->counts))
        code = vef_fail_memory(error, "a log", vef_call_count() * sizeof *reader->counts);
    if (!code)
        code = read_header(reader, cut, error);
    if (!code)
        code = survey(reader, (uint64_t)status.st_size, error);
    if (code) {
        vef_log_reader_close(reader);
        return code;
    }
    vef_log_reader_rewind(reader);
    *opened = reader;
    return VEF_OK;
}

void vef_log_reader_close(vef_log_reader *reader) {
    if (!reader)
        return;
    if (reader->file >= 0)
        close(reader->file);
    vef_decoder_free(&reader->decoder);
    free(reader->raw);
    free(reader->communicators);
    vef_arena_release(&reader->arena);
    free(reader);
}

const vef_log_facts *vef_log_reader_facts(const vef_log_reader *reader) {
    return &reader->facts;
}

void vef_log_reader_rewind(vef_log_reader *reader) {
    reader->at = reader->first_block;
    reader->decoder.left = 0;
}

vef_code vef_log_reader_next(vef_log_reader *reader, const vef_event **event, vef_error *error) {
    vef_code code = vef_decode(&reader->decoder, event, error);
    while (!code && !*event && reader->at < reader->whole_bytes) {
        vef_block block;
        free(reader->raw);
        code = load(reader, reader->at, reader->whole_bytes, &block, &reader->raw, error);
        if (code)
            break;
        reader->at += VEF_BLOCK_HEADER_BYTES + block.stored_bytes;
        if (block.kind != VEF_BLOCK_EVENTS)
            continue;
        vef_decoder_restart(&reader->decoder, reader->raw, block.column_bytes, block.events,
                            block.first_request);
        code = vef_decode(&reader->decoder, event, error);
    }
    return code ? vef_fail_within(error, "%s", reader->path) : VEF_OK;
}
