/* Reading logs. Opening scans all blocks once, so that the length of the whole part is known before
 * the first event is returned, and is the same in every pass. See log_reader.h. */
#include "traces/log/log_reader.h"
#include "common/containers/grow.h"
#include "common/memory.h"
#include "traces/format/communicator.h"
#include "traces/format/preamble.h"
#include "traces/log/log_state.h"
#include "traces/log/shared_buffer.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { NO_LANE = UINT32_MAX };

/* The events of one thread. */
typedef struct lane {
    uint32_t thread;
    uint64_t events, requests; /* in the blocks before, including events dropped by a ring */
    uint64_t *places;          /* offsets of its blocks */
    size_t place_count, place_capacity, next_place;
    uint8_t *live; /* the columns that the task had not written, which follow; NULL: none */
    vef_piece live_piece;
    bool live_begun;
    uint8_t *raw; /* the current block */
    vef_decoder decoder;
    const vef_event *event; /* the next one; NULL at the end */
} lane;

struct vef_log_reader {
    int file;
    char *path;
    vef_arena arena;
    vef_log_facts facts;
    vef_before before;
    vef_communicator *communicators;
    vef_under_way *under_way;
    size_t communicator_capacity, under_way_capacity;
    vef_site *sites;
    size_t site_capacity;
    uint64_t *counts, *counts_ns;
    uint64_t first_block, whole_bytes;
    uint32_t gap_unit;
    lane *lanes;
    size_t lane_count, lane_capacity;
    uint32_t *lane_of; /* by thread, facts.threads long; NO_LANE: none */
    bool begun;        /* every lane has decoded its next event */
    lane *handed;      /* the lane of the event returned last; NULL: none */
};

static vef_code take_communicators(vef_log_reader *reader, const vef_block *block,
                                   const uint8_t *raw, vef_error *error) {
    vef_cursor from = {raw, raw + block->raw_bytes, false};
    uint64_t count = vef_get_varint(&from);
    for (uint64_t i = 0; i < count && !from.bad; i++) {
        uint32_t number = reader->facts.communicator_count;
        vef_grow(&reader->communicators, &reader->communicator_capacity, number + 1,
                 sizeof *reader->communicators);
        reader->facts.communicators = reader->communicators;
        vef_code code =
            vef_communicator_get(&from, number, reader->facts.header.tasks, VEF_LISTS_OF_ONE, NULL,
                                 &reader->arena, &reader->communicators[number], error);
        if (code)
            return code;
        reader->facts.communicator_count++;
    }
    if (from.bad)
        return vef_fail(error, VEF_CORRUPT, "communicators that do not decode");
    return VEF_OK;
}

static vef_code take_sites(vef_log_reader *reader, vef_cursor *from, vef_error *error) {
    while (from->next < from->end) {
        vef_log_facts *facts = &reader->facts;
        vef_site *site = VEF_NEW_ITEM(reader->sites, facts->site_count, reader->site_capacity);
        facts->sites = reader->sites;
        if (!vef_site_get(from, &reader->arena, site))
            return vef_fail(error, VEF_CORRUPT, "call sites that do not decode");
    }
    return VEF_OK;
}

static lane *lane_for(vef_log_reader *reader, const vef_piece *piece) {
    vef_log_facts *facts = &reader->facts;
    if (!reader->lane_of || piece->thread >= facts->threads) {
        uint32_t *grown =
            vef_realloc(reader->lane_of, (piece->thread + 1ull) * sizeof *reader->lane_of);
        for (uint32_t i = reader->lane_of ? facts->threads : 0; i <= piece->thread; i++)
            grown[i] = NO_LANE;
        reader->lane_of = grown;
        facts->threads = piece->thread + 1;
    }
    uint32_t *number = &reader->lane_of[piece->thread];
    if (*number == NO_LANE) {
        *number = (uint32_t)reader->lane_count;
        *VEF_NEW_ITEM(reader->lanes, reader->lane_count, reader->lane_capacity) =
            (lane){.thread = piece->thread,
                   .decoder = {.sites = facts->header.sites},
                   .events = piece->first_event,
                   .requests = piece->first_request};
        facts->skipped += piece->first_event;
    }
    return &reader->lanes[*number];
}

static vef_code take_events(vef_log_reader *reader, const vef_block *block, const uint8_t *raw,
                            uint64_t offset, vef_error *error) {
    vef_log_facts *facts = &reader->facts;
    vef_piece *pieces;
    const uint8_t *columns;
    uint32_t count;
    vef_code code = vef_pieces_get(raw, block->raw_bytes, &pieces, &count, &columns, NULL, error);
    if (code)
        return code;
    vef_piece piece = pieces[0];
    free(pieces);
    if (count != 1 || piece.task != facts->header.task || piece.thread >= VEF_THREAD_LIMIT)
        return vef_fail(error, VEF_CORRUPT, "a block of events of task %u, thread %u", piece.task,
                        piece.thread);
    lane *current = lane_for(reader, &piece);
    if (piece.first_event != current->events || piece.first_request != current->requests)
        return vef_fail(error, VEF_CORRUPT, "a block of events is missing");
    *VEF_NEW_ITEM(current->places, current->place_count, current->place_capacity) = offset;
    current->events += piece.events;
    current->requests += piece.requests;
    facts->events += piece.events;
    if (current->requests > facts->requests)
        facts->requests = current->requests;
    return VEF_OK;
}

static vef_code take_end(vef_log_reader *reader, const vef_block *block, const uint8_t *raw,
                         vef_error *error) {
    uint8_t end = block->raw_bytes == 1 ? *raw : 0;
    if (end < VEF_LOG_FINALIZED || end > VEF_END_STOPPED)
        return vef_fail(error, VEF_CORRUPT, "an invalid end of a task");
    reader->facts.stopped = end == VEF_END_STOPPED;
    if (!reader->facts.stopped)
        reader->facts.end = (vef_log_end)end;
    return VEF_OK;
}

static vef_code take_block(vef_log_reader *reader, const vef_block *block, const uint8_t *raw,
                           uint64_t offset, vef_error *error) {
    vef_cursor from = {raw, raw + block->raw_bytes, false};
    switch (block->kind) {
    case VEF_BLOCK_EVENTS:
        return take_events(reader, block, raw, offset, error);
    case VEF_BLOCK_COMMUNICATORS:
        return take_communicators(reader, block, raw, error);
    case VEF_BLOCK_COUNTS:
        vef_calls_get(&from, UINT64_MAX, reader->counts, reader->counts_ns);
        return VEF_OK;
    case VEF_BLOCK_MEASURED:
    case VEF_BLOCK_MEASURED_ROWS:
        vef_measured_get(&from, block->kind == VEF_BLOCK_MEASURED_ROWS, &reader->facts.measured, 1);
        vef_calls_get(&from, UINT64_MAX, reader->facts.left_out.calls, reader->facts.left_out.ns);
        return VEF_OK;
    case VEF_BLOCK_SITES:
        return take_sites(reader, &from, error);
    case VEF_BLOCK_BEFORE:
        return vef_before_get(&reader->before, &from, error);
    case VEF_BLOCK_END:
        return take_end(reader, block, raw, error);
    default:
        return vef_fail(error, VEF_CORRUPT, "a block of an unknown kind");
    }
}

/* Scans the blocks up to the end or the first incomplete one; ignores the rest. */
static vef_code survey(vef_log_reader *reader, uint64_t size, vef_error *error) {
    uint64_t position = reader->first_block;
    reader->facts.threads = 1;
    while (position < size && reader->facts.end == VEF_LOG_CUT && !reader->facts.stopped) {
        vef_block block;
        uint8_t *raw;
        vef_code code = vef_block_read(reader->file, size, position, &block, &raw, error);
        if (!code)
            code = take_block(reader, &block, raw, position, error);
        free(raw);
        if (code == VEF_CORRUPT)
            break;
        if (code)
            return code;
        position += VEF_BLOCK_HEADER_BYTES + block.stored_bytes;
    }
    reader->whole_bytes = position;
    return VEF_OK;
}

/* Reads the current call of a thread. */
static void take_under_way(vef_log_reader *reader, const char *path, uint32_t thread) {
    vef_log_facts *facts = &reader->facts;
    vef_grow(&reader->under_way, &reader->under_way_capacity, facts->under_way_count + 1,
             sizeof *reader->under_way);
    vef_under_way *current = &reader->under_way[facts->under_way_count];
    facts->under_way = reader->under_way;
    if (!vef_live_under_way(path, current))
        return;
    current->task = facts->header.task;
    current->thread = thread;
    facts->under_way_count++;
}

/* Notes what is missing; `lost`: number of events, 0: not known. */
static void note_damage(vef_log_reader *reader, uint64_t lost, const char *text) {
    reader->facts.lost += lost;
    if (!reader->facts.damage)
        reader->facts.damage = vef_arena_string(&reader->arena, text);
}

/* The piece of a buffer continues the blocks of its thread, unless it had just been written, or
 * follows a missing block. */
static vef_code take_buffer(vef_log_reader *reader, const char *path, uint32_t thread,
                            vef_error *error) {
    vef_log_facts *facts = &reader->facts;
    vef_piece piece;
    vef_error reason;
    uint8_t *raw = NULL;
    uint64_t published = 0;
    lane *current = NULL;
    const vef_log_header *header = &facts->header;
    vef_code code =
        vef_live_read(path, reader->gap_unit, header->sites, &piece, &raw, &published, &reason);
    if (code == VEF_NO_MEMORY)
        return vef_fail(error, code, "%s", reason.message);
    if (!code && (piece.task != facts->header.task || piece.thread != thread)) {
        code = vef_fail(&reason, VEF_CORRUPT, "%s: of task %u, thread %u", path, piece.task,
                        piece.thread);
        free(raw);
    }
    if (code) {
        note_damage(reader, 0, reason.message);
        return VEF_OK;
    }
    if (reader->lane_of && thread < facts->threads && reader->lane_of[thread] != NO_LANE)
        current = &reader->lanes[reader->lane_of[thread]];
    /* Only a ring lacks the first block of a thread. */
    else if (raw && (piece.first_event == 0 || facts->skipped > 0 || reader->before.events > 0))
        current = lane_for(reader, &piece);
    uint64_t events = current ? current->events : 0;
    const uint64_t in_log = events, in_buffer = piece.first_event + piece.events;
    if (raw && current && piece.first_event == current->events &&
        piece.first_request == current->requests) {
        current->live = raw;
        current->live_piece = piece;
        events += piece.events;
        facts->events += piece.events;
        if (current->requests + piece.requests > facts->requests)
            facts->requests = current->requests + piece.requests;
    } else {
        free(raw);
    }
    /* A task may die before it publishes the last event of the buffer. */
    if (published <= events && published >= in_log && in_buffer >= published &&
        in_buffer <= published + 1)
        return VEF_OK;
    if (published > events)
        vef_fail(&reason, VEF_CORRUPT,
                 "%s: events %" PRIu64 " to %" PRIu64 " are damaged or missing", path, events,
                 published - 1);
    else
        vef_fail(&reason, VEF_CORRUPT, "%s: its first page is older than its events", path);
    note_damage(reader, published > events ? published - events : 0, reason.message);
    return VEF_OK;
}

/* Reads the buffers of a killed task. */
static vef_code survey_buffers(vef_log_reader *reader, vef_error *error) {
    char path[4096];
    vef_code code = VEF_OK;
    for (uint32_t thread = 0; !code && thread < VEF_THREAD_LIMIT; thread++) {
        if (!vef_live_path(reader->path, thread, path, sizeof path) || access(path, F_OK) != 0)
            break;
        take_under_way(reader, path, thread);
        code = take_buffer(reader, path, thread, error);
    }
    return code;
}

vef_code vef_log_header_read(const vef_field *fields, size_t count, const char *path,
                             vef_log_header *header, vef_error *error) {
    const int64_t task = vef_field_number(fields, count, "task", -1);
    const int64_t tasks = vef_field_number(fields, count, "tasks", -1);
    if (tasks < 1 || tasks > INT32_MAX || task < 0 || task >= tasks)
        return vef_fail(error, VEF_CORRUPT, "%s: the header has no valid task number", path);
    *header = (vef_log_header){
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
        .sites = vef_field_number(fields, count, "sites", 0) != 0,
    };
    return VEF_OK;
}

static vef_code read_header(vef_log_reader *reader, bool *cut, vef_error *error) {
    const vef_field *fields = NULL;
    vef_log_header *header = &reader->facts.header;
    size_t count = 0;
    vef_code code =
        vef_preamble_read(reader->file, vef_log_magic, "log", reader->path, &reader->arena, &fields,
                          &count, &reader->first_block, cut, error);
    if (!code)
        code = vef_log_header_read(fields, count, reader->path, header, error);
    if (!code)
        reader->gap_unit = vef_gap_unit(header->times);
    return code;
}

vef_code vef_log_reader_open(const char *path, vef_log_reader **opened, bool *cut,
                             vef_error *error) {
    bool ignored;
    struct stat status;
    *opened = NULL;
    cut = cut ? cut : &ignored;
    *cut = false;
    vef_log_reader *reader = vef_calloc(1, sizeof *reader);
    reader->file = open(path, O_RDONLY | O_CLOEXEC |
                                  O_NONBLOCK); /* opening a pipe without a writer would block */
    vef_code code = VEF_OK;
    if (reader->file < 0 || fstat(reader->file, &status) != 0)
        code = vef_fail_errno(error, "opening %s", path);
    else if (!S_ISREG(status.st_mode))
        code = vef_fail(error, VEF_IO, "opening %s: not a regular file", path);
    reader->path = vef_arena_string(&reader->arena, path);
    reader->counts = vef_arena_alloc(&reader->arena, vef_call_count(), sizeof *reader->counts);
    reader->counts_ns =
        vef_arena_alloc(&reader->arena, vef_call_count(), sizeof *reader->counts_ns);
    reader->facts.counts = reader->counts;
    reader->facts.left_out.calls =
        vef_arena_alloc(&reader->arena, vef_call_count(), sizeof(uint64_t));
    reader->facts.left_out.ns = vef_arena_alloc(&reader->arena, vef_call_count(), sizeof(uint64_t));
    reader->facts.before = &reader->before;
    reader->facts.counts_ns = reader->counts_ns;
    if (!code)
        code = read_header(reader, cut, error);
    if (!code)
        code = survey(reader, (uint64_t)status.st_size, error);
    if (!code && reader->facts.end == VEF_LOG_CUT && !reader->facts.stopped)
        code = survey_buffers(reader, error);
    if (code) {
        vef_log_reader_close(reader);
        return code;
    }
    *opened = reader;
    return VEF_OK;
}

void vef_log_reader_close(vef_log_reader *reader) {
    if (!reader)
        return;
    if (reader->file >= 0)
        close(reader->file);
    for (size_t i = 0; i < reader->lane_count; i++) {
        vef_decoder_free(&reader->lanes[i].decoder);
        free(reader->lanes[i].raw);
        free(reader->lanes[i].live);
        free(reader->lanes[i].places);
    }
    free(reader->lanes);
    free(reader->lane_of);
    free(reader->communicators);
    free(reader->under_way);
    free(reader->sites);
    vef_before_free(&reader->before);
    vef_arena_release(&reader->arena);
    free(reader);
}

const vef_log_facts *vef_log_reader_facts(const vef_log_reader *reader) {
    return &reader->facts;
}

/* Checked when the log was opened, but the file may have changed since. */
static vef_code load(const vef_log_reader *reader, lane *current, vef_error *error) {
    vef_block block;
    vef_piece *pieces;
    const uint8_t *columns, *column[VEF_COLUMNS];
    uint32_t count;
    free(current->raw);
    current->raw = NULL;
    vef_code code =
        vef_block_read(reader->file, reader->whole_bytes, current->places[current->next_place],
                       &block, &current->raw, error);
    if (!code)
        code =
            vef_pieces_get(current->raw, block.raw_bytes, &pieces, &count, &columns, NULL, error);
    if (code)
        return code;
    current->next_place++;
    vef_pieces_columns(pieces, 1, columns, column);
    vef_decoder_restart(&current->decoder, pieces, column, reader->gap_unit);
    free(pieces);
    return VEF_OK;
}

static void load_live(const vef_log_reader *reader, lane *current) {
    const uint8_t *column[VEF_COLUMNS];
    vef_pieces_columns(&current->live_piece, 1, current->live, column);
    vef_decoder_restart(&current->decoder, &current->live_piece, column, reader->gap_unit);
    current->live_begun = true;
}

static vef_code advance(const vef_log_reader *reader, lane *current, vef_error *error) {
    vef_code code = vef_decode(&current->decoder, &current->event, error);
    while (!code && !current->event && current->next_place < current->place_count) {
        code = load(reader, current, error);
        if (!code)
            code = vef_decode(&current->decoder, &current->event, error);
    }
    if (!code && !current->event && current->live && !current->live_begun) {
        load_live(reader, current);
        code = vef_decode(&current->decoder, &current->event, error);
    }
    return code;
}

vef_code vef_log_reader_next(vef_log_reader *reader, const vef_event **event, vef_error *error) {
    vef_code code = VEF_OK;
    *event = NULL;
    if (reader->handed)
        code = advance(reader, reader->handed, error);
    for (size_t i = 0; i < reader->lane_count && !reader->begun && !code; i++)
        code = advance(reader, &reader->lanes[i], error);
    if (code)
        return vef_fail_within(error, "%s", reader->path);
    reader->begun = true;
    reader->handed = NULL;
    for (size_t i = 0; i < reader->lane_count; i++) {
        lane *current = &reader->lanes[i];
        if (current->event &&
            (!reader->handed || current->event->entered < reader->handed->event->entered))
            reader->handed = current;
    }
    if (reader->handed)
        *event = reader->handed->event;
    return VEF_OK;
}
