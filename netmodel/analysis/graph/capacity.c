/* The bandwidth of links relative to the network's. See capacity.h. */
#include "netmodel/analysis/graph/capacity.h"
#include "common/memory.h"

#include <stdlib.h>

double vef_arc_slowness(const vef_graph *graph, uint32_t router, uint32_t arc,
                        uint64_t nominal_bits_per_s) {
    const uint64_t *bandwidths = graph->topology->bandwidth_bits_per_s;
    if (!bandwidths || nominal_bits_per_s == 0)
        return 1;
    const uint64_t bandwidth =
        bandwidths[(size_t)router * graph->topology->ports + graph->port[arc]];
    return bandwidth ? (double)nominal_bits_per_s / (double)bandwidth : 1;
}

double *vef_arc_capacities(const vef_graph *graph, uint64_t nominal_bits_per_s) {
    double *capacity = vef_calloc(graph->arcs + (size_t)1, sizeof *capacity);
    for (uint32_t router = 0; router < graph->routers; router++)
        for (uint32_t arc = graph->first[router]; arc < graph->first[router + 1]; arc++)
            capacity[arc] = 1 / vef_arc_slowness(graph, router, arc, nominal_bits_per_s);
    return capacity;
}
