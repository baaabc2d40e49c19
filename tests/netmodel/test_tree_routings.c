/* Routings on k-ary n-trees, plain and of T-switches.
 *
 * Invariants: between any two terminals a packet takes twice as many links as there are stages
 * below the first switch that has both below it; in each switch it crosses to the other inner
 * switch at most once, on channels that inner links alone have; the worked examples of the files
 * hold; bursts through queues of one packet arrive. */
#include "netmodel/routing/routing.h"
#include "netmodel/topology/tree/kary_ntree.h"
#include "tests/netmodel/networks.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

static const char *const algorithms[] = {"{algorithm: destro}", "{algorithm: destro, channels: 3}",
                                         "{algorithm: tree-adaptive}",
                                         "{algorithm: tree-adaptive, channels: 2}"};
enum { ALGORITHMS = sizeof algorithms / sizeof algorithms[0] };

static const char *const trees[] = {
    "{k: 4, n: 3}",
    "{k: 2, n: 5}",
    "{k: 3, n: 2}",
    "{k: 4, n: 2, inner_links: 1}",
    "{k: 2, n: 4, inner_links: 2}",
    "{k: 4, n: 1, inner_links: 3, alpha: [[0, 1, 6, 7]]}",
    "{k: 3, n: 3, inner_links: 1, alpha: [[4, 0, 5]]}",
    "{k: 2, n: 3, inner_links: 1, alpha: [[2, 3]]}", /* all ports down on the one, up on the other
                                                      */
    "{k: 4, n: 2, inner_links: 2, alpha: [[0, 5, 2, 7], [0, 1, 4, 5]]}",
};
enum { TREES = sizeof trees / sizeof trees[0] };

/* Stages below the first switch that has both terminals below it, from their digits. */
static uint32_t rise(uint32_t k, uint32_t a, uint32_t b) {
    uint32_t stages = 0;
    for (a /= k, b /= k; a != b; a /= k, b /= k)
        stages++;
    return stages;
}

static void check_way(const vef_routing *routing, uint32_t from, uint32_t to, vef_rng *rng) {
    const vef_topology *topology = routing->topology;
    const vef_kary_ntree *tree = vef_kary_ntree_of(topology);
    const vef_travel travel = {from, to, vef_topology_router_of(topology, from),
                               vef_topology_router_of(topology, to), 0};
    vef_draws draws = vef_draws_from(rng);
    vef_route route;
    vef_routing_begin(routing, &travel, &draws, NULL, &route);
    vef_place place = {travel.from, VEF_INJECTED, 0};
    uint32_t external = 0, inner = 0;
    bool came_down = false;
    while (place.router != travel.to) {
        vef_candidate offered[256];
        const uint32_t count = routing->algorithm->candidates(routing, &route, place, offered);
        assert_true(count > 0 && count <= routing->most_candidates);
        const vef_candidate chosen = offered[vef_rng_below(rng, count)];
        assert_true(chosen.escape && chosen.channel < routing->port_channels[chosen.port]);
        const size_t link = (size_t)place.router * topology->ports + chosen.port;
        assert_int_not_equal(topology->neighbour[link], VEF_NO_ROUTER);
        if (chosen.port >= 2 * tree->k) {
            assert_int_equal(inner++, 0); /* once in a switch */
        } else {
            external++;
            inner = 0;
            assert_false(came_down && chosen.port >= tree->k);
            came_down = chosen.port < tree->k;
        }
        routing->algorithm->advance(routing, &route, place, chosen.port, chosen.channel);
        place =
            (vef_place){topology->neighbour[link], topology->reverse_port[link], chosen.channel};
    }
    assert_int_equal(external, 2 * rise(tree->k, from, to));
    vef_candidate none[256];
    assert_int_equal(routing->algorithm->candidates(routing, &route, place, none), 0);
}

static void test_ways_are_minimal(void **state) {
    (void)state;
    vef_rng rng = vef_rng_make(4, VEF_RNG_TEST, 0);
    for (size_t t = 0; t < TREES; t++) {
        vef_topology *topology = topology_of("kary-ntree", trees[t], 1);
        for (size_t a = 0; a < ALGORITHMS; a++) {
            vef_routing *routing = routing_of(algorithms[a], topology, VEF_FLOW_VIRTUAL_CHANNELS);
            for (uint32_t from = 0; from < topology->endpoints; from++)
                for (uint32_t to = 0; to < topology->endpoints; to++)
                    check_way(routing, from, to, &rng);
            vef_routing_destroy(routing);
        }
        vef_topology_destroy(topology);
    }
}

/* From 000 to 213 in a 4-ary 3-tree, as the files tell it. */
static void test_worked_examples(void **state) {
    (void)state;
    static const uint32_t destro_ports[] = {4 + 3, 4 + 1, 2, 1};
    vef_topology *topology = topology_of("kary-ntree", "{k: 4, n: 3}", 1);
    const uint32_t to = 2 * 16 + 1 * 4 + 3;
    const vef_travel travel = {0, to, vef_topology_router_of(topology, 0),
                               vef_topology_router_of(topology, to), 0};
    for (int adaptive = 0; adaptive < 2; adaptive++) {
        vef_routing *routing =
            routing_of(adaptive ? "{algorithm: tree-adaptive}" : "{algorithm: destro}", topology,
                       VEF_FLOW_BUBBLE);
        vef_rng rng = vef_rng_make(1, VEF_RNG_TEST, 0);
        vef_draws draws = vef_draws_from(&rng);
        vef_route route;
        vef_routing_begin(routing, &travel, &draws, NULL, &route);
        vef_place place = {travel.from, VEF_INJECTED, 0};
        for (uint32_t hop = 0; hop < 4; hop++) {
            vef_candidate offered[256];
            const uint32_t count = routing->algorithm->candidates(routing, &route, place, offered);
            assert_int_equal(count, adaptive && hop < 2 ? 4 : 1);
            uint32_t found = 0;
            for (uint32_t i = 0; i < count; i++)
                found += offered[i].port == destro_ports[hop];
            assert_int_equal(found, 1);
            const size_t link = (size_t)place.router * topology->ports + destro_ports[hop];
            place = (vef_place){topology->neighbour[link], topology->reverse_port[link], 0};
        }
        assert_int_equal(place.router, travel.to); /* whose port 3 is the terminal's */
        vef_routing_destroy(routing);
    }
    vef_topology_destroy(topology);
}

/* Every terminal sends to drawn others through queues of one packet: all arrive. */
static void test_bursts_arrive(void **state) {
    (void)state;
    for (size_t t = 0; t < TREES; t++)
        for (size_t a = 0; a < ALGORITHMS; a++) {
            char yaml[512];
            snprintf(yaml, sizeof yaml,
                     "{topology: {family: kary-ntree, %s, endpoints_per_router: 2, routing: %s, "
                     "router: {queue_packets: 1, injection_queues: 2}, packet: {phits: 4}}",
                     trees[t] + 1, algorithms[a]);
            vef_netmodel *model = network_of(yaml);
            vef_rng rng = vef_rng_make(6, VEF_RNG_TEST, t);
            vef_error error = {0};
            uint64_t sent = 0, delivered = 0;
            for (uint32_t e = 0; e < model->endpoints; e++)
                for (uint32_t i = 0; i < 40; i++, sent++) {
                    vef_net_message message = {.source = e,
                                               .destination = vef_rng_below(&rng, model->endpoints),
                                               .bytes = 64};
                    assert_int_equal(model->kind->inject(model, &message, &error), VEF_OK);
                }
            for (size_t count = 1; count > 0; delivered += count) {
                const vef_net_delivery *deliveries;
                assert_int_equal(
                    model->kind->advance(model, VEF_FOREVER, &deliveries, &count, &error), VEF_OK);
            }
            assert_int_equal(delivered, sent);
            vef_netmodel_destroy(model);
        }
}

static void test_what_is_refused(void **state) {
    (void)state;
    static const char *const rows[][2] = {
        {"{topology: {family: torus, sizes: [4]}, routing: {algorithm: destro}}",
         "expected topology kary-ntree, not torus"},
        {"{topology: {family: hypercube, dimensions: 3}, routing: {algorithm: tree-adaptive}}",
         "expected topology kary-ntree, not hypercube"},
        {"{topology: {family: kary-ntree, k: 64, n: 2}, routing: {algorithm: tree-adaptive, "
         "channels: 30}}",
         "expected at most 16"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        vef_error error = {0};
        vef_code code = network_refused(rows[i][0], &error);
        if (code != VEF_UNSUPPORTED || !strstr(error.message, rows[i][1]))
            fail_msg("%s gave %d: %s", rows[i][0], (int)code, error.message);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ways_are_minimal),
        cmocka_unit_test(test_worked_examples),
        cmocka_unit_test(test_bursts_arrive),
        cmocka_unit_test(test_what_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
