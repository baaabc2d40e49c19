/* Reading a trace whose end is missing or damaged: blocks are self-describing, so a scan of the
 * file finds them; after damage the scan resumes at the next valid block. A stream keeps its
 * consecutive pieces from the first on. See trace_file.h. */
#include "common/containers/grow.h"
#include "common/containers/map64.h"
#include "common/memory.h"
#include "traces/file/trace_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct found_piece {
    vef_piece_place place;
    uint64_t stream; /* in file order */
} found_piece;

typedef struct found_stream {
    uint32_t task, thread;
    vef_stream_facts facts;
} found_stream;

typedef struct block_walk {
    vef_map64 numbers; /* of streams, by task and thread */
    found_stream *streams;
    found_piece *pieces;
    size_t stream_count, stream_capacity, piece_count, piece_capacity;
    uint64_t whole_until;            /* end of the last whole block */
    uint64_t found[VEF_BLOCK_KINDS]; /* offset of the last block of a kind; 0: none */
} block_walk;

/* The next offset from `offset` on with the first bytes of a block; the size of the file if there
 * is none. */
static vef_code next_magic(const vef_trace *trace, uint64_t *offset, vef_error *error) {
    uint8_t piece[1 << 12];
    while (*offset + 4 <= trace->size) {
        size_t size = trace->size - *offset < sizeof piece ? trace->size - *offset : sizeof piece;
        vef_code code = vef_read_at(trace->file, piece, size, *offset, error);
        if (code)
            return code;
        const uint8_t *hit = memmem(piece, size, "VEFB", 4);
        if (hit) {
            *offset += (uint64_t)(hit - piece);
            return VEF_OK;
        }
        *offset += size - 3;
    }
    *offset = trace->size;
    return VEF_OK;
}

/* The number of the piece's stream, which may be new. */
static uint64_t stream_of(block_walk *walk, const vef_piece *piece) {
    uint64_t key = (uint64_t)piece->task << 32 | piece->thread;
    const uint64_t *found = vef_map64_get(&walk->numbers, key);
    if (found)
        return *found;
    vef_map64_set(&walk->numbers, key, walk->stream_count);
    *VEF_NEW_ITEM(walk->streams, walk->stream_count, walk->stream_capacity) =
        (found_stream){piece->task, piece->thread, {0}};
    return walk->stream_count - 1;
}

/* Adds a piece, unless an earlier one of its stream is missing. */
static void keep(const vef_trace *trace, block_walk *walk, const vef_piece *piece,
                 vef_piece_place place) {
    if (piece->task >= trace->header.tasks || piece->thread >= VEF_THREAD_LIMIT)
        return;
    const uint64_t number = stream_of(walk, piece);
    vef_stream_facts *facts = &walk->streams[number].facts;
    if (piece->first_event != facts->events || piece->first_request != facts->requests)
        return;
    *VEF_NEW_ITEM(walk->pieces, walk->piece_count, walk->piece_capacity) =
        (found_piece){place, number};
    facts->events += piece->events;
    facts->requests += piece->requests;
    facts->pieces++;
}

static vef_code keep_all(const vef_trace *trace, block_walk *walk, const vef_block *block,
                         const uint8_t *raw, uint64_t offset, vef_error *error) {
    vef_piece *pieces;
    const uint8_t *columns;
    uint32_t count;
    vef_code code = vef_pieces_get(raw, block->raw_bytes, &pieces, &count, &columns, NULL, error);
    for (uint32_t i = 0; i < count && !code; i++)
        keep(trace, walk, &pieces[i], (vef_piece_place){offset, i});
    free(pieces);
    return code;
}

static vef_code walk_file(vef_trace *trace, block_walk *walk, vef_error *error) {
    uint64_t offset = trace->blocks_begin;
    walk->whole_until = offset;
    while (offset + VEF_BLOCK_HEADER_BYTES <= trace->size) {
        vef_block block;
        uint8_t *raw;
        vef_code code = vef_block_read(trace->file, trace->size, offset, &block, &raw, error);
        if (!code && block.kind == VEF_BLOCK_EVENTS)
            code = keep_all(trace, walk, &block, raw, offset, error);
        free(raw);
        if (code == VEF_CORRUPT) {
            offset++;
            code = next_magic(trace, &offset, error);
            if (code)
                return code;
            continue;
        }
        if (code)
            return code;
        if (block.kind < VEF_BLOCK_KINDS)
            walk->found[block.kind] = offset;
        offset += VEF_BLOCK_HEADER_BYTES + block.stored_bytes;
        walk->whole_until = offset;
    }
    return VEF_OK;
}

/* The number of streams of the tasks, including empty ones; false for implausible thread numbers.
 */
static bool count_threads(const vef_trace *trace, const block_walk *walk, vef_trace_tail *tail) {
    for (size_t i = 0; i < walk->stream_count; i++) {
        const found_stream *stream = &walk->streams[i];
        if (stream->thread >= tail->task[stream->task].threads)
            tail->task[stream->task].threads = stream->thread + 1;
    }
    for (uint32_t i = 0; i < trace->header.tasks; i++)
        tail->first_stream[i + 1] = tail->first_stream[i] + tail->task[i].threads;
    return tail->first_stream[trace->header.tasks] <=
           trace->header.tasks + VEF_THREAD_LIMIT + 64 * (uint64_t)walk->piece_count;
}

/* Groups the pieces by stream. */
static vef_code sort_pieces(vef_trace *trace, const block_walk *walk, vef_trace_tail *tail,
                            vef_error *error) {
    if (!count_threads(trace, walk, tail))
        return vef_fail(error, VEF_CORRUPT, "its blocks have more threads than events");
    uint64_t count = tail->first_stream[trace->header.tasks], place = 0;
    tail->streams = vef_arena_alloc(&trace->arena, count, sizeof *tail->streams);
    tail->places = vef_arena_alloc(&trace->arena, walk->piece_count + 1, sizeof *tail->places);
    uint64_t *next = vef_calloc(walk->stream_count + 1, sizeof *next);
    for (size_t i = 0; i < walk->stream_count; i++) {
        const found_stream *found = &walk->streams[i];
        vef_trace_task *task = &tail->task[found->task];
        vef_stream_facts *facts = &tail->streams[tail->first_stream[found->task] + found->thread];
        *facts = found->facts;
        facts->first_place = next[i] = place;
        place += facts->pieces;
        task->events += facts->events;
        if (facts->requests > task->requests)
            task->requests = facts->requests;
    }
    for (size_t i = 0; i < walk->piece_count; i++)
        tail->places[next[walk->pieces[i].stream]++] = walk->pieces[i].place;
    free(next);
    return VEF_OK;
}

/* A summary that survived provides totals, and how completely recovered tasks ended. */
static void use_summary(vef_trace *trace, const block_walk *walk, vef_trace_tail *found) {
    vef_block block;
    vef_trace_tail said;
    uint8_t *raw = NULL;
    vef_tail_make(trace, &said);
    if (vef_trace_read_block(trace, walk->found[VEF_BLOCK_SUMMARY], VEF_BLOCK_SUMMARY, &block, &raw,
                             NULL) == VEF_OK &&
        vef_tail_read(trace, &block, raw, &said, NULL) == VEF_OK) {
        found->messages = said.messages;
        found->message_bytes = said.message_bytes;
        found->not_recorded = said.not_recorded;
        found->not_recorded_ns = said.not_recorded_ns;
        for (uint32_t i = 0; i < trace->header.tasks; i++) {
            found->task[i].skipped = said.task[i].skipped;
            if (said.task[i].events == found->task[i].events)
                found->task[i].record = found->task[i].end = said.task[i].end;
        }
    }
    free(raw);
}

static void use_behind(vef_trace *trace, const block_walk *walk, uint8_t kind,
                       vef_trace_tail *found) {
    vef_block block;
    uint8_t *raw = NULL;
    if (walk->found[kind] &&
        vef_trace_read_block(trace, walk->found[kind], kind, &block, &raw, NULL) == VEF_OK)
        vef_behind_take(trace, &block, raw, found, NULL);
    free(raw);
}

static void report_missing(vef_trace *trace, const block_walk *walk) {
    uint64_t cut = 0, events = trace->header.events;
    for (uint32_t i = 0; i < trace->header.tasks; i++)
        cut += vef_log_end_cuts(trace->header.task[i].end);
    char text[VEF_MESSAGE_BYTES];
    snprintf(
        text, sizeof text,
        "the index at its end is missing or damaged; of %llu bytes, whole blocks were found up "
        "to byte %llu, with %llu events; %llu of %u tasks are cut short",
        (unsigned long long)trace->size, (unsigned long long)walk->whole_until,
        (unsigned long long)events, (unsigned long long)cut, trace->header.tasks);
    trace->missing = vef_arena_string(&trace->arena, text);
}

vef_code vef_trace_recover(vef_trace *trace, vef_error *error) {
    block_walk walk = {0};
    vef_trace_tail tail;
    vef_tail_make(trace, &tail);
    vef_code code = walk_file(trace, &walk, error);
    if (!code)
        code = sort_pieces(trace, &walk, &tail, error);
    if (!code && walk.found[VEF_BLOCK_SUMMARY])
        use_summary(trace, &walk, &tail);
    for (uint8_t kind = VEF_BLOCK_MEASURED_ROWS; kind <= VEF_BLOCK_MEASURED && !code; kind++)
        use_behind(trace, &walk, kind, &tail);
    if (!code) {
        vef_tail_take(trace, &tail);
        report_missing(trace, &walk);
    }
    vef_map64_free(&walk.numbers);
    free(walk.streams);
    free(walk.pieces);
    return code ? vef_fail_within(error, "%s", trace->path) : VEF_OK;
}
