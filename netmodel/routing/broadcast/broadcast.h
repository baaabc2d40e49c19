/* Broadcast in the network: routers copy a packet to several ports, so that every router gets
 * exactly one copy.
 *
 * Stafford, Bosque, Martinez, Vallejo, Beivide, Camarero, Castillo: "Assessing the Suitability of
 * King Topologies for Interconnection Networks", section 3.3.4. A broadcast packet carries a time
 * to live: a router that receives it decrements it, consumes a copy and, unless it is 0, forwards
 * copies. A rule defines to which ports, given the arrival link. A rule is in rules.c and a row
 * of vef_broadcast_rules (broadcast.c).
 *
 * The paper does not define the case of a torus of even size, where the opposite router is equally
 * far in both directions, and its formula does not hold for different sizes. Here a copy also
 * carries how far copies may still go in each direction: to the end of a mesh; in a ring of n, n /
 * 2 (rounded down) in plus direction and (n - 1) / 2 in minus direction, so that only plus copies
 * reach the opposite router. The reachable differences form a box that contains each router once; a
 * rule gives each of them one shortest path, which stays inside the box. So every router gets one
 * copy by a shortest path, and the time to live is the distance of the farthest router.
 *
 * Copies use the escape channels of a routing that goes straight and turns in an order which the
 * rule's turns fit (routing.h: `straight`). broadcast.c proves freedom from deadlock.
 *
 * On fat trees and stars, packets of a group of endpoints take the links of the group's tree
 * (tree.h), on the first channel: copies to its members, and contributions to reductions. */
#ifndef VEF_NETMODEL_ROUTING_BROADCAST_BROADCAST_H
#define VEF_NETMODEL_ROUTING_BROADCAST_BROADCAST_H

#include "netmodel/routing/broadcast/tree.h"

typedef struct vef_broadcast {
    const struct vef_broadcast_rule *rule; /* of lattices; NULL: trees, */
    const vef_climb *climb;                /* by this rule */
    const vef_topology *topology;
    vef_group_tree **groups; /* the trees of groups; owned. Group 0 has all endpoints */
    uint32_t group_count;
    /* By the arrival port (the sender's); the last entry is for the source: the ports for
     * copies. */
    uint32_t count[2 * VEF_ROUTE_WORDS + 1];
    uint16_t onward[2 * VEF_ROUTE_WORDS + 1][2 * VEF_ROUTE_WORDS];
} vef_broadcast;

/* A copy by this port, which goes straight for `hops` hops, including the first. */
typedef struct vef_branch {
    uint16_t port;
    uint32_t hops;
} vef_branch;

enum { VEF_MAX_BRANCHES = VEF_MAX_PORTS };

typedef struct vef_broadcast_rule {
    const char *name;
    const char *summary; /* one line */
    bool (*fits)(const vef_topology *topology);
    /* Whether a copy that arrived by a link of port `along` goes to `port`. A source uses all
     * ports. */
    bool (*goes_on)(const vef_topology *topology, uint16_t along, uint16_t port);
    /* Hops to the farthest router, if copies may go `reach[d]` hops in each dimension. */
    uint32_t (*farthest)(const uint32_t *reach, uint32_t dimensions);
} vef_broadcast_rule;

extern const vef_broadcast_rule vef_broadcast_king, vef_broadcast_dimension_order; /* rules.c */

extern const vef_broadcast_rule *const vef_broadcast_rules[]; /* terminated by NULL */

/* Sets up the broadcast of a topology, which must outlive it, without groups. VEF_UNSUPPORTED, with
 * the supported topologies, if it has no rule. */
vef_code vef_broadcast_set(vef_broadcast *broadcast, const vef_topology *topology,
                           vef_error *error);
/* Refuses (VEF_UNSUPPORTED) a routing whose channels copies cannot take. */
vef_code vef_broadcast_check(const vef_broadcast *broadcast, const vef_routing *routing,
                             vef_error *error);
/* Of trees: adds a group of so many endpoints (0: all), whose tree follows from its number. Returns
 * the number. */
uint32_t vef_broadcast_add_group(vef_broadcast *broadcast, const uint32_t *endpoints,
                                 uint32_t count);
void vef_broadcast_release(vef_broadcast *broadcast); /* the groups */

/* ---- routes of copies ---- */

/* Fills in the route of a broadcast packet of a group (of lattices: 0) from a router with members;
 * `most_hops` below the distance of the farthest router limits the area, of lattices. */
void vef_broadcast_begin(const vef_broadcast *broadcast, uint32_t group, uint32_t from,
                         uint32_t most_hops, vef_route *route);
/* The copies that a router must send; vef_broadcast_advance then computes the route of each copy.
 */
uint32_t vef_broadcast_branches(const vef_broadcast *broadcast, const vef_route *route,
                                vef_place place, vef_branch *branches);
void vef_broadcast_advance(const vef_broadcast *broadcast, vef_route *route, uint16_t port);
/* The channel, and places needed, of a copy at `place` that takes this branch. */
vef_candidate vef_broadcast_escape(const vef_broadcast *broadcast, const vef_routing *routing,
                                   vef_place place, vef_branch branch);

/* ---- routes of trees ---- */

typedef enum vef_tree_kind { VEF_TREE_COPIED, VEF_TREE_CONTRIBUTED, VEF_TREE_RESULT } vef_tree_kind;

/* The words of such a route: the node where the packet is (two words, like the next ones), its
 * group, the leaf for which a result is (VEF_TREE_NONE: all), the number of the packet in its
 * message, and its kind. */
enum {
    VEF_TREE_NODE_WORD = 0,
    VEF_TREE_GROUP_WORD = 2,
    VEF_TREE_RECEIVER_WORD = 4,
    VEF_TREE_PACKET_WORD = 6,
    VEF_TREE_KIND_WORD = 8
};

static inline const vef_group_tree *vef_broadcast_tree(const vef_broadcast *broadcast,
                                                       const vef_route *route) {
    return broadcast->groups[vef_route_uint32(route, VEF_TREE_GROUP_WORD)];
}

static inline const vef_tree_node *vef_broadcast_node(const vef_broadcast *broadcast,
                                                      const vef_route *route) {
    return &vef_broadcast_tree(broadcast, route)
                ->nodes[vef_route_uint32(route, VEF_TREE_NODE_WORD)];
}

#endif
