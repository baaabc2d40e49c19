/* How long tasks compute: the section `compute` of a workload.
 *
 * The time of a phase is given, or that of the roofline model (Williams, Waterman, Patterson:
 * "Roofline: An Insightful Visual Performance Model for Multicore Architectures", CACM 52(4),
 * 2009): the longer of flops / flops_per_s and bytes / bytes_per_s. It is multiplied by a random
 * factor of the phase and one of the task, both 1 in the mean. */
#ifndef VEF_WORKLOADS_COMPUTE_H
#define VEF_WORKLOADS_COMPUTE_H

#include "common/config/config.h"
#include "common/rng.h"

typedef struct vef_compute {
    double time_ns; /* of a phase, by whichever key */
    double flops, flops_per_s, bytes, bytes_per_s;
    int distribution; /* of the factor of a phase */
    double spread;    /* its standard deviation, or half width: compute.c */
    double imbalance; /* the factor of a task is uniform in 1 - imbalance … 1 + imbalance */
    uint64_t seed;
} vef_compute;

extern const vef_param vef_compute_schema[];

/* Reads the section, which may also be a time alone; NULL: no computation. With `timed`, keys that
 * give the time of a phase are refused: the workload `kind` has its own. */
vef_code vef_compute_read(const vef_node *node, const char *kind, bool timed, vef_compute *compute,
                          vef_arena *arena, vef_error *error);

/* The factor of a task; and a phase of `base_ns` with a factor drawn from the task's stream. */
double vef_compute_task_factor(const vef_compute *compute, uint32_t task);
double vef_compute_draw(const vef_compute *compute, vef_rng *rng);

#endif
