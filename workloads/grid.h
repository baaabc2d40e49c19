/* Logical grids of the tasks of a workload: task x + X (y + Y z). */
#ifndef VEF_WORKLOADS_GRID_H
#define VEF_WORKLOADS_GRID_H

#include "workloads/kind.h"

enum { VEF_TASK_GRID_AXES = 3 };

typedef struct vef_task_grid {
    uint32_t axes;                     /* 2 or 3 */
    uint32_t size[VEF_TASK_GRID_AXES]; /* 1 beyond the axes */
} vef_task_grid;

/* The key of a schema: the sides, x first. */
#define VEF_TASK_GRID_PARAM(parameters)                                                            \
    {                                                                                              \
        VEF_KEY(INT_LIST, parameters, grid), .fallback = "[]", .minimum = 1,                       \
                                             .maximum = UINT32_MAX,                                \
                                             .help =                                               \
                                                 "sides of the grid of tasks, x first; []: "       \
                                                 "the most cubic one"                              \
    }

/* The sides that `given` lists, which must have the axes and the places of all tasks; an empty list
 * gives the most cubic grid: that of the smallest surface, with the longest side first. */
vef_code vef_task_grid_find(const vef_workload_step *step, const vef_int_list *given, uint32_t axes,
                            vef_task_grid *grid, vef_error *error);

void vef_task_grid_locate(const vef_task_grid *grid, uint32_t task,
                          uint32_t position[VEF_TASK_GRID_AXES]);

/* The task at an offset. False: there is none; an axis with a single task has no offsets. */
bool vef_task_grid_step(const vef_task_grid *grid, const uint32_t position[VEF_TASK_GRID_AXES],
                        const int offset[VEF_TASK_GRID_AXES], bool periodic, uint32_t *task);

/* Checks that a list of the key `key` has one number for each axis. */
vef_code vef_task_grid_check_list(const vef_workload_step *step, const vef_int_list *list,
                                  const char *key, uint32_t axes, vef_error *error);

#endif
