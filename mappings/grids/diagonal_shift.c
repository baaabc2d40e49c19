/* Diagonal shift: f(x, y) = (x + y mod m, y) on a grid m wide (Camarero et al., section 3). Its
 * twist, one column per row, distributes over the rows the shift of a twisted torus, whose wrap
 * shifts by half the width: no two neighbours of a logical 2a x a torus are more than 2 hops apart
 * on RTT(a). */
#include "mappings/families.h"

static vef_point move(const vef_mapping_stage *stage, vef_grid from, vef_point point) {
    (void)stage;
    return (vef_point){(uint32_t)(((uint64_t)point.x + point.y) % from.width), point.y};
}

static const char *const samples[] = {"diagonal-shift", NULL};

const vef_mapping_family vef_mapping_diagonal_shift = {
    .name = "diagonal-shift",
    .summary = "row y is shifted by y: (x + y mod width, y)",
    .samples = samples,
    .size = vef_mapping_same_size,
    .move = move,
};
