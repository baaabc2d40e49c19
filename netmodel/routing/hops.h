/* Distances between any router and the routers with endpoints, for routings on arbitrary graphs: a
 * table by breadth-first search or, if that would be too large, the family's formula. */
#ifndef VEF_NETMODEL_ROUTING_HOPS_H
#define VEF_NETMODEL_ROUTING_HOPS_H

#include "netmodel/topology/topology.h"

typedef struct vef_hops {
    const vef_topology *topology;
    uint32_t targets;    /* routers with endpoints */
    uint32_t *target_of; /* [routers]: their numbers; VEF_NO_ROUTER for the others */
    uint32_t *target;    /* [targets]: the router of each */
    uint16_t *table;     /* [target * routers + router]; NULL: topology->distance */
    uint32_t diameter;   /* maximum distance between targets */
    uint32_t *nearer; /* [diameter + 1]: the maximum number of links that lead nearer to a target,
                         of the routers at that distance from it */
} vef_hops;

/* Refuses (VEF_UNSUPPORTED) disconnected networks, and those whose table would exceed
 * VEF_MOST_HOPS_BYTES without a formula. Memory from `arena`. */
#define VEF_MOST_HOPS_BYTES (UINT64_C(1) << 31)
vef_code vef_hops_create(const vef_topology *topology, vef_arena *arena, vef_hops *hops,
                         vef_error *error);

/* Numbers the routers with endpoints: the first part of vef_hops_create. */
vef_code vef_hops_find_targets(const vef_topology *topology, vef_arena *arena, vef_hops *hops,
                               vef_error *error);

/* Hops from `router` to the router of number `target`. */
static inline uint32_t vef_hops_to(const vef_hops *hops, uint32_t target, uint32_t router) {
    if (hops->table)
        return hops->table[(size_t)target * hops->topology->routers + router];
    return hops->topology->distance(hops->topology, router, hops->target[target]);
}

#endif
