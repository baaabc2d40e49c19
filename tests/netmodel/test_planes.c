/* Planes and rail-only networks: links against the definition, closed forms of size, distance,
 * bisection and bill, and the planes that packets take (Wang et al., arXiv 2307.12169). */
#include "netmodel/analysis/figures.h"
#include "netmodel/topology/accelerators/planes.h"
#include "tests/netmodel/networks.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static void measure(const vef_topology *topology, vef_figures *figures) {
    const vef_figures_request request = {.without_loads = true};
    vef_error error = {0};
    if (vef_figures_measure(topology, &request, figures, &error))
        fail_msg("%s", error.message);
}

typedef struct network {
    const char *family, *parameters; /* of a plane */
    uint32_t count, per_router;
} network;

static const network networks[] = {
    {"torus", "{sizes: [6, 4]}", 2, 1},
    {"mesh", "{sizes: [4, 4]}", 4, 3},
    {"xgft", "{m: [4, 4], w: [1, 2]}", 3, 1},
    {"dragonfly", "{a: 4, h: 2}", 2, 2},
};
enum { NETWORKS = sizeof networks / sizeof networks[0] };

static vef_topology *build(const network *net) {
    char parameters[160];
    snprintf(parameters, sizeof parameters,
             "{count: %u, nodes_per_router: %u, of: {family: %s, %s}", net->count, net->per_router,
             net->family, net->parameters + 1);
    return topology_of("planes", parameters, 1);
}

/* p planes of R routers, L links, N endpoints, diameter D and a bisection of B links. */
static void test_closed_forms(void **state) {
    (void)state;
    for (size_t i = 0; i < NETWORKS; i++) {
        const uint32_t count = networks[i].count;
        vef_topology *planes = build(&networks[i]);
        vef_topology *plane =
            topology_of(networks[i].family, networks[i].parameters, networks[i].per_router);
        vef_figures figures, single;
        measure(planes, &figures);
        measure(plane, &single);
        assert_int_equal(figures.endpoints, single.endpoints);
        assert_int_equal(figures.switches, count * single.routers);
        assert_int_equal(figures.routers, count * single.routers + single.endpoints);
        assert_int_equal(figures.links, count * (single.links + single.endpoints));
        assert_int_equal(figures.diameter, single.diameter + 2);
        if (single.axis_bisection_links != VEF_NO_COUNT)
            assert_int_equal(figures.axis_bisection_links, count * single.axis_bisection_links);
        vef_figures_release(&figures);
        vef_figures_release(&single);
        vef_topology_destroy(planes);
        vef_topology_destroy(plane);
    }
}

/* Node n has one link in each plane, to the router of endpoint n; no link joins two planes. */
static void test_links(void **state) {
    (void)state;
    for (size_t i = 0; i < NETWORKS; i++) {
        vef_topology *topology = build(&networks[i]);
        const vef_topology *part = topology->part;
        const uint32_t nodes = part->endpoints;
        for (uint32_t node = 0; node < nodes; node++)
            for (uint32_t port = 0; port < topology->ports; port++) {
                const uint32_t next = topology->neighbour[node * topology->ports + port];
                assert_int_equal(next, port < networks[i].count
                                           ? nodes + port * part->routers +
                                                 vef_topology_router_of(part, node)
                                           : VEF_NO_ROUTER);
            }
        for (uint32_t router = nodes; router < topology->routers; router++)
            for (uint32_t port = 0; port < part->ports; port++) {
                const uint32_t next = topology->neighbour[router * topology->ports + port];
                if (next != VEF_NO_ROUTER)
                    assert_int_equal((next - nodes) / part->routers,
                                     (router - nodes) / part->routers);
            }
        vef_topology_destroy(topology);
    }
}

/* Rails of K accelerators in D domains; switches of a rail: one, or leaves and spines of the same
 * number of ports k, all of them used. Transceivers: two for each cable. */
static void test_rail_only(void **state) {
    (void)state;
    static const struct {
        uint32_t rails, domains, leaf, spines, ports;
    } cases[] = {{8, 16, 0, 0, 16}, {4, 32, 4, 4, 8}, {8, 128, 8, 8, 16}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char parameters[96];
        const uint32_t rails = cases[i].rails, domains = cases[i].domains, k = cases[i].ports;
        const uint32_t endpoints = rails * domains;
        const bool two_levels = cases[i].leaf > 0;
        snprintf(parameters, sizeof parameters,
                 two_levels ? "{rails: %u, domains: %u, leaf_domains: %u, spines: %u}"
                            : "{rails: %u, domains: %u}",
                 rails, domains, cases[i].leaf, cases[i].spines);
        vef_topology *topology = topology_of("rail-only", parameters, 1);
        vef_figures figures;
        measure(topology, &figures);
        assert_int_equal(figures.endpoints, endpoints);
        assert_int_equal(figures.switches, two_levels ? 3 * endpoints / k : endpoints / k);
        assert_int_equal(figures.links, two_levels ? 2 * endpoints : endpoints);
        assert_int_equal(figures.diameter, two_levels ? 4 : 2);
        vef_figures_release(&figures);
        vef_topology_destroy(topology);
    }
}

/* The plane of the first hop of a packet between two endpoints. */
static uint32_t first_plane(const vef_routing *routing, uint32_t source, uint32_t destination,
                            uint32_t *candidates) {
    const vef_topology *topology = routing->topology;
    const vef_travel travel = {.source = source,
                               .destination = destination,
                               .from = vef_topology_router_of(topology, source),
                               .to = vef_topology_router_of(topology, destination)};
    vef_candidate offered[VEF_MAX_CANDIDATES];
    vef_draws draws = {0};
    vef_route route = {0};
    vef_routing_begin(routing, &travel, &draws, NULL, &route);
    *candidates = routing->algorithm->candidates(
        routing, &route, (vef_place){travel.from, VEF_INJECTED, 0}, offered);
    return offered[0].port;
}

/* Endpoint e of a domain of four is accelerator e / 2, with two endpoints each. */
static void test_choice_of_rails(void **state) {
    (void)state;
    vef_topology *topology = topology_of("rail-only", "{rails: 4, domains: 6}", 2);
    vef_routing *source =
        routing_of("{algorithm: planes, plane: source}", topology, VEF_FLOW_VIRTUAL_CHANNELS);
    vef_routing *destination =
        routing_of("{algorithm: planes, plane: destination}", topology, VEF_FLOW_VIRTUAL_CHANNELS);
    vef_routing *credits = routing_of("{algorithm: planes}", topology, VEF_FLOW_VIRTUAL_CHANNELS);
    vef_routing *hash =
        routing_of("{algorithm: planes, plane: hash}", topology, VEF_FLOW_VIRTUAL_CHANNELS);
    uint32_t count, taken[4] = {0};
    for (uint32_t from = 0; from < 8; from++)
        for (uint32_t to = 8; to < 48; to++) {
            assert_int_equal(first_plane(source, from, to, &count), from % 8 / 2);
            assert_int_equal(count, source->channels);
            assert_int_equal(first_plane(destination, from, to, &count), to % 8 / 2);
            first_plane(credits, from, to, &count);
            assert_int_equal(count, 4 * credits->channels);
            taken[first_plane(hash, from, to, &count)]++;
        }
    /* 320 pairs: 80 on each rail, with a standard deviation of 7.7. */
    for (uint32_t rail = 0; rail < 4; rail++)
        assert_in_range(taken[rail], 80 - 40, 80 + 40);
    vef_routing_destroy(source);
    vef_routing_destroy(destination);
    vef_routing_destroy(credits);
    vef_routing_destroy(hash);
    vef_topology_destroy(topology);
}

static void test_refusals(void **state) {
    (void)state;
    assert_topology_refused("{family: planes, count: 2}", 1, "missing key of");
    assert_topology_refused("{family: planes, count: 2, of: {family: torus, sise: [4]}}", 1,
                            "unknown key 'sise'");
    assert_topology_refused("{family: rail-only, rails: 2, domains: 9, leaf_domains: 2}", 1,
                            "expected a divisor");
    assert_network_refused(
        "{topology: {family: planes, count: 2, of: {family: hyperx, sizes: [4]}}, "
        "routing: {algorithm: planes, of: {algorithm: ugal-l}}}",
        "compares queues");
}

/* The part and its routing are in the resolved configuration. */
static void test_resolved(void **state) {
    (void)state;
    char *text = resolved_of(
        "{topology: {family: planes, count: 2, of: {family: torus, sizes: [4, "
        "4]}}, routing: {algorithm: planes, of: {algorithm: dor}}}");
    assert_non_null(strstr(text, "family: torus"));
    assert_non_null(strstr(text, "algorithm: dor"));
    free(text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_closed_forms), cmocka_unit_test(test_links),
        cmocka_unit_test(test_rail_only),    cmocka_unit_test(test_choice_of_rails),
        cmocka_unit_test(test_refusals),     cmocka_unit_test(test_resolved),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
