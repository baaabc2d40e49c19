/* Counting minimal paths between two routers: the number of paths to a router is the sum over its
 * predecessors, in the order of a breadth-first search. */
#include "netmodel/analysis/graph/distances.h"

static void count_paths(const vef_graph *graph, const uint32_t *distance, const uint32_t *queue,
                        uint32_t reached, uint32_t from, uint32_t to, double *paths) {
    paths[from] = 1;
    for (uint32_t i = 0; i < reached; i++) {
        const uint32_t router = queue[i];
        if (distance[router] >= distance[to])
            return; /* all nearer routers have been counted */
        for (uint32_t arc = graph->first[router]; arc < graph->first[router + 1]; arc++)
            if (distance[graph->head[arc]] == distance[router] + 1)
                paths[graph->head[arc]] += paths[router];
    }
}

vef_code vef_minimal_paths(const vef_graph *graph, uint32_t from, uint32_t to, uint32_t *distance,
                           double *paths, vef_error *error) {
    if (from >= graph->routers || to >= graph->routers)
        return vef_fail(error, VEF_INVALID, "router %u of %u is out of range: expected 0 to %u",
                        from >= graph->routers ? from : to, graph->routers, graph->routers - 1);
    vef_arena scratch = {0};
    uint32_t *hops = vef_arena_alloc(&scratch, graph->routers, sizeof *hops);
    uint32_t *queue = vef_arena_alloc(&scratch, graph->routers, sizeof *queue);
    double *count = vef_arena_alloc(&scratch, graph->routers, sizeof *count);
    vef_code code = VEF_OK;
    const uint32_t reached = vef_distances_from(graph, from, hops, queue);
    if (hops[to] == UINT32_MAX) {
        code = vef_fail(error, VEF_INVALID, "no path leads from router %u to router %u",
                        vef_topology_router_number(graph->topology, from),
                        vef_topology_router_number(graph->topology, to));
    } else {
        count_paths(graph, hops, queue, reached, from, to, count);
        *distance = hops[to];
        *paths = count[to];
    }

    vef_arena_release(&scratch);
    return code;
}
