/* Routing by record on lattice networks: common functions of dimension-order and adaptive routing.
 *
 * The route of a packet is one of the minimal records of its difference (lattice.h), drawn among
 * equals at its source; words[g] is the remaining number of hops along generator g (negative:
 * backwards). The path has as many hops as the record's length, the distance of the two routers. */
#ifndef VEF_NETMODEL_ROUTING_LATTICE_RECORD_H
#define VEF_NETMODEL_ROUTING_LATTICE_RECORD_H

#include "netmodel/routing/lattice/rings.h"
#include "netmodel/topology/lattice/lattice.h"

enum { VEF_NO_DIRECTION = UINT16_MAX };

/* vef_routing_algorithm.supports: refuses topologies without records, and records whose steps
 * cannot be taken in any order. */
vef_code vef_record_supports(const vef_topology *topology, vef_flow_control flow_control,
                             const void *parameters, vef_error *error);

void vef_record_begin(const vef_routing *routing, const vef_travel *travel, vef_draws *draws,
                      vef_route *route);
void vef_record_advance(const vef_routing *routing, vef_route *route, vef_place place,
                        uint16_t port, uint8_t channel);

/* Copies minimal record number `which` to the route. */
void vef_record_take(const vef_lattice *lattice, const vef_minimal *minimal, uint32_t which,
                     vef_route *route);

/* Offers `channels` channels of a port, from `first` on, to a packet in dimension order; the escape
 * is the packet's current channel, or else the first. Returns their number. */
uint32_t vef_record_offer(const vef_routing *routing, vef_place place, uint16_t port,
                          uint32_t first, uint32_t channels, vef_candidate *offered);

/* As vef_routing_algorithm.input, for these candidates of vef_record_offer: whether the packet goes
 * on in its direction, and its channel there. */
uint32_t vef_record_input(const vef_routing *routing, vef_place place, uint16_t port,
                          uint32_t first, uint32_t channels);

/* Sets the routing's steps and route_words for vef_record_advance. */
void vef_record_set_steps(vef_routing *routing);

/* Candidates depend only on the remaining generators and their directions: a signature has a digit
 * of base 3 for each. Sets the number of signatures: none if it would not fit, nor with datelines,
 * where candidates depend on the router too. */
void vef_record_set_signatures(vef_routing *routing, const vef_rings *rings);
uint32_t vef_record_signature(const vef_routing *routing, const vef_route *route);

/* The minimum queue length without deadlock: two places with bubble rings. */
uint32_t vef_record_least_queue_packets(const vef_routing *routing);

/* Copies of broadcasts in the first channel of their class: generators in ascending order. */
bool vef_record_may_turn(const vef_routing *routing, uint16_t along, uint16_t port);

/* The next port in the order of generators; VEF_NO_DIRECTION at the destination. */
static inline uint16_t vef_record_next(const vef_lattice *lattice, const vef_route *route) {
    for (uint32_t g = 0; g < lattice->generators; g++)
        if (route->words[g] != 0)
            return (uint16_t)(2 * g + (route->words[g] < 0));
    return VEF_NO_DIRECTION;
}

/* The class of the hop by `port`, the next one along a generator of the record (rings.h). */
static inline uint32_t vef_record_class(const vef_rings *rings, const vef_route *route,
                                        uint32_t router, uint16_t port) {
    const int left = route->words[port / 2];
    return vef_rings_class(rings, router, port, (uint32_t)(left < 0 ? -left : left));
}

/* Whether the channels of a port form rings under bubble flow control. */
static inline bool vef_record_is_ring(const vef_routing *routing, uint16_t port) {
    const vef_lattice *lattice = routing->topology->lattice;
    return (lattice->all_wrap || (lattice->unit_generators && lattice->wraps[port / 2])) &&
           routing->flow_control == VEF_FLOW_BUBBLE;
}

/* Free places that a packet at `place` needs to leave by this port on a channel of bubble rings:
 * one to continue along its ring or without a ring, two to enter one. A packet that came in by port
 * p ^ 1 and leaves by p keeps its direction, and with the same channel its ring. */
static inline uint8_t vef_record_places(const vef_routing *routing, vef_place place, uint16_t port,
                                        uint8_t channel) {
    if (!vef_record_is_ring(routing, port))
        return 1;
    return place.in_port == (port ^ 1) && place.in_channel == channel ? 1 : 2;
}

/* The candidate of the escape channel `channel` of a port. */
static inline vef_candidate vef_record_escape(const vef_routing *routing, vef_place place,
                                              uint16_t port, uint8_t channel) {
    return (vef_candidate){
        .port = port,
        .channel = channel,
        .slots_needed = vef_record_places(routing, place, port, channel),
        .escape = true,
    };
}

#endif
