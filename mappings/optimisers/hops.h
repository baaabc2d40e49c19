/* Hops between routers, for mappings that go by distance. */
#ifndef VEF_MAPPINGS_OPTIMISERS_HOPS_H
#define VEF_MAPPINGS_OPTIMISERS_HOPS_H

#include "netmodel/topology/topology.h"

/* Hops from a router to every router by breadth-first search ([routers]; UINT32_MAX: not reached).
 * `queue` is room for [routers] numbers. */
void vef_mapping_hops_from(const vef_topology *topology, uint32_t router, uint32_t *hops,
                           uint32_t *queue);

#endif
