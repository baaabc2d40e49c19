/* Several jobs on one network: placed, replayed together, and each alone beside that.
 *
 * The jobs are one source (joint.h), which the engine replays like any other. Alone means the same
 * replay, at the same endpoints and from the same start, without the events of the other jobs, on a
 * network of its own, without background traffic. */
#ifndef VEF_REPLAY_JOBS_JOBS_H
#define VEF_REPLAY_JOBS_JOBS_H

#include "replay/explain/causes.h"
#include "replay/jobs/batch.h"
#include "replay/jobs/figures.h"
#include "replay/jobs/joint.h"
#include "replay/jobs/spec.h"
#include "replay/jobs/spread.h"
#include "replay/jobs/traffic_job.h"
#include "replay/replay.h"

/* The times of a job in one replay. */
typedef struct vef_job_time {
    uint64_t start_ps, end_ps;                      /* of its first task; of its last */
    double latency_mean_cycles, latency_p99_cycles; /* of its messages; 0: it has none */
    uint64_t messages;                              /* these are the latencies of */
    uint64_t network_messages;
    vef_cause_ps causes; /* the times of all its tasks, if the request wants to know */
    bool known;          /* the replay has not stalled */
} vef_job_time;

typedef struct vef_placed_job {
    const vef_job_spec *spec;
    vef_trace *trace;
    const char *missing; /* what the trace lacks, or NULL */
    vef_source *source;
    uint32_t tasks, first_task;
    uint64_t arrival_ps, start_ps; /* in a batch the start is known after the replay */
    vef_job_spread spread;         /* in a batch: known after the replay */
    uint64_t messages_sent, bytes_sent;
    vef_job_time together, alone;
} vef_placed_job;

typedef struct vef_jobs_request {
    const vef_job_list *list;
    const vef_node *root; /* of the machine file, for networks of replays alone */
    const vef_replay_options *options;
    uint32_t threads; /* at least 1 */
    /* Processes that divide the replays among them, each as it is: the first has the one together,
     * and all have the results of those alone. NULL: this one has all. */
    const vef_net_ranks *ranks;
    bool alone;   /* whether to replay each job alone, too */
    bool explain; /* whether to find the causes of the times */
    vef_progress *progress;
} vef_jobs_request;

typedef struct vef_jobs {
    vef_jobs_request request;
    vef_netmodel *network; /* the caller's */
    vef_placed_job *jobs;
    uint32_t count, tasks;
    vef_traffic_job *traffic; /* background traffic: in nodes and figures it comes after the jobs */
    uint32_t traffic_count;
    vef_net_background *background; /* it, with the network; NULL: none */
    vef_job_nodes nodes;
    vef_batch batch;           /* of a list with a policy; else zeroed */
    vef_batch_job *batch_jobs; /* of a list with a policy; else NULL */
    uint32_t *mapping;         /* per task of all jobs */
    vef_source *joint;
    vef_job_figures figures;
    vef_replay_result result; /* of the replay together */
} vef_jobs;

/* The name of a job or, from `count` on, of background traffic. */
const char *vef_jobs_name(const vef_jobs *jobs, uint32_t number);

/* Opens the traces and places the jobs, unless they are a batch, which is placed while it is
 * replayed: those with endpoints of their own choice (a mapping without
 * a placement, a file) first, then the others in order, at last background
 * traffic on all endpoints that are left. Refuses jobs that overlap. The request, its
 * list and the network, at time 0 and not split, must outlive it; release it in any case. */
vef_code vef_jobs_open(vef_jobs *jobs, const vef_jobs_request *request, vef_netmodel *network,
                       vef_error *error);
/* Replays them. A stall is a result. */
vef_code vef_jobs_replay(vef_jobs *jobs, vef_error *error);
void vef_jobs_release(vef_jobs *jobs); /* zeroed is fine */

/* Time of a job from its start to its end. */
static inline uint64_t vef_job_time_ps(const vef_job_time *time) {
    return time->end_ps - time->start_ps;
}
/* Time together over time alone; NAN if one is not known. */
double vef_job_slowdown(const vef_placed_job *job);

#endif
