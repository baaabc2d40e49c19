/* TS-DOR on twin tori.
 *
 * Invariants: as many external links as the distance in the torus, at most one crossing in a node;
 * in the order that the source's card says, on that card's channels; no circles of escapes by a
 * search of our own (escapes.h); bursts arrive. */
#include "netmodel/deadlock/deadlock.h"
#include "tests/netmodel/twin_ways.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

/* Halves of the dimensions on either card, whichever has which, the middle split either way. */
static const char *const halves[] = {
    "{sizes: [4, 4, 4]}",
    "{sizes: [4, 4, 4], card0: [x+, x-, y-]}",
    "{sizes: [3, 6, 2], card0: [x+, x-, y+]}",
    "{sizes: [3, 5, 4], card0: [z+, z-, y+]}",
    "{sizes: [5, 4, 3], card0: [z+, z-, y-]}",
    "{sizes: [3, 3, 3], card0: [x+, x-, y-]}",
    "{sizes: [2, 2, 2]}",
    "{sizes: [4, 2, 3, 2]}",
    "{sizes: [2, 3, 2, 4], card0: [d2+, d2-, d3+, d3-]}",
    "{sizes: [2, 2, 4, 2, 2]}",
    "{sizes: [2, 3, 3, 2, 2]}",
    NULL,
};

static void check_ts_dor_way(const vef_routing *routing, uint32_t from, uint32_t to) {
    const vef_topology *topology = routing->topology;
    const vef_twin_torus *twin = vef_twin_torus_of(topology);
    const uint32_t n = twin->dimensions, middle = n % 2 ? n / 2 : UINT32_MAX;
    const bool descends = !twin_has_port(twin, from, 0);
    const vef_route route = twin_route(routing, from, to);
    const twin_node there = twin_node_of(twin, to);
    vef_place place = {from, VEF_INJECTED, 0};
    uint32_t external = 0, in_node = 0;
    vef_candidate taken;
    while (twin_only_offer(routing, &route, place, &taken)) {
        const twin_node here = twin_node_of(twin, place.router);
        uint32_t port = 2 * n;
        for (uint32_t i = 0; i < n && port == 2 * n; i++) {
            const uint32_t d = descends ? n - 1 - i : i;
            bool tie;
            if (here.position[d] == there.position[d])
                continue;
            port = twin_direction(twin, d, here.position[d], there.position[d], &tie);
            if (tie && d == middle && !twin_has_port(twin, from, port))
                port ^= 1; /* of the source's card */
        }
        const bool inner = !twin_has_port(twin, place.router, port) || port == 2 * n;
        assert_int_equal(taken.port, inner ? 2 * n : port);
        assert_int_equal(taken.channel / 2, descends);
        assert_true(taken.escape);
        if (!inner || port / 2 == middle)
            assert_int_equal(taken.channel % 2, here.position[port / 2] > there.position[port / 2]);
        /* Back to the source's card only round the split ring, or to the destination. */
        if (inner && place.router % 2 != from % 2 && port / 2 != middle)
            assert_int_equal(port, 2 * n);
        external += !inner;
        in_node = inner ? in_node + 1 : 0;
        assert_true(in_node <= 1);
        place = twin_follow(topology, place, taken);
    }
    assert_int_equal(place.router, to);
    assert_int_equal(external, twin_torus_distance(twin, from, to));
}

static void test_ts_dor_goes_as_written(void **state) {
    (void)state;
    for (size_t i = 0; halves[i]; i++) {
        vef_topology *topology = topology_of("twin-torus", halves[i], 1);
        vef_routing *routing =
            routing_of("{algorithm: ts-dor}", topology, VEF_FLOW_VIRTUAL_CHANNELS);
        assert_int_equal(routing->channels, 4); /* thesis, future work: of every link */
        for (uint32_t from = 0; from < topology->routers; from++)
            for (uint32_t to = 0; to < topology->routers; to++)
                check_ts_dor_way(routing, from, to);
        assert_int_equal(twin_assert_free(routing, halves[i]), 0);
        vef_routing_destroy(routing);
        vef_topology_destroy(topology);
    }
}

/* The paper's figure 4: two nodes in y; the wrong way would cross in both. And the example of
 * ts_dor.c. */
static void test_ts_dor_examples(void **state) {
    (void)state;
    static const struct {
        const char *parameters;
        uint32_t from, to, hops;
        uint8_t expected[4][2]; /* port, channel */
    } rows[] = {
        {"{sizes: [2, 2, 2], card0: [x+, x-, y-]}", 0, 2 * 2 + 1, 1, {{3, 0}}},
        {"{sizes: [2, 2, 2], card0: [x+, x-, y-]}", 1, 2 * 2 + 0, 1, {{2, 2}}},
        {"{sizes: [4, 4, 4], card0: [x+, x-, y-]}",
         1,
         2 * (1 + 4 + 16) + 1,
         4,
         {{4, 2}, {2, 2}, {0, 2}, {6, 2}}},
    };
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
        vef_topology *topology = topology_of("twin-torus", rows[r].parameters, 1);
        vef_routing *routing = routing_of("{algorithm: ts-dor}", topology, VEF_FLOW_BUBBLE);
        const vef_route route = twin_route(routing, rows[r].from, rows[r].to);
        vef_place place = {rows[r].from, VEF_INJECTED, 0};
        for (uint32_t hop = 0; hop < rows[r].hops; hop++) {
            vef_candidate taken;
            assert_true(twin_only_offer(routing, &route, place, &taken));
            assert_int_equal(taken.port, rows[r].expected[hop][0]);
            assert_int_equal(taken.channel, rows[r].expected[hop][1]);
            place = twin_follow(topology, place, taken);
        }
        assert_int_equal(place.router, rows[r].to);
        vef_routing_destroy(routing);
        vef_topology_destroy(topology);
    }
}

/* Traffic classes have channels of their own. */
static void test_ts_dor_classes(void **state) {
    (void)state;
    vef_topology *topology = topology_of("twin-torus", "{sizes: [4, 4, 4]}", 1);
    vef_routing *routing =
        routing_of("{algorithm: ts-dor, traffic_classes: 3}", topology, VEF_FLOW_VIRTUAL_CHANNELS);
    assert_int_equal(routing->traffic_classes, 3);
    assert_int_equal(routing->channels, 12);
    for (uint8_t class = 0; class < 3; class ++)
        for (uint32_t from = 0; from < 2; from++) {
            const vef_travel travel = {from, 100, from, 100, class};
            vef_draws draws = {0};
            vef_route route;
            vef_candidate taken;
            vef_routing_begin(routing, &travel, &draws, NULL, &route);
            assert_true(
                twin_only_offer(routing, &route, (vef_place){from, VEF_INJECTED, 0}, &taken));
            assert_int_equal(taken.channel / 4, class);
        }
    vef_routing_destroy(routing);
    vef_topology_destroy(topology);
}

/* Packets from the two cards on the same two channels: a cycle, which is what the paper's traffic
 * classes are for. */
static void test_ts_dor_on_two_channels_has_a_cycle(void **state) {
    (void)state;
    vef_topology *topology = topology_of("twin-torus", "{sizes: [4, 4, 4]}", 1);
    vef_routing *routing = routing_of("{algorithm: ts-dor}", topology, VEF_FLOW_VIRTUAL_CHANNELS);
    vef_deadlock found;
    vef_error error = {0};
    const vef_deadlock_request request = {.channels = 2};
    assert_int_equal(vef_deadlock_prove(routing, &request, &found, &error), VEF_OK);
    assert_int_equal(found.verdict, VEF_DEADLOCK_CYCLE);
    vef_deadlock_release(&found);
    vef_routing_destroy(routing);
    vef_topology_destroy(topology);
}

static void test_bursts_arrive(void **state) {
    (void)state;
    for (size_t i = 0; halves[i]; i++) {
        twin_check_burst(halves[i], "{algorithm: ts-dor}", false, 1);
        twin_check_burst(halves[i], "{algorithm: ts-dor, traffic_classes: 2}", true, 2);
    }
}

static void test_what_is_refused(void **state) {
    (void)state;
    static const char *const rows[][2] = {
        {"{topology: {family: torus, sizes: [4, 4]}, routing: {algorithm: ts-dor}}",
         "expected topology twin-torus, not torus"},
        {"{topology: {family: twin-torus, sizes: [3, 3, 3]}, routing: {algorithm: ts-dor}}",
         "card0: [x+, x-, y+], not [x+, y+, z+]"},
        {"{topology: {family: twin-torus, sizes: [4, 4, 4], card0: [x+, y+, y-]}, routing: "
         "{algorithm: ts-dor}}",
         "routing dort, which supports any"},
        {"{topology: {family: twin-torus, sizes: [2, 2, 2, 2], card0: [d0+, d0-, d2+, d2-]}, "
         "routing: {algorithm: ts-dor}}",
         "card0: [d0+, d0-, d1+, d1-]"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        assert_network_refused(rows[i][0], rows[i][1]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ts_dor_goes_as_written),
        cmocka_unit_test(test_ts_dor_examples),
        cmocka_unit_test(test_ts_dor_classes),
        cmocka_unit_test(test_ts_dor_on_two_channels_has_a_cycle),
        cmocka_unit_test(test_bursts_arrive),
        cmocka_unit_test(test_what_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
