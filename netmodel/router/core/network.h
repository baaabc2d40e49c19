/* The cycle-accurate core: state of all routers, and the steps of a cycle (netmodel/MODEL.md).
 *
 * A packet that has been granted an output does not stop, so one grant determines when each of its
 * phits moves. The core therefore simulates grants, arrivals of heads and ends of packets, not
 * phits, and visits only routers with due events: work is proportional to packet-hops.
 *
 * Numbers: a router's inputs and outputs are numbered as in MODEL.md; a link here is one virtual
 * channel of one port, port * channels + channel. A store has places: first the stores at the ends
 * of links, by the number of the link, then injection queues. It has one queue, which is an input,
 * or with virtual output queues one for each port and endpoint.
 *
 * The routers are divided into parts (partition.h), usually one. A step of a cycle changes only its
 * part: the network's own fields change between steps, and the blocks of routers, endpoints, queues
 * and packets belong to one part at a time. So threads can step parts side by side (advance.c), and
 * the result is the same for any number of parts.
 *
 *   state.h      the state of a network          policies.h   the seam to policy/
 *   build.c      building and freeing            split.c      partitions, and their mail
 *   source.c     messages into packets           offers.c     candidates of packets
 *   fronts.h     packets that wait, or not       choice.h     the choice among candidates
 *   events.c     events of a cycle               visit.c      requests, grants, movement
 *   advance.c    the course of time              deadlock.c   why nothing moves
 *   statistics.c figures                         divide.c     which part has which router
 *   confirmations.c  of deliveries, to sources in other parts
 *   ranks.c      parts in several processes */
#ifndef VEF_NETMODEL_ROUTER_CORE_NETWORK_H
#define VEF_NETMODEL_ROUTER_CORE_NETWORK_H

#include "netmodel/router/core/state.h"

#include <string.h>

/* build.c: the core in two steps, between which policies are installed and take their memory of
 * network->arena. Takes ownership of topology and routing, even on failure. */
vef_code vef_network_plan(const vef_network_settings *settings, vef_topology *topology,
                          vef_routing *routing, vef_network **network, vef_error *error);
void vef_network_build(vef_network *network);
void vef_network_destroy(vef_network *network); /* NULL is fine */
/* Sets the state of all routers that this process simulates, before the first message: networks
 * that are only described need no memory for it. */
void vef_network_begin(vef_network *network);
/* Policies have been installed: sets what follows from them. */
void vef_network_settle(vef_network *network);
/* For policies that look at queues at the other end of links: before vef_network_build. */
void vef_network_keep_places(vef_network *network);

vef_code vef_network_inject(vef_netmodel *base, const vef_net_message *message, vef_error *error);
vef_code vef_network_advance(vef_netmodel *base, uint64_t limit_cycles,
                             const vef_net_delivery **deliveries, size_t *count, vef_error *error);
uint32_t vef_network_list_parts(const vef_netmodel *base, uint32_t *part_of);
void vef_network_attend(vef_netmodel *base, const vef_net_agent *agent);
void vef_network_dismiss(vef_netmodel *base, uint64_t now_cycles);
void vef_network_statistics(const vef_netmodel *base, vef_net_statistics *statistics);
void vef_network_counts(const vef_netmodel *base, vef_net_counts *counts);
void vef_network_begin_figures(vef_netmodel *base);
uint64_t vef_network_link_phits(const vef_netmodel *base, uint32_t router, uint32_t port);
uint64_t vef_network_link_busy_cycles(const vef_netmodel *base, uint32_t router, uint32_t port);
bool vef_network_deadlock(const vef_netmodel *base, char *text, size_t text_bytes);

/* divide.c: sets the part of each router. */
void vef_network_divide(const vef_network *network, uint32_t parts, uint8_t *part_of);

/* split.c: parts, for a network at time 0 without messages. */
void vef_network_set_parts(vef_network *network, uint32_t count);
/* The same, with a thread for each; fewer parts if the network is small. */
void vef_network_split(vef_netmodel *base, uint32_t threads);
void vef_network_release_parts(vef_network *network);

/* ranks.c: part n is simulated by rank n, for a network at time 0 without messages. Refuses what is
 * not supported. */
vef_code vef_network_spread(vef_netmodel *base, const vef_net_ranks *ranks, vef_error *error);
void vef_ranks_release(vef_network *network);
/* Mail of that half goes to the ranks of other parts, and comes from them. Returns the earliest
 * next_cycles of all parts. */
uint64_t vef_ranks_meet(vef_network *network, uint32_t half);
/* The agent confirms, on all ranks: each exchanges mail with every other one. */
void vef_ranks_confirm(vef_network *network);
/* The record of a message is released. */
void vef_ranks_forget(vef_network *network, const vef_message *message);

/* Sets how long windows are, and takes room for their mail: also when there is an agent. */
void vef_network_set_window(vef_network *network);

/* ---- steps, shared among the files ---- */

/* Checks for deadlocked packets when a check is due. */
void vef_network_watch(vef_network *network);

/* Handles the events of part->now_cycles, */
void vef_partition_do_due(vef_network *network, vef_partition *part);
/* and then injects, requests and grants. */
void vef_partition_fill(vef_network *network, vef_partition *part);
void vef_partition_grant(vef_network *network, vef_partition *part);
/* The time of the part's next events or grants, without those in the mail. */
uint64_t vef_partition_next(const vef_network *network, const vef_partition *part);

/* Posts to the part of `router` the head of a packet, for the caller to fill in; and a credit for
 * the place that a packet leaves at a time, as in `event`, to its sender. */
vef_calendar_entry *vef_network_post_arrival(const vef_network *network, const vef_partition *from,
                                             uint64_t time_cycles, uint32_t router);
vef_calendar_entry *vef_network_post_credit(const vef_network *network, const vef_partition *from,
                                            uint64_t time_cycles, const vef_calendar_entry *event);
/* A frame that pauses or resumes the sender of a store leaves for it. */
void vef_network_send_frame(vef_network *network, vef_partition *part, uint32_t router,
                            uint32_t store, bool pauses);
/* Whether parts have a lookahead: no frame is at its sender in the cycle in which it leaves. */
bool vef_network_divisible(const vef_network *network);
/* The mail from a part to another of one half: vef_partitions.posting, or the other one. */
static inline vef_mail *vef_network_mail_of(const vef_network *network, uint32_t half,
                                            uint32_t from, uint32_t to) {
    const vef_partitions *parts = &network->partitions;
    return &parts->mail[(half * parts->count + from) * parts->count + to];
}
/* The earliest time in the mail from a part; UINT64_MAX: it is empty. */
uint64_t vef_network_next_posted(const vef_network *network, const vef_partition *from);
/* A part takes in the mail from all parts, of that half. */
void vef_network_receive(const vef_network *network, vef_partition *part, uint32_t half);

/* confirmations.c: the packet of `event` has been granted its ejection port, which it has passed at
 * that time; a part takes in what another has posted; the first time of that; and deliveries and
 * confirmations of this time go to the agent. */
void vef_network_confirm(const vef_network *network, vef_partition *part, const vef_packet *packet,
                         const vef_calendar_entry *event, uint64_t time_cycles);
void vef_partition_take_confirmations(vef_partition *part, vef_confirmation_list *posted);
uint64_t vef_confirmations_first(const vef_confirmation_list *posted);
void vef_partition_report(const vef_network *network, vef_partition *part);

/* Messages that are due join the queues of their sources. */
void vef_network_enqueue_due(vef_network *network, vef_partition *part);
uint64_t vef_network_next_message(const vef_partition *part);
/* Moves packets from the source of an endpoint into its injection queues. False: the state of its
 * router does not admit any now. */
bool vef_network_fill(vef_network *network, vef_partition *part, uint32_t endpoint);
/* The number of the offer to packet `front`, which is `unshared` if packets do not share offers and
 * the packet is not at its destination. Computes the offer if necessary. */
uint32_t vef_network_offer(vef_network *network, uint32_t router, uint32_t store, uint32_t front,
                           uint32_t unshared);
/* Writes the candidates of a packet in a store; returns their number. */
uint32_t vef_network_list(const vef_network *network, uint32_t router, uint32_t store,
                          const vef_packet *packet, vef_candidate *candidates);
/* An offer has so many candidates: sets what follows from them. */
void vef_network_set_offer(const vef_network *network, vef_offer *offer, uint32_t count);
/* What packets at a router see (view.h). */
struct vef_view vef_network_view(const vef_network *network, uint32_t router);
/* Draws the route of a packet of a message from its source to router `to`. Returns what it is good
 * for. */
vef_begun_for vef_network_draw_route(const vef_network *network, vef_endpoint *source,
                                     const vef_message *message, uint32_t to, vef_route *route);
/* With virtual output queues: the input of `store` for a packet whose head is there. */
uint32_t vef_network_sort(vef_network *network, const vef_partition *part, uint32_t router,
                          uint32_t store, uint32_t packet);

/* An unused packet, or message. */
uint32_t vef_network_take_packet(vef_network *network, vef_partition *part);
uint32_t vef_network_take_message(vef_network *network, vef_partition *part);
/* A part has two batches of unused packets or messages: one goes back into the pool. */
void vef_network_return_batch(vef_network *network, vef_partition *part, vef_pooled kind);
/* Parts of a grant: when the tail of packet `number`, granted this output now, has crossed; its
 * head enters a link, and takes a place. */
uint64_t vef_network_crossed(vef_network *network, const vef_partition *part, uint32_t router,
                             uint32_t output, uint32_t number);
void vef_network_send(vef_network *network, vef_partition *part, uint32_t router, vef_router *state,
                      uint32_t link, uint32_t number);

static inline vef_router *vef_router_at(const vef_network *network, uint32_t router) {
    return (vef_router *)(void *)(network->queues.routers + router * network->shape.router_stride);
}

static inline vef_packet *vef_packet_at(const vef_network *network, uint32_t packet) {
    return (vef_packet *)(void *)(network->pools.packets + packet * network->pools.packet_stride);
}

static inline vef_message *vef_message_at(const vef_network *network, uint32_t message) {
    return vef_blocks_at(&network->pools.messages, message, sizeof(vef_message));
}

static inline void vef_network_set_route(const vef_network *network, vef_packet *packet,
                                         const vef_route *route) {
    const vef_routing *routing = network->routing;
    uint64_t *to = (uint64_t *)(void *)&packet->route;
    for (uint32_t i = 0; i * 4 < routing->route_words; i++, to++)
        memcpy(to, &route->words[i * 4], sizeof *to);
    if (network->offers.shared)
        packet->signature = (uint16_t)routing->algorithm->signature(routing, route);
}

/* Whether a shared offer has been computed. */
static inline bool vef_offer_known(const vef_offer *offer) {
    return atomic_load_explicit(&offer->known, memory_order_acquire);
}

/* The time at which a packet entered the network, less than 2^32 cycles ago. */
static inline uint64_t vef_entered_cycles(const vef_partition *part, const vef_packet *packet) {
    return part->now_cycles - (uint32_t)((uint32_t)part->now_cycles - packet->entered_cycles);
}

static inline vef_offer *vef_offer_at(const vef_network *network, uint32_t offer) {
    return (vef_offer *)(void *)(network->offers.items + ((size_t)offer << network->offers.shift));
}

/* Scratch memory of a part, of most_candidates. */
static inline uint32_t vef_scratch_offer(const vef_network *network, const vef_partition *part) {
    return network->offers.copies + 1 + part->number;
}

/* Whether an offer is one of a packet that has still to commit to a candidate. */
static inline bool vef_offer_is_open(const vef_network *network, uint32_t number) {
    return network->policies.commits && number < network->offers.count &&
           vef_offer_at(network, number)->count == 0;
}

/* Whether the front packet of an input weighs its candidates and has not done so there. */
static inline bool vef_front_is_undecided(const vef_network *network, uint32_t router,
                                          uint32_t input, uint32_t offer) {
    if (network->queues.bound)
        return offer < network->offers.count &&
               network->queues.bound[(size_t)router * network->shape.inputs + input] == VEF_PORTS;
    return vef_offer_is_open(network, offer);
}

static inline uint32_t vef_store_of(const vef_network *network, uint32_t input) {
    return network->shape.queues_each == 1 ? input : input / network->shape.queues_each;
}

/* Places that a packet takes. */
static inline uint32_t vef_places_of(const vef_network *network, uint32_t phits) {
    uint32_t unit = network->settings.unit_phits;
    return unit == 0 ? 1 : (phits + unit - 1) / unit;
}

/* Places that a candidate needs for a packet of `places`: each beyond the first is one of the
 * largest size. */
static inline uint32_t vef_places_needed(const vef_network *network, vef_candidate candidate,
                                         uint32_t places) {
    return places + (candidate.slots_needed - 1u) * network->shape.largest_places;
}

/* A packet begins or ends to wait at the front of a queue (`sign`: 1 or -1), for all that see it.
 */
static inline void vef_count_waiting(vef_network *network, uint32_t router, uint32_t offer,
                                     const vef_packet *packet, int sign) {
    const uint16_t port = vef_offer_at(network, offer)->port;
    if (port != VEF_PORTS)
        network->queues.waiting[(size_t)router * network->shape.ports + port] +=
            (uint32_t)sign * vef_places_of(network, packet->phits);
}

/* Pieces of a router's block. */
static inline uint64_t *vef_filled_of(vef_router *router) {
    return router->sets;
}

/* `words`: network->shape.input_words. */
static inline uint64_t *vef_reading_of(vef_router *router, uint32_t words) {
    return router->sets + words;
}

/* Front packets that wait. `words`: network->shape.input_words. */
static inline uint64_t *vef_waiting_of(vef_router *router, uint32_t words) {
    return router->sets + 2 * words;
}

/* Marks the read port of an input as busy or free. Returns the inputs that share it. */
static inline vef_inputs vef_network_set_reading(const vef_network *network, vef_router *state,
                                                 uint32_t input, bool reading) {
    vef_inputs sharers = {input, input + 1};
    if (network->read_ports.of_input) {
        const uint16_t *first =
            &network->read_ports.first_inputs[network->read_ports.of_input[input]];
        sharers = (vef_inputs){first[0], first[1]};
    }
    for (uint32_t i = sharers.first; i < sharers.end; i++) {
        uint64_t bit = UINT64_C(1) << i % 64;
        uint64_t *busy = &vef_reading_of(state, network->shape.input_words)[i / 64];
        *busy = reading ? *busy | bit : *busy & ~bit;
    }
    return sharers;
}

static inline uint16_t *vef_credits_of(const vef_network *network, vef_router *router) {
    return (uint16_t *)(void *)((unsigned char *)router + network->shape.credits_at);
}

static inline vef_queue *vef_queues_of(const vef_network *network, vef_router *router) {
    return (vef_queue *)(void *)((unsigned char *)router + network->shape.queues_at);
}

static inline vef_router_output *vef_outputs_of(const vef_network *network, vef_router *router) {
    return (vef_router_output *)(void *)((unsigned char *)router + network->shape.outputs_at);
}

/* A link out of `router`, that is, a virtual channel of a port. */
static inline uint32_t vef_network_credit_delay(const vef_network *network, uint32_t router,
                                                uint32_t link) {
    if (!network->links.plan.rules)
        return network->links.plan.alike.credit_delay_cycles;
    size_t port = (size_t)router * network->shape.ports + link / network->shape.channels;
    return network->links.plan.rules[port].credit_delay_cycles;
}

static inline vef_far_end *vef_far_ends_of(const vef_network *network, vef_router *router) {
    return (vef_far_end *)(void *)((unsigned char *)router + network->shape.far_ends_at);
}

/* The free ejection ports of each endpoint, a bit for each. */
static inline uint32_t *vef_ejection_of(const vef_network *network, vef_router *router) {
    return (uint32_t *)(void *)((unsigned char *)router + network->shape.ejection_at);
}

/* Stores in `event` the sender to whom the place of the packet leaving `store` is credited. */
static inline void vef_network_set_sender(const vef_network *network, vef_router *state,
                                          uint32_t store, vef_calendar_entry *event) {
    const vef_far_end *far_end = &vef_far_ends_of(network, state)[network->links.far_end[store]];
    event->sender = far_end->router;
    event->link = vef_far_link(far_end, store);
}

static inline uint16_t *vef_pointers_of(const vef_network *network, vef_router *router) {
    return (uint16_t *)(void *)((unsigned char *)router + network->shape.pointers_at);
}

/* The first input in the list of each exit, and behind the exits the input after each input;
 * VEF_PORTS: none. */
static inline uint16_t *vef_lists_of(const vef_network *network, vef_router *router) {
    return (uint16_t *)(void *)((unsigned char *)router + network->shape.lists_at);
}

/* Since when the front packet of an input may request. */
static inline uint64_t *vef_fronts_of(const vef_network *network, vef_router *router) {
    return (uint64_t *)(void *)((unsigned char *)router + network->shape.fronts_at);
}

/* The credits of a link. */
static inline uint32_t vef_credits(const vef_network *network, vef_router *router, uint32_t link) {
    if (network->shape.counted)
        return vef_credits_of(network, router)[link];
    uint32_t credits = 0;
    for (uint32_t level = 0; level < VEF_CREDIT_LEVELS; level++)
        credits += (uint32_t)(router->at_least[level] >> link & 1);
    return credits;
}

static inline uint32_t vef_places_at_end(const vef_network *network, uint32_t router,
                                         uint32_t link) {
    return network->queues.places[(size_t)router * network->shape.links + link];
}

/* The places taken in the queue at the other end of a link, as the router knows from its credits.
 */
static inline uint32_t vef_places_taken(const vef_network *network, uint32_t router,
                                        uint32_t link) {
    return vef_places_at_end(network, router, link) -
           vef_credits(network, vef_router_at(network, router), link);
}

/* What to add to the credits of a router's links before comparing them: if default queue lengths
 * follow different round trips of links, the places that a queue lacks relative to the longest.
 * Otherwise packets would prefer long links, whose queues have more places. NULL: nothing. */
static inline const uint16_t *vef_credit_lead_of(const vef_network *network,
                                                 const vef_router *router) {
    if (!network->queues.credit_lead)
        return NULL;
    const size_t number = (size_t)((const unsigned char *)router - network->queues.routers) /
                          network->shape.router_stride;
    return network->queues.credit_lead + number * network->shape.links;
}

/* One credit more, or one less. */
static inline __attribute__((always_inline)) void
vef_add_credit(const vef_network *network, vef_router *router, uint32_t link) {
    uint64_t bit = UINT64_C(1) << link % 64, *at_least = router->at_least;
    if (!network->shape.counted) {
        for (uint32_t level = VEF_CREDIT_LEVELS - 1; level > 0; level--)
            at_least[level] |= at_least[level - 1] & bit;
        at_least[0] |= bit;
        return;
    }
    uint32_t credits = ++vef_credits_of(network, router)[link];
    if (network->shape.narrow && credits <= VEF_CREDIT_LEVELS)
        at_least[credits - 1] |= bit;
}

static inline __attribute__((always_inline)) void
vef_take_credit(const vef_network *network, vef_router *router, uint32_t link) {
    uint64_t others = ~(UINT64_C(1) << link % 64), *at_least = router->at_least;
    if (!network->shape.counted) {
        for (uint32_t level = 0; level < VEF_CREDIT_LEVELS - 1; level++)
            at_least[level] &= at_least[level + 1] | others;
        at_least[VEF_CREDIT_LEVELS - 1] &= others;
        return;
    }
    uint32_t credits = vef_credits_of(network, router)[link]--;
    if (network->shape.narrow && credits <= VEF_CREDIT_LEVELS)
        at_least[credits - 1] &= others;
}

/* The part of a router. */
static inline vef_partition *vef_network_partition(const vef_network *network, uint32_t router) {
    return &network->partitions
                .parts[network->partitions.part_of ? network->partitions.part_of[router] : 0];
}

/* Whether this process simulates the router. */
static inline bool vef_network_holds(const vef_network *network, uint32_t router) {
    const vef_net_ranks *ranks = network->base.ranks;
    return !ranks || network->partitions.part_of[router] == ranks->rank;
}

/* Adds a number to those that a part does not use; `next` is that of what it numbers. */
static inline void vef_network_put_unused(vef_network *network, vef_partition *part,
                                          vef_pooled kind, uint32_t number, uint32_t *next) {
    vef_unused *unused = &part->unused[kind];
    if (unused->count == VEF_BATCH && network->partitions.count > 1)
        vef_network_return_batch(network, part, kind);
    *next = unused->first;
    unused->first = number;
    unused->count++;
}

static inline bool vef_partition_holds(const vef_network *network, const vef_partition *part,
                                       uint32_t router) {
    return part->is_range ? router - part->first_router < part->routers
                          : network->partitions.part_of[router] == part->number;
}

/* A packet of no more use. */
static inline void vef_network_free_packet(vef_network *network, vef_partition *part,
                                           uint32_t number) {
    part->packets_inside--;
    vef_network_put_unused(network, part, VEF_PACKETS, number,
                           &vef_packet_at(network, number)->next);
}

/* Occupies the ejection port of an output, which is one of the endpoint with index `local`. */
static inline void vef_network_take_ejection_port(const vef_network *network, vef_router *state,
                                                  uint32_t local, uint32_t output) {
    const uint32_t port = output - network->shape.ports - local * network->settings.ejection_ports;
    uint32_t *free = &vef_ejection_of(network, state)[local];
    *free &= ~(1u << port);
    if (network->shape.narrow && *free == 0)
        state->open &= ~(UINT64_C(1) << (network->shape.links + local));
}

/* The output of the lowest free ejection port of an endpoint; VEF_NONE: none is free. */
static inline uint32_t vef_network_free_ejection(const vef_network *network, vef_router *state,
                                                 uint32_t local) {
    const uint32_t free = vef_ejection_of(network, state)[local];
    if (free == 0)
        return VEF_NONE;
    return network->shape.ports + local * network->settings.ejection_ports + vef_bits_first(free);
}

/* The injection queue of an endpoint with the most free places, the first among equals;
 * VEF_NO_QUEUE: it has fewer than `places`. */
static inline uint32_t vef_network_freest(const vef_network *network, uint32_t endpoint,
                                          uint32_t places) {
    const uint32_t queues = network->settings.injection_queues;
    const uint16_t *free = network->queues.injection_free + (size_t)endpoint * queues;
    uint32_t best = 0;
    for (uint32_t queue = 1; queue < queues; queue++)
        if (free[queue] > free[best])
            best = queue;
    return free[best] >= places ? best : VEF_NO_QUEUE;
}

static inline void vef_network_refill(vef_network *network, vef_partition *part,
                                      uint32_t endpoint) {
    if (network->queues.endpoints[endpoint].filling)
        return;
    network->queues.endpoints[endpoint].filling = true;
    part->filling.items[part->filling.count++] = endpoint;
}

#endif
