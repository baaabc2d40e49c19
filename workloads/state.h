/* A workload as read; private to this folder's read.c, split.c and write.c. */
#ifndef VEF_WORKLOADS_STATE_H
#define VEF_WORKLOADS_STATE_H

#include "workloads/kind.h"
#include "workloads/workload.h"

struct vef_workload {
    vef_arena arena;
    const vef_node *root;
    uint32_t tasks, repeat;
    vef_workload_step *steps;
    uint32_t step_count;
    vef_workload_split *splits; /* in the order in which each task calls Comm_split */
    size_t split_count, split_room;
    vef_communicator *communicators; /* of the trace; 0 is the world */
    size_t communicator_count, communicator_room;
};

/* Begins with the world. */
void vef_workload_add_world(vef_workload *workload);

#endif
