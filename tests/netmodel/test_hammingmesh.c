/* HammingMesh: links against the definition, closed forms of size, diameter and bisection, and the
 * bill (Hoefler et al., SC 2022, section III and Table II). */
#include "netmodel/analysis/figures.h"
#include "netmodel/topology/accelerators/hammingmesh.h"
#include "tests/netmodel/networks.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

typedef struct network {
    uint32_t a, b, x, y;   /* boards of a x b, a grid of x x y */
    uint32_t leaf, spines; /* boards of a leaf, spines of a tree; 0: one switch a line */
    uint32_t diameter;     /* 0: by the closed form alone */
} network;

/* Table II: about 1,024 and 16,384 accelerators; switches have 64 ports. */
static const network networks[] = {
    {2, 2, 16, 16, 0, 0, 4},  /* small Hx2Mesh */
    {4, 4, 8, 8, 0, 0, 8},    /* small Hx4Mesh */
    {1, 1, 32, 32, 0, 0, 4},  /* small HyperX */
    {2, 2, 64, 64, 16, 2, 8}, /* large Hx2Mesh */
    {4, 4, 32, 32, 0, 0, 8},  /* large Hx4Mesh */
    {4, 2, 6, 4, 2, 4, 0},    {3, 5, 4, 2, 0, 0, 0}, {3, 1, 2, 4, 1, 1, 0},
};
enum { NETWORKS = sizeof networks / sizeof networks[0] };

static vef_topology *build(const network *net) {
    char parameters[160], tree[64] = "";
    if (net->leaf > 0)
        snprintf(tree, sizeof tree, ", leaf_boards: %u, spines: %u", net->leaf, net->spines);
    snprintf(parameters, sizeof parameters, "{board: [%u, %u], boards: [%u, %u]%s}", net->a, net->b,
             net->x, net->y, tree);
    return topology_of("hammingmesh", parameters, 1);
}

/* Leaves of a line with so many boards. */
static uint32_t leaves(const network *net, uint32_t boards) {
    return net->leaf == 0 || net->leaf >= boards ? 1 : boards / net->leaf;
}

static uint32_t switches(const network *net, uint32_t boards) {
    const uint32_t count = leaves(net, boards);
    return count > 1 ? count + net->spines : 1;
}

/* Links between two routers. */
static uint32_t links_between(const vef_topology *topology, uint32_t from, uint32_t to) {
    uint32_t links = 0;
    for (uint32_t port = 0; port < topology->ports; port++)
        links += topology->neighbour[(size_t)from * topology->ports + port] == to;
    return links;
}

/* With one switch a line, all links as the authors number accelerators and switches: board by
 * board, on a board row by row. */
static void test_links(void **state) {
    (void)state;
    for (size_t i = 0; i < NETWORKS; i++) {
        const network *net = &networks[i];
        const uint32_t a = net->a, b = net->b, each = a * b, count = each * net->x * net->y;
        if (net->leaf > 0)
            continue;
        vef_topology *topology = build(net);
        uint32_t links = 0;
        for (uint32_t id = 0; id < count; id++) {
            const uint32_t column = id % a, row = id % each / a, board = id / each;
            const uint32_t bx = board % net->x, by = board / net->x;
            const uint32_t row_switch = count + by * b + row;
            const uint32_t column_switch = count + net->y * b + bx * a + column;
            if (column + 1 < a)
                assert_int_equal(links_between(topology, id, id + 1), 1);
            if (row + 1 < b)
                assert_int_equal(links_between(topology, id, id + a), 1);
            const uint32_t ends[] = {(column == 0 ? 1u : 0u) + (column == a - 1 ? 1u : 0u),
                                     (row == 0 ? 1u : 0u) + (row == b - 1 ? 1u : 0u)};
            assert_int_equal(links_between(topology, id, row_switch), ends[0]);
            assert_int_equal(links_between(topology, id, column_switch), ends[1]);
            links += (column + 1 < a ? 1u : 0u) + (row + 1 < b ? 1u : 0u) + ends[0] + ends[1];
        }
        uint32_t ports = 0;
        for (size_t port = 0; port < (size_t)topology->routers * topology->ports; port++)
            ports += topology->neighbour[port] != VEF_NO_ROUTER;
        assert_int_equal(ports, 2 * links);
        vef_topology_destroy(topology);
    }
}

static void test_closed_forms(void **state) {
    (void)state;
    for (size_t i = 0; i < NETWORKS; i++) {
        const network *net = &networks[i];
        const uint32_t a = net->a, b = net->b, x = net->x, y = net->y;
        vef_topology *topology = build(net);
        const vef_figures_request request = {.without_loads = true};
        vef_figures figures;
        vef_error error = {0};
        if (vef_figures_measure(topology, &request, &figures, &error))
            fail_msg("%s", error.message);
        const uint32_t rows = b * y, columns = a * x;
        assert_int_equal(figures.endpoints, rows * columns);
        assert_int_equal(figures.switches, rows * switches(net, x) + columns * switches(net, y));
        const uint32_t up_x = leaves(net, x) > 1 ? 2 * x : 0, up_y = leaves(net, y) > 1 ? 2 * y : 0;
        assert_int_equal(figures.links, rows * (2 * x + up_x) + columns * (2 * y + up_y) +
                                            x * y * ((a - 1) * b + a * (b - 1)));
        const uint32_t diameter =
            2 * ((a + 1) / 2) + 2 * ((b + 1) / 2) + (up_x > 0 ? 2 : 0) + (up_y > 0 ? 2 : 0);
        assert_int_equal(figures.diameter, diameter);
        if (net->diameter > 0)
            assert_int_equal(figures.diameter, net->diameter);
        /* Half of the ends of every row or column, on whose side the one switch is, or half of what
         * the leaves have upwards: of four links of each accelerator of a half 1 / (2a). */
        const uint32_t across_x = x * rows, across_y = y * columns;
        if (x % 2 == 0 && y % 2 == 0 && (leaves(net, x) == 1 || leaves(net, x) % 2 == 0) &&
            (leaves(net, y) == 1 || leaves(net, y) % 2 == 0)) {
            assert_int_equal(figures.axis_bisection_links,
                             across_x < across_y ? across_x : across_y);
            if (a == b && x == y)
                assert_near((double)figures.axis_bisection_links / (2.0 * rows * columns),
                            1 / (2.0 * a), 1e-12);
        }
        vef_figures_release(&figures);
        vef_topology_destroy(topology);
    }
}

/* Boards of one accelerator: a HyperX network whose complete graphs are switches, so that every hop
 * takes two, by either of the two links. */
static void test_single_accelerators(void **state) {
    (void)state;
    vef_topology *mesh = topology_of("hammingmesh", "{board: [1, 1], boards: [4, 3]}", 1);
    vef_topology *hyperx = topology_of("hyperx", "{sizes: [4, 3]}", 1);
    uint32_t *hops = calloc(mesh->routers, sizeof *hops), *half = calloc(12, sizeof *half);
    for (uint32_t source = 0; source < 12; source++) {
        distances_from(mesh, source, hops);
        distances_from(hyperx, source, half);
        for (uint32_t to = 0; to < 12; to++)
            assert_int_equal(hops[to], 2 * half[to]);
    }
    free(hops);
    free(half);
    vef_topology_destroy(mesh);
    vef_topology_destroy(hyperx);
}

/* Every candidate of every packet leads one hop nearer, whatever it took before. */
static void walk(const vef_routing *routing, const vef_route *route, vef_place place,
                 const uint32_t *hops) {
    const vef_topology *topology = routing->topology;
    vef_candidate offered[64];
    if (hops[place.router] == 0)
        return;
    const uint32_t count = routing->algorithm->candidates(routing, route, place, offered);
    assert_in_range(count, 1, 64);
    for (uint32_t i = 0; i < count; i++) {
        const size_t link = (size_t)place.router * topology->ports + offered[i].port;
        const vef_place next = {topology->neighbour[link], topology->reverse_port[link],
                                offered[i].channel};
        assert_int_equal(hops[next.router] + 1, hops[place.router]);
        walk(routing, route, next, hops);
    }
}

static void test_dimension_order_is_minimal(void **state) {
    (void)state;
    static const char *const samples[] = {
        "{board: [2, 2], boards: [2, 2]}", "{board: [5, 1], boards: [3, 2]}",
        "{board: [4, 3], boards: [4, 2], leaf_boards: 2, spines: 2, links: 1}"};
    for (size_t i = 0; i < sizeof samples / sizeof samples[0]; i++) {
        vef_topology *topology = topology_of("hammingmesh", samples[i], 1);
        vef_routing *routing = routing_of("{algorithm: dor}", topology, VEF_FLOW_VIRTUAL_CHANNELS);
        uint32_t *hops = calloc(topology->routers, sizeof *hops);
        for (uint32_t to = 0; to < topology->endpoints; to++) {
            distances_from(topology, to, hops);
            for (uint32_t from = 0; from < topology->endpoints; from++) {
                vef_route route;
                begin_route(routing, from, to, NULL, &route);
                walk(routing, &route, (vef_place){from, VEF_INJECTED, 0}, hops);
            }
        }
        free(hops);
        vef_routing_destroy(routing);
        vef_topology_destroy(topology);
    }
}

static void test_refusals(void **state) {
    (void)state;
    assert_topology_refused("{family: hammingmesh, board: [2], boards: [4, 4]}", 1,
                            "expected two numbers");
    assert_topology_refused("{family: hammingmesh, board: [2, 2], boards: [4, 4], leaf_boards: 3}",
                            1, "expected a divisor");
    assert_topology_refused(
        "{family: hammingmesh, board: [2, 2], boards: [4, 4], leaf_boards: 2, spines: 3}", 1,
        "expected a divisor, or `links`");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_links),
        cmocka_unit_test(test_closed_forms),
        cmocka_unit_test(test_single_accelerators),
        cmocka_unit_test(test_dimension_order_is_minimal),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
