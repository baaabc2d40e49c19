/* Where the tasks of a job are: on nodes that a placement has chosen, or anywhere. */
#ifndef VEF_REPLAY_JOBS_SETTLE_H
#define VEF_REPLAY_JOBS_SETTLE_H

#include "replay/jobs/spec.h"
#include "replay/replay.h"

/* A job to be settled. */
typedef struct vef_settler {
    const vef_job_spec *spec;
    const vef_node *plugins; /* that key of the network file, or NULL */
    vef_trace *trace;
    const vef_replay_options *options;
    uint32_t tasks;
} vef_settler;

/* The endpoint of each task, by the mapping of the job alone, anywhere on the network. */
vef_code vef_settle_anywhere(const vef_settler *settler, const vef_topology *topology,
                             uint32_t *endpoint, vef_error *error);
/* On `count` nodes, by the mapping of the job if it has one, else the nodes are filled in order. A
 * mapping sees the routers and links of the network, but only the endpoints of these nodes, which
 * it numbers from 0; a mapping on the grid of routers needs all nodes in their order. */
vef_code vef_settle_on(const vef_settler *settler, const vef_job_nodes *nodes,
                       const uint32_t *chosen, uint32_t count, uint32_t *endpoint,
                       vef_error *error);

#endif
