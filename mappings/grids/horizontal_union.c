/* Horizontal union: f(x, y) = (floor(x / c), y) (Camarero et al., section 3). Brings c
 * neighbours of a row to one router: the union along x (union.c). */
#include "mappings/families.h"

const vef_mapping_family vef_mapping_horizontal_union = {
    .name = "horizontal-union",
    .summary = "c neighbours of a row share a router: (floor(x / c), y)",
    .needs = VEF_MAPPING_COUNT,
    .axis = {0},
    .parameter = "c",
    .samples = VEF_LIST("horizontal-union(1)", "horizontal-union(2)", "horizontal-union(3)"),
    .size = vef_mapping_union_size,
    .before = vef_mapping_union_before,
    .move = vef_mapping_union_move,
};
