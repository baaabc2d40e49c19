/* Vertical union: f(x, y) = (x, floor(y / c)) (Camarero et al., section 3). Brings c
 * neighbours of a column to one router: the union along y (union.c). */
#include "mappings/families.h"

const vef_mapping_family vef_mapping_vertical_union = {
    .name = "vertical-union",
    .summary = "c neighbours of a column share a router: (x, floor(y / c))",
    .needs = VEF_MAPPING_COUNT,
    .axis = {1},
    .parameter = "c",
    .samples = VEF_LIST("vertical-union(1)", "vertical-union(2)", "vertical-union(3)"),
    .size = vef_mapping_union_size,
    .before = vef_mapping_union_before,
    .move = vef_mapping_union_move,
};
