/* The points of a study: the product of the axes of each part. */
#ifndef VEF_STUDY_PLAN_H
#define VEF_STUDY_PLAN_H

#include "study/axes.h"

/* Adds the points of a part, written at `part`, to study->points, an array from malloc of `*room`
 * points. */
vef_code vef_study_plan_add(vef_study *study, const vef_study_axes *axes, const vef_node *part,
                            size_t *room, vef_error *error);

/* Adds the columns of a part's axes; before any of its points. */
void vef_study_plan_columns(vef_study *study, const vef_study_axes *axes);

#endif
