/* Vertical union: f(x, y) = (x, floor(y / c)) (Camarero et al., section 3). Brings c
 * neighbours of a column to one router, from a grid m x cn to one m x n. */
#include "mappings/families.h"

static vef_code size(const vef_mapping_stage *stage, vef_grid from, vef_grid *to,
                     vef_error *error) {
    if (from.height % stage->number != 0)
        return vef_fail(
            error, VEF_UNSUPPORTED,
            "vertical-union(%llu): the height of the grid %ux%u is not a multiple of %llu",
            (unsigned long long)stage->number, from.width, from.height,
            (unsigned long long)stage->number);
    *to = from;
    to->height = from.height / (uint32_t)stage->number;
    return VEF_OK;
}

static vef_point move(const vef_mapping_stage *stage, vef_grid from, vef_point point) {
    (void)from;
    point.y /= (uint32_t)stage->number;
    return point;
}

static const char *const samples[] = {"vertical-union(1)", "vertical-union(2)", "vertical-union(3)",
                                      NULL};

const vef_mapping_family vef_mapping_vertical_union = {
    .name = "vertical-union",
    .summary = "c neighbours of a column share a router: (x, floor(y / c))",
    .argument = VEF_MAPPING_COUNT,
    .parameter = "c",
    .samples = samples,
    .size = size,
    .move = move,
};
