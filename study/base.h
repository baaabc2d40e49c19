/* The base of each point. */
#ifndef VEF_STUDY_BASE_H
#define VEF_STUDY_BASE_H

#include "study/study.h"

/* Fills in `base` of every point: the point with the labels of the summary's base, and otherwise
 * its own; SIZE_MAX: there is none. */
void vef_study_find_bases(vef_study *study);

#endif
