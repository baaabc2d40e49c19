/* Listens for an explanation. See time_record.h. */
#include "replay/explain/time_record.h"

#include "common/containers/grow.h"
#include "common/memory.h"
#include "traces/call.h"

#include <stdlib.h>
#include <string.h>

/* ---- tracks ---- */

/* Makes sure that there are so many tracks. */
static void reserve_tracks(vef_time_record *record, uint32_t count) {
    vef_grow(&record->tracks, &record->track_room, count, sizeof *record->tracks);
    for (; record->track_count < count; record->track_count++)
        record->tracks[record->track_count] = (vef_track){0};
}

/* The track is up to `until_ps` in a segment of this kind. */
static void extend(vef_time_record *record, uint32_t who, vef_segment_kind kind, uint32_t link,
                   uint64_t until_ps) {
    vef_track *track = &record->tracks[who];
    const unsigned place = kind == VEF_SEGMENT_COMPUTING ? 0 : track->place & 0xfffu;
    const unsigned depth =
        track->depth < VEF_DEEPEST_REGION ? track->depth : (unsigned)VEF_DEEPEST_REGION;
    const vef_track_segment next = {.end_ps = until_ps,
                                    .link = link,
                                    .kind = (unsigned)kind & 0xfu,
                                    .place = place & 0xfffu,
                                    .region = track->regions[depth]};
    vef_track_segment *last = track->count ? &track->segments[track->count - 1] : NULL;
    track->until_ps = until_ps;
    if (last && link == VEF_NO_LINK && last->link == VEF_NO_LINK && last->kind == next.kind &&
        last->place == next.place && last->region == next.region) {
        last->end_ps = until_ps;
        return;
    }
    vef_grow(&track->segments, &track->room, track->count + 1, sizeof next);
    track->segments[track->count++] = next;
}

/* A new link. */
static uint32_t add_link(vef_time_record *record, vef_origin origin, const vef_cause_ps *ps) {
    if (record->link_count >= VEF_NO_LINK)
        vef_lost(SIZE_MAX);
    vef_segment_link *link = VEF_NEW_ITEM(record->links, record->link_count, record->link_room);
    link->origin = origin;
    memcpy(link->ps, ps->by_cause + VEF_CAUSE_WINDOW, sizeof link->ps);
    return (uint32_t)record->link_count - 1;
}

/* ---- events ---- */

static void begins(void *context, const vef_replay_shape *shape) {
    vef_time_record *record = context;
    record->tasks = shape->tasks;
    record->strands = shape->strands;
    record->ends = vef_calloc(shape->tasks ? shape->tasks : 1, sizeof *record->ends);
    reserve_tracks(record, shape->strands);
    for (uint32_t strand = 0; strand < shape->strands; strand++)
        record->tracks[strand].task = shape->task_of[strand];
}

static void starts(void *context, uint32_t strand, uint64_t time_ps) {
    vef_time_record *record = context;
    if (strand < record->track_count)
        record->tracks[strand].begin_ps = record->tracks[strand].until_ps = time_ps;
}

/* The number of a region, from 1; 0 if there is no room for it. */
static uint16_t region_of(vef_time_record *record, const char *name) {
    for (size_t i = 0; i < record->region_count; i++)
        if (strcmp(record->regions[i], name) == 0)
            return (uint16_t)(i + 1);
    if (record->region_count + 1 == VEF_SEGMENT_REGIONS)
        return 0;
    *VEF_NEW_ITEM(record->regions, record->region_count, record->region_room) = vef_strdup(name);
    return (uint16_t)record->region_count;
}

/* The place of a call from a site; without room for more that of the call from anywhere. */
static uint16_t place_of(vef_time_record *record, uint16_t call, uint32_t site) {
    const vef_site *caller = record->trace ? vef_trace_site(record->trace, site) : NULL;
    site = caller ? caller->place : site;
    const uint64_t key = (uint64_t)site << 16 | call;
    if (site == 0)
        return call;
    const uint64_t *known = vef_map64_get(&record->place_of, key);
    if (known || record->site_place_count == VEF_SEGMENT_PLACES - VEF_CALL_COUNT)
        return known ? (uint16_t)*known : call;
    const uint16_t place = (uint16_t)(VEF_CALL_COUNT + record->site_place_count);
    *VEF_NEW_ITEM(record->site_places, record->site_place_count, record->site_place_room) =
        (vef_site_place){site, call};
    vef_map64_set(&record->place_of, key, place);
    return place;
}

static void enters(void *context, uint32_t strand, const vef_event *event, uint64_t time_ps) {
    vef_time_record *record = context;
    (void)time_ps;
    if (strand >= record->track_count)
        return;
    vef_track *track = &record->tracks[strand];
    track->place = place_of(record, event->call, event->site);
    if (event->call == VEF_CALL_Region_begin) {
        if (++track->depth <= VEF_DEEPEST_REGION)
            track->regions[track->depth] = region_of(record, event->name ? event->name : "");
    } else if (event->call == VEF_CALL_Region_end && track->depth > 0) {
        track->depth--;
    }
}

static void leaves(void *context, uint32_t strand, uint64_t time_ps) {
    vef_time_record *record = context;
    (void)time_ps;
    if (strand >= record->track_count)
        return;
    record->tracks[strand].place = 0;
    record->tracks[strand].left_ps = record->tracks[strand].ps;
}

static void starts_plan(void *context, uint32_t who, uint32_t strand, uint16_t call,
                        uint64_t time_ps) {
    vef_time_record *record = context;
    reserve_tracks(record, who + 1);
    if (strand >= record->track_count)
        return;
    vef_track *track = &record->tracks[who];
    const vef_track *starter = &record->tracks[strand];
    track->task = starter->task;
    track->place = place_of(record, call, vef_time_record_site(record, starter->place));
    track->depth = starter->depth;
    memcpy(track->regions, starter->regions, sizeof track->regions);
    const vef_cause_ps none = {{0}};
    extend(record, who, VEF_SEGMENT_FOLLOW, add_link(record, (vef_origin){strand, time_ps}, &none),
           time_ps);
}

static void spends(void *context, uint32_t who, vef_spent kind, uint64_t until_ps) {
    static const struct {
        vef_segment_kind segment;
        vef_cause cause;
    } kinds[] = {
        [VEF_SPENT_COMPUTING] = {VEF_SEGMENT_COMPUTING, VEF_CAUSE_COMPUTING},
        [VEF_SPENT_OUTSIDE] = {VEF_SEGMENT_OUTSIDE, VEF_CAUSE_OUTSIDE},
        [VEF_SPENT_OVERHEAD] = {VEF_SEGMENT_OVERHEAD, VEF_CAUSE_OVERHEAD},
    };
    vef_time_record *record = context;
    if (who >= record->track_count || until_ps <= record->tracks[who].until_ps)
        return;
    record->tracks[who].ps.by_cause[kinds[kind].cause] += until_ps - record->tracks[who].until_ps;
    extend(record, who, kinds[kind].segment, VEF_NO_LINK, until_ps);
}

/* The cause of a wait for the other side of a message. */
static vef_cause wait_of(const vef_carried_message *message, uint32_t task) {
    if (message->collective)
        return VEF_CAUSE_COLLECTIVE;
    if (message->window)
        return VEF_CAUSE_WINDOW;
    return task == message->receiver ? VEF_CAUSE_LATE_SENDER : VEF_CAUSE_LATE_RECEIVER;
}

/* Blocked until a message was complete. */
static void wait_for_message(vef_time_record *record, uint32_t who,
                             const vef_carried_message *message, uint64_t since_ps,
                             uint64_t until_ps) {
    vef_track *track = &record->tracks[who];
    const vef_cause wait = wait_of(message, track->task);
    const vef_origin origin = vef_carried_origin(message, until_ps);
    vef_cause_ps way = {{0}};
    uint32_t link = VEF_NO_LINK;
    vef_carried_charge(message, track->until_ps, since_ps, until_ps, wait, &track->ps);
    if (origin.who < record->track_count && origin.time_ps <= until_ps) {
        vef_carried_charge(message, origin.time_ps, 0, until_ps, VEF_CAUSE_WINDOW, &way);
        link = add_link(record, origin, &way);
    }
    extend(record, who, VEF_SEGMENT_WAIT, link, until_ps);
}

static void waits(void *context, uint32_t who, uint64_t since_ps, uint64_t until_ps) {
    vef_time_record *record = context;
    const vef_carried_message *message =
        record->release == VEF_RELEASE_MESSAGE
            ? vef_carried_get(&record->messages, record->released_by)
            : NULL;
    if (who >= record->track_count || until_ps <= record->tracks[who].until_ps)
        return;
    vef_track *track = &record->tracks[who];
    if (message) {
        wait_for_message(record, who, message, since_ps, until_ps);
        return;
    }
    const vef_cause_ps none = {{0}};
    const bool plan =
        record->release == VEF_RELEASE_PLAN && record->released_by < record->track_count;
    /* A plan whose messages are complete goes on for the costs of its steps. */
    track->ps.by_cause[plan ? VEF_CAUSE_OVERHEAD : VEF_CAUSE_LOCAL] += until_ps - track->until_ps;
    if (plan)
        extend(record, who, VEF_SEGMENT_FOLLOW,
               add_link(record, (vef_origin){(uint32_t)record->released_by, until_ps}, &none),
               until_ps);
    else
        extend(record, who, VEF_SEGMENT_WAIT, VEF_NO_LINK, until_ps);
}

static void follows(void *context, uint32_t strand, uint32_t other, uint64_t until_ps) {
    vef_time_record *record = context;
    if (strand >= record->track_count || other >= record->track_count)
        return;
    const vef_cause_ps none = {{0}};
    record->tracks[strand].ps = record->tracks[other].left_ps;
    extend(record, strand, VEF_SEGMENT_FOLLOW,
           add_link(record, (vef_origin){other, until_ps}, &none), until_ps);
}

static void releases(void *context, vef_release_kind release, uint64_t number) {
    vef_time_record *record = context;
    record->release = release;
    record->released_by = number;
}

/* Takes from the causes of a task what was reported beyond its end, when a replay stops: time that
 * tasks know ahead, which is never that of a transfer. */
static void cut(vef_cause_ps *ps, uint64_t excess) {
    static const vef_cause order[] = {VEF_CAUSE_OUTSIDE, VEF_CAUSE_COMPUTING, VEF_CAUSE_OVERHEAD,
                                      VEF_CAUSE_LOCAL};
    for (size_t i = 0; i < sizeof order / sizeof *order; i++) {
        uint64_t *share = &ps->by_cause[order[i]];
        const uint64_t taken = excess < *share ? excess : *share;
        *share -= taken;
        excess -= taken;
    }
}

static void ends(void *context, uint32_t task, uint32_t strand, uint64_t end_ps) {
    vef_time_record *record = context;
    if (strand >= record->track_count)
        return;
    /* With costs of hosts, processors handle messages for which no call waits. */
    if (end_ps > record->tracks[strand].until_ps)
        spends(record, strand, VEF_SPENT_OVERHEAD, end_ps);
    record->ends[task] = (vef_task_end){strand, end_ps, record->tracks[strand].ps};
    if (record->tracks[strand].until_ps > end_ps)
        cut(&record->ends[task].ps, record->tracks[strand].until_ps - end_ps);
}

/* ---- the whole ---- */

void vef_time_record_begin(vef_time_record *record) {
    *record = (vef_time_record){.listener = {.context = record,
                                             .begins = begins,
                                             .starts = starts,
                                             .enters = enters,
                                             .leaves = leaves,
                                             .starts_plan = starts_plan,
                                             .spends = spends,
                                             .waits = waits,
                                             .follows = follows,
                                             .releases = releases,
                                             .ends = ends}};
    vef_carried_begin(&record->messages);
}

void vef_time_record_listen(vef_time_record *record, const vef_listener **listeners) {
    vef_listen(listeners, &record->listener);
    vef_listen(listeners, &record->messages.listener);
}

void vef_time_record_release(vef_time_record *record) {
    for (uint32_t i = 0; i < record->track_count; i++)
        free(record->tracks[i].segments);
    for (size_t i = 0; i < record->region_count; i++)
        free(record->regions[i]);
    vef_carried_release(&record->messages);
    free(record->tracks);
    free(record->links);
    free(record->ends);
    free(record->regions);
    free(record->site_places);
    vef_map64_free(&record->place_of);
    *record = (vef_time_record){0};
}

uint64_t vef_time_record_bytes(const vef_time_record *record) {
    const vef_carried_messages *messages = &record->messages;
    uint64_t bytes = record->track_room * sizeof *record->tracks +
                     record->link_room * sizeof *record->links +
                     (messages->rooms[0] + messages->rooms[1]) * sizeof *messages->lists[0] +
                     messages->free_room * sizeof *messages->free_ps;
    for (uint32_t i = 0; i < record->track_count; i++)
        bytes += record->tracks[i].room * sizeof(vef_track_segment);
    return bytes;
}
