/* Reading a trace whose tail is missing or damaged: its blocks say themselves what they are, so a
 * walk over the file finds them; after damage the walk goes on at the next thing that is a block. A
 * task keeps the blocks that follow each other from its first. See trace_file.h. */
#include "traces/trace_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct found_block {
    vef_block_place place;
    uint32_t task;
} found_block;

typedef struct block_walk {
    found_block *list;
    size_t count, capacity;
    uint32_t *blocks;        /* per task: taken so far */
    uint64_t whole_until;    /* end of the last whole block */
    uint64_t summary_offset; /* 0: none */
} block_walk;

/* The next offset, from `at` on, where the first bytes of a block stand; the size of the file when
 * there is none. */
static vef_code next_magic(const vef_trace *trace, uint64_t *at, vef_error *error) {
    uint8_t piece[1 << 14];
    while (*at + 4 <= trace->size) {
        size_t size = trace->size - *at < sizeof piece ? trace->size - *at : sizeof piece;
        vef_code code = vef_read_at(trace->file, piece, size, *at, error);
        if (code)
            return code;
        const uint8_t *hit = memmem(piece, size, "VEFB", 4);
        if (hit) {
            *at += (uint64_t)(hit - piece);
            return VEF_OK;
        }
        *at += size - 3;
    }
    *at = trace->size;
    return VEF_OK;
}

static vef_code keep(vef_trace *trace, block_walk *walk, const vef_block *block, uint64_t offset,
                     vef_error *error) {
    if (block->task >= trace->header.tasks)
        return VEF_OK;
    vef_trace_task *task = &trace->task[block->task];
    if (block->sequence != walk->blocks[block->task] || block->first_event != task->events ||
        block->first_request != task->requests)
        return VEF_OK; /* one before it is missing */
    if (walk->count == walk->capacity) {
        size_t wanted = 2 * walk->capacity + 64;
        found_block *grown = realloc(walk->list, wanted * sizeof *grown);
        if (!grown)
            return vef_fail_memory(error, "the blocks of a damaged trace", wanted * sizeof *grown);
        walk->list = grown;
        walk->capacity = wanted;
    }
    walk->list[walk->count++] = (found_block){
        {offset, VEF_BLOCK_HEADER_BYTES + block->stored_bytes, block->events}, block->task};
    walk->blocks[block->task]++;
    task->events += block->events;
    task->requests += block->requests;
    return VEF_OK;
}

static vef_code walk_file(vef_trace *trace, block_walk *walk, vef_error *error) {
    uint64_t at = trace->blocks_begin;
    walk->whole_until = at;
    while (at + VEF_BLOCK_HEADER_BYTES <= trace->size) {
        uint8_t header[VEF_BLOCK_HEADER_BYTES];
        vef_block block;
        vef_code code = vef_read_at(trace->file, header, sizeof header, at, error);
        if (code)
            return code;
        bool whole = vef_block_unpack(header, &block) &&
                     block.stored_bytes <= trace->size - at - sizeof header;
        if (!whole) {
            at++;
            code = next_magic(trace, &at, error);
            if (code)
                return code;
            continue;
        }
        if (block.kind == VEF_BLOCK_EVENTS)
            code = keep(trace, walk, &block, at, error);
        if (block.kind == VEF_BLOCK_SUMMARY)
            walk->summary_offset = at;
        if (code)
            return code;
        at += sizeof header + block.stored_bytes;
        walk->whole_until = at;
    }
    return VEF_OK;
}

/* Puts the blocks task by task. */
static vef_code sort_places(vef_trace *trace, const block_walk *walk, vef_error *error) {
    uint32_t tasks = trace->header.tasks;
    trace->places = malloc((walk->count + 1) * sizeof *trace->places);
    uint64_t *next = malloc((tasks + 1ull) * sizeof *next);
    if (!trace->places || !next) {
        free(next);
        return vef_fail_memory(error, "the blocks of a damaged trace",
                               walk->count * sizeof *trace->places);
    }
    trace->first_place[0] = 0;
    for (uint32_t i = 0; i < tasks; i++)
        trace->first_place[i + 1] = trace->first_place[i] + walk->blocks[i];
    memcpy(next, trace->first_place, (tasks + 1ull) * sizeof *next);
    for (size_t i = 0; i < walk->count; i++)
        trace->places[next[walk->list[i].task]++] = walk->list[i].place;
    free(next);
    return VEF_OK;
}

/* A summary that survived tells totals, and how those tasks ended that are here whole. */
static void use_summary(vef_trace *trace, const block_walk *walk) {
    uint32_t tasks = trace->header.tasks;
    vef_trace_task *found = malloc(tasks * sizeof *found);
    uint64_t *first = malloc((tasks + 1ull) * sizeof *first);
    vef_block block;
    uint8_t *raw = NULL;
    if (found && first &&
        vef_trace_read_block(trace, walk->summary_offset, VEF_BLOCK_SUMMARY, &block, &raw, NULL) ==
            VEF_OK) {
        memcpy(found, trace->task, tasks * sizeof *found);
        memcpy(first, trace->first_place, (tasks + 1ull) * sizeof *first);
        bool whole = vef_trace_take_summary(trace, &block, raw, NULL) == VEF_OK;
        memcpy(trace->first_place, first, (tasks + 1ull) * sizeof *first);
        for (uint32_t i = 0; i < tasks; i++)
            if (!whole || trace->task[i].events != found[i].events)
                trace->task[i] = found[i];
    }
    free(raw);
    free(found);
    free(first);
}

static vef_code tell_missing(vef_trace *trace, const block_walk *walk, vef_error *error) {
    uint64_t cut = 0, events = 0;
    for (uint32_t i = 0; i < trace->header.tasks; i++) {
        cut += trace->task[i].end == VEF_LOG_CUT;
        events += trace->task[i].events;
    }
    trace->header.events = events;
    char text[VEF_MESSAGE_BYTES];
    snprintf(
        text, sizeof text,
        "the index at its end is missing or damaged; of %llu bytes, whole blocks were found up "
        "to byte %llu, with %llu events; %llu of %u tasks are cut short",
        (unsigned long long)trace->size, (unsigned long long)walk->whole_until,
        (unsigned long long)events, (unsigned long long)cut, trace->header.tasks);
    trace->missing = vef_arena_string(&trace->arena, text);
    return trace->missing ? VEF_OK : vef_fail_memory(error, "a message", sizeof text);
}

vef_code vef_trace_recover(vef_trace *trace, vef_error *error) {
    block_walk walk = {0};
    /* Whatever a damaged tail has said is forgotten. */
    memset(trace->task, 0, trace->header.tasks * sizeof *trace->task);
    for (uint32_t i = 0; i < trace->header.tasks; i++)
        trace->task[i].threads = 1;
    memset(trace->not_recorded, 0, vef_call_count() * sizeof *trace->not_recorded);
    memset(trace->first_place, 0, (trace->header.tasks + 1ull) * sizeof *trace->first_place);
    trace->header.messages = trace->header.message_bytes = 0;
    walk.blocks = calloc(trace->header.tasks, sizeof *walk.blocks);
    vef_code code = VEF_OK;
    if (!walk.blocks)
        code = vef_fail_memory(error, "the tasks", trace->header.tasks * sizeof *walk.blocks);
    if (!code)
        code = walk_file(trace, &walk, error);
    if (!code)
        code = sort_places(trace, &walk, error);
    if (!code && walk.summary_offset)
        use_summary(trace, &walk);
    if (!code)
        code = tell_missing(trace, &walk, error);
    free(walk.blocks);
    free(walk.list);
    return code ? vef_fail_within(error, "%s", trace->path) : VEF_OK;
}
