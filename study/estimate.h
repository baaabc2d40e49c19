/* Expected times of points, from results and from the sizes of inputs. */
#ifndef VEF_STUDY_ESTIMATE_H
#define VEF_STUDY_ESTIMATE_H

#include "study/store.h"

/* Fills seconds[point], for every point. A point with a result has its time. Others have the mean
 * of the finished points that share most labels with it, repetitions first, scaled by the guesses
 * from their inputs; without results, their guess. */
void vef_study_estimate(const vef_study *study, const vef_study_store *store, double *seconds);

#endif
