/* The adaptive routing on twin tori.
 *
 * Invariants: as many external links as the distance in the torus, at most one crossing in a node;
 * offers as its algorithm 1 and selection functions say, never out of the escape again; no circles
 * of escapes by a search of our own (escapes.h); bursts arrive. */
#include "tests/netmodel/twin_ways.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdlib.h>

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
    if (here.position[d] == there.position[d] || !twin_has_port(twin, router, port))
        return false;
    return twin_direction(twin, d, here.position[d], there.position[d], &tie) == port || tie;
}

/* The candidates of a packet: the ports of algorithm 1 with all their adaptive channels, and one
 * escape, DORT's port, after all others. */
static void check_offers(const vef_routing *routing, size_t selection, vef_place place,
                         uint32_t target, bool escaped, const vef_candidate *offered,
                         uint32_t count) {
    const vef_twin_torus *twin = vef_twin_torus_of(routing->topology);
    const uint32_t n = twin->dimensions, external = routing->port_channels[0] - 2u;
    const uint32_t inner = routing->port_channels[2 * n] - 4u;
    const uint32_t dort = twin_dort_port(twin, place.router, target);
    bool in_set[2 * VEF_MAX_TWIN_DIMENSIONS + 1];
    for (uint32_t port = 0; port <= 2 * n; port++)
        in_set[port] = in_the_set(twin, place.router, target, port);
    uint64_t seen[32] = {0}, low[32] = {0};
    uint32_t escape_count = 0;
    bool sound = true; /* one check for all, as there are millions */
    for (uint32_t i = 0; i < count; i++) {
        const vef_candidate one = offered[i];
        const bool own = one.channel < (one.port == 2 * n ? inner : external);
        sound = sound && one.channel < routing->port_channels[one.port] && one.escape == own &&
                (one.escape ? one.port == dort : !escaped && in_set[one.port]) &&
                (one.escape || one.preference < offered[count - 1].preference);
        escape_count += one.escape;
        if (!one.escape)
            (one.slots_needed == 1 ? seen : low)[one.port] |= 1ull << one.channel;
    }
    assert_true(sound);
    assert_int_equal(escape_count, 1);
    for (uint32_t port = 0; port <= 2 * n && !escaped; port++) {
        uint64_t total = port == 2 * n ? 0xf0 : 0xc; /* table 3: 8 of 4 and 4, 4 of 2 and 2 */
        if (!in_set[port] || (port == 2 * n && selection == NO_INTERNAL))
            total = 0;
        assert_int_equal(seen[port], total);
        assert_int_equal(low[port], total);
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

/* The least preference value of an adaptive channel of a port with that many needed places; 255:
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

static void test_bursts_arrive(void **state) {
    (void)state;
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
        {"{topology: {family: mesh, sizes: [4, 4]}, routing: {algorithm: dort-adaptive}}",
         "expected topology twin-torus, not mesh"},
        {"{topology: {family: twin-torus, sizes: [4, 4, 4]}, routing: {algorithm: dort-adaptive, "
         "selection: 4-priority}}",
         "3-priority"},
        {"{topology: {family: twin-torus, sizes: [4, 4, 4]}, routing: {algorithm: dort-adaptive, "
         "inner_adaptive_channels: 63}}",
         "66 on inner links: out of range: expected at most 64"},
        {"{topology: {family: twin-torus, sizes: [2, 2, 2, 2, 2, 2, 2, 2, 2]}, routing: "
         "{algorithm: "
         "dort-adaptive, adaptive_channels: 60}}",
         "too many candidates: expected at most 49"},
        {"{topology: {family: twin-torus, sizes: [4, 4, 4]}, routing: {algorithm: dort-adaptive}, "
         "router: {queue_packets: 1}}",
         "expected at least 2"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        assert_network_refused(rows[i][0], rows[i][1]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_adaptive_ways),
        cmocka_unit_test(test_selection_functions),
        cmocka_unit_test(test_bursts_arrive),
        cmocka_unit_test(test_what_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
