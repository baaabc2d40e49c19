/* Topologies: every family of the table on its samples against its own graph, and what is refused.
 */
#include "tests/netmodel/networks.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

static void check_links(const vef_topology *topology) {
    for (uint32_t router = 0; router < topology->routers; router++)
        for (uint32_t port = 0; port < topology->ports; port++) {
            size_t here = (size_t)router * topology->ports + port;
            uint32_t next = topology->neighbour[here];
            if (next == VEF_NO_ROUTER)
                continue;
            assert_true(next < topology->routers);
            assert_int_not_equal(next, router);
            uint32_t back = topology->reverse_port[here];
            assert_true(back < topology->ports);
            size_t there = (size_t)next * topology->ports + back;
            assert_int_equal(topology->neighbour[there], router);
            assert_int_equal(topology->reverse_port[there], port);
        }
}

static void check_grid(const vef_topology *topology) {
    uint64_t routers = 1;
    for (uint32_t d = 0; d < topology->dimensions; d++)
        routers *= topology->sizes[d];
    if (topology->dimensions == 0)
        return;
    assert_int_equal(routers, topology->routers);
    for (uint32_t router = 0; router < topology->routers; router++) {
        uint32_t index[VEF_MAX_DIMENSIONS];
        vef_topology_coordinates(topology, router, index);
        assert_int_equal(vef_topology_router_at(topology, index), router);
    }
}

static void check_endpoints(const vef_topology *topology, uint32_t per_router) {
    if (!topology->endpoint_router) {
        assert_int_equal(topology->endpoints_per_router, per_router);
        assert_int_equal(topology->endpoints, topology->routers * per_router);
        assert_int_equal(vef_topology_router_of(topology, per_router), 1);
        return;
    }
    uint32_t *on = calloc(topology->routers, sizeof *on), most = 0;
    for (uint32_t e = 0; e < topology->endpoints; e++) {
        const uint32_t router = vef_topology_router_of(topology, e);
        assert_true(router < topology->routers);
        most = ++on[router] > most ? on[router] : most;
    }
    assert_int_equal(topology->endpoints_per_router, most);
    free(on);
}

static void test_every_sample_is_a_connected_symmetric_graph(void **state) {
    (void)state;
    for (size_t f = 0; vef_topology_families[f]; f++)
        for (size_t s = 0; vef_topology_families[f]->samples[s]; s++) {
            vef_topology *topology = topology_of(vef_topology_families[f]->name,
                                                 vef_topology_families[f]->samples[s], 3);
            assert_true(topology->routers >= 1);
            assert_int_equal(topology->lattice != NULL, vef_topology_families[f]->lattice);
            check_endpoints(topology, 3);
            check_links(topology);
            check_grid(topology);
            uint32_t diameter;
            average_distance(topology, &diameter);
            assert_true(diameter < topology->routers); /* UINT32_MAX when not connected */
            vef_topology_destroy(topology);
        }
}

/* Both links of a ring of two remain, in parallel, distinguished by port. */
static void test_ring_of_two_has_parallel_links(void **state) {
    (void)state;
    vef_topology *topology = topology_of("torus", "{sizes: [2]}", 1);
    assert_int_equal(topology->ports, 2);
    assert_int_equal(topology->neighbour[0], 1);
    assert_int_equal(topology->neighbour[1], 1);
    assert_int_equal(topology->reverse_port[0], 1);
    vef_topology_destroy(topology);
    topology = topology_of("mesh", "{sizes: [2]}", 1);
    assert_int_equal(topology->neighbour[0], 1);
    assert_int_equal(topology->neighbour[1], VEF_NO_ROUTER);
    vef_topology_destroy(topology);
}

static void test_port_names(void **state) {
    (void)state;
    char name[32];
    vef_topology *topology = topology_of("rtt", "{a: 2}", 1);
    topology->family->port_name(topology, 3, name, sizeof name);
    assert_string_equal(name, "y-");
    vef_topology_destroy(topology);
    topology = topology_of("lattice", "{sizes: [5, 5], generators: [[1, 0], [-1, 1]]}", 1);
    topology->family->port_name(topology, 2, name, sizeof name);
    assert_string_equal(name, "+(-1,1)");
    vef_topology_port_name(topology, 1, name, sizeof name);
    assert_string_equal(name, "x-");
    vef_topology_destroy(topology);
    topology = topology_of("hypercube", "{dimensions: 4}", 1);
    vef_topology_port_name(topology, 6, name, sizeof name);
    assert_string_equal(name, "d3+");
    vef_topology_link_class_name(topology, 2, name, sizeof name);
    assert_string_equal(name, "d2");
    vef_topology_destroy(topology);
}

static void test_what_is_refused(void **state) {
    (void)state;
    static const struct {
        const char *yaml, *says;
    } rows[] = {
        {"family: [x]", "family"},
        {"sizes: [4, 4]", "missing key family: expected one of torus"},
        {"{family: tourus, sizes: [4, 4]}", "did you mean torus"},
        {"{family: torus}", "sizes"},
        {"{family: torus, sizes: []}", "0 dimensions"},
        {"{family: torus, sizes: [4, 0]}", "sizes"},
        {"{family: torus, sizes: [4, -4]}", "sizes"},
        {"{family: torus, sizes: [4, 1]}", "sizes"},
        {"{family: torus, sizes: 4}", "sizes"},
        {"{family: torus, sizes: [2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2]}",
         "25 dimensions"},
        {"{family: torus, sizes: [65536, 65536, 65536]}", "more than"},
        {"{family: torus, sizes: [16777216, 16777216]}", "more than"},
        {"{family: torus, sizes: [4], shape: round}", "shape"},
        {"{family: mesh, sizes: [100000]}", "at most 32767"},
        {"{family: torus, sizes: [100000]}", "diameter"},
        {"{family: rt, a: 1}", "a"},
        {"{family: rtt, a: 4000000000}", "a"},
        {"{family: rtt, a: four}", "a"},
        {"{family: lattice, sizes: [4, 4], shifts: [[0, 2], [0]]}", "earlier"},
        {"{family: lattice, sizes: [4, 4], shifts: [[1], [0]]}", "earlier"},
        {"{family: lattice, sizes: [4, 4], shifts: [[2]]}", "expected one for each"},
        {"{family: lattice, sizes: [4, 4], shifts: [[], [2]], wrap: [0, 1]}", "does not wrap"},
        {"{family: lattice, sizes: [4, 4], wrap: [1]}", "wrap"},
        {"{family: lattice, sizes: [4, 4], wrap: [1, 2]}", "wrap"},
        {"{family: lattice, sizes: [4, 4], generators: [[1, 0]]}", "connect only 4 of the 16"},
        {"{family: lattice, sizes: [8], generators: [[2]]}", "connect only 4 of the 8"},
        {"{family: lattice, sizes: [4, 4], generators: [[1, 0], [0]]}", "numbers"},
        {"{family: lattice, sizes: [4, 4], generators: [[1, 0], [0, 4]]}", "less than the size"},
        {"{family: lattice, sizes: [4, 4], generators: [[1, 0], [0, 0]]}", "to itself"},
        {"{family: pt, a: 1}", "a"},
        {"{family: ptt, a: 204}", "a"},
        {"{family: pdtt}", "a"},
        {"{family: diagonal-mesh, sizes: [4, 4, 4]}", "two dimensions"},
        {"{family: diagonal-torus, sizes: [4]}", "two dimensions"},
        {"{family: diagonal-torus, sizes: [4, 4], diagonal: south}", "north-east, north-west"},
        {"{family: king-mesh, sizes: [4, 1]}", "sizes"},
        {"{family: king-torus, sizes: [0, 4]}", "sizes"},
        {"{family: king-torus, sizes: [4, 4], diagonal: north-east}", "diagonal"},
        {"{family: hypercube, dimensions: 0}", "dimensions"},
        {"{family: hypercube, dimensions: 25}", "dimensions"},
        {"{family: hypercube, sizes: [2, 2]}", "sizes"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        assert_topology_refused(rows[i].yaml, 1, rows[i].says);
}

static void test_resolved_configuration_reads_back(void **state) {
    (void)state;
    for (size_t f = 0; vef_topology_families[f]; f++)
        for (size_t s = 0; vef_topology_families[f]->samples[s]; s++) {
            vef_topology *topology = topology_of(vef_topology_families[f]->name,
                                                 vef_topology_families[f]->samples[s], 1);
            char text[1024] = "";
            FILE *out = fmemopen(text, sizeof text, "w");
            vef_arena arena = {0};
            vef_node *config = vef_config_new(&arena);
            vef_topology_put(topology, config);
            vef_node_write_yaml(config, out);
            fclose(out);
            vef_node *root = NULL;
            vef_error error = {0};
            vef_topology *again = NULL;
            if (vef_config_parse(text, "again", &arena, &root, &error) ||
                vef_topology_create(vef_node_get(root, "topology"), 1, &again, &error))
                fail_msg("%s\n%s", text, error.message);
            assert_int_equal(again->routers, topology->routers);
            assert_int_equal(again->ports, topology->ports);
            assert_memory_equal(again->neighbour, topology->neighbour,
                                sizeof(uint32_t) * topology->routers * topology->ports);
            vef_arena_release(&arena);
            vef_topology_destroy(again);
            vef_topology_destroy(topology);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_sample_is_a_connected_symmetric_graph),
        cmocka_unit_test(test_ring_of_two_has_parallel_links),
        cmocka_unit_test(test_port_names),
        cmocka_unit_test(test_what_is_refused),
        cmocka_unit_test(test_resolved_configuration_reads_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
