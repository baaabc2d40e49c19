/* Messages: from inject() through the source's queue into packets in injection queues.
 *
 * The pool of messages grows on demand; that of packets has one packet per place of every queue.
 * An agent injects within a step, into the part of the source: what this file changes belongs to
 * that part. */
#include "common/memory.h"
#include "netmodel/router/core/fronts.h"
#include "netmodel/router/core/network.h"
#include "netmodel/routing/view.h"

#include <stdlib.h>

/* A due message joins its source's queue. */
static void enqueue(vef_network *network, vef_partition *part, uint32_t number,
                    vef_message *message) {
    vef_endpoint *source = &network->queues.endpoints[message->source];
    message->next = VEF_NONE;
    if (network->policies.moving.windows &&
        !network->policies.moving.windows->enqueue(network, part, number))
        return;
    if (source->first_message == VEF_NONE) {
        source->first_message = number;
        vef_network_refill(network, part, message->source);
    } else {
        /* The source waits for places, or is in the list to visit. */
        vef_message_at(network, source->last_message)->next = number;
    }
    source->last_message = number;
}

static void enqueue_number(vef_network *network, vef_partition *part, uint32_t number) {
    enqueue(network, part, number, vef_message_at(network, number));
}

static void add_near(vef_network *network, vef_partition *part, uint64_t time_cycles,
                     uint32_t message) {
    vef_near *near = &part->near;
    uint32_t slot = (uint32_t)time_cycles % VEF_NEAR_CYCLES;
    uint64_t bit = UINT64_C(1) << slot % 64;
    vef_message_at(network, message)->next = VEF_NONE;
    if (near->occupied[slot / 64] & bit)
        vef_message_at(network, near->last[slot])->next = message;
    else
        near->first[slot] = message;
    near->last[slot] = message;
    near->occupied[slot / 64] |= bit;
}

void vef_network_enqueue_due(vef_network *network, vef_partition *part) {
    /* In the order of injection: messages in the heap were injected when their time was far. */
    while (vef_pending_time(&part->later) == part->now_cycles)
        enqueue_number(network, part, (uint32_t)vef_pending_take(&part->later));
    vef_near *near = &part->near;
    uint32_t slot = (uint32_t)part->now_cycles % VEF_NEAR_CYCLES;
    uint64_t bit = UINT64_C(1) << slot % 64;
    if (!(near->occupied[slot / 64] & bit))
        return;
    near->occupied[slot / 64] &= ~bit;
    enum { MESSAGES_AHEAD = 6 }; /* prefetch distance */
    uint32_t ahead = near->first[slot];
    for (uint32_t i = 0; i < MESSAGES_AHEAD && ahead != VEF_NONE; i++)
        ahead = vef_message_at(network, ahead)->next;
    for (uint32_t message = near->first[slot]; message != VEF_NONE;) {
        if (ahead != VEF_NONE) {
            __builtin_prefetch(&network->queues.endpoints[vef_message_at(network, ahead)->source],
                               1);
            ahead = vef_message_at(network, ahead)->next;
        }
        uint32_t next = vef_message_at(network, message)->next; /* enqueueing changes it */
        enqueue_number(network, part, message);
        message = next;
    }
}

uint64_t vef_network_next_message(const vef_partition *part) {
    uint64_t far = vef_pending_time(&part->later);
    uint64_t near = vef_slots_next(part->near.occupied, VEF_NEAR_CYCLES - 1, part->now_cycles);
    return near < far ? near : far;
}

vef_code vef_network_inject(vef_netmodel *base, const vef_net_message *given, vef_error *error) {
    vef_network *network = (vef_network *)base;
    const bool to_all = given->destination == VEF_TO_ALL || given->contribution;
    if (given->source >= base->endpoints ||
        (given->destination >= base->endpoints && given->destination != VEF_TO_ALL))
        return vef_fail(error, VEF_INVALID,
                        "a message from endpoint %u to endpoint %u; the network has %u endpoints",
                        given->source, given->destination, base->endpoints);
    if (given->traffic_class >= network->routing->traffic_classes)
        return vef_fail(error, VEF_INVALID,
                        "a message of traffic class %u; routing %s has %u, numbered from 0",
                        given->traffic_class, network->routing->algorithm->name,
                        network->routing->traffic_classes);
    if (!network->begun)
        vef_network_begin(network);
    vef_partition *part =
        vef_network_partition(network, network->queues.endpoints[given->source].router);
    if (given->time_cycles < part->now_cycles)
        return vef_fail(
            error, VEF_INVALID, "a message for cycle %llu, but the network has reached cycle %llu",
            (unsigned long long)given->time_cycles, (unsigned long long)part->now_cycles);
    const uint64_t packets = vef_packets_of(&network->sizes, given->bytes);
    vef_message made = {
        .id = given->id,
        .time_cycles = given->time_cycles,
        .bytes = given->bytes,
        .bytes_left = given->bytes,
        .packets_out = packets,
        .source = given->source,
        .destination = given->destination,
        .traffic_class = given->traffic_class,
    };
    vef_code code = to_all ? network->policies.allow_broadcast(network, error) : VEF_OK;
    if (code == VEF_OK && to_all)
        code = network->policies.moving.broadcast->prepare(network, part, given, packets, &made,
                                                           error);
    if (code != VEF_OK)
        return code;
    const uint32_t number = vef_network_take_message(network, part);
    vef_message *message = vef_message_at(network, number);
    *message = made;
    if (given->confirmed && network->confirms && !to_all &&
        !vef_partition_holds(network, part, network->queues.endpoints[given->destination].router)) {
        message->confirmed = true;
        if (!network->ranked) /* which count them where the destination is */
            message->packets_unconfirmed = packets;
        part->unconfirmed++;
    }
    if (network->policies.moving.windows)
        network->policies.moving.windows->inject(network, part, number, packets);
    if (given->time_cycles == part->now_cycles)
        enqueue(network, part, number, message);
    else if (given->time_cycles - part->now_cycles < VEF_NEAR_CYCLES)
        add_near(network, part, given->time_cycles, number);
    else
        vef_pending_add(&part->later, given->time_cycles, number, 0);
    network->queues.endpoints[given->source].waiting++;
    return VEF_OK;
}

/* The size in phits of the next packet of a message. */
static uint32_t next_phits(const vef_network *network, const vef_message *message) {
    if (message->bytes_left >= network->sizes.payload_bytes)
        return network->settings.packet_phits;
    return (uint32_t)vef_packets_phits_with(&network->sizes, message->bytes_left);
}

vef_begun_for vef_network_draw_route(const vef_network *network, vef_endpoint *source,
                                     const vef_message *message, uint32_t to, vef_route *route) {
    const uint64_t drawn = source->rng.counter;
    const vef_travel travel = {message->source, message->destination, source->router, to,
                               message->traffic_class};
    vef_draws draws = vef_draws_from(&source->rng);
    if (!network->routing->algorithm->choice) {
        network->routing->algorithm->begin(network->routing, &travel, &draws, route);
        return source->rng.counter == drawn ? VEF_BEGUN_MESSAGE : VEF_BEGUN_PACKET;
    }
    const vef_view view = vef_network_view(network, source->router);
    vef_routing_begin(network->routing, &travel, &draws, &view, route);
    return VEF_BEGUN_PACKET;
}

/* The route of a packet that enters: from its source, or as begun before, by policy/injection.c or
 * with an earlier packet of its message. */
static void begin_route(vef_network *network, vef_endpoint *source, const vef_message *message,
                        uint32_t number) {
    vef_packet *packet = vef_packet_at(network, number);
    vef_begun *begun = &network->queues.begun[message->source];
    if (message->destination == VEF_TO_ALL) {
        packet->router = VEF_NONE;
        network->policies.moving.broadcast->enter(network, source->router, number);
        return;
    }
    const vef_endpoint *destination = &network->queues.endpoints[message->destination];
    packet->router = destination->router;
    packet->local = (uint16_t)destination->local;
    if (network->policies.chooses && packet->router != source->router)
        return; /* at the front of its queue */
    const bool last = message->bytes_left == 0;
    if (source->begun == VEF_BEGUN_MESSAGE && begun->message == packet->message) {
        memcpy(&packet->route, &begun->route,
               network->routing->route_words * sizeof *begun->route.words);
        packet->signature = begun->signature;
        source->begun = last ? VEF_BEGUN_NOT : VEF_BEGUN_MESSAGE;
        return;
    }
    if (source->begun == VEF_BEGUN_PACKET) {
        vef_network_set_route(network, packet, &begun->route);
        source->begun = VEF_BEGUN_NOT;
        return;
    }
    vef_route route;
    const vef_begun_for good =
        vef_network_draw_route(network, source, message, packet->router, &route);
    vef_network_set_route(network, packet, &route);
    if (last || good != VEF_BEGUN_MESSAGE)
        return;
    *begun = (vef_begun){route, packet->message, packet->signature};
    source->begun = VEF_BEGUN_MESSAGE;
}

/* The next packet of a message, with its route begun. */
static uint32_t make_packet(vef_network *network, vef_partition *part, uint32_t endpoint,
                            uint32_t number, vef_message *message) {
    uint32_t phits = next_phits(network, message);
    assert(!network->agent || phits >= network->agent->packet_phits);
    uint64_t bytes = network->sizes.payload_bytes;
    message->bytes_left -= bytes < message->bytes_left ? bytes : message->bytes_left;
    uint32_t made = vef_network_take_packet(network, part);
    vef_packet *packet = vef_packet_at(network, made);
    packet->next = VEF_NONE;
    packet->entered_cycles = (uint32_t)part->now_cycles;
    packet->message = number;
    packet->phits = (uint16_t)phits;
    packet->hops = 0;
    if (network->links.ways)
        network->links.ways[made] = (vef_way){0, 1};
    if (network->policies.full.links)
        network->policies.full.links->enter(network, made);
    begin_route(network, &network->queues.endpoints[endpoint], message, made);
    return made;
}

bool vef_network_fill(vef_network *network, vef_partition *part, uint32_t endpoint) {
    vef_endpoint *source = &network->queues.endpoints[endpoint];
    if (network->policies.admit &&
        !network->policies.admit(network, part->now_cycles, source->router))
        return false;
    source->filling = false;
    uint32_t first = network->shape.links + source->local * network->settings.injection_queues;
    while (source->first_message != VEF_NONE) {
        if (network->policies.moving.windows &&
            !network->policies.moving.windows->ready(network, part, endpoint))
            return true;
        const uint32_t number = source->first_message;
        vef_message *message = vef_message_at(network, number);
        uint32_t places = 1;
        if (network->settings.unit_phits > 0)
            places = vef_places_of(network, next_phits(network, message));
        const uint32_t queue = network->policies.join
                                   ? network->policies.join(network, endpoint, number, places)
                                   : vef_network_freest(network, endpoint, places);
        if (queue == VEF_NO_QUEUE)
            return true;
        uint16_t *free = network->queues.injection_free +
                         (size_t)endpoint * network->settings.injection_queues + queue;
        *free = (uint16_t)(*free - places);
        uint32_t packet = make_packet(network, part, endpoint, number, message);
        if (network->policies.moving.windows)
            network->policies.moving.windows->enter(network, part, number, packet);
        uint32_t input = first + queue;
        if (network->shape.queues_each > 1)
            input = vef_network_sort(network, part, source->router, input, packet);
        vef_front_join(network, part, source->router, input, packet, VEF_NONE,
                       network->policies.fast);
        if (message->bytes_left == 0) {
            source->first_message = message->next;
            if (message->next != VEF_NONE) /* with a backlog it has left the caches */
                __builtin_prefetch(vef_message_at(network, message->next), 1);
            source->waiting--;
            if (network->policies.moving.windows)
                network->policies.moving.windows->leave(network, part, number);
        }
    }
    return true;
}
