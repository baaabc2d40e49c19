/* The kinds of workloads: a struct of functions each, and what they share. */
#ifndef VEF_WORKLOADS_KIND_H
#define VEF_WORKLOADS_KIND_H

#include "common/config/config.h"
#include "traces/event.h"
#include "workloads/compute.h"
#include "workloads/program.h"

/* No list of counts per pair of tasks is longer, summed over the tasks of a call: 16,384 squared.
 */
#define VEF_MOST_PAIR_COUNTS (UINT64_C(1) << 28)

/* A division of the world into communicators. */
typedef struct vef_workload_split {
    const uint32_t *comm; /* per task: its communicator in the trace */
} vef_workload_split;

/* A step of a workload. */
typedef struct vef_workload_step {
    const struct vef_workload_kind *kind;
    const vef_node *node; /* its mapping, for messages */
    uint32_t tasks, iterations;
    vef_compute compute;
    const void *parameters; /* as read by the kind's schema */
    void *state;            /* the kind's own, in the arena */
    vef_arena *arena;
    struct vef_workload *workload;
} vef_workload_step;

typedef struct vef_workload_kind {
    const char *name;
    const char *aliases; /* other words for it, for hints (vef_known); may be NULL */
    const char *summary; /* one line */
    const char *compute; /* one line: which computation the section `compute` describes */
    const vef_param *schema;
    size_t parameter_bytes;
    /* The kind takes no time from the section `compute`, but the other keys of it: it knows its
     * own operations. */
    bool own_compute;
    /* Checks the parameters against the number of tasks, and sets `state`. Messages begin with the
     * node that is wrong (vef_workload_fail). */
    vef_code (*prepare)(vef_workload_step *step, vef_error *error);
    /* The calls of one iteration of one task. Messages from one task to another are received in
     * the order in which they are sent. Failures stay in `program`. */
    void (*emit)(const vef_workload_step *step, vef_program *program);
    /* For the generic tests: workloads without the key `workload`, as YAML mappings; terminated by
     * NULL. */
    const char *const *samples;
} vef_workload_kind;

extern const vef_workload_kind *const vef_workload_kinds[]; /* terminated by NULL */
#define WORKLOAD(name) extern const vef_workload_kind vef_workload_##name;
#include "workloads/kinds.def"
#undef WORKLOAD

/* VEF_INVALID at the value of `key`, or at the step if it is not given or NULL. */
vef_code vef_workload_fail(const vef_workload_step *step, vef_error *error, const char *key,
                           const char *format, ...) __attribute__((format(printf, 4, 5)));

/* Divides the world: tasks of one `color` (below `colors`, each of which some task has), in
 * ascending order, form a communicator. Each task makes them at its beginning, once for steps with
 * equal divisions. */
vef_code vef_workload_divide(vef_workload_step *step, const uint32_t *color, uint32_t colors,
                             vef_workload_split *split, vef_error *error);

/* Refuses calls with a count for each pair of tasks if there are too many pairs. */
vef_code vef_workload_check_pairs(const vef_workload_step *step, uint64_t members,
                                  vef_error *error);

/* The product of `count` factors in `*product`. False: it does not fit into 62 bits. */
bool vef_workload_product(const uint64_t *factors, size_t count, uint64_t *product);

/* Unequal shares by Zipf's law: part i of a whole in proportion to 1 / (i + 1)^exponent. Divides
 * `whole` (at most 2^52) into `count` parts, whose sum is exactly `whole`: part i is the difference
 * of two sums of shares, each rounded to the nearest integer. Exponent 0: equal parts.
 */
void vef_zipf_divide(uint64_t whole, double exponent, uint32_t count, uint64_t *parts);

#endif
