/* Messages: from inject() through the source's queue into packets in injection queues.
 *
 * The pool of messages grows on demand; that of packets has one packet per place of every queue,
 * so allocation cannot fail. */
#include "common/memory.h"
#include "netmodel/router/copies.h"
#include "netmodel/router/fronts.h"
#include "netmodel/router/network.h"
#include "netmodel/router/paces.h"
#include "netmodel/router/windows.h"
#include "netmodel/routing/view.h"

#include <stdlib.h>
#include <string.h>

static void grow_messages(vef_network *network) {
    const uint64_t room = network->message_room + (uint64_t)network->message_room / 8 + 1024;
    if (room >= VEF_NONE) /* more than numbers for them */
        vef_lost(room * sizeof *network->messages);
    network->messages = vef_realloc(network->messages, room * sizeof *network->messages);
    network->message_room = (uint32_t)room;
}

static uint32_t take_message(vef_network *network) {
    uint32_t message = network->free_message;
    if (message != VEF_NONE) {
        network->free_message = network->messages[message].next;
        return message;
    }
    if (network->messages_untouched == network->message_room)
        grow_messages(network);
    return network->messages_untouched++;
}

void vef_network_free_message(vef_network *network, vef_partition *part, uint32_t message) {
    if (network->messages[message].missing) {
        free(network->messages[message].missing);
        network->messages[message].missing = NULL;
    }
    if (part->freed_messages == VEF_NONE)
        part->freed_messages_last = message;
    network->messages[message].next = part->freed_messages;
    part->freed_messages = message;
}

void vef_network_collect_messages(vef_network *network) {
    for (uint32_t i = 0; i < network->part_count; i++) {
        vef_partition *part = &network->parts[i];
        if (part->freed_messages == VEF_NONE)
            continue;
        network->messages[part->freed_messages_last].next = network->free_message;
        network->free_message = part->freed_messages;
        part->freed_messages = VEF_NONE;
    }
}

/* A due message joins its source's queue. */
static void enqueue(vef_network *network, vef_partition *part, uint32_t message) {
    vef_endpoint *source = &network->endpoints[network->messages[message].source];
    network->messages[message].next = VEF_NONE;
    if (network->windows)
        vef_windows_enqueued(network, message);
    if (source->first_message == VEF_NONE) {
        source->first_message = message;
        vef_network_refill(network, part, network->messages[message].source);
    } else {
        /* The source waits for places, or is in the list to visit. */
        network->messages[source->last_message].next = message;
    }
    source->last_message = message;
}

static void add_near(vef_network *network, vef_partition *part, uint64_t time_cycles,
                     uint32_t message) {
    vef_near *near = &part->near;
    uint32_t slot = (uint32_t)time_cycles % VEF_NEAR_CYCLES;
    uint64_t bit = UINT64_C(1) << slot % 64;
    network->messages[message].next = VEF_NONE;
    if (near->occupied[slot / 64] & bit)
        network->messages[near->last[slot]].next = message;
    else
        near->first[slot] = message;
    near->last[slot] = message;
    near->occupied[slot / 64] |= bit;
}

void vef_network_enqueue_due(vef_network *network, vef_partition *part) {
    /* In the order of injection: messages in the heap were injected when their time was far. */
    while (vef_pending_time(&part->later) == part->now_cycles)
        enqueue(network, part, (uint32_t)vef_pending_take(&part->later));
    vef_near *near = &part->near;
    uint32_t slot = (uint32_t)part->now_cycles % VEF_NEAR_CYCLES;
    uint64_t bit = UINT64_C(1) << slot % 64;
    if (!(near->occupied[slot / 64] & bit))
        return;
    near->occupied[slot / 64] &= ~bit;
    enum { MESSAGES_AHEAD = 6 }; /* prefetch distance */
    uint32_t ahead = near->first[slot];
    for (uint32_t i = 0; i < MESSAGES_AHEAD && ahead != VEF_NONE; i++)
        ahead = network->messages[ahead].next;
    for (uint32_t message = near->first[slot]; message != VEF_NONE;) {
        if (ahead != VEF_NONE) {
            __builtin_prefetch(&network->endpoints[network->messages[ahead].source], 1);
            ahead = network->messages[ahead].next;
        }
        uint32_t next = network->messages[message].next; /* enqueueing changes it */
        enqueue(network, part, message);
        message = next;
    }
}

uint64_t vef_network_next_message(const vef_partition *part) {
    uint64_t far = vef_pending_time(&part->later);
    uint64_t near = vef_slots_next(part->near.occupied, VEF_NEAR_CYCLES - 1, part->now_cycles);
    return near < far ? near : far;
}

/* Allocates what only a message to all needs, before its record. */
static vef_code prepare_for_all(vef_network *network, uint64_t packets, uint32_t **missing,
                                vef_error *error) {
    const uint32_t endpoints = network->base.endpoints;
    vef_code code = vef_copies_create(network, error);
    if (code != VEF_OK || packets <= 1)
        return code;
    if (packets > UINT32_MAX)
        return vef_fail(error, VEF_INVALID, "a message to all of %llu packets: expected at most %u",
                        (unsigned long long)packets, UINT32_MAX);
    *missing = vef_malloc(endpoints * sizeof **missing);
    for (uint32_t i = 0; i < endpoints; i++)
        (*missing)[i] = (uint32_t)packets;
    return VEF_OK;
}

vef_code vef_network_inject(vef_netmodel *base, const vef_net_message *given, vef_error *error) {
    vef_network *network = (vef_network *)base;
    const bool to_all = given->destination == VEF_TO_ALL;
    if (given->source >= base->endpoints || (given->destination >= base->endpoints && !to_all))
        return vef_fail(error, VEF_INVALID,
                        "a message from endpoint %u to endpoint %u; the network has %u endpoints",
                        given->source, given->destination, base->endpoints);
    if (given->traffic_class >= network->routing->traffic_classes)
        return vef_fail(error, VEF_INVALID,
                        "a message of traffic class %u; routing %s has %u, numbered from 0",
                        given->traffic_class, network->routing->algorithm->name,
                        network->routing->traffic_classes);
    if (given->time_cycles < network->now_cycles)
        return vef_fail(
            error, VEF_INVALID, "a message for cycle %llu, but the network has reached cycle %llu",
            (unsigned long long)given->time_cycles, (unsigned long long)network->now_cycles);
    const uint64_t packets = vef_packets_of(&network->sizes, given->bytes);
    uint32_t *missing = NULL;
    vef_code code = to_all ? prepare_for_all(network, packets, &missing, error) : VEF_OK;
    if (code != VEF_OK)
        return code;
    const uint32_t number = take_message(network);
    uint64_t copies = to_all ? base->endpoints - 1u : 1;
    network->messages[number] = (vef_message){
        .id = given->id,
        .time_cycles = given->time_cycles,
        .bytes_left = given->bytes,
        .packets_out = packets * copies,
        .source = given->source,
        .destination = given->destination,
        .traffic_class = given->traffic_class,
        .missing = missing,
    };
    vef_partition *part = vef_network_partition(network, network->endpoints[given->source].router);
    if (network->windows)
        vef_windows_reserve(network, number, packets);
    if (given->time_cycles == network->now_cycles)
        enqueue(network, part, number);
    else if (given->time_cycles - network->now_cycles < VEF_NEAR_CYCLES)
        add_near(network, part, given->time_cycles, number);
    else
        vef_pending_add(&part->later, given->time_cycles, number, 0);
    network->endpoints[given->source].waiting++;
    return VEF_OK;
}

/* The size in phits of the next packet of a message. */
static uint32_t next_phits(const vef_network *network, const vef_message *message) {
    if (message->bytes_left >= network->sizes.payload_bytes)
        return network->settings.packet_phits;
    return (uint32_t)vef_packets_phits_with(&network->sizes, message->bytes_left);
}

/* For views (view.h): occupancy of a queue at the other end of a link. */
static vef_occupancy look(const vef_view *view, uint32_t router, uint32_t port, uint32_t channel) {
    const vef_network *network = view->network;
    const uint32_t link = port * network->channels + channel;
    return (vef_occupancy){vef_places_taken(network, router, link),
                           vef_places_at_end(network, router, link)};
}

static uint32_t waiting(const vef_view *view, uint32_t router, uint32_t port) {
    const vef_network *network = view->network;
    return network->waiting ? network->waiting[(size_t)router * network->ports + port] : 0;
}

vef_view vef_network_view(const vef_network *network, uint32_t router) {
    return (vef_view){
        .network = network,
        .router = router,
        .channels = network->channels,
        .everywhere = network->routing->sees_all,
        .look = look,
        .waiting = waiting,
    };
}

/* Begins the route of a packet from `source` to router `to`. */
static inline __attribute__((always_inline)) void draw_route(const vef_network *network,
                                                             vef_endpoint *source,
                                                             const vef_message *message,
                                                             uint32_t to, vef_route *route) {
    const vef_travel travel = {message->source, message->destination, source->router, to,
                               message->traffic_class};
    vef_draws draws = vef_draws_from(&source->rng);
    const vef_view view = vef_network_view(network, source->router);
    vef_routing_begin(network->routing, &travel, &draws, &view, route);
}

static inline void set_route(const vef_network *network, vef_packet *packet,
                             const vef_route *route) {
    const vef_routing *routing = network->routing;
    memcpy(&packet->route, route, routing->route_words * sizeof *route->words);
    if (network->shared_offers)
        packet->signature = (uint16_t)routing->algorithm->signature(routing, route);
}

/* The route of a packet that enters: from its source, or as begun before (choose_queue_by_route).
 */
static void begin_route(vef_network *network, vef_endpoint *source, const vef_message *message,
                        uint32_t number) {
    vef_packet *packet = vef_packet_at(network, number);
    if (message->destination == VEF_TO_ALL) {
        packet->router = VEF_NONE;
        vef_broadcast_begin(&network->copies->broadcast, source->router, UINT32_MAX,
                            &network->copies->packets[number].route);
        return;
    }
    const vef_endpoint *destination = &network->endpoints[message->destination];
    packet->router = destination->router;
    packet->local = (uint16_t)destination->local;
    if (network->chooses && packet->router != source->router)
        return; /* at the front of its queue */
    if (source->begun) {
        set_route(network, packet, &network->begun[message->source]);
        source->begun = false;
        return;
    }
    vef_route route;
    draw_route(network, source, message, packet->router, &route);
    set_route(network, packet, &route);
}

/* The next packet of a message, with its route begun. */
static uint32_t make_packet(vef_network *network, vef_partition *part, uint32_t endpoint,
                            uint32_t number) {
    vef_message *message = &network->messages[number];
    uint32_t phits = next_phits(network, message);
    uint64_t bytes = network->sizes.payload_bytes;
    message->bytes_left -= bytes < message->bytes_left ? bytes : message->bytes_left;
    uint32_t made = vef_network_take_packet(network, part);
    vef_packet *packet = vef_packet_at(network, made);
    packet->next = VEF_NONE;
    packet->entered_cycles = (uint32_t)part->now_cycles;
    packet->message = number;
    packet->phits = (uint16_t)phits;
    packet->hops = 0;
    if (network->ways)
        network->ways[made] = (vef_way){0, 1};
    if (network->lines)
        vef_paces_begin(network, made);
    begin_route(network, &network->endpoints[endpoint], message, made);
    return made;
}

/* The injection queue that the next packet of a message joins; VEF_NO_QUEUE: it waits. */
static inline __attribute__((always_inline)) uint32_t
choose_queue(const vef_network *network, uint32_t endpoint, uint32_t places) {
    const uint32_t queues = network->settings.injection_queues;
    const uint16_t *free = network->injection_free + (size_t)endpoint * queues;
    return vef_injection_freest(free, 0, queues, places);
}

/* The same by the packet's route, which begins now unless it has. */
static __attribute__((noinline)) uint32_t choose_queue_by_route(vef_network *network,
                                                                uint32_t endpoint,
                                                                const vef_message *message,
                                                                uint32_t places) {
    vef_endpoint *source = &network->endpoints[endpoint];
    if (message->destination == VEF_TO_ALL)
        return choose_queue(network, endpoint, places);
    const uint32_t to = network->endpoints[message->destination].router;
    vef_route *route = &network->begun[endpoint];
    if (!source->begun)
        draw_route(network, source, message, to, route);
    source->begun = true;
    if (to == source->router)
        return choose_queue(network, endpoint, places);
    const vef_routing *routing = network->routing;
    const uint32_t queues = network->settings.injection_queues;
    vef_candidate candidates[VEF_MAX_CANDIDATES];
    const vef_entrant packet = {
        .free = network->injection_free + (size_t)endpoint * queues,
        .queues = queues,
        .places = places,
        .ports = network->ports,
        .routing = routing,
        .route = route,
        .candidates = candidates,
        .count = routing->algorithm->candidates(
            routing, route, (vef_place){source->router, VEF_INJECTED, 0}, candidates),
    };
    return network->injection->choose(&packet);
}

/* Whether the congestion policy admits packets of the endpoints of a router. Injection changes none
 * of what it depends on, so one answer is for all of them. */
static __attribute__((noinline)) bool is_admitted(const vef_network *network, uint64_t now,
                                                  uint32_t router) {
    vef_admission *admission = &network->admissions[router];
    if (admission->until_cycles == now + 1)
        return admission->admits;
    const vef_congestion *congestion = &network->settings.congestion;
    uint64_t taken = 0, places = 0;
    for (uint32_t link = 0; link < network->links; link++) {
        taken += vef_places_taken(network, router, link);
        places += vef_places_at_end(network, router, link);
    }
    *admission = (vef_admission){
        now + 1, network->congestion->admits(&congestion->parameters, taken, places)};
    return admission->admits;
}

bool vef_network_fill(vef_network *network, vef_partition *part, uint32_t endpoint) {
    vef_endpoint *source = &network->endpoints[endpoint];
    if (network->admissions && !is_admitted(network, part->now_cycles, source->router))
        return false;
    source->filling = false;
    uint32_t first = network->links + source->local * network->settings.injection_queues;
    while (source->first_message != VEF_NONE) {
        if (network->windows && !vef_windows_ready(network, endpoint))
            return true;
        uint32_t message = source->first_message;
        uint32_t places = 1;
        if (network->settings.unit_phits > 0)
            places = vef_places_of(network, next_phits(network, &network->messages[message]));
        uint32_t queue = network->begun ? choose_queue_by_route(network, endpoint,
                                                                &network->messages[message], places)
                                        : choose_queue(network, endpoint, places);
        if (queue == VEF_NO_QUEUE)
            return true;
        uint16_t *free =
            network->injection_free + (size_t)endpoint * network->settings.injection_queues + queue;
        *free = (uint16_t)(*free - places);
        uint32_t packet = make_packet(network, part, endpoint, message);
        if (network->windows)
            vef_windows_entered(network, part, message, packet);
        uint32_t input = first + queue;
        if (network->queues_each > 1)
            input = vef_network_sort(network, part, source->router, input, packet);
        vef_front_join(network, part, source->router, input, packet, VEF_NONE, network->fast);
        if (network->messages[message].bytes_left == 0) {
            source->first_message = network->messages[message].next;
            source->waiting--;
            if (network->windows)
                vef_windows_left(network, part, message);
        }
    }
    return true;
}

/* Calls `visit` for the inputs of the listed routers whose front packets have just come there and
 * choose their routes. */
static void each_chooser(vef_network *network, vef_partition *part,
                         void (*visit)(vef_network *network, vef_partition *part, uint32_t router,
                                       uint32_t input)) {
    for (uint32_t i = 0; i < part->up.count; i++) {
        const uint32_t router = part->up.items[i], words = network->input_words;
        vef_router *state = vef_router_at(network, router);
        const uint64_t *filled = vef_filled_of(state), *reading = vef_reading_of(state, words);
        for (uint32_t word = network->transit_inputs / 64; word < words; word++)
            for (uint64_t left = filled[word] & ~reading[word]; left != 0; left &= left - 1) {
                const uint32_t input = word * 64 + vef_bits_first(left);
                const vef_queue *queue = &vef_queues_of(network, state)[input];
                if (vef_front_must_choose(network, router, queue, input))
                    visit(network, part, router, input);
            }
    }
}

static void choose_route(vef_network *network, vef_partition *part, uint32_t router,
                         uint32_t input) {
    (void)part;
    const vef_queue *queue = &vef_queues_of(network, vef_router_at(network, router))[input];
    vef_packet *packet = vef_packet_at(network, queue->head);
    const vef_message *message = &network->messages[packet->message];
    vef_route route;
    draw_route(network, &network->endpoints[message->source], message, packet->router, &route);
    set_route(network, packet, &route);
}

void vef_partition_choose(vef_network *network, vef_partition *part) {
    vef_partition_list(part, &part->choosing);
    each_chooser(network, part, choose_route);
}

static void begin_front(vef_network *network, vef_partition *part, uint32_t router,
                        uint32_t input) {
    vef_front_attend_chosen(network, part, router, vef_router_at(network, router), input, VEF_NONE);
}

void vef_partition_chosen(vef_network *network, vef_partition *part) {
    each_chooser(network, part, begin_front);
}

void vef_front_attend(vef_network *network, vef_partition *part, uint32_t router, vef_router *state,
                      uint32_t input, uint32_t hint) {
    if (vef_front_must_choose(network, router, &vef_queues_of(network, state)[input], input))
        vef_awake_add(&part->choosing, router);
    else
        vef_front_attend_chosen(network, part, router, state, input, hint);
}

void vef_front_attend_chosen(vef_network *network, vef_partition *part, uint32_t router,
                             vef_router *state, uint32_t input, uint32_t hint) {
    const vef_queue *queue = &vef_queues_of(network, state)[input];
    const bool fresh = queue->offer == VEF_NONE;
    if (network->fast)
        vef_front_begin(network, part, router, state, input, hint, true);
    else
        vef_front_begin(network, part, router, state, input, hint, false);
    if (fresh && network->waiting)
        vef_count_waiting(network, router, queue->offer, vef_packet_at(network, queue->head), 1);
    if (fresh && network->rank == VEF_RANK_FRONT)
        vef_fronts_of(network, state)[input] = part->now_cycles;
}
