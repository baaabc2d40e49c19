/* The rows of the table of mappings; each is defined in the file named beside it. */
#ifndef VEF_MAPPINGS_FAMILIES_H
#define VEF_MAPPINGS_FAMILIES_H

#include "mappings/mapping.h"

extern const vef_mapping_family vef_mapping_identity;         /* identity.c */
extern const vef_mapping_family vef_mapping_diagonal_shift;   /* diagonal_shift.c */
extern const vef_mapping_family vef_mapping_transpose;        /* transpose.c */
extern const vef_mapping_family vef_mapping_horizontal_union; /* horizontal_union.c */
extern const vef_mapping_family vef_mapping_vertical_union;   /* vertical_union.c */
extern const vef_mapping_family vef_mapping_twisted_union;    /* twisted_union.c */
extern const vef_mapping_family vef_mapping_random;           /* random.c */
extern const vef_mapping_family vef_mapping_file;             /* file.c */
extern const vef_mapping_family vef_mapping_greedy;           /* greedy.c */

/* For stages that keep the grid's size. */
vef_code vef_mapping_same_size(const vef_mapping_stage *stage, vef_grid from, vef_grid *to,
                               vef_error *error);

#endif
