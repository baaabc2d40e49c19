/* Dragonflies: the structure that routings use in addition to the graph.
 *
 * Router r = a g + x is router x of group g. Ports 0 to a - 2 are local: port l of router x leads
 * to router (x + l + 1) mod a of its group. Ports a - 1 to a - 2 + h are global: port a - 1 + k is
 * the global port of index x h + k of the group (global_links.h). Endpoint e attaches to router e /
 * p, with p = topology->endpoints_per_router. */
#ifndef VEF_NETMODEL_TOPOLOGY_DRAGONFLY_DRAGONFLY_H
#define VEF_NETMODEL_TOPOLOGY_DRAGONFLY_DRAGONFLY_H

#include "netmodel/topology/dragonfly/global_links.h"
#include "netmodel/topology/topology.h"

typedef struct vef_dragonfly {
    /* ---- parameters ---- */

    uint32_t endpoints_per_router; /* as given here; 0: not given */
    uint32_t a, h;
    uint32_t groups; /* as given; 0: a h + 1 */
    int arrangement;

    /* ---- derived ---- */

    vef_global_links global;
} vef_dragonfly;

/* NULL for a topology that is not a dragonfly. */
const vef_dragonfly *vef_dragonfly_of(const vef_topology *topology);

static inline uint32_t vef_dragonfly_group(const vef_dragonfly *dragonfly, uint32_t router) {
    return router / dragonfly->a;
}

/* The number of a router in its group. */
static inline uint32_t vef_dragonfly_place(const vef_dragonfly *dragonfly, uint32_t router) {
    return router % dragonfly->a;
}

static inline uint32_t vef_dragonfly_router(const vef_dragonfly *dragonfly, uint32_t group,
                                            uint32_t place) {
    return group * dragonfly->a + place;
}

static inline bool vef_dragonfly_is_global(const vef_dragonfly *dragonfly, uint32_t port) {
    return port >= dragonfly->a - 1;
}

/* The local port of the router at place `from` to the one at place `to` of its group, another one.
 */
static inline uint32_t vef_dragonfly_local_port(const vef_dragonfly *dragonfly, uint32_t from,
                                                uint32_t to) {
    return to > from ? to - from - 1 : to + dragonfly->a - from - 1;
}

static inline vef_global_port vef_dragonfly_port_of(const vef_dragonfly *dragonfly,
                                                    vef_global_end end) {
    return (vef_global_port){vef_dragonfly_router(dragonfly, end.group, end.index / dragonfly->h),
                             dragonfly->a - 1 + end.index % dragonfly->h};
}

/* The number of global links between two different groups, at least 1. */
static inline uint32_t vef_dragonfly_links(const vef_dragonfly *dragonfly, uint32_t from,
                                           uint32_t to) {
    return vef_global_links_between(&dragonfly->global, from, to);
}

/* Global link `which` of them: its end in group `from`. The table of neighbours holds the other
 * end. */
static inline vef_global_port vef_dragonfly_link(const vef_dragonfly *dragonfly, uint32_t from,
                                                 uint32_t to, uint32_t which) {
    const uint32_t index = vef_global_links_index(&dragonfly->global, from, to, which);
    return vef_dragonfly_port_of(dragonfly, (vef_global_end){from, index});
}

#endif
