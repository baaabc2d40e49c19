/* Distances by breadth-first search, and the figures made of them. See distances.h. */
#include "netmodel/analysis/graph/distances.h"
#include "common/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FEW_SOURCES = 32 }; /* number of sources up to which plain searches are as fast as a batch */

uint32_t vef_distances_from(const vef_graph *graph, uint32_t source, uint32_t *distance,
                            uint32_t *queue) {
    memset(distance, 0xff, graph->routers * sizeof *distance);
    distance[source] = 0;
    queue[0] = source;
    uint32_t count = 1;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t router = queue[i];
        for (uint32_t arc = graph->first[router]; arc < graph->first[router + 1]; arc++) {
            const uint32_t next = graph->head[arc];
            if (distance[next] != UINT32_MAX)
                continue;
            distance[next] = distance[router] + 1;
            queue[count++] = next;
        }
    }
    return count;
}

static vef_code fail_apart(const vef_graph *graph, uint32_t a, uint32_t b, vef_error *error) {
    char from[VEF_ROUTER_NAME_BYTES], to[VEF_ROUTER_NAME_BYTES];
    vef_topology_router_name(graph->topology, a, from, sizeof from);
    vef_topology_router_name(graph->topology, b, to, sizeof to);
    return vef_fail(error, VEF_INVALID,
                    "the network is not connected: no path leads from router %s to router %s", from,
                    to);
}

/* Links are bidirectional, so one search shows whether all endpoints are connected. */
vef_code vef_check_connected(const vef_graph *graph, vef_error *error) {
    if (graph->sources == 0)
        return vef_fail(
            error, VEF_INVALID,
            "the network has no endpoints: expected at least two, to measure distances");
    vef_arena scratch = {0};
    uint32_t *distance = vef_arena_alloc(&scratch, graph->routers, sizeof *distance);
    uint32_t *queue = vef_arena_alloc(&scratch, graph->routers, sizeof *queue);
    vef_code code = VEF_OK;
    vef_distances_from(graph, graph->source[0], distance, queue);
    for (uint32_t r = 0; r < graph->routers && code == VEF_OK; r++)
        if (distance[r] == UINT32_MAX && graph->endpoints[r] != 0)
            code = fail_apart(graph, graph->source[0], r, error);
    vef_arena_release(&scratch);
    return code;
}

/* Adds the pairs of endpoints by distance, one source after another. */
static void search_one_by_one(const vef_graph *graph, uint32_t *distance, uint32_t *queue,
                              uint64_t *pairs) {
    for (uint32_t s = 0; s < graph->sources; s++) {
        const uint32_t source = graph->source[s];
        const uint32_t reached = vef_distances_from(graph, source, distance, queue);
        const uint64_t weight = (uint64_t)graph->endpoints[source] * graph->stands_for[s];
        for (uint32_t i = 0; i < reached; i++)
            pairs[distance[queue[i]]] += weight * graph->endpoints[queue[i]];
    }
}

/* The figures from the number of pairs of endpoints at each distance. */
static void settle(const vef_graph *graph, const uint64_t *pairs, vef_distances *distances) {
    uint32_t diameter = 0, routers = 0;
    unsigned __int128 total = 0, sum = 0;
    for (uint32_t d = 0; d < graph->routers; d++) {
        if (pairs[d] == 0)
            continue;
        diameter = d;
        total += pairs[d];
        sum += (unsigned __int128)pairs[d] * d;
    }
    /* pairs[0] are exactly those of endpoints of the same router */
    const long double others = (long double)(total - pairs[0]);
    const long double mean = (long double)sum / (long double)total;
    long double squares = 0;
    for (uint32_t s = 0; s < graph->sources; s++)
        routers += graph->stands_for[s];
    double *distribution = vef_malloc((diameter + 1u) * sizeof *distribution);
    for (uint32_t d = 0; d <= diameter; d++) {
        squares += (long double)pairs[d] * ((long double)d - mean) * ((long double)d - mean);
        distribution[d] =
            (double)((long double)pairs[d] * (long double)routers / (long double)total);
    }
    *distances = (vef_distances){
        .diameter = diameter,
        .average = (double)mean,
        .average_without = others > 0 ? (double)((long double)sum / others) : NAN,
        .deviation = (double)sqrtl(squares / (long double)total),
        .distribution = distribution,
    };
}

vef_code vef_distances_measure(const vef_graph *graph, vef_distances *distances, vef_error *error) {
    *distances = (vef_distances){0};
    vef_code code = vef_check_connected(graph, error);
    if (code != VEF_OK)
        return code;
    vef_arena scratch = {0};
    uint32_t *distance = vef_arena_alloc(&scratch, graph->routers, sizeof *distance);
    uint32_t *queue = vef_arena_alloc(&scratch, graph->routers, sizeof *queue);
    uint64_t *pairs = vef_arena_alloc(&scratch, graph->routers, sizeof *pairs);
    if (graph->sources <= FEW_SOURCES)
        search_one_by_one(graph, distance, queue, pairs);
    else
        vef_distances_batched(graph, pairs);
    settle(graph, pairs, distances);
    vef_arena_release(&scratch);
    return VEF_OK;
}

void vef_distances_release(vef_distances *distances) {
    free(distances->distribution);
    *distances = (vef_distances){0};
}

/* ---- minimal paths ---- */

/* The number of paths to a router is the sum over its predecessors, in the order of a breadth-first
 * search. */
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
