/* See compared.h. */
#include "tests/netmodel/compared.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>

uint32_t degree_of(const vef_topology *topology, uint32_t router) {
    uint32_t degree = 0;
    for (uint32_t port = 0; port < topology->ports; port++)
        degree += neighbour_of(topology, router, port) != VEF_NO_ROUTER;
    return degree;
}

uint64_t cut(const vef_topology *topology, uint32_t axis) {
    uint64_t ends = 0, far = 0;
    for (uint32_t r = 0; r < topology->routers; r++) {
        bool side = vef_topology_far_side(topology, axis, r);
        far += side;
        for (uint32_t port = 0; port < topology->ports; port++) {
            uint32_t next = neighbour_of(topology, r, port);
            ends += next != VEF_NO_ROUTER && side != vef_topology_far_side(topology, axis, next);
        }
    }
    assert_int_equal(far, (topology->routers + 1) / 2);
    return ends / 2;
}

distances distances_of(const vef_topology *topology, bool by_orbit) {
    uint32_t *distance = malloc(topology->routers * sizeof *distance);
    uint32_t *of_orbit = calloc(topology->routers, sizeof *of_orbit);
    assert_non_null(distance);
    assert_non_null(of_orbit);
    for (uint32_t r = 0; by_orbit && r < topology->routers; r++)
        of_orbit[vef_topology_orbit(topology, r)]++;
    uint64_t sum = 0, squares = 0;
    distances found = {0};
    for (uint32_t r = 0; r < topology->routers; r++) {
        uint64_t weight = 1;
        if (by_orbit) {
            weight = of_orbit[vef_topology_orbit(topology, r)];
            of_orbit[vef_topology_orbit(topology, r)] = 0;
            if (weight == 0)
                continue;
        }
        distances_from(topology, r, distance);
        for (uint32_t to = 0; to < topology->routers; to++) {
            sum += weight * distance[to];
            squares += weight * distance[to] * distance[to];
            found.diameter = distance[to] > found.diameter ? distance[to] : found.diameter;
        }
    }
    const double pairs = (double)topology->routers * topology->routers;
    found.average = (double)sum / pairs;
    found.deviation = sqrt((double)squares / pairs - found.average * found.average);
    free(of_orbit);
    free(distance);
    return found;
}
