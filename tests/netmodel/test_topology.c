/* Topologies: every family of the table on its samples against its own graph, the lattice family
 * against the distances that its papers print, and what is refused. */
#include "netmodel/topology/lattice.h"
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
        uint32_t at[VEF_MAX_DIMENSIONS];
        vef_topology_coordinates(topology, router, at);
        assert_int_equal(vef_topology_router_at(topology, at), router);
    }
}

static void test_every_sample_is_a_connected_symmetric_graph(void **state) {
    (void)state;
    for (size_t f = 0; vef_topology_families[f]; f++)
        for (size_t s = 0; vef_topology_families[f]->samples[s]; s++) {
            vef_topology *topology = topology_of(vef_topology_families[f]->name,
                                                 vef_topology_families[f]->samples[s], 3);
            assert_true(topology->routers >= 2);
            assert_int_equal(topology->lattice != NULL, vef_topology_families[f]->lattice);
            assert_int_equal(topology->endpoints, topology->routers * 3);
            assert_int_equal(vef_topology_router_of(topology, 3), 1);
            check_links(topology);
            check_grid(topology);
            uint32_t diameter;
            average_distance(topology, &diameter);
            assert_true(diameter < topology->routers); /* UINT32_MAX when not connected */
            vef_topology_destroy(topology);
        }
}

/* Follows a record from `source`, generator by generator; returns where it ends. */
static uint32_t follow(const vef_topology *topology, uint32_t source, const int *record) {
    uint32_t at = source;
    for (uint32_t g = 0; g < topology->lattice->generators; g++)
        for (int left = record[g]; left != 0; left += left > 0 ? -1 : 1) {
            uint32_t port = left > 0 ? 2 * g : 2 * g + 1;
            at = topology->neighbour[(size_t)at * topology->ports + port];
            assert_int_not_equal(at, VEF_NO_ROUTER);
        }
    return at;
}

/* All vectors of `generators` counts with sum of magnitudes `length` that lead to `destination`. */
static uint32_t count_by_trying(const vef_topology *topology, uint32_t source, uint32_t destination,
                                uint32_t g, int length) {
    if (length == 0)
        return source == destination;
    if (g == topology->lattice->generators)
        return 0;
    uint32_t found = count_by_trying(topology, source, destination, g + 1, length);
    for (uint32_t port = 2 * g; port <= 2 * g + 1; port++) {
        uint32_t at = source;
        for (int steps = 1; steps <= length; steps++) {
            at = topology->neighbour[(size_t)at * topology->ports + port];
            if (at == VEF_NO_ROUTER)
                break;
            found += count_by_trying(topology, at, destination, g + 1, length - steps);
        }
    }
    return found;
}

static void check_records(const vef_topology *topology, uint32_t source, uint32_t destination,
                          uint32_t distance) {
    const vef_lattice *lattice = topology->lattice;
    vef_minimal minimal;
    vef_lattice_minimal(lattice, source, destination, &minimal);
    assert_true(minimal.count >= 1);
    for (uint32_t i = 0; i < minimal.count; i++) {
        int record[VEF_MAX_GENERATORS];
        uint32_t length = 0;
        for (uint32_t g = 0; g < lattice->generators; g++) {
            record[g] = minimal.records[i * lattice->generators + g] + minimal.straight[g];
            length += (uint32_t)abs(record[g]);
        }
        assert_int_equal(length, distance);
        assert_int_equal(follow(topology, source, record), destination);
        for (uint32_t j = 0; j < i; j++)
            assert_memory_not_equal(minimal.records + i * lattice->generators,
                                    minimal.records + j * lattice->generators,
                                    lattice->generators * sizeof(int16_t));
    }
    if (topology->routers <= 32) /* none is missing */
        assert_int_equal(minimal.count,
                         count_by_trying(topology, source, destination, 0, (int)distance));
}

static void test_records_are_all_the_minimal_ones(void **state) {
    (void)state;
    for (size_t f = 0; vef_topology_families[f]; f++)
        for (size_t s = 0; vef_topology_families[f]->samples[s]; s++) {
            vef_topology *topology = topology_of(vef_topology_families[f]->name,
                                                 vef_topology_families[f]->samples[s], 1);
            if (topology->lattice) {
                assert_non_null(topology->lattice->first);
                uint32_t *distance = malloc(topology->routers * sizeof *distance);
                for (uint32_t a = 0; a < topology->routers; a++) {
                    distances_from(topology, a, distance);
                    for (uint32_t b = 0; b < topology->routers; b++)
                        check_records(topology, a, b, distance[b]);
                }
                free(distance);
            }
            vef_topology_destroy(topology);
        }
}

/* Camara et al., TPDS 2010, sections 2 and 4 (RT to PDTT); Stafford et al. (diagonal and king). */
static void test_distances_of_the_papers(void **state) {
    (void)state;
    static const struct {
        const char *family, *parameters;
        uint32_t diameter;
        double average;
    } rows[] = {
        {"rt", "{a: 4}", 6, 3.0},
        {"rtt", "{a: 4}", 4, 2.625},
        {"rt", "{a: 16}", 24, 12.0},
        {"rtt", "{a: 16}", 16, 10.65625},
        {"lattice", "{sizes: [16, 8, 8]}", 16, 8.0},
        {"lattice", "{sizes: [16, 8, 8], shifts: [[], [8], []]}", 12, 7.3125},
        {"lattice", "{sizes: [16, 8, 8], shifts: [[], [8], [8]]}", 12, 6.96875},
        {"torus", "{sizes: [16, 16]}", 16, 8.0},
        {"lattice", "{sizes: [16, 16], generators: [[1,0], [0,1], [1,1], [-1,1]]}", 8, 5.34375},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        vef_topology *topology = topology_of(rows[i].family, rows[i].parameters, 1);
        uint32_t diameter;
        double average = average_distance(topology, &diameter);
        assert_int_equal(diameter, rows[i].diameter);
        assert_near(average, rows[i].average, 1e-12);
        vef_topology_destroy(topology);
    }
}

/* Camara et al., section 2: 1, then 4d routers at distance 0 < d < a, then 2a - 1 at distance a. */
static void test_distribution_and_average_of_rtt(void **state) {
    (void)state;
    for (uint32_t a = 2; a <= 20; a++) {
        char parameters[32];
        snprintf(parameters, sizeof parameters, "{a: %u}", a);
        vef_topology *topology = topology_of("rtt", parameters, 1);
        uint32_t *distance = malloc(topology->routers * sizeof *distance);
        uint32_t at_distance[64] = {0};
        uint64_t sum = 0;
        distances_from(topology, 0, distance);
        for (uint32_t r = 0; r < topology->routers; r++) {
            assert_true(distance[r] <= a);
            at_distance[distance[r]]++;
            sum += distance[r];
        }
        assert_int_equal(at_distance[0], 1);
        for (uint32_t d = 1; d < a; d++)
            assert_int_equal(at_distance[d], 4 * d);
        assert_int_equal(at_distance[a], 2 * a - 1);
        /* average a (4 a^2 - 1) / (6 a^2), times the 2 a^2 routers */
        assert_int_equal(sum * 3, a * (4 * a * a - 1));
        free(distance);
        vef_topology_destroy(topology);
    }
}

/* Both links of a ring of two stay, in parallel; a router's own links are told apart by port. */
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

static void test_large_lattice(void **state) {
    (void)state;
    vef_topology *topology =
        topology_of("lattice", "{sizes: [64, 32, 32], shifts: [[], [32], [32]]}", 1);
    assert_int_equal(topology->routers, 65536);
    /* 6 ports x 6 bytes per router, and a few records for each difference */
    assert_true(topology->arena.held_bytes < 8u << 20);
    uint32_t *distance = malloc(topology->routers * sizeof *distance);
    distances_from(topology, 0, distance);
    for (uint32_t r = 0; r < topology->routers; r++) {
        uint32_t length = 0;
        const int16_t *record =
            topology->lattice->records + (size_t)topology->lattice->first[r] * 3;
        for (uint32_t g = 0; g < 3; g++)
            length += (uint32_t)abs(record[g]);
        assert_int_equal(length, distance[r]);
    }
    free(distance);
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
    vef_topology_destroy(topology);
}

static void test_what_is_refused(void **state) {
    (void)state;
    static const struct {
        const char *yaml, *says;
    } rows[] = {
        {"family: [x]", "family"},
        {"sizes: [4, 4]", "the key family is to name one of torus"},
        {"{family: tourus, sizes: [4, 4]}", "did you mean torus"},
        {"{family: torus}", "sizes"},
        {"{family: torus, sizes: []}", "0 dimensions"},
        {"{family: torus, sizes: [4, 0]}", "sizes"},
        {"{family: torus, sizes: [4, -4]}", "sizes"},
        {"{family: torus, sizes: [4, 1]}", "sizes"},
        {"{family: torus, sizes: 4}", "sizes"},
        {"{family: torus, sizes: [2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2]}", "25 dimensions"},
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
        {"{family: lattice, sizes: [4, 4], shifts: [[2]]}", "one row for each"},
        {"{family: lattice, sizes: [4, 4], shifts: [[], [2]], wrap: [0, 1]}", "does not wrap"},
        {"{family: lattice, sizes: [4, 4], wrap: [1]}", "wrap"},
        {"{family: lattice, sizes: [4, 4], wrap: [1, 2]}", "wrap"},
        {"{family: lattice, sizes: [4, 4], generators: [[1, 0]]}", "connect only 4 of the 16"},
        {"{family: lattice, sizes: [8], generators: [[2]]}", "connect only 4 of the 8"},
        {"{family: lattice, sizes: [4, 4], generators: [[1, 0], [0]]}", "numbers"},
        {"{family: lattice, sizes: [4, 4], generators: [[1, 0], [0, 4]]}", "less than the size"},
        {"{family: lattice, sizes: [4, 4], generators: [[1, 0], [0, 0]]}", "to itself"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        vef_arena arena = {0};
        vef_node *node = NULL;
        vef_error error = {0};
        vef_topology *topology = NULL;
        assert_int_equal(vef_config_parse(rows[i].yaml, "net.yaml", &arena, &node, &error), VEF_OK);
        vef_code code = vef_topology_create(node, 1, &topology, &error);
        if (code != VEF_INVALID || !strstr(error.message, rows[i].says) ||
            strncmp(error.message, "net.yaml:1:", 11) != 0)
            fail_msg("%s gave %d: %s", rows[i].yaml, (int)code, error.message);
        assert_null(topology);
        vef_arena_release(&arena);
    }
}

static void test_resolved_configuration_reads_back(void **state) {
    (void)state;
    for (size_t f = 0; vef_topology_families[f]; f++)
        for (size_t s = 0; vef_topology_families[f]->samples[s]; s++) {
            vef_topology *topology = topology_of(vef_topology_families[f]->name,
                                                 vef_topology_families[f]->samples[s], 1);
            char text[1024] = "";
            FILE *out = fmemopen(text, sizeof text, "w");
            vef_topology_write(topology, out, 0);
            fclose(out);
            vef_arena arena = {0};
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
        cmocka_unit_test(test_records_are_all_the_minimal_ones),
        cmocka_unit_test(test_distances_of_the_papers),
        cmocka_unit_test(test_distribution_and_average_of_rtt),
        cmocka_unit_test(test_ring_of_two_has_parallel_links),
        cmocka_unit_test(test_large_lattice),
        cmocka_unit_test(test_port_names),
        cmocka_unit_test(test_what_is_refused),
        cmocka_unit_test(test_resolved_configuration_reads_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
