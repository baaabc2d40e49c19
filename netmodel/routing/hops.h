/* Distances between any router and the routers with endpoints, for routings on arbitrary graphs: a
 * table by breadth-first search or, beyond a small one, the family's formula. So what is kept grows
 * like the tables of links (routers x ports) where the family has a formula. Without a formula
 * (jellyfish, edges, failures) the table has 4 bits for each pair of a router and one with
 * endpoints where no router is more than 7 hops from the first of them, 8 bits up to 127 hops, and
 * 16 beyond: distances are at most twice as far. */
#ifndef VEF_NETMODEL_ROUTING_HOPS_H
#define VEF_NETMODEL_ROUTING_HOPS_H

#include "netmodel/topology/topology.h"

typedef struct vef_hops {
    const vef_topology *topology;
    uint32_t targets;    /* routers with endpoints */
    uint32_t *target_of; /* [routers]: their numbers; VEF_NO_ROUTER for the others */
    uint32_t *target;    /* [targets]: the router of each */
    uint32_t bits;       /* of an entry of the table: 4, 8 or 16; 0: topology->distance */
    size_t row_bytes;
    uint8_t *table;    /* [target * row_bytes]: entries by router, the lowest bits first */
    uint32_t diameter; /* maximum distance between targets */
    uint32_t *nearer;  /* [diameter + 1]: the maximum number of links that lead nearer to a target,
                          of the routers at that distance from it */
} vef_hops;

/* Refuses (VEF_UNSUPPORTED) disconnected networks, and those whose table would exceed
 * VEF_MOST_HOPS_BYTES without a formula. Memory from `arena`. */
#define VEF_MOST_HOPS_BYTES (UINT64_C(1) << 31)
vef_code vef_hops_create(const vef_topology *topology, vef_arena *arena, vef_hops *hops,
                         vef_error *error);

/* Numbers the routers with endpoints: the first part of vef_hops_create. */
void vef_hops_find_targets(const vef_topology *topology, vef_arena *arena, vef_hops *hops);

/* Hops from `router` to the router of number `target`, if a path leads there. */
static inline uint32_t vef_hops_to(const vef_hops *hops, uint32_t target, uint32_t router) {
    const size_t row = target * hops->row_bytes;
    if (hops->bits == 4)
        return hops->table[row + router / 2] >> router % 2 * 4 & 0xf;
    if (hops->bits == 8)
        return hops->table[row + router];
    if (hops->bits == 16)
        return hops->table[row + 2 * (size_t)router] |
               (uint32_t)hops->table[row + 2 * (size_t)router + 1] << 8;
    return hops->topology->distance(hops->topology, router, hops->target[target]);
}

#endif
