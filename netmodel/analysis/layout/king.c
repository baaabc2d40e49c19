/* Folded king torus, and diagonal torus: rows and columns folded like those of a torus.
 *
 * Stafford et al., on diagonal and king networks, section 2, Figure 3: "the length of the links is
 * between 2 and sqrt(8)". That holds for every link that does not run around the end of a fold:
 * those along one dimension have length 2, the diagonals sqrt(8). Around the ends, where the two
 * halves of a ring are adjacent, links are shorter: 1 along one dimension, sqrt(5) for diagonals
 * around one end, sqrt(2) around two. The longest, which bounds the clock, is sqrt(8) as published.
 *
 * No layout of a king torus on a plane keeps all its links between 2 and sqrt(8). The four routers
 * of any 2 x 2 block are linked with each other, and four points whose distances differ by no more
 * than a factor of sqrt(2) are the corners of a square, here of side 2. Blocks that share two
 * routers are squares that share two corners, so all routers are on one grid of spacing 2, with
 * linked routers among the eight next to each other there. A router has eight neighbours on eight
 * different places (in tori of 3 and more), so every such place is occupied, and so are the places
 * next to it, and so on infinitely. */
#include "netmodel/analysis/layout/layout.h"
#include "netmodel/topology/lattice/lattice.h"

static vef_code supports(const vef_topology *topology, vef_error *error) {
    static const int32_t steps[][VEF_MAX_DIMENSIONS] = {{1, 0}, {0, 1}, {1, 1}, {-1, 1}};
    const vef_lattice *lattice = topology->lattice;
    bool used[4] = {false};
    if (!lattice || lattice->dimensions != 2 || !vef_layout_untwisted(lattice, 0) ||
        !vef_layout_goes_by(lattice, steps, 4, used) || !(used[2] || used[3]))
        return vef_fail(
            error, VEF_UNSUPPORTED,
            "supports king and diagonal networks (king-torus, diagonal-torus, king-mesh, "
            "diagonal-mesh): lattices of two dimensions whose wraps do not shift and whose "
            "generators are the unit vectors and [1, 1] or [-1, 1] or both");
    return VEF_OK;
}

const vef_layout vef_layout_folded_king = {
    .name = "folded-king",
    .summary = "king and diagonal tori, rows and columns folded: longest link sqrt(8)",
    .supports = supports,
    .lay_out = vef_layout_fold,
    .around_fold = vef_layout_fold_around,
};
