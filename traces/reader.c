/* Opening traces: header, communicators, summary and index. See trace.h. */
#include "traces/codec.h"
#include "traces/communicator.h"
#include "traces/footer.h"
#include "traces/preamble.h"
#include "traces/trace_file.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

vef_code vef_trace_read_block(const vef_trace *trace, uint64_t offset, uint8_t kind,
                              vef_block *block, uint8_t **raw, vef_error *error) {
    uint8_t header[VEF_BLOCK_HEADER_BYTES];
    *raw = NULL;
    vef_code code = vef_read_at(trace->file, header, sizeof header, offset, error);
    if (code)
        return code;
    if (!vef_block_unpack(header, block) || block->kind != kind ||
        block->stored_bytes > trace->size - offset - sizeof header)
        return vef_fail(error, VEF_CORRUPT, "no whole block of kind %u at byte %llu", kind,
                        (unsigned long long)offset);
    uint8_t *stored = malloc(block->stored_bytes ? block->stored_bytes : 1);
    if (!stored)
        return vef_fail_memory(error, "a block", block->stored_bytes);
    code = vef_read_at(trace->file, stored, block->stored_bytes, offset + sizeof header, error);
    if (!code)
        code = vef_block_body(block, stored, raw, error);
    free(stored);
    return code;
}

static vef_code read_header(vef_trace *trace, vef_error *error) {
    const vef_field *fields = NULL;
    size_t count = 0;
    bool cut;
    vef_code code =
        vef_preamble_read(trace->file, vef_trace_magic, "trace", trace->path, &trace->arena,
                          &fields, &count, &trace->blocks_begin, &cut, error);
    if (code)
        return code;
    int64_t tasks = vef_field_number(fields, count, "tasks", -1);
    if (tasks < 1 || tasks > INT32_MAX / 2)
        return vef_fail(error, VEF_CORRUPT, "%s: its header does not say how many tasks there are",
                        trace->path);
    vef_trace_header *header = &trace->header;
    header->version = VEF_FORMAT_VERSION;
    header->tasks = (uint32_t)tasks;
    header->application = vef_field_text(fields, count, "application");
    header->command = vef_field_text(fields, count, "command");
    header->library = vef_field_text(fields, count, "library");
    header->clock = vef_field_text(fields, count, "clock");
    header->options = vef_field_text(fields, count, "options");
    header->date = vef_field_text(fields, count, "date");
    header->exit_status = (int)vef_field_number(fields, count, "exit_status", 0);
    trace->task = vef_arena_alloc(&trace->arena, header->tasks, sizeof *trace->task);
    trace->not_recorded =
        vef_arena_alloc(&trace->arena, vef_call_count(), sizeof *trace->not_recorded);
    trace->first_place =
        vef_arena_alloc(&trace->arena, header->tasks + 1ull, sizeof *trace->first_place);
    trace->not_recorded_ns =
        vef_arena_alloc(&trace->arena, vef_call_count(), sizeof *trace->not_recorded_ns);
    if (!trace->task || !trace->not_recorded || !trace->not_recorded_ns || !trace->first_place)
        return vef_fail_memory(error, "the tasks of a trace", header->tasks * sizeof *trace->task);
    for (uint32_t task = 0; task < header->tasks; task++)
        trace->task[task].threads = 1;
    header->task = trace->task;
    header->not_recorded = trace->not_recorded;
    header->not_recorded_ns = trace->not_recorded_ns;
    return VEF_OK;
}

static vef_code read_communicators(vef_trace *trace, vef_error *error) {
    vef_block block;
    uint8_t *raw = NULL;
    vef_code code = vef_trace_read_block(trace, trace->blocks_begin, VEF_BLOCK_COMMUNICATORS,
                                         &block, &raw, error);
    vef_communicator *list = NULL;
    if (!code) {
        list = vef_arena_alloc(&trace->arena, block.events + 1ull, sizeof *list);
        if (!list)
            code = vef_fail_memory(error, "communicators", block.events * sizeof *list);
    }
    vef_cursor from = {raw, raw ? raw + vef_block_raw_bytes(&block) : raw, false};
    for (uint32_t i = 0; !code && i < block.events; i++)
        code = vef_communicator_get(&from, i, trace->header.tasks, VEF_LISTS_OF_ALL, &trace->arena,
                                    &list[i], error);
    free(raw);
    if (code)
        return code;
    if (block.events == 0 || list[0].size != trace->header.tasks)
        return vef_fail(error, VEF_CORRUPT, "communicator 0 is not the world of all tasks");
    trace->header.communicators = list;
    trace->header.communicator_count = block.events;
    return VEF_OK;
}

vef_code vef_trace_take_summary(vef_trace *trace, const vef_block *block, const uint8_t *raw,
                                vef_error *error) {
    vef_trace_header *header = &trace->header;
    vef_cursor from = {raw, raw + vef_block_raw_bytes(block), false};
    header->messages = vef_get_varint(&from);
    header->message_bytes = vef_get_varint(&from);
    header->events = 0;
    for (uint32_t i = 0; i < header->tasks; i++) {
        vef_trace_task *task = &trace->task[i];
        task->events = vef_get_varint(&from);
        task->requests = vef_get_varint(&from);
        task->end = (vef_log_end)vef_get_limited(&from, VEF_LOG_EXITED);
        trace->first_place[i + 1] = trace->first_place[i] + vef_get_limited(&from, UINT32_MAX);
        header->events += task->events;
    }
    while (!from.bad && from.at < from.end) {
        uint64_t call = vef_get_varint(&from), times = vef_get_varint(&from);
        if (call < vef_call_count())
            trace->not_recorded[call] = times;
    }
    if (from.bad || block->events != header->tasks)
        return vef_fail(error, VEF_CORRUPT, "the summary does not decode");
    return VEF_OK;
}

/* The index is read by streams, entry by entry; here it is only checked, in pieces. */
static vef_code check_index(vef_trace *trace, uint64_t offset, vef_error *error) {
    uint8_t header[VEF_BLOCK_HEADER_BYTES], piece[4096];
    vef_block block;
    vef_code code = vef_read_at(trace->file, header, sizeof header, offset, error);
    if (code)
        return code;
    uint64_t entries = trace->first_place[trace->header.tasks];
    if (!vef_block_unpack(header, &block) || block.kind != VEF_BLOCK_INDEX ||
        block.method != VEF_METHOD_STORED || entries > VEF_BLOCK_BODY_LIMIT ||
        block.stored_bytes != entries * VEF_INDEX_ENTRY_BYTES)
        return vef_fail(error, VEF_CORRUPT, "the index is damaged");
    trace->index_offset = offset + sizeof header;
    uLong checksum = crc32(0, NULL, 0);
    for (uint64_t at = 0; at < block.stored_bytes; at += sizeof piece) {
        size_t size =
            block.stored_bytes - at < sizeof piece ? block.stored_bytes - at : sizeof piece;
        code = vef_read_at(trace->file, piece, size, trace->index_offset + at, error);
        if (code)
            return code;
        checksum = crc32(checksum, piece, (uInt)size);
    }
    if ((uint32_t)checksum != block.checksum)
        return vef_fail(error, VEF_CORRUPT, "the checksum of the index does not agree");
    return VEF_OK;
}

/* Reads the tail of a whole file; VEF_CORRUPT when there is none. */
static vef_code read_tail(vef_trace *trace, vef_error *error) {
    uint8_t bytes[VEF_FOOTER_BYTES];
    uint64_t summary, index;
    if (trace->size < trace->blocks_begin + sizeof bytes)
        return vef_fail(error, VEF_CORRUPT, "no footer");
    vef_code code =
        vef_read_at(trace->file, bytes, sizeof bytes, trace->size - sizeof bytes, error);
    if (code)
        return code;
    if (!vef_footer_unpack(bytes, &summary, &index) || summary >= trace->size ||
        index >= trace->size)
        return vef_fail(error, VEF_CORRUPT, "no footer");
    vef_block block;
    uint8_t *raw = NULL;
    code = vef_trace_read_block(trace, summary, VEF_BLOCK_SUMMARY, &block, &raw, error);
    if (!code)
        code = vef_trace_take_summary(trace, &block, raw, error);
    free(raw);
    return code ? code : check_index(trace, index, error);
}

/* A file cut before its first event: the world is all that is left. */
static vef_code only_world(vef_trace *trace, vef_error *error) {
    vef_communicator *world = vef_arena_alloc(&trace->arena, 1, sizeof *world);
    uint32_t *members = vef_arena_alloc(&trace->arena, trace->header.tasks, sizeof *members);
    if (!world || !members)
        return vef_fail_memory(error, "the world", trace->header.tasks * sizeof *members);
    for (uint32_t i = 0; i < trace->header.tasks; i++)
        members[i] = i;
    *world = (vef_communicator){.parent = VEF_NO_COMM,
                                .made_by = VEF_CALL_Init,
                                .size = trace->header.tasks,
                                .members = members};
    trace->header.communicators = world;
    trace->header.communicator_count = 1;
    trace->missing = "the file ends before its first event";
    return VEF_OK;
}

static vef_code read_all(vef_trace *trace, vef_error *error) {
    vef_code code = read_header(trace, error);
    if (code)
        return code;
    vef_error ignored;
    vef_code tail = read_tail(trace, &ignored);
    code = read_communicators(trace, error);
    if (code == VEF_CORRUPT && tail != VEF_OK) {
        /* Cut inside the communicators, unless blocks stand behind them. */
        vef_code found = vef_trace_recover(trace, error);
        if (found)
            return found;
        if (trace->header.events > 0)
            return vef_fail(error, VEF_CORRUPT, "%s: its communicators are damaged", trace->path);
        return only_world(trace, error);
    }
    if (code)
        return vef_fail_within(error, "%s", trace->path);
    if (tail == VEF_CORRUPT)
        return vef_trace_recover(trace, error);
    if (tail != VEF_OK) {
        *error = ignored;
        return vef_fail_within(error, "%s", trace->path);
    }
    return VEF_OK;
}

vef_code vef_trace_open(const char *path, vef_trace **opened, const char **missing,
                        vef_error *error) {
    struct stat status;
    vef_error unwanted;
    error = error ? error : &unwanted;
    *opened = NULL;
    if (missing)
        *missing = NULL;
    vef_trace *trace = calloc(1, sizeof *trace);
    if (!trace)
        return vef_fail_memory(error, "a trace", sizeof *trace);
    vef_code code = VEF_OK;
    trace->file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* nobody may feed a pipe */
    if (trace->file < 0 || fstat(trace->file, &status) != 0)
        code = vef_fail_errno(error, "opening %s", path);
    else if (!S_ISREG(status.st_mode))
        code = vef_fail(error, VEF_IO, "opening %s: not a regular file", path);
    trace->path = vef_arena_string(&trace->arena, path);
    if (!code && !trace->path)
        code = vef_fail_memory(error, "a trace", strlen(path));
    if (!code) {
        trace->size = (uint64_t)status.st_size;
        code = read_all(trace, error);
    }
    if (code) {
        vef_trace_close(trace);
        return code;
    }
    if (missing)
        *missing = trace->missing;
    *opened = trace;
    return VEF_OK;
}

void vef_trace_close(vef_trace *trace) {
    if (!trace)
        return;
    if (trace->file >= 0)
        close(trace->file);
    free(trace->places);
    vef_arena_release(&trace->arena);
    free(trace);
}

const vef_trace_header *vef_trace_get_header(const vef_trace *trace) {
    return &trace->header;
}

const char *vef_trace_path(const vef_trace *trace) {
    return trace->path;
}
