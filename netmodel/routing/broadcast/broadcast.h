/* Broadcast in the network: routers forward copies of a packet by several ports, so that every
 * router gets one.
 *
 * Stafford, Bosque, Martinez, Vallejo, Beivide, Camarero, Castillo: "Assessing the Suitability of
 * King Topologies for Interconnection Networks", section 3.3.4. A packet to all carries a time to
 * live: a router that receives one decrements it, consumes a copy, and while some is left sends
 * copies on. By which ports is a rule: it says along which links a copy goes on that came along a
 * given one. A rule is a file and a row of vef_broadcast_rules (broadcast.c).
 *
 * The paper does not say what becomes of a torus whose size is even: the router half way round is
 * reached both ways with as many hops. Nor does its formula hold where the sides differ. Here a
 * copy also knows how far copies may yet go each way: to the end of a mesh; round a ring of n as
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
    /* By the port that a copy came along (its sender's), and last those from the source: the ports
     * that copies may go on by. */
    uint32_t count[2 * VEF_ROUTE_WORDS + 1];
    uint16_t onward[2 * VEF_ROUTE_WORDS + 1][2 * VEF_ROUTE_WORDS];
} vef_broadcast;

/* A copy that goes by this port, and straight on so that it takes `hops` hops that way, the first
 * one counted. */
typedef struct vef_branch {
    uint16_t port;
    uint32_t hops;
} vef_branch;

enum { VEF_MAX_BRANCHES = 2 * VEF_ROUTE_WORDS };

typedef struct vef_broadcast_rule {
    const char *name;
    const char *summary; /* one line */
    bool (*fits)(const vef_topology *topology);
    /* Whether a copy that came along a link of port `along` goes on by `port`. A source sends by
     * every port. */
    bool (*goes_on)(const vef_topology *topology, uint16_t along, uint16_t port);
    /* Hops to the farthest router, where copies may go `reach[d]` hops in each dimension. */
    uint32_t (*farthest)(const uint32_t *reach, uint32_t dimensions);
} vef_broadcast_rule;

extern const vef_broadcast_rule vef_broadcast_king;            /* king.c */
extern const vef_broadcast_rule vef_broadcast_dimension_order; /* dimension_order.c */

extern const vef_broadcast_rule *const vef_broadcast_rules[]; /* ended by NULL */

/* Sets up the broadcast of a topology, which must outlive it. Refuses (VEF_UNSUPPORTED) what no
 * rule fits, naming the choices. */
vef_code vef_broadcast_set(vef_broadcast *broadcast, const vef_topology *topology,
                           vef_error *error);
/* Refuses (VEF_UNSUPPORTED) a routing whose channels copies cannot take. */
vef_code vef_broadcast_check(const vef_broadcast *broadcast, const vef_routing *routing,
                             vef_error *error);

/* Fills in the route of a packet to all from a router; a time to live of `most_hops`, where that is
 * less than to the farthest router, bounds the area. */
void vef_broadcast_begin(const vef_broadcast *broadcast, uint32_t from, uint32_t most_hops,
                         vef_route *route);
/* The copies that a router is to send on; of one's route vef_broadcast_advance then makes that of
 * the copy. At most VEF_MAX_BRANCHES. */
uint32_t vef_broadcast_branches(const vef_broadcast *broadcast, const vef_route *route,
                                vef_place place, vef_branch *branches);
void vef_broadcast_advance(const vef_broadcast *broadcast, vef_route *route, uint16_t port);

#endif
