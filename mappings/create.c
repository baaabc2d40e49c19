/* From a composition of stages to an endpoint for every task. See mapping.h. */
#include "mappings/families.h"
#include "mappings/parse.h"
#include "mappings/places/launch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_given(vef_grid grid) {
    return grid.width != 0;
}

static bool same(vef_grid a, vef_grid b) {
    return a.width == b.width && a.height == b.height;
}

static uint64_t area(vef_grid grid) {
    return (uint64_t)grid.width * grid.height;
}

/* The network's grid of routers; none if it has no grid of one or two dimensions. */
static vef_grid router_grid(const vef_topology *topology) {
    if (topology->dimensions == 1)
        return (vef_grid){topology->sizes[0], 1};
    if (topology->dimensions == 2)
        return (vef_grid){topology->sizes[0], topology->sizes[1]};
    return (vef_grid){0, 0};
}

/* The size of the grid after all stages. */
static vef_code size_after(const vef_mapping_stages *stages, vef_grid grid, vef_grid *after,
                           vef_error *error) {
    for (uint32_t k = stages->count; k-- > 0;) {
        const vef_mapping_stage *stage = &stages->stage[k];
        const vef_code code = stage->family->size(stage, grid, &grid, error);
        if (code != VEF_OK)
            return code;
    }
    *after = grid;
    return VEF_OK;
}

static vef_point move_through(const vef_mapping_stages *stages, vef_grid grid, vef_point point) {
    for (uint32_t k = stages->count; k-- > 0;) {
        const vef_mapping_stage *stage = &stages->stage[k];
        point = stage->family->move(stage, grid, point);
        stage->family->size(stage, grid, &grid, NULL);
    }
    return point;
}

/* The smallest logical grid with room for the tasks that the stages map to the grid of routers;
 * none if impossible. Stages divide and exchange sides, so its sides are multiples of the routers'.
 */
static vef_grid fitting_grid(const vef_mapping_stages *stages, const vef_mapping_request *request,
                             const vef_topology *topology) {
    const vef_grid routers = router_grid(topology);
    const uint32_t most = topology->endpoints_per_router;
    vef_grid best = {0, 0};
    for (int turned = 0; turned <= 1; turned++)
        for (uint32_t p = 1; p <= most; p++)
            for (uint32_t q = 1; q <= most / p; q++) {
                const uint64_t width = (uint64_t)p * (turned ? routers.height : routers.width);
                const uint64_t height = (uint64_t)q * (turned ? routers.width : routers.height);
                if (width > UINT32_MAX || height > UINT32_MAX)
                    continue;
                const vef_grid tried = {(uint32_t)width, (uint32_t)height};
                vef_grid after;
                if (size_after(stages, tried, &after, NULL) == VEF_OK && same(after, routers) &&
                    area(tried) >= request->tasks && (!is_given(best) || area(tried) < area(best)))
                    best = tried;
            }
    return best;
}

/* Adds the required grid to the error of a grid that does not fit. */
static vef_code fail_with_hint(const vef_mapping_stages *stages, const vef_mapping_request *request,
                               const vef_topology *topology, vef_grid grid, vef_error *error) {
    const vef_grid fitting = fitting_grid(stages, request, topology);
    char hint[256];
    if (is_given(fitting))
        snprintf(hint, sizeof hint, "expected --grid %ux%u%s", fitting.width, fitting.height,
                 fitting.width == grid.height && fitting.height == grid.width
                     ? ", or end the mapping with '. transpose'"
                     : "");
    else
        snprintf(hint, sizeof hint,
                 "no grid of %u tasks becomes the routers' grid with at most %u task%s on a router "
                 "(endpoints_per_router): expected other unions or another network",
                 request->tasks, topology->endpoints_per_router,
                 topology->endpoints_per_router == 1 ? "" : "s");
    char reason[VEF_MESSAGE_BYTES];
    snprintf(reason, sizeof reason, "%s", error ? error->message : "");
    return vef_fail(error, VEF_UNSUPPORTED, "%.600s: %s", reason, hint);
}

/* Tasks at one router take its endpoints in the order of their numbers. */
static vef_code place_at(const vef_topology *topology, vef_point at,
                         const vef_mapping_attached *endpoints, uint32_t *taken, uint32_t *endpoint,
                         vef_error *error) {
    const uint32_t coordinates[VEF_MAX_DIMENSIONS] = {at.x, at.y};
    const uint32_t router = vef_topology_router_at(topology, coordinates);
    if (router == VEF_NO_ROUTER)
        return vef_fail(error, VEF_INVALID,
                        "a task goes to router (%u, %u), which is down: expected a mapping without "
                        "a grid",
                        at.x, at.y);
    const uint32_t most = endpoints->first[router + 1] - endpoints->first[router];
    if (taken[router] == most)
        return vef_fail(error, VEF_UNSUPPORTED,
                        "more than %u task%s at router (%u, %u): endpoints_per_router is %u", most,
                        most == 1 ? "" : "s", at.x, at.y, most);
    *endpoint = endpoints->list[endpoints->first[router] + taken[router]++];
    return VEF_OK;
}

static vef_code place_on_routers(const vef_mapping_stages *stages, const vef_topology *topology,
                                 vef_mapping *mapping, vef_error *error) {
    vef_mapping_attached endpoints = {0};
    uint32_t *taken = calloc(topology->routers, sizeof *taken);
    vef_code code = taken && vef_mapping_gather(topology, &endpoints)
                        ? VEF_OK
                        : vef_fail_memory(error, "a mapping", topology->routers * sizeof *taken);
    for (uint32_t t = 0; code == VEF_OK && t < mapping->tasks; t++) {
        const vef_point logical = {t % mapping->grid.width, t / mapping->grid.width};
        const vef_point at = move_through(stages, mapping->grid, logical);
        code = place_at(topology, at, &endpoints, taken, &mapping->endpoint[t], error);
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
        if (vef_mapping_families[i]->assign && !vef_mapping_families[i]->on_grid)
            snprintf(others + used, sizeof others - used, ", %s", vef_mapping_families[i]->name);
    }
    return vef_fail(
        error, VEF_UNSUPPORTED,
        "topology %s has no two-dimensional grid of routers: expected a mapping without a grid: %s",
        topology->family->name, others);
}

static vef_code place_by_grid(const vef_mapping_stages *stages, const vef_mapping_request *request,
                              const vef_topology *topology, vef_mapping *mapping,
                              vef_error *error) {
    const vef_grid routers = router_grid(topology);
    vef_grid after;
    if (!is_given(routers))
        return fail_without_grid(topology, error);
    vef_code code = size_after(stages, mapping->grid, &after, error);
    if (code != VEF_OK)
        return fail_with_hint(stages, request, topology, mapping->grid, error);
    if (!same(after, routers)) {
        if (same(after, mapping->grid))
            vef_fail(error, VEF_UNSUPPORTED,
                     "the grid of the tasks is %ux%u, that of the routers %ux%u", after.width,
                     after.height, routers.width, routers.height);
        else
            vef_fail(
                error, VEF_UNSUPPORTED,
                "the grid of the tasks, %ux%u, becomes %ux%u, but that of the routers is %ux%u",
                mapping->grid.width, mapping->grid.height, after.width, after.height, routers.width,
                routers.height);
        return fail_with_hint(stages, request, topology, mapping->grid, error);
    }
    code = place_on_routers(stages, topology, mapping, error);
    return code != VEF_UNSUPPORTED
               ? code
               : fail_with_hint(stages, request, topology, mapping->grid, error);
}

static vef_code check_grid(const vef_mapping_request *request, vef_grid grid, vef_error *error) {
    if (area(grid) < request->tasks)
        return vef_fail(
            error, VEF_INVALID,
            "the grid %ux%u has %llu places: expected at least one for each of %u tasks",
            grid.width, grid.height, (unsigned long long)area(grid), request->tasks);
    return VEF_OK;
}

/* Checks that refiners are the leftmost stages, and that a mapping that assigns endpoints is the
 * only one beside them. */
static vef_code check_stages(const vef_mapping_stages *stages, vef_error *error) {
    uint32_t refiners = 0;
    while (refiners < stages->count && stages->stage[refiners].family->refine)
        refiners++;
    for (uint32_t k = refiners; k < stages->count; k++)
        if (stages->stage[k].family->refine)
            return vef_fail(error, VEF_INVALID,
                            "mapping %s: not supported behind %s: it improves the mapping to its "
                            "right: expected %s . %s",
                            stages->stage[k].family->name, stages->stage[refiners].family->name,
                            stages->stage[k].family->name, stages->stage[refiners].family->name);
    for (uint32_t k = refiners; stages->count - refiners > 1 && k < stages->count; k++)
        if (stages->stage[k].family->assign)
            return vef_fail(
                error, VEF_INVALID,
                "mapping %s: not supported in a composition: it assigns endpoints directly",
                stages->stage[k].family->name);
    return VEF_OK;
}

static vef_code place_by_number(vef_mapping *mapping) {
    for (uint32_t t = 0; t < mapping->tasks; t++)
        mapping->endpoint[t] = t;
    return VEF_OK;
}

/* The input of families that assign or refine. */
static vef_code make_view(const vef_mapping_stages *stages, const vef_mapping_request *request,
                          const vef_topology *topology, vef_traffic_matrix *read,
                          vef_mapping_view *view, vef_error *error) {
    *view = (vef_mapping_view){.tasks = request->tasks,
                               .endpoints = topology ? topology->endpoints : request->tasks,
                               .cores = request->cores ? request->cores : 1,
                               .nics = request->nics ? request->nics : 1,
                               .topology = topology,
                               .limit_s = request->limit_s,
                               .progress = request->progress};
    bool needed = false;
    for (uint32_t k = 0; k < stages->count; k++) {
        const vef_mapping_family *family = stages->stage[k].family;
        needed = needed || (family->needs_traffic && (topology || !family->by_distance));
    }
    if (!needed)
        return VEF_OK;
    uint64_t places;
    vef_code code = topology ? vef_mapping_check_places(view, &places, error) : VEF_OK;
    if (code != VEF_OK)
        return code;
    view->traffic = request->traffic ? request->traffic : read;
    if (!request->traffic && !request->find_traffic)
        code =
            vef_fail(error, VEF_UNSUPPORTED, "missing traffic between the tasks: expected a trace");
    else if (!request->traffic)
        code = request->find_traffic(request->context, read, error);
    if (code == VEF_OK && view->traffic->tasks != request->tasks)
        code = vef_fail(error, VEF_INVALID, "the traffic is of %u tasks: expected %u",
                        view->traffic->tasks, request->tasks);
    return code;
}

/* The endpoints that a family assigns directly. */
static vef_code place_by_family(const vef_mapping_stage *stage, const vef_mapping_view *view,
                                vef_mapping *mapping, vef_error *error) {
    const vef_mapping_family *family = stage->family;
    const vef_code code =
        family->shares ? VEF_OK : vef_mapping_check_room(mapping->tasks, view->topology, error);
    if (code != VEF_OK)
        return code;
    if (family->by_distance && !view->topology)
        return place_by_number(mapping);
    return family->assign(stage, view, mapping->endpoint, error);
}

/* By the stages behind the refiners. */
static vef_code place(const vef_mapping_stages *stages, const vef_mapping_request *request,
                      const vef_mapping_view *view, vef_mapping *mapping, vef_error *error) {
    const vef_topology *topology = view->topology;
    const vef_mapping_stage *stage = &stages->stage[0];
    if (stages->count == 0)
        return topology ? vef_mapping_fill(view, NULL, mapping->endpoint, error)
                        : place_by_number(mapping);
    if (stage->family->assign)
        return place_by_family(stage, view, mapping, error);
    vef_code code = vef_mapping_check_room(mapping->tasks, topology, error);
    if (code != VEF_OK)
        return code;
    if (!topology) {
        vef_grid after;
        place_by_number(mapping);
        return size_after(stages, mapping->grid, &after, error);
    }
    const bool identity_alone = stages->count == 1 && stage->family == &vef_mapping_identity;
    if (!identity_alone || is_given(request->grid))
        return place_by_grid(stages, request, topology, mapping, error);
    vef_mapping_view plain = *view; /* whatever cores and interfaces nodes have */
    plain.cores = plain.nics = 1;
    return vef_mapping_fill(&plain, NULL, mapping->endpoint, error);
}

/* Places the tasks, then refines, the rightmost refiner first. */
static vef_code place_and_refine(const vef_mapping_stages *stages,
                                 const vef_mapping_request *request, const vef_topology *topology,
                                 vef_mapping *mapping, vef_error *error) {
    vef_mapping_stages placing = {0};
    vef_mapping_view view;
    vef_traffic_matrix read = {0};
    uint32_t refiners = 0;
    while (refiners < stages->count && stages->stage[refiners].family->refine)
        refiners++;
    for (uint32_t k = refiners; k < stages->count; k++)
        placing.stage[placing.count++] = stages->stage[k];
    vef_code code = make_view(stages, request, topology, &read, &view, error);
    if (code == VEF_OK)
        code = place(&placing, request, &view, mapping, error);
    for (uint32_t k = refiners; code == VEF_OK && topology && k-- > 0;)
        code = stages->stage[k].family->refine(&stages->stage[k], &view, mapping->endpoint, error);
    vef_traffic_matrix_free(&read);
    return code;
}

vef_code vef_mapping_create(const vef_mapping_request *request, const vef_topology *topology,
                            vef_mapping **mapping, vef_error *error) {
    const char *text = request->text ? request->text : "identity";
    *mapping = NULL;
    if (request->tasks == 0)
        return vef_fail(error, VEF_INVALID, "there are no tasks to map");
    vef_grid grid = is_given(request->grid)           ? request->grid
                    : is_given(request->program_grid) ? request->program_grid
                                                      : vef_mapping_squarest(request->tasks);
    vef_arena arena = {0};
    vef_mapping_stages stages;
    vef_mapping *made = calloc(1, sizeof *made);
    vef_code code = vef_mapping_parse(text, &arena, &stages, error);
    if (made)
        *made = (vef_mapping){request->tasks, grid, calloc(request->tasks, sizeof(uint32_t))};
    if (code == VEF_OK && (!made || !made->endpoint))
        code = vef_fail_memory(error, "a mapping", request->tasks * sizeof(uint32_t));
    if (code == VEF_OK)
        code = check_stages(&stages, error);
    if (code == VEF_OK)
        code = check_grid(request, grid, error);
    if (code == VEF_OK) {
        code = place_and_refine(&stages, request, topology, made, error);
        if (code != VEF_OK)
            code = vef_fail_within(error, "mapping %s", text);
    }
    vef_arena_release(&arena);
    if (code == VEF_OK)
        *mapping = made;
    else
        vef_mapping_destroy(made);
    return code;
}

void vef_mapping_destroy(vef_mapping *mapping) {
    if (!mapping)
        return;
    free(mapping->endpoint);
    free(mapping);
}

void vef_mapping_describe(FILE *out, int indent) {
    for (size_t k = 0; vef_mapping_families[k]; k++) {
        const vef_mapping_family *family = vef_mapping_families[k];
        char written[64];
        if (family->argument == VEF_MAPPING_PLAIN)
            snprintf(written, sizeof written, "%s", family->name);
        else if (family->argument == VEF_MAPPING_ANNEALING)
            snprintf(written, sizeof written, "%s[(%s)]", family->name, family->parameter);
        else
            snprintf(written, sizeof written, "%s(%s)", family->name, family->parameter);
        fprintf(out, "%*s%-20s %s\n", indent, "", written, family->summary);
    }
}
