/* Improving a cut of a network into two halves after a graph partitioner: smaller, and exactly
 * balanced. */
#ifndef VEF_NETMODEL_ANALYSIS_REFINE_H
#define VEF_NETMODEL_ANALYSIS_REFINE_H

#include "netmodel/analysis/graph/graph.h"

/* Moves routers between the sides (`far_side`: 0 or 1 for each router) until the endpoints of both
 * differ by at most the maximum on a router, and then as long as that saves links. */
void vef_refine_halves(const vef_graph *graph, uint8_t *far_side);

#endif
