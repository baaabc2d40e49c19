/* Placing tasks on the cores of nodes: see launch.h. */
#include "mappings/launch.h"

#include <stdlib.h>

/* The endpoint of a core. */
static uint32_t endpoint_of(const vef_mapping_view *view, uint32_t node, uint32_t core) {
    return node * view->nics + (uint32_t)((uint64_t)core * view->nics / view->cores);
}

vef_code vef_mapping_deal(const vef_mapping_view *view, uint32_t block, uint32_t *endpoint,
                          vef_error *error) {
    const uint32_t nodes = (view->tasks - 1) / view->cores + 1;
    if (view->topology && nodes > view->endpoints / view->nics)
        return vef_fail(error, VEF_UNSUPPORTED,
                        "%u tasks do not fit on %u nodes of host.cores=%u: expected host.cores=%u "
                        "or a larger network",
                        view->tasks, view->endpoints / view->nics, view->cores,
                        (view->tasks - 1) / (view->endpoints / view->nics) + 1);
    uint32_t *taken = calloc(nodes, sizeof *taken);
    if (!taken)
        return vef_fail_memory(error, "a mapping", nodes * sizeof *taken);
    for (uint32_t task = 0, node = 0; task < view->tasks; node = (node + 1) % nodes)
        for (uint32_t i = 0; i < block && task < view->tasks && taken[node] < view->cores; i++)
            endpoint[task++] = endpoint_of(view, node, taken[node]++);
    free(taken);
    return VEF_OK;
}
