/* Routings on generalized fat trees: d-mod-k, s-mod-k, nca-random and nca-adaptive.
 *
 * Paths are minimal. The load of the most loaded link under all shift permutations is that of
 * Zahavi's theorem, for packets that follow the routings' own candidates. nca-random draws each way
 * up to a nearest common ancestor with the same probability, whatever links are parallel. */
#include "netmodel/routing/routing.h"
#include "netmodel/routing/tree/nca.h"
#include "tests/netmodel/networks.h"
#include "tests/netmodel/routes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

static const char *const trees[] = {
    "{m: [4, 4], w: [1, 4]}",
    "{m: [4, 4, 4], w: [1, 4, 4]}",
    "{m: [3, 3, 6], w: [1, 3, 3]}",
    "{m: [2, 2, 2, 2], w: [1, 2, 2, 2]}",
    "{m: [4, 4], w: [1, 2], links: [1, 2]}",
    "{m: [4, 3, 2], w: [1, 2, 3], links: [1, 2, 2]}",
};
enum { TREES = sizeof trees / sizeof *trees };

static const char *const routings[] = {
    "{algorithm: d-mod-k}",
    "{algorithm: s-mod-k}",
    "{algorithm: nca-random}",
    "{algorithm: nca-adaptive, channels: 2}",
    "{algorithm: nca-random, per: pair}",
};
enum { ROUTINGS = sizeof routings / sizeof *routings };

static vef_travel travel_of(const vef_topology *topology, uint32_t from, uint32_t to) {
    return (vef_travel){from, to, vef_topology_router_of(topology, from),
                        vef_topology_router_of(topology, to), 0};
}

/* Walks by the last candidate; adds 1 to the load of each link. Returns the hops. */
static uint32_t walk(const vef_routing *routing, const vef_travel *travel, vef_draws *draws,
                     uint32_t *load) {
    vef_route route;
    vef_routing_begin(routing, travel, draws, NULL, &route);
    vef_place place = {travel->from, VEF_INJECTED, 0};
    uint32_t hops = 0;
    for (; place.router != travel->to; hops++) {
        vef_candidate offered[VEF_MAX_CANDIDATES];
        const uint32_t count = offers(routing, &route, place, offered);
        assert_true(count > 0);
        if (load)
            load[(size_t)place.router * routing->topology->ports + offered[count - 1].port]++;
        place = step(routing, &route, place, offered[count - 1]);
    }
    return hops;
}

static void test_paths_are_minimal(void **state) {
    (void)state;
    vef_rng rng = vef_rng_make(3, VEF_RNG_TEST, 0);
    for (size_t t = 0; t < TREES; t++) {
        vef_topology *topology = topology_of("xgft", trees[t], 1);
        uint32_t *distance = malloc(topology->routers * sizeof *distance);
        for (size_t r = 0; r < ROUTINGS; r++) {
            vef_routing *routing = routing_of(routings[r], topology, VEF_FLOW_VIRTUAL_CHANNELS);
            for (uint32_t from = 0; from < topology->endpoints; from++) {
                distances_from(topology, vef_topology_router_of(topology, from), distance);
                for (uint32_t to = 0; to < topology->endpoints; to++) {
                    const vef_travel travel = travel_of(topology, from, to);
                    vef_draws draws = vef_draws_from(&rng);
                    assert_int_equal(walk(routing, &travel, &draws, NULL), distance[travel.to]);
                }
            }
            vef_routing_destroy(routing);
        }
        free(distance);
        vef_topology_destroy(topology);
    }
}

/* Trees in which all terminals can send up at full rate carry every shift without contention, by
 * D-mod-K and, since S-mod-K of a shift is D-mod-K of the opposite one backwards, by S-mod-K. */
static void test_shifts_meet_no_contention(void **state) {
    (void)state;
    static const struct {
        const char *tree;
        uint32_t most;
    } rows[] = {
        {"{m: [4, 4], w: [1, 4]}", 1},
        {"{m: [4, 4, 4], w: [1, 4, 4]}", 1},
        {"{m: [3, 3, 6], w: [1, 3, 3]}", 1},
        {"{m: [2, 2, 2, 2], w: [1, 2, 2, 2]}", 1},
        {"{m: [4, 4], w: [1, 2], links: [1, 2]}", 1},
        {"{m: [4, 4], w: [1, 2]}", 2},
    };
    for (size_t i = 0; i < 2 * sizeof rows / sizeof *rows; i++) {
        vef_topology *topology = topology_of("xgft", rows[i / 2].tree, 1);
        vef_routing *routing = routing_of(routings[i % 2], topology, VEF_FLOW_VIRTUAL_CHANNELS);
        const size_t links = (size_t)topology->routers * topology->ports;
        uint32_t *load = malloc(links * sizeof *load), most = 0;
        for (uint32_t shift = 1; shift < topology->endpoints; shift++) {
            memset(load, 0, links * sizeof *load);
            for (uint32_t from = 0; from < topology->endpoints; from++) {
                const vef_travel travel =
                    travel_of(topology, from, (from + shift) % topology->endpoints);
                vef_draws draws = {0};
                walk(routing, &travel, &draws, load);
            }
            for (size_t link = 0; link < links; link++)
                most = load[link] > most ? load[link] : most;
        }
        assert_int_equal(most, rows[i / 2].most);
        free(load);
        vef_routing_destroy(routing);
        vef_topology_destroy(topology);
    }
}

/* A source's packets to other leaves go up one way by S-mod-K; packets to a destination come down
 * one way by D-mod-K. */
static void test_who_chooses(void **state) {
    (void)state;
    vef_topology *topology = topology_of("xgft", "{m: [4, 4], w: [1, 4]}", 1);
    for (size_t r = 0; r < 2; r++) {
        vef_routing *routing = routing_of(routings[r], topology, VEF_FLOW_VIRTUAL_CHANNELS);
        assert_int_equal(routing->by_source, r == 1);
        for (uint32_t from = 0; from < 16; from++)
            for (uint32_t to = 0; to < 16; to++) {
                if (from / 4 == to / 4)
                    continue;
                const vef_travel travel = travel_of(topology, from, to);
                vef_draws draws = {0};
                vef_route route;
                vef_candidate offered[VEF_MAX_CANDIDATES];
                vef_routing_begin(routing, &travel, &draws, NULL, &route);
                const vef_place place = {travel.from, VEF_INJECTED, 0};
                assert_int_equal(offers(routing, &route, place, offered), 1);
                const vef_xgft *tree = vef_xgft_of(topology);
                assert_int_equal(offered[0].port,
                                 vef_xgft_up_port(tree, 1, (r == 0 ? to : from) % 4, 0));
            }
        vef_routing_destroy(routing);
    }
    vef_topology_destroy(topology);
}

/* From one end of a tree to the other: 2 x 2 links up from a leaf and 3 x 2 from level 2. Each of
 * the 24 ways up is drawn once in 24, and each link of level l once in as many as there are. */
static void test_random_ways_are_equally_likely(void **state) {
    (void)state;
    vef_topology *topology = topology_of("xgft", trees[5], 1);
    vef_routing *routing = routing_of(routings[2], topology, VEF_FLOW_VIRTUAL_CHANNELS);
    const vef_travel travel = travel_of(topology, 0, topology->endpoints - 1);
    const vef_xgft *tree = vef_xgft_of(topology);
    uint32_t ways[4][6] = {{0}}, outcomes = 0;
    vef_draws draws = {0};
    do {
        vef_route route;
        vef_routing_begin(routing, &travel, &draws, NULL, &route);
        vef_place place = {travel.from, VEF_INJECTED, 0};
        uint32_t up[2];
        for (uint32_t level = 0; level < 2; level++) {
            vef_candidate offered[VEF_MAX_CANDIDATES];
            assert_int_equal(offers(routing, &route, place, offered), 1);
            assert_true(vef_xgft_is_up(tree, offered[0].port));
            up[level] = offered[0].port - tree->down_ports;
            place = step(routing, &route, place, offered[0]);
        }
        ways[up[0]][up[1]]++;
        outcomes++;
    } while (vef_draws_next(&draws));
    assert_int_equal(outcomes, 24);
    for (uint32_t i = 0; i < 24; i++)
        assert_int_equal(ways[i / 6][i % 6], 1);
    vef_routing_destroy(routing);
    vef_topology_destroy(topology);
}

/* nca-adaptive offers every link up, and every parallel link down to the one child. */
/* A pair has one way, whatever is drawn; the pairs of other leaves have each of four ways up: 192
 * of 256 pairs, 48 in the mean with a standard deviation of 6. */
static void test_ways_of_pairs(void **state) {
    (void)state;
    vef_topology *topology = topology_of("xgft", "{m: [4, 4], w: [1, 4]}", 1);
    vef_routing *routing =
        routing_of("{algorithm: nca-random, per: pair}", topology, VEF_FLOW_VIRTUAL_CHANNELS);
    const size_t links = (size_t)topology->routers * topology->ports;
    uint32_t *load = calloc(links, sizeof *load), *again = calloc(links, sizeof *again);
    uint32_t spines[4] = {0};
    vef_rng rng = vef_rng_make(5, VEF_RNG_TEST, 0);
    vef_draws draws = vef_draws_from(&rng);
    for (uint32_t from = 0; from < 16; from++)
        for (uint32_t to = 0; to < 16; to++) {
            const vef_travel travel = travel_of(topology, from, to);
            walk(routing, &travel, &draws, load);
            walk(routing, &travel, &draws, again);
        }
    assert_memory_equal(load, again, links * sizeof *load);
    for (uint32_t spine = 0; spine < 4; spine++) {
        for (uint32_t leaf = 0; leaf < 4; leaf++)
            for (uint32_t port = 0; port < topology->ports; port++)
                if (vef_topology_next(topology, leaf, port) == 4 + spine)
                    spines[spine] += load[leaf * topology->ports + port];
        assert_in_range(spines[spine], 48 - 24, 48 + 24);
    }
    assert_int_equal(spines[0] + spines[1] + spines[2] + spines[3], 192);
    free(load);
    free(again);
    vef_routing_destroy(routing);
    vef_topology_destroy(topology);
}

static void test_adaptive_offers_all(void **state) {
    (void)state;
    vef_topology *topology = topology_of("xgft", trees[5], 1);
    vef_routing *routing = routing_of(routings[3], topology, VEF_FLOW_VIRTUAL_CHANNELS);
    const vef_travel travel = travel_of(topology, 0, topology->endpoints - 1);
    static const uint32_t expected[] = {4, 6, 2, 2}; /* links up, up, down, down */
    vef_draws draws = {0};
    vef_route route;
    vef_routing_begin(routing, &travel, &draws, NULL, &route);
    vef_place place = {travel.from, VEF_INJECTED, 0};
    for (uint32_t hop = 0; hop < 4; hop++) {
        vef_candidate offered[VEF_MAX_CANDIDATES];
        assert_int_equal(offers(routing, &route, place, offered), 2 * expected[hop]);
        place = step(routing, &route, place, offered[0]);
    }
    assert_int_equal(place.router, travel.to);
    vef_routing_destroy(routing);
    vef_topology_destroy(topology);
}

static void test_bursts_arrive(void **state) {
    (void)state;
    for (size_t r = 0; r < ROUTINGS; r++)
        check_burst("{family: xgft, m: [4, 3, 2], w: [1, 2, 3], links: [1, 2, 2]}", routings[r],
                    "virtual-channels", 1);
}

static void test_refused(void **state) {
    (void)state;
    assert_network_refused(
        "{topology: {family: torus, sizes: [4, 4]}, routing: {algorithm: d-mod-k}}",
        "expected topology xgft, or kary-ntree without T-switches, not torus");
    assert_network_refused(
        "{topology: {family: kary-ntree, k: 4, n: 2, inner_links: 1}, routing: {algorithm: "
        "s-mod-k}}",
        "expected topology xgft");
    assert_network_refused(
        "{topology: {family: xgft, m: [64, 64], w: [1, 64]}, routing: {algorithm: "
        "nca-adaptive, channels: 20}}",
        "expected at most 16");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_paths_are_minimal),
        cmocka_unit_test(test_shifts_meet_no_contention),
        cmocka_unit_test(test_who_chooses),
        cmocka_unit_test(test_random_ways_are_equally_likely),
        cmocka_unit_test(test_ways_of_pairs),
        cmocka_unit_test(test_adaptive_offers_all),
        cmocka_unit_test(test_bursts_arrive),
        cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
