/* Tracks of a timeline: slices, ends of arrows, the part, and the bound. See timeline_state.h. */
#include "replay/timeline/timeline_state.h"

#include "common/containers/grow.h"

#include <inttypes.h>

/* What an executor that is behind may still add. */
enum { BEHIND_BYTES = 4096 };

/* ---- the bound ---- */

bool vef_shown_fits(vef_shown *shown, uint64_t bytes) {
    const uint64_t used = shown->timeline.bytes + shown->owed_bytes;
    if (used + bytes > shown->limit_bytes)
        shown->full = true;
    const uint64_t spare = BEHIND_BYTES * shown->track_count;
    const uint64_t reserve = spare < shown->limit_bytes / 4 ? spare : shown->limit_bytes / 4;
    if (!shown->cut && used + bytes > shown->limit_bytes - reserve) {
        shown->cut = true;
        shown->cut_ns = shown->entered_ns + 1;
    }
    return !shown->full;
}

bool vef_shown_begins(vef_shown *shown, vef_shown_track *on, uint64_t time_ns) {
    if (shown->cut && !on->in_call && time_ns >= shown->cut_ns)
        on->stopped = true;
    return !on->stopped && vef_shown_fits(shown, 1024);
}

/* ---- the part ---- */

bool vef_shown_task(const vef_shown *shown, uint32_t task) {
    return !shown->part || !shown->part->chosen || shown->part->chosen[task];
}

bool vef_shown_now(const vef_shown *shown, const vef_shown_track *on, uint64_t time_ns) {
    const vef_slice_options *part = shown->part;
    if (!part || on->in_call)
        return true;
    return on->group == VEF_SHOWN_TASKS && !on->beside && vef_shown_task(shown, on->task) &&
           vef_selector_is_inside(&shown->selectors[on->task]) &&
           (!part->by_time || (time_ns >= part->from_ns && time_ns < part->to_ns));
}

/* ---- tracks and slices ---- */

vef_shown_track *vef_shown_track_of(vef_shown *shown, uint32_t who) {
    return who < shown->track_count ? &shown->tracks[who] : NULL;
}

void vef_shown_reserve(vef_shown *shown, uint32_t count) {
    vef_grow(&shown->tracks, &shown->track_room, count, sizeof *shown->tracks);
    for (; shown->track_count < count; shown->track_count++)
        shown->tracks[shown->track_count] = (vef_shown_track){.group = VEF_SHOWN_PLANS};
}

uint64_t vef_shown_move(vef_shown *shown, vef_shown_track *on, uint64_t time_ns) {
    on->last_ns = vef_later(on->last_ns, time_ns);
    shown->end_ns = vef_later(shown->end_ns, on->last_ns);
    return on->last_ns;
}

void vef_shown_begin(vef_shown *shown, vef_shown_track *on, uint64_t time_ns, const char *category,
                     const char *name, const vef_timeline_argument *arguments, size_t count) {
    vef_timeline_slice(&shown->timeline, on->group, on->place, vef_shown_move(shown, on, time_ns),
                       category, name, arguments, count);
}

void vef_shown_end(vef_shown *shown, vef_shown_track *on, uint64_t time_ns, const char *name) {
    vef_timeline_slice_end(&shown->timeline, on->group, on->place,
                           vef_shown_move(shown, on, time_ns), name);
}

void vef_shown_end_call(vef_shown *shown, vef_shown_track *on, uint64_t time_ns) {
    char title[VEF_CALL_TITLE_BYTES];
    if (!on->in_call)
        return;
    vef_shown_flush(shown, on, time_ns, true);
    vef_call_title(on->call, title);
    vef_shown_end(shown, on, time_ns, title);
    shown->owed_bytes -= VEF_SHOWN_END_BYTES;
    on->in_call = false;
}

/* ---- ends of arrows ---- */

static void put_arrow_end(vef_shown *shown, vef_shown_track *on, const vef_arrow_end *end) {
    char title[VEF_CALL_TITLE_BYTES], name[VEF_CALL_TITLE_BYTES + 40];
    vef_timeline_arrow put = {.group = on->group,
                              .track = on->place,
                              .row = on->row,
                              .time_ns = vef_shown_move(shown, on, end->time_ns),
                              .number = end->number,
                              .bytes = end->bytes,
                              .name = end->enters ? name : NULL};
    const bool at_target = on->group == VEF_SHOWN_TARGETS;
    shown->owed_bytes -= VEF_SHOWN_ARROW_BYTES;
    if (at_target) {
        vef_call_title(end->call, title);
        snprintf(name, sizeof name, "%s of task %" PRIu32, title, end->peer);
    } else if (end->enters) {
        snprintf(name, sizeof name, "from task %" PRIu32, end->peer);
    }
    /* From a target an arrow leaves without a call: by a slice that names its call. */
    if (at_target && !end->enters)
        vef_shown_begin(shown, on, put.time_ns, "arrow", name, NULL, 0);
    vef_timeline_arrow_end(&shown->timeline, &put);
    if (at_target && !end->enters)
        vef_shown_end(shown, on, put.time_ns, name);
}

void vef_shown_flush(vef_shown *shown, vef_shown_track *on, uint64_t until_ns, bool leaving) {
    size_t kept = 0;
    for (size_t i = 0; i < on->queued; i++)
        if (on->queue[i].time_ns <= until_ns || (leaving && !on->queue[i].enters))
            put_arrow_end(shown, on, &on->queue[i]);
        else
            on->queue[kept++] = on->queue[i];
    on->queued = kept;
}

void vef_shown_queue(vef_shown_track *on, vef_arrow_end end) {
    vef_grow(&on->queue, &on->queue_room, on->queued + 1, sizeof *on->queue);
    size_t place = on->queued++;
    for (; place > 0 && on->queue[place - 1].time_ns > end.time_ns; place--)
        on->queue[place] = on->queue[place - 1];
    on->queue[place] = end;
}

void vef_shown_lose(vef_shown *shown, vef_arrow_end end) {
    *VEF_NEW_ITEM(shown->lost, shown->lost_count, shown->lost_room) = end;
}

void vef_shown_lose_queue(vef_shown *shown, vef_shown_track *on) {
    for (size_t i = 0; i < on->queued; i++)
        vef_shown_lose(shown, on->queue[i]);
    on->queued = 0;
}

void vef_shown_put_lost(vef_shown *shown) {
    if (shown->lost_count == 0)
        return;
    vef_shown_track beside = {.group = VEF_SHOWN_LOST, .place = 1, .last_ns = shown->end_ns};
    vef_timeline_group(&shown->timeline, beside.group,
                       "messages whose receive is not in the timeline");
    vef_timeline_track(&shown->timeline, beside.group, beside.place, "not received");
    for (size_t i = 0; i < shown->lost_count; i++)
        put_arrow_end(shown, &beside, &shown->lost[i]);
}
