/* Folded torus: every ring folded flat by shuffle A, so that a link has length 2, and 1 where the
 * ring turns.
 *
 * Camara et al.: "Twisted Torus Topologies for Enhanced Interconnection Networks", TPDS 2010,
 * section 8.1; Dally and Towles: "Principles and Practices of Interconnection Networks", section
 * 5.1. Dimensions that do not wrap stay unfolded, with links of length 1.
 *
 * A network of more than two dimensions has no such layout with a bounded length. Its further
 * dimensions are lines of folded blocks: those of dimension 2 lie side by side, those of dimension
 * 3 above each other, and so on. A link along such a dimension has twice (where the ring turns,
 * once) the width or height of a block. */
#include "netmodel/analysis/layout/layout.h"
#include "netmodel/topology/lattice/lattice.h"

static vef_code supports(const vef_topology *topology, vef_error *error) {
    const vef_lattice *lattice = topology->lattice;
    if (!lattice || !vef_layout_untwisted(lattice, 0) || !vef_layout_goes_by_units(lattice))
        return vef_fail(error, VEF_UNSUPPORTED,
                        "supports tori and meshes (torus, rt, pt, mesh): lattices whose wraps do "
                        "not shift and whose generators are unit vectors");
    return VEF_OK;
}

const vef_layout vef_layout_folded = {
    .name = "folded",
    .summary =
        "tori and meshes, every ring folded: longest link 2 in up to two dimensions, 2 "
        "blocks in more",
    .supports = supports,
    .lay_out = vef_layout_fold,
    .around_fold = vef_layout_fold_around,
};
