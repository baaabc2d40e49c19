/* Messages as arrows, from the events of a replay. See timeline_state.h. */
#include "replay/timeline/timeline_state.h"

#include "common/grow.h"
#include "common/memory.h"

#include <stdlib.h>
#include <string.h>

/* Room for the record of a number in the array at `list`, all 0 if new. */
static void reserve(void *list, size_t *room, uint64_t number, size_t size) {
    const size_t before = *room;
    char *records;
    vef_grow(list, room, number + 1, size);
    memcpy(&records, list, sizeof records);
    if (*room > before)
        memset(records + before * size, 0, (*room - before) * size);
}

/* ---- messages with two sides ---- */

/* The record of a message with two sides, created if absent; else NULL. `first`: it is new. */
static vef_shown_message *message_of(vef_shown *self, uint64_t id, bool first) {
    const unsigned part = id % VEF_MESSAGE_PARTS;
    const uint64_t number = id / VEF_MESSAGE_PARTS;
    if (part == VEF_MESSAGE_ONE_SIDED || part == VEF_MESSAGE_BROADCAST)
        return NULL;
    reserve(&self->messages, &self->message_room, number, sizeof *self->messages);
    vef_shown_message *of = &self->messages[number];
    if (first && of->number) /* nobody received the one before */
        vef_shown_lose(self,
                       (vef_arrow_end){.number = of->number, .peer = of->sender, .enters = true});
    if (first)
        *of = (vef_shown_message){.posted_by = VEF_NO_SHOWN_TRACK};
    return of;
}

/* An arrow leaves the call that is open on the track; its number, 0 if there is no such call.
 * `*sent_ns`: when it leaves. It is written at once if the track is up to then: of events at one
 * time Perfetto takes those first that the file has first, and drops an arrow that enters first. */
static uint64_t leave(vef_shown *self, vef_shown_track *on, uint32_t receiver, uint64_t *sent_ns) {
    if (!on || !on->in_call || on->stopped)
        return 0;
    if (!vef_shown_task(self, receiver)) {
        self->ends_outside++;
        return 0;
    }
    if (!vef_shown_fits(self, 2 * VEF_SHOWN_ARROW_BYTES))
        return 0;
    *sent_ns = vef_later(*sent_ns, on->last_ns);
    vef_shown_queue(on, (vef_arrow_end){.time_ns = *sent_ns, .number = self->arrows + 1});
    self->owed_bytes += 2 * VEF_SHOWN_ARROW_BYTES; /* for both ends */
    vef_shown_flush(self, on, on->last_ns, false);
    return ++self->arrows;
}

/* It enters the track of an executor, if that is in the timeline then. */
static void enter(vef_shown *self, uint32_t who, vef_arrow_end end) {
    vef_shown_track *on = vef_shown_track_of(self, who);
    if (on && on->named && !on->stopped && vef_shown_now(self, on, end.time_ns))
        vef_shown_queue(on, end);
    else
        vef_shown_lose(self, end);
}

static void sends(void *context, const vef_message_call *call) {
    vef_shown *self = context;
    if (call->id % VEF_MESSAGE_PARTS == VEF_MESSAGE_ONE_SIDED) {
        const uint64_t number = call->id / VEF_MESSAGE_PARTS;
        const vef_shown_track *on = vef_shown_track_of(self, call->who);
        if (!on)
            return;
        reserve(&self->flights, &self->flight_room, number, sizeof *self->flights);
        self->flights[number] = (vef_shown_flight){.who = call->who,
                                                   .origin = call->sender,
                                                   .target = call->receiver,
                                                   .call = on->call,
                                                   .answered = call->answered};
        return;
    }
    vef_shown_message *of = message_of(self, call->id, call->first);
    vef_shown_track *on = vef_shown_track_of(self, call->who);
    if (!of || !on)
        return;
    of->sent_ns = vef_shown_ns(call->time_ps);
    of->sender = call->sender;
    of->ready_ps = vef_later(of->ready_ps, call->time_ps);
    of->number = leave(self, on, call->receiver, &of->sent_ns);
}

static void posts(void *context, const vef_message_call *call) {
    vef_shown *self = context;
    vef_shown_message *of = message_of(self, call->id, call->first);
    if (!of)
        return;
    of->posted_by = call->who;
    of->ready_ps = vef_later(of->ready_ps, call->time_ps);
}

/* Data are at their receiver. */
static void arrives(vef_shown *self, uint64_t id, uint64_t time_ps) {
    vef_shown_message *of =
        id % VEF_MESSAGE_PARTS == VEF_MESSAGE_DATA ? message_of(self, id, false) : NULL;
    if (of)
        of->ready_ps = vef_later(of->ready_ps, time_ps);
}

/* A message with both sides is complete. */
static void releases(void *context, vef_release_kind release, uint64_t number) {
    vef_shown *self = context;
    vef_shown_message *of = release == VEF_RELEASE_MESSAGE ? message_of(self, number, false) : NULL;
    vef_shown_track *plan =
        release == VEF_RELEASE_PLAN ? vef_shown_track_of(self, (uint32_t)number) : NULL;
    if (plan)
        vef_shown_end_call(self, plan, vef_shown_ns(plan->until_ps));
    if (!of || of->posted_by == VEF_NO_SHOWN_TRACK) /* for a probe */
        return;
    const vef_arrow_end end = {.time_ns = vef_later(of->sent_ns, vef_shown_ns(of->ready_ps)),
                               .number = of->number,
                               .peer = of->sender,
                               .enters = true};
    const vef_shown_track *on = vef_shown_track_of(self, of->posted_by);
    if (of->number)
        enter(self, of->posted_by, end);
    else if (self->part && on && on->named && vef_shown_now(self, on, end.time_ns))
        self->ends_outside++;
    *of = (vef_shown_message){.posted_by = VEF_NO_SHOWN_TRACK};
}

/* ---- broadcasts by the network ---- */

static void broadcasts(void *context, const vef_message_call *call) {
    vef_shown *self = context;
    uint64_t sent_ns = vef_shown_ns(call->time_ps);
    const uint64_t number =
        leave(self, vef_shown_track_of(self, call->who), call->receiver, &sent_ns);
    if (!number)
        return;
    vef_shown_broadcast *last =
        self->broadcast_count ? &self->broadcasts[self->broadcast_count - 1] : NULL;
    if (last && last->sender == call->sender && last->sent_ps == call->time_ps &&
        last->end == number) {
        last->end++;
    } else {
        vef_grow(&self->broadcasts, &self->broadcast_room, self->broadcast_count + 1,
                 sizeof *self->broadcasts);
        self->broadcasts[self->broadcast_count++] =
            (vef_shown_broadcast){call->time_ps, sent_ns, number, number + 1, call->sender};
    }
}

/* The number of the next arrow of that broadcast; 0: it has none. */
static uint64_t take_broadcast(vef_shown *self, const vef_message_call *call, uint64_t *sent_ns) {
    for (size_t i = 0; i < self->broadcast_count; i++) {
        vef_shown_broadcast *of = &self->broadcasts[i];
        if (of->sender != call->sender || of->sent_ps != call->time_ps)
            continue;
        const uint64_t number = of->next++;
        *sent_ns = of->sent_ns;
        if (of->next == of->end)
            memmove(of, of + 1, (--self->broadcast_count - i) * sizeof *of);
        return number;
    }
    return 0;
}

static void reaches(void *context, const vef_message_call *call, uint64_t time_ps) {
    vef_shown *self = context;
    vef_shown_message *of = message_of(self, call->id, call->first);
    if (!of)
        return;
    of->sender = call->sender;
    of->ready_ps = vef_later(of->ready_ps, time_ps);
    if (vef_shown_task(self, call->receiver))
        of->number = take_broadcast(self, call, &of->sent_ns);
}

/* ---- messages of windows ----
 *
 * No call of the target's processor belongs to a one-sided operation, nor to a lock: their arrows
 * enter a track of its memory, and their answers leave from there. What Win_post and Win_complete
 * send is for calls of the target, which has arrows to its own track. */

/* The track of the memory of a task. */
static vef_shown_track *target_of(vef_shown *self, uint32_t task) {
    char name[40];
    if (!self->targets)
        self->targets = vef_calloc(self->tasks, sizeof *self->targets);
    vef_shown_track *on = &self->targets[task];
    if (on->named)
        return on;
    *on = (vef_shown_track){
        .group = VEF_SHOWN_TARGETS, .task = task, .place = (uint64_t)task + 1, .named = true};
    if (!self->targets_named)
        vef_timeline_group(&self->timeline, VEF_SHOWN_TARGETS, "memory of tasks");
    self->targets_named = true;
    snprintf(name, sizeof name, "memory of task %u", task);
    vef_timeline_track(&self->timeline, VEF_SHOWN_TARGETS, on->place, name);
    return on;
}

/* The message of a window arrives, there or back. */
static void flight_arrives(vef_shown *self, uint64_t id, uint64_t time_ps) {
    const uint64_t number = id / VEF_MESSAGE_PARTS;
    vef_shown_flight *of = number < self->flight_room ? &self->flights[number] : NULL;
    if (!of || !of->number)
        return;
    vef_arrow_end end = {.time_ns = vef_later(of->sent_ns, vef_shown_ns(time_ps)),
                         .number = of->number,
                         .peer = of->ways == 1 ? of->origin : of->target,
                         .enters = true};
    vef_shown_track *memory = of->ways == 1 && of->answered ? target_of(self, of->target) : NULL;
    of->number = 0;
    if (!memory) {
        enter(self, of->ways == 1 ? self->first_of[of->target] : of->who, end);
        return;
    }
    end.call = of->call;
    vef_shown_queue(memory, end);
    of->sent_ns = end.time_ns; /* an answer is not earlier */
}

/* It leaves. */
static void flight_leaves(vef_shown *self, uint64_t id, uint64_t time_ps) {
    const uint64_t number = id / VEF_MESSAGE_PARTS;
    vef_shown_flight *of = number < self->flight_room ? &self->flights[number] : NULL;
    if (!of)
        return;
    if (++of->ways == 1) {
        vef_shown_track *on = vef_shown_track_of(self, of->who);
        of->sent_ns = vef_shown_ns(time_ps);
        self->flown += on && on->in_call && vef_call_kind(of->call) == VEF_KIND_ONE_SIDED;
        of->number = leave(self, on, of->target, &of->sent_ns);
        of->shown = of->number != 0;
        return;
    }
    /* The answer has an arrow if the message had one. */
    vef_shown_track *memory = self->targets ? &self->targets[of->target] : NULL;
    if (!memory || !memory->named || !of->shown || !vef_shown_fits(self, 2 * VEF_SHOWN_ARROW_BYTES))
        return;
    of->sent_ns = vef_later(vef_later(of->sent_ns, vef_shown_ns(time_ps)), memory->last_ns);
    const vef_arrow_end end = {
        .time_ns = of->sent_ns, .number = self->arrows + 1, .peer = of->origin, .call = of->call};
    vef_shown_queue(memory, end);
    of->number = ++self->arrows;
    self->owed_bytes += 2 * VEF_SHOWN_ARROW_BYTES;
    vef_shown_flush(self, memory, vef_shown_ns(time_ps), false);
}

/* ---- all ---- */

static void injects(void *context, const vef_net_message *injected, uint64_t asked_ps,
                    uint64_t enters_ps, uint64_t arrival_ps) {
    (void)enters_ps;
    const bool one_sided = injected->id % VEF_MESSAGE_PARTS == VEF_MESSAGE_ONE_SIDED;
    if (one_sided)
        flight_leaves(context, injected->id, asked_ps);
    if (arrival_ps == VEF_FOREVER)
        return;
    if (one_sided)
        flight_arrives(context, injected->id, arrival_ps);
    else
        arrives(context, injected->id, arrival_ps);
}

static void delivers(void *context, const vef_net_delivery *delivery, uint64_t time_ps) {
    if (delivery->id % VEF_MESSAGE_PARTS == VEF_MESSAGE_ONE_SIDED)
        flight_arrives(context, delivery->id, time_ps);
    else
        arrives(context, delivery->id, time_ps);
}

void vef_shown_add_arrows(vef_listener *listener) {
    listener->releases = releases;
    listener->sends = sends;
    listener->posts = posts;
    listener->injects = injects;
    listener->delivers = delivers;
    listener->broadcasts = broadcasts;
    listener->reaches = reaches;
}

static void lose_arrow(vef_shown *self, uint64_t number, uint32_t peer) {
    if (number)
        vef_shown_lose(self, (vef_arrow_end){.number = number, .peer = peer, .enters = true});
}

void vef_shown_end_arrows(vef_shown *self) {
    for (uint32_t task = 0; self->targets && task < self->tasks; task++)
        vef_shown_flush(self, &self->targets[task], UINT64_MAX, true);
    for (size_t i = 0; i < self->message_room; i++)
        lose_arrow(self, self->messages[i].number, self->messages[i].sender);
    for (size_t i = 0; i < self->flight_room; i++)
        lose_arrow(self, self->flights[i].number,
                   self->flights[i].ways == 1 ? self->flights[i].origin : self->flights[i].target);
    for (size_t i = 0; i < self->broadcast_count; i++)
        for (uint64_t number = self->broadcasts[i].next; number < self->broadcasts[i].end; number++)
            lose_arrow(self, number, self->broadcasts[i].sender);
}
