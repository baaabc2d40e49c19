/* Tasks on a grid. See grid.h. */
#include "workloads/grid.h"

/* The best sizes of so many dimensions for `tasks`, each at most `most`; returns their sum, or
 * UINT64_MAX if there are none. */
static uint64_t factorise(uint32_t tasks, uint32_t dimensions, uint32_t most, uint32_t *sizes) {
    if (dimensions == 1) {
        sizes[0] = tasks;
        return tasks <= most ? tasks : UINT64_MAX;
    }
    uint64_t best = UINT64_MAX;
    uint32_t rest[VEF_WORKLOAD_DIMENSIONS];
    for (uint32_t first = 1; first <= tasks && first <= most; first++) {
        if (tasks % first != 0)
            continue;
        const uint64_t others = factorise(tasks / first, dimensions - 1, first, rest);
        if (others == UINT64_MAX || first + others >= best)
            continue;
        best = first + others;
        sizes[0] = first;
        for (uint32_t d = 1; d < dimensions; d++)
            sizes[d] = rest[d - 1];
    }
    return best;
}

vef_code vef_workload_grid_make(const vef_int_list *given, uint32_t dimensions, uint32_t tasks,
                                const vef_node *node, vef_workload_grid *grid, vef_error *error) {
    *grid = (vef_workload_grid){.dimensions = dimensions};
    if (given->count == 0) {
        factorise(tasks, dimensions, tasks, grid->sizes);
        return VEF_OK;
    }
    if (given->count != dimensions)
        return vef_node_fail(node, error, "grid: expected %u dimensions, not %zu", dimensions,
                             given->count);
    uint64_t product = 1;
    for (uint32_t d = 0; d < dimensions; d++) {
        grid->sizes[d] = (uint32_t)given->values[d];
        if (product <= UINT32_MAX)
            product *= grid->sizes[d];
    }
    return product == tasks
               ? VEF_OK
               : vef_node_fail(node, error, "grid of %llu tasks: expected the %u of the workload",
                               (unsigned long long)product, tasks);
}

void vef_workload_grid_place(const vef_workload_grid *grid, uint32_t task, int64_t *place) {
    for (uint32_t d = grid->dimensions; d-- > 0; task /= grid->sizes[d])
        place[d] = task % grid->sizes[d];
}

uint32_t vef_workload_grid_task(const vef_workload_grid *grid, const int64_t *place) {
    uint32_t task = 0;
    for (uint32_t d = 0; d < grid->dimensions; d++)
        task = task * grid->sizes[d] + (uint32_t)place[d];
    return task;
}
