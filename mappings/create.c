/* From a composition of stages to an endpoint for every task. See mapping.h. */
#include "common/memory.h"
#include "mappings/families.h"
#include "mappings/grid.h"
#include "mappings/on_grid.h"
#include "mappings/places/launch.h"

#include <stdlib.h>
#include <string.h>

/* The logical grid, and whether it was asked for; takes a stage that names it off the right end. */
static vef_code choose_grid(const vef_mapping_request *request, vef_mapping_stages *stages,
                            vef_grid *grid, bool *fixed, vef_error *error) {
    char text[VEF_GRID_TEXT_BYTES];
    const uint32_t count = stages->count;
    *fixed = true;
    if (count && stages->stage[count - 1].family == &vef_mapping_grid)
        *grid = stages->stage[--stages->count].grid;
    else if (vef_grid_is_given(&request->grid))
        *grid = request->grid;
    else if (vef_grid_is_given(&request->program_grid))
        *grid = request->program_grid;
    else
        *fixed = false;
    *grid = *fixed ? vef_grid_complete(*grid) : vef_mapping_squarest(request->tasks);
    const uint64_t places = vef_grid_places(grid);
    if (places < request->tasks)
        return vef_fail(error, VEF_INVALID,
                        "the grid %.100s has %llu places: expected at least one for each of %u "
                        "tasks",
                        vef_grid_write(grid, text), (unsigned long long)places, request->tasks);
    return VEF_OK;
}

/* Checks that refiners are the leftmost stages, a grid the rightmost, and that a mapping that
 * assigns endpoints is the only one beside refiners. */
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
    for (uint32_t k = 0; k + 1 < stages->count; k++)
        if (stages->stage[k].family == &vef_mapping_grid)
            return vef_fail(
                error, VEF_INVALID,
                "mapping grid: expected as the rightmost stage, which is applied first: "
                "f . g . grid(16x8)");
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
                          vef_mapping *mapping, vef_mapping_view *view, vef_error *error) {
    *view = (vef_mapping_view){.tasks = request->tasks,
                               .endpoints = topology ? topology->endpoints : request->tasks,
                               .cores = request->cores ? request->cores : 1,
                               .nics = request->nics ? request->nics : 1,
                               .topology = topology,
                               .limit_s = request->limit_s,
                               .now_s = request->now_s,
                               .clock = request->clock,
                               .limited = &mapping->limited,
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

/* The view of a stage: its traffic weighed as the stage says. `counted` keeps it from one stage to
 * the next. */
static void weigh(const vef_mapping_stage *stage, const vef_mapping_view *view,
                  vef_traffic_matrix *counted, vef_mapping_view *weighed) {
    *weighed = *view;
    if (!stage->messages || !view->traffic)
        return;
    weighed->traffic = counted;
    if (!counted->first)
        vef_traffic_matrix_count(view->traffic, counted);
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
    memset(mapping->endpoint, 0xff, mapping->tasks * sizeof *mapping->endpoint); /* nowhere */
    return family->assign(stage, view, mapping->endpoint, error);
}

/* By the stages behind the refiners. */
static vef_code place(vef_mapping_stages *stages, const vef_mapping_request *request,
                      const vef_mapping_view *view, vef_mapping *mapping, vef_error *error) {
    const vef_topology *topology = view->topology;
    const vef_mapping_stage *first = &stages->stage[0];
    const bool empty = stages->count == 0;
    const bool identity = stages->count == 1 && first->family == &vef_mapping_identity;
    bool fixed;
    vef_code code = choose_grid(request, stages, &mapping->grid, &fixed, error);
    if (code != VEF_OK)
        return code;
    if (empty)
        return topology ? vef_mapping_fill(view, NULL, mapping->endpoint, error)
                        : place_by_number(mapping);
    if (stages->count && first->family->assign)
        return place_by_family(first, view, mapping, error);
    code = vef_mapping_check_room(mapping->tasks, topology, error);
    if (code != VEF_OK)
        return code;
    if (!topology) {
        vef_grid after;
        place_by_number(mapping);
        return vef_mapping_size_after(stages, &mapping->grid, &after, error);
    }
    if (!identity || vef_grid_is_given(&request->grid))
        return vef_mapping_place_on_grid(stages, fixed, topology, mapping, error);
    vef_mapping_view plain = *view; /* whatever cores and interfaces nodes have */
    plain.cores = plain.nics = 1;
    return vef_mapping_fill(&plain, NULL, mapping->endpoint, error);
}

/* Tasks at endpoints that exist, no two at one unless the families share. */
static vef_code check_endpoints(const vef_mapping_stages *stages, uint32_t endpoints,
                                const vef_mapping *mapping, vef_error *error) {
    bool shares = false;
    for (uint32_t k = 0; k < stages->count; k++)
        shares = shares || stages->stage[k].family->shares;
    uint32_t *task_of = vef_malloc(endpoints * sizeof *task_of);
    for (uint32_t e = 0; e < endpoints; e++)
        task_of[e] = UINT32_MAX;
    vef_code code = VEF_OK;
    for (uint32_t task = 0; code == VEF_OK && task < mapping->tasks; task++) {
        const uint32_t place = mapping->endpoint[task];
        if (place >= endpoints)
            code = vef_fail(error, VEF_INVALID, "task %u is at endpoint %u: expected one below %u",
                            task, place, endpoints);
        else if (task_of[place] != UINT32_MAX && !shares)
            code = vef_fail(error, VEF_INVALID, "tasks %u and %u are both at endpoint %u",
                            task_of[place], task, place);
        else
            task_of[place] = task;
    }
    free(task_of);
    return code;
}

/* Places the tasks, then refines, the rightmost refiner first. */
static vef_code place_and_refine(const vef_mapping_stages *stages,
                                 const vef_mapping_request *request, const vef_topology *topology,
                                 vef_mapping *mapping, vef_error *error) {
    vef_mapping_stages placing = {0};
    vef_mapping_view view, weighed;
    vef_traffic_matrix read = {0}, counted = {0};
    uint32_t refiners = 0;
    while (refiners < stages->count && stages->stage[refiners].family->refine)
        refiners++;
    for (uint32_t k = refiners; k < stages->count; k++)
        placing.stage[placing.count++] = stages->stage[k];
    vef_code code = make_view(stages, request, topology, &read, mapping, &view, error);
    if (code == VEF_OK) {
        weigh(&placing.stage[0], &view, &counted, &weighed);
        code = place(&placing, request, &weighed, mapping, error);
    }
    for (uint32_t k = refiners; code == VEF_OK && topology && k-- > 0;) {
        const vef_mapping_stage *stage = &stages->stage[k];
        weigh(stage, &view, &counted, &weighed);
        code = stage->family->refine(stage, &weighed, mapping->endpoint, error);
    }
    if (code == VEF_OK && topology && stages->libraries > 0)
        code = check_endpoints(stages, view.endpoints, mapping, error);
    vef_traffic_matrix_free(&read);
    vef_traffic_matrix_free(&counted);
    return code;
}

vef_code vef_mapping_check(const char *text, const vef_node *plugins, vef_error *error) {
    vef_arena arena = {0};
    vef_mapping_stages stages;
    vef_code code = vef_mapping_parse(text, plugins, &arena, &stages, error);
    if (code == VEF_OK)
        code = check_stages(&stages, error);
    vef_mapping_close_stages(&stages);
    vef_arena_release(&arena);
    return code;
}

vef_code vef_mapping_create(const vef_mapping_request *request, const vef_topology *topology,
                            vef_mapping **mapping, vef_error *error) {
    const char *text = request->text ? request->text : "identity";
    *mapping = NULL;
    if (request->tasks == 0)
        return vef_fail(error, VEF_INVALID, "there are no tasks to map");
    vef_arena arena = {0};
    vef_mapping_stages stages;
    vef_mapping *made = vef_malloc(sizeof *made);
    *made = (vef_mapping){.tasks = request->tasks,
                          .endpoint = vef_calloc(request->tasks, sizeof *made->endpoint)};
    vef_code code = vef_mapping_parse(text, request->plugins, &arena, &stages, error);
    if (code == VEF_OK)
        code = check_stages(&stages, error);
    if (code == VEF_OK) {
        code = place_and_refine(&stages, request, topology, made, error);
        if (code != VEF_OK)
            code = vef_fail_within(error, "mapping %s", text);
    }
    vef_mapping_close_stages(&stages);
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
