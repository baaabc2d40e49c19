/* Twin tori: port configurations, the graph against its definition written once more here, and
 * the facts that the papers print (Andujar et al.: "Building 3D Torus Using Low-Profile Expansion
 * Cards"; "N-Dimensional Twin Torus Networks"). */
#include "netmodel/topology/twin/twin_torus.h"
#include "tests/netmodel/networks.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

/* (2n)! / (2 n! n!): 10, 126 and 1716 for n = 3, 5 and 7 (thesis, section 1.2). */
static void test_every_configuration_comes_once(void **state) {
    (void)state;
    static const uint32_t expected[] = {0, 1, 3, 10, 35, 126, 462, 1716, 6435};
    for (uint32_t n = 1; n < sizeof expected / sizeof expected[0]; n++) {
        uint64_t ports = 0, last = 0;
        uint32_t count = 0;
        for (; vef_twin_next_configuration(n, &ports); count++) {
            assert_true(ports > last); /* none twice */
            last = ports;
            assert_int_equal(__builtin_popcountll(ports), n);
            assert_true(ports & 1);
            assert_int_equal(ports >> 2 * n, 0);
        }
        assert_int_equal(count, expected[n]);
    }
}

/* A configuration spelled out for the brute force here: [port]: its card. */
static void cards_of(uint32_t dimensions, uint64_t card0_ports, uint32_t *card) {
    for (uint32_t port = 0; port < 2 * dimensions; port++)
        card[port] = (card0_ports >> port & 1) != 0 ? 0 : 1;
}

/* Definition 2.1: links of the n-cube k-ary, a port of each direction of each dimension, on the
 * cards given, and one link between the cards. Checks every port of every router. */
static void check_graph(const vef_topology *topology, uint32_t n, const uint32_t *sizes,
                        const uint32_t *card) {
    uint32_t nodes = 1;
    for (uint32_t d = 0; d < n; d++)
        nodes *= sizes[d];
    assert_int_equal(topology->routers, 2 * nodes);
    assert_int_equal(topology->ports, 2 * n + 1);
    for (uint32_t router = 0; router < topology->routers; router++) {
        const uint32_t *next = topology->neighbour + (size_t)router * topology->ports;
        const uint16_t *back = topology->reverse_port + (size_t)router * topology->ports;
        uint32_t connected = 0, stride = 2;
        assert_int_equal(next[2 * n], router ^ 1);
        assert_int_equal(back[2 * n], 2 * n);
        for (uint32_t port = 0; port < 2 * n; port++) {
            const uint32_t size = sizes[port / 2], digit = router / stride % size;
            if (card[port] != router % 2) {
                assert_int_equal(next[port], VEF_NO_ROUTER);
            } else {
                const uint32_t to = (digit + (port % 2 == 0 ? 1 : size - 1)) % size;
                const uint32_t node = router / 2 * 2 - digit * stride + to * stride;
                assert_int_equal(next[port], node + card[port ^ 1]);
                assert_int_equal(back[port], port ^ 1);
                connected++;
            }
            stride *= port % 2 == 0 ? 1 : size;
        }
        assert_int_equal(connected, n);
    }
}

static void test_graph_is_that_of_the_definition(void **state) {
    (void)state;
    static const struct {
        const char *parameters;
        uint32_t n, sizes[5];
        uint64_t card0;
    } rows[] = {
        /* best configurations: odd n with an odd middle size, an even one, and even n */
        {"{sizes: [4, 3, 4]}", 3, {4, 3, 4}, 0x0b},
        {"{sizes: [4, 4, 4]}", 3, {4, 4, 4}, 0x07},
        {"{sizes: [3, 2, 5, 4]}", 4, {3, 2, 5, 4}, 0x0f},
        {"{sizes: [2, 3, 5, 2, 4]}", 5, {2, 3, 5, 2, 4}, 0x2f},
        {"{sizes: [5, 4, 3], card0: [X+, Y+, Z+]}", 3, {5, 4, 3}, 0x15},
        {"{sizes: [5, 4, 3], card0: [y-, X+, y+]}", 3, {5, 4, 3}, 0x0d},
        {"{sizes: [2, 2, 2], card0: [d1-, D2+, d2-]}", 3, {2, 2, 2}, 0x38},
        {"{sizes: [2, 3, 2, 4], card0: [z+, d3-, d3+, x-]}", 4, {2, 3, 2, 4}, 0xd2},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        uint32_t card[10];
        cards_of(rows[i].n, rows[i].card0, card);
        for (uint32_t each = 1; each <= 3; each++) {
            vef_topology *topology = topology_of("twin-torus", rows[i].parameters, each);
            check_graph(topology, rows[i].n, rows[i].sizes, card);
            assert_int_equal(topology->endpoints, each * topology->routers);
            assert_int_equal(vef_topology_router_of(topology, each), 1);
            const vef_twin_torus *twin = vef_twin_torus_of(topology);
            assert_int_equal(twin->card0_ports, rows[i].card0);
            assert_int_equal(twin->dimensions, rows[i].n);
            vef_topology_destroy(topology);
        }
    }
}

/* 3DT paper, sections 3.1 and 3.2: with even k every one of the ten configurations has the same
 * diameter, which their paths there come to: zigzagging across two dimensions, k links, and half a
 * ring of k/2 links and k/2 inner ones; or k/2 links of the first, k/2 and k/2 - 1 inner ones of
 * the second, k/2 of the third, and the inner one at the end: 2k. */
static void test_diameter_of_every_3dt_configuration(void **state) {
    (void)state;
    for (uint32_t k = 4; k <= 8; k += 2) {
        uint64_t ports = 0;
        while (vef_twin_next_configuration(3, &ports)) {
            char list[VEF_TWIN_PORTS_BYTES], parameters[512];
            vef_twin_ports_text(3, ports, list, sizeof list);
            snprintf(parameters, sizeof parameters, "{sizes: [%u, %u, %u], card0: %s}", k, k, k,
                     list);
            vef_topology *topology = topology_of("twin-torus", parameters, 1);
            assert_int_equal(vef_twin_torus_of(topology)->card0_ports, ports);
            uint32_t *distance = malloc(topology->routers * sizeof *distance);
            for (uint32_t router = 0; router < 2; router++) { /* nodes are alike: checked below */
                uint32_t greatest = 0;
                distances_from(topology, router, distance);
                for (uint32_t r = 0; r < topology->routers; r++)
                    greatest = distance[r] > greatest ? distance[r] : greatest;
                assert_int_equal(greatest, 2 * k);
            }
            free(distance);
            vef_topology_destroy(topology);
        }
    }
}

/* Sums of the distances to all routers, weighed so that unlike distributions differ. */
static uint64_t weight_from(const vef_topology *topology, uint32_t router, uint32_t *distance) {
    uint64_t sum = 0;
    distances_from(topology, router, distance);
    for (uint32_t r = 0; r < topology->routers; r++)
        sum += 1ull << 2 * distance[r];
    return sum;
}

/* What a symmetry keeps: routers of an orbit see the same distances and have one port of each of
 * the same kinds, and the pairs of ends of links of one kind see the same distances as well. */
static void test_what_is_claimed_to_be_alike(void **state) {
    (void)state;
    static const struct {
        const char *parameters;
        uint32_t orbits;
    } rows[] = {
        {"{sizes: [3, 3, 3]}", 1},
        {"{sizes: [4, 3, 4]}", 1},
        {"{sizes: [4, 4, 3]}", 2},
        {"{sizes: [5, 4, 3], card0: [X+, Y-, Z+]}", 1},
        {"{sizes: [4, 2, 4], card0: [z-, y+, z+]}", 1},
        {"{sizes: [2, 3, 4], card0: [x+, y+, y-]}", 2},
        {"{sizes: [2, 3, 2, 3]}", 1},
        {"{sizes: [2, 3, 3, 3]}", 2},
        {"{sizes: [2, 3, 2, 3], card0: [d0+, d2-, d1-, d1+]}", 1},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        vef_topology *topology = topology_of("twin-torus", rows[i].parameters, 1);
        assert_int_equal(topology->orbits, rows[i].orbits);
        uint32_t *here = malloc(topology->routers * sizeof *here);
        uint32_t *there = malloc(topology->routers * sizeof *there);
        uint64_t of_orbit[2] = {0}, of_kind[2][16] = {{0}}, kinds[2] = {0};
        for (uint32_t router = 0; router < topology->routers; router++) {
            const uint32_t orbit = vef_topology_orbit(topology, router);
            assert_true(orbit < topology->orbits);
            const uint64_t weight = weight_from(topology, router, here);
            uint64_t has = 0;
            if (of_orbit[orbit] == 0)
                of_orbit[orbit] = weight;
            assert_int_equal(weight, of_orbit[orbit]);
            for (uint32_t port = 0; port < topology->ports; port++) {
                const uint32_t next = topology->neighbour[(size_t)router * topology->ports + port];
                if (next == VEF_NO_ROUTER)
                    continue;
                const uint32_t kind = vef_topology_port_kind(topology, router, port);
                assert_true(kind < topology->ports);
                assert_false(has >> kind & 1);
                has |= 1ull << kind;
                weight_from(topology, next, there);
                uint64_t pairs = 1;
                for (uint32_t r = 0; r < topology->routers; r++)
                    pairs += (uint64_t)(here[r] * here[r] + 1) * (there[r] + 7) * (there[r] + 7) *
                             (there[r] + 7);
                if (of_kind[orbit][kind] == 0)
                    of_kind[orbit][kind] = pairs;
                assert_int_equal(pairs, of_kind[orbit][kind]);
            }
            if (kinds[orbit] == 0)
                kinds[orbit] = has;
            assert_int_equal(has, kinds[orbit]);
        }
        free(here);
        free(there);
        vef_topology_destroy(topology);
    }
}

static void test_names_classes_and_sides(void **state) {
    (void)state;
    char name[VEF_ROUTER_NAME_BYTES];
    vef_topology *topology = topology_of("twin-torus", "{sizes: [4, 3, 6]}", 1);
    vef_topology_router_name(topology, 2 * (1 + 4 * 2 + 12 * 3) + 1, name, sizeof name);
    assert_string_equal(name, "(1, 2, 3) card 1");
    vef_topology_port_name(topology, 3, name, sizeof name);
    assert_string_equal(name, "y-");
    vef_topology_port_name(topology, 6, name, sizeof name);
    assert_string_equal(name, "inner");
    assert_int_equal(topology->link_classes, 4);
    vef_topology_link_class_name(topology, 2, name, sizeof name);
    assert_string_equal(name, "z");
    vef_topology_link_class_name(topology, 3, name, sizeof name);
    assert_string_equal(name, "inner");
    assert_int_equal(vef_topology_link_class(topology, 5, 6), 3);
    assert_int_equal(vef_topology_link_class(topology, 5, 3), 1);
    /* Cards of a node stay together; the axes are those of the torus. */
    assert_int_equal(topology->axes, 3);
    for (uint32_t router = 0; router < topology->routers; router++) {
        const uint32_t node = router / 2;
        assert_int_equal(vef_topology_far_side(topology, 0, router), node % 4 >= 2);
        assert_int_equal(vef_topology_far_side(topology, 1, router), node / 4 % 3 >= 1);
        assert_int_equal(vef_topology_far_side(topology, 2, router), node / 12 >= 3);
    }
    vef_topology_destroy(topology);
    topology = topology_of("twin-torus", "{sizes: [2, 2, 2, 2]}", 1);
    vef_topology_port_name(topology, 5, name, sizeof name);
    assert_string_equal(name, "d2-");
    vef_topology_link_class_name(topology, 3, name, sizeof name);
    assert_string_equal(name, "d3");
    vef_topology_destroy(topology);
}

static void test_what_is_refused(void **state) {
    (void)state;
    static const struct {
        const char *parameters, *says;
    } rows[] = {
        {"sizes: [4, 4]", "2 dimensions: out of range: expected 3 to 23"},
        {"sizes: []", "0 dimensions"},
        {"sizes: [4, 4, 1]", "from 2"},
        {"sizes: [4, 0, 4]", "from 2"},
        {"sizes: [16777216, 16777216, 16777216]", "more than 8388608 nodes"},
        {"sizes: [256, 256, 256]", "more than 8388608 nodes"},
        {"sizes: [4, 4, 4], card0: [X+, X-]", "2 ports: each card has 3 of the 6"},
        {"sizes: [4, 4, 4], card0: [X+, X-, Y+, Y-]", "4 ports: each card has 3"},
        {"sizes: [4, 4, 4], card0: [X+, X-, x+]", "duplicate port x+"},
        {"sizes: [4, 4, 4], card0: [X+, X-, d0-]", "duplicate port d0-"},
        {"sizes: [4, 4, 4], card0: [X+, X-, W+]",
         "'W+' is not a port of 3 dimensions: expected x+, x-"},
        {"sizes: [4, 4, 4], card0: [X+, X-, Y]", "'Y' is not a port"},
        {"sizes: [4, 4, 4], card0: [X+, X-, d3+]", "'d3+' is not a port of 3 dimensions"},
        {"sizes: [4, 4, 4], card0: [X+, X-, d01+]", "'d01+' is not a port"},
        {"sizes: [4, 4, 4], card0: [X+, X-, d+]", "'d+' is not a port"},
        {"sizes: [4, 4, 4], card0: [X+, X-, '']", "'' is not a port"},
        {"sizes: [4, 4, 4], card0: X+", "card0"},
        {"sizes: [4, 4, 4], card1: [X+, X-, Y+]", "card1"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char yaml[256];
        snprintf(yaml, sizeof yaml, "{family: twin-torus, %s}", rows[i].parameters);
        assert_topology_refused(yaml, 1, rows[i].says);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_graph_is_that_of_the_definition),
        cmocka_unit_test(test_diameter_of_every_3dt_configuration),
        cmocka_unit_test(test_what_is_claimed_to_be_alike),
        cmocka_unit_test(test_names_classes_and_sides),
        cmocka_unit_test(test_what_is_refused),
        cmocka_unit_test(test_every_configuration_comes_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
