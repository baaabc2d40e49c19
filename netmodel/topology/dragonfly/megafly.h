/* Megaflies (dragonfly+): the structure that routings use in addition to the graph.
 *
 * Group g has `leaves` leaves and `spines` spines; router g (leaves + spines) + x is its leaf x, or
 * its spine x - leaves. Ports 0 to leaves - 1 lead down, port l of a spine to leaf l of its group;
 * the next `spines` ports lead up, number s of a leaf to spine s; the last h are the global ports
 * of spines, port k of spine s being that of index s h + k of the group (global_links.h). A router
 * leaves the ports of the other kind unconnected. Endpoint e attaches to leaf e / p of all leaves
 * in order, with p = topology->endpoints_per_router. */
#ifndef VEF_NETMODEL_TOPOLOGY_DRAGONFLY_MEGAFLY_H
#define VEF_NETMODEL_TOPOLOGY_DRAGONFLY_MEGAFLY_H

#include "netmodel/topology/dragonfly/global_links.h"
#include "netmodel/topology/topology.h"

typedef struct vef_megafly {
    /* ---- parameters ---- */

    uint32_t endpoints_per_router; /* as given here; 0: not given */
    uint32_t leaves;
    uint32_t spines_given; /* 0: as many as leaves */
    uint32_t h;
    uint32_t groups; /* as given; 0: spines h + 1 */
    int arrangement;

    /* ---- derived ---- */

    uint32_t spines;
    uint32_t routers; /* of a group */
    vef_global_links global;
} vef_megafly;

/* NULL for a topology that is not a megafly. */
const vef_megafly *vef_megafly_of(const vef_topology *topology);

static inline uint32_t vef_megafly_group(const vef_megafly *megafly, uint32_t router) {
    return router / megafly->routers;
}

static inline bool vef_megafly_is_leaf(const vef_megafly *megafly, uint32_t router) {
    return router % megafly->routers < megafly->leaves;
}

/* The number of a leaf among the leaves of its group; of a spine among its spines. */
static inline uint32_t vef_megafly_place(const vef_megafly *megafly, uint32_t router) {
    const uint32_t place = router % megafly->routers;
    return place < megafly->leaves ? place : place - megafly->leaves;
}

static inline uint32_t vef_megafly_leaf(const vef_megafly *megafly, uint32_t group,
                                        uint32_t place) {
    return group * megafly->routers + place;
}

static inline uint32_t vef_megafly_spine(const vef_megafly *megafly, uint32_t group,
                                         uint32_t place) {
    return group * megafly->routers + megafly->leaves + place;
}

/* The port of a spine down to a leaf, of a leaf up to a spine, and of a spine to other groups. */
static inline uint32_t vef_megafly_down_port(const vef_megafly *megafly, uint32_t leaf) {
    (void)megafly;
    return leaf;
}

static inline uint32_t vef_megafly_up_port(const vef_megafly *megafly, uint32_t spine) {
    return megafly->leaves + spine;
}

static inline uint32_t vef_megafly_global_port(const vef_megafly *megafly, uint32_t k) {
    return megafly->routers + k;
}

static inline vef_global_port vef_megafly_port_of(const vef_megafly *megafly, vef_global_end end) {
    return (vef_global_port){vef_megafly_spine(megafly, end.group, end.index / megafly->h),
                             vef_megafly_global_port(megafly, end.index % megafly->h)};
}

/* The number of global links between two different groups, at least 1. */
static inline uint32_t vef_megafly_links(const vef_megafly *megafly, uint32_t from, uint32_t to) {
    return vef_global_links_between(&megafly->global, from, to);
}

/* Global link `which` of them: its end in group `from`. The table of neighbours holds the other
 * end. */
static inline vef_global_port vef_megafly_link(const vef_megafly *megafly, uint32_t from,
                                               uint32_t to, uint32_t which) {
    const uint32_t index = vef_global_links_index(&megafly->global, from, to, which);
    return vef_megafly_port_of(megafly, (vef_global_end){from, index});
}

#endif
