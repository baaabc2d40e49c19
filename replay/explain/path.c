/* The walk along the critical path. See path.h. */
#include "replay/explain/path.h"

#include "common/memory.h"
#include "traces/call.h"

#include <stdlib.h>

/* ---- the walk ---- */

typedef struct walk {
    const vef_time_record *record;
    vef_path_visitor *visit;
    void *context;
    uint32_t track;
    uint64_t time_ps;
    uint64_t turns; /* to other tracks since the time changed */
} walk;

/* The segment in which a track was just before a time; for a plan that began at that very time, its
 * beginning. The count if the time is beyond the last one. */
static size_t find(const vef_track *track, uint64_t time_ps) {
    size_t low = 0, high = track->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (track->segments[middle].end_ps < time_ps)
            low = middle + 1;
        else
            high = middle;
    }
    while (low + 1 < track->count && track->segments[low + 1].end_ps == time_ps)
        low++;
    return low;
}

static void report(const walk *position, const vef_path_piece *piece) {
    if (piece->end_ps > piece->begin_ps)
        position->visit(position->context, piece);
}

/* The path goes along the track, from its time back to `begin_ps`. */
static void stay(walk *position, vef_cause cause, const vef_track_segment *segment,
                 uint64_t begin_ps) {
    const uint32_t task = position->record->tracks[position->track].task;
    vef_path_piece piece = {
        .begin_ps = begin_ps, .end_ps = position->time_ps, .task = task, .from_task = task};
    if (segment) {
        piece.place = segment->place;
        piece.region = segment->region;
    }
    piece.ps.by_cause[cause] = position->time_ps - begin_ps;
    report(position, &piece);
    if (begin_ps < position->time_ps)
        position->turns = 0;
    position->time_ps = begin_ps;
}

/* The path comes from another track. */
static void turn(walk *position, const vef_track_segment *segment) {
    const vef_time_record *record = position->record;
    const vef_segment_link *link = &record->links[segment->link];
    vef_path_piece piece = {.begin_ps = link->origin.time_ps,
                            .end_ps = position->time_ps,
                            .task = record->tracks[position->track].task,
                            .from_task = record->tracks[link->origin.who].task,
                            .place = segment->place,
                            .region = segment->region,
                            .message = segment->kind == VEF_SEGMENT_WAIT};
    for (unsigned cause = VEF_CAUSE_WINDOW; cause < VEF_CAUSES; cause++)
        piece.ps.by_cause[cause] = link->ps[cause - VEF_CAUSE_WINDOW];
    report(position, &piece);
    position->turns = link->origin.time_ps < position->time_ps ? 0 : position->turns + 1;
    position->track = link->origin.who;
    position->time_ps = link->origin.time_ps;
}

static vef_cause cause_of(const vef_track_segment *segment) {
    static const vef_cause causes[] = {
        [VEF_SEGMENT_COMPUTING] = VEF_CAUSE_COMPUTING, [VEF_SEGMENT_OUTSIDE] = VEF_CAUSE_OUTSIDE,
        [VEF_SEGMENT_OVERHEAD] = VEF_CAUSE_OVERHEAD,   [VEF_SEGMENT_WAIT] = VEF_CAUSE_LOCAL,
        [VEF_SEGMENT_FOLLOW] = VEF_CAUSE_LOCAL,
    };
    return causes[segment->kind];
}

/* Goes back along a track until the path leaves it, or time begins. */
static void go_back(walk *position) {
    const vef_track *track = &position->record->tracks[position->track];
    size_t index = find(track, position->time_ps);
    if (index == track->count) /* with costs of hosts: a message handled after the last call */
        stay(position, VEF_CAUSE_LOCAL, NULL, track->until_ps);
    /* Executors that release each other at one time could only do so in a circle if a record were
     * wrong; the time then counts as the task's own. */
    const bool may_turn = position->turns <= position->record->track_count;
    for (index = index < track->count ? index + 1 : index; index > 0; index--) {
        const vef_track_segment *segment = &track->segments[index - 1];
        if (segment->link != VEF_NO_LINK && segment->end_ps == position->time_ps && may_turn) {
            turn(position, segment);
            return;
        }
        stay(position, cause_of(segment), segment, vef_segment_begin(track, index - 1));
    }
    position->time_ps = 0;
}

void vef_path_walk(const vef_time_record *record, vef_path_visitor *visit, void *context) {
    const vef_task_end *last = NULL;
    for (uint32_t task = 0; task < record->tasks; task++)
        if (!last || record->ends[task].end_ps > last->end_ps)
            last = &record->ends[task];
    if (!last || last->track >= record->track_count)
        return;
    walk position = {record, visit, context, last->track, last->end_ps, 0};
    while (position.time_ps > 0)
        go_back(&position);
}

/* ---- its shares ---- */

typedef struct sums {
    vef_path *path;
    uint64_t *places, *regions, *tasks;
} sums;

static void add_piece(void *context, const vef_path_piece *piece) {
    sums *totals = context;
    const uint64_t ps = piece->end_ps - piece->begin_ps;
    totals->path->pieces++;
    totals->path->messages += piece->message;
    totals->path->end_ps += ps;
    vef_cause_add(&totals->path->ps, &piece->ps);
    if (piece->place)
        totals->places[piece->place] += ps;
    totals->regions[piece->region] += ps;
    totals->tasks[piece->task] += ps;
}

/* The largest of `count` sums that are not 0, in descending order. */
static size_t top_of(const uint64_t *ps, size_t count, vef_path_share *top) {
    size_t found = 0;
    for (size_t i = 0; i < count; i++) {
        if (ps[i] == 0 || (found == VEF_PATH_TOP && ps[i] <= top[found - 1].ps))
            continue;
        size_t place = found < VEF_PATH_TOP ? found++ : found - 1;
        for (; place > 0 && top[place - 1].ps < ps[i]; place--)
            top[place] = top[place - 1];
        top[place] = (vef_path_share){(uint32_t)i, ps[i]};
    }
    return found;
}

void vef_path_find(const vef_time_record *record, vef_path *path) {
    const size_t regions = record->region_count + 1;
    const size_t places = VEF_CALL_COUNT + record->site_place_count;
    const size_t words = places + regions + record->tasks;
    *path = (vef_path){0};
    uint64_t *ps = vef_calloc(words, sizeof *ps);
    sums totals = {path, ps, ps + places, ps + places + regions};
    vef_path_walk(record, add_piece, &totals);
    path->site_count = top_of(ps + VEF_CALL_COUNT, record->site_place_count, path->sites);
    for (size_t place = VEF_CALL_COUNT; place < places; place++)
        ps[vef_time_record_call(record, (unsigned)place)] += ps[place];
    for (size_t i = 0; i < path->site_count; i++)
        path->sites[i].number += VEF_CALL_COUNT;
    path->call_count = top_of(ps, VEF_CALL_COUNT, path->calls);
    path->region_count = top_of(totals.regions, regions, path->regions);
    path->task_count = top_of(totals.tasks, record->tasks, path->tasks);
    free(ps);
}
