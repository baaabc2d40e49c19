/* Tracks of a timeline: slices, ends of arrows, the part, and the bound. See timeline_state.h. */
#include "replay/timeline/timeline_state.h"

#include "common/grow.h"

#include <inttypes.h>

/* What an executor that is behind may still add. */
enum { BEHIND_BYTES = 4096 };

/* ---- the bound ---- */

bool vef_shown_fits(vef_shown *self, uint64_t bytes) {
    const uint64_t used = self->timeline.bytes + self->owed_bytes;
    if (used + bytes > self->limit_bytes)
        self->full = true;
    const uint64_t spare = BEHIND_BYTES * self->track_count;
    const uint64_t reserve = spare < self->limit_bytes / 4 ? spare : self->limit_bytes / 4;
    if (!self->cut && used + bytes > self->limit_bytes - reserve) {
        self->cut = true;
        self->cut_ns = self->entered_ns + 1;
    }
    return !self->full;
}

bool vef_shown_begins(vef_shown *self, vef_shown_track *on, uint64_t time_ns) {
    if (self->cut && !on->in_call && time_ns >= self->cut_ns)
        on->stopped = true;
    return !on->stopped && vef_shown_fits(self, 1024);
}

/* ---- the part ---- */

bool vef_shown_task(const vef_shown *self, uint32_t task) {
    return !self->part || !self->part->chosen || self->part->chosen[task];
}

bool vef_shown_now(const vef_shown *self, const vef_shown_track *on, uint64_t time_ns) {
    const vef_slice_options *part = self->part;
    if (!part || on->in_call)
        return true;
    return on->group == VEF_SHOWN_TASKS && !on->beside && vef_shown_task(self, on->task) &&
           vef_selector_is_inside(&self->selectors[on->task]) &&
           (!part->by_time || (time_ns >= part->from_ns && time_ns < part->to_ns));
}

/* ---- tracks and slices ---- */

vef_shown_track *vef_shown_track_of(vef_shown *self, uint32_t who) {
    return who < self->track_count ? &self->tracks[who] : NULL;
}

void vef_shown_reserve(vef_shown *self, uint32_t count) {
    vef_grow(&self->tracks, &self->track_room, count, sizeof *self->tracks);
    for (; self->track_count < count; self->track_count++)
        self->tracks[self->track_count] = (vef_shown_track){.group = VEF_SHOWN_PLANS};
}

uint64_t vef_shown_move(vef_shown *self, vef_shown_track *on, uint64_t time_ns) {
    on->last_ns = vef_later(on->last_ns, time_ns);
    self->end_ns = vef_later(self->end_ns, on->last_ns);
    return on->last_ns;
}

void vef_shown_begin(vef_shown *self, vef_shown_track *on, uint64_t time_ns, const char *category,
                     const char *name, const vef_timeline_argument *arguments, size_t count) {
    vef_timeline_slice(&self->timeline, on->group, on->place, vef_shown_move(self, on, time_ns),
                       category, name, arguments, count);
}

void vef_shown_end(vef_shown *self, vef_shown_track *on, uint64_t time_ns, const char *name) {
    vef_timeline_slice_end(&self->timeline, on->group, on->place, vef_shown_move(self, on, time_ns),
                           name);
}

void vef_shown_end_call(vef_shown *self, vef_shown_track *on, uint64_t time_ns) {
    char title[VEF_CALL_TITLE_BYTES];
    if (!on->in_call)
        return;
    vef_shown_flush(self, on, time_ns, true);
    vef_call_title(on->call, title);
    vef_shown_end(self, on, time_ns, title);
    self->owed_bytes -= VEF_SHOWN_END_BYTES;
    on->in_call = false;
}

/* ---- ends of arrows ---- */

/* At a target an arrow enters and leaves without a call: by a slice that names its call. */
static void put_at_target(vef_shown *self, vef_shown_track *on, const vef_arrow_end *end,
                          uint64_t time_ns) {
    char title[VEF_CALL_TITLE_BYTES], name[VEF_CALL_TITLE_BYTES + 40];
    vef_call_title(end->call, title);
    snprintf(name, sizeof name, "%s of task %" PRIu32, title, end->peer);
    if (end->enters) {
        vef_timeline_arrow_enters(&self->timeline, on->group, on->place, time_ns, end->number,
                                  name);
        return;
    }
    vef_shown_begin(self, on, time_ns, "arrow", name, NULL, 0);
    vef_timeline_arrow_leaves(&self->timeline, on->group, on->place, time_ns, end->number);
    vef_shown_end(self, on, time_ns, name);
}

static void put_arrow_end(vef_shown *self, vef_shown_track *on, const vef_arrow_end *end) {
    const uint64_t time_ns = vef_shown_move(self, on, end->time_ns);
    char name[40];
    self->owed_bytes -= VEF_SHOWN_ARROW_BYTES;
    if (on->group == VEF_SHOWN_TARGETS) {
        put_at_target(self, on, end, time_ns);
    } else if (end->enters) {
        snprintf(name, sizeof name, "from task %" PRIu32, end->peer);
        vef_timeline_arrow_enters(&self->timeline, on->group, on->place, time_ns, end->number,
                                  name);
    } else {
        vef_timeline_arrow_leaves(&self->timeline, on->group, on->place, time_ns, end->number);
    }
}

void vef_shown_flush(vef_shown *self, vef_shown_track *on, uint64_t until_ns, bool leaving) {
    size_t kept = 0;
    for (size_t i = 0; i < on->queued; i++)
        if (on->queue[i].time_ns <= until_ns || (leaving && !on->queue[i].enters))
            put_arrow_end(self, on, &on->queue[i]);
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

void vef_shown_lose(vef_shown *self, vef_arrow_end end) {
    vef_grow(&self->lost, &self->lost_room, self->lost_count + 1, sizeof *self->lost);
    self->lost[self->lost_count++] = end;
}

void vef_shown_lose_queue(vef_shown *self, vef_shown_track *on) {
    for (size_t i = 0; i < on->queued; i++)
        vef_shown_lose(self, on->queue[i]);
    on->queued = 0;
}

void vef_shown_put_lost(vef_shown *self) {
    if (self->lost_count == 0)
        return;
    vef_shown_track beside = {.group = VEF_SHOWN_LOST, .place = 1, .last_ns = self->end_ns};
    vef_timeline_group(&self->timeline, beside.group,
                       "messages whose receive is not in the timeline");
    vef_timeline_track(&self->timeline, beside.group, beside.place, "not received");
    for (size_t i = 0; i < self->lost_count; i++)
        put_arrow_end(self, &beside, &self->lost[i]);
}
