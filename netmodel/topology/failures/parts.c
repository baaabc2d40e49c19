/* The connected parts of a network with failures. See failures.h. */
#include "netmodel/topology/failures/failures.h"

#include <string.h>

/* Gives `part` to the routers that can be reached from `first`. `queue` has room for all. */
static void search(const vef_down *down, uint32_t first, uint32_t part, uint32_t *part_of,
                   uint32_t *queue) {
    const vef_topology *whole = down->whole;
    uint32_t count = 1;
    queue[0] = first;
    part_of[first] = part;
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t p = 0; p < whole->ports; p++) {
            const size_t port = (size_t)queue[i] * whole->ports + p;
            const uint32_t next = whole->neighbour[port];
            if (!vef_port_is_up(down, port) || part_of[next] != VEF_NO_ROUTER)
                continue;
            part_of[next] = part;
            queue[count++] = next;
        }
}

vef_network_parts vef_network_parts_find(const vef_down *down, vef_arena *arena) {
    const vef_topology *whole = down->whole;
    const uint32_t routers = whole->routers;
    uint32_t *queue = vef_arena_alloc(arena, routers, sizeof *queue);
    vef_network_parts parts = {
        .part = vef_arena_alloc(arena, routers, sizeof *parts.part),
        .endpoints = vef_arena_alloc(arena, routers, sizeof *parts.endpoints),
    };
    uint32_t count = 0;
    memset(parts.part, 0xff, routers * sizeof *parts.part); /* VEF_NO_ROUTER */
    for (uint32_t r = 0; r < routers; r++)
        if (!down->router[r] && parts.part[r] == VEF_NO_ROUTER)
            search(down, r, count++, parts.part, queue);
    for (uint32_t e = 0; e < whole->endpoints; e++) {
        const uint32_t router = vef_topology_router_of(whole, e);
        if (down->router[router])
            continue;
        parts.endpoints[parts.part[router]]++;
        parts.all_endpoints++;
    }
    for (uint32_t p = 1; p < count; p++)
        if (parts.endpoints[p] > parts.endpoints[parts.largest])
            parts.largest = p;
    return parts;
}
