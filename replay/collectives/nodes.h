/* The ranks of a communicator by the node that they are on, for hierarchical collectives. */
#ifndef VEF_REPLAY_COLLECTIVES_NODES_H
#define VEF_REPLAY_COLLECTIVES_NODES_H

#include "common/arena.h"

#include <stdbool.h>
#include <stdint.h>

/* Nodes are numbered in the order of their lowest ranks. */
typedef struct vef_nodes {
    uint32_t count;
    const uint32_t *node_of; /* [rank] */
    const uint32_t *first;   /* [count + 1]: the ranks of node n are ranks[first[n]] … */
    const uint32_t *ranks;   /* …, ascending */
    const uint32_t *place;   /* [rank]: its place among those of its node */
    bool consecutive;        /* the ranks of each node are consecutive */
} vef_nodes;

/* From the number that names the node of each rank, any numbers. Lives in `arena`. */
const vef_nodes *vef_nodes_make(const uint32_t *names, uint32_t size, vef_arena *arena);

static inline uint32_t vef_nodes_size(const vef_nodes *nodes, uint32_t node) {
    return nodes->first[node + 1] - nodes->first[node];
}

#endif
