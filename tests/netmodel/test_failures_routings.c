/* Routings on networks with failures: those for any graph, and some for a family, go round, proved
 * free of deadlock on every family; the others are refused with a pair that they would cut off. */
#include "netmodel/clock.h"
#include "netmodel/topology/failures/failures.h"
#include "tests/netmodel/networks.h"
#include "tests/netmodel/own_file.h"
#include "tests/netmodel/proofs.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LEAST_ROUTERS = 8, MOST_ROUTERS = 100 };

static const vef_flow_control flow_controls[] = {VEF_FLOW_BUBBLE, VEF_FLOW_VIRTUAL_CHANNELS};

static vef_code try_routing(const char *name, const vef_topology *topology,
                            vef_flow_control flow_control, vef_routing **routing,
                            vef_error *error) {
    char yaml[64];
    vef_arena arena = {0};
    vef_node *node = NULL;
    snprintf(yaml, sizeof yaml, "{algorithm: %s}", name);
    assert_int_equal(vef_config_parse(yaml, "net.yaml", &arena, &node, error), VEF_OK);
    const vef_code code = vef_routing_create(node, topology, flow_control, routing, error);
    vef_arena_release(&arena);
    return code;
}

/* Calls `check` for the samples of every family, whole and with failures. */
static void for_every_sample(void (*check)(const vef_topology *whole,
                                           const vef_topology *damaged)) {
    for (size_t f = 0; vef_topology_families[f]; f++)
        for (const char *const *sample = vef_topology_families[f]->samples; *sample; sample++) {
            vef_topology *whole = topology_of(vef_topology_families[f]->name, *sample, 1);
            if (whole->routers >= LEAST_ROUTERS && whole->routers <= MOST_ROUTERS) {
                vef_topology *damaged = topology_of(vef_topology_families[f]->name, *sample, 1);
                damage(&damaged, "{link_share: 0.1, router_count: 1, disconnected: drop, seed: 2}");
                check(whole, damaged);
                vef_topology_destroy(damaged);
            }
            vef_topology_destroy(whole);
        }
}

/* The escape of `adaptive` is connected and free of cycles whatever links and routers are down: on
 * every lattice, with its wraps and twists, by each choice among its channels. */
static void adaptive_goes_round_on_lattices(void **state) {
    (void)state;
    static const char *const lattices[][2] = {
        {"torus", "{sizes: [5, 4]}"},
        {"mesh", "{sizes: [3, 3, 2]}"},
        {"rtt", "{a: 3}"},
        {"ptt", "{a: 2}"},
        {"king-torus", "{sizes: [4, 4]}"},
        {"diagonal-torus", "{sizes: [4, 4]}"},
        {"hypercube", "{dimensions: 4}"},
        {"torus", "{sizes: [24]}"},
    };
    static const char *const selections[] = {"most-credits", "random", "least-occupied"};
    enum { SEEDS = 24 };
    for (size_t t = 0; t < sizeof lattices / sizeof *lattices; t++)
        for (uint32_t seed = 1; seed <= SEEDS; seed++) {
            char failures[128], name[64];
            snprintf(failures, sizeof failures,
                     "{link_share: %g, router_count: %u, seed: %u, disconnected: drop}",
                     0.04 * (1 + seed % 8), seed % 4, seed);
            snprintf(name, sizeof name, "adaptive, selection: %s", selections[seed % 3]);
            vef_topology *topology = topology_of(lattices[t][0], lattices[t][1], 1);
            damage(&topology, failures);
            vef_routing *routing = NULL;
            vef_error error = {0};
            if (try_routing(name, topology, flow_controls[seed % 2], &routing, &error) != VEF_OK)
                fail_msg("%s %s: %s", lattices[t][0], failures, error.message);
            vef_deadlock found = prove(routing, 0, false);
            assert_free(routing, &found, lattices[t][0]);
            assert_true(found.bounded);
            vef_deadlock_release(&found);
            vef_routing_destroy(routing);
            vef_topology_destroy(topology);
        }
}

static void prove_any_graph(const vef_topology *whole, const vef_topology *damaged) {
    (void)whole;
    for (size_t a = 0; vef_routings[a]; a++) {
        vef_routing *routing = NULL;
        vef_error error = {0};
        if (!(vef_routings[a]->any_graph || vef_routings[a]->around_failures) ||
            try_routing(vef_routings[a]->name, damaged, VEF_FLOW_VIRTUAL_CHANNELS, &routing,
                        &error) != VEF_OK)
            continue;
        vef_deadlock found = prove(routing, 0, false);
        assert_free(routing, &found, damaged->family->name);
        assert_true(found.bounded);
        vef_deadlock_release(&found);
        vef_routing_destroy(routing);
    }
}

static void routings_for_any_graph_are_free_of_deadlock(void **state) {
    (void)state;
    for_every_sample(prove_any_graph);
}

static uint32_t refused_with_a_pair;

/* Whether a row of that name goes round, instead of the one for whole networks. */
static bool goes_round(const char *name) {
    for (size_t a = 0; vef_routings[a]; a++)
        if ((vef_routings[a]->any_graph || vef_routings[a]->around_failures) &&
            strcmp(vef_routings[a]->name, name) == 0)
            return true;
    return false;
}

static void refuse_others(const vef_topology *whole, const vef_topology *damaged) {
    for (size_t a = 0; vef_routings[a]; a++)
        for (size_t f = 0; f < 2; f++) {
            vef_routing *routing = NULL;
            vef_error error = {0};
            if (goes_round(vef_routings[a]->name) ||
                try_routing(vef_routings[a]->name, whole, flow_controls[f], &routing, &error) !=
                    VEF_OK)
                continue;
            vef_routing_destroy(routing);
            routing = NULL;
            assert_int_equal(
                try_routing(vef_routings[a]->name, damaged, flow_controls[f], &routing, &error),
                VEF_UNSUPPORTED);
            assert_null(routing);
            if (!strstr(error.message, "is down, and packets from endpoint ") ||
                !strstr(error.message, "; expected for this network one of: ") ||
                !strstr(error.message, "minimal-adaptive, minimal, "))
                fail_msg("%s", error.message);
            refused_with_a_pair++;
        }
}

static void others_are_refused_with_a_pair(void **state) {
    (void)state;
    for_every_sample(refuse_others);
    assert_true(refused_with_a_pair > 50);
}

/* With too few queues there is a cycle, whose packets go the ways that it says: also on a ring
 * whose last router has three endpoints, so that those of the others are not at multiples of three.
 */
static void cycle_of(vef_topology *topology) {
    vef_routing *routing = routing_of("{algorithm: valiant}", topology, VEF_FLOW_VIRTUAL_CHANNELS);
    const vef_deadlock_request request = {.channels = 1};
    vef_deadlock found;
    vef_error error = {0};
    assert_int_equal(vef_deadlock_prove(routing, &request, &found, &error), VEF_OK);
    check_cycle(routing, &found);
    vef_deadlock_release(&found);
    vef_routing_destroy(routing);
    vef_topology_destroy(topology);
}

static void cycles_name_packets(void **state) {
    (void)state;
    vef_topology *torus = topology_of("torus", "{sizes: [4, 4]}", 2);
    damage(&torus, "{routers: [5, 6], links: [[0, 1]]}");
    cycle_of(torus);
    static const char text[] = "endpoints 4 3\n0 1\n1 2\n2 3\n3 4\n4 0\n";
    char parameters[320];
    own_file_write(text, sizeof text - 1);
    snprintf(parameters, sizeof parameters, "{file: %s}", own_file_path);
    cycle_of(topology_of("edges", parameters, 1));
}

/* Pairs that follow from the definitions of the routings. */
static void pairs_that_are_cut_off(void **state) {
    (void)state;
    static const struct {
        const char *yaml, *says;
    } rows[] = {
        /* The neighbour by the only shortest path. */
        {"{topology: {family: torus, sizes: [8, 8]}, failures: {links: [[0, 1]]}, routing: "
         "{algorithm: dor}}",
         "routing dor: not supported with these failures: the link from (0, 0) by x+ to (1, 0) is "
         "down, and packets from endpoint 0 at (0, 0) to endpoint 1 at (1, 0) have no other way; "
         "expected for this network one of: adaptive, minimal-adaptive, minimal"},
        {"{topology: {family: torus, sizes: [8, 8]}, failures: {links: [[0, 1]]}, routing: "
         "{algorithm: adaptive, return_to_adaptive: true}}",
         "return_to_adaptive: not supported with failures"},
        {"{topology: {family: torus, sizes: [8, 8]}, failures: {links: [[0, 1]]}, routing: "
         "{algorithm: adaptive, selection: longest}}",
         "expected one of most-credits, random, least-occupied"},
        /* From one side of a router to the other; endpoint 1 is lost, so that 2 becomes 1. */
        {"{topology: {family: mesh, sizes: [4, 4]}, failures: {routers: [1]}, routing: "
         "{algorithm: dor}, router: {flow_control: virtual-channels}}",
         "router (1, 0) is down, and packets from endpoint 0 at (0, 0) to endpoint 1 at (2, 0) "
         "have no other way"},
        /* Upwards a tree has other ways, downwards none. */
        {"{topology: {family: kary-ntree, k: 2, n: 2}, failures: {links: [[0, 2]]}, routing: "
         "{algorithm: tree-adaptive}}",
         "by down 0 to stage 0, switch 0 is down, and packets from endpoint 2 at stage 0, switch 1 "
         "to endpoint 0 at stage 0, switch 0 have no other way"},
        {"{topology: {family: twin-torus, sizes: [3, 3, 3]}, failures: {links: [[0, inner]]}, "
         "routing: {algorithm: dort}}",
         "the link from (0, 0, 0) card 0 by inner to (0, 0, 0) card 1 is down"},
        /* What would be refused without failures is refused for that. */
        {"{topology: {family: torus, sizes: [4, 4]}, failures: {links: [[0, 1]]}, routing: "
         "{algorithm: destro}}",
         "expected topology kary-ntree, not torus; expected for this network one of"},
        {"{topology: {family: torus, sizes: [4, 4]}, failures: {routers: [5]}, routing: "
         "{algorithm: up-down, root: 5}}",
         "root: router 5 is down: expected another"},
        {"{topology: {family: torus, sizes: [4, 4]}, failures: {routers: [5]}, routing: "
         "{algorithm: up-down, root: 16}}",
         "root: router 16 is out of range: expected 0 to 15"},
        {"{topology: {family: torus, sizes: [4, 4]}, failures: {routers: [2, 5, 7, 10]}}",
         "failures: endpoint 6 at router (2, 1) is cut off from endpoint 0 at router (0, 0): 11 of "
         "16 endpoints"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_network_refused(rows[i].yaml, rows[i].says);
}

/* Without a name, the first routing for any graph; a root by its number in the family. */
static void defaults(void **state) {
    (void)state;
    vef_topology *torus = topology_of("torus", "{sizes: [4, 4]}", 1);
    damage(&torus, "{routers: [2]}");
    vef_routing *routing = NULL;
    vef_error error = {0};
    assert_int_equal(vef_routing_create(NULL, torus, VEF_FLOW_BUBBLE, &routing, &error), VEF_OK);
    assert_string_equal(routing->algorithm->name, "minimal-adaptive");
    vef_routing_destroy(routing);
    /* Up from router 1 to the root, router 6 at (2, 1), whose number is one less now. */
    routing = routing_of("{algorithm: up-down, root: 6}", torus, VEF_FLOW_VIRTUAL_CHANNELS);
    const uint32_t root = vef_topology_router_numbered(torus, 6);
    assert_int_equal(root, 5);
    const vef_travel travel = {0, root, 0, root, 0};
    vef_draws draws = {0};
    vef_route route = {0};
    vef_candidate offered[16];
    vef_routing_begin(routing, &travel, &draws, NULL, &route);
    uint32_t hops = 0;
    vef_place place = {0, VEF_INJECTED, 0};
    while (place.router != root) {
        assert_true(routing->algorithm->candidates(routing, &route, place, offered) > 0);
        const size_t port = (size_t)place.router * torus->ports + offered[0].port;
        routing->algorithm->advance(routing, &route, place, offered[0].port, offered[0].channel);
        place = (vef_place){torus->neighbour[port], torus->reverse_port[port], offered[0].channel};
        hops++;
    }
    assert_int_equal(hops, 3); /* (0, 0) to (2, 1): to a root, every path may rise all the way */
    vef_routing_destroy(routing);
    vef_topology_destroy(torus);
}

/* The only way from 0 to 1 in a ring of eight without the link between them has 7 hops: the head of
 * a packet of 16 phits is at its last router after 7 x (0 + 1) cycles, and the packet is delivered
 * 16 cycles later, in the router model and in the flow model. */
static void models_go_round(void **state) {
    (void)state;
    static const char *const models[] = {"router", "flow"};
    for (int m = 0; m < 2; m++) {
        char yaml[256];
        snprintf(yaml, sizeof yaml,
                 "{model: %s, topology: {family: torus, sizes: [8]}, failures: {links: [[0, 1]]}}",
                 models[m]);
        vef_netmodel *network = network_of(yaml);
        const vef_net_message message = {.source = 0, .destination = 1, .bytes = 64, .id = 5};
        const vef_net_delivery *deliveries;
        size_t count = 0;
        vef_error error = {0};
        assert_int_equal(network->kind->inject(network, &message, &error), VEF_OK);
        assert_int_equal(network->kind->advance(network, VEF_FOREVER, &deliveries, &count, &error),
                         VEF_OK);
        assert_int_equal(count, 1);
        assert_int_equal(deliveries[0].time_cycles, vef_netmodel_time_of(network, 7 + 16));
        vef_net_statistics statistics;
        network->kind->statistics(network, &statistics);
        assert_near(statistics.average_hops, 7, 0);
        vef_netmodel_destroy(network);
    }
}

/* A cycle stays that of the fastest link, though all of these are down. */
static void cycle_of_the_fastest_link(void **state) {
    (void)state;
    vef_netmodel *network = network_of(
        "{topology: {family: torus, sizes: [4, 2]}, link: {bandwidth: 1 Gbit/s, classes: {y: "
        "{bandwidth: 4 Gbit/s}}}, failures: {links: [[0, 4], [1, 5], [2, 6], [3, y+], [7, y+]], "
        "disconnected: drop}}");
    assert_int_equal(network->topology->routers, 4);
    assert_near(vef_netmodel_cycle_ns(network), 8, 1e-12); /* 4 B at 4 Gbit/s */
    vef_netmodel_destroy(network);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(routings_for_any_graph_are_free_of_deadlock),
        cmocka_unit_test(adaptive_goes_round_on_lattices),
        cmocka_unit_test(others_are_refused_with_a_pair),
        cmocka_unit_test(cycles_name_packets),
        cmocka_unit_test(pairs_that_are_cut_off),
        cmocka_unit_test(defaults),
        cmocka_unit_test(models_go_round),
        cmocka_unit_test(cycle_of_the_fastest_link),
    };
    return cmocka_run_group_tests(tests, own_file_make, own_file_remove);
}
