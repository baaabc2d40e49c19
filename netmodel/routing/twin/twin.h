/* Common functions of routings on twin tori: the next hop in dimension order, and the assignment of
 * virtual channels of inner links for DORT, alone or as an escape.
 *
 * Andujar et al.: "Building 3D Torus Using Low-Profile Expansion Cards: Deadlock-free routing
 * mechanism for 3D Twin torus networks", sections 2.1 to 2.3; "N-Dimensional Twin Torus Networks",
 * section 4.1, for n dimensions and the best configuration. Where a packet has to leave by a port
 * of the other card it crosses the inner link, for one of three reasons:
 *
 *  type 1  to go on along a dimension with both ports on the other card;
 *  type 2  to go on along a dimension whose ports are on different cards (split): in such a
 *          dimension the inner link is part of both rings, from one card to the other in the ring
 *          of one direction and back in that of the other;
 *  type 3  to its destination, the other card of the node.
 *
 * Any configuration, which the papers give as a number of channels only for some: each split
 * dimension has a channel of its own (bubble) or two, upper and lower (virtual channels), type 3
 * has one, and type 1 has as many as this asks: list the dimensions in ascending order, each by the
 * card that has both ports, or as split. Dimensions of the same card that follow each other share a
 * channel in the direction to that card; the next run of dimensions on that card takes another.
 * Channels are then taken in ascending order of the dimension that a run begins with, each after
 * the rings of all dimensions before and before those of its run, so waiting is acyclic but for the
 * rings. A channel shared by two runs would be waited for both before and after the rings between.
 * The best configuration has one run on each card, so one channel for both directions: 4 channels
 * with virtual channels and 3 with bubble for odd n, and 2 for even n; all ports of n dimensions
 * split take 2n + 1 or n + 1; a 3DT with one split dimension 4 or 3 whichever it is. All of these
 * are the papers' figures. */
#ifndef VEF_NETMODEL_ROUTING_TWIN_TWIN_H
#define VEF_NETMODEL_ROUTING_TWIN_TWIN_H

#include "netmodel/routing/routing.h"
#include "netmodel/topology/twin/twin_torus.h"

#include <string.h>

typedef struct vef_twin_dimension {
    uint32_t size;
    bool split;    /* its ports are on different cards */
    uint8_t inner; /* the channel of inner links on the way to its ports: type 1, or the (first,
                      upper) one of type 2 */
} vef_twin_dimension;

/* Channels of DORT; those of a routing that DORT is the escape of are the first. */
typedef struct vef_twin_plan {
    const vef_twin_torus *twin;
    const uint32_t *coordinates; /* [node * dimensions + d] */
    vef_twin_dimension dimension[VEF_MAX_TWIN_DIMENSIONS];
    bool bubble;
    uint8_t external; /* channels of external links */
    uint8_t needed;   /* of inner links */
    uint8_t inner;    /* available channels of inner links; if fewer than needed, types share them,
                         type 1, 2, 3 in the order of their channels, modulo their number */
    uint8_t arrival;  /* that of type 3; they follow type 1 and type 2 by dimension */
} vef_twin_plan;

/* Refuses all topologies but twin tori. As vef_routing_algorithm.supports. */
vef_code vef_twin_supports(const vef_topology *topology, vef_flow_control flow_control,
                           const void *parameters, vef_error *error);

/* Creates the plan in the routing's arena, with the needed number of channels, and sets
 * least_queue_packets and route_words. */
vef_twin_plan *vef_twin_plan_create(vef_routing *routing);

/* Sets channels and port_channels of the routing; refuses (VEF_UNSUPPORTED) more than
 * VEF_MAX_CHANNELS. */
vef_code vef_twin_set_channels(vef_routing *routing, uint32_t external, uint32_t inner,
                               vef_error *error);

/* ---- the route ---- */

/* The destination router, and a word that a routing may use for itself, 0 at the start. */
enum { VEF_TWIN_TARGET_WORD, VEF_TWIN_WORD = 2 };

static inline uint32_t vef_twin_target(const vef_route *route) {
    return vef_route_uint32(route, VEF_TWIN_TARGET_WORD);
}

void vef_twin_begin(const vef_routing *routing, const vef_travel *travel, vef_draws *draws,
                    vef_route *route);

/* ---- next hop ---- */

/* Remaining hops along a dimension in the direction +, 0 when done. */
static inline uint32_t vef_twin_ahead(const vef_twin_plan *plan, uint32_t dimension,
                                      const uint32_t *here, const uint32_t *to) {
    return to[dimension] >= here[dimension]
               ? to[dimension] - here[dimension]
               : to[dimension] + plan->dimension[dimension].size - here[dimension];
}

static inline const uint32_t *vef_twin_at(const vef_twin_plan *plan, uint32_t router) {
    return plan->coordinates + (size_t)vef_twin_node(router) * plan->twin->dimensions;
}

/* The one candidate of DORT: the port and channel to leave `place` by for `target`, another router.
 * A tie of directions goes to +. It is marked as escape. */
vef_candidate vef_twin_dort(const vef_twin_plan *plan, vef_place place, uint32_t target);

#endif
