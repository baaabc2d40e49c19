/* How far apart the nodes of a job are: what fragmentation does to it. */
#ifndef VEF_REPLAY_JOBS_SPREAD_H
#define VEF_REPLAY_JOBS_SPREAD_H

#include "replay/jobs/nodes.h"

typedef struct vef_job_spread {
    uint32_t nodes, groups; /* that it has a part of */
    double mean_hops;       /* between two different nodes; 0: it has one, or there are no links */
} vef_job_spread;

/* Of the nodes of so many tasks at these endpoints. */
void vef_job_spread_find(const vef_job_nodes *nodes, const uint32_t *endpoint, uint32_t tasks,
                         vef_job_spread *spread);

#endif
