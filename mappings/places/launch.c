/* Placing tasks on the cores of nodes: see launch.h. */
#include "mappings/places/launch.h"
#include "common/memory.h"

#include <stdlib.h>

vef_code vef_mapping_check_room(uint32_t tasks, const vef_topology *topology, vef_error *error) {
    if (!topology || tasks <= topology->endpoints)
        return VEF_OK;
    return vef_fail(error, VEF_UNSUPPORTED,
                    "%u tasks do not fit on %u endpoints (%u routers, endpoints_per_router: %u): "
                    "expected endpoints_per_router: %u, or the mapping block with host.cores: %u",
                    tasks, topology->endpoints, topology->routers, topology->endpoints_per_router,
                    (tasks - 1) / topology->routers + 1, (tasks - 1) / topology->endpoints + 1);
}

vef_code vef_mapping_check_places(const vef_mapping_view *view, uint64_t *places,
                                  vef_error *error) {
    const uint32_t nodes = view->endpoints / view->nics;
    const bool plain = view->cores == 1 && view->nics == 1;
    *places = plain ? view->endpoints : (uint64_t)nodes * view->cores;
    if (plain || view->tasks <= *places)
        return vef_mapping_check_room(plain ? view->tasks : 0, view->topology, error);
    return vef_fail(error, VEF_UNSUPPORTED,
                    "%u tasks do not fit on %llu places (%u nodes of host.cores=%u): expected "
                    "host.cores=%u or a larger network",
                    view->tasks, (unsigned long long)*places, nodes, view->cores,
                    nodes ? (view->tasks - 1) / nodes + 1 : 0);
}

uint32_t vef_mapping_core(const vef_mapping_view *view, uint32_t node, uint32_t core) {
    return node * view->nics + (uint32_t)((uint64_t)core * view->nics / view->cores);
}

vef_code vef_mapping_deal(const vef_mapping_view *view, uint32_t block, const uint32_t *nodes,
                          uint32_t *endpoint, vef_error *error) {
    const uint32_t count = (view->tasks - 1) / view->cores + 1;
    if (view->topology && count > view->endpoints / view->nics)
        return vef_fail(error, VEF_UNSUPPORTED,
                        "%u tasks do not fit on %u nodes of host.cores=%u: expected host.cores=%u "
                        "or a larger network",
                        view->tasks, view->endpoints / view->nics, view->cores,
                        (view->tasks - 1) / (view->endpoints / view->nics) + 1);
    uint32_t *taken = vef_calloc(count, sizeof *taken);
    for (uint32_t task = 0, node = 0; task < view->tasks; node = (node + 1) % count)
        for (uint32_t i = 0; i < block && task < view->tasks && taken[node] < view->cores; i++)
            endpoint[task++] = vef_mapping_core(view, nodes ? nodes[node] : node, taken[node]++);
    free(taken);
    return VEF_OK;
}

vef_mapping_attached vef_mapping_gather(const vef_topology *topology) {
    const vef_mapping_attached made = {
        .first = vef_calloc(topology->routers + (size_t)1, sizeof *made.first),
        .list = vef_calloc(topology->endpoints + (size_t)1, sizeof *made.list),
    };
    for (uint32_t e = 0; e < topology->endpoints; e++)
        made.first[vef_topology_router_of(topology, e) + 1]++;
    for (uint32_t r = 0; r < topology->routers; r++)
        made.first[r + 1] += made.first[r];
    for (uint32_t e = 0; e < topology->endpoints; e++) /* moves each beginning to its end, */
        made.list[made.first[vef_topology_router_of(topology, e)]++] = e;
    for (uint32_t r = topology->routers; r > 0; r--) /* which is the next beginning */
        made.first[r] = made.first[r - 1];
    made.first[0] = 0;
    return made;
}

void vef_mapping_attached_release(vef_mapping_attached *endpoints) {
    free(endpoints->first);
    free(endpoints->list);
}

/* How many tasks fit with at most `each` on a router. */
static uint64_t room_with(const vef_mapping_attached *endpoints, uint32_t routers, uint32_t each) {
    uint64_t room = 0;
    for (uint32_t r = 0; r < routers; r++) {
        const uint32_t count = endpoints->first[r + 1] - endpoints->first[r];
        room += count < each ? count : each;
    }
    return room;
}

static void fill_evenly(const vef_mapping_view *view, const vef_mapping_attached *endpoints,
                        const uint32_t *routers, uint32_t *endpoint) {
    uint32_t each = 1;
    while (room_with(endpoints, view->topology->routers, each) < view->tasks)
        each++;
    for (uint32_t i = 0, task = 0; i < view->topology->routers; i++) {
        const uint32_t r = routers ? routers[i] : i;
        const uint32_t *first = endpoints->list + endpoints->first[r];
        const uint32_t count = endpoints->first[r + 1] - endpoints->first[r];
        for (uint32_t k = 0; k < count && k < each && task < view->tasks; k++)
            endpoint[task++] = first[k];
    }
}

static vef_code fill_nodes(const vef_mapping_view *view, const vef_mapping_attached *endpoints,
                           const uint32_t *routers, uint32_t *endpoint, vef_error *error) {
    uint32_t *nodes = vef_calloc(view->endpoints + (size_t)1, sizeof *nodes), count = 0;
    for (uint32_t i = 0; i < view->topology->routers; i++) {
        const uint32_t r = routers ? routers[i] : i;
        for (uint32_t k = endpoints->first[r]; k < endpoints->first[r + 1]; k++)
            if (endpoints->list[k] % view->nics == 0)
                nodes[count++] = endpoints->list[k] / view->nics;
    }
    const vef_code code = vef_mapping_deal(view, view->cores, nodes, endpoint, error);
    free(nodes);
    return code;
}

vef_code vef_mapping_fill(const vef_mapping_view *view, const uint32_t *routers, uint32_t *endpoint,
                          vef_error *error) {
    const bool plain = view->cores == 1 && view->nics == 1;
    vef_code code = plain ? vef_mapping_check_room(view->tasks, view->topology, error) : VEF_OK;
    if (code != VEF_OK)
        return code;
    vef_mapping_attached endpoints = vef_mapping_gather(view->topology);
    if (plain)
        fill_evenly(view, &endpoints, routers, endpoint);
    else
        code = fill_nodes(view, &endpoints, routers, endpoint, error);
    vef_mapping_attached_release(&endpoints);
    return code;
}
