/* Trellis folding of a rectangular twisted torus of 2a x a routers: longest link sqrt(5) for every
 * a.
 *
 * Camara et al.: "Twisted Torus Topologies for Enhanced Interconnection Networks", TPDS 2010,
 * section 8.1, Algorithm 2. The printed text is ambiguous; this interpretation gives the stated
 * length:
 *   - Step 2 rotates row i right by i positions, which removes the twist: a step along y becomes
 *     (+1, +1) everywhere, also where y wraps.
 *   - Step 3 rotates column i by floor((i + 1) / 2) in direction -y: a step along x becomes (+1, 0)
 *     or (+1, -1) and one along y (+1, 0) or (+1, +1), so both lead from an even column to an odd
 *     one at the same height or one below.
 *   - Shuffles A and B both include x = n/2 or neither does. Here the first line applies while its
 *     result is below n (2x < n, 2x + 1 < n), the only way for each to fill places 0 … n - 1.
 *   - Steps 4 and 5 commute: a column is shuffled by its parity before step 5.
 * After step 4 both ends of a link are in the same or adjacent rows; after step 5 they are at most
 * two columns apart: sqrt(2^2 + 1^2).
 *
 * Further dimensions that wrap without shifts (PTT) fill, folded, the block of places of their
 * (x, y); the paper's section 8.2 assigns these blocks to cabinets. */
#include "netmodel/analysis/layout/layout.h"
#include "netmodel/topology/lattice/lattice.h"

#include <stdlib.h>

static vef_code supports(const vef_topology *topology, vef_error *error) {
    const vef_lattice *lattice = topology->lattice;
    if (!lattice || lattice->dimensions < 2 || lattice->sizes[0] != 2 * lattice->sizes[1] ||
        lattice->shifts[1][0] != lattice->sizes[1] || !vef_layout_untwisted(lattice, 2) ||
        !vef_layout_goes_by_units(lattice))
        return vef_fail(error, VEF_UNSUPPORTED,
                        "supports rectangular twisted tori (rtt, ptt): lattices of sizes [2a, a, "
                        "…] where only the wrap of dimension 1 shifts, dimension 0 by a, and whose "
                        "generators are unit vectors");
    return VEF_OK;
}

/* The five steps of Algorithm 2 for the router at (x, y). */
static vef_place_on_plane trellis(int32_t x, int32_t y, int32_t a) {
    int32_t column = (x + y) % (2 * a);
    int32_t row = (y - (column + 1) / 2 % a + a) % a;
    row = column % 2 == 0 ? vef_layout_shuffle_a(row, a) : vef_layout_shuffle_b(row, a);
    return (vef_place_on_plane){vef_layout_shuffle_a(column, 2 * a), row};
}

static void lay_out(const vef_topology *topology, vef_place_on_plane *place) {
    for (uint32_t router = 0; router < topology->routers; router++) {
        vef_place_on_plane block,
            inner = vef_layout_nested(topology, router, 2, true, true, &block);
        uint32_t coordinates[VEF_MAX_DIMENSIONS];
        vef_topology_coordinates(topology, router, coordinates);
        vef_place_on_plane outer =
            trellis((int32_t)coordinates[0], (int32_t)coordinates[1], (int32_t)topology->sizes[1]);
        place[router] =
            (vef_place_on_plane){outer.x * block.x + inner.x, outer.y * block.y + inner.y};
    }
}

static bool around_fold(const vef_topology *topology, uint32_t router, uint32_t port) {
    uint32_t from[VEF_MAX_DIMENSIONS], to[VEF_MAX_DIMENSIONS];
    int32_t a = (int32_t)topology->sizes[1];
    vef_topology_coordinates(topology, router, from);
    vef_topology_coordinates(topology, vef_topology_next(topology, router, port), to);
    if (from[0] != to[0] || from[1] != to[1])
        return abs(trellis((int32_t)from[0], (int32_t)from[1], a).x -
                   trellis((int32_t)to[0], (int32_t)to[1], a).x) == 1;
    return vef_layout_nested_around_fold(topology, router, port, 2);
}

const vef_layout vef_layout_trellis = {
    .name = "trellis",
    .summary = "rectangular twisted tori, 2a x a, Trellis folded: longest link sqrt(5)",
    .supports = supports,
    .lay_out = lay_out,
    .around_fold = around_fold,
};
