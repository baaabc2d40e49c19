/* Placing tasks by stages that move a grid. See on_grid.h. */
#include "mappings/on_grid.h"

#include "common/memory.h"
#include "mappings/families.h"
#include "mappings/grid.h"
#include "mappings/places/launch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The network's grid of routers; none if it has no grid. */
static vef_grid router_grid(const vef_topology *topology) {
    vef_grid grid = {{0}};
    memcpy(grid.size, topology->sizes, topology->dimensions * sizeof *grid.size);
    return topology->dimensions ? vef_grid_complete(grid) : grid;
}

vef_code vef_mapping_size_after(const vef_mapping_stages *stages, const vef_grid *grid,
                                vef_grid *after, vef_error *error) {
    *after = *grid;
    for (uint32_t k = stages->count; k-- > 0;) {
        const vef_mapping_stage *stage = &stages->stage[k];
        const vef_grid from = *after;
        const vef_code code = stage->family->size(stage, &from, after, error);
        if (code != VEF_OK)
            return code;
    }
    return VEF_OK;
}

/* The only logical grid that the stages map to the grid of routers; none if there is none, or it
 * has no room for the tasks, or the routers have none. */
static vef_grid fitting_grid(const vef_mapping_stages *stages, const vef_topology *topology,
                             uint32_t tasks) {
    const vef_grid routers = router_grid(topology), none = {{0}};
    vef_grid grid = routers, after;
    for (uint32_t k = 0; k < stages->count; k++) {
        const vef_grid to = grid;
        if (!stages->stage[k].family->before(&stages->stage[k], &to, &grid))
            return none;
    }
    const uint64_t places = vef_grid_places(&grid);
    const bool fits = vef_mapping_size_after(stages, &grid, &after, NULL) == VEF_OK &&
                      vef_grid_is_same(&after, &routers) && places >= tasks &&
                      places <= (uint64_t)topology->routers * topology->endpoints_per_router;
    return fits ? grid : none;
}

/* Adds the grid that would fit to the error of one that does not. */
static vef_code fail_with_hint(const vef_mapping_stages *stages, const vef_topology *topology,
                               const vef_mapping *mapping, vef_error *error) {
    const vef_grid fitting = fitting_grid(stages, topology, mapping->tasks), *grid = &mapping->grid;
    const vef_grid turned = vef_grid_complete((vef_grid){{grid->height, grid->width}});
    const bool turns = vef_grid_is_same(&fitting, &turned) && grid->width != grid->height;
    char hint[2 * VEF_GRID_TEXT_BYTES], text[VEF_GRID_TEXT_BYTES];
    if (vef_grid_is_given(&fitting)) {
        vef_grid_write(&fitting, text);
        snprintf(hint, sizeof hint,
                 "expected --grid %.120s, or end the mapping with '. grid(%.120s)'%s", text, text,
                 turns ? " or '. transpose'" : "");
    } else {
        snprintf(hint, sizeof hint,
                 "no grid of %u tasks becomes the routers' grid with at most %u task%s on a router "
                 "(endpoints_per_router): expected other unions or another network",
                 mapping->tasks, topology->endpoints_per_router,
                 topology->endpoints_per_router == 1 ? "" : "s");
    }
    char reason[VEF_MESSAGE_BYTES];
    snprintf(reason, sizeof reason, "%s", error ? error->message : "");
    return vef_fail(error, VEF_UNSUPPORTED, "%.500s: %s", reason, hint);
}

static vef_code fail_down(const vef_topology *topology, const uint32_t *position,
                          vef_error *error) {
    char point[VEF_GRID_TEXT_BYTES];
    size_t used = 0;
    for (uint32_t d = 0; d < topology->dimensions; d++)
        used +=
            (size_t)snprintf(point + used, sizeof point - used, "%s%u", d ? ", " : "", position[d]);
    return vef_fail(error, VEF_INVALID,
                    "a task goes to router (%s), which is down: expected a mapping without a grid",
                    point);
}

/* Tasks at one router take its endpoints in the order of their numbers. */
static vef_code place_at(const vef_topology *topology, const uint32_t *position,
                         const vef_mapping_attached *endpoints, uint32_t *taken, uint32_t *endpoint,
                         vef_error *error) {
    for (uint32_t d = 0; d < topology->dimensions; d++)
        if (position[d] >= topology->sizes[d])
            return vef_fail(error, VEF_INVALID,
                            "a task goes to %u in dimension %u: expected below %u", position[d], d,
                            topology->sizes[d]);
    const uint32_t router = vef_topology_router_at(topology, position);
    char name[VEF_ROUTER_NAME_BYTES];
    if (router == VEF_NO_ROUTER)
        return fail_down(topology, position, error);
    const uint32_t most = endpoints->first[router + 1] - endpoints->first[router];
    if (taken[router] == most) {
        vef_topology_router_name(topology, router, name, sizeof name);
        return vef_fail(error, VEF_UNSUPPORTED,
                        "more than %u task%s at router %.60s: endpoints_per_router is %u", most,
                        most == 1 ? "" : "s", name, most);
    }
    *endpoint = endpoints->list[endpoints->first[router] + taken[router]++];
    return VEF_OK;
}

static vef_code place_on_routers(const vef_mapping_stages *stages, const vef_topology *topology,
                                 vef_mapping *mapping, vef_error *error) {
    vef_grid sizes[VEF_MAX_MAPPING_STAGES + 1]; /* sizes[k]: before stage k - 1 */
    vef_mapping_attached endpoints = vef_mapping_gather(topology);
    uint32_t *taken = vef_calloc(topology->routers, sizeof *taken);
    sizes[stages->count] = mapping->grid;
    for (uint32_t k = stages->count; k-- > 0;)
        stages->stage[k].family->size(&stages->stage[k], &sizes[k + 1], &sizes[k], NULL);
    vef_code code = VEF_OK;
    for (uint32_t t = 0; code == VEF_OK && t < mapping->tasks; t++) {
        uint32_t position[VEF_MAX_DIMENSIONS];
        vef_grid_locate(&mapping->grid, t, position);
        for (uint32_t k = stages->count; k-- > 0;)
            stages->stage[k].family->move(&stages->stage[k], &sizes[k + 1], position);
        code = place_at(topology, position, &endpoints, taken, &mapping->endpoint[t], error);
    }
    vef_mapping_attached_release(&endpoints);
    free(taken);
    return code;
}

/* Lists the mappings that need no grid. */
static vef_code fail_without_grid(const vef_topology *topology, vef_error *error) {
    char others[256] = "identity alone";
    for (size_t i = 0; vef_mapping_families[i]; i++) {
        const size_t used = strlen(others);
        const vef_mapping_family *family = vef_mapping_families[i];
        if ((family->assign || family->refine) && !family->on_grid)
            snprintf(others + used, sizeof others - used, ", %s", family->name);
    }
    return vef_fail(error, VEF_UNSUPPORTED,
                    "topology %s has no grid of routers: expected a mapping without a grid: %s",
                    topology->family->name, others);
}

/* Whether a grid becomes that of the routers. */
static vef_code check_size(const vef_mapping_stages *stages, const vef_topology *topology,
                           const vef_grid *grid, vef_error *error) {
    const vef_grid routers = router_grid(topology);
    char wanted[VEF_GRID_TEXT_BYTES], tasks[VEF_GRID_TEXT_BYTES], became[VEF_GRID_TEXT_BYTES];
    vef_grid after;
    vef_code code = vef_mapping_size_after(stages, grid, &after, error);
    if (code != VEF_OK || vef_grid_is_same(&after, &routers))
        return code;
    vef_grid_write(&routers, wanted);
    vef_grid_write(grid, tasks);
    if (vef_grid_is_same(&after, grid))
        return vef_fail(error, VEF_UNSUPPORTED,
                        "the grid of the tasks is %.100s, that of the routers %.100s", tasks,
                        wanted);
    return vef_fail(error, VEF_UNSUPPORTED,
                    "the grid of the tasks, %.100s, becomes %.100s, but that of the routers is "
                    "%.100s",
                    tasks, vef_grid_write(&after, became), wanted);
}

vef_code vef_mapping_place_on_grid(const vef_mapping_stages *stages, bool fixed,
                                   const vef_topology *topology, vef_mapping *mapping,
                                   vef_error *error) {
    if (topology->dimensions == 0)
        return fail_without_grid(topology, error);
    vef_code code = check_size(stages, topology, &mapping->grid, error);
    const vef_grid fitting = fitting_grid(stages, topology, mapping->tasks);
    if (code != VEF_OK && !fixed && vef_grid_is_given(&fitting)) {
        mapping->grid = fitting;
        code = VEF_OK;
    }
    mapping->on_grid = true;
    if (code == VEF_OK)
        code = place_on_routers(stages, topology, mapping, error);
    return code != VEF_UNSUPPORTED ? code : fail_with_hint(stages, topology, mapping, error);
}
