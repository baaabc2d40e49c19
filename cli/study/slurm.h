/* A study as a Slurm job array. */
#ifndef VEF_CLI_STUDY_SLURM_H
#define VEF_CLI_STUDY_SLURM_H

#include "cli/options.h"

typedef struct vef_slurm_job {
    const char *program, *study, *folder; /* absolute paths */
    uint32_t tasks;                       /* of the array, at least 1 */
    uint32_t threads, jobs;               /* as of vef study; 0: not given */
    const vef_texts *options;             /* of sbatch */
} vef_slurm_job;

/* Submits the array with sbatch(1), whose output, the number of the job, is copied to `out`. */
vef_code vef_slurm_submit(const vef_slurm_job *job, FILE *out, vef_error *error);

#endif
