/* How many kinds of links the symmetries leave that a family claims of its network. */
#ifndef VEF_NETMODEL_ANALYSIS_LOADS_LINK_KINDS_H
#define VEF_NETMODEL_ANALYSIS_LOADS_LINK_KINDS_H

#include "netmodel/analysis/graph/graph.h"

/* Links of one kind are taken into each other by symmetries (vef_topology.orbits): 1 is an
 * edge-symmetric network; 0: the family claims nothing (or orbits
 * x ports are beyond 32 bits). Symmetries that it does not claim may leave
 * fewer. Fails with VEF_NO_MEMORY only. */
vef_code vef_count_link_kinds(const vef_graph *graph, uint32_t *kinds, vef_error *error);

#endif
