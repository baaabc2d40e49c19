/* The cost of a mapping: by hand on a line and a ring, and on random traffic against a message at a
 * time, whose loads are divided by a recursion of the definition in cost.h. */
#include "mappings/cost.h"
#include "tests/mappings/traffic.h"
#include "tests/netmodel/networks.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
// cmocka.h needs the first four of the standard library above.
#include <cmocka.h>

static vef_mapping_cost cost_of(const matrix *self, const vef_mapping *mapping,
                                const vef_topology *topology, uint32_t nics, double *load) {
    vef_traffic_matrix traffic;
    vef_mapping_cost cost;
    vef_error error;
    traffic_of(self, &traffic);
    assert_int_equal(
        vef_mapping_cost_measure(mapping, &traffic, topology, nics, load, &cost, &error), VEF_OK);
    vef_traffic_matrix_free(&traffic);
    return cost;
}

/* A ring of four: 0 sends 100 bytes to 1, 60 to 2 (two ways of 30 each) and 7 to itself; 3 sends 10
 * to 2. */
static void ring_by_hand(void **state) {
    (void)state;
    matrix m = {.tasks = 4};
    m.bytes[0][1] = 100;
    m.bytes[0][2] = 60;
    m.bytes[0][0] = 7;
    m.bytes[3][2] = 10;
    vef_topology *ring = topology_of("torus", "{sizes: [4]}", 1);
    vef_mapping *mapping = map_by("identity", &m, ring, 1);
    double load[8];
    const vef_mapping_cost cost = cost_of(&m, mapping, ring, 1, load);
    assert_true(cost.bytes == 170 && cost.local_bytes == 0);
    assert_true(cost.hop_bytes == 100 + 120 + 10);
    assert_true(fabs(cost.dilation_mean - 4.0 / 3) < 1e-12);
    assert_int_equal(cost.dilation_max, 2);
    assert_true(cost.link_load_max == 130 && cost.busiest_router == 0);
    assert_true(cost.link_load_mean == 230.0 / 8);
    vef_mapping_destroy(mapping);
    vef_topology_destroy(ring);
    /* Two tasks on each router: those of one router are in different nodes, unless a node has two
     * interfaces. */
    vef_topology *line = topology_of("mesh", "{sizes: [2]}", 2);
    mapping = map_by("block", &m, line, 1);
    assert_true(cost_of(&m, mapping, line, 1, NULL).local_bytes == 0);
    assert_true(cost_of(&m, mapping, line, 2, NULL).local_bytes == 110);
    assert_true(cost_of(&m, mapping, line, 2, NULL).hop_bytes == 60);
    vef_mapping_destroy(mapping);
    vef_topology_destroy(line);
}

/* A message at `router`, of which `bytes` go on to `to`. */
static void send_on(const vef_topology *topology, const uint32_t *hops, uint32_t router,
                    double bytes, double *load) {
    uint32_t nearer = 0;
    if (hops[router] == 0)
        return;
    const uint32_t *neighbour = topology->neighbour + (size_t)router * topology->ports;
    for (uint32_t p = 0; p < topology->ports; p++)
        nearer += neighbour[p] != VEF_NO_ROUTER && hops[neighbour[p]] < hops[router];
    for (uint32_t p = 0; p < topology->ports; p++)
        if (neighbour[p] != VEF_NO_ROUTER && hops[neighbour[p]] < hops[router]) {
            load[(size_t)router * topology->ports + p] += bytes / nearer;
            send_on(topology, hops, neighbour[p], bytes / nearer, load);
        }
}

static void against_single_messages(void **state) {
    (void)state;
    static const struct {
        const char *family, *parameters;
    } networks[] = {{"torus", "{sizes: [4, 3, 2]}"},
                    {"mesh", "{sizes: [5, 5]}"},
                    {"rtt", "{a: 4}"},
                    {"kary-ntree", "{k: 3, n: 3}"}};
    for (size_t n = 0; n < sizeof networks / sizeof *networks; n++) {
        vef_topology *topology = topology_of(networks[n].family, networks[n].parameters, 1);
        const size_t links = (size_t)topology->routers * topology->ports;
        double *load = calloc(2 * links, sizeof *load), *wanted = load + links;
        uint32_t *hops = calloc(topology->routers, sizeof *hops);
        matrix m;
        random_traffic(&m, 24, 100, n);
        vef_mapping *mapping = map_by("random(4)", &m, topology, 1);
        const vef_mapping_cost cost = cost_of(&m, mapping, topology, 1, load);
        double most = 0;
        for (uint32_t d = 0; d < m.tasks; d++) {
            distances_from(topology, vef_topology_router_of(topology, mapping->endpoint[d]), hops);
            for (uint32_t s = 0; s < m.tasks; s++)
                send_on(topology, hops, vef_topology_router_of(topology, mapping->endpoint[s]),
                        (double)m.bytes[s][d], wanted);
        }
        for (size_t l = 0; l < links; l++) {
            assert_true(fabs(load[l] - wanted[l]) < 1e-6);
            most = wanted[l] > most ? wanted[l] : most;
        }
        assert_true(fabs(cost.link_load_max - most) < 1e-6);
        assert_true(cost.hop_bytes == hop_bytes_of(&m, mapping, topology));
        vef_mapping_destroy(mapping);
        free(load);
        free(hops);
        vef_topology_destroy(topology);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ring_by_hand),
        cmocka_unit_test(against_single_messages),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
