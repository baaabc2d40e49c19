/* Cuts across axes, and the throughput of a cut under uniform traffic. See bisection.h. */
#include "netmodel/analysis/bisection.h"
#include "common/memory.h"

#include <stdlib.h>
#include <string.h>

void vef_cut_measure(const vef_graph *graph, const uint8_t *far_side, const double *load,
                     vef_cut *cut) {
    *cut = (vef_cut){0};
    double crossings = 0; /* phits per cycle, over the cut in both directions */
    uint64_t arcs = 0;
    for (uint32_t r = 0; r < graph->routers; r++) {
        *(far_side[r] ? &cut->far : &cut->near) += graph->endpoints[r];
        for (uint32_t arc = graph->first[r]; arc < graph->first[r + 1]; arc++)
            if (!far_side[r] != !far_side[graph->head[arc]]) {
                arcs++;
                crossings += load ? load[arc] : 0;
            }
    }
    cut->links = arcs / 2;
    /* Every endpoint sends 1 phit per cycle, uniformly to all endpoints. */
    const double needed = 2 * (double)cut->near * (double)cut->far / (double)(cut->near + cut->far);
    if (crossings > 0)
        cut->effective_links = (double)cut->links * needed / crossings;
}

/* The most endpoints on a router, by which halves may differ. */
static uint64_t tolerance_of(const vef_graph *graph) {
    uint64_t most = 0;
    for (uint32_t r = 0; r < graph->routers; r++)
        most = graph->endpoints[r] > most ? graph->endpoints[r] : most;
    return most;
}

bool vef_cut_is_balanced(const vef_graph *graph, const vef_cut *cut) {
    const uint64_t more = cut->near > cut->far ? cut->near : cut->far;
    return 2 * more - cut->near - cut->far <= tolerance_of(graph);
}

/* Sides of the routers before the current one. */
typedef struct halving {
    const vef_graph *graph;
    uint64_t most, weight[2]; /* endpoints of a side */
    uint64_t fewest;
    uint8_t side[VEF_EXACT_ROUTERS], best[VEF_EXACT_ROUTERS];
} halving;

/* Branch and bound: `links` are those between routers before `r` on different sides. */
static void divide(halving *it, uint32_t r, uint64_t links) {
    const vef_graph *graph = it->graph;
    if (links >= it->fewest || it->weight[0] > it->most || it->weight[1] > it->most)
        return;
    if (r == graph->routers) {
        it->fewest = links;
        memcpy(it->best, it->side, sizeof it->best);
        return;
    }
    for (uint8_t side = 0; side < (r == 0 ? 1 : 2); side++) {
        uint64_t more = links;
        for (uint32_t arc = graph->first[r]; arc < graph->first[r + 1]; arc++)
            more += graph->head[arc] < r && it->side[graph->head[arc]] != side;
        it->side[r] = side;
        it->weight[side] += graph->endpoints[r];
        divide(it, r + 1, more);
        it->weight[side] -= graph->endpoints[r];
    }
}

bool vef_cut_exactly(const vef_graph *graph, const double *load, vef_cut *cut) {
    if (graph->routers > VEF_EXACT_ROUTERS)
        return false;
    halving it = {.graph = graph, .fewest = UINT64_MAX};
    it.most = (graph->topology->endpoints + tolerance_of(graph)) / 2;
    divide(&it, 0, 0);
    vef_cut_measure(graph, it.best, load, cut);
    return cut->near > 0 && cut->far > 0;
}

vef_code vef_cut_across_axes(const vef_graph *graph, const double *load, bool balanced,
                             vef_cut *cut, vef_error *error) {
    const vef_topology *topology = graph->topology;
    if (topology->axes == 0)
        return vef_fail(
            error, VEF_UNSUPPORTED,
            "topology %s has no axes to cut across: expected the cut of a graph partitioner",
            topology->family->name);
    uint8_t *far_side = vef_malloc(graph->routers);
    bool found = false;
    for (uint32_t axis = 0; axis < topology->axes; axis++) {
        for (uint32_t r = 0; r < graph->routers; r++)
            far_side[r] = vef_topology_far_side(topology, axis, r);
        vef_cut across;
        vef_cut_measure(graph, far_side, load, &across);
        across.axis = axis;
        if ((!balanced || vef_cut_is_balanced(graph, &across)) &&
            (!found || across.links < cut->links)) {
            *cut = across;
            found = true;
        }
    }
    free(far_side);
    return found ? VEF_OK
                 : vef_fail(error, VEF_UNSUPPORTED, "no axis has a middle: expected an even size");
}
