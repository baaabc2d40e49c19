/* The number of link kinds under the symmetries that a family claims. */
#ifndef VEF_NETMODEL_ANALYSIS_LOADS_LINK_KINDS_H
#define VEF_NETMODEL_ANALYSIS_LOADS_LINK_KINDS_H

#include "netmodel/analysis/graph/graph.h"

/* Symmetries (vef_topology.orbits) map links of one kind onto each other: 1 is an edge-symmetric
 * network; 0: the family claims nothing (or orbits x ports exceed 32 bits). Unclaimed symmetries
 * may reduce the number. */
uint32_t vef_count_link_kinds(const vef_graph *graph);

#endif
