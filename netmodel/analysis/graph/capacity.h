/* The bandwidth of links relative to the network's. */
#ifndef VEF_NETMODEL_ANALYSIS_GRAPH_CAPACITY_H
#define VEF_NETMODEL_ANALYSIS_GRAPH_CAPACITY_H

#include "netmodel/analysis/graph/graph.h"

/* Cycles per phit of an arc out of a router: `nominal_bits_per_s` (of links without their own
 * bandwidth) / its own bandwidth. 1 for links without, and for all links if `nominal_bits_per_s` is
 * 0. */
double vef_arc_slowness(const vef_graph *graph, uint32_t router, uint32_t arc,
                        uint64_t nominal_bits_per_s);

/* The inverse per arc, in phits per cycle; from malloc, owned by the caller. */
double *vef_arc_capacities(const vef_graph *graph, uint64_t nominal_bits_per_s);

#endif
