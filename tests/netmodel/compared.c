/* See compared.h. */
#include "tests/netmodel/compared.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

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

/* Routers by the steps to them: a word of `reached` has a bit for each of up to 64 sources. */
typedef struct search {
    const vef_topology *topology;
    uint32_t *first,
        *next; /* the neighbours of router r are next[first[r]] to next[first[r + 1] - 1] */
    uint64_t *reached, *before;
} search;

static search begin_search(const vef_topology *topology) {
    const uint32_t routers = topology->routers;
    search searched = {.topology = topology,
                       .first = calloc(routers + 1, sizeof *searched.first),
                       .next = malloc((size_t)routers * topology->ports * sizeof *searched.next),
                       .reached = calloc(routers, sizeof *searched.reached),
                       .before = malloc(routers * sizeof *searched.before)};
    assert_true(searched.first && searched.next && searched.reached && searched.before);
    for (uint32_t r = 0, count = 0; r < routers; r++) {
        for (uint32_t port = 0; port < topology->ports; port++)
            if (neighbour_of(topology, r, port) != VEF_NO_ROUTER)
                searched.next[count++] = neighbour_of(topology, r, port);
        searched.first[r + 1] = count;
    }
    return searched;
}

/* Adds the distances from the sources in `reached`, each `weight` times. */
static void search_from_sources(search *searched, uint64_t weight, uint64_t *sum, uint64_t *squares,
                                uint32_t *diameter) {
    bool more = true;
    for (uint32_t hops = 1; more; hops++) {
        more = false;
        memcpy(searched->before, searched->reached,
               searched->topology->routers * sizeof *searched->before);
        for (uint32_t r = 0; r < searched->topology->routers; r++) {
            uint64_t reached = searched->before[r];
            for (uint32_t i = searched->first[r]; i < searched->first[r + 1]; i++)
                reached |= searched->before[searched->next[i]];
            const uint64_t pairs =
                weight * (uint64_t)__builtin_popcountll(reached & ~searched->before[r]);
            if (pairs == 0)
                continue;
            *sum += pairs * hops;
            *squares += pairs * hops * hops;
            *diameter = hops > *diameter ? hops : *diameter;
            searched->reached[r] = reached;
            more = true;
        }
    }
    for (uint32_t r = 0; r < searched->topology->routers; r++)
        assert_true(searched->reached[r] == searched->reached[0]);
    memset(searched->reached, 0, searched->topology->routers * sizeof *searched->reached);
}

distances distances_of(const vef_topology *topology, bool by_orbit) {
    uint64_t *weight = calloc(topology->routers, sizeof *weight);
    assert_non_null(weight);
    for (uint32_t r = 0; by_orbit && r < topology->routers; r++)
        weight[vef_topology_orbit(topology, r)]++;
    search searched = begin_search(topology);
    uint64_t sum = 0, squares = 0, before = 0;
    uint32_t sources = 0;
    distances found = {0};
    for (uint32_t r = 0; r < topology->routers; r++) {
        const uint64_t times = by_orbit ? weight[vef_topology_orbit(topology, r)] : 1;
        if (times == 0)
            continue;
        if (by_orbit)
            weight[vef_topology_orbit(topology, r)] = 0;
        if (sources == 64 || (sources > 0 && times != before)) {
            search_from_sources(&searched, before, &sum, &squares, &found.diameter);
            sources = 0;
        }
        searched.reached[r] |= UINT64_C(1) << sources++;
        before = times;
    }
    search_from_sources(&searched, before, &sum, &squares, &found.diameter);
    const double pairs = (double)topology->routers * topology->routers;
    found.average = (double)sum / pairs;
    found.deviation = sqrt((double)squares / pairs - found.average * found.average);
    free(searched.first);
    free(searched.next);
    free(searched.reached);
    free(searched.before);
    free(weight);
    return found;
}
