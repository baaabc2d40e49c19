/* Failures: links and routers that are down, the section `failures` of a network file.
 *
 * After the family has built its network, failures replace it by another topology with fewer links:
 * without the routers that are down, and their endpoints, and with the others numbered in the same
 * order without gaps. So all that works on any graph is right on a network with failures: distances
 * and loads, routings, the proof, routers. What only the family knows is not claimed (symmetries,
 * distances by a formula, the lattice), except names, coordinates, classes of links and ports,
 * which stay those of the network without failures (vef_topology_whole). Across an axis, halves are
 * equal only while no router is down; else there are no axes.
 *
 * docs/failures.md describes the section. */
#ifndef VEF_NETMODEL_TOPOLOGY_FAILURES_FAILURES_H
#define VEF_NETMODEL_TOPOLOGY_FAILURES_FAILURES_H

#include "netmodel/topology/topology.h"

struct vef_result; /* common/report/result.h */

/* The keys of the section. */
typedef struct vef_failure_settings {
    vef_text_table links;
    vef_text_list routers;
    double link_share, router_share; /* of all, drawn at random; 0: link_count, router_count */
    uint32_t link_count, router_count;
    uint64_t seed;
    int disconnected; /* vef_when_disconnected */
} vef_failure_settings;

typedef enum vef_when_disconnected {
    VEF_DISCONNECTED_REFUSE,
    VEF_DISCONNECTED_REDRAW,
    VEF_DISCONNECTED_DROP
} vef_when_disconnected;

typedef struct vef_failures {
    vef_failure_settings settings;
    uint32_t routers, links, endpoints; /* that are lost; links include those of lost routers */
} vef_failures;

extern const vef_param vef_failure_schema[];

/* Replaces `*topology` by one with the failures of the section `node` (NULL: none), which owns it;
 * leaves it if nothing is down. Refuses (VEF_INVALID) links and routers that do not exist or are
 * listed twice and, naming two endpoints, failures that disconnect the network. Routers without
 * endpoints that no endpoint can reach are lost, too. */
vef_code vef_failures_apply(const vef_node *node, vef_topology **topology, vef_error *error);

/* Whether the link at index `port` of the tables of ports of the network without failures is lost.
 */
bool vef_port_is_lost(const vef_topology *topology, size_t port);

/* Adds the section of the resolved configuration; nothing without failures. */
void vef_failures_put(const vef_topology *topology, vef_node *into);

/* "1 of 64 routers, 4 of 128 links, 1 of 64 endpoints": what is lost; "" without failures. */
enum { VEF_FAILURES_TEXT_BYTES = 128 };
char *vef_failures_text(const vef_topology *topology, char *text);

/* The value of the key `failures`: null, or what is lost, with `names` by name. */
void vef_failures_put_result(const vef_topology *topology, bool names, struct vef_result *into);

/* ---- parts of vef_failures_apply ---- */

/* What is down of a network; a link is down at both of its ports. */
typedef struct vef_down {
    const vef_topology *whole;
    uint8_t *router; /* [routers] */
    uint8_t *port;   /* [routers * ports] */
} vef_down;

/* The other port of the link at index `port` of the tables of ports. */
static inline size_t vef_other_port(const vef_topology *topology, size_t port) {
    return (size_t)topology->neighbour[port] * topology->ports + topology->reverse_port[port];
}

/* Whether the link at a port is usable: it exists, and neither it nor its routers are down. */
static inline bool vef_port_is_up(const vef_down *down, size_t port) {
    const uint32_t other = down->whole->neighbour[port];
    return other != VEF_NO_ROUTER && !down->port[port] &&
           !down->router[port / down->whole->ports] && !down->router[other];
}

/* Reads the lists of links and routers (named.c). */
vef_code vef_failures_read_lists(const vef_node *node, const vef_failure_settings *settings,
                                 vef_down *down, vef_error *error);

/* Draws the links and routers that are down at random (draw.c): the same ones for a seed and an
 * `attempt`, of which more failures include fewer. */
vef_code vef_failures_draw(const vef_failure_settings *settings, uint64_t attempt, vef_down *down,
                           vef_error *error);

/* The parts of a network with failures that are connected (parts.c). */
typedef struct vef_network_parts {
    uint32_t *part;         /* [routers]: the part of each router that is up */
    uint32_t *endpoints;    /* [routers]: of a part */
    uint32_t largest;       /* the first of the parts with the most endpoints */
    uint32_t all_endpoints; /* of routers that are up */
} vef_network_parts;
vef_network_parts vef_network_parts_find(const vef_down *down, vef_arena *arena);

/* The network without what is down (damaged.c). Takes its memory from the arena of `damaged`, in
 * which `failures` is, with its settings. Leaves `failures` and `whole` of `damaged` NULL. */
vef_code vef_failures_build(const vef_down *down, vef_failures *failures, vef_topology *damaged,
                            vef_error *error);

#endif
