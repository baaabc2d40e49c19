/* Horizontal union: f(x, y) = (floor(x / c), y) (Camarero et al., section 3). Brings c
 * neighbours of a row to one router, from a grid cm x n to one m x n. */
#include "mappings/families.h"

static vef_code size(const vef_mapping_stage *stage, vef_grid from, vef_grid *to,
                     vef_error *error) {
    if (from.width % stage->number != 0)
        return vef_fail(
            error, VEF_UNSUPPORTED,
            "horizontal-union(%llu): the width of the grid %ux%u is not a multiple of %llu",
            (unsigned long long)stage->number, from.width, from.height,
            (unsigned long long)stage->number);
    *to = from;
    to->width = from.width / (uint32_t)stage->number;
    return VEF_OK;
}

static vef_point move(const vef_mapping_stage *stage, vef_grid from, vef_point point) {
    (void)from;
    point.x /= (uint32_t)stage->number;
    return point;
}

static const char *const samples[] = {"horizontal-union(1)", "horizontal-union(2)",
                                      "horizontal-union(3)", NULL};

const vef_mapping_family vef_mapping_horizontal_union = {
    .name = "horizontal-union",
    .summary = "c neighbours of a row share a router: (floor(x / c), y)",
    .argument = VEF_MAPPING_COUNT,
    .parameter = "c",
    .samples = samples,
    .size = size,
    .move = move,
};
