/* The endpoints of a job's tasks. See settle.h. */
#include "replay/jobs/settle.h"

#include "common/memory.h"
#include "mappings/places/launch.h"
#include "replay/program.h"

#include <stdlib.h>
#include <string.h>

static vef_code map(const vef_settler *settler, const vef_topology *topology, uint32_t *endpoint,
                    vef_error *error) {
    vef_traced_program program = {settler->trace, settler->options};
    vef_mapping_request request = vef_program_request(&program, topology);
    vef_mapping *mapping = NULL;
    request.text = settler->spec->map;
    request.plugins = settler->plugins;
    vef_code code = settler->spec->grid
                        ? vef_mapping_parse_grid(settler->spec->grid, &request.grid, error)
                        : VEF_OK;
    if (code == VEF_OK)
        code = vef_mapping_create(&request, topology, &mapping, error);
    if (code == VEF_OK)
        memcpy(endpoint, mapping->endpoint, settler->tasks * sizeof *endpoint);
    vef_mapping_destroy(mapping);
    return code;
}

vef_code vef_settle_anywhere(const vef_settler *settler, const vef_topology *topology,
                             uint32_t *endpoint, vef_error *error) {
    return map(settler, topology, endpoint, error);
}

static bool is_whole(const vef_job_nodes *nodes, const uint32_t *chosen, uint32_t count) {
    if (count != nodes->count)
        return false;
    for (uint32_t i = 0; i < count; i++)
        if (chosen[i] != i)
            return false;
    return true;
}

static uint32_t endpoint_of(const vef_job_nodes *nodes, const uint32_t *chosen, uint32_t number) {
    return chosen[number / nodes->nics] * nodes->nics + number % nodes->nics;
}

/* The network with the endpoints of these nodes only. Claims of the family about symmetries, and
 * the grid, do not hold for it. */
static void restrict_to(const vef_job_nodes *nodes, const uint32_t *chosen, uint32_t count,
                        vef_topology *to) {
    const uint32_t endpoints = count * nodes->nics;
    uint32_t *router = vef_malloc((endpoints + (size_t)1) * sizeof *router);
    uint32_t *attached = vef_calloc(nodes->topology->routers, sizeof *attached);
    *to = *nodes->topology;
    to->endpoints_per_router = 1;
    for (uint32_t i = 0; i < endpoints; i++) {
        router[i] = vef_topology_router_of(nodes->topology, endpoint_of(nodes, chosen, i));
        if (++attached[router[i]] > to->endpoints_per_router)
            to->endpoints_per_router = attached[router[i]];
    }
    free(attached);
    to->endpoints = endpoints;
    to->endpoint_router = router;
    to->dimensions = 0;
    to->orbits = to->translation_classes = to->reflections = 0;
}

static vef_code map_on(const vef_settler *settler, const vef_job_nodes *nodes,
                       const uint32_t *chosen, uint32_t count, uint32_t *endpoint,
                       vef_error *error) {
    if (nodes->topology && is_whole(nodes, chosen, count))
        return map(settler, nodes->topology, endpoint, error);
    vef_topology part = {0};
    if (nodes->topology)
        restrict_to(nodes, chosen, count, &part);
    vef_code code = map(settler, nodes->topology ? &part : NULL, endpoint, error);
    free((void *)(uintptr_t)part.endpoint_router);
    for (uint32_t task = 0; code == VEF_OK && task < settler->tasks; task++) {
        if (endpoint[task] >= count * nodes->nics)
            return vef_fail(error, VEF_INVALID,
                            "mapping %s: task %u at endpoint %u of its nodes: out of range: "
                            "expected below %u",
                            settler->spec->map, task, endpoint[task], count * nodes->nics);
        endpoint[task] = endpoint_of(nodes, chosen, endpoint[task]);
    }
    return code;
}

vef_code vef_settle_on(const vef_settler *settler, const vef_job_nodes *nodes,
                       const uint32_t *chosen, uint32_t count, uint32_t *endpoint,
                       vef_error *error) {
    if (settler->spec->map)
        return map_on(settler, nodes, chosen, count, endpoint, error);
    const vef_mapping_view view = {.tasks = settler->tasks,
                                   .endpoints = nodes->count * nodes->nics,
                                   .cores = nodes->cores,
                                   .nics = nodes->nics,
                                   .topology = nodes->topology};
    return vef_mapping_deal(&view, nodes->cores, chosen, endpoint, error);
}
