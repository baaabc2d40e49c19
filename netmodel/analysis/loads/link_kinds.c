/* Kinds of links. Links out of routers of one orbit by ports of one kind are equivalent, and a link
 * is the same from both ends: so pairs of an orbit and a port kind are united along links, and the
 * resulting sets are the kinds. */
#include "netmodel/analysis/loads/link_kinds.h"

static uint32_t root_of(uint32_t *parent, uint32_t node) {
    while (parent[node] != node)
        node = parent[node] = parent[parent[node]];
    return node;
}

static uint32_t pair_of(const vef_topology *topology, uint32_t router, uint32_t port) {
    return vef_topology_orbit(topology, router) * topology->ports +
           vef_topology_port_kind(topology, router, port);
}

uint32_t vef_count_link_kinds(const vef_graph *graph) {
    const vef_topology *topology = graph->topology;
    const size_t pairs = (size_t)topology->orbits * topology->ports;
    if (pairs == 0 || pairs > UINT32_MAX)
        return 0;
    vef_arena scratch = {0};
    uint32_t *parent = vef_arena_alloc(&scratch, pairs, sizeof *parent);
    uint8_t *taken = vef_arena_alloc(&scratch, pairs, sizeof *taken); /* by a link */
    for (uint32_t p = 0; p < pairs; p++)
        parent[p] = p;
    for (uint32_t r = 0; r < graph->routers; r++)
        for (uint32_t a = graph->first[r]; a < graph->first[r + 1]; a++) {
            const uint32_t port = graph->port[a];
            const uint32_t back = topology->reverse_port[(size_t)r * topology->ports + port];
            const uint32_t here = pair_of(topology, r, port);
            const uint32_t there = pair_of(topology, graph->head[a], back);
            taken[here] = 1;
            parent[root_of(parent, there)] = root_of(parent, here);
        }
    uint32_t kinds = 0;
    for (uint32_t p = 0; p < pairs; p++)
        kinds += taken[p] && parent[p] == p;
    vef_arena_release(&scratch);
    return kinds;
}
