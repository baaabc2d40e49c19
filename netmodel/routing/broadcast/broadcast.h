/* Broadcast in the network: routers forward copies of a packet by several ports, so that every
 * router gets exactly one.
 *
 * Stafford, Bosque, Martinez, Vallejo, Beivide, Camarero, Castillo: "Assessing the Suitability of
 * King Topologies for Interconnection Networks", section 3.3.4. A packet to all carries a time to
 * live: a router that receives one decrements it, consumes a copy, and while some is left sends
 * copies on. A rule determines the ports: the links by which a copy is forwarded, given the link by
 * which it arrived. A rule is a file and a row of vef_broadcast_rules (broadcast.c).
 *
 * The paper does not define the case of a torus of even size, where the router half way round is
 * equally far in both directions. Nor does its formula hold for different sides. Here a copy also
 * carries how far copies may still go in each direction: to the end of a mesh; round a ring of n as
 * far as n / 2 (rounded down) in plus direction and (n - 1) / 2 in minus direction, so half way is
 * reached by plus alone. What can be reached are differences inside a box that has each router
 * once; a rule gives each of them one path of least length, which never leaves the box between its
 * ends; so every router gets one copy, along a shortest way, and the last gets it after as many
 * hops as the farthest router is away, the time to live.
 *
 * Copies travel in the escape channels of a routing that goes straight on and turns in an order
 * which the rule's turns fit (routing.h: `straight`). Freedom from deadlock is argued in
 * broadcast.c. */
#ifndef VEF_NETMODEL_ROUTING_BROADCAST_BROADCAST_H
#define VEF_NETMODEL_ROUTING_BROADCAST_BROADCAST_H

#include "netmodel/routing/routing.h"

typedef struct vef_broadcast {
    const struct vef_broadcast_rule *rule;
    const vef_topology *topology;
    /* Indexed by the port by which a copy arrived (of its sender), the last entry for the source:
     * the ports by which copies may be forwarded. */
    uint32_t count[2 * VEF_ROUTE_WORDS + 1];
    uint16_t onward[2 * VEF_ROUTE_WORDS + 1][2 * VEF_ROUTE_WORDS];
} vef_broadcast;

/* A copy by this port, and straight on so that it takes `hops` hops in that direction, including
 * the first. */
typedef struct vef_branch {
    uint16_t port;
    uint32_t hops;
} vef_branch;

enum { VEF_MAX_BRANCHES = 2 * VEF_ROUTE_WORDS };

typedef struct vef_broadcast_rule {
    const char *name;
    const char *summary; /* one line */
    bool (*fits)(const vef_topology *topology);
    /* Whether a copy that arrived by a link of port `along` is forwarded by `port`. A source sends
     * by every port. */
    bool (*goes_on)(const vef_topology *topology, uint16_t along, uint16_t port);
    /* Hops to the farthest router, if copies may go `reach[d]` hops in each dimension. */
    uint32_t (*farthest)(const uint32_t *reach, uint32_t dimensions);
} vef_broadcast_rule;

extern const vef_broadcast_rule vef_broadcast_king;            /* king.c */
extern const vef_broadcast_rule vef_broadcast_dimension_order; /* dimension_order.c */

extern const vef_broadcast_rule *const vef_broadcast_rules[]; /* terminated by NULL */

/* Sets up the broadcast of a topology, which must outlive it. Refuses (VEF_UNSUPPORTED) a topology
 * without a rule, naming supported ones. */
vef_code vef_broadcast_set(vef_broadcast *broadcast, const vef_topology *topology,
                           vef_error *error);
/* Refuses (VEF_UNSUPPORTED) a routing whose channels copies cannot take. */
vef_code vef_broadcast_check(const vef_broadcast *broadcast, const vef_routing *routing,
                             vef_error *error);

/* Fills in the route of a broadcast packet from a router; a time to live of `most_hops`, if less
 * than to the farthest router, bounds the area. */
void vef_broadcast_begin(const vef_broadcast *broadcast, uint32_t from, uint32_t most_hops,
                         vef_route *route);
/* The copies that a router must send; vef_broadcast_advance then computes the route of a copy from
 * the packet's. At most VEF_MAX_BRANCHES. */
uint32_t vef_broadcast_branches(const vef_broadcast *broadcast, const vef_route *route,
                                vef_place place, vef_branch *branches);
void vef_broadcast_advance(const vef_broadcast *broadcast, vef_route *route, uint16_t port);

#endif
