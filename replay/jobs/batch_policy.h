/* Policies of batch schedulers: which waiting job starts next. A policy is one file of policies/
 * and one row of policies.def. */
#ifndef VEF_REPLAY_JOBS_BATCH_POLICY_H
#define VEF_REPLAY_JOBS_BATCH_POLICY_H

#include "common/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

typedef struct vef_batch_waiting {
    uint32_t job;
    uint32_t nodes;       /* that it needs: at most those of the machine */
    uint64_t estimate_ps; /* of its execution time, if the policy needs estimates */
} vef_batch_waiting;

typedef struct vef_batch_running {
    uint32_t nodes;
    uint64_t end_ps; /* by its estimate; perhaps in the past */
} vef_batch_running;

/* What a scheduler sees. */
typedef struct vef_batch_view {
    uint64_t now_ps;
    uint32_t free;                    /* nodes */
    const vef_batch_waiting *waiting; /* by arrival, then as listed; at least one */
    size_t waiting_count;
    const vef_batch_running *running; /* by end_ps */
    size_t running_count;
} vef_batch_view;

typedef struct vef_batch_policy {
    const char *name;
    const char *aliases; /* other words for it, for hints (vef_known); may be NULL */
    const char *summary; /* one line */
    bool estimates;      /* every job needs an estimate of its time */
    /* The number in `waiting` of the job that starts now, for which enough nodes are free; it is
     * asked again until that is VEF_NO_START. */
    size_t (*choose)(const vef_batch_view *view);
} vef_batch_policy;
#define VEF_NO_START SIZE_MAX

extern const vef_batch_policy *const vef_batch_policies[]; /* ended by NULL */
#define POLICY(name) extern const vef_batch_policy vef_batch_policy_##name;
#include "replay/jobs/policies.def"
#undef POLICY

/* The policy of that name. */
vef_code vef_batch_policy_find(const char *name, const vef_batch_policy **policy, vef_error *error);
/* Writes a line per row, for help. */
void vef_batch_policy_describe(FILE *out, int indent);

#endif
