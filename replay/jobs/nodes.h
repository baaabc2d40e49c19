/* The nodes of a machine as a scheduler sees them: which job has each, and which belong together.
 *
 * A node has `host.nics` consecutive endpoints and `host.cores` places for tasks; it belongs to at
 * most one job at a time. */
#ifndef VEF_REPLAY_JOBS_NODES_H
#define VEF_REPLAY_JOBS_NODES_H

#include "netmodel/netmodel.h"

#define VEF_NOBODY UINT32_MAX

typedef struct vef_job_nodes {
    uint32_t count, nics, cores;
    uint32_t *owner;    /* per node: the number of its job; VEF_NOBODY: free */
    const char **names; /* of jobs, by number; the caller's */
    uint32_t free;      /* nodes */
    uint32_t *group;    /* per node, below `groups`, by ascending router */
    uint32_t groups;
    uint32_t *router; /* per node: that of its first endpoint; NULL without a topology */
    const vef_topology *topology; /* NULL: none */
    vef_arena arena;
} vef_job_nodes;

/* All nodes of a network, free. `endpoints`: of a network of unlimited ones. Groups are those that
 * the topology has: of equal last coordinate where routers form a grid (the groups of a dragonfly,
 * the rows or planes of a torus) and there are at least two, else the endpoints of one router.
 * Without a topology all nodes are one group. */
void vef_job_nodes_make(vef_job_nodes *nodes, const vef_netmodel *network, uint32_t endpoints,
                        uint32_t nics, uint32_t cores);
void vef_job_nodes_release(vef_job_nodes *nodes); /* zeroed is fine */

/* Gives a free node to a job, or takes it back. */
void vef_job_nodes_take(vef_job_nodes *nodes, uint32_t node, uint32_t job);
void vef_job_nodes_free(vef_job_nodes *nodes, uint32_t node);

/* How many nodes so many tasks need. */
static inline uint32_t vef_job_nodes_for(const vef_job_nodes *nodes, uint32_t tasks) {
    return tasks ? (tasks - 1) / nodes->cores + 1 : 0;
}

#endif
