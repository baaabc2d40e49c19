/* The rows of the table of mappings; each is defined in the file named beside it. */
#ifndef VEF_MAPPINGS_FAMILIES_H
#define VEF_MAPPINGS_FAMILIES_H

#include "mappings/mapping.h"

#define MAPPING(name) extern const vef_mapping_family vef_mapping_##name;
#include "mappings/families.def"
#undef MAPPING

/* For stages that keep the grid's size. */
vef_code vef_mapping_same_size(const vef_mapping_stage *stage, const vef_grid *from, vef_grid *to,
                               vef_error *error);
bool vef_mapping_same_before(const vef_mapping_stage *stage, const vef_grid *to, vef_grid *from);

/* For stages that bring neighbours along the stage's first axis to one point (union.c). */
vef_code vef_mapping_union_size(const vef_mapping_stage *stage, const vef_grid *from, vef_grid *to,
                                vef_error *error);
bool vef_mapping_union_before(const vef_mapping_stage *stage, const vef_grid *to, vef_grid *from);
void vef_mapping_union_move(const vef_mapping_stage *stage, const vef_grid *from,
                            uint32_t *position);

#endif
