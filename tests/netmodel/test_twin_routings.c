/* Routings on twin tori.
 *
 * Outside of the program: the way of a packet from the papers' algorithm 1, written again here; the
 * papers' counts of paths that change card in a node and of channels that configurations take; and
 * a search for circles of escapes of our own (escapes.h). */
#include "netmodel/routing/routing.h"
#include "tests/netmodel/escapes.h"
#include "tests/netmodel/twin_ways.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

static void check_dort_way(const vef_routing *routing, uint32_t from, uint32_t to) {
    const vef_topology *topology = routing->topology;
    const vef_twin_torus *twin = vef_twin_torus_of(topology);
    const vef_route route = twin_route(routing, from, to);
    vef_place place = {from, VEF_INJECTED, 0};
    uint32_t external = 0, in_node = 0;
    vef_candidate taken;
    while (twin_only_offer(routing, &route, place, &taken)) {
        assert_int_equal(taken.port, twin_dort_port(twin, place.router, to));
        assert_true(taken.escape && taken.channel < routing->port_channels[taken.port]);
        const bool inner = taken.port == 2 * twin->dimensions;
        external += !inner;
        in_node = inner ? in_node + 1 : 0;
        assert_true(in_node <= 1);
        place = twin_follow(topology, place, taken);
    }
    assert_int_equal(place.router, to);
    assert_int_equal(external, twin_torus_distance(twin, from, to));
}

static void test_dort_goes_as_written(void **state) {
    (void)state;
    for (size_t i = 0; twin_networks[i]; i++)
        for (size_t f = 0; f < 2; f++) {
            vef_topology *topology = topology_of("twin-torus", twin_networks[i], 1);
            vef_routing *routing = routing_of("{algorithm: dort}", topology, twin_flow_controls[f]);
            for (uint32_t from = 0; from < topology->routers; from++)
                for (uint32_t to = 0; to < topology->routers; to++)
                    check_dort_way(routing, from, to);
            vef_routing_destroy(routing);
            vef_topology_destroy(topology);
        }
}

/* The example in dort.c: (0, 0, 0) to (1, 3, 1), both on card 0. */
static void test_dort_example(void **state) {
    (void)state;
    static const uint8_t expected[][2] = {/* port, channel */
                                          {0, 0}, {6, 1}, {3, 0}, {6, 0}, {4, 0}, {6, 3}};
    vef_topology *topology =
        topology_of("twin-torus", "{sizes: [4, 4, 4], card0: [x+, x-, y+]}", 1);
    vef_routing *routing = routing_of("{algorithm: dort}", topology, VEF_FLOW_VIRTUAL_CHANNELS);
    const uint32_t to = 2 * (1 + 3 * 4 + 1 * 16);
    const vef_route route = twin_route(routing, 0, to);
    vef_place place = {0, VEF_INJECTED, 0};
    for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++) {
        vef_candidate taken;
        assert_true(twin_only_offer(routing, &route, place, &taken));
        assert_int_equal(taken.port, expected[i][0]);
        assert_int_equal(taken.channel, expected[i][1]);
        place = twin_follow(topology, place, taken);
    }
    assert_int_equal(place.router, to);
    vef_routing_destroy(routing);
    vef_topology_destroy(topology);
}

/* ---- the papers' counts ---- */

/* Paths between nodes that go through node `through`, and those that change card in it. */
static void count_crossings(const vef_routing *routing, uint32_t through, uint32_t *paths,
                            uint32_t *crossing) {
    const vef_topology *topology = routing->topology;
    *paths = *crossing = 0;
    for (uint32_t from = 0; from < topology->routers; from += 2)
        for (uint32_t to = 0; to < topology->routers; to += 2) {
            if (from / 2 == to / 2 || from / 2 == through || to / 2 == through)
                continue;
            const vef_route route = twin_route(routing, from, to);
            vef_place place = {from, VEF_INJECTED, 0};
            vef_candidate taken;
            uint32_t visits = 0, inner = 0;
            while (twin_only_offer(routing, &route, place, &taken)) {
                visits += place.router / 2 == through;
                inner += place.router / 2 == through && taken.port + 1u == topology->ports;
                place = twin_follow(topology, place, taken);
            }
            *paths += visits > 0;
            *crossing += inner;
        }
}

/* 3DT paper, table 1.1 and section 5: configurations A, B and C of k = 4; C of 5 and 6. */
static void test_crossings_are_those_of_the_papers(void **state) {
    (void)state;
    static const struct {
        const char *parameters;
        uint32_t crossing, paths;
    } rows[] = {
        {"{sizes: [4, 4, 4], card0: [x+, y+, z+]}", 93, 129},
        {"{sizes: [4, 4, 4], card0: [x+, y+, y-]}", 79, 129},
        {"{sizes: [4, 4, 4], card0: [x+, x-, y+]}", 49, 129},
        {"{sizes: [5, 5, 5], card0: [x+, x-, y+]}", 146, 326},
        {"{sizes: [6, 6, 6], card0: [x+, x-, y+]}", 289, 757},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        vef_topology *topology = topology_of("twin-torus", rows[i].parameters, 1);
        vef_routing *routing = routing_of("{algorithm: dort}", topology, VEF_FLOW_BUBBLE);
        uint32_t paths, crossing;
        count_crossings(routing, 7, &paths, &crossing);
        assert_int_equal(paths, rows[i].paths);
        assert_int_equal(crossing, rows[i].crossing);
        vef_routing_destroy(routing);
        vef_topology_destroy(topology);
    }
}

/* 3DT deadlock paper, sections 2.3.1 and 2.3.2: 7 and 4 where all dimensions are split, else 4 and
 * 3; nDT paper, section 4.1: 2 for even n, 11 and 15 for 5DT and 7DT with all split. */
static void test_channels_are_those_of_the_papers(void **state) {
    (void)state;
    static const struct {
        const char *parameters;
        uint8_t by_channels, by_bubble;
    } rows[] = {
        {"{sizes: [4, 4, 4]}", 4, 3},
        {"{sizes: [3, 3, 3], card0: [x+, y-, z+]}", 7, 4},
        {"{sizes: [4, 4, 4], card0: [x+, y+, y-]}", 4, 3},
        {"{sizes: [4, 4, 4], card0: [x+, x-, z-]}", 4, 3},
        {"{sizes: [2, 2, 2, 2, 2]}", 4, 3},
        {"{sizes: [2, 2, 2, 2, 2, 2, 2]}", 4, 3},
        {"{sizes: [2, 2, 2, 2]}", 2, 2},
        {"{sizes: [2, 2, 2, 2, 2], card0: [d0+, d1-, d2+, d3-, d4-]}", 11, 6},
        {"{sizes: [2, 2, 2, 2, 2, 2, 2], card0: [d0+, d1+, d2+, d3+, d4+, d5+, d6+]}", 15, 8},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        for (size_t f = 0; f < 2; f++) {
            vef_topology *topology = topology_of("twin-torus", rows[i].parameters, 1);
            vef_routing *routing = routing_of("{algorithm: dort}", topology, twin_flow_controls[f]);
            const uint8_t inner = f == 0 ? rows[i].by_channels : rows[i].by_bubble;
            assert_int_equal(routing->channels, inner);
            for (uint32_t port = 0; port + 1 < topology->ports; port++)
                assert_int_equal(routing->port_channels[port], f == 0 ? 2 : 1);
            assert_int_equal(routing->port_channels[topology->ports - 1], inner);
            vef_routing_destroy(routing);
            vef_topology_destroy(topology);
        }
}

/* ---- freedom from deadlock ---- */

static void test_no_circles(void **state) {
    (void)state;
    for (size_t i = 0; twin_networks[i]; i++)
        for (size_t f = 0; f < 2; f++) {
            vef_topology *topology = topology_of("twin-torus", twin_networks[i], 1);
            vef_routing *routing = routing_of("{algorithm: dort}", topology, twin_flow_controls[f]);
            const uint32_t rings = twin_assert_free(routing, twin_networks[i]);
            /* Rings are whole only where some packet goes on: from size 4 on. */
            if (f == 0 || strstr(twin_networks[i], "[3, 3, 3]"))
                assert_int_equal(rings, 0);
            vef_routing_destroy(routing);
            vef_topology_destroy(topology);
        }
    /* k = 4: each of 16 lines of each dimension has a ring in the twin_direction +, none in -. */
    vef_topology *topology = topology_of("twin-torus", "{sizes: [4, 4, 4]}", 1);
    vef_routing *routing = routing_of("{algorithm: dort}", topology, VEF_FLOW_BUBBLE);
    assert_int_equal(twin_assert_free(routing, "4 x 4 x 4"), 3 * 16);
    vef_routing_destroy(routing);
    vef_topology_destroy(topology);
}

static void test_fewer_inner_channels_have_circles(void **state) {
    (void)state;
    static const char *const sizes[] = {
        "{sizes: [3, 2, 3]}",       "{sizes: [3, 3, 3], card0: [x+, x-, y-]}",
        "{sizes: [4, 4, 4]}",       "{sizes: [3, 2, 3, 2]}",
        "{sizes: [2, 2, 2, 2, 2]}", "{sizes: [3, 3, 3], card0: [x+, y+, y-]}"};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        for (size_t f = 0; f < 2; f++) {
            vef_topology *topology = topology_of("twin-torus", sizes[i], 1);
            vef_routing *whole = routing_of("{algorithm: dort}", topology, twin_flow_controls[f]);
            /* One for all types, and types 1 and 3 on the same. */
            const uint32_t few[] = {1, whole->channels - 1};
            for (size_t c = 0; c < 2; c++) {
                const uint32_t fewer = few[c];
                char yaml[80];
                snprintf(yaml, sizeof yaml, "{algorithm: dort, inner_channels: %u, unsafe: true}",
                         fewer);
                vef_routing *routing = routing_of(yaml, topology, twin_flow_controls[f]);
                assert_int_equal(routing->port_channels[topology->ports - 1], fewer);
                const escapes found = search_escapes(routing);
                assert_int_equal(found.stuck, 0);
                if (found.circles == 0)
                    fail_msg("%s with %u inner channels: none found", sizes[i], fewer);
                vef_routing_destroy(routing);
            }
            vef_routing_destroy(whole);
            vef_topology_destroy(topology);
        }
}

/* ---- in the network ---- */

static void test_bursts_arrive(void **state) {
    (void)state;
    for (size_t i = 0; twin_networks[i]; i++)
        for (int bubble = 0; bubble < 2; bubble++)
            twin_check_burst(twin_networks[i], "{algorithm: dort}", bubble, 1);
}

typedef struct flows {
    const char *topology;
    uint32_t count, pairs[4][2]; /* of routers, which have two endpoints each */
} flows;

/* Whether the network locks up while each first router of a pair sends to the second. */
static bool locks_up(const flows *given, const char *routing, twin_settings how) {
    enum { EACH = 200 };
    vef_netmodel *model = twin_network(given->topology, routing, how);
    for (uint32_t p = 0; p < given->count; p++)
        for (uint32_t i = 0; i < EACH; i++)
            twin_send(model, 2 * given->pairs[p][0] + i % 2, 2 * given->pairs[p][1] + i % 2, 0);
    char text[4096];
    const bool whole = twin_run_out(model) == (uint64_t)EACH * given->count;
    const bool locked = model->kind->deadlock(model, text, sizeof text);
    assert_true(whole != locked);
    vef_netmodel_destroy(model);
    return locked;
}

/* nDT paper, examples 4.1 (two nodes in the split dimension) and 4.2 (their o is node 0): on one
 * inner channel the packets that they name can lock up, which depends on who goes first; on as many
 * as DORT takes all arrive. (With bubble the circle of 4.1 is there, as above, but it takes more of
 * a coincidence than comes about here.) */
static void test_the_papers_deadlocks(void **state) {
    (void)state;
    enum { FAR = 2 * 3, NEXT = 2 * (1 + 3 + 9) }; /* nodes (0, 1, 0), (1, 1, 1) */
    static const flows examples[] = {
        {"{sizes: [3, 2, 3]}", 4, {{0, FAR}, {FAR, 0}, {1, FAR + 1}, {FAR + 1, 1}}},
        {"{sizes: [3, 3, 3], card0: [x+, x-, y-]}", 2, {{1, NEXT}, {NEXT + 1, 0}}},
    };
    for (size_t e = 0; e < 2; e++)
        for (int bubble = 0; bubble < 2; bubble++) {
            uint32_t locked = 0;
            for (uint32_t seed = 1; seed <= 8; seed++)
                for (int transit_first = 0; transit_first < 2; transit_first++) {
                    const twin_settings how = {bubble, transit_first, seed};
                    locked += locks_up(&examples[e],
                                       "{algorithm: dort, inner_channels: 1, unsafe: true}", how);
                    assert_false(locks_up(&examples[e], "{algorithm: dort}", how));
                }
            if (locked == 0 && (e != 0 || !bubble))
                fail_msg("example 4.%zu, %s: never locked up", e + 1,
                         bubble ? "bubble" : "virtual channels");
        }
}

static void test_what_is_refused(void **state) {
    (void)state;
    static const char *const rows[][2] = {
        {"{topology: {family: torus, sizes: [4, 4]}, routing: {algorithm: dort}}",
         "expected topology twin-torus, not torus"},
        {"{topology: {family: twin-torus, sizes: [4, 4, 4]}, routing: {algorithm: dort, "
         "inner_channels: 2}}",
         "needs 3"},
        {"{topology: {family: twin-torus, sizes: [4, 4, 4]}, routing: {algorithm: dort, "
         "inner_channels: 3}, router: {flow_control: virtual-channels}}",
         "needs 4"},
        {"{topology: {family: twin-torus, sizes: [4, 4, 4]}, routing: {algorithm: dort, "
         "inner_channels: 5, unsafe: true}, router: {flow_control: virtual-channels}}",
         "others would stay unused"},
        {"{topology: {family: twin-torus, sizes: [4, 4, 4]}, routing: {algorithm: dort}, router: "
         "{queue_packets: 1}}",
         "expected at least 2"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        assert_network_refused(rows[i][0], rows[i][1]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_dort_goes_as_written),
        cmocka_unit_test(test_dort_example),
        cmocka_unit_test(test_crossings_are_those_of_the_papers),
        cmocka_unit_test(test_channels_are_those_of_the_papers),
        cmocka_unit_test(test_no_circles),
        cmocka_unit_test(test_fewer_inner_channels_have_circles),
        cmocka_unit_test(test_bursts_arrive),
        cmocka_unit_test(test_the_papers_deadlocks),
        cmocka_unit_test(test_what_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
