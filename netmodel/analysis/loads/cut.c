/* Cuts that limit traffic. See cut.h. */
#include "netmodel/analysis/loads/cut.h"
#include "common/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* More routers than this are sampled evenly as starting points. */
enum { MOST_STARTS = 1024 };

/* Marks the routers that one reaches over arcs without weight; returns how many. */
static uint32_t reach(const vef_graph *graph, uint32_t from, const double *weight, double least,
                      uint8_t *reached, uint32_t *queue) {
    uint32_t count = 1;
    memset(reached, 0, graph->routers);
    reached[from] = 1;
    queue[0] = from;
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t arc = graph->first[queue[i]]; arc < graph->first[queue[i] + 1]; arc++) {
            const uint32_t to = graph->head[arc];
            if (weight[arc] >= least || reached[to])
                continue;
            reached[to] = 1;
            queue[count++] = to;
        }
    return count;
}

static vef_traffic_cut measure(const vef_graph *graph, const double *capacity,
                               const vef_demand *demands, size_t count, const uint8_t *near,
                               uint32_t routers) {
    vef_traffic_cut cut = {.routers = routers};
    for (uint32_t router = 0; router < graph->routers; router++)
        for (uint32_t arc = graph->first[router]; arc < graph->first[router + 1]; arc++)
            if (near[router] && !near[graph->head[arc]]) {
                cut.links++;
                cut.capacity += capacity[arc];
            }
    for (size_t d = 0; d < count; d++)
        if (near[demands[d].from] && !near[demands[d].to])
            cut.phits += demands[d].phits;
    cut.factor = cut.phits > 0 ? cut.capacity / cut.phits : INFINITY;
    return cut;
}

vef_traffic_cut vef_traffic_cut_find(const vef_graph *graph, const double *capacity,
                                     const vef_demand *demands, size_t count, const double *weight,
                                     double least) {
    uint8_t *reached = vef_calloc(graph->routers, 1);
    uint32_t *queue = vef_calloc(graph->routers, sizeof *queue);
    vef_traffic_cut cut = {.factor = INFINITY};
    const uint32_t step = graph->routers / MOST_STARTS + 1;
    for (uint32_t from = 0; from < graph->routers; from += step) {
        const uint32_t routers = reach(graph, from, weight, least, reached, queue);
        if (routers == graph->routers)
            continue;
        const vef_traffic_cut found = measure(graph, capacity, demands, count, reached, routers);
        if (found.factor < cut.factor)
            cut = found;
    }
    free(reached);
    free(queue);
    return cut;
}
