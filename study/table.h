/* The tables of a study: results, the plan, and means relative to a base. */
#ifndef VEF_STUDY_TABLE_H
#define VEF_STUDY_TABLE_H

#include "common/report/result.h"
#include "study/store.h"

/* The table `results`: a row per point with a result, in the order of the study: its labels, state
 * and reason, its figures, its key. It holds nothing that differs between runs. */
void vef_study_put_results(const vef_study *study, const vef_study_store *store, vef_result *into);

/* The table `plan`: a row per point: labels, state ("to run" without result), expected or measured
 * seconds. */
void vef_study_put_plan(const vef_study *study, const vef_study_store *store, const double *seconds,
                        vef_result *into);

/* A figure, or a label, of a finished point: as text (NULL: none), and as a number (NaN: none). */
const char *vef_study_text_of(const vef_study *study, const vef_study_store *store, size_t point,
                              const char *name);
double vef_study_value_of(const vef_study *study, const vef_study_store *store, size_t point,
                          const char *name);

#endif
