/* Tasks on a grid: task numbers run fastest along the last dimension, as those of MPI_Cart_create.
 */
#ifndef VEF_WORKLOADS_GRID_H
#define VEF_WORKLOADS_GRID_H

#include "common/config/config.h"

enum { VEF_WORKLOAD_DIMENSIONS = 3 };

typedef struct vef_workload_grid {
    uint32_t dimensions;
    uint32_t sizes[VEF_WORKLOAD_DIMENSIONS];
} vef_workload_grid;

/* The grid that is given, or, where the list is empty, the one with the least sum of sizes, the
 * larger ones first. VEF_INVALID at `node` unless it has the tasks and the dimensions. */
vef_code vef_workload_grid_make(const vef_int_list *given, uint32_t dimensions, uint32_t tasks,
                                const vef_node *node, vef_workload_grid *grid, vef_error *error);

/* The place of a task, and the task at a place. */
void vef_workload_grid_place(const vef_workload_grid *grid, uint32_t task, int64_t *place);
uint32_t vef_workload_grid_task(const vef_workload_grid *grid, const int64_t *place);

#endif
