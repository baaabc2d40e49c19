/* The verdicts of a study: per application its networks, mappings and other alternatives, ranked
 * (ranking.h).
 *
 * Axes of workloads (traces, jobs, patterns, loads, what is measured how) make the applications;
 * networks, mappings, placements and settings are the alternatives; seeds repeat (the roles of keys
 * in kinds.c; the key `verdict` of a study overrides them). Applications are never averaged
 * here; the summary (summary.h) does that for studies with a base. */
#ifndef VEF_STUDY_VERDICT_VERDICT_H
#define VEF_STUDY_VERDICT_VERDICT_H

#include "study/store.h"
#include "study/verdict/ranking.h"

typedef struct vef_study_verdicts {
    vef_verdict *list;    /* from malloc */
    const char **columns; /* of the labels of cells: the alternatives that vary; ended by NULL */
    size_t count;
    vef_arena arena;
} vef_study_verdicts;

/* From the results that there are; none where nothing varies. */
void vef_study_verdicts_find(vef_study *study, const vef_study_store *store,
                             vef_study_verdicts *verdicts);
void vef_study_verdicts_release(vef_study_verdicts *verdicts);

/* How many explanations there are at most. */
size_t vef_study_count_explanations(const vef_study *study);

/* What a run with --explain takes, of one without. */
#define VEF_STUDY_EXPLAINED_TIMES 1.2

/* Fills in study->explanations: runs of the first cell of each application and its rival with
 * --explain, whose critical paths say why. For each the seed whose ratio is nearest to the mean. */
void vef_study_plan_explanations(vef_study *study, const vef_study_store *store);

#endif
