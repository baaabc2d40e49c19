/* A workload as read; private to this folder's read.c, split.c and write.c. */
#ifndef VEF_WORKLOADS_STATE_H
#define VEF_WORKLOADS_STATE_H

#include "workloads/kind.h"
#include "workloads/workload.h"

typedef enum vef_made_by { VEF_MADE_BY_SPLIT, VEF_MADE_BY_GROUP } vef_made_by;

/* The keys of the root. */
typedef struct vef_workload_root {
    uint32_t tasks, repeat;
    int communicators; /* vef_made_by */
} vef_workload_root;
extern const vef_param vef_workload_root_schema[];

struct vef_workload {
    vef_arena arena;
    const vef_node *node; /* its mapping */
    vef_workload_root root;
    vef_workload_step *steps;
    uint32_t step_count;
    vef_workload_split *splits; /* in the order in which each task makes them */
    size_t split_count, split_room;
    vef_communicator *communicators; /* of the trace; 0 is the world */
    size_t communicator_count, communicator_room;
};

/* The call that makes communicators: VEF_CALL_Comm_split or VEF_CALL_Comm_create_group. */
uint16_t vef_workload_makes(const vef_workload *workload);
/* Begins with the world. */
void vef_workload_add_world(vef_workload *workload);

#endif
