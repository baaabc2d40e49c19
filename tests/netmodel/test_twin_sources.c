/* Routings on twin tori beside DORT: TS-DOR and the adaptive one.
 *
 * Invariants: as many external links as the distance in the torus, at most one crossing in a node;
 * TS-DOR in the order that the source's card says, on that card's channels; the adaptive routing as
 * its algorithm 1 and selection functions say, never out of the escape again; no circles of escapes
 * by a search of our own (escapes.h); bursts arrive. */
#include "netmodel/deadlock/deadlock.h"
#include "tests/netmodel/twin_ways.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

/* ---- TS-DOR ---- */

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
            if (here.at[d] == there.at[d])
                continue;
            port = twin_direction(twin, d, here.at[d], there.at[d], &tie);
            if (tie && d == middle && !twin_has_port(twin, from, port))
                port ^= 1; /* of the source's card */
        }
        const bool inner = !twin_has_port(twin, place.router, port) || port == 2 * n;
        assert_int_equal(taken.port, inner ? 2 * n : port);
        assert_int_equal(taken.channel / 2, descends);
        assert_true(taken.escape);
        if (!inner || port / 2 == middle)
            assert_int_equal(taken.channel % 2, here.at[port / 2] > there.at[port / 2]);
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
            routing->algorithm->begin(routing, &travel, &draws, &route);
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

/* ---- adaptive ---- */

static const char *const selections[] = {"round-robin", "no-internal", "2-priority", "3-priority"};
enum { SELECTIONS = 4, NO_INTERNAL = 1 };

static vef_routing *adaptive(const vef_topology *topology, size_t selection,
                             vef_flow_control flow_control) {
    char yaml[96];
    snprintf(yaml, sizeof yaml, "{algorithm: dort-adaptive, selection: %s}", selections[selection]);
    return routing_of(yaml, topology, flow_control);
}

/* Whether algorithm 1 has this port for adaptive channels. */
static bool in_the_set(const vef_twin_torus *twin, uint32_t router, uint32_t target,
                       uint32_t port) {
    if (port == 2 * twin->dimensions)
        return twin_dort_port(twin, router, target) == port;
    const twin_node here = twin_node_of(twin, router), there = twin_node_of(twin, target);
    const uint32_t d = port / 2;
    bool tie;
    if (here.at[d] == there.at[d] || !twin_has_port(twin, router, port))
        return false;
    return twin_direction(twin, d, here.at[d], there.at[d], &tie) == port || tie;
}

/* What is offered where a packet stands: the ports of algorithm 1 with all their adaptive channels,
 * and one escape, DORT's port, after all others. */
static void check_offers(const vef_routing *routing, size_t selection, vef_place place,
                         uint32_t target, bool escaped, const vef_candidate *offered,
                         uint32_t count) {
    const vef_twin_torus *twin = vef_twin_torus_of(routing->topology);
    const uint32_t n = twin->dimensions, external = routing->port_channels[0] - 2u;
    const uint32_t inner = routing->port_channels[2 * n] - 4u;
    uint64_t seen[32] = {0}, low[32] = {0};
    uint32_t escape_count = 0;
    for (uint32_t i = 0; i < count; i++) {
        const vef_candidate one = offered[i];
        assert_true(one.channel < routing->port_channels[one.port]);
        if (one.escape) {
            escape_count++;
            assert_int_equal(one.port, twin_dort_port(twin, place.router, target));
            assert_true(one.channel < (one.port == 2 * n ? inner : external));
            continue;
        }
        assert_false(escaped);
        assert_true(one.channel >= (one.port == 2 * n ? inner : external));
        assert_true(in_the_set(twin, place.router, target, one.port));
        (one.slots_needed == 1 ? seen : low)[one.port] |= 1ull << one.channel;
    }
    assert_int_equal(escape_count, 1);
    for (uint32_t i = 0; i < count; i++)
        assert_true(offered[i].escape || offered[i].preference < offered[count - 1].preference);
    for (uint32_t port = 0; port <= 2 * n && !escaped; port++) {
        uint64_t all = port == 2 * n ? 0xf0 : 0xc; /* table 3: 8 of 4 and 4, 4 of 2 and 2 */
        if (!in_the_set(twin, place.router, target, port) ||
            (port == 2 * n && selection == NO_INTERNAL))
            all = 0;
        assert_int_equal(seen[port], all);
        assert_int_equal(low[port], all);
    }
}

static void check_adaptive_ways(const vef_routing *routing, size_t selection, vef_rng *rng,
                                bool offers_too) {
    const vef_topology *topology = routing->topology;
    const vef_twin_torus *twin = vef_twin_torus_of(topology);
    vef_candidate *offered = malloc(routing->most_candidates * sizeof *offered);
    for (uint32_t from = 0; from < topology->routers; from++)
        for (uint32_t to = 0; to < topology->routers; to++) {
            const vef_route route = twin_route(routing, from, to);
            vef_place place = {from, VEF_INJECTED, 0};
            uint32_t external = 0, in_node = 0;
            bool escaped = false;
            while (place.router != to) {
                const uint32_t count =
                    routing->algorithm->candidates(routing, &route, place, offered);
                assert_true(count > 0 && count <= routing->most_candidates);
                if (offers_too)
                    check_offers(routing, selection, place, to, escaped, offered, count);
                const vef_candidate taken = offered[vef_rng_below(rng, count)];
                const bool inner = taken.port == 2 * twin->dimensions;
                assert_true(taken.escape || !escaped);
                escaped = taken.escape;
                external += !inner;
                in_node = inner ? in_node + 1 : 0;
                assert_true(in_node <= 1);
                place = twin_follow(topology, place, taken);
            }
            assert_int_equal(external, twin_torus_distance(twin, from, to));
        }
    free(offered);
}

static void test_adaptive_ways(void **state) {
    (void)state;
    vef_rng rng = vef_rng_make(3, VEF_RNG_TEST, 0);
    for (size_t i = 0; twin_networks[i]; i++)
        for (size_t s = 0; s < SELECTIONS; s++)
            for (size_t f = 0; f < (s == 0 ? 2 : 1); f++) {
                vef_topology *topology = topology_of("twin-torus", twin_networks[i], 1);
                vef_routing *routing = adaptive(topology, s, twin_flow_controls[f]);
                /* 4 and 8 channels as in the paper's table 3. */
                const bool as_in_table = routing->port_channels[0] == 4 && routing->channels == 8;
                check_adaptive_ways(routing, s, &rng, as_in_table);
                if (s == 0) /* the others offer no more */
                    twin_assert_free(routing, twin_networks[i]);
                vef_routing_destroy(routing);
                vef_topology_destroy(topology);
            }
}

/* The least preference value of an adaptive channel of a port with so many places needed; 255:
 * none. */
static uint32_t preference_of(const vef_candidate *offered, uint32_t count, uint32_t port,
                              uint32_t slots) {
    uint32_t least = UINT8_MAX;
    for (uint32_t i = 0; i < count; i++)
        if (!offered[i].escape && offered[i].port == port && offered[i].slots_needed == slots &&
            offered[i].preference < least)
            least = offered[i].preference;
    return least;
}

/* Adaptive nDT paper, examples 3.1, 3.4 and 3.5, by what each selection function makes of them: in
 * 3.4 z+ against the inner link, in 3.5 x+ against y-. */
static void test_selection_functions(void **state) {
    (void)state;
    enum { X_PLUS = 0, Y_MINUS = 3, Z_PLUS = 4, INNER = 6, LOW = 2, HIGH = 1 };
    vef_topology *topology =
        topology_of("twin-torus", "{sizes: [8, 8, 8], card0: [x+, x-, y-]}", 1);
    for (size_t s = 0; s < SELECTIONS; s++) {
        vef_routing *routing = adaptive(topology, s, VEF_FLOW_VIRTUAL_CHANNELS);
        vef_candidate offered[64];
        assert_true(routing->most_candidates <= 64);
        const bool two = s == 2, three = s == 3;

        /* 3.1: from card 0 of (0, 0, 0) to (2, 0, 2): never the inner link for z+. */
        vef_route route = twin_route(routing, 0, 2 * (2 + 2 * 64));
        uint32_t count = routing->algorithm->candidates(routing, &route,
                                                        (vef_place){0, VEF_INJECTED, 0}, offered);
        for (uint32_t i = 0; i < count; i++)
            assert_int_equal(offered[i].port, X_PLUS);

        /* 3.4: from card 1 of (0, 0, 0) to (1, 0, 1). */
        route = twin_route(routing, 1, 2 * (1 + 64));
        count = routing->algorithm->candidates(routing, &route, (vef_place){1, VEF_INJECTED, 0},
                                               offered);
        uint32_t z = preference_of(offered, count, Z_PLUS, LOW);
        uint32_t z_high = preference_of(offered, count, Z_PLUS, HIGH);
        uint32_t inner = preference_of(offered, count, INNER, LOW);
        uint32_t inner_high = preference_of(offered, count, INNER, HIGH);
        assert_true(z < z_high);
        if (s == NO_INTERNAL) {
            assert_int_equal(inner, UINT8_MAX);
            assert_int_equal(inner_high, UINT8_MAX);
        } else if (two || three) {
            assert_true(z_high < inner && inner < inner_high);
        } else {
            assert_int_equal(z, inner);
            assert_int_equal(z_high, inner_high);
        }

        /* 3.5: from card 0 of (0, 1, 0) to (1, 0, 0). */
        route = twin_route(routing, 2 * 8, 2 * 1);
        count = routing->algorithm->candidates(routing, &route, (vef_place){2 * 8, VEF_INJECTED, 0},
                                               offered);
        const uint32_t x = preference_of(offered, count, X_PLUS, LOW);
        const uint32_t x_high = preference_of(offered, count, X_PLUS, HIGH);
        const uint32_t y = preference_of(offered, count, Y_MINUS, LOW);
        assert_true(x < x_high);
        if (three)
            assert_true(x_high < y && y < preference_of(offered, count, Y_MINUS, HIGH));
        else
            assert_int_equal(x, y);
        vef_routing_destroy(routing);
    }
    vef_topology_destroy(topology);
}

/* ---- in the network ---- */

static void test_bursts_arrive(void **state) {
    (void)state;
    for (size_t i = 0; halves[i]; i++) {
        twin_check_burst(halves[i], "{algorithm: ts-dor}", false, 1);
        twin_check_burst(halves[i], "{algorithm: ts-dor, traffic_classes: 2}", true, 2);
    }
    for (size_t i = 0; twin_networks[i]; i++) { /* each selection in turn */
        char yaml[160];
        snprintf(yaml, sizeof yaml,
                 "{algorithm: dort-adaptive, selection: %s, adaptive_channels: 1, "
                 "inner_adaptive_channels: 1}",
                 selections[i % SELECTIONS]);
        twin_check_burst(twin_networks[i], yaml, i / SELECTIONS % 2 == 0, 1);
    }
}

static void test_what_is_refused(void **state) {
    (void)state;
    static const char *const rows[][2] = {
        {"{topology: {family: torus, sizes: [4, 4]}, routing: {algorithm: ts-dor}}",
         "on topology twin-torus, not on torus"},
        {"{topology: {family: mesh, sizes: [4, 4]}, routing: {algorithm: dort-adaptive}}",
         "on topology twin-torus, not on mesh"},
        {"{topology: {family: twin-torus, sizes: [3, 3, 3]}, routing: {algorithm: ts-dor}}",
         "card0: [x+, x-, y+] would do, not [x+, y+, z+]"},
        {"{topology: {family: twin-torus, sizes: [4, 4, 4], card0: [x+, y+, y-]}, routing: "
         "{algorithm: ts-dor}}",
         "routing dort takes any"},
        {"{topology: {family: twin-torus, sizes: [2, 2, 2, 2], card0: [d0+, d0-, d2+, d2-]}, "
         "routing: {algorithm: ts-dor}}",
         "card0: [d0+, d0-, d1+, d1-] would do"},
        {"{topology: {family: twin-torus, sizes: [4, 4, 4]}, routing: {algorithm: dort-adaptive, "
         "selection: 4-priority}}",
         "3-priority"},
        {"{topology: {family: twin-torus, sizes: [4, 4, 4]}, routing: {algorithm: dort-adaptive, "
         "inner_adaptive_channels: 63}}",
         "66 on inner links; at most 64"},
        {"{topology: {family: twin-torus, sizes: [2, 2, 2, 2, 2, 2, 2, 2, 2]}, routing: "
         "{algorithm: "
         "dort-adaptive, adaptive_channels: 60}}",
         "too many choices for a packet; 49 would do"},
        {"{topology: {family: twin-torus, sizes: [4, 4, 4]}, routing: {algorithm: dort-adaptive}, "
         "router: {queue_packets: 1}}",
         "from 2 on"},
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
        cmocka_unit_test(test_adaptive_ways),
        cmocka_unit_test(test_selection_functions),
        cmocka_unit_test(test_bursts_arrive),
        cmocka_unit_test(test_what_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
