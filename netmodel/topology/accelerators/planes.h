/* Nodes with interfaces in one or several networks of a kind, the planes: the structure that their
 * routing uses in addition to the graph.
 *
 * Node n has routers n x routers_each on: one, its interface or the switch inside it; or one for
 * each accelerator, joined in a full mesh, of which router a has port b to router b. Behind the
 * routers of nodes comes router r of plane k, as numbered in the network of a plane
 * (topology->part): it is router node_routers + k x part->routers + r. Interface j of node n is
 * attached in every plane where endpoint n x nics + j of the part is. A router of a plane has the
 * ports of the part, then one for each interface attached to it. */
#ifndef VEF_NETMODEL_TOPOLOGY_ACCELERATORS_PLANES_H
#define VEF_NETMODEL_TOPOLOGY_ACCELERATORS_PLANES_H

#include "netmodel/topology/topology.h"

typedef struct vef_planes {
    /* Set by the family. */
    uint32_t count;          /* planes */
    uint32_t nics;           /* interfaces of a node, each with a port in every plane */
    uint32_t accelerators;   /* of a node: a multiple of `nics`, or one interface serves them */
    uint32_t routers_each;   /* of a node: `accelerators` in a full mesh, or 1 */
    uint32_t endpoints_each; /* of an accelerator, consecutive */
    const char *names[3];    /* of a node, of a plane, and of links between accelerators */

    uint32_t nodes;
    const uint32_t *port; /* [part->endpoints]: to an interface, of its router in each plane */
    uint32_t *node_orbit; /* [part->orbits]: of the nodes at a router of an orbit */
} vef_planes;

/* For families: creates topology->part from the key VEF_PART_KEY; per_router as of
 * vef_topology_create. */
vef_code vef_planes_create_part(vef_topology *topology, uint32_t per_router, vef_error *error);

/* For families: the planes of topology->part and their nodes. `planes` are in the arena of
 * `topology`; sets their other fields. */
vef_code vef_planes_build(vef_topology *topology, vef_planes *planes, vef_error *error);

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
static inline uint32_t vef_planes_inner(const vef_topology *topology, uint32_t router) {
    return (router - topology->node_routers) % topology->part->routers;
}

/* The router of its node, below routers_each, that has interface `nic`; and its port for a plane.
 */
static inline uint32_t vef_planes_nic_router(const vef_planes *planes, uint32_t nic) {
    return planes->routers_each > 1 ? nic * (planes->accelerators / planes->nics) : 0;
}
static inline uint32_t vef_planes_nic_port(const vef_planes *planes, uint32_t plane, uint32_t nic) {
    return planes->routers_each > 1 ? planes->accelerators + plane : plane * planes->nics + nic;
}

#endif
