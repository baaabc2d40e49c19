/* A batch of jobs: a scheduler that starts them when a policy says so, on the nodes of a placement,
 * while the replay runs. The nodes of a job are free when its last task has ended. */
#ifndef VEF_REPLAY_JOBS_BATCH_H
#define VEF_REPLAY_JOBS_BATCH_H

#include "replay/jobs/batch_policy.h"
#include "replay/jobs/placement.h"
#include "replay/replay.h"

typedef struct vef_batch_job {
    vef_job_placement placement;
    uint32_t nodes; /* that it needs: at most those of the machine without background traffic */
    uint32_t first_task, tasks;
    uint64_t arrival_ps, estimate_ps;

    /* Set by the scheduler: */
    uint32_t *chosen; /* its nodes; NULL before its start */
    uint64_t start_ps, end_ps;
    uint32_t running; /* tasks that have not ended */
    bool started, ended;
} vef_batch_job;

/* The machine from a time on. */
typedef struct vef_batch_moment {
    uint64_t ps;
    uint32_t busy;    /* nodes that jobs have */
    uint32_t waiting; /* jobs that have arrived and not started */
} vef_batch_moment;

typedef struct vef_batch_settings {
    const vef_batch_policy *policy;
    vef_batch_job *jobs; /* the caller's */
    uint32_t count;
    vef_job_nodes *nodes; /* whose owners are the jobs' numbers */
    /* Settles the tasks of a job on its nodes, before they start. */
    vef_code (*settle)(void *context, uint32_t job, const uint32_t *chosen, vef_error *error);
    void *context;
} vef_batch_settings;

typedef struct vef_batch {
    vef_replay_gate gate;  /* for the options of the replay */
    vef_listener listener; /* for the same replay */
    vef_batch_settings settings;
    uint32_t *by_arrival, arrived; /* jobs; how many of them have arrived */
    vef_batch_waiting *waiting;
    size_t waiting_count;
    vef_batch_running *running; /* for the policy */
    uint32_t *part_of;          /* per task: its job */
    uint32_t busy;              /* nodes */
    uint64_t next_ps;
    bool looks;                /* something has changed since the policy was asked last */
    vef_batch_moment *moments; /* by time */
    size_t moment_count, moment_room;
    vef_arena arena;
} vef_batch;

/* It must not move while its gate and its listener are in use. Release it in any case. */
void vef_batch_begin(vef_batch *batch, const vef_batch_settings *settings);
/* After the replay: the last jobs give their nodes back. */
void vef_batch_end(vef_batch *batch);
void vef_batch_release(vef_batch *batch); /* zeroed is fine */

/* The share of the machine's nodes that jobs had, from time 0 to the last end. */
double vef_batch_utilization(const vef_batch *batch);

#endif
