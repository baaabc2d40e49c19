/* Means over the points of a study, relative to a base.
 *
 * Points are compared in pairs: with a base of network rt and mapping identity, each point is
 * divided by the one that differs from it in network and mapping alone. A group holds the points
 * with the same labels in the columns of `by`; its mean is the geometric mean of these ratios, the
 * only one that does not depend on the choice of the base (Fleming and Wallace: "How Not to Lie
 * with Statistics", CACM 29(3), 1986). Repetitions (seeds) give one such mean each: the interval is
 * Student's, 95 %, over the logarithms of these. Without a base: the geometric mean of the values.
 * With a peak, the greatest value of each curve (points that differ in the columns of the peak
 * alone) takes the place of its points, in the base as well. */
#ifndef VEF_STUDY_VERDICT_SUMMARY_H
#define VEF_STUDY_VERDICT_SUMMARY_H

#include "common/report/result.h"
#include "study/base.h"
#include "study/store.h"
#include "study/verdict/ranking.h"

/* The mean over the points that have the labels of `like` in the given columns. `relative` divides
 * by the base. */
vef_study_mean vef_study_mean_find(const vef_study *study, const vef_study_store *store,
                                   const char *measure, bool relative, const vef_study_point *like,
                                   const size_t *columns, size_t count);

/* The table `summary`: a row per group, in the order of the study. */
void vef_study_put_summary(const vef_study *study, const vef_study_store *store, vef_result *into);

#endif
