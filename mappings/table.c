/* The table of mappings: one row per file of this folder that holds one. */
#include "mappings/families.h"

/* clang-format off */
const vef_mapping_family *const vef_mapping_families[] = {
    &vef_mapping_identity,
    &vef_mapping_diagonal_shift,
    &vef_mapping_transpose,
    &vef_mapping_horizontal_union,
    &vef_mapping_vertical_union,
    &vef_mapping_twisted_union,
    &vef_mapping_random,
    &vef_mapping_file,
    &vef_mapping_greedy,
    NULL,
};
/* clang-format on */
