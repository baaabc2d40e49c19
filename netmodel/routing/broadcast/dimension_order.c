/* Broadcast on meshes and tori: the tree of dimension order.
 *
 * The king paper's section 3.3.4 for networks without diagonals: a copy that came along dimension d
 * goes straight on, and both ways along every dimension after d. A router so gets its copy on the
 * way that dimension order takes from the source, sum(|d_i|) hops long. Time to live: the sum of
 * how far the network reaches in each dimension, to the farther end of a mesh, half way round a
 * torus.
 *
 * Example: 4 x 4 torus from (0, 0): copies go to (1, 0), (2, 0) and (3, 0), and from each of the
 * four routers of that row to the others of its column. */
#include "netmodel/routing/broadcast/broadcast.h"
#include "netmodel/topology/lattice/lattice.h"

static bool fits(const vef_topology *topology) {
    const vef_lattice *lattice = topology->lattice;
    if (!lattice || !lattice->unit_generators)
        return false;
    for (uint32_t d = 0; d < lattice->dimensions; d++)
        for (uint32_t e = 0; e < d; e++)
            if (lattice->wraps[d] && lattice->shifts[d][e] % lattice->sizes[e] != 0)
                return false;
    return true;
}

static bool goes_on(const vef_topology *topology, uint16_t along, uint16_t port) {
    (void)topology;
    return port == along || port / 2 > along / 2;
}

static uint32_t farthest(const uint32_t *reach, uint32_t dimensions) {
    uint32_t hops = 0;
    for (uint32_t d = 0; d < dimensions; d++)
        hops += reach[d];
    return hops;
}

const vef_broadcast_rule vef_broadcast_dimension_order = {
    .name = "dimension-order",
    .summary = "meshes and tori without twist: straight on, and along every later dimension",
    .fits = fits,
    .goes_on = goes_on,
    .farthest = farthest,
};
