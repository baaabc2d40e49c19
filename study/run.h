/* Running the points of a study that have no result yet. */
#ifndef VEF_STUDY_RUN_H
#define VEF_STUDY_RUN_H

#include "common/progress.h"
#include "study/store.h"

typedef struct vef_study_run_options {
    const char *program;         /* the path of vef */
    const char *host;            /* the name of this host, for results */
    uint32_t jobs;               /* points at a time, at least 1 */
    uint32_t threads;            /* of each */
    bool explanations;           /* run those of the study instead of its points */
    bool waits;                  /* for points that other processes run, until all have a result */
    bool (*stop)(void *context); /* asked several times a second; NULL: never */
    void *context;
    vef_progress *progress; /* may be NULL */
} vef_study_run_options;

typedef struct vef_study_tally {
    size_t points; /* with different keys */
    size_t done, stalled, failed, missing;
    size_t refused; /* cannot run: their inputs are wrong, or do not fit */
    size_t ran;     /* here */
} vef_study_tally;

/* Fills seconds[point], for every point. A point with a result has its time. Others have the mean
 * of the finished points that share most labels with it, repetitions first, scaled by the guesses
 * from their inputs; without results, their guess. */
void vef_study_estimate(const vef_study *study, const vef_study_store *store, double *seconds);

/* Runs points, the longest first, and adds their results, until none is left, or free. Failed
 * points of earlier starts run again, refused ones do not. A point that is ended by a signal is run
 * once more, then failed. VEF_STOPPED: asked to stop; points under way are ended and stay without
 * result. */
vef_code vef_study_run(vef_study *study, vef_study_store *store,
                       const vef_study_run_options *options, size_t *ran, vef_error *error);

/* Counts the states of the points. */
vef_study_tally vef_study_count(const vef_study *study, const vef_study_store *store);

/* The cores that this process may use: its affinity, or what a batch system gave to it, divided by
 * the processes of an MPI job on this host. */
uint32_t vef_study_cores(void);

/* The rank in an MPI job that started this process; 0: the first, or no such job. */
uint32_t vef_study_rank(void);

#endif
