/* Cuts across axes, and the throughput of a cut under uniform traffic. See bisection.h. */
#include "netmodel/analysis/bisection.h"

#include <stdlib.h>

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

vef_code vef_cut_across_axes(const vef_graph *graph, const double *load, vef_cut *cut,
                             vef_error *error) {
    const vef_topology *topology = graph->topology;
    if (topology->axes == 0)
        return vef_fail(
            error, VEF_UNSUPPORTED,
            "topology %s has no axes to cut across: expected the cut of a graph partitioner",
            topology->family->name);
    uint8_t *far_side = malloc(graph->routers);
    if (!far_side)
        return vef_fail_memory(error, "the sides of a cut", graph->routers);
    for (uint32_t axis = 0; axis < topology->axes; axis++) {
        for (uint32_t r = 0; r < graph->routers; r++)
            far_side[r] = vef_topology_far_side(topology, axis, r);
        vef_cut across;
        vef_cut_measure(graph, far_side, load, &across);
        across.axis = axis;
        if (axis == 0 || across.links < cut->links)
            *cut = across;
    }
    free(far_side);
    return VEF_OK;
}
