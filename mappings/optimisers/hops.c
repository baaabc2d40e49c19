/* Breadth-first search over the links of a topology. See hops.h. */
#include "mappings/optimisers/hops.h"

void vef_mapping_hops_from(const vef_topology *topology, uint32_t router, uint32_t *hops,
                           uint32_t *queue) {
    for (uint32_t r = 0; r < topology->routers; r++)
        hops[r] = UINT32_MAX;
    uint32_t count = 1;
    hops[router] = 0;
    queue[0] = router;
    for (uint32_t next = 0; next < count; next++) {
        const uint32_t *neighbour = topology->neighbour + (size_t)queue[next] * topology->ports;
        for (uint32_t port = 0; port < topology->ports; port++) {
            const uint32_t other = neighbour[port];
            if (other == VEF_NO_ROUTER || hops[other] != UINT32_MAX)
                continue;
            hops[other] = hops[queue[next]] + 1;
            queue[count++] = other;
        }
    }
}
