/* Routing ugal: the rule of its choice on views made up by hand, that the proof follows every
 * alternative, and what it promises in a network: minimal paths when idle, minimal ones but for a
 * few under a small load, and under tornado traffic more than minimal routing can carry. */
#include "netmodel/deadlock/deadlock.h"
#include "netmodel/routing/algorithms.h"
#include "tests/netmodel/networks.h"
#include "tests/netmodel/proofs.h"
#include "tests/netmodel/routes.h"
#include "tests/netmodel/traffic.h"
#include "tests/netmodel/views.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdlib.h>

/* ---- the choice ---- */

/* On a ring of 8 from 0 to 3, with routes over router 6 (5 hops by x-) as the other alternatives:
 * which is chosen when so many places are taken at router 0 by x+ and x-. */
static uint32_t chosen(const vef_routing *routing, made_up *state, uint32_t plus, uint32_t minus) {
    const vef_travel travel = {0, 3, 0, 3, 0};
    const vef_choice *choice = routing->algorithm->choice;
    vef_route routes[VEF_MAX_ALTERNATIVES];
    for (uint32_t i = 0; i < routing->alternatives; i++) {
        vef_draws draws = {0};
        if (i > 0) /* the first draw is the router in the middle */
            draws = (vef_draws){.count = 1, .digits = {6}, .bounds = {8}};
        choice->begin(routing, &travel, i, &draws, &routes[i]);
    }
    state->taken[0] = plus;
    state->taken[1] = minus;
    const vef_view view = view_made_up(state, 0, routing->channels, routing->sees_all);
    return choice->choose(routing, &travel, routes, &view);
}

/* 3 hops by x+ against 5 by x-: minimal while 3 q+ <= 5 q- + threshold. */
static void test_local_choice(void **state) {
    (void)state;
    static const struct {
        const char *routing;
        uint32_t plus, minus, chosen;
        uint32_t waiting; /* for x+ */
    } rows[] = {
        {"{algorithm: ugal}", 0, 0, 0, 0},
        {"{algorithm: ugal}", 0, 8, 0, 0},
        {"{algorithm: ugal}", 1, 0, 1, 0},
        {"{algorithm: ugal}", 3, 1, 1, 0},
        {"{algorithm: ugal}", 3, 2, 0, 0},
        {"{algorithm: ugal}", 5, 3, 0, 0}, /* 15 and 15 */
        {"{algorithm: ugal, threshold: 4}", 3, 1, 0, 0},
        {"{algorithm: ugal, threshold: 3}", 3, 1, 1, 0},
        {"{algorithm: ugal, detours: 3}", 3, 1, 1, 0}, /* the first of equal ones */
        {"{algorithm: ugal, queues: port}", 5, 3, 0, 0},
        {"{algorithm: ugal, queues: port, threshold: 4}", 3, 1, 1, 0}, /* 2 channels: 18 and 10 */
        {"{algorithm: ugal, channels: 2, threshold: 4}", 3, 1, 1, 0},
        {"{algorithm: ugal}", 0, 0, 1, 1},
        {"{algorithm: ugal}", 3, 2, 1, 1}, /* 12 and 10 */
        {"{algorithm: ugal, threshold: 2}", 3, 2, 0, 1},
        {"{algorithm: ugal, channels: 2}", 3, 2, 0, 0},
        {"{algorithm: ugal, channels: 2}", 3, 2, 1, 1}, /* 21 and 20 */
    };
    vef_topology *topology = topology_of("torus", "{sizes: [8]}", 1);
    uint32_t taken[16] = {0}, waits[16] = {0};
    made_up queues = {topology->ports, taken, waits};
    taken[1 * 2] = 100; /* at other routers nothing is looked at */
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        vef_routing *routing = routing_of(rows[i].routing, topology, VEF_FLOW_BUBBLE);
        assert_false(routing->sees_all);
        waits[0] = rows[i].waiting;
        if (chosen(routing, &queues, rows[i].plus, rows[i].minus) != rows[i].chosen)
            fail_msg("%s with %u and %u places taken, %u waiting", rows[i].routing, rows[i].plus,
                     rows[i].minus, rows[i].waiting);
        vef_routing_destroy(routing);
    }
    vef_topology_destroy(topology);
}

/* The sums over the ways 0 1 2 and 0 7 6 5 4. */
static void test_global_choice(void **state) {
    (void)state;
    vef_topology *topology = topology_of("torus", "{sizes: [8]}", 1);
    uint32_t taken[16] = {0}, waits[16] = {0};
    made_up queues = {topology->ports, taken, waits};
    vef_routing *routing =
        routing_of("{algorithm: ugal, view: global, threshold: 1}", topology, VEF_FLOW_BUBBLE);
    assert_true(routing->sees_all);
    taken[2 * 2] = 4;     /* x+ of router 2 */
    taken[4 * 2 + 1] = 1; /* x- of router 4 */
    assert_int_equal(chosen(routing, &queues, 0, 0), 1);
    assert_int_equal(chosen(routing, &queues, 0, 1), 1);
    assert_int_equal(chosen(routing, &queues, 0, 2), 0); /* 4 and 3 + 1 */
    assert_int_equal(chosen(routing, &queues, 1, 2), 1);
    taken[3 * 2] = 100; /* on neither way: the destination's */
    assert_int_equal(chosen(routing, &queues, 0, 2), 0);
    waits[1 * 2] = 1; /* x+ of router 1 */
    assert_int_equal(chosen(routing, &queues, 0, 2), 1);
    vef_routing_destroy(routing);
    vef_topology_destroy(topology);
}

/* Alternative 0 is as long as the distance; the others are Valiant's, draw by draw. */
static void test_alternatives(void **state) {
    (void)state;
    vef_topology *topology = topology_of("rtt", "{a: 3}", 1);
    vef_routing *ugal = routing_of("{algorithm: ugal, detours: 2}", topology, VEF_FLOW_BUBBLE);
    vef_routing *valiant = routing_of("{algorithm: valiant}", topology, VEF_FLOW_BUBBLE);
    assert_int_equal(ugal->alternatives, 3);
    uint32_t *distance = malloc(topology->routers * sizeof *distance);
    distances_from(topology, 0, distance);
    for (uint32_t to = 1; to < topology->routers; to++) {
        const vef_travel travel = {0, to, 0, to, 0};
        vef_draws draws = {0};
        do {
            vef_route route;
            ugal->algorithm->choice->begin(ugal, &travel, 0, &draws, &route);
            vef_place place = {0, VEF_INJECTED, 0};
            vef_candidate offered[VEF_MAX_CANDIDATES];
            for (uint32_t hop = 0; hop < distance[to]; hop++) {
                assert_int_equal(offers(ugal, &route, place, offered), 1);
                place = step(ugal, &route, place, offered[0]);
            }
            assert_int_equal(place.router, to);
        } while (vef_draws_next(&draws));
        for (uint32_t which = 1; which < 3; which++) {
            vef_draws ours = {0}, theirs = {0};
            bool more;
            do {
                vef_route route, expected;
                ugal->algorithm->choice->begin(ugal, &travel, which, &ours, &route);
                valiant->algorithm->begin(valiant, &travel, &theirs, &expected);
                assert_memory_equal(&route, &expected, sizeof route);
                more = vef_draws_next(&ours);
                assert_int_equal(more, vef_draws_next(&theirs));
            } while (more);
        }
    }
    free(distance);
    vef_routing_destroy(valiant);
    vef_routing_destroy(ugal);
    vef_topology_destroy(topology);
}

/* ---- the proof ---- */

static void test_it_is_proved(void **state) {
    (void)state;
    static const struct {
        const char *family, *parameters;
        uint32_t diameter;
    } rows[] = {
        {"torus", "{sizes: [8]}", 4},
        {"torus", "{sizes: [5, 4]}", 4},
        {"mesh", "{sizes: [4, 4]}", 6},
        {"rtt", "{a: 4}", 4},
        {"pdtt", "{a: 2}", 3},
        {"hypercube", "{dimensions: 4}", 4},
        {"king-torus", "{sizes: [4, 4]}", 2},
        {"lattice", "{sizes: [4, 6], wrap: [0, 1]}", 6},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (int bubble = 0; bubble < 2; bubble++) {
            vef_topology *topology = topology_of(rows[i].family, rows[i].parameters, 1);
            vef_routing *routing = routing_of("{algorithm: ugal, detours: 2}", topology,
                                              bubble ? VEF_FLOW_BUBBLE : VEF_FLOW_VIRTUAL_CHANNELS);
            vef_deadlock found = prove(routing, 0, false);
            assert_free(routing, &found, rows[i].family);
            assert_true(found.bounded);
            assert_in_range(found.longest_hops, rows[i].diameter, 2 * rows[i].diameter);
            vef_deadlock_release(&found);
            vef_routing_destroy(routing);
            vef_topology_destroy(topology);
        }
}

/* The last alternative leads to another router, and is never chosen. */
static void begin_astray(const vef_routing *routing, const vef_travel *travel, uint32_t alternative,
                         vef_draws *draws, vef_route *route) {
    vef_travel other = *travel;
    if (alternative + 1 == routing->alternatives)
        other.to = (travel->to + 1) % routing->topology->routers;
    vef_routing_ugal.choice->begin(routing, &other, 0, draws, route);
}

static uint32_t choose_first(const vef_routing *routing, const vef_travel *travel,
                             const vef_route *routes, const vef_view *view) {
    (void)routing, (void)travel, (void)routes, (void)view;
    return 0;
}

/* The proof looks at alternatives that no choice has taken so far. */
static void test_every_alternative_is_looked_at(void **state) {
    (void)state;
    static const vef_choice astray = {begin_astray, choose_first};
    vef_topology *topology = topology_of("mesh", "{sizes: [3, 3]}", 1);
    vef_routing *routing = routing_of("{algorithm: ugal, detours: 3}", topology, VEF_FLOW_BUBBLE);
    vef_routing_algorithm algorithm = *routing->algorithm;
    algorithm.choice = &astray;
    routing->legs = NULL; /* these routes do not consist of two legs */
    routing->algorithm = &algorithm;
    vef_deadlock found = prove(routing, 0, false);
    assert_int_equal(found.verdict, VEF_DEADLOCK_LOST);
    vef_deadlock_release(&found);
    vef_routing_destroy(routing);
    vef_topology_destroy(topology);
}

/* ---- in the network ---- */

static uint64_t hops_so_far(const vef_netmodel *model) {
    vef_net_counts counts;
    model->kind->counts(model, &counts);
    return counts.packet_hops;
}

/* In an idle network every packet goes minimally, from everywhere to everywhere. */
static void test_idle_is_minimal(void **state) {
    (void)state;
    static const char *const networks[] = {
        "{topology: {family: rtt, a: 3}, routing: {algorithm: ugal}}",
        "{topology: {family: mesh, sizes: [4, 3]}, routing: {algorithm: ugal, detours: 5}}",
        "{topology: {family: torus, sizes: [4, 4]}, routing: {algorithm: ugal, view: global}}",
    };
    for (size_t i = 0; i < sizeof networks / sizeof *networks; i++) {
        vef_netmodel *model = network_of(networks[i]);
        uint32_t *distance = malloc(model->endpoints * sizeof *distance);
        for (uint32_t from = 0; from < model->endpoints; from++) {
            distances_from(model->topology, from, distance);
            for (uint32_t to = 0; to < model->endpoints; to++) {
                const uint64_t before = hops_so_far(model);
                send_alone(model, from, to, 64);
                assert_int_equal(hops_so_far(model) - before, distance[to]);
            }
        }
        free(distance);
        vef_netmodel_destroy(model);
    }
}

/* Uniform traffic at 0.05 phits per cycle and endpoint on a torus of 8 by 8, which carries 1: hops
 * of all packets over their distances. */
static double detour(const char *routing) {
    enum { MESSAGES = 4000, SPAN_CYCLES = MESSAGES * 16 * 20 / 64 };
    char yaml[256];
    snprintf(yaml, sizeof yaml, "{topology: {family: torus, sizes: [8, 8]}, routing: %s}", routing);
    vef_netmodel *model = network_of(yaml);
    uint32_t distance[64], far;
    distances_from(model->topology, 0, distance);
    vef_rng rng = vef_rng_make(4, VEF_RNG_TEST, 0);
    vef_error error;
    uint64_t least = 0;
    const vef_net_delivery *got;
    size_t count;
    for (uint32_t i = 0; i < MESSAGES; i++) {
        const uint32_t from = vef_rng_below(&rng, 64), to = vef_rng_below(&rng, 64);
        const vef_net_message message = {.source = from,
                                         .destination = to,
                                         .bytes = 64,
                                         .time_cycles = vef_rng_below(&rng, SPAN_CYCLES)};
        assert_int_equal(model->kind->inject(model, &message, &error), VEF_OK);
        far = (to % 8 + 8 - from % 8) % 8 + 8 * ((to / 8 + 8 - from / 8) % 8);
        least += distance[far];
    }
    do
        assert_int_equal(model->kind->advance(model, VEF_FOREVER, &got, &count, &error), VEF_OK);
    while (count > 0);
    const double more = (double)hops_so_far(model) / (double)least;
    vef_netmodel_destroy(model);
    return more;
}

static void test_small_load_is_almost_minimal(void **state) {
    (void)state;
    assert_near(detour("{algorithm: dor}"), 1, 0);
    const double ugal = detour("{algorithm: ugal}"), valiant = detour("{algorithm: valiant}");
    const double cautious = detour("{algorithm: ugal, threshold: 8}");
    print_message("hops over distances: ugal %.4f, with a threshold %.4f, valiant %.4f\n", ugal,
                  cautious, valiant);
    assert_true(ugal > 1 && ugal < 1.1);
    assert_true(cautious >= 1 && cautious < 1.005);
    assert_true(valiant > 1.8);
}

/* Tornado on a ring of 8: every endpoint sends 3 hops on, as much as the network takes. Phits per
 * cycle and endpoint. */
static double tornado(const char *routing) {
    enum { EACH = 400, WARM_UP_CYCLES = 2000, CYCLES = 8000 };
    char yaml[256];
    snprintf(yaml, sizeof yaml, "{topology: {family: torus, sizes: [8]}, routing: %s}", routing);
    vef_netmodel *model = network_of(yaml);
    vef_error error;
    const vef_net_delivery *got;
    size_t count;
    for (uint32_t i = 0; i < EACH * 8; i++) {
        const vef_net_message message = {
            .source = i % 8, .destination = (i + 3) % 8, .bytes = 64, .id = i};
        assert_int_equal(model->kind->inject(model, &message, &error), VEF_OK);
    }
    vef_net_counts counts[2];
    for (int part = 0; part < 2; part++) {
        const uint64_t until = part == 0 ? WARM_UP_CYCLES : WARM_UP_CYCLES + CYCLES;
        while (model->kind->now(model) < until)
            assert_int_equal(model->kind->advance(model, until, &got, &count, &error), VEF_OK);
        model->kind->counts(model, &counts[part]);
    }
    assert_true(counts[1].messages < EACH * 8); /* sources never ran dry */
    vef_netmodel_destroy(model);
    return (double)(counts[1].phits - counts[0].phits) / 8 / CYCLES;
}

/* All minimal ways go by x+, 3 hops each: a link carries 1, so endpoints send 1/3. Over random
 * routers they send about 1/2 at best, and no routing more than 1/3 + 1/5 (5 hops by x-). */
static void test_tornado(void **state) {
    (void)state;
    const double minimal = tornado("{algorithm: dor}"), valiant = tornado("{algorithm: valiant}");
    const double ugal = tornado("{algorithm: ugal}");
    const double global = tornado("{algorithm: ugal, view: global}");
    print_message("tornado: minimal %.4f, valiant %.4f, ugal %.4f, with a global view %.4f\n",
                  minimal, valiant, ugal, global);
    assert_near(minimal, 1.0 / 3, 0.003);
    assert_true(valiant > 1.1 * minimal);
    assert_true(ugal > 0.95 * valiant && ugal < 1.0 / 3 + 1.0 / 5);
    assert_true(global > 0.95 * valiant && global < 1.0 / 3 + 1.0 / 5);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_local_choice),
        cmocka_unit_test(test_global_choice),
        cmocka_unit_test(test_alternatives),
        cmocka_unit_test(test_it_is_proved),
        cmocka_unit_test(test_every_alternative_is_looked_at),
        cmocka_unit_test(test_idle_is_minimal),
        cmocka_unit_test(test_small_load_is_almost_minimal),
        cmocka_unit_test(test_tornado),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
