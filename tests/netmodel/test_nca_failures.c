/* Routings on generalized fat trees with failures: every way is one of the shortest up and then
 * down in the graph that is left, by a breadth-first search; pairs without one are refused; the
 * proof holds; and the load of the links is spread over those that are left. */
#include "netmodel/routing/routing.h"
#include "netmodel/topology/tree/xgft.h"
#include "tests/netmodel/networks.h"
#include "tests/netmodel/proofs.h"
#include "tests/netmodel/routes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const names[] = {"d-mod-k", "s-mod-k", "nca-random", "nca-adaptive"};
enum { ROUTINGS = sizeof names / sizeof *names };

static uint32_t level_of(const vef_topology *topology, uint32_t router) {
    const vef_topology *whole = vef_topology_whole(topology);
    return vef_xgft_level(whole->details, vef_topology_router_number(topology, router));
}

/* Hops of the shortest ways up and then down from every router to `target`: [2 * router + fell],
 * searched forwards from each, not backwards as the routing does. UINT32_MAX: none. */
static uint32_t shortest_way(const vef_topology *topology, uint32_t from, uint32_t target) {
    const uint32_t states = 2 * topology->routers;
    uint32_t *hops = malloc(states * sizeof *hops), *queue = malloc(states * sizeof *queue);
    uint32_t count = 1, found = UINT32_MAX;
    memset(hops, 0xff, states * sizeof *hops);
    hops[2 * from] = 0;
    queue[0] = 2 * from;
    for (uint32_t i = 0; i < count && found == UINT32_MAX; i++) {
        const uint32_t router = queue[i] / 2, fell = queue[i] % 2;
        if (router == target)
            found = hops[queue[i]];
        for (uint32_t port = 0; port < topology->ports; port++) {
            const uint32_t next = topology->neighbour[(size_t)router * topology->ports + port];
            if (next == VEF_NO_ROUTER)
                continue;
            const bool down = level_of(topology, next) < level_of(topology, router);
            const uint32_t after = 2 * next + down;
            if ((fell && !down) || hops[after] != UINT32_MAX)
                continue;
            hops[after] = hops[queue[i]] + 1;
            queue[count++] = after;
        }
    }
    free(hops);
    free(queue);
    return found;
}

/* The hops between all pairs of endpoints; whether each has a way. */
static bool find_ways(const vef_topology *topology, uint32_t *hops) {
    bool complete = true;
    for (uint32_t from = 0; from < topology->endpoints; from++)
        for (uint32_t to = 0; to < topology->endpoints; to++) {
            const uint32_t way = shortest_way(topology, vef_topology_router_of(topology, from),
                                              vef_topology_router_of(topology, to));
            hops[from * topology->endpoints + to] = way;
            complete &= way != UINT32_MAX;
        }
    return complete;
}

static vef_travel travel_of(const vef_topology *topology, uint32_t from, uint32_t to) {
    return (vef_travel){from, to, vef_topology_router_of(topology, from),
                        vef_topology_router_of(topology, to), 0};
}

/* Follows a packet by drawn candidates; returns its hops, and adds to the load of links. */
static uint32_t follow(const vef_routing *routing, const vef_travel *travel, vef_rng *rng,
                       uint32_t *load) {
    vef_draws draws = vef_draws_from(rng);
    vef_route route;
    vef_routing_begin(routing, travel, &draws, NULL, &route);
    vef_place place = {travel->from, VEF_INJECTED, 0};
    uint32_t hops = 0;
    bool fell = false;
    for (; place.router != travel->to; hops++) {
        vef_candidate offered[VEF_MAX_CANDIDATES];
        const uint32_t count = offers(routing, &route, place, offered);
        assert_true(count > 0 && hops < 64);
        const vef_candidate next = offered[vef_rng_below(rng, count)];
        const uint32_t before = level_of(routing->topology, place.router);
        if (load)
            load[(size_t)place.router * routing->topology->ports + next.port]++;
        place = step(routing, &route, place, next);
        const bool down = level_of(routing->topology, place.router) < before;
        assert_true(down || !fell);
        fell = down;
    }
    return hops;
}

static void check_routing(const char *name, const vef_topology *topology, const uint32_t *hops,
                          vef_rng *rng) {
    char yaml[64];
    snprintf(yaml, sizeof yaml, "{algorithm: %s}", name);
    vef_routing *routing = routing_of(yaml, topology, VEF_FLOW_VIRTUAL_CHANNELS);
    for (uint32_t from = 0; from < topology->endpoints; from++)
        for (uint32_t to = 0; to < topology->endpoints; to++) {
            const vef_travel travel = travel_of(topology, from, to);
            for (uint32_t time = 0; time < 2; time++)
                assert_int_equal(follow(routing, &travel, rng, NULL),
                                 hops[from * topology->endpoints + to]);
        }
    vef_deadlock found = prove(routing, 0, false);
    assert_free(routing, &found, name);
    assert_true(found.bounded);
    vef_deadlock_release(&found);
    vef_routing_destroy(routing);
}

static void ways_are_the_shortest_that_are_left(void **state) {
    (void)state;
    static const struct {
        const char *family, *tree;
    } trees[] = {{"xgft", "{m: [2, 4], w: [1, 4]}"},
                 {"xgft", "{m: [2, 2, 3], w: [1, 2, 3]}"},
                 {"xgft", "{m: [2, 3, 2], w: [1, 2, 2], links: [1, 2, 1]}"},
                 {"kary-ntree", "{k: 2, n: 4}"}};
    enum { SEEDS = 12 };
    vef_rng rng = vef_rng_make(5, VEF_RNG_TEST, 0);
    uint32_t complete = 0, cut = 0, longer = 0;
    for (size_t t = 0; t < sizeof trees / sizeof *trees; t++)
        for (uint32_t seed = 1; seed <= SEEDS; seed++) {
            char failures[128];
            snprintf(failures, sizeof failures,
                     "{link_share: %g, router_count: %u, seed: %u, disconnected: drop}",
                     0.05 * (1 + seed % 6), seed % 3, seed);
            vef_topology *topology = topology_of(trees[t].family, trees[t].tree, 1);
            damage(&topology, failures);
            const vef_topology *whole = vef_topology_whole(topology);
            uint32_t *hops = malloc(sizeof *hops * topology->endpoints * topology->endpoints);
            if (find_ways(topology, hops)) {
                complete++;
                for (uint32_t i = 0; i < topology->endpoints * topology->endpoints; i++)
                    longer += hops[i] > 2 * (((const vef_xgft *)whole->details)->height - 1);
                for (size_t r = 0; r < ROUTINGS; r++)
                    check_routing(names[r], topology, hops, &rng);
            } else {
                cut++;
                for (size_t r = 0; r < ROUTINGS; r++) {
                    vef_arena arena = {0};
                    vef_node *node = NULL;
                    vef_routing *routing = NULL;
                    vef_error error = {0};
                    char yaml[64];
                    uint32_t from, to;
                    snprintf(yaml, sizeof yaml, "{algorithm: %s}", names[r]);
                    assert_int_equal(vef_config_parse(yaml, "net.yaml", &arena, &node, &error), 0);
                    assert_int_equal(vef_routing_create(node, topology, VEF_FLOW_VIRTUAL_CHANNELS,
                                                        &routing, &error),
                                     VEF_INVALID);
                    const char *says = strstr(error.message, "packets from endpoint ");
                    assert_non_null(says);
                    assert_int_equal(sscanf(says, "packets from endpoint %u", &from), 1);
                    assert_int_equal(sscanf(strstr(says, "to endpoint "), "to endpoint %u", &to),
                                     1);
                    assert_int_equal(hops[from * topology->endpoints + to], UINT32_MAX);
                    vef_arena_release(&arena);
                }
            }
            free(hops);
            vef_topology_destroy(topology);
        }
    assert_true(complete > 15 && cut > 3);
    assert_int_equal(longer, 0); /* no way is higher than the top */
}

/* All packets go up. With k of s parents down, those of m sources below a switch, to m destinations
 * of consecutive numbers, take each of the others equally where s - k divides m, and the load of
 * the most loaded link is ceil(m / (s - k)) anyhow. */
static void load_is_spread_over_what_is_left(void **state) {
    (void)state;
    enum { M = 12, LEAVES = 4, S = 6 };
    static const char *const failures[] = {"[]",        "[4]",          "[4, 9]",
                                           "[4, 5, 9]", "[4, 5, 7, 9]", "[4, 5, 6, 7, 9]"};
    for (uint32_t k = 0; k < S; k++)
        for (size_t r = 0; r < 2; r++) {
            char section[64], yaml[64];
            snprintf(section, sizeof section, "{routers: %s}", failures[k]);
            snprintf(yaml, sizeof yaml, "{algorithm: %s}", names[r]);
            vef_topology *topology = topology_of("xgft", "{m: [12, 4], w: [1, 6]}", 1);
            if (k > 0)
                damage(&topology, section);
            vef_routing *routing = routing_of(yaml, topology, VEF_FLOW_VIRTUAL_CHANNELS);
            uint32_t *load = calloc((size_t)topology->routers * topology->ports, sizeof *load);
            vef_rng rng = vef_rng_make(1, VEF_RNG_TEST, 0);
            for (uint32_t from = 0; from < topology->endpoints; from++) {
                const vef_travel travel =
                    travel_of(topology, from, (from + M) % topology->endpoints);
                follow(routing, &travel, &rng, load);
            }
            uint32_t most = 0, used = 0;
            for (size_t link = 0; link < (size_t)topology->routers * topology->ports; link++) {
                most = load[link] > most ? load[link] : most;
                used += load[link] > 0;
            }
            assert_int_equal(used, 2 * LEAVES * (S - k));
            assert_int_equal(most, (M + S - k - 1) / (S - k));
            free(load);
            vef_routing_destroy(routing);
            vef_topology_destroy(topology);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ways_are_the_shortest_that_are_left),
        cmocka_unit_test(load_is_spread_over_what_is_left),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
