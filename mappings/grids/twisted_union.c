/* Twisted union: f(x, y) = (x + floor(y / n) m / 2 mod m, y - floor(y / n) n), from a grid m x cn
 * to one m x n (Camarero et al., section 3). Lays c slices of the grid over each other, every
 * second one shifted by half the width: no neighbours come together, but those of a logical torus
 * 2a x 2a stay adjacent on RTT(a), whose wrap shifts by the same half. The width must be even for c
 * > 1, since the definition halves it. In more dimensions slices are cut along one axis, by default
 * y, and shifted along another, by default x. */
#include "mappings/families.h"
#include "mappings/grid.h"

static vef_code size(const vef_mapping_stage *stage, const vef_grid *from, vef_grid *to,
                     vef_error *error) {
    const uint32_t c = (uint32_t)stage->number;
    const vef_code code = vef_mapping_union_size(stage, from, to, error);
    char grid[VEF_GRID_TEXT_BYTES], side[VEF_GRID_SIDE_BYTES];
    if (code != VEF_OK || c == 1 || from->size[stage->axis[1]] % 2 == 0)
        return code;
    return vef_fail(error, VEF_UNSUPPORTED,
                    "twisted-union(%u): the grid %s has an odd %s: expected an even one, to shift "
                    "by half of it",
                    c, vef_grid_write(from, grid), vef_grid_side_name(stage->axis[1], side));
}

static void move(const vef_mapping_stage *stage, const vef_grid *from, uint32_t *position) {
    const uint32_t along = stage->axis[0], shifted = stage->axis[1];
    const uint32_t n = from->size[along] / (uint32_t)stage->number, m = from->size[shifted];
    const uint32_t slice = position[along] / n;
    position[along] -= slice * n;
    if (slice % 2)
        position[shifted] = (uint32_t)(((uint64_t)position[shifted] + m / 2) % m);
}

const vef_mapping_family vef_mapping_twisted_union = {
    .name = "twisted-union",
    .summary =
        "c slices of n rows share routers, every second slice shifted by half the width m: (x + "
        "floor(y / n) m/2 mod m, y mod n); (c, z, y): slices along z, shifted along y",
    .needs = VEF_MAPPING_COUNT,
    .takes = VEF_MAPPING_AXES,
    .axis = {1, 0},
    .parameter = "c[, y, x]",
    .samples = VEF_LIST("twisted-union(1)", "twisted-union(2)", "twisted-union(4)",
                        "twisted-union(2, z, y)"),
    .size = size,
    .before = vef_mapping_union_before,
    .move = move,
};
