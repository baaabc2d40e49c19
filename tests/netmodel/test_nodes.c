/* Nodes with a network inside: links against the definition, hops and interfaces of every route,
 * and freedom from deadlock under bursts. What a route may be follows from what each node has: own
 * interfaces, without forwarding; the rail of the source or of the destination, with one hop inside
 * the other node. */
#include "netmodel/topology/accelerators/planes.h"
#include "tests/netmodel/networks.h"
#include "tests/netmodel/routes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Nodes on a fat tree with a leaf for each rail, as many nodes as a leaf has endpoints. */
typedef struct kind {
    uint32_t accelerators, nics, planes, nodes;
    bool mesh;
} kind;

static const kind kinds[] = {
    {8, 8, 1, 5, false}, {8, 8, 1, 5, true}, {4, 2, 1, 6, false},
    {4, 2, 1, 6, true},  {4, 4, 2, 3, true}, {6, 3, 2, 4, false},
};
enum { KINDS = sizeof kinds / sizeof *kinds };

static vef_topology *build(const kind *given) {
    char parameters[192];
    snprintf(parameters, sizeof parameters,
             "{accelerators: %u, nics: %u, planes: %u, inside: %s, rails: %u, of: {family: xgft, "
             "m: [%u, %u], w: [1, 2]}}",
             given->accelerators, given->nics, given->planes, given->mesh ? "mesh" : "switch",
             given->nics, given->nodes, given->nics);
    return topology_of("nodes", parameters, 1);
}

static uint32_t links_of(const vef_topology *topology) {
    uint32_t ends = 0;
    for (size_t link = 0; link < (size_t)topology->routers * topology->ports; link++)
        ends += topology->neighbour[link] != VEF_NO_ROUTER;
    return ends / 2;
}

/* The accelerator of an endpoint's number on its node is at its own router in a mesh, at that of
 * the node otherwise. */
static uint32_t router_of(const kind *given, uint32_t node, uint32_t accelerator) {
    return given->mesh ? node * given->accelerators + accelerator : node;
}

static uint32_t links_between(const vef_topology *topology, uint32_t from, uint32_t to) {
    uint32_t count = 0;
    for (uint32_t port = 0; port < topology->ports; port++)
        count += vef_topology_next(topology, from, port) == to;
    return count;
}

static void test_links(void **state) {
    (void)state;
    for (size_t i = 0; i < KINDS; i++) {
        const kind *given = &kinds[i];
        vef_topology *topology = build(given);
        const uint32_t a = given->accelerators, n = given->nodes, m = given->nics;
        const uint32_t inside = given->mesh ? n * a : n;
        const uint32_t leaves = m, spines = 2, of_plane = n * m + leaves * spines;
        assert_int_equal(topology->endpoints, n * a);
        assert_int_equal(topology->node_endpoints, a);
        assert_int_equal(topology->node_routers, inside);
        assert_int_equal(topology->routers, inside + given->planes * (leaves + spines));
        assert_int_equal(links_of(topology),
                         given->planes * of_plane + (given->mesh ? n * a * (a - 1) / 2 : 0));
        for (uint32_t node = 0; node < n; node++) {
            for (uint32_t nic = 0; nic < m; nic++) /* interface j on leaf j of each plane */
                for (uint32_t plane = 0; plane < given->planes; plane++)
                    assert_int_equal(links_between(topology, router_of(given, node, nic * (a / m)),
                                                   inside + plane * (leaves + spines) + nic),
                                     1);
            for (uint32_t e = 0; e < a; e++) {
                assert_int_equal(vef_topology_router_of(topology, node * a + e),
                                 router_of(given, node, e));
                for (uint32_t other = 0; given->mesh && other < a; other++)
                    assert_int_equal(links_between(topology, router_of(given, node, e),
                                                   router_of(given, node, other)),
                                     e != other);
            }
        }
        vef_topology_destroy(topology);
    }
}

/* What a packet did between two endpoints. */
typedef struct path {
    uint32_t hops, inside_first, inside_last; /* hops in the nodes of source and destination */
    uint32_t leaving, entering;               /* routers of the nodes */
    uint32_t first_leaf, last_leaf;
} path;

static path follow(const vef_routing *routing, uint32_t source, uint32_t destination,
                   vef_rng *rng) {
    const vef_topology *topology = routing->topology;
    const vef_travel travel = {.source = source,
                               .destination = destination,
                               .from = vef_topology_router_of(topology, source),
                               .to = vef_topology_router_of(topology, destination)};
    vef_draws draws = {0};
    vef_route route = {0};
    vef_routing_begin(routing, &travel, &draws, NULL, &route);
    vef_place place = {travel.from, VEF_INJECTED, 0};
    path taken = {.leaving = travel.from, .entering = travel.from};
    bool outside = false;
    while (place.router != travel.to) {
        vef_candidate offered[VEF_MAX_CANDIDATES];
        const uint32_t count = offers(routing, &route, place, offered);
        const uint32_t before = place.router;
        assert_in_range(count, 1, VEF_MAX_CANDIDATES);
        place = step(routing, &route, place, offered[vef_rng_below(rng, count)]);
        const bool was = vef_topology_is_switch(topology, before);
        const bool now = vef_topology_is_switch(topology, place.router);
        assert_in_range(++taken.hops, 1, 6);
        if (!was && !now)
            *(outside ? &taken.inside_last : &taken.inside_first) += 1;
        if (!was && now) {
            assert_false(outside); /* no third node is passed */
            taken.leaving = before;
            taken.first_leaf = place.router;
            outside = true;
        }
        if (was && !now) {
            taken.entering = place.router;
            taken.last_leaf = before;
        }
    }
    return taken;
}

static const char *const rules[] = {"own", "source", "destination"};

/* One route for each pair: its interfaces by the rule, its hops by interfaces and rails. */
static void test_routes(void **state) {
    (void)state;
    vef_rng rng = vef_rng_make(1, VEF_RNG_TEST, 0);
    for (size_t i = 0; i < KINDS; i++)
        for (uint32_t rule = 0; rule < 3; rule++) {
            const kind *given = &kinds[i];
            const uint32_t a = given->accelerators, shared = a / given->nics;
            char text[64];
            snprintf(text, sizeof text, "{algorithm: planes, nic: %s}", rules[rule]);
            vef_topology *topology = build(given);
            vef_routing *routing = routing_of(text, topology, VEF_FLOW_VIRTUAL_CHANNELS);
            for (uint32_t from = 0; from < topology->endpoints; from++)
                for (uint32_t to = 0; to < topology->endpoints; to++) {
                    const path taken = follow(routing, from, to, &rng);
                    if (from / a == to / a) {
                        assert_int_equal(taken.hops, given->mesh && from != to);
                        continue;
                    }
                    const uint32_t out = (rule == 2 ? to : from) % a / shared;
                    const uint32_t in = (rule == 1 ? from : to) % a / shared;
                    assert_int_equal(taken.leaving, router_of(given, from / a, out * shared));
                    assert_int_equal(taken.entering, router_of(given, to / a, in * shared));
                    const uint32_t first = given->mesh && from % a != out * shared;
                    const uint32_t last = given->mesh && to % a != in * shared;
                    assert_int_equal(taken.inside_first, first);
                    assert_int_equal(taken.inside_last, last);
                    assert_int_equal(taken.hops, first + last + (out == in ? 2 : 4));
                    assert_int_equal(taken.first_leaf == taken.last_leaf, out == in);
                }
            vef_routing_destroy(routing);
            vef_topology_destroy(topology);
        }
}

/* Queues of one packet, other networks between. */
static void test_bursts(void **state) {
    (void)state;
    static const char *const between[] = {
        "{family: torus, sizes: [4, 3]}",
        "{family: dragonfly, a: 2, h: 1}",
        "{family: xgft, m: [3, 4], w: [1, 2]}",
    };
    for (size_t i = 0; i < sizeof between / sizeof *between; i++)
        for (uint32_t rule = 0; rule < 3; rule++)
            for (uint32_t mesh = 0; mesh < 2; mesh++) {
                char topology[192], routing[64];
                snprintf(topology, sizeof topology,
                         "{family: nodes, accelerators: 4, nics: 2, inside: %s, of: %s}",
                         mesh ? "mesh" : "switch", between[i]);
                snprintf(routing, sizeof routing, "{algorithm: planes, nic: %s}", rules[rule]);
                check_burst(topology, routing, "virtual-channels", 1);
            }
}

/* Endpoints in any order, each once; not in two ways. */
static void test_order(void **state) {
    (void)state;
    int64_t values[] = {5, 0, 3, 1, 4, 2};
    const vef_int_list order = {6, values}, two = {2, values}, none = {0, NULL};
    vef_topology *topology = topology_of("torus", "{sizes: [3]}", 2);
    vef_error error = {0};
    assert_int_equal(vef_topology_order_endpoints(topology, &two, &error), VEF_INVALID);
    values[0] = 0;
    assert_int_equal(vef_topology_order_endpoints(topology, &order, &error), VEF_INVALID);
    assert_non_null(strstr(error.message, "number 1 is 0: expected each of 0 to 5 once"));
    values[0] = 6;
    assert_int_equal(vef_topology_order_endpoints(topology, &order, &error), VEF_INVALID);
    values[0] = 5;
    assert_int_equal(vef_topology_order_endpoints(topology, &none, &error), VEF_OK);
    assert_null(topology->endpoint_in_family);
    assert_int_equal(vef_topology_order_endpoints(topology, &order, &error), VEF_OK);
    for (uint32_t e = 0; e < 6; e++)
        assert_int_equal(vef_topology_router_of(topology, e), values[e] / 2);
    assert_int_equal(vef_topology_order_endpoints(topology, &order, &error), VEF_INVALID);
    vef_topology_destroy(topology);
}

static void test_refusals(void **state) {
    (void)state;
    assert_topology_refused("{family: nodes}", 1, "missing key of");
    assert_topology_refused("{family: nodes, nics: 3, of: {family: star, endpoints: 6}}", 1,
                            "nics: 3: expected a divisor of 8");
    assert_topology_refused("{family: nodes, of: {family: star, endpoints: 9}}", 1,
                            "9 endpoints, for 8 interfaces");
    assert_topology_refused("{family: nodes, rails: 8, of: {family: star, endpoints: 16}}", 1,
                            "rails: 8");
    assert_topology_refused("{family: nodes, of: {family: star, endpoints: 8}}", 4000,
                            "endpoints_per_router: 4000");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_links),    cmocka_unit_test(test_routes),
        cmocka_unit_test(test_bursts),   cmocka_unit_test(test_order),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
