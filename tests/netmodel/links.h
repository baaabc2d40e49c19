/* The links of routers, for tests. */
#ifndef VEF_TESTS_NETMODEL_LINKS_H
#define VEF_TESTS_NETMODEL_LINKS_H

#include "netmodel/topology/topology.h"

static inline uint32_t neighbour_of(const vef_topology *topology, uint32_t router, uint32_t port) {
    return topology->neighbour[(size_t)router * topology->ports + port];
}

/* Links from a to b: 1, or more in parallel. */
static inline uint32_t count_links(const vef_topology *topology, uint32_t a, uint32_t b) {
    uint32_t links = 0;
    for (uint32_t port = 0; port < topology->ports; port++)
        links += neighbour_of(topology, a, port) == b;
    return links;
}

#endif
