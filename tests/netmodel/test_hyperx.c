/* HyperX: links against the definition, and distances, bisection and uniform throughput against
 * closed forms (Ahn et al., SC 2009, section 2). */
#include "netmodel/analysis/figures.h"
#include "netmodel/routing/hyperx/order.h"
#include "tests/netmodel/networks.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_DIMENSIONS = 4 };

typedef struct network {
    const char *parameters;
    uint32_t dimensions, sizes[MOST_DIMENSIONS], weights[MOST_DIMENSIONS];
    uint32_t endpoints; /* of a router */
} network;

static const network networks[] = {
    {"{sizes: [4, 4]}", 2, {4, 4}, {1, 1}, 4}, /* a flattened butterfly */
    {"{sizes: [6], weights: [2]}", 1, {6}, {2}, 3},
    {"{sizes: [5, 3], weights: [1, 2]}", 2, {5, 3}, {1, 2}, 2},
    {"{sizes: [4, 6, 2], weights: [3, 1, 2]}", 3, {4, 6, 2}, {3, 1, 2}, 2},
    {"{sizes: [2, 3, 2, 3]}", 4, {2, 3, 2, 3}, {1, 1, 1, 1}, 1},
};
enum { NETWORKS = sizeof networks / sizeof networks[0] };

static vef_topology *build(const network *net) {
    char parameters[128];
    snprintf(parameters, sizeof parameters, "{endpoints_per_router: %u, %s", net->endpoints,
             net->parameters + 1);
    return topology_of("hyperx", parameters, 0);
}

/* Coordinates of both routers that differ, and the last of them. */
static uint32_t differing(const network *net, uint32_t a, uint32_t b, uint32_t *dimension) {
    uint32_t count = 0;
    for (uint32_t d = 0; d < net->dimensions; a /= net->sizes[d], b /= net->sizes[d], d++)
        if (a % net->sizes[d] != b % net->sizes[d]) {
            count++;
            *dimension = d;
        }
    return count;
}

/* Routers are linked if one coordinate differs, by as many links as the weight of its dimension. */
static void test_links(void **state) {
    (void)state;
    for (size_t i = 0; i < NETWORKS; i++) {
        vef_topology *topology = build(&networks[i]);
        for (uint32_t a = 0; a < topology->routers; a++)
            for (uint32_t b = 0; b < topology->routers; b++) {
                uint32_t links = 0, d = 0;
                for (uint32_t port = 0; port < topology->ports; port++)
                    links += topology->neighbour[a * topology->ports + port] == b;
                const uint32_t apart = differing(&networks[i], a, b, &d);
                assert_int_equal(links, apart == 1 ? networks[i].weights[d] : 0);
            }
        vef_topology_destroy(topology);
    }
}

static void test_functions_for_routings(void **state) {
    (void)state;
    for (size_t i = 0; i < NETWORKS; i++) {
        vef_topology *topology = build(&networks[i]);
        const vef_hyperx *hyperx = vef_hyperx_of(topology);
        assert_int_equal(hyperx->dimensions, networks[i].dimensions);
        for (uint32_t a = 0; a < topology->routers; a++)
            for (uint32_t b = 0; b < topology->routers; b++) {
                uint32_t d = 0;
                if (differing(&networks[i], a, b, &d) != 1)
                    continue;
                const uint32_t offset = vef_hyperx_offset(hyperx, a, b, d);
                for (uint32_t link = 0; link < networks[i].weights[d]; link++) {
                    const uint32_t port = vef_hyperx_port(hyperx, d, offset, link);
                    assert_int_equal(topology->neighbour[a * topology->ports + port], b);
                    assert_int_equal(vef_hyperx_dimension_of(hyperx, port), d);
                    assert_int_equal(vef_hyperx_offset_of(hyperx, port), offset);
                    assert_int_equal(
                        topology->reverse_port[a * topology->ports + port],
                        vef_hyperx_port(hyperx, d, networks[i].sizes[d] - offset, link));
                }
                for (uint32_t e = 0; e < hyperx->dimensions; e++)
                    if (e != d)
                        assert_int_equal(vef_hyperx_offset(hyperx, a, b, e), 0);
            }
        vef_topology_destroy(topology);
    }
}

/* A complete graph is a HyperX network of one dimension: the same links at the same ports. */
static void test_complete_graph(void **state) {
    (void)state;
    vef_topology *complete = topology_of("complete", "{routers: 7}", 1);
    vef_topology *line = topology_of("hyperx", "{sizes: [7]}", 1);
    vef_topology *mesh = topology_of("mesh", "{sizes: [7]}", 1);
    assert_non_null(vef_hyperx_of(complete));
    assert_null(vef_hyperx_of(mesh));
    assert_int_equal(complete->ports, 6);
    assert_int_equal(line->ports, 6);
    assert_memory_equal(complete->neighbour, line->neighbour, 7 * 6 * sizeof *line->neighbour);
    vef_topology_destroy(complete);
    vef_topology_destroy(line);
    vef_topology_destroy(mesh);
}

/* The mean distance is the sum of 1 - 1 / S, the diameter the number of dimensions. Across a
 * dimension, a row of S routers has floor(S / 2) ceil(S / 2) K links: relative to the N T / 2
 * endpoints of a half S K / (2 T), for even S. Uniform traffic loads the (S - 1) K links of a
 * router in a dimension with T (1 - 1 / S). */
static void test_closed_forms(void **state) {
    (void)state;
    for (size_t i = 0; i < NETWORKS; i++) {
        const network *net = &networks[i];
        vef_topology *topology = build(net);
        vef_figures figures;
        vef_error error = {0};
        if (vef_figures_measure(topology, NULL, &figures, &error))
            fail_msg("%s", error.message);
        double mean = 0, cut = INFINITY, throughput = INFINITY;
        uint32_t degree = 0;
        for (uint32_t d = 0; d < net->dimensions; d++) {
            const uint32_t s = net->sizes[d], k = net->weights[d];
            const double links = (double)(s / 2) * (s - s / 2) * k * topology->routers / s;
            mean += 1 - 1.0 / s;
            degree += (s - 1) * k;
            cut = links < cut ? links : cut;
            const double full = (double)s * k / net->endpoints;
            throughput = full < throughput ? full : throughput;
            if (s % 2 == 0)
                assert_near(links / (topology->endpoints / 2.0), full / 2, 1e-12);
        }
        assert_int_equal(figures.diameter, net->dimensions);
        assert_int_equal(figures.degree_max, degree);
        assert_near(figures.average_distance, mean, 1e-12);
        const bool odd = figures.unequal_axis_cut_links != VEF_NO_COUNT;
        assert_near((double)(odd ? figures.unequal_axis_cut_links : figures.axis_bisection_links),
                    cut, 1e-12);
        assert_near(figures.throughput_bound, throughput, 1e-9);
        assert_int_equal(figures.vertex_symmetry, VEF_SYMMETRY_BY_CONSTRUCTION);
        vef_figures_release(&figures);
        vef_topology_destroy(topology);
    }
}

/* The links of dimensions of equal size and weight are alike. */
static void test_kinds(void **state) {
    (void)state;
    static const struct {
        const char *parameters;
        uint32_t kinds;
    } rows[] = {
        {"{sizes: [4, 4]}", 1},
        {"{sizes: [4, 4], weights: [1, 2]}", 2},
        {"{sizes: [3, 4, 3]}", 2},
        {"{sizes: [2, 2, 2, 2]}", 1},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        vef_topology *topology = topology_of("hyperx", rows[i].parameters, 1);
        uint64_t seen = 0;
        for (uint32_t port = 0; port < topology->ports; port++)
            seen |= 1ull << vef_topology_port_kind(topology, 0, port);
        assert_int_equal(__builtin_popcountll(seen), rows[i].kinds);
        vef_topology_destroy(topology);
    }
}

static void test_names(void **state) {
    (void)state;
    static const struct {
        const char *parameters;
        uint32_t port;
        const char *name;
    } rows[] = {
        {"{sizes: [4, 3]}", 2, "x+3"},
        {"{sizes: [4, 3]}", 3, "y+1"},
        {"{sizes: [4, 3], weights: [1, 2]}", 4, "y+1 link 1"},
        {"{sizes: [2, 2, 2, 3]}", 4, "d3+2"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        vef_topology *topology = topology_of("hyperx", rows[i].parameters, 1);
        char name[VEF_PORT_NAME_BYTES];
        vef_topology_port_name(topology, rows[i].port, name, sizeof name);
        assert_string_equal(name, rows[i].name);
        vef_topology_destroy(topology);
    }
}

static void test_what_is_refused(void **state) {
    (void)state;
    static const struct {
        const char *parameters, *says;
    } rows[] = {
        {"weights: [1]", "sizes"},
        {"sizes: []", "0 dimensions: out of range: expected 1 to 24"},
        {"sizes: [4, 1]", "from 2 to 1025"},
        {"sizes: [4, 4], weights: [2]", "1 numbers for 2 dimensions: expected one for each"},
        {"sizes: [4, 4], weights: [2, 0]", "from 1"},
        {"sizes: [1025, 2]", "a router with more than 1024 links"},
        {"sizes: [600], weights: [2]", "a router with more than 1024 links"},
        {"sizes: [300, 300, 300]", "more than 16777216 routers"},
        {"sizes: [16, 16, 16, 16, 16]", "out of range"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char yaml[256];
        snprintf(yaml, sizeof yaml, "{family: hyperx, %s}", rows[i].parameters);
        assert_topology_refused(yaml, 1, rows[i].says);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_links),           cmocka_unit_test(test_functions_for_routings),
        cmocka_unit_test(test_complete_graph),  cmocka_unit_test(test_closed_forms),
        cmocka_unit_test(test_kinds),           cmocka_unit_test(test_names),
        cmocka_unit_test(test_what_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
