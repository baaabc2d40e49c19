/* Routings of lattices beside minimal records under bubble flow control (test_routing.c): datelines
 * by their definition on rings followed by hand, and Valiant's two halves. */
#include "netmodel/routing/routing.h"
#include "netmodel/topology/lattice/lattice.h"
#include "tests/netmodel/networks.h"
#include "tests/netmodel/routes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

/* ---- datelines ---- */

/* Channel of each hop of the one way that dimension order takes; `ports` as expected. */
static void check_channels(const vef_routing *routing, uint32_t from, uint32_t to,
                           const char *ports, const char *channels) {
    vef_rng rng = vef_rng_make(1, VEF_RNG_TEST, 0);
    vef_route route;
    begin_route(routing, from, to, &rng, &route);
    vef_place place = {from, VEF_INJECTED, 0};
    vef_candidate offered[VEF_MAX_CANDIDATES];
    for (size_t hop = 0; ports[hop]; hop++) {
        assert_int_equal(offers(routing, &route, place, offered), 1);
        assert_int_equal(offered[0].port, ports[hop] - '0');
        assert_int_equal(offered[0].channel, channels[hop] - '0');
        assert_int_equal(offered[0].slots_needed, 1);
        assert_true(offered[0].escape);
        place = step(routing, &route, place, offered[0]);
    }
    assert_int_equal(place.router, to);
}

/* The upper channel up to and with the link that closes the ring, the lower one after it and where
 * that link is not on the way. Ports: x+ 0, x- 1, y+ 2, y- 3. */
static void test_dateline_channels(void **state) {
    (void)state;
    vef_topology *topology = topology_of("torus", "{sizes: [8, 8]}", 1);
    vef_routing *routing = routing_of("{algorithm: dor}", topology, VEF_FLOW_VIRTUAL_CHANNELS);
    assert_int_equal(routing->channels, 2);
    assert_int_equal(routing->least_queue_packets, 1);
    check_channels(routing, 6 + 8 * 1, 1 + 8 * 2, "0002", "1100");
    check_channels(routing, 1 + 8 * 1, 6 + 8 * 1, "111", "110");
    check_channels(routing, 1, 4 + 8 * 5, "000333", "000100");
    check_channels(routing, 7, 0, "0", "1");
    check_channels(routing, 0, 7, "1", "1");
    vef_routing_destroy(routing);
    vef_topology_destroy(topology);

    /* RTT(4): 8 x 4, y's ring from (2, 0) goes (2, 0) … (2, 3), (6, 0) … (6, 3) and closes after
     * two wraps; only the second is its dateline. */
    topology = topology_of("rtt", "{a: 4}", 1);
    routing = routing_of("{algorithm: dor}", topology, VEF_FLOW_VIRTUAL_CHANNELS);
    check_channels(routing, 2 + 8 * 3, 6 + 8 * 1, "22", "00");
    check_channels(routing, 6 + 8 * 3, 2 + 8 * 1, "22", "10");
    check_channels(routing, 6 + 8 * 1, 2 + 8 * 3, "33", "00");
    check_channels(routing, 2 + 8 * 1, 6 + 8 * 3, "33", "11");
    vef_routing_destroy(routing);
    vef_topology_destroy(topology);

    /* A line has one class alone to use. */
    topology = topology_of("lattice", "{sizes: [4, 8], wrap: [0, 1]}", 1);
    routing = routing_of("{algorithm: dor}", topology, VEF_FLOW_VIRTUAL_CHANNELS);
    check_channels(routing, 0 + 4 * 7, 3 + 4 * 1, "00022", "00010");
    vef_routing_destroy(routing);
    vef_topology_destroy(topology);
}

/* With several channels all of a class are offered; adaptive ones come after the two escapes. */
static void test_classes_of_channels(void **state) {
    (void)state;
    vef_topology *topology = topology_of("torus", "{sizes: [8]}", 1);
    vef_rng rng = vef_rng_make(1, VEF_RNG_TEST, 1);
    vef_routing *routing =
        routing_of("{algorithm: dor, channels: 3}", topology, VEF_FLOW_VIRTUAL_CHANNELS);
    assert_int_equal(routing->channels, 6);
    vef_route route;
    vef_candidate offered[VEF_MAX_CANDIDATES];
    begin_route(routing, 6, 1, &rng, &route);
    assert_int_equal(offers(routing, &route, (vef_place){6, VEF_INJECTED, 0}, offered), 3);
    for (uint8_t c = 0; c < 3; c++)
        assert_int_equal(offered[c].channel, 3 + c);
    vef_routing_destroy(routing);

    routing = routing_of("{algorithm: adaptive, adaptive_channels: 2}", topology,
                         VEF_FLOW_VIRTUAL_CHANNELS);
    assert_int_equal(routing->channels, 4);
    begin_route(routing, 6, 1, &rng, &route);
    vef_place place = {6, VEF_INJECTED, 0};
    for (int hop = 0; hop < 3; hop++) {
        assert_int_equal(offers(routing, &route, place, offered), 3);
        assert_int_equal(offered[0].channel, 2);
        assert_int_equal(offered[1].channel, 3);
        assert_int_equal(offered[2].channel, hop < 2 ? 1 : 0);
        assert_int_equal(offered[2].slots_needed, 1);
        assert_true(offered[2].escape && !offered[0].escape && !offered[1].escape);
        /* Past the dateline on an adaptive channel, the escape is the lower one all the same. */
        place = step(routing, &route, place, offered[0]);
    }
    vef_routing_destroy(routing);
    vef_topology_destroy(topology);
}

/* ---- Valiant ---- */

/* Follows the way of a packet and notes its routers; returns the hops. Until `half_channels` is
 * crossed the hops are of the first half. */
static uint32_t follow(const vef_routing *routing, vef_route route, uint32_t from, uint32_t to,
                       uint32_t half_channels, uint32_t *first_half) {
    vef_place place = {from, VEF_INJECTED, 0};
    vef_candidate offered[VEF_MAX_CANDIDATES];
    uint32_t hops = 0, count;
    *first_half = 0;
    while ((count = offers(routing, &route, place, offered)) > 0) {
        assert_int_equal(count, 1);
        const bool second = offered[0].channel >= half_channels;
        assert_true(second || *first_half == hops); /* never back to the first half */
        hops++;
        *first_half += !second;
        place = step(routing, &route, place, offered[0]);
        assert_true(hops <= 2 * routing->topology->routers);
    }
    assert_int_equal(place.router, to);
    return hops;
}

typedef struct pair {
    uint32_t from, to;
} pair;

/* Over all draws of a pair: as many for every router in the middle (but for ties), exactly as long
 * as the two distances; with early_exit shorter if the destination was met before. */
static void check_pair(const vef_routing *routing, pair p, uint32_t half_channels) {
    const vef_topology *topology = routing->topology;
    const vef_travel travel = {p.from, p.to, p.from, p.to, 0};
    uint32_t *from = malloc(topology->routers * sizeof *from);
    uint32_t *to = malloc(topology->routers * sizeof *to);
    uint32_t *seen = calloc(topology->routers, sizeof *seen);
    distances_from(topology, p.from, from);
    distances_from(topology, p.to, to);
    vef_draws draws = {0};
    do {
        vef_route route;
        vef_routing_begin(routing, &travel, &draws, NULL, &route);
        const uint32_t middle = p.from == p.to ? p.from : draws.digits[0];
        assert_true(middle < topology->routers);
        seen[middle]++;
        uint32_t first_half;
        const uint32_t hops = follow(routing, route, p.from, p.to, half_channels, &first_half);
        assert_true(hops <= from[middle] + to[middle]);
        assert_true(hops >= from[p.to]);
        if (routing->passes)
            assert_int_equal(hops, p.from == p.to ? 0 : from[middle] + to[middle]);
        if (hops < from[middle] + to[middle]) /* it met the destination in its first half */
            assert_int_equal(hops, first_half);
        else if (middle != p.to)
            assert_int_equal(first_half, from[middle]);
    } while (vef_draws_next(&draws));
    for (uint32_t m = 0; m < topology->routers; m++)
        assert_int_equal(seen[m] > 0, p.from != p.to || m == p.from);
    free(seen);
    free(to);
    free(from);
}

static void test_valiant_goes_over_every_router(void **state) {
    (void)state;
    static const struct {
        const char *family, *parameters;
        vef_flow_control flow_control;
        uint32_t channels;
    } rows[] = {
        {"torus", "{sizes: [4, 5]}", VEF_FLOW_BUBBLE, 2},
        {"torus", "{sizes: [4, 5]}", VEF_FLOW_VIRTUAL_CHANNELS, 4},
        {"mesh", "{sizes: [4, 3]}", VEF_FLOW_VIRTUAL_CHANNELS, 2},
        {"rtt", "{a: 3}", VEF_FLOW_VIRTUAL_CHANNELS, 4},
        {"hypercube", "{dimensions: 4}", VEF_FLOW_BUBBLE, 2},
        {"king-torus", "{sizes: [4, 4]}", VEF_FLOW_BUBBLE, 2},
        {"diagonal-mesh", "{sizes: [4, 4]}", VEF_FLOW_BUBBLE, 2},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        vef_topology *topology = topology_of(rows[i].family, rows[i].parameters, 1);
        for (int early = 0; early < 2; early++) {
            vef_routing *routing = routing_of(early ? "{algorithm: valiant, early_exit: true}"
                                                    : "{algorithm: valiant}",
                                              topology, rows[i].flow_control);
            assert_int_equal(routing->passes, !early);
            assert_int_equal(routing->channels, rows[i].channels);
            for (uint32_t from = 0; from < topology->routers; from++)
                for (uint32_t to = 0; to < topology->routers; to++)
                    check_pair(routing, (pair){from, to}, rows[i].channels / 2);
            vef_routing_destroy(routing);
        }
        vef_topology_destroy(topology);
    }
}

/* The mean hops of a packet to another router: routers in the middle are equally likely, and so are
 * the ways of equal length over each. */
static double mean_hops(const char *yaml, const vef_topology *topology) {
    vef_routing *routing = routing_of(yaml, topology, VEF_FLOW_BUBBLE);
    const uint32_t routers = topology->routers;
    double sum = 0;
    for (uint32_t from = 0; from < routers; from++)
        for (uint32_t to = 0; to < routers; to++) {
            double hops[64] = {0}, ways[64] = {0};
            const vef_travel travel = {from, to, from, to, 0};
            vef_draws draws = {0};
            if (from == to)
                continue;
            do {
                vef_route route;
                uint32_t first_half;
                vef_routing_begin(routing, &travel, &draws, NULL, &route);
                hops[draws.digits[0]] +=
                    follow(routing, route, from, to, routing->channels / 2, &first_half);
                ways[draws.digits[0]]++;
            } while (vef_draws_next(&draws));
            for (uint32_t m = 0; m < routers; m++)
                sum += hops[m] / ways[m] / routers;
        }
    vef_routing_destroy(routing);
    return sum / routers / (routers - 1);
}

/* Each half is as long as the mean distance of all pairs, k / 4 in a ring of k routers, k even. On
 * a ring of 8 a packet to a router d hops on saves, where it meets it, for d = 1 over routers 2, 3
 * and 4 (half of the ways) 2 + 4 + 6 / 2 hops, for d = 2 over 3 and 4 2 + 4 / 2, for d = 3 over 4 2
 * / 2: 2 (9 + 4 + 1) / (7 x 8) of all. */
static void test_valiant_mean_hops(void **state) {
    (void)state;
    vef_topology *ring = topology_of("torus", "{sizes: [8]}", 1);
    assert_near(mean_hops("{algorithm: valiant}", ring), 4, 1e-9);
    assert_near(mean_hops("{algorithm: valiant, early_exit: true}", ring), 3.5, 1e-9);
    vef_topology_destroy(ring);
    vef_topology *torus = topology_of("torus", "{sizes: [6, 4]}", 1);
    assert_near(mean_hops("{algorithm: valiant}", torus), 2 * (6 / 4.0 + 4 / 4.0), 1e-9);
    vef_topology_destroy(torus);
}

/* 16 routers, 16,000 draws: each is the intermediate one 1,000 times, +- 5 standard deviations of
 * 31. Identified by the place where packets with a full route change to the second phase. */
static void test_valiant_draws_evenly(void **state) {
    (void)state;
    vef_topology *topology = topology_of("mesh", "{sizes: [16]}", 1);
    vef_routing *routing = routing_of("{algorithm: valiant}", topology, VEF_FLOW_BUBBLE);
    vef_rng rng = vef_rng_make(3, VEF_RNG_TEST, 0);
    uint32_t times[16] = {0};
    for (int i = 0; i < 16000; i++) {
        vef_route route;
        begin_route(routing, 15, 0, &rng, &route);
        uint32_t first_half;
        follow(routing, route, 15, 0, 1, &first_half);
        times[15 - first_half]++; /* all of the way there is towards 0 */
    }
    for (int m = 0; m < 16; m++)
        assert_in_range(times[m], 845, 1155);
    vef_routing_destroy(routing);
    vef_topology_destroy(topology);
}

/* ---- in the network ---- */

static void test_bursts_arrive(void **state) {
    (void)state;
    static const char *const dateline[] = {
        "{family: torus, sizes: [8]}",
        "{family: torus, sizes: [5, 4]}",
        "{family: rtt, a: 4}",
        "{family: pdtt, a: 2}",
        "{family: diagonal-torus, sizes: [5, 5]}",
        "{family: king-torus, sizes: [5, 5]}",
        "{family: lattice, sizes: [4, 6], wrap: [0, 1]}",
    };
    static const char *const routings[] = {
        "{algorithm: dor}",
        "{algorithm: dor, channels: 2}",
        "{algorithm: adaptive, adaptive_channels: 1}",
        "{algorithm: valiant}",
    };
    for (size_t t = 0; t < sizeof dateline / sizeof *dateline; t++)
        for (size_t r = 0; r < sizeof routings / sizeof *routings; r++) {
            check_burst(dateline[t], routings[r], "virtual-channels", 1);
            if (r == 3)
                check_burst(dateline[t], routings[r], "bubble", 2);
        }
}

static void test_what_is_refused(void **state) {
    (void)state;
    static const struct {
        const char *yaml, *says;
    } rows[] = {
        {"{topology: {family: torus, sizes: [4, 4]}, routing: {algorithm: valiant, channels: 17}, "
         "router: {flow_control: virtual-channels}}",
         "68 virtual channels per link (of 2 classes)"},
        {"{topology: {family: torus, sizes: [4, 4]}, routing: {algorithm: valiant}, router: "
         "{queue_packets: 1}}",
         "expected at least 2"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        assert_network_refused(rows[i].yaml, rows[i].says);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_dateline_channels),
        cmocka_unit_test(test_classes_of_channels),
        cmocka_unit_test(test_valiant_goes_over_every_router),
        cmocka_unit_test(test_valiant_draws_evenly),
        cmocka_unit_test(test_valiant_mean_hops),
        cmocka_unit_test(test_bursts_arrive),
        cmocka_unit_test(test_what_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
