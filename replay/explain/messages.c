/* Messages under way, and their time by cause. See messages.h. */
#include "replay/explain/messages.h"

#include "common/containers/grow.h"

#include <stdlib.h>

static void begins(void *context, const vef_replay_shape *shape) {
    vef_carried_messages *messages = context;
    const vef_netmodel *network = shape->network;
    messages->sizes = vef_netmodel_packets(network);
    messages->cycle = vef_net_clock_of_cycles(network);
    messages->injection_phits = network->injection_phits;
}

void vef_carried_release(vef_carried_messages *messages) {
    free(messages->free_ps);
    free(messages->lists[0]);
    free(messages->lists[1]);
}

static unsigned list_of(uint64_t id) {
    return id % VEF_MESSAGE_PARTS == VEF_MESSAGE_ONE_SIDED;
}

/* The record of an id, created if absent. */
static vef_carried_message *record_of(vef_carried_messages *messages, uint64_t id) {
    const unsigned list = list_of(id);
    const size_t number = id / VEF_MESSAGE_PARTS;
    vef_grow_zeroed(&messages->lists[list], &messages->rooms[list], number + 1,
                    sizeof **messages->lists);
    return &messages->lists[list][number];
}

const vef_carried_message *vef_carried_get(const vef_carried_messages *messages, uint64_t id) {
    const unsigned list = list_of(id);
    const size_t number = id / VEF_MESSAGE_PARTS;
    return number < messages->rooms[list] ? &messages->lists[list][number] : NULL;
}

/* The record of a call, empty if the call is the first of its message. */
static vef_carried_message *begin(vef_carried_messages *messages, const vef_message_call *call) {
    vef_carried_message *message = record_of(messages, call->id);
    if (call->first)
        *message = (vef_carried_message){.sender = call->sender,
                                         .receiver = call->receiver,
                                         .sent_by = VEF_NO_EXECUTOR,
                                         .posted_by = VEF_NO_EXECUTOR,
                                         .collective = call->collective,
                                         .window = list_of(call->id)};
    return message;
}

static void sends(void *context, const vef_message_call *call) {
    vef_carried_message *message = begin(context, call);
    message->sent_by = call->who;
    message->sent_ps = call->time_ps;
    message->rendezvous = call->rendezvous;
}

static void posts(void *context, const vef_message_call *call) {
    vef_carried_message *message = begin(context, call);
    message->posted_by = call->who;
    message->posted_ps = call->time_ps;
}

/* A duration in cycles of the links, rounded up: so rounding is never taken for contention. */
static uint64_t ps_of_cycles(const vef_carried_messages *messages, uint64_t cycles) {
    return vef_net_clock_divide(cycles, messages->cycle.ps, messages->cycle.parts - 1,
                                messages->cycle.parts);
}

/* How long a message of so many phits waits for the interface of its source, whose time it then
 * takes. */
static uint64_t wait_for_interface(vef_carried_messages *messages, uint32_t endpoint,
                                   uint64_t phits, uint64_t time_ps) {
    if (messages->injection_phits == 0)
        return 0;
    vef_grow_zeroed(&messages->free_ps, &messages->free_room, endpoint + (size_t)1,
                    sizeof *messages->free_ps);
    uint64_t *free_ps = &messages->free_ps[endpoint];
    const uint64_t wait = *free_ps > time_ps ? *free_ps - time_ps : 0;
    *free_ps = time_ps + wait + ps_of_cycles(messages, (phits - 1) / messages->injection_phits + 1);
    return wait;
}

static void injects(void *context, const vef_net_message *injected, uint64_t asked_ps,
                    uint64_t enters_ps, uint64_t arrival_ps) {
    vef_carried_messages *messages = context;
    const unsigned part = injected->id % VEF_MESSAGE_PARTS;
    const bool memory = arrival_ps != VEF_FOREVER;
    const uint64_t phits = vef_packets_phits(&messages->sizes, injected->bytes);
    const uint64_t wait =
        memory ? 0 : wait_for_interface(messages, injected->source, phits, enters_ps);
    if (part == VEF_MESSAGE_BROADCAST) /* `reaches` makes a record for each task */
        return;
    vef_carried_message *message = record_of(messages, injected->id);
    if (message->leg_count == VEF_MOST_LEGS)
        return;
    message->legs[message->leg_count++] = (vef_leg){
        .begin_ps = asked_ps,
        .end_ps = memory ? arrival_ps : 0,
        .phits = phits,
        .injection_ps = wait + (enters_ps - asked_ps),
        .control = part == VEF_MESSAGE_REQUEST || part == VEF_MESSAGE_CLEARANCE,
        .memory = memory,
    };
}

static uint64_t least(uint64_t a, uint64_t b) {
    return a < b ? a : b;
}

/* A way ends; divides its time. */
static void end_leg(const vef_carried_messages *messages, vef_leg *leg, uint64_t end_ps,
                    uint64_t path_cycles, uint64_t cycles_per_phit) {
    uint64_t left = end_ps - leg->begin_ps;
    leg->end_ps = end_ps;
    leg->latency_ps = least(ps_of_cycles(messages, path_cycles), left);
    left -= leg->latency_ps;
    leg->serialisation_ps =
        cycles_per_phit
            ? least(ps_of_cycles(messages, (leg->phits - 1) * cycles_per_phit + 1), left)
            : 0;
    left -= leg->serialisation_ps;
    leg->injection_ps = least(leg->injection_ps, left);
}

static void delivers(void *context, const vef_net_delivery *delivery, uint64_t time_ps) {
    vef_carried_messages *messages = context;
    if (delivery->id % VEF_MESSAGE_PARTS == VEF_MESSAGE_BROADCAST) {
        messages->broadcast_path_cycles = delivery->path_cycles;
        messages->broadcast_cycles_per_phit = delivery->cycles_per_phit;
        return;
    }
    vef_carried_message *message = record_of(messages, delivery->id);
    if (message->leg_count > 0)
        end_leg(messages, &message->legs[message->leg_count - 1], time_ps, delivery->path_cycles,
                delivery->cycles_per_phit);
}

static void reaches(void *context, const vef_message_call *call, uint64_t time_ps) {
    vef_carried_messages *messages = context;
    sends(messages, call);
    vef_carried_message *message = record_of(messages, call->id);
    message->leg_count = 1;
    message->legs[0] = (vef_leg){.begin_ps = call->time_ps,
                                 .phits = vef_packets_phits(&messages->sizes, call->bytes)};
    end_leg(messages, &message->legs[0], time_ps, messages->broadcast_path_cycles,
            messages->broadcast_cycles_per_phit);
}

void vef_carried_begin(vef_carried_messages *messages) {
    *messages = (vef_carried_messages){.listener = {.context = messages,
                                                    .begins = begins,
                                                    .sends = sends,
                                                    .posts = posts,
                                                    .injects = injects,
                                                    .delivers = delivers,
                                                    .reaches = reaches}};
}

vef_origin vef_carried_origin(const vef_carried_message *message, uint64_t end_ps) {
    const vef_origin sender = {message->sent_by, message->sent_ps};
    const vef_origin receiver = {message->posted_by, message->posted_ps};
    const bool by_receiver =
        message->rendezvous && receiver.who != VEF_NO_EXECUTOR && receiver.time_ps <= end_ps &&
        receiver.time_ps >= (message->leg_count > 0 ? message->legs[0].end_ps : sender.time_ps);
    return by_receiver ? receiver : sender;
}

/* Takes up to `ps` before `*time_ps`, but not before `from_ps`. */
static void take(uint64_t ps, uint64_t from_ps, uint64_t *time_ps, uint64_t *sum) {
    const uint64_t taken = least(ps, *time_ps - from_ps);
    *time_ps -= taken;
    *sum += taken;
}

/* The same for the causes of a way, from its end. */
static void charge_leg(const vef_leg *leg, uint64_t from_ps, uint64_t *time_ps, vef_cause_ps *ps) {
    uint64_t *const by_cause = ps->by_cause;
    const uint64_t total_ps = leg->end_ps - leg->begin_ps;
    const uint64_t named = leg->serialisation_ps + leg->latency_ps + leg->injection_ps;
    if (leg->memory) {
        take(total_ps, from_ps, time_ps, &by_cause[VEF_CAUSE_MEMORY]);
        return;
    }
    take(leg->serialisation_ps, from_ps, time_ps,
         &by_cause[leg->control ? VEF_CAUSE_HANDSHAKE : VEF_CAUSE_SERIALISATION]);
    take(leg->latency_ps, from_ps, time_ps,
         &by_cause[leg->control ? VEF_CAUSE_HANDSHAKE : VEF_CAUSE_LATENCY]);
    take(total_ps - named, from_ps, time_ps, &by_cause[VEF_CAUSE_CONTENTION]);
    take(leg->injection_ps, from_ps, time_ps, &by_cause[VEF_CAUSE_INJECTION]);
}

void vef_carried_charge(const vef_carried_message *message, uint64_t begin_ps, uint64_t since_ps,
                        uint64_t end_ps, vef_cause wait, vef_cause_ps *ps) {
    uint64_t from_ps = least(since_ps, end_ps), time_ps = end_ps;
    if (from_ps < begin_ps)
        from_ps = begin_ps;
    ps->by_cause[wait] += from_ps - begin_ps;
    for (unsigned i = message->leg_count; i > 0 && time_ps > from_ps; i--) {
        const vef_leg *leg = &message->legs[i - 1];
        if (leg->end_ps == 0 || leg->end_ps > time_ps) /* cannot release anybody */
            continue;
        /* After the last way the interface, or processor, of the receiver is busy; between two ways
         * of a window's message a lock may be held. */
        const bool held = message->window && i < message->leg_count;
        take(time_ps - leg->end_ps, from_ps, &time_ps,
             &ps->by_cause[held ? VEF_CAUSE_WINDOW : VEF_CAUSE_INJECTION]);
        charge_leg(leg, from_ps, &time_ps, ps);
    }
    ps->by_cause[message->leg_count > 0 ? VEF_CAUSE_INJECTION : wait] += time_ps - from_ps;
}
