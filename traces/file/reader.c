/* Opening traces: header, communicators and summary. See trace.h. */
#include "common/containers/hash.h"
#include "common/containers/map64.h"
#include "common/limits.h"
#include "common/memory.h"
#include "common/system/file_kind.h"
#include "common/system/input.h"
#include "traces/file/footer.h"
#include "traces/file/trace_file.h"
#include "traces/format/communicator.h"
#include "traces/format/preamble.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

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
    if (tasks < 1 || tasks > VEF_TASK_LIMIT)
        return vef_fail(error, VEF_CORRUPT,
                        "%s: the header has no valid number of tasks: expected 1 to %d",
                        trace->path, VEF_TASK_LIMIT);
    if (vef_limit_check(VEF_LIMIT_TASKS, (uint64_t)tasks, error) != VEF_OK)
        return vef_fail_within(error, "%s", trace->path);
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
    trace->gap_unit = vef_gap_unit(vef_field_text(fields, count, "times"));
    const int64_t sites = vef_field_number(fields, count, "sites", 0);
    if (sites < 0 || sites > VEF_SITE_LIMIT)
        return vef_fail(error, VEF_CORRUPT,
                        "%s: the header has no valid number of call sites: expected 0 to %d",
                        trace->path, VEF_SITE_LIMIT);
    header->site_count = (uint32_t)sites;
    header->times = trace->gap_unit == 1 ? "all" : "compute"; /* regardless of its other content */
    return VEF_OK;
}

/* The world's list of members if it is 0, 1, …, as MPI creates it; NULL otherwise. */
static const uint32_t *plain_world(const vef_trace *trace, const vef_communicator *world) {
    if (world->size != trace->header.tasks)
        return NULL;
    for (uint32_t i = 0; i < world->size; i++)
        if (world->members[i] != i)
            return NULL;
    return world->members;
}

/* A line of the source may have several return addresses: copies of a loop or an inlined function.
 * Tables show it once, with its first site. */
static void find_places(vef_site *sites, uint32_t count) {
    vef_map64 first = {0};
    for (uint32_t i = 0; i < count; i++) {
        vef_hash hash = vef_hash_begin();
        for (size_t k = 0; k < VEF_SITE_TEXTS; k++)
            vef_hash_add(&hash, vef_site_text_of(&sites[i], k),
                         strlen(vef_site_text_of(&sites[i], k)) + 1);
        vef_hash_add(&hash, &sites[i].line, sizeof sites[i].line);
        const uint64_t *known = vef_map64_get(&first, hash.low >> 1);
        sites[i].place = known && sites[i].line > 0 ? (uint32_t)*known : i + 1;
        if (!known)
            vef_map64_set(&first, hash.low >> 1, i + 1);
    }
    vef_map64_free(&first);
}

/* The table of call sites, behind the communicators. */
static vef_code read_sites(vef_trace *trace, vef_error *error) {
    vef_block block;
    uint8_t *raw = NULL;
    if (trace->header.site_count == 0)
        return VEF_OK;
    vef_code code = vef_trace_read_block(trace, trace->after_communicators, VEF_BLOCK_SITES, &block,
                                         &raw, error);
    if (code)
        return code;
    trace->after_communicators += VEF_BLOCK_HEADER_BYTES + block.stored_bytes;
    vef_cursor from = {raw, raw + block.raw_bytes, false};
    const uint32_t count = trace->header.site_count;
    vef_site *sites = NULL;
    if (count <= block.raw_bytes) /* several bytes each */
        sites = vef_arena_alloc(&trace->arena, count, sizeof *sites);
    for (uint32_t i = 0; sites && i < count && !from.bad; i++)
        vef_site_get(&from, &trace->arena, &sites[i]);
    free(raw);
    if (!sites || from.bad)
        return vef_fail(error, VEF_CORRUPT, "the call sites do not decode");
    find_places(sites, count);
    trace->header.sites = sites;
    return VEF_OK;
}

static vef_code read_communicators(vef_trace *trace, vef_error *error) {
    vef_block block;
    uint8_t *raw = NULL;
    vef_code code = vef_trace_read_block(trace, trace->blocks_begin, VEF_BLOCK_COMMUNICATORS,
                                         &block, &raw, error);
    if (code)
        return code;
    trace->after_communicators = trace->blocks_begin + VEF_BLOCK_HEADER_BYTES + block.stored_bytes;
    vef_cursor from = {raw, raw + block.raw_bytes, false};
    uint32_t count = (uint32_t)vef_get_limited(&from, block.raw_bytes); /* at least a byte each */
    vef_communicator *list = vef_arena_alloc(&trace->arena, count + 1ull, sizeof *list);
    const uint32_t *world = NULL;
    for (uint32_t i = 0; !code && i < count; i++) {
        code = vef_communicator_get(&from, i, trace->header.tasks, VEF_LISTS_OF_ALL, world,
                                    &trace->arena, &list[i], error);
        if (!code && i == 0)
            world = plain_world(trace, &list[0]);
        if (!code) /* stored as runs, so a few bytes can represent millions */
            code =
                vef_limit_check(VEF_LIMIT_MEMBERS, trace->arena.held_bytes / sizeof *world, error);
    }
    free(raw);
    if (code)
        return code;
    if (count == 0 || list[0].size != trace->header.tasks)
        return vef_fail(error, VEF_CORRUPT, "communicator 0 does not contain all tasks");
    trace->header.communicators = list;
    trace->header.communicator_count = count;
    return read_sites(trace, error);
}

/* The optional blocks between the summary and the footer; unknown kinds are skipped. */
static vef_code read_behind(vef_trace *trace, uint64_t offset, vef_trace_tail *tail,
                            vef_error *error) {
    vef_code code = VEF_OK;
    while (!code && offset + VEF_BLOCK_HEADER_BYTES + VEF_FOOTER_BYTES <= trace->size) {
        vef_block block;
        uint8_t *raw = NULL;
        code = vef_block_read(trace->file, trace->size, offset, &block, &raw, error);
        if (!code)
            code = vef_behind_take(trace, &block, raw, tail, error);
        free(raw);
        offset += VEF_BLOCK_HEADER_BYTES + (code ? 0 : block.stored_bytes);
    }
    return code;
}

/* Reads the summary of a complete file; VEF_CORRUPT if there is none. */
static vef_code read_tail(vef_trace *trace, vef_error *error) {
    uint8_t bytes[VEF_FOOTER_BYTES];
    uint64_t summary;
    if (trace->size < trace->blocks_begin + sizeof bytes)
        return vef_fail(error, VEF_CORRUPT, "no footer");
    vef_code code =
        vef_read_at(trace->file, bytes, sizeof bytes, trace->size - sizeof bytes, error);
    if (code)
        return code;
    if (!vef_footer_unpack(bytes, &summary))
        return vef_fail(error, VEF_CORRUPT, "no footer");
    vef_block block;
    vef_trace_tail tail;
    uint8_t *raw = NULL;
    code = vef_trace_read_block(trace, summary, VEF_BLOCK_SUMMARY, &block, &raw, error);
    if (!code && trace->header.tasks > block.raw_bytes / 6) /* at least six numbers each */
        code = vef_fail(error, VEF_CORRUPT, "the summary has fewer entries than tasks");
    if (!code) {
        vef_tail_make(trace, &tail);
        code = vef_tail_read(trace, &block, raw, &tail, error);
    }
    if (!code)
        code =
            read_behind(trace, summary + VEF_BLOCK_HEADER_BYTES + block.stored_bytes, &tail, error);
    if (!code)
        vef_tail_take(trace, &tail);
    free(raw);
    return code;
}

/* A file that was cut before its first event has only the world. */
static void only_world(vef_trace *trace) {
    vef_communicator *world = vef_arena_alloc(&trace->arena, 1, sizeof *world);
    uint32_t *members = vef_arena_alloc(&trace->arena, trace->header.tasks, sizeof *members);
    for (uint32_t i = 0; i < trace->header.tasks; i++)
        members[i] = i;
    *world = (vef_communicator){.parent = VEF_NO_COMM,
                                .made_by = VEF_PREDEFINED,
                                .size = trace->header.tasks,
                                .members = members};
    trace->header.communicators = world;
    trace->header.communicator_count = 1;
    trace->missing = "the file ends before its first event";
}

static vef_code read_all(vef_trace *trace, vef_error *error) {
    vef_code code = read_header(trace, error);
    if (code)
        return code;
    vef_error ignored;
    vef_code tail = read_tail(trace, &ignored);
    code = read_communicators(trace, error);
    if (code == VEF_CORRUPT && tail != VEF_OK) {
        /* Cut inside the communicators, unless blocks follow. */
        vef_code found = vef_trace_recover(trace, error);
        if (found)
            return found;
        if (trace->header.events > 0)
            return vef_fail(error, VEF_CORRUPT, "%s: its communicators or call sites are damaged",
                            trace->path);
        only_world(trace);
        return VEF_OK;
    }
    if (!code)
        code = vef_limit_check(VEF_LIMIT_EVENTS, trace->header.events, error);
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
    vef_trace *trace = vef_calloc(1, sizeof *trace);
    trace->store = vef_store_create();
    pthread_mutex_init(&trace->lock, NULL);
    vef_code code = VEF_OK;
    trace->file = vef_input_open(path, O_NONBLOCK); /* a pipe without a writer would block */
    if (trace->file < 0 || fstat(trace->file, &status) != 0)
        code = vef_fail_errno(error, "opening %s", path);
    else if (!S_ISREG(status.st_mode))
        code = vef_fail(error, VEF_IO, "opening %s: not a regular file", path);
    trace->path = vef_arena_string(&trace->arena, path);
    if (!code) {
        trace->size = (uint64_t)status.st_size;
        code = read_all(trace, error);
    }
    if (code) {
        vef_trace_close(trace);
        return vef_fail_kind(error, path, "trace", "a trace, as of `vef capture`");
    }
    if (missing)
        *missing = trace->missing;
    *opened = trace;
    return VEF_OK;
}

bool vef_trace_has_under_way(const vef_trace_header *header, const vef_under_way *record) {
    bool good = record->task < header->tasks;
    for (uint32_t i = 0; i < record->stack_count; i++)
        good &= record->stack[i] <= header->site_count;
    for (uint32_t i = 0; i < vef_waited_shown(record); i++) {
        const vef_waited *waited = &record->waited[i];
        good &= waited->peer < (int64_t)header->tasks;
        good &= waited->comm == VEF_NO_COMM || waited->comm < header->communicator_count;
    }
    return good;
}

static vef_code read_under_way(vef_trace *trace, const char *text, size_t size, vef_error *error) {
    size_t lines = 0;
    vef_code code = VEF_OK;
    for (size_t i = 0; i < size; i++)
        lines += text[i] == '\n';
    vef_under_way *list = vef_arena_alloc(&trace->arena, lines + 1, sizeof *list);
    const char *line = text;
    for (size_t i = 0; i < lines && !code; i++) {
        const char *end = memchr(line, '\n', (size_t)(text + size - line));
        code = vef_under_way_get(line, end, &trace->arena, &list[i], error);
        if (!code && !vef_trace_has_under_way(&trace->header, &list[i]))
            code = vef_fail(
                error, VEF_CORRUPT,
                "a call under way names a task, communicator or site that is out of range");
        line = end + 1;
    }
    if (code)
        return vef_fail_within(error, "%s", trace->path);
    trace->under_way = list;
    trace->under_way_count = lines;
    return VEF_OK;
}

vef_code vef_trace_under_way(vef_trace *trace, const vef_under_way **list, size_t *count,
                             vef_error *error) {
    uint8_t bytes[VEF_BLOCK_HEADER_BYTES], *raw = NULL;
    vef_block block;
    vef_code code = VEF_OK;
    uint64_t offset = trace->after_communicators;
    if (!trace->under_way && offset > 0 &&
        vef_read_at(trace->file, bytes, sizeof bytes, offset, NULL) == VEF_OK &&
        vef_block_unpack(bytes, &block) && block.kind == VEF_BLOCK_UNDER_WAY) {
        code = vef_trace_read_block(trace, offset, VEF_BLOCK_UNDER_WAY, &block, &raw, error);
        if (!code)
            code = read_under_way(trace, (const char *)raw, block.raw_bytes, error);
        free(raw);
    }
    *list = trace->under_way;
    *count = trace->under_way_count;
    return code;
}

void vef_trace_close(vef_trace *trace) {
    if (!trace)
        return;
    if (trace->file >= 0)
        close(trace->file);
    vef_shared_block_release(&trace->shared);
    pthread_mutex_destroy(&trace->lock);
    vef_store_destroy(trace->store);
    vef_arena_release(&trace->arena);
    free(trace);
}

const vef_trace_header *vef_trace_get_header(const vef_trace *trace) {
    return &trace->header;
}

uint64_t vef_trace_bytes(const vef_trace *trace) {
    return trace->size;
}

const char *vef_trace_path(const vef_trace *trace) {
    return trace->path;
}
