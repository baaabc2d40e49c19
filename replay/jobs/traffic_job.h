/* Background traffic of a job list: its endpoints, and its stream of messages. */
#ifndef VEF_REPLAY_JOBS_TRAFFIC_JOB_H
#define VEF_REPLAY_JOBS_TRAFFIC_JOB_H

#include "replay/jobs/background.h"
#include "replay/jobs/spec.h"

typedef struct vef_traffic_job {
    const vef_job_spec *spec;
    uint32_t *places; /* the endpoint of the network of each of its own */
    uint32_t endpoints;
    vef_topology *row; /* of its endpoints, for the pattern; NULL: it has the network's */
    vef_pattern *pattern;
    const vef_process_kind *process;
    const void *process_parameters;
    const vef_length_share *lengths;
    size_t length_count;
    uint64_t from_cycles, until_cycles;
    vef_net_background_figures figures; /* after the replay */
    vef_arena arena;
} vef_traffic_job;

/* Places it on free nodes, which it takes as `number`, and reads its pattern, which is defined on
 * its endpoints numbered from 0: on the network if it has all of them, else on a row. `plugins`:
 * that key of the network file, or NULL. */
vef_code vef_traffic_job_open(vef_traffic_job *job, const vef_job_spec *spec, uint32_t number,
                              const vef_node *plugins, vef_job_nodes *nodes,
                              const vef_netmodel *network, vef_error *error);
void vef_traffic_job_release(vef_traffic_job *job); /* zeroed is fine */

/* A stream of its messages, whose random numbers are those of the seed plus `index`. */
vef_code vef_traffic_job_stream(const vef_traffic_job *job, uint32_t index,
                                const vef_netmodel *network, vef_net_background_stream *stream,
                                vef_error *error);

/* "uniform" */
static inline const char *vef_traffic_job_pattern(const vef_traffic_job *job) {
    return job->pattern->kind->name;
}
/* Whether the network takes clearly less than is offered. */
static inline bool vef_traffic_job_saturates(const vef_traffic_job *job) {
    return job->figures.withheld_share > 0.01;
}

#endif
