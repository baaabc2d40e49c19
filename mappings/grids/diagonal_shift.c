/* Diagonal shift: f(x, y) = (x + y mod m, y) on a grid m wide (Camarero et al., section 3). Its
 * twist, one column per row, distributes over the rows the shift of a twisted torus, whose wrap
 * shifts by half the width: no two neighbours of a logical 2a x a torus are more than 2 hops apart
 * on RTT(a). In more dimensions one coordinate is shifted by another, by default x by y. */
#include "mappings/families.h"

static void move(const vef_mapping_stage *stage, const vef_grid *from, uint32_t *position) {
    const uint32_t moved = stage->axis[0], by = stage->axis[1];
    position[moved] = (uint32_t)(((uint64_t)position[moved] + position[by]) % from->size[moved]);
}

const vef_mapping_family vef_mapping_diagonal_shift = {
    .name = "diagonal-shift",
    .summary = "row y is shifted by y: (x + y mod width, y); (z, x): z is shifted by x",
    .takes = VEF_MAPPING_AXES,
    .axis = {0, 1},
    .parameter = "x, y",
    .samples = VEF_LIST("diagonal-shift", "diagonal-shift(z, x)"),
    .size = vef_mapping_same_size,
    .before = vef_mapping_same_before,
    .move = move,
};
