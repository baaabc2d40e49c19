/* Logical grids: see grid.h. */
#include "workloads/grid.h"

#include <stdio.h>

/* Half the surface of a box. */
static uint64_t surface(uint64_t x, uint64_t y, uint64_t z, uint32_t axes) {
    return axes == 2 ? x + y : x * y + y * z + z * x;
}

static vef_task_grid most_cubic(uint32_t tasks, uint32_t axes) {
    vef_task_grid best = {axes, {tasks, 1, 1}};
    uint64_t least = surface(tasks, 1, 1, axes);
    for (uint32_t z = 1; (uint64_t)z * z * z <= tasks && (axes == 3 || z == 1); z++) {
        if (tasks % z != 0)
            continue;
        for (uint32_t y = z; (uint64_t)y * y <= tasks / z; y++)
            if (tasks / z % y == 0 && surface(tasks / z / y, y, z, axes) < least) {
                least = surface(tasks / z / y, y, z, axes);
                best = (vef_task_grid){axes, {tasks / z / y, y, z}};
            }
    }
    return best;
}

static char *list_text(char *text, size_t bytes, const vef_task_grid *grid) {
    snprintf(text, bytes, grid->axes == 2 ? "[%u, %u]" : "[%u, %u, %u]", grid->size[0],
             grid->size[1], grid->size[2]);
    return text;
}

vef_code vef_task_grid_check_list(const vef_workload_step *step, const vef_int_list *list,
                                  const char *key, uint32_t axes, vef_error *error) {
    return list->count == axes
               ? VEF_OK
               : vef_workload_fail(step, error, key, "%s has %zu numbers: expected %u", key,
                                   list->count, axes);
}

vef_code vef_task_grid_find(const vef_workload_step *step, const vef_int_list *given, uint32_t axes,
                            vef_task_grid *grid, vef_error *error) {
    *grid = most_cubic(step->tasks, axes);
    if (given->count == 0)
        return VEF_OK;
    vef_code code = vef_task_grid_check_list(step, given, "grid", axes, error);
    if (code)
        return code;
    uint64_t factors[VEF_TASK_GRID_AXES] = {1, 1, 1}, places;
    for (uint32_t d = 0; d < axes; d++)
        factors[d] = (uint64_t)given->values[d];
    if (!vef_workload_product(factors, axes, &places) || places != step->tasks) {
        char text[64];
        return vef_workload_fail(step, error, "grid",
                                 "the grid does not have a place for each of the %u tasks: "
                                 "expected sides of that product, such as %s",
                                 step->tasks, list_text(text, sizeof text, grid));
    }
    for (uint32_t d = 0; d < axes; d++)
        grid->size[d] = (uint32_t)factors[d];
    return VEF_OK;
}

void vef_task_grid_locate(const vef_task_grid *grid, uint32_t task,
                          uint32_t position[VEF_TASK_GRID_AXES]) {
    for (uint32_t d = 0; d < VEF_TASK_GRID_AXES; d++) {
        position[d] = task % grid->size[d];
        task /= grid->size[d];
    }
}

bool vef_task_grid_step(const vef_task_grid *grid, const uint32_t position[VEF_TASK_GRID_AXES],
                        const int offset[VEF_TASK_GRID_AXES], bool periodic, uint32_t *task) {
    uint64_t place = 0;
    for (uint32_t d = VEF_TASK_GRID_AXES; d-- > 0;) {
        const int64_t size = grid->size[d];
        int64_t to = (int64_t)position[d] + offset[d];
        if (offset[d] != 0 && size == 1)
            return false;
        if (to < 0 || to >= size) {
            if (!periodic)
                return false;
            to = (to + size) % size;
        }
        place = place * (uint64_t)size + (uint64_t)to;
    }
    *task = (uint32_t)place;
    return true;
}
