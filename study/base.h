/* Points with the same labels, and the base of each point. */
#ifndef VEF_STUDY_BASE_H
#define VEF_STUDY_BASE_H

#include "study/study.h"

/* Fills in `base` of every point: the point with the labels of the summary's base, and otherwise
 * its own; SIZE_MAX: there is none. */
void vef_study_find_bases(vef_study *study);

/* Whether two points have the same labels in these columns. */
bool vef_study_is_alike(const vef_study_point *a, const vef_study_point *b, const size_t *columns,
                        size_t count);

/* Numbers the points by their labels in these columns, from 0 in the order of their first ones:
 * group[point], and the first point of each number: first[number]. Either may be NULL. Returns how
 * many numbers there are. */
size_t vef_study_group(const vef_study *study, const size_t *columns, size_t count, size_t *group,
                       size_t *first);

/* Whether a summary takes the greatest value over the column. */
bool vef_study_is_peak(const vef_study *study, size_t column);

#endif
