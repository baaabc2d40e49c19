/* Routings: every algorithm of the table on every topology sample takes minimal paths whatever
 * candidate is chosen; what dimension order, adaptive channels and bubbles promise; what is
 * refused. */
#include "netmodel/routing/routing.h"
#include "netmodel/topology/lattice/lattice.h"
#include "tests/netmodel/networks.h"
#include "tests/netmodel/views.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

typedef struct walk {
    const vef_routing *routing;
    vef_route route;
    vef_place place;
} walk;

static uint32_t offers(const walk *w, vef_candidate *offered) {
    return w->routing->algorithm->candidates(w->routing, &w->route, w->place, offered);
}

static void take(walk *w, vef_candidate chosen) {
    const vef_topology *topology = w->routing->topology;
    size_t link = (size_t)w->place.router * topology->ports + chosen.port;
    w->routing->algorithm->advance(w->routing, &w->route, w->place, chosen.port, chosen.channel);
    assert_int_not_equal(topology->neighbour[link], VEF_NO_ROUTER);
    w->place = (vef_place){topology->neighbour[link], topology->reverse_port[link], chosen.channel};
}

static walk start(const vef_routing *routing, uint32_t source, uint32_t destination, vef_rng *rng) {
    walk w = {.routing = routing, .place = {source, VEF_INJECTED, 0}};
    begin_route(routing, source, destination, rng, &w.route);
    return w;
}

static void check_walks(const vef_routing *routing, vef_rng *rng) {
    const vef_topology *topology = routing->topology;
    uint32_t *distance = malloc(topology->routers * sizeof *distance);
    for (uint32_t source = 0; source < topology->routers; source++) {
        distances_from(topology, source, distance);
        for (uint32_t destination = 0; destination < topology->routers; destination++) {
            walk w = start(routing, source, destination, rng);
            uint32_t hops = 0, count;
            vef_candidate offered[VEF_MAX_CANDIDATES];
            while ((count = offers(&w, offered)) > 0) {
                assert_true(count <= routing->most_candidates);
                for (uint32_t i = 0; i < count; i++)
                    assert_true(offered[i].channel < routing->channels);
                take(&w, offered[vef_rng_below(rng, count)]);
                assert_true(++hops <= topology->routers);
            }
            assert_int_equal(w.place.router, destination);
            assert_int_equal(hops, distance[destination]);
        }
    }
    free(distance);
}

static const char *const routings[] = {
    "{algorithm: dor}",
    "{algorithm: dor, channels: 3}",
    "{algorithm: adaptive, adaptive_channels: 1}",
    "{algorithm: adaptive, adaptive_channels: 2, return_to_adaptive: false}",
    "{algorithm: adaptive, selection: random}",
    "{algorithm: adaptive, selection: straight}",
};
enum { ROUTINGS = sizeof routings / sizeof routings[0] };

static void test_paths_are_minimal_everywhere(void **state) {
    (void)state;
    vef_rng rng = vef_rng_make(1, VEF_RNG_TEST, 0);
    for (size_t f = 0; vef_topology_families[f]; f++)
        for (size_t s = 0; vef_topology_families[f]->samples[s]; s++) {
            if (!vef_topology_families[f]->lattice)
                continue; /* these routings refuse it, below */
            vef_topology *topology = topology_of(vef_topology_families[f]->name,
                                                 vef_topology_families[f]->samples[s], 1);
            for (size_t r = 0; topology->lattice->any_order && r < 2 * ROUTINGS; r++) {
                vef_routing *routing =
                    routing_of(routings[r / 2], topology,
                               r % 2 == 0 ? VEF_FLOW_BUBBLE : VEF_FLOW_VIRTUAL_CHANNELS);
                check_walks(routing, &rng);
                vef_routing_destroy(routing);
            }
            vef_topology_destroy(topology);
        }
}

/* What was offered to a signature that came in some way; later offers must be the same. */
typedef struct memory {
    uint32_t count;
    vef_candidate offered[VEF_MAX_CANDIDATES];
} memory;

static void check_same_offers(const vef_routing *routing, vef_rng *rng) {
    const vef_topology *topology = routing->topology;
    uint32_t ways = topology->ports * routing->channels + 1;
    memory *memories = calloc((size_t)routing->signatures * ways, sizeof *memories);
    for (uint32_t i = 0; i < 3000; i++) {
        walk w = start(routing, vef_rng_below(rng, topology->endpoints),
                       vef_rng_below(rng, topology->endpoints), rng);
        vef_candidate offered[VEF_MAX_CANDIDATES];
        uint32_t count;
        while ((count = offers(&w, offered)) > 0) {
            uint32_t signature = routing->algorithm->signature(routing, &w.route);
            assert_true(signature < routing->signatures);
            uint32_t way = w.place.in_port == VEF_INJECTED
                               ? ways - 1
                               : w.place.in_port * routing->channels + w.place.in_channel;
            memory *kept = &memories[(size_t)signature * ways + way];
            if (kept->count == 0) {
                kept->count = count;
                memcpy(kept->offered, offered, count * sizeof *offered);
            }
            assert_int_equal(kept->count, count);
            assert_memory_equal(kept->offered, offered, count * sizeof *offered);
            take(&w, offered[vef_rng_below(rng, count)]);
        }
    }
    free(memories);
}

static void test_equal_signatures_have_equal_offers(void **state) {
    (void)state;
    vef_rng rng = vef_rng_make(1, VEF_RNG_TEST, 3);
    static const char *const topologies[][2] = {
        {"rtt", "{a: 4}"},
        {"mesh", "{sizes: [4, 3, 3]}"},
        {"lattice", "{sizes: [5, 5], generators: [[1, 0], [0, 1], [1, 1]]}"},
        {"lattice", "{sizes: [4, 5], wrap: [1, 0]}"},
    };
    for (size_t t = 0; t < sizeof topologies / sizeof topologies[0]; t++)
        for (size_t r = 0; r < ROUTINGS; r++) {
            vef_topology *topology = topology_of(topologies[t][0], topologies[t][1], 1);
            vef_routing *routing = routing_of(routings[r], topology, VEF_FLOW_BUBBLE);
            assert_true(routing->signatures > 0);
            check_same_offers(routing, &rng);
            vef_routing_destroy(routing);
            vef_topology_destroy(topology);
        }
}

/* On fat trees packets share candidates at all switches of a level. Leaves have one endpoint. */
static void test_equal_links_of_a_level_have_equal_offers(void **state) {
    (void)state;
    vef_rng rng = vef_rng_make(1, VEF_RNG_TEST, 5);
    vef_topology *topology =
        topology_of("xgft", "{m: [1, 4, 4], w: [1, 2, 2], links: [1, 1, 2]}", 1);
    vef_routing *routing =
        routing_of("{algorithm: nca-adaptive, channels: 2}", topology, VEF_FLOW_VIRTUAL_CHANNELS);
    assert_true(routing->signatures > 0);
    check_same_offers(routing, &rng);
    vef_routing_destroy(routing);
    vef_topology_destroy(topology);
}

/* Where one link joins two groups, a packet has one next port. */
static void test_equal_next_hops_have_equal_offers(void **state) {
    (void)state;
    vef_rng rng = vef_rng_make(1, VEF_RNG_TEST, 4);
    static const char *const algorithms[] = {
        "{algorithm: minimal, channels: 2}", "{algorithm: valiant}",
        "{algorithm: valiant, intermediate: router, early_exit: true}", "{algorithm: ugal-l}"};
    static const char *const shapes[] = {"{a: 4, h: 2}", "{a: 3, h: 2, arrangement: absolute}",
                                         "{a: 4, h: 2, groups: 5}"};
    for (size_t s = 0; s < sizeof shapes / sizeof shapes[0]; s++)
        for (size_t r = 0; r < sizeof algorithms / sizeof algorithms[0]; r++) {
            vef_topology *topology = topology_of("dragonfly", shapes[s], 1);
            vef_routing *routing = routing_of(algorithms[r], topology, VEF_FLOW_VIRTUAL_CHANNELS);
            const bool alone = topology->routers > 20; /* the last has two links */
            assert_int_equal(routing->signatures > 0, alone);
            if (alone)
                check_same_offers(routing, &rng);
            vef_routing_destroy(routing);
            vef_topology_destroy(topology);
        }
}

/* From (0, 0) to (2, 1) of a 5 x 5 torus, as Puente et al. describe it. */
static void test_adaptive_offers(void **state) {
    (void)state;
    vef_topology *topology = topology_of("torus", "{sizes: [5, 5]}", 1);
    vef_routing *routing =
        routing_of("{algorithm: adaptive, adaptive_channels: 2}", topology, VEF_FLOW_BUBBLE);
    assert_int_equal(routing->channels, 3);
    assert_int_equal(routing->least_queue_packets, 2);
    vef_rng rng = vef_rng_make(1, VEF_RNG_TEST, 1);
    walk w = start(routing, 0, 7, &rng);
    vef_candidate offered[VEF_MAX_CANDIDATES];
    assert_int_equal(offers(&w, offered), 5);
    for (int i = 0; i < 4; i++) { /* x+ and y+, channels 1 and 2, one place */
        assert_int_equal(offered[i].port, i < 2 ? 0 : 2);
        assert_int_equal(offered[i].channel, 1 + i % 2);
        assert_int_equal(offered[i].preference, 0);
        assert_int_equal(offered[i].slots_needed, 1);
    }
    assert_int_equal(offered[4].port, 0); /* escape: x first, and entering its ring */
    assert_int_equal(offered[4].channel, 0);
    assert_true(offered[4].preference > 0);
    assert_int_equal(offered[4].slots_needed, 2);
    take(&w, offered[4]);
    assert_int_equal(offers(&w, offered), 5); /* on along the ring: one place */
    assert_int_equal(offered[4].slots_needed, 1);
    take(&w, offered[4]);
    assert_int_equal(offers(&w, offered), 3); /* only y is left: another ring */
    assert_int_equal(offered[2].port, 2);
    assert_int_equal(offered[2].slots_needed, 2);
    vef_routing_destroy(routing);

    routing =
        routing_of("{algorithm: adaptive, return_to_adaptive: false}", topology, VEF_FLOW_BUBBLE);
    w = start(routing, 0, 7, &rng);
    assert_int_equal(offers(&w, offered), 5);
    take(&w, offered[4]);
    assert_int_equal(offers(&w, offered), 1);
    assert_int_equal(offered[0].channel, 0);
    vef_routing_destroy(routing);
    vef_topology_destroy(topology);
}

/* Directions of the adaptive candidates by preference, then the escape's. */
static void check_order(const walk *w, const char *expected) {
    vef_candidate offered[VEF_MAX_CANDIDATES];
    char order[64] = "";
    size_t used = 0;
    const uint32_t count = offers(w, offered);
    for (uint32_t i = 0; i < count; i++) {
        if (i > 0 && offered[i].preference != offered[i - 1].preference)
            order[used++] = ' ';
        assert_true(i == 0 || offered[i].preference >= offered[i - 1].preference);
        assert_int_equal(offered[i].escape, i == count - 1);
        order[used++] = (char)('0' + offered[i].port);
    }
    order[used] = '\0';
    assert_string_equal(order, expected);
}

/* From (0, 0) to (1, 3) of a torus of 8 x 8: 1 hop by x+ (port 0), 3 by y+ (port 2). */
static void test_selections(void **state) {
    (void)state;
    static const struct {
        const char *routing, *injected, *by_x, *by_y;
    } rows[] = {
        /* Injected at (0, 0); at (0, 0) come by x+; come by y+. */
        {"{algorithm: adaptive}", "0022 0", "0022 0", "0022 0"},
        {"{algorithm: adaptive, selection: random}", "0022 0", "0022 0", "0022 0"},
        {"{algorithm: adaptive, selection: straight}", "0022 0", "00 22 0", "22 00 0"},
        {"{algorithm: adaptive, selection: longest}", "22 00 0", "22 00 0", "22 00 0"},
        {"{algorithm: adaptive, selection: least-occupied}", "0022 0", "0022 0", "0022 0"},
    };
    vef_topology *topology = topology_of("torus", "{sizes: [8, 8]}", 1);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        vef_routing *routing = routing_of(rows[i].routing, topology, VEF_FLOW_BUBBLE);
        assert_int_equal(routing->selection == VEF_SELECT_ANY, i == 1);
        vef_rng rng = vef_rng_make(1, VEF_RNG_TEST, 1);
        walk w = start(routing, 0, 1 + 3 * 8, &rng);
        check_order(&w, rows[i].injected);
        w.place = (vef_place){0, 1, 1}; /* by x+ it comes in at x- */
        check_order(&w, rows[i].by_x);
        w.place = (vef_place){0, 3, 2};
        check_order(&w, rows[i].by_y);
        vef_routing_destroy(routing);
    }
    vef_topology_destroy(topology);
}

static uint64_t cost_of(const walk *w, const made_up *state, uint16_t port, uint8_t channel) {
    const vef_view view = view_made_up(state, w->place.router, w->routing->channels, false);
    const vef_candidate candidate = {.port = port, .channel = channel, .slots_needed = 1};
    return w->routing->algorithm->weigh(w->routing, &w->route, w->place, candidate, &view);
}

/* Three channels to each port: a place taken in each outweighs two packets that wait, and is
 * outweighed by four. */
static void test_least_occupied(void **state) {
    (void)state;
    vef_topology *topology = topology_of("torus", "{sizes: [8, 8]}", 1);
    vef_routing *routing =
        routing_of("{algorithm: adaptive, selection: least-occupied}", topology, VEF_FLOW_BUBBLE);
    assert_int_equal(routing->selection, VEF_SELECT_COST);
    vef_rng rng = vef_rng_make(1, VEF_RNG_TEST, 1);
    const walk w = start(routing, 0, 1 + 3 * 8, &rng);
    uint32_t taken[64 * 4] = {0}, waiting[64 * 4] = {0};
    const made_up queues = {4, taken, waiting};
    assert_true(cost_of(&w, &queues, 0, 1) == cost_of(&w, &queues, 2, 2));
    taken[0] = 1;
    waiting[2] = 2;
    assert_true(cost_of(&w, &queues, 0, 1) > cost_of(&w, &queues, 2, 2));
    waiting[2] = 4;
    assert_true(cost_of(&w, &queues, 0, 1) < cost_of(&w, &queues, 2, 2));
    vef_routing_destroy(routing);
    vef_topology_destroy(topology);
}

/* Of equal hops, all alike; with three generators, one after the other. */
static void test_longest_first(void **state) {
    (void)state;
    vef_topology *topology = topology_of("mesh", "{sizes: [4, 4, 4]}", 1);
    vef_routing *routing =
        routing_of("{algorithm: adaptive, adaptive_channels: 1, selection: longest}", topology,
                   VEF_FLOW_BUBBLE);
    vef_rng rng = vef_rng_make(1, VEF_RNG_TEST, 1);
    walk w = start(routing, 0, 1 + 4 * 2 + 16 * 3, &rng);
    check_order(&w, "4 2 0 0");
    w = start(routing, 0, 2 + 4 * 2 + 16 * 1, &rng);
    check_order(&w, "02 4 0");
    w = start(routing, 3 + 4 * 3, 16 * 3, &rng);
    check_order(&w, "134 1");
    vef_routing_destroy(routing);
    vef_topology_destroy(topology);
}

static void test_dimension_order(void **state) {
    (void)state;
    vef_topology *topology = topology_of("mesh", "{sizes: [4, 4, 4]}", 1);
    vef_routing *routing = routing_of("{algorithm: dor}", topology, VEF_FLOW_VIRTUAL_CHANNELS);
    assert_int_equal(routing->least_queue_packets, 1);
    vef_rng rng = vef_rng_make(1, VEF_RNG_TEST, 2);
    walk w = start(routing, 3, 16 * 2 + 4, &rng); /* (3,0,0) to (0,1,2) */
    static const uint8_t ports[] = {1, 1, 1, 2, 4, 4};
    vef_candidate offered[VEF_MAX_CANDIDATES];
    for (size_t i = 0; i < sizeof ports; i++) {
        assert_int_equal(offers(&w, offered), 1);
        assert_int_equal(offered[0].port, ports[i]);
        assert_int_equal(offered[0].slots_needed, 1);
        take(&w, offered[0]);
    }
    assert_int_equal(offers(&w, offered), 0);
    vef_routing_destroy(routing);
    vef_topology_destroy(topology);
}

/* Half way round a ring of 4 both directions are minimal: drawn evenly. 4,000 draws: the share of
 * one lies within 0.5 +- 0.04 (five standard deviations). */
static void test_ties_are_drawn_evenly(void **state) {
    (void)state;
    vef_topology *topology = topology_of("torus", "{sizes: [4]}", 1);
    vef_routing *routing = routing_of("{algorithm: dor}", topology, VEF_FLOW_BUBBLE);
    vef_rng rng = vef_rng_make(1, VEF_RNG_SOURCE, 0);
    int plus = 0;
    for (int i = 0; i < 4000; i++) {
        walk w = start(routing, 0, 2, &rng);
        plus += w.route.words[0] > 0;
    }
    assert_in_range(plus, 1840, 2160);
    uint64_t drawn = rng.counter;
    start(routing, 0, 1, &rng);
    assert_int_equal(rng.counter, drawn); /* nothing to draw */
    vef_routing_destroy(routing);
    vef_topology_destroy(topology);
}

static void test_what_is_refused(void **state) {
    (void)state;
    static const struct {
        const char *yaml;
        vef_flow_control flow_control;
        vef_code code;
        const char *says;
    } rows[] = {
        {"{algorithm: xyz}", VEF_FLOW_BUBBLE, VEF_INVALID, "xpected one of adaptive, dor"},
        {"{algorithm: []}", VEF_FLOW_BUBBLE, VEF_INVALID, "expected a name such as adaptive"},
        {"[dor]", VEF_FLOW_BUBBLE, VEF_INVALID, "mapping"},
        {"{algorithm: dor, adaptive_channels: 2}", VEF_FLOW_BUBBLE, VEF_INVALID,
         "adaptive_channels"},
        {"{algorithm: dor, channels: 0}", VEF_FLOW_BUBBLE, VEF_INVALID, "channels"},
        {"{algorithm: adaptive, adaptive_channels: 64}", VEF_FLOW_BUBBLE, VEF_INVALID,
         "adaptive_channels"},
        {"{algorithm: dor, channels: 33}", VEF_FLOW_VIRTUAL_CHANNELS, VEF_INVALID,
         "66 virtual channels per link (of 2 classes): out of range: expected at most 64"},
        {"{algorithm: adaptive, adaptive_channels: 63}", VEF_FLOW_VIRTUAL_CHANNELS, VEF_INVALID,
         "at most 64"},
    };
    vef_topology *topology = topology_of("rtt", "{a: 4}", 1);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        vef_arena arena = {0};
        vef_node *node = NULL;
        vef_error error = {0};
        vef_routing *routing = NULL;
        assert_int_equal(vef_config_parse(rows[i].yaml, "r", &arena, &node, &error), VEF_OK);
        vef_code code = vef_routing_create(node, topology, rows[i].flow_control, &routing, &error);
        if (code != rows[i].code || !strstr(error.message, rows[i].says) ||
            strncmp(error.message, "r:1:", 4) != 0)
            fail_msg("%s gave %d: %s", rows[i].yaml, (int)code, error.message);
        vef_arena_release(&arena);
    }
    vef_topology_destroy(topology);

    static const struct {
        const char *family, *parameters, *says;
    } lattices[] = {
        {"lattice", "{sizes: [4, 4], generators: [[1,0],[0,1],[1,2]], wrap: [0,0]}",
         "unit vectors"},
        {"king-mesh", "{sizes: [4, 4]}", "leave the mesh"},
        {"hypercube", "{dimensions: 17}", "at most 16"},
    };
    vef_error error = {0};
    vef_routing *routing = NULL;
    vef_arena arena = {0};
    vef_node *adaptive = NULL;
    assert_int_equal(vef_config_parse("{algorithm: adaptive}", "r", &arena, &adaptive, &error),
                     VEF_OK);
    for (size_t i = 0; i < sizeof lattices / sizeof lattices[0]; i++) {
        topology = topology_of(lattices[i].family, lattices[i].parameters, 1);
        assert_int_equal(vef_routing_create(adaptive, topology, VEF_FLOW_BUBBLE, &routing, &error),
                         VEF_UNSUPPORTED);
        assert_non_null(strstr(error.message, lattices[i].says));
        vef_topology_destroy(topology);
    }
    vef_arena_release(&arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_paths_are_minimal_everywhere),
        cmocka_unit_test(test_equal_signatures_have_equal_offers),
        cmocka_unit_test(test_equal_next_hops_have_equal_offers),
        cmocka_unit_test(test_equal_links_of_a_level_have_equal_offers),
        cmocka_unit_test(test_adaptive_offers),
        cmocka_unit_test(test_selections),
        cmocka_unit_test(test_least_occupied),
        cmocka_unit_test(test_longest_first),
        cmocka_unit_test(test_dimension_order),
        cmocka_unit_test(test_ties_are_drawn_evenly),
        cmocka_unit_test(test_what_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
