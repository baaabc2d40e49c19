/* The longest route of two legs: over some router m, from a source a to a destination d.
 *
 * a and d differ, so the longest leg to m and the longest one from m do not always make a route: on
 * a torus of even sizes both have the router opposite to m at their end. The two longest of each
 * with different ends suffice. (A packet that meets d before m has a shorter route. On a lattice it
 * then loses nothing here: each leg is as long as the distance of its ends, and packets from the
 * nearer of a and d to the other one cannot meet it before m.) */
#include "netmodel/deadlock/leg_lengths.h"
#include "common/memory.h"

#include <stdlib.h>
#include <string.h>

void vef_longest_legs_add(vef_longest_legs *longest, uint32_t hops, uint32_t router) {
    if (hops > longest->hops[0]) {
        if (router != longest->router[0]) {
            longest->hops[1] = longest->hops[0];
            longest->router[1] = longest->router[0];
        }
        longest->hops[0] = hops;
        longest->router[0] = router;
    } else if (router != longest->router[0] && hops > longest->hops[1]) {
        longest->hops[1] = hops;
        longest->router[1] = router;
    }
}

/* The port of each router on a shortest path to `destination`. `queue` has room for all. */
static void search_back(const vef_topology *topology, uint32_t destination, uint16_t *port,
                        uint32_t *queue) {
    memset(port, 0xff, topology->routers * sizeof *port);
    uint32_t count = 0;
    queue[count++] = destination;
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t p = 0; p < topology->ports; p++) {
            const size_t link = (size_t)queue[i] * topology->ports + p;
            const uint32_t before = topology->neighbour[link];
            if (before == VEF_NO_ROUTER || before == destination || port[before] != UINT16_MAX)
                continue;
            port[before] = topology->reverse_port[link];
            queue[count++] = before;
        }
}

/* Where a translation that moves `router` to `to` moves `destination`: translations preserve ports,
 * so the same ports lead there. */
static uint32_t moved(const vef_topology *topology, uint32_t router, uint32_t to,
                      uint32_t destination, const uint16_t *port) {
    while (router != destination) {
        const uint32_t by = port[router];
        router = vef_topology_next(topology, router, by);
        to = vef_topology_next(topology, to, by);
    }
    return to;
}

uint32_t vef_legs_translate(const vef_moves *moves, uint32_t router, uint32_t to,
                            uint32_t destination) {
    const vef_topology *topology = moves->topology;
    if (router == to)
        return destination;
    uint16_t *port = vef_malloc(topology->routers * sizeof *port);
    uint32_t *queue = vef_malloc(topology->routers * sizeof *queue);
    search_back(topology, destination, port, queue);
    const uint32_t image = moved(topology, router, to, destination, port);
    free(port);
    free(queue);
    return image;
}

void vef_longest_legs_add_second(const vef_moves *moves, uint32_t destination, const uint32_t *hops,
                                 vef_longest_legs *longest) {
    const vef_topology *topology = moves->topology;
    uint16_t *port = vef_malloc(topology->routers * sizeof *port);
    uint32_t *queue = vef_malloc(topology->routers * sizeof *queue);
    if (moves->uniform)
        search_back(topology, destination, port, queue);
    for (uint32_t router = 0; router < topology->routers; router++) {
        const uint32_t class = vef_moves_class(moves, router);
        if (hops[router] > longest[class].hops[1]) /* else it adds nothing */
            vef_longest_legs_add(
                &longest[class], hops[router],
                moves->uniform ? moved(topology, router, moves->first[class], destination, port)
                               : destination);
    }
    free(port);
    free(queue);
}

uint32_t vef_longest_legs_join(const vef_longest_legs *first, const vef_longest_legs *second) {
    uint32_t longest = 0;
    for (uint32_t i = 0; i < 2; i++) {
        if (longest < second->hops[i]) /* the first leg may be empty, or the second */
            longest = second->hops[i];
        if (longest < first->hops[i])
            longest = first->hops[i];
        for (uint32_t j = 0; j < 2; j++) {
            const bool route =
                first->hops[i] > 0 && second->hops[j] > 0 && first->router[i] != second->router[j];
            if (route && longest < first->hops[i] + second->hops[j])
                longest = first->hops[i] + second->hops[j];
        }
    }
    return longest;
}
