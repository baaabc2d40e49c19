/* Places, classes and steps in a grid of tasks. See scale.h for the rules. */
#include "traces/scale/scale_state.h"

#include <stdio.h>

void vef_scaling_place(uint32_t dimensions, const uint32_t *extents, uint32_t task,
                       uint32_t *place) {
    for (uint32_t d = dimensions; d-- > 0;) {
        place[d] = task % extents[d];
        task /= extents[d];
    }
}

uint32_t vef_scaling_task_at(uint32_t dimensions, const uint32_t *extents, const uint32_t *place) {
    uint32_t task = 0;
    for (uint32_t d = 0; d < dimensions; d++)
        task = task * extents[d] + place[d];
    return task;
}

uint32_t vef_scaling_class(const vef_scaling_grid *grid, uint32_t dimension, uint32_t place,
                           uint32_t extent) {
    if (!vef_scaling_grows(grid, dimension))
        return place;
    if (grid->ring[dimension])
        return 0;
    return place == 0 ? 0 : place == extent - 1 ? 2 : 1;
}

bool vef_scaling_step_of(const vef_scaling_grid *grid, const uint32_t *extents,
                         const uint32_t *place, const uint32_t *peer_at, vef_scaling_step *step,
                         uint32_t *dimension) {
    bool allowed = true;
    for (uint32_t d = 0; d < grid->dimensions; d++) {
        const int64_t extent = extents[d];
        int64_t by = (int64_t)peer_at[d] - (int64_t)place[d], most = 1;
        if (!vef_scaling_grows(grid, d)) {
            step->by[d] = (int32_t)peer_at[d];
            continue;
        }
        if (grid->ring[d]) {
            by = 2 * by > extent ? by - extent : 2 * by <= -extent ? by + extent : by;
            most = grid->from[d] / 4;
        }
        step->by[d] = (int32_t)by;
        if (allowed && (by > most || by < -most)) {
            allowed = false;
            *dimension = d;
        }
    }
    return allowed;
}

bool vef_scaling_step_to(const vef_scaling_grid *grid, const uint32_t *extents,
                         const uint32_t *place, const vef_scaling_step *step, uint32_t *task) {
    uint32_t to[VEF_SCALING_DIMENSIONS];
    for (uint32_t d = 0; d < grid->dimensions; d++) {
        const int64_t extent = extents[d];
        int64_t coordinate = step->by[d];
        if (vef_scaling_grows(grid, d))
            coordinate += place[d];
        if (vef_scaling_grows(grid, d) && grid->ring[d])
            coordinate = (coordinate + extent) % extent;
        if (coordinate < 0 || coordinate >= extent)
            return false;
        to[d] = (uint32_t)coordinate;
    }
    *task = vef_scaling_task_at(grid->dimensions, extents, to);
    return true;
}

void vef_scaling_origin(const vef_scaling_grid *grid, const uint32_t *place, uint32_t *from) {
    for (uint32_t d = 0; d < grid->dimensions; d++)
        if (!vef_scaling_grows(grid, d))
            from[d] = place[d];
        else if (grid->ring[d])
            from[d] = place[d] % grid->from[d];
        else if (place[d] == 0)
            from[d] = 0;
        else if (place[d] == grid->to[d] - 1)
            from[d] = grid->from[d] - 1;
        else
            from[d] = 1 + (place[d] - 1) % (grid->from[d] - 2);
}

void vef_scaling_grid_text(const vef_scaling_grid *grid, bool of_result, char *text) {
    size_t used = 0;
    for (uint32_t d = 0; d < grid->dimensions; d++)
        used += (size_t)snprintf(text + used, VEF_SCALING_GRID_TEXT - used, "%s%u%s", d ? "x" : "",
                                 of_result ? grid->to[d] : grid->from[d],
                                 vef_scaling_grows(grid, d) && grid->ring[d] ? "p" : "");
}
