/* Messages: from inject() through the queue of their source into flows. See flow.h. */
#include "netmodel/flow/flow.h"

#include "common/containers/grow.h"

static uint32_t take_message(vef_flow_network *flow) {
    const uint32_t number = flow->traffic.free_message;
    if (number != VEF_NO_FLOW) {
        flow->traffic.free_message = flow->traffic.messages[number].next;
        return number;
    }
    vef_grow(&flow->traffic.messages, &flow->traffic.message_room, flow->traffic.message_count + 1u,
             sizeof *flow->traffic.messages);
    return flow->traffic.message_count++;
}

void vef_flow_free_message(vef_flow_network *flow, uint32_t message) {
    flow->traffic.messages[message].next = flow->traffic.free_message;
    flow->traffic.free_message = message;
}

static uint32_t take_part(vef_flow_network *flow) {
    const uint32_t number = flow->traffic.free_part;
    if (number != VEF_NO_FLOW) {
        flow->traffic.free_part = flow->traffic.parts[number].message;
        return number;
    }
    vef_grow(&flow->traffic.parts, &flow->traffic.part_room, flow->traffic.part_count + 1u,
             sizeof *flow->traffic.parts);
    return flow->traffic.part_count++;
}

/* Phits of a new flow of that weight that the queues on the path found last will hold. */
static double held_on_path(const vef_flow_network *flow, double weight) {
    const vef_flow_paths *paths = &flow->paths;
    double held = 0;
    for (uint32_t i = 1; i + 1 < paths->count; i++) {
        const uint32_t link = paths->resources[i];
        const double others = flow->shares.resources[link].weight;
        held += flow->queue_phits[link] * weight / (weight + others);
    }
    return held;
}

/* How many of so many phits pass the path found last at once, at most all but one. */
static double burst_of(vef_flow_network *flow, uint64_t phits) {
    if (!flow->buckets)
        return 0;
    const double burst = (double)flow->settings.burst_bytes / (double)flow->base.phit_bytes;
    double least = (double)(phits - 1);
    for (uint32_t i = 0; i < flow->paths.count; i++) {
        const uint32_t resource = flow->paths.resources[i];
        vef_flow_bucket *bucket = &flow->buckets[resource];
        bucket->phits += (double)(flow->now_ps - bucket->since_ps) / flow->cycle_ps *
                         flow->shares.resources[resource].capacity;
        bucket->phits = bucket->phits < burst ? bucket->phits : burst;
        bucket->since_ps = flow->now_ps;
        least = bucket->phits < least ? bucket->phits : least;
        bucket->phits -= (double)phits;
    }
    return least > 0 ? least : 0;
}

/* Begins a flow of `packets` of the message, on the path found last. */
static void begin_part(vef_flow_network *flow, uint32_t message, uint64_t packets, uint64_t phits) {
    const vef_flow_paths *paths = &flow->paths;
    const uint32_t number = take_part(flow);
    const uint64_t whole = flow->traffic.messages[message].phits,
                   queues = flow->settings.injection_queues;
    const double weight = (double)phits / (double)whole, burst = burst_of(flow, phits);
    flow->traffic.parts[number] = (vef_flow_part){
        .message = message,
        .hops = paths->hops,
        .phits = phits,
        .packets = packets,
        .held = held_on_path(flow, weight),
        .least_ps = flow->now_ps +
                    (uint64_t)(((double)((whole - 1) / queues + 1) - burst / (double)queues) *
                               flow->cycle_ps),
        .in_source = true,
        .left = (double)phits - burst,
        .since_ps = flow->now_ps,
        .begun_ps = flow->now_ps,
        .tail_cycles = (int64_t)paths->delay_cycles - ((int64_t)paths->slowest_cycles_per_phit - 1),
        .path_cycles = (uint32_t)paths->delay_cycles,
        .slowest_cycles_per_phit = paths->slowest_cycles_per_phit,
    };
    flow->unsolved = true;
    vef_shares_begin(&flow->shares, number,
                     (double)phits / (double)flow->traffic.messages[message].phits,
                     paths->resources, paths->count);
}

/* Divides a message among the paths that its routing has for it. */
static vef_code begin_message(vef_flow_network *flow, uint32_t number, vef_error *error) {
    const vef_flow_message message = flow->traffic.messages[number];
    vef_flow_source *source = &flow->traffic.sources[message.source];
    const vef_travel travel = {message.source, message.destination, source->router,
                               flow->traffic.sources[message.destination].router,
                               message.traffic_class};
    uint64_t parts =
        message.packets < flow->parameters.paths ? message.packets : flow->parameters.paths;
    uint64_t packets_left = message.packets, phits_left = message.phits;
    for (; parts > 0; parts--) {
        vef_code code = vef_flow_paths_find(&flow->paths, &travel, &source->rng, error);
        if (code != VEF_OK)
            return code;
        if (!flow->paths.chosen)
            parts = 1;
        const uint64_t packets = packets_left / parts;
        const uint64_t phits = parts == 1 ? phits_left : packets * flow->settings.packet_phits;
        begin_part(flow, number, packets, phits);
        flow->traffic.messages[number].parts_in_source++;
        flow->traffic.messages[number].parts_under_way++;
        packets_left -= packets;
        phits_left -= phits;
    }
    return VEF_OK;
}

static uint64_t pair_of(const vef_flow_network *flow, uint32_t number) {
    const vef_flow_message *message = &flow->traffic.messages[number];
    return (uint64_t)message->source << 32 | message->destination;
}

static vef_code begin_of_pair(vef_flow_network *flow, uint32_t message, vef_error *error) {
    flow->traffic.sources[flow->traffic.messages[message].source].sending++;
    return begin_message(flow, message, error);
}

static vef_code enqueue_pair(vef_flow_network *flow, uint32_t message, vef_error *error) {
    const uint64_t pair = pair_of(flow, message);
    uint64_t *const last = vef_map64_get(&flow->traffic.pairs, pair);
    vef_flow_message *const messages = flow->traffic.messages;
    if (!last) {
        vef_map64_set(&flow->traffic.pairs, pair, VEF_NO_FLOW);
        return begin_of_pair(flow, message, error);
    }
    messages[message].next = *last == VEF_NO_FLOW ? message : messages[*last].next;
    if (*last != VEF_NO_FLOW)
        messages[*last].next = message;
    *last = message;
    return VEF_OK;
}

vef_code vef_flow_leave_pair(vef_flow_network *flow, uint32_t message, vef_error *error) {
    const uint64_t pair = pair_of(flow, message);
    uint64_t *const last = vef_map64_get(&flow->traffic.pairs, pair), unused;
    if (*last == VEF_NO_FLOW) {
        vef_map64_take(&flow->traffic.pairs, pair, &unused);
        return VEF_OK;
    }
    const uint32_t first = flow->traffic.messages[*last].next;
    flow->traffic.messages[*last].next = flow->traffic.messages[first].next;
    if (first == *last)
        *last = VEF_NO_FLOW;
    return begin_of_pair(flow, first, error);
}

static vef_code begin_next(vef_flow_network *flow, vef_flow_source *source, vef_error *error) {
    const uint32_t message = source->first_message;
    source->first_message = flow->traffic.messages[message].next;
    source->sending++;
    return begin_message(flow, message, error);
}

vef_code vef_flow_enqueue(vef_flow_network *flow, uint32_t message, vef_error *error) {
    vef_flow_source *source = &flow->traffic.sources[flow->traffic.messages[message].source];
    if (flow->parameters.sources == VEF_FLOW_BY_DESTINATION)
        return enqueue_pair(flow, message, error);
    flow->traffic.messages[message].next = VEF_NO_FLOW;
    if (source->first_message == VEF_NO_FLOW)
        source->first_message = message;
    else
        flow->traffic.messages[source->last_message].next = message;
    source->last_message = message;
    return source->sending < flow->settings.injection_queues ? begin_next(flow, source, error)
                                                             : VEF_OK;
}

vef_code vef_flow_leave_source(vef_flow_network *flow, uint32_t number, vef_error *error) {
    vef_flow_source *source = &flow->traffic.sources[number];
    source->sending--;
    source->waiting--;
    return source->first_message != VEF_NO_FLOW ? begin_next(flow, source, error) : VEF_OK;
}

static vef_code check_message(const vef_flow_network *flow, const vef_net_message *message,
                              vef_error *error) {
    const vef_netmodel *base = &flow->base;
    if (message->destination == VEF_TO_ALL)
        return vef_netmodel_can_broadcast(base, error);
    if (message->source >= base->endpoints || message->destination >= base->endpoints)
        return vef_fail(error, VEF_INVALID,
                        "a message from endpoint %u to endpoint %u; the network has %u endpoints",
                        message->source, message->destination, base->endpoints);
    if (message->traffic_class >= base->traffic_classes)
        return vef_fail(
            error, VEF_INVALID, "a message of traffic class %u; routing %s has %u, numbered from 0",
            message->traffic_class, flow->routing->algorithm->name, base->traffic_classes);
    if (message->time_cycles < flow->now_ps)
        return vef_fail(error, VEF_INVALID,
                        "a message for cycle %llu, but the network has reached cycle %llu",
                        (unsigned long long)message->time_cycles, (unsigned long long)flow->now_ps);
    return VEF_OK;
}

vef_code vef_flow_inject(vef_netmodel *base, const vef_net_message *given, vef_error *error) {
    vef_flow_network *flow = (vef_flow_network *)base;
    vef_code code = check_message(flow, given, error);
    if (code != VEF_OK)
        return code;
    const uint32_t number = take_message(flow);
    const vef_packets sizes = vef_netmodel_packets(base);
    flow->traffic.messages[number] = (vef_flow_message){
        .id = given->id,
        .time_ps = given->time_cycles,
        .phits = vef_packets_phits(&sizes, given->bytes),
        .packets = vef_packets_of(&sizes, given->bytes),
        .source = given->source,
        .destination = given->destination,
        .traffic_class = given->traffic_class,
    };
    flow->traffic.sources[given->source].waiting++;
    if (given->time_cycles == flow->now_ps)
        return vef_flow_enqueue(flow, number, error);
    vef_pending_add(&flow->later, given->time_cycles, number, 0);
    return VEF_OK;
}
