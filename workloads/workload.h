/* Workloads without an application: traces that follow from a few parameters.
 *
 * A workload is a list of steps, repeated; a step is of one kind (kinds.def), with so many
 * iterations. Each kind is one file in kinds/ and one row. A trace of it is an ordinary one: every
 * command works on it. */
#ifndef VEF_WORKLOADS_WORKLOAD_H
#define VEF_WORKLOADS_WORKLOAD_H

#include "common/config/config.h"
#include "workloads/calls.h"

#include <stdio.h>

/* A step: its kind, and the parameters that all kinds have. */
typedef struct vef_workload {
    const struct vef_workload_kind *kind;
    void *parameters; /* of the kind's schema */
    void *state;      /* of `create`, in the arena */
    vef_arena *arena;
    const vef_node *node; /* for messages of failures */
    uint32_t tasks;
    uint32_t iterations;
    double compute;     /* ns of each iteration: */
    double flops;       /* or of the roofline */
    double flop_rate;   /* per second */
    uint64_t memory;    /* bytes moved between processor and memory */
    uint64_t bandwidth; /* of memory, bit/s */
    double imbalance, variation;
    /* Communicators that `create` adds (vef_workload_add_groups), and their first number. */
    vef_communicator *groups;
    uint32_t group_count, first_group;
} vef_workload;

typedef struct vef_workload_kind {
    const char *name, *aliases; /* NULL: none */
    const char *summary;        /* one line */
    size_t parameter_bytes;
    const vef_param *schema;
    /* Checks the parameters for the number of tasks; VEF_INVALID by vef_node_fail. */
    vef_code (*create)(vef_workload *step, vef_error *error);
    /* The calls of one iteration of a task, with its computation (vef_workload_calls_compute). */
    vef_code (*calls)(const vef_workload *step, vef_workload_calls *calls, vef_error *error);
    /* Steps for generic tests: parameters without `workload`; a multiple of `sample_tasks`. */
    const char *const *samples; /* NULL-terminated */
    uint32_t sample_tasks;
} vef_workload_kind;

/* For `create`: adds `count` communicators of `size` members each, which are consecutive in
 * `members` (in the arena). Their numbers in calls are first_group, first_group + 1, … in the order
 * of all groups of the step. */
vef_code vef_workload_add_groups(vef_workload *step, uint32_t count, uint32_t size,
                                 const uint32_t *members, vef_error *error);

extern const vef_workload_kind *const vef_workload_kinds[]; /* NULL-terminated */

/* Writes the workload of a tree (common/config) as the trace `path`. VEF_INVALID, with file, line
 * and column, for unknown keys and impossible values. */
vef_code vef_workload_write(const vef_node *root, const char *path, vef_error *error);

/* The keys of a workload, of a step, and of each kind. */
void vef_workloads_describe(FILE *out);

#endif
