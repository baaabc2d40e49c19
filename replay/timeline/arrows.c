/* Messages as arrows, from the events of a replay. See timeline_state.h. */
#include "replay/timeline/timeline_state.h"

#include "common/containers/grow.h"
#include "common/memory.h"

#include <string.h>

/* ---- messages with two sides ---- */

/* The record of a message with two sides, created if absent; else NULL. `first`: it is new. */
static vef_shown_message *message_of(vef_shown *shown, uint64_t id, bool first) {
    const unsigned part = id % VEF_MESSAGE_PARTS;
    const uint64_t number = id / VEF_MESSAGE_PARTS;
    if (part == VEF_MESSAGE_ONE_SIDED || part == VEF_MESSAGE_BROADCAST)
        return NULL;
    vef_grow_zeroed(&shown->messages, &shown->message_room, number + 1, sizeof *shown->messages);
    vef_shown_message *message = &shown->messages[number];
    if (first && message->number) /* nobody received the one before */
        vef_shown_lose(
            shown,
            (vef_arrow_end){.number = message->number, .peer = message->sender, .enters = true});
    if (first)
        *message = (vef_shown_message){.posted_by = VEF_NO_SHOWN_TRACK};
    return message;
}

/* An arrow leaves the call that is open on the track; its number, 0 if there is no such call.
 * `*sent_ns`: when it leaves. It is written at once if the track is up to then: of events at one
 * time Perfetto takes those first that the file has first, and drops an arrow that enters first. */
static uint64_t leave(vef_shown *shown, vef_shown_track *on, uint32_t receiver, uint64_t bytes,
                      uint64_t *sent_ns) {
    /* In a file an arrow leaves from a slice. */
    if (!on || on->stopped ||
        !(on->in_call || (shown->packed && vef_shown_now(shown, on, *sent_ns))))
        return 0;
    if (!vef_shown_task(shown, receiver)) {
        shown->ends_outside++;
        return 0;
    }
    if (!vef_shown_fits(shown, 2 * VEF_SHOWN_ARROW_BYTES))
        return 0;
    *sent_ns = vef_later(*sent_ns, on->last_ns);
    vef_shown_queue(
        on, (vef_arrow_end){.time_ns = *sent_ns, .number = shown->arrows + 1, .bytes = bytes});
    shown->owed_bytes += 2 * VEF_SHOWN_ARROW_BYTES; /* for both ends */
    vef_shown_flush(shown, on, on->last_ns, false);
    return ++shown->arrows;
}

/* It enters the track of an executor, if that is in the timeline then. */
static void enter(vef_shown *shown, uint32_t who, vef_arrow_end end) {
    vef_shown_track *on = vef_shown_track_of(shown, who);
    if (on && on->named && !on->stopped && vef_shown_now(shown, on, end.time_ns))
        vef_shown_queue(on, end);
    else
        vef_shown_lose(shown, end);
}

static void sends(void *context, const vef_message_call *call) {
    vef_shown *shown = context;
    if (call->id % VEF_MESSAGE_PARTS == VEF_MESSAGE_ONE_SIDED) {
        const uint64_t number = call->id / VEF_MESSAGE_PARTS;
        const vef_shown_track *on = vef_shown_track_of(shown, call->who);
        if (!on)
            return;
        vef_grow_zeroed(&shown->flights, &shown->flight_room, number + 1, sizeof *shown->flights);
        shown->flights[number] = (vef_shown_flight){.who = call->who,
                                                    .origin = call->sender,
                                                    .target = call->receiver,
                                                    .call = on->call,
                                                    .answered = call->answered};
        return;
    }
    vef_shown_message *message = message_of(shown, call->id, call->first);
    vef_shown_track *on = vef_shown_track_of(shown, call->who);
    if (!message || !on)
        return;
    message->sent_ns = vef_shown_ns(call->time_ps);
    message->sender = call->sender;
    message->ready_ps = vef_later(message->ready_ps, call->time_ps);
    message->number = leave(shown, on, call->receiver, call->bytes, &message->sent_ns);
}

static void posts(void *context, const vef_message_call *call) {
    vef_shown *shown = context;
    vef_shown_message *message = message_of(shown, call->id, call->first);
    if (!message)
        return;
    message->posted_by = call->who;
    message->ready_ps = vef_later(message->ready_ps, call->time_ps);
}

/* Data are at their receiver. */
static void arrives(vef_shown *shown, uint64_t id, uint64_t time_ps) {
    vef_shown_message *message =
        id % VEF_MESSAGE_PARTS == VEF_MESSAGE_DATA ? message_of(shown, id, false) : NULL;
    if (message)
        message->ready_ps = vef_later(message->ready_ps, time_ps);
}

/* A message with both sides is complete. */
static void releases(void *context, vef_release_kind release, uint64_t number) {
    vef_shown *shown = context;
    vef_shown_message *message =
        release == VEF_RELEASE_MESSAGE ? message_of(shown, number, false) : NULL;
    vef_shown_track *plan =
        release == VEF_RELEASE_PLAN ? vef_shown_track_of(shown, (uint32_t)number) : NULL;
    if (plan)
        vef_shown_end_call(shown, plan, vef_shown_ns(plan->until_ps));
    if (!message || message->posted_by == VEF_NO_SHOWN_TRACK) /* for a probe */
        return;
    const vef_arrow_end end = {.time_ns =
                                   vef_later(message->sent_ns, vef_shown_ns(message->ready_ps)),
                               .number = message->number,
                               .peer = message->sender,
                               .enters = true};
    const vef_shown_track *on = vef_shown_track_of(shown, message->posted_by);
    if (message->number)
        enter(shown, message->posted_by, end);
    else if (shown->part && on && on->named && vef_shown_now(shown, on, end.time_ns))
        shown->ends_outside++;
    *message = (vef_shown_message){.posted_by = VEF_NO_SHOWN_TRACK};
}

/* ---- broadcasts by the network ---- */

static void broadcasts(void *context, const vef_message_call *call) {
    vef_shown *shown = context;
    uint64_t sent_ns = vef_shown_ns(call->time_ps);
    const uint64_t number =
        leave(shown, vef_shown_track_of(shown, call->who), call->receiver, call->bytes, &sent_ns);
    if (!number)
        return;
    vef_shown_broadcast *last =
        shown->broadcast_count ? &shown->broadcasts[shown->broadcast_count - 1] : NULL;
    if (last && last->sender == call->sender && last->sent_ps == call->time_ps &&
        last->end == number) {
        last->end++;
    } else {
        *VEF_NEW_ITEM(shown->broadcasts, shown->broadcast_count, shown->broadcast_room) =
            (vef_shown_broadcast){call->time_ps, sent_ns, number, number + 1, call->sender};
    }
}

/* The number of the next arrow of that broadcast; 0: it has none. */
static uint64_t take_broadcast(vef_shown *shown, const vef_message_call *call, uint64_t *sent_ns) {
    for (size_t i = 0; i < shown->broadcast_count; i++) {
        vef_shown_broadcast *broadcast = &shown->broadcasts[i];
        if (broadcast->sender != call->sender || broadcast->sent_ps != call->time_ps)
            continue;
        const uint64_t number = broadcast->next++;
        *sent_ns = broadcast->sent_ns;
        if (broadcast->next == broadcast->end)
            memmove(broadcast, broadcast + 1, (--shown->broadcast_count - i) * sizeof *broadcast);
        return number;
    }
    return 0;
}

static void reaches(void *context, const vef_message_call *call, uint64_t time_ps) {
    vef_shown *shown = context;
    vef_shown_message *message = message_of(shown, call->id, call->first);
    if (!message)
        return;
    message->sender = call->sender;
    message->ready_ps = vef_later(message->ready_ps, time_ps);
    if (vef_shown_task(shown, call->receiver))
        message->number = take_broadcast(shown, call, &message->sent_ns);
}

/* ---- messages of windows ----
 *
 * No call of the target's processor belongs to a one-sided operation, nor to a lock: their arrows
 * enter a track of its memory, and their answers leave from there. What Win_post and Win_complete
 * send is for calls of the target, which has arrows to its own track. */

/* The track of the memory of a task. */
static vef_shown_track *target_of(vef_shown *shown, uint32_t task) {
    char name[40];
    if (!shown->targets)
        shown->targets = vef_calloc(shown->tasks, sizeof *shown->targets);
    vef_shown_track *on = &shown->targets[task];
    if (on->named)
        return on;
    *on = (vef_shown_track){.group = VEF_SHOWN_TARGETS,
                            .task = task,
                            .place = (uint64_t)task + 1,
                            .row = shown->tracks[shown->first_of[task]].row,
                            .named = true};
    if (!shown->targets_named)
        vef_timeline_group(&shown->timeline, VEF_SHOWN_TARGETS, "memory of tasks");
    shown->targets_named = true;
    snprintf(name, sizeof name, "memory of task %u", task);
    vef_timeline_track(&shown->timeline, VEF_SHOWN_TARGETS, on->place, name);
    return on;
}

static vef_shown_flight *flight_of(const vef_shown *shown, uint64_t id) {
    const uint64_t number = id / VEF_MESSAGE_PARTS;
    return number < shown->flight_room ? &shown->flights[number] : NULL;
}

/* The message of a window arrives, there or back. */
static void flight_arrives(vef_shown *shown, uint64_t id, uint64_t time_ps) {
    vef_shown_flight *flight = flight_of(shown, id);
    if (!flight || !flight->number)
        return;
    vef_arrow_end end = {.time_ns = vef_later(flight->sent_ns, vef_shown_ns(time_ps)),
                         .number = flight->number,
                         .peer = flight->ways == 1 ? flight->origin : flight->target,
                         .enters = true};
    vef_shown_track *memory =
        flight->ways == 1 && flight->answered ? target_of(shown, flight->target) : NULL;
    flight->number = 0;
    if (!memory) {
        enter(shown, flight->ways == 1 ? shown->first_of[flight->target] : flight->who, end);
        return;
    }
    end.call = flight->call;
    vef_shown_queue(memory, end);
    flight->sent_ns = end.time_ns; /* an answer is not earlier */
}

/* It leaves. */
static void flight_leaves(vef_shown *shown, uint64_t id, uint64_t bytes, uint64_t time_ps) {
    vef_shown_flight *flight = flight_of(shown, id);
    if (!flight)
        return;
    if (++flight->ways == 1) {
        vef_shown_track *on = vef_shown_track_of(shown, flight->who);
        flight->sent_ns = vef_shown_ns(time_ps);
        shown->flown += on && on->in_call && vef_call_kind(flight->call) == VEF_KIND_ONE_SIDED;
        flight->number = leave(shown, on, flight->target, bytes, &flight->sent_ns);
        flight->shown = flight->number != 0;
        return;
    }
    /* The answer has an arrow if the message had one. */
    vef_shown_track *memory = shown->targets ? &shown->targets[flight->target] : NULL;
    if (!memory || !memory->named || !flight->shown ||
        !vef_shown_fits(shown, 2 * VEF_SHOWN_ARROW_BYTES))
        return;
    flight->sent_ns = vef_later(vef_later(flight->sent_ns, vef_shown_ns(time_ps)), memory->last_ns);
    const vef_arrow_end end = {.time_ns = flight->sent_ns,
                               .number = shown->arrows + 1,
                               .bytes = bytes,
                               .peer = flight->origin,
                               .call = flight->call};
    vef_shown_queue(memory, end);
    flight->number = ++shown->arrows;
    shown->owed_bytes += 2 * VEF_SHOWN_ARROW_BYTES;
    vef_shown_flush(shown, memory, vef_shown_ns(time_ps), false);
}

/* ---- all ---- */

static bool is_one_sided(uint64_t id) {
    return id % VEF_MESSAGE_PARTS == VEF_MESSAGE_ONE_SIDED;
}

static void delivers(void *context, const vef_net_delivery *delivery, uint64_t time_ps) {
    (is_one_sided(delivery->id) ? flight_arrives : arrives)(context, delivery->id, time_ps);
}

static void injects(void *context, const vef_net_message *injected, uint64_t asked_ps,
                    uint64_t enters_ps, uint64_t arrival_ps) {
    (void)enters_ps;
    if (is_one_sided(injected->id))
        flight_leaves(context, injected->id, injected->bytes, asked_ps);
    if (arrival_ps != VEF_FOREVER)
        delivers(context, &(vef_net_delivery){.id = injected->id}, arrival_ps);
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

static void lose_arrow(vef_shown *shown, uint64_t number, uint32_t peer) {
    if (number)
        vef_shown_lose(shown, (vef_arrow_end){.number = number, .peer = peer, .enters = true});
}

void vef_shown_end_arrows(vef_shown *shown) {
    for (uint32_t task = 0; shown->targets && task < shown->tasks; task++)
        vef_shown_flush(shown, &shown->targets[task], UINT64_MAX, true);
    for (size_t i = 0; i < shown->message_room; i++)
        lose_arrow(shown, shown->messages[i].number, shown->messages[i].sender);
    for (size_t i = 0; i < shown->flight_room; i++)
        lose_arrow(shown, shown->flights[i].number,
                   shown->flights[i].ways == 1 ? shown->flights[i].origin
                                               : shown->flights[i].target);
    for (size_t i = 0; i < shown->broadcast_count; i++)
        for (uint64_t number = shown->broadcasts[i].next; number < shown->broadcasts[i].end;
             number++)
            lose_arrow(shown, number, shown->broadcasts[i].sender);
}
