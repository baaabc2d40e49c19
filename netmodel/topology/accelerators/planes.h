/* Networks of several planes: the structure that their routing uses in addition to the graph.
 *
 * Router n, below `nodes`, is node n: its interface, or the switch inside it. Router r of plane k,
 * as numbered in the network of a plane (topology->part), is router nodes + k x part->routers + r.
 * Node n has port k for plane k, and is attached there where endpoint n of the part is. A router of
 * a plane has the ports of the part, then one for each node attached to it. */
#ifndef VEF_NETMODEL_TOPOLOGY_ACCELERATORS_PLANES_H
#define VEF_NETMODEL_TOPOLOGY_ACCELERATORS_PLANES_H

#include "netmodel/topology/topology.h"

typedef struct vef_planes {
    uint32_t count; /* planes */
    uint32_t nodes;
    uint32_t endpoints_each; /* consecutive endpoints of a node with the same plane of their own */
    const uint32_t *port;    /* [nodes]: of its router in each plane */
    uint32_t *node_orbit;    /* [part->orbits]: of the nodes at a router of an orbit */
    const char *names[2];    /* of a node and of a plane */
} vef_planes;

/* For families: `count` planes of topology->part, with `endpoints` endpoints on each node. `planes`
 * are in the arena of `topology`; sets all fields but the names. */
vef_code vef_planes_build(vef_topology *topology, vef_planes *planes, uint32_t count,
                          uint32_t endpoints, vef_error *error);

/* Functions of their rows. */
uint32_t vef_planes_orbit(const vef_topology *topology, uint32_t router);
uint32_t vef_planes_port_kind(const vef_topology *topology, uint32_t router, uint32_t port);
bool vef_planes_far_side(const vef_topology *topology, uint32_t axis, uint32_t router);
void vef_planes_axis_name(const vef_topology *topology, uint32_t axis, char *text,
                          size_t text_bytes);
uint32_t vef_planes_link_class(const vef_topology *topology, uint32_t router, uint32_t port);
void vef_planes_link_class_name(const vef_topology *topology, uint32_t link_class, char *text,
                                size_t text_bytes);
void vef_planes_router_name(const vef_topology *topology, uint32_t router, char *text,
                            size_t text_bytes);
#define VEF_PLANES_FUNCTIONS                                                                       \
    .orbit = vef_planes_orbit, .port_kind = vef_planes_port_kind, .far_side = vef_planes_far_side, \
    .axis_name = vef_planes_axis_name, .link_class = vef_planes_link_class,                        \
    .link_class_name = vef_planes_link_class_name, .router_name = vef_planes_router_name

/* The structure of a topology without failures; NULL: it has no planes. */
const vef_planes *vef_planes_of(const vef_topology *topology);

/* The number of a router within its plane; below it are nodes. */
static inline uint32_t vef_planes_inner(const vef_topology *topology, const vef_planes *planes,
                                        uint32_t router) {
    return (router - planes->nodes) % topology->part->routers;
}

#endif
