/* The proof of freedom from deadlock: every routing of the table passes on every small topology
 * sample that it supports; rings are counted by hand; known bad routings are rejected, with a cycle
 * that packets found by search do make. */
#include "netmodel/routing/algorithms.h"
#include "netmodel/topology/lattice/lattice.h"
#include "tests/netmodel/networks.h"
#include "tests/netmodel/proofs.h"
#include "tests/netmodel/routes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

/* ---- the table ---- */

/* Returns 1, or 0 where the routing refuses the topology, or is another row of the name than `row`.
 */
static uint32_t check_sample(const char *yaml, const vef_routing_algorithm *row,
                             const vef_topology *topology, const char *sample,
                             vef_flow_control flow_control) {
    vef_arena arena = {0};
    vef_node *node = NULL;
    vef_routing *routing = NULL;
    vef_error error = {0};
    char what[512];
    assert_int_equal(vef_config_parse(yaml, "test", &arena, &node, &error), VEF_OK);
    const vef_code code = vef_routing_create(node, topology, flow_control, &routing, &error);
    vef_arena_release(&arena);
    if (code == VEF_UNSUPPORTED || code == VEF_INVALID)
        return 0;
    snprintf(what, sizeof what, "%s on %s %s", yaml, topology->family->name, sample);
    if (code != VEF_OK)
        fail_msg("%s: %s", what, error.message);
    if (routing->algorithm != row) {
        vef_routing_destroy(routing);
        return 0;
    }
    vef_deadlock found = prove(routing, 0, false);
    assert_free(routing, &found, what);
    if (routing->uniform) {
        vef_deadlock every = prove(routing, 0, true);
        assert_free(routing, &every, what);
        assert_int_equal(every.destinations, topology->routers);
        if (topology->reflections == 0 && topology->turns == 0) /* else classes differ in size */
            assert_int_equal(every.states, found.states * (topology->routers / found.destinations));
        assert_int_equal(every.queues, found.queues);
        assert_int_equal(every.dependencies, found.dependencies);
        assert_int_equal(every.rings, found.rings);
        assert_int_equal(every.bounded, found.bounded);
        assert_int_equal(every.longest_hops, found.longest_hops);
    }
    vef_routing_destroy(routing);
    return 1;
}

/* On every sample of at most that many routers, with a link down if `failures`, under both flow
 * controls; returns how many took the routing. */
static uint32_t check_samples(const char *yaml, const vef_routing_algorithm *row,
                              uint32_t most_routers, uint32_t per_router, bool failures) {
    uint32_t verified = 0;
    for (size_t f = 0; vef_topology_families[f]; f++) {
        const vef_topology_family *family = vef_topology_families[f];
        for (size_t s = 0; family->samples[s]; s++) {
            vef_topology *topology = topology_of(family->name, family->samples[s], per_router);
            if (failures && topology->routers >= 8)
                damage(&topology, "{link_count: 1, disconnected: drop}");
            if (topology->routers <= most_routers) {
                verified += check_sample(yaml, row, topology, family->samples[s], VEF_FLOW_BUBBLE);
                verified += check_sample(yaml, row, topology, family->samples[s],
                                         VEF_FLOW_VIRTUAL_CHANNELS);
            }
            vef_topology_destroy(topology);
        }
    }
    return verified;
}

/* The larger samples have smaller ones of their family beside them. */
static void test_every_routing_of_the_table_is_free(void **state) {
    (void)state;
    for (size_t r = 0; vef_routings[r]; r++) {
        char yaml[128];
        snprintf(yaml, sizeof yaml, "{algorithm: %s}", vef_routings[r]->name);
        if (check_samples(yaml, vef_routings[r], 64, 1, false) == 0 &&
            check_samples(yaml, vef_routings[r], 64, 1, true) == 0)
            fail_msg("routing %s was verified on no network", vef_routings[r]->name);
        check_samples(yaml, vef_routings[r], 12, 2, false);
    }
}

/* Values of a parameter beside its default: the other truth value, every other choice, a number
 * more and one less; how many, into `values`. */
static uint32_t other_values(const vef_param *param, char values[16][32]) {
    uint32_t count = 0;
    if (param->kind == VEF_PARAM_BOOL)
        snprintf(values[count++], 32, "%s",
                 strcmp(param->fallback, "true") == 0 ? "false" : "true");
    for (size_t i = 0; param->kind == VEF_PARAM_CHOICE && param->choices[i] && count < 16; i++)
        if (strcmp(param->choices[i], param->fallback) != 0)
            snprintf(values[count++], 32, "%s", param->choices[i]);
    if (param->kind != VEF_PARAM_INT && param->kind != VEF_PARAM_REAL)
        return count;
    const double step = param->kind == VEF_PARAM_INT ? 1 : 0.125;
    for (double value = atof(param->fallback) - step; count < 2; value += 2 * step)
        snprintf(values[count++], 32, "%g", value);
    return count;
}

/* Whatever a routing accepts has to be free of deadlock: its parameters, one at a time. */
static void test_every_parameter_accepted_is_free(void **state) {
    (void)state;
    uint32_t verified = 0;
    for (size_t r = 0; vef_routings[r]; r++)
        for (const vef_param *param = vef_routings[r]->schema; param->key; param++) {
            char values[16][32];
            const uint32_t count = param->fallback ? other_values(param, values) : 0;
            for (uint32_t v = 0; v < count; v++) {
                char yaml[640];
                snprintf(yaml, sizeof yaml, "{algorithm: %s, %s: %s}", vef_routings[r]->name,
                         param->key, values[v]);
                verified += check_samples(yaml, vef_routings[r], 16, 1, false);
            }
        }
    assert_true(verified > 100); /* some values are refused everywhere, rightly */
}

/* ---- closed forms ---- */

/* Dimension order on a torus: each dimension of k > 3 has 2 N / k rings (in a shorter one nothing
 * goes on in its direction), their queues all used; minimal ways are as long as the diameter. */
static void test_rings_of_a_torus(void **state) {
    (void)state;
    vef_topology *topology = topology_of("torus", "{sizes: [5, 4, 3]}", 2);
    vef_routing *routing = routing_of("{algorithm: dor}", topology, VEF_FLOW_BUBBLE);
    vef_deadlock found = prove(routing, 0, true);
    assert_free(routing, &found, "torus");
    assert_int_equal(found.rings, 2 * 60 / 5 + 2 * 60 / 4);
    assert_int_equal(found.queues, 60 * 6);
    assert_int_equal(found.longest_hops, 2 + 2 + 1);
    assert_true(found.bounded);
    /* On from a queue of x: x, two ways of y and z; of y: y and two of z; of z (size 3): nothing.
     */
    assert_int_equal(found.dependencies, 60 * (2 * (1 + 2 + 2) + 2 * (1 + 2)));
    vef_routing_destroy(routing);
    vef_topology_destroy(topology);

    topology = topology_of("mesh", "{sizes: [5, 4]}", 1);
    routing = routing_of("{algorithm: adaptive}", topology, VEF_FLOW_VIRTUAL_CHANNELS);
    found = prove(routing, 1, false);
    assert_free(routing, &found, "mesh");
    assert_int_equal(found.rings, 0);
    assert_int_equal(found.longest_hops, 4 + 3);
    vef_routing_destroy(routing);
    vef_topology_destroy(topology);
}

/* ---- known bad ones ---- */

/* A routing of the table, its candidates changed. */
typedef struct bad {
    vef_topology *topology;
    vef_routing *routing;
    vef_routing_algorithm algorithm;
} bad;

static void make_bad(bad *b, const char *family, const char *parameters, const char *yaml) {
    b->topology = topology_of(family, parameters, 1);
    b->routing = routing_of(yaml, b->topology, VEF_FLOW_BUBBLE);
    b->algorithm = *b->routing->algorithm;
    b->algorithm.straight = NULL; /* these are about packets to one destination */
    b->algorithm.input = NULL;    /* and their candidates may depend on any queue */
    b->routing->algorithm = &b->algorithm;
}

static void release_bad(bad *b, vef_deadlock *found) {
    vef_deadlock_release(found);
    vef_routing_destroy(b->routing);
    vef_topology_destroy(b->topology);
}

static void test_a_ring_without_bubble_is_rejected(void **state) {
    (void)state;
    static const char *const networks[][2] = {
        {"torus", "{sizes: [5]}"}, {"torus", "{sizes: [3, 4]}"}, {"rtt", "{a: 3}"}};
    for (size_t i = 0; i < sizeof networks / sizeof *networks; i++)
        for (int every = 0; every < 2; every++) {
            bad b;
            make_bad(&b, networks[i][0], networks[i][1], "{algorithm: dor}");
            b.algorithm.candidates = careless_candidates;
            vef_deadlock found = prove(b.routing, 4, every);
            check_cycle(b.routing, &found);
            assert_int_equal(found.uncovered, VEF_UNCOVERED_ENTRY);
            release_bad(&b, &found);
        }
    /* Whereas dimensions of three have no ring: a way along them is one hop. */
    bad b;
    make_bad(&b, "torus", "{sizes: [3, 3]}", "{algorithm: dor}");
    b.algorithm.candidates = careless_candidates;
    vef_deadlock found = prove(b.routing, 1, false);
    assert_free(b.routing, &found, "torus [3, 3]");
    assert_int_equal(found.rings, 0);
    release_bad(&b, &found);
}

static uint32_t adaptive_with_one_place_from_adaptive(const vef_routing *routing,
                                                      const vef_route *route, vef_place place,
                                                      vef_candidate *offered) {
    const uint32_t count = vef_routing_adaptive.candidates(routing, route, place, offered);
    for (uint32_t i = 0; i < count; i++)
        if (place.in_port == (offered[i].port ^ 1))
            offered[i].slots_needed = 1;
    return count;
}

static void test_an_entry_with_one_place_is_rejected(void **state) {
    (void)state;
    bad b;
    make_bad(&b, "torus", "{sizes: [4, 5]}", "{algorithm: adaptive, adaptive_channels: 1}");
    b.algorithm.candidates = adaptive_with_one_place_from_adaptive;
    vef_deadlock found = prove(b.routing, 4, false);
    check_cycle(b.routing, &found);
    assert_int_equal(found.uncovered, VEF_UNCOVERED_ENTRY);
    /* The way in is out of an adaptive channel. */
    assert_int_not_equal(found.entry.place.in_port, VEF_INJECTED);
    assert_int_equal(found.entry.place.in_channel, 1);
    release_bad(&b, &found);
}

static uint32_t dor_with_two_places(const vef_routing *routing, const vef_route *route,
                                    vef_place place, vef_candidate *offered) {
    const uint32_t count = vef_routing_dor.candidates(routing, route, place, offered);
    for (uint32_t i = 0; i < count; i++)
        offered[i].slots_needed = 2;
    return count;
}

static void test_a_ring_that_goes_on_by_two_places_is_rejected(void **state) {
    (void)state;
    bad b;
    make_bad(&b, "torus", "{sizes: [4]}", "{algorithm: dor}");
    b.algorithm.candidates = dor_with_two_places;
    vef_deadlock found = prove(b.routing, 4, false);
    check_cycle(b.routing, &found);
    assert_int_equal(found.uncovered, VEF_UNCOVERED_PLACES);
    assert_int_equal(found.cycle_length, 4);
    release_bad(&b, &found);
}

/* Minimal adaptive on a mesh with one channel: the turns close circles. */
static uint32_t adaptive_as_escape(const vef_routing *routing, const vef_route *route,
                                   vef_place place, vef_candidate *offered) {
    const uint32_t count = vef_routing_adaptive.candidates(routing, route, place, offered);
    for (uint32_t i = 0; i < count; i++)
        offered[i].escape = true;
    return count;
}

static void test_free_turns_are_rejected(void **state) {
    (void)state;
    bad b;
    make_bad(&b, "mesh", "{sizes: [3, 3]}", "{algorithm: adaptive, adaptive_channels: 1}");
    b.algorithm.candidates = adaptive_as_escape;
    vef_deadlock found = prove(b.routing, 4, false);
    check_cycle(b.routing, &found);
    assert_int_equal(found.uncovered, VEF_UNCOVERED_BRANCHES);
    assert_int_equal(found.cycle_length, 4); /* around a square */
    release_bad(&b, &found);
}

static uint32_t polarized_as_escape(const vef_routing *routing, const vef_route *route,
                                    vef_place place, vef_candidate *offered) {
    const uint32_t count =
        vef_routing_polarized_adaptive.candidates(routing, route, place, offered);
    for (uint32_t i = 0; i < count; i++)
        offered[i].escape = true;
    return count;
}

/* A packet that chooses by cost anew needs one escape; if it keeps its choice, it may wait for any
 * candidate. And polarized hops close circles if packets wait for them. */
static void test_choices_by_cost(void **state) {
    (void)state;
    static const struct {
        vef_routing_selection selection;
        bool complete;
        vef_deadlock_verdict verdict;
    } rows[] = {
        {VEF_SELECT_COST, false, VEF_DEADLOCK_FREE},
        {VEF_SELECT_ONCE, false, VEF_DEADLOCK_NO_ESCAPE},
        {VEF_SELECT_COST, true, VEF_DEADLOCK_CYCLE},
        {VEF_SELECT_ONCE, true, VEF_DEADLOCK_CYCLE},
    };
    static const char *const networks[][2] = {
        {"mesh", "{sizes: [3, 3]}"}, {"hyperx", "{sizes: [3, 3]}"}, {"torus", "{sizes: [5]}"}};
    for (size_t n = 0; n < sizeof networks / sizeof *networks; n++)
        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
            bad b;
            make_bad(&b, networks[n][0], networks[n][1], "{algorithm: polarized-adaptive}");
            assert_int_equal(b.routing->selection, VEF_SELECT_COST);
            b.routing->selection = rows[i].selection;
            if (rows[i].complete)
                b.algorithm.candidates = polarized_as_escape;
            vef_deadlock found = prove(b.routing, 4, false);
            assert_int_equal(found.verdict, rows[i].verdict);
            if (rows[i].verdict == VEF_DEADLOCK_CYCLE)
                check_cycle(b.routing, &found);
            release_bad(&b, &found);
        }
}

/* Valiant with both phases on one channel. */
static uint32_t one_phase_for_another(const vef_routing *routing, const vef_route *route,
                                      vef_place place, vef_candidate *offered) {
    const uint32_t count = vef_routing_valiant.candidates(routing, route, place, offered);
    for (uint32_t i = 0; i < count; i++)
        offered[i].channel = 0;
    return count;
}

static void test_phases_on_one_channel_are_rejected(void **state) {
    (void)state;
    static const char *const sizes[] = {"{sizes: [3, 3]}", "{sizes: [4]}", "{sizes: [3, 2]}"};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        bad b;
        make_bad(&b, "mesh", sizes[i], "{algorithm: valiant}");
        b.algorithm.candidates = one_phase_for_another;
        vef_deadlock found = prove(b.routing, 4, false);
        check_cycle(b.routing, &found);
        release_bad(&b, &found);
    }
}

static uint32_t adaptive_without_marks(const vef_routing *routing, const vef_route *route,
                                       vef_place place, vef_candidate *offered) {
    const uint32_t count = vef_routing_adaptive.candidates(routing, route, place, offered);
    for (uint32_t i = 0; i < count; i++)
        offered[i].escape = false;
    return count;
}

static uint32_t dor_until_turned(const vef_routing *routing, const vef_route *route,
                                 vef_place place, vef_candidate *offered) {
    const uint32_t count = vef_routing_dor.candidates(routing, route, place, offered);
    const bool turned = place.in_port != VEF_INJECTED && place.in_port / 2 != offered[0].port / 2;
    return turned ? 0 : count;
}

static uint32_t dor_on_a_channel_more(const vef_routing *routing, const vef_route *route,
                                      vef_place place, vef_candidate *offered) {
    const uint32_t count = vef_routing_dor.candidates(routing, route, place, offered);
    offered[0].channel = 1;
    return count;
}

static void test_what_is_no_escape(void **state) {
    (void)state;
    static const struct {
        const char *routing;
        uint32_t (*candidates)(const vef_routing *, const vef_route *, vef_place, vef_candidate *);
        uint32_t queue_packets;
        vef_deadlock_verdict verdict;
        const char *says;
    } rows[] = {
        {"{algorithm: adaptive}", adaptive_without_marks, 4, VEF_DEADLOCK_NO_ESCAPE, "no escape"},
        {"{algorithm: dor}", NULL, 1, VEF_DEADLOCK_NO_ESCAPE, "queues of 1 place "},
        {"{algorithm: dor}", dor_until_turned, 4, VEF_DEADLOCK_LOST, "is not at its destination"},
        {"{algorithm: dor}", dor_on_a_channel_more, 4, VEF_DEADLOCK_NOT_A_CHOICE, "channel 1"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        bad b;
        make_bad(&b, "torus", "{sizes: [4, 4]}", rows[i].routing);
        if (rows[i].candidates)
            b.algorithm.candidates = rows[i].candidates;
        for (int every = 0; every < 2; every++) {
            vef_deadlock found = prove(b.routing, rows[i].queue_packets, every);
            char text[VEF_DEADLOCK_BYTES];
            vef_deadlock_describe_verdict(b.routing, &found, text, sizeof text);
            assert_int_equal(found.verdict, rows[i].verdict);
            if (!strstr(text, rows[i].says))
                fail_msg("'%s' does not say '%s'", text, rows[i].says);
            vef_deadlock_release(&found);
        }
        vef_routing_destroy(b.routing);
        vef_topology_destroy(b.topology);
    }
}

/* Andujar et al., "N-Dimensional Twin Torus Networks", section 4.1: DORT on fewer channels of the
 * inner link than 3 (bubble) or 4 (virtual channels) has cycles through inner links. */
static void test_dort_on_fewer_inner_channels_is_rejected(void **state) {
    (void)state;
    static const char *const sizes[] = {"{sizes: [4, 3, 4]}", "{sizes: [4, 4, 4]}"};
    static const struct {
        vef_flow_control flow_control;
        uint32_t needed;
    } rows[] = {{VEF_FLOW_BUBBLE, 3}, {VEF_FLOW_VIRTUAL_CHANNELS, 4}};
    for (size_t i = 0; i < 4; i++) {
        vef_topology *topology = topology_of("twin-torus", sizes[i / 2], 1);
        const uint32_t needed = rows[i % 2].needed, inner_port = topology->ports - 1;
        for (uint32_t inner = 1; inner <= needed; inner++) {
            char yaml[80];
            snprintf(yaml, sizeof yaml, "{algorithm: dort, inner_channels: %u, unsafe: true}",
                     inner);
            vef_routing *routing = routing_of(yaml, topology, rows[i % 2].flow_control);
            vef_deadlock found = prove(routing, 4, false);
            if (inner == needed) {
                assert_free(routing, &found, sizes[i / 2]);
            } else {
                check_cycle(routing, &found);
                bool crosses = false;
                for (size_t s = 0; s < found.cycle_length; s++)
                    crosses = crosses || found.cycle[s].candidate.port == inner_port;
                assert_true(crosses);
            }
            vef_deadlock_release(&found);
            vef_routing_destroy(routing);
        }
        vef_topology_destroy(topology);
    }
}

/* What takes more memory than there is is refused before it is taken, with a sentence. */
static void test_too_large(void **state) {
    (void)state;
    vef_topology *topology = topology_of("torus", "{sizes: [16, 16]}", 1);
    vef_routing *routing = routing_of("{algorithm: adaptive}", topology, VEF_FLOW_BUBBLE);
    static const struct {
        unsigned long long bytes;
        const char *says;
    } rows[] = {{20000, "table of moves between channels"}, {100000, "packets to one router"}};
    for (size_t i = 0; i < 2; i++) {
        vef_deadlock found;
        vef_error error = {0};
        const vef_deadlock_request request = {.every_destination = i == 0,
                                              .most_bytes = rows[i].bytes};
        assert_int_equal(vef_deadlock_prove(routing, &request, &found, &error), VEF_NO_MEMORY);
        if (!strstr(error.message, rows[i].says) || !strstr(error.message, "smaller"))
            fail_msg("'%s' does not say '%s'", error.message, rows[i].says);
    }
    vef_routing_destroy(routing);
    vef_topology_destroy(topology);
}

/* A packet may go to and fro between two routers for ever, yet can always go on to its destination:
 * no deadlock, no bound. */
static void to_and_fro_begin(const vef_routing *routing, const vef_travel *travel, vef_draws *draws,
                             vef_route *route) {
    (void)routing;
    (void)draws;
    route->words[0] = (int16_t)travel->to;
}

static uint32_t to_and_fro(const vef_routing *routing, const vef_route *route, vef_place place,
                           vef_candidate *offered) {
    (void)routing;
    const bool up = route->words[0] > (int16_t)place.router;
    uint32_t count = 0;
    offered[count++] = (vef_candidate){
        .port = up ? 0 : 1, .channel = 0, .preference = 1, .slots_needed = 1, .escape = true};
    if (place.in_port != VEF_INJECTED)
        offered[count++] = (vef_candidate){.port = place.in_port, .channel = 1, .slots_needed = 1};
    return count;
}

static void to_and_fro_advance(const vef_routing *routing, vef_route *route, vef_place place,
                               uint16_t port, uint8_t channel) {
    (void)routing, (void)route, (void)place, (void)port, (void)channel;
}

static void test_ways_without_end_are_reported(void **state) {
    (void)state;
    bad b;
    make_bad(&b, "mesh", "{sizes: [4]}", "{algorithm: dor, channels: 2}");
    b.algorithm.begin = to_and_fro_begin;
    b.algorithm.candidates = to_and_fro;
    b.algorithm.advance = to_and_fro_advance;
    vef_deadlock found = prove(b.routing, 1, false);
    assert_free(b.routing, &found, "to and fro");
    assert_false(found.bounded);
    release_bad(&b, &found);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_routing_of_the_table_is_free),
        cmocka_unit_test(test_every_parameter_accepted_is_free),
        cmocka_unit_test(test_rings_of_a_torus),
        cmocka_unit_test(test_a_ring_without_bubble_is_rejected),
        cmocka_unit_test(test_an_entry_with_one_place_is_rejected),
        cmocka_unit_test(test_a_ring_that_goes_on_by_two_places_is_rejected),
        cmocka_unit_test(test_free_turns_are_rejected),
        cmocka_unit_test(test_choices_by_cost),
        cmocka_unit_test(test_phases_on_one_channel_are_rejected),
        cmocka_unit_test(test_what_is_no_escape),
        cmocka_unit_test(test_ways_without_end_are_reported),
        cmocka_unit_test(test_dort_on_fewer_inner_channels_is_rejected),
        cmocka_unit_test(test_too_large),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
