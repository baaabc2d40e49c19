/* Routings of king meshes and tori against Stafford et al., section 3.3: which ports are offered,
 * how many paths that makes, how many steps EKnaive converts, and that nothing locks up.
 *
 * Invariants: whatever is taken, a way is as long as breadth-first search says; hop-by-hop offers
 * exactly the ports that lead nearer; the ones of its two-step form are what Knaive would have
 * chosen; the escape goes straight, then diagonally. */
#include "netmodel/deadlock/deadlock.h"
#include "netmodel/routing/routing.h"
#include "tests/netmodel/networks.h"
#include "tests/netmodel/routes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

/* Ports of expected king-mesh, king-torus: x y z t, plus then minus, in this order. */
enum { PORTS = 8 };

static const char *const networks[][2] = {
    {"king-mesh", "{sizes: [5, 5]}"},
    {"king-mesh", "{sizes: [2, 6]}"},
    {"king-mesh", "{sizes: [7, 3]}"},
    {"king-torus", "{sizes: [5, 5]}"},
    {"king-torus", "{sizes: [6, 6]}"},
    {"king-torus", "{sizes: [4, 4]}"},
    {"king-torus", "{sizes: [2, 3]}"},
    {"king-torus", "{sizes: [7, 4]}"},
    {"king-torus", "{sizes: [9, 3]}"},
    {"lattice", "{sizes: [4, 5], generators: [[1, 1], [0, -1], [-1, 0], [1, -1]], wrap: [0, 0]}"},
    {"lattice", "{sizes: [4, 5], generators: [[1, 1], [0, -1], [-1, 0], [1, -1]]}"},
};
enum { NETWORKS = sizeof networks / sizeof *networks, KING_NETWORKS = NETWORKS - 2 };

static const char *const routings[] = {
    "{algorithm: knaive}",
    "{algorithm: knaive, adaptive_channels: 0}",
    "{algorithm: eknaive}",
    "{algorithm: eknaive, share: [1, 1], adaptive_channels: 2}",
    "{algorithm: hop-by-hop}",
    "{algorithm: hop-by-hop-2s, return_to_adaptive: false}",
    "{algorithm: hop-by-hop-2s, adaptive_channels: 2}",
    "{algorithm: hop-by-hop-2s, wait_for_busy: false}",
};
enum { ROUTINGS = sizeof routings / sizeof *routings };

/* ---- every way arrives, minimal ---- */

typedef struct way {
    const vef_routing *routing;
    uint32_t to;
    vef_rng *rng;
} way;

/* Follows one way, a candidate drawn at every hop; returns its hops. */
static uint32_t walk(const way *w, vef_route route, uint32_t from) {
    vef_place place = {from, VEF_INJECTED, 0};
    vef_candidate offered[VEF_MAX_CANDIDATES];
    uint32_t hops = 0, count;
    while ((count = offers(w->routing, &route, place, offered)) > 0) {
        uint32_t escapes = 0;
        for (uint32_t i = 0; i < count; i++)
            escapes += offered[i].escape;
        assert_int_equal(escapes, 1);
        assert_true(offered[count - 1].escape); /* last, and least preferred */
        for (uint32_t i = 0; i + 1 < count; i++)
            assert_true(offered[i].preference < offered[count - 1].preference);
        place = step(w->routing, &route, place, offered[vef_rng_below(w->rng, count)]);
        assert_true(++hops < 100);
    }
    assert_int_equal(place.router, w->to);
    return hops;
}

static void test_ways_are_minimal_whatever_is_drawn(void **state) {
    (void)state;
    vef_rng rng = vef_rng_make(1, VEF_RNG_TEST, 0);
    for (size_t n = 0; n < NETWORKS; n++) {
        vef_topology *topology = topology_of(networks[n][0], networks[n][1], 1);
        uint32_t distance[64];
        for (size_t r = 0; r < 2 * ROUTINGS; r++) {
            vef_routing *routing =
                routing_of(routings[r / 2], topology,
                           r % 2 == 0 ? VEF_FLOW_BUBBLE : VEF_FLOW_VIRTUAL_CHANNELS);
            for (uint32_t from = 0; from < topology->routers; from++) {
                distances_from(topology, from, distance);
                for (uint32_t to = 0; to < topology->routers; to++) {
                    const vef_travel travel = {from, to, from, to, 0};
                    const way w = {routing, to, &rng};
                    vef_draws draws = {0};
                    do {
                        vef_route route;
                        vef_routing_begin(routing, &travel, &draws, NULL, &route);
                        for (int i = 0; i < 3; i++)
                            assert_int_equal(walk(&w, route, from), distance[to]);
                    } while (vef_draws_next(&draws));
                }
            }
            vef_routing_destroy(routing);
        }
        vef_topology_destroy(topology);
    }
}

/* ---- which ports ---- */

/* Ports that the routing offers at the source, as a mask, over all draws: all, those preferred most
 * among adaptive ones, and the escape's. */
typedef struct ports {
    uint32_t total, first, escape;
} ports;

static ports ports_of(const vef_routing *routing, uint32_t from, uint32_t to) {
    const vef_travel travel = {from, to, from, to, 0};
    vef_candidate offered[VEF_MAX_CANDIDATES];
    ports found = {0};
    vef_draws draws = {0};
    do {
        vef_route route;
        vef_routing_begin(routing, &travel, &draws, NULL, &route);
        const uint32_t count = offers(routing, &route, (vef_place){from, VEF_INJECTED, 0}, offered);
        for (uint32_t i = 0; i < count; i++) {
            const uint32_t bit = UINT32_C(1) << offered[i].port;
            if (offered[i].escape)
                found.escape |= bit;
            else
                found.total |= bit;
            if (!offered[i].escape && offered[i].preference == 0)
                found.first |= bit;
        }
    } while (vef_draws_next(&draws));
    return found;
}

static uint32_t first_bit(uint32_t mask) {
    return mask & (~mask + 1);
}

static void test_hop_by_hop_offers_what_leads_nearer(void **state) {
    (void)state;
    for (size_t n = 0; n < KING_NETWORKS; n++) {
        vef_topology *topology = topology_of(networks[n][0], networks[n][1], 1);
        vef_routing *any = routing_of("{algorithm: hop-by-hop}", topology, VEF_FLOW_BUBBLE);
        vef_routing *two = routing_of("{algorithm: hop-by-hop-2s}", topology, VEF_FLOW_BUBBLE);
        vef_routing *knaive = routing_of("{algorithm: knaive}", topology, VEF_FLOW_BUBBLE);
        uint32_t distance[64];
        for (uint32_t to = 0; to < topology->routers; to++) {
            distances_from(topology, to, distance);
            for (uint32_t from = 0; from < topology->routers; from++) {
                uint32_t nearer = 0;
                for (uint32_t p = 0; p < PORTS; p++) {
                    const uint32_t next = topology->neighbour[from * topology->ports + p];
                    if (next != VEF_NO_ROUTER && distance[next] < distance[from])
                        nearer |= UINT32_C(1) << p;
                }
                const ports one_step = ports_of(any, from, to), two_step = ports_of(two, from, to);
                assert_int_equal(one_step.total, nearer);
                assert_int_equal(one_step.first, nearer);
                assert_int_equal(two_step.total, nearer);
                assert_int_equal(two_step.first, ports_of(knaive, from, to).total);
                assert_int_equal(one_step.escape, first_bit(two_step.first));
                assert_int_equal(two_step.escape, first_bit(two_step.first));
                /* Only diagonals are twos. */
                assert_int_equal(two_step.total & ~two_step.first & 0xf, 0);
            }
        }
        vef_routing_destroy(knaive);
        vef_routing_destroy(two);
        vef_routing_destroy(any);
        vef_topology_destroy(topology);
    }
}

/* ---- path diversity ---- */

/* Ways from `place` over adaptive channel 1. */
static uint32_t count_ways(const vef_routing *routing, vef_route route, vef_place place) {
    vef_candidate offered[VEF_MAX_CANDIDATES];
    const uint32_t count = offers(routing, &route, place, offered);
    if (count == 0)
        return 1;
    uint32_t ways = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (offered[i].channel != 1)
            continue;
        vef_route on = route;
        const vef_place next = step(routing, &on, place, offered[i]);
        ways += count_ways(routing, on, next);
    }
    return ways;
}

/* Ways of n steps with `sum`, each step from `least` to 1: binomial coefficients for 0, trinomial
 * for -1. */
static uint32_t coefficient(int n, int sum, int least) {
    if (n == 0)
        return sum == 0;
    uint32_t ways = 0;
    for (int s = least; s <= 1; s++)
        ways += coefficient(n - 1, sum - s, least);
    return ways;
}

/* Section 3.3.1: from (0,0) to (3,0) there are 7 minimal paths, of which Knaive takes one. */
static void test_path_diversity(void **state) {
    (void)state;
    assert_int_equal(coefficient(3, 0, -1), 7);
    vef_topology *topology = topology_of("king-torus", "{sizes: [15, 15]}", 1);
    vef_routing *knaive = routing_of("{algorithm: knaive}", topology, VEF_FLOW_BUBBLE);
    vef_routing *any = routing_of("{algorithm: hop-by-hop}", topology, VEF_FLOW_BUBBLE);
    vef_rng rng = vef_rng_make(1, VEF_RNG_TEST, 1);
    for (int a = 1; a <= 6; a++)
        for (int b = -a; b <= a; b++)
            for (int turned = 0; turned < 2; turned++) {
                const int x = turned ? b : a, y = turned ? a : b;
                const uint32_t from = 7 + 15 * 7;
                const uint32_t to = (uint32_t)(7 + x + 15 * (7 + y));
                vef_route route;
                begin_route(any, from, to, &rng, &route);
                const vef_place place = {from, VEF_INJECTED, 0};
                assert_int_equal(count_ways(any, route, place), coefficient(a, b, -1));
                begin_route(knaive, from, to, &rng, &route);
                assert_int_equal(count_ways(knaive, route, place), coefficient(a, abs(b), 0));
            }
    vef_routing_destroy(any);
    vef_routing_destroy(knaive);
    vef_topology_destroy(topology);
}

/* ---- records ---- */

/* Steps along x, y, z, t, signed, on adaptive channels. */
static void count_steps(const vef_routing *routing, vef_route route, uint32_t from,
                        int32_t *taken) {
    vef_place place = {from, VEF_INJECTED, 0};
    vef_candidate offered[VEF_MAX_CANDIDATES];
    memset(taken, 0, 4 * sizeof *taken);
    while (offers(routing, &route, place, offered) > 0) {
        assert_int_equal(offered[0].channel, 1);
        taken[offered[0].port / 2] += offered[0].port % 2 == 0 ? 1 : -1;
        place = step(routing, &route, place, offered[0]);
    }
}

/* The four cases of section 3.3.1 as printed. */
static void knaive_as_printed(int32_t x, int32_t y, int32_t *record) {
    const bool wide = abs(x) >= abs(y);
    memset(record, 0, 4 * sizeof *record);
    if ((x < 0) == (y < 0)) {
        record[wide ? 0 : 1] = wide ? x - y : y - x;
        record[2] = wide ? y : x;
    } else {
        record[wide ? 0 : 1] = x + y;
        record[3] = wide ? y : -x;
    }
}

static void test_knaive_is_as_printed(void **state) {
    (void)state;
    vef_topology *topology = topology_of("king-mesh", "{sizes: [6, 7]}", 1);
    vef_routing *routing = routing_of("{algorithm: knaive}", topology, VEF_FLOW_BUBBLE);
    vef_rng rng = vef_rng_make(1, VEF_RNG_TEST, 2);
    for (uint32_t from = 0; from < topology->routers; from++)
        for (uint32_t to = 0; to < topology->routers; to++) {
            int32_t expected[4], taken[4];
            knaive_as_printed((int32_t)(to % 6) - (int32_t)(from % 6),
                              (int32_t)(to / 6) - (int32_t)(from / 6), expected);
            vef_route route;
            begin_route(routing, from, to, &rng, &route);
            count_steps(routing, route, from, taken);
            assert_memory_equal(taken, expected, sizeof taken);
        }
    vef_routing_destroy(routing);
    vef_topology_destroy(topology);
}

/* Half a ring of 6 lies either way: of 4,000 draws 2,000 +- 5 standard deviations of 32 go each
 * way, and both dimensions are drawn by themselves. */
static void test_ties_are_drawn_evenly(void **state) {
    (void)state;
    vef_topology *topology = topology_of("king-torus", "{sizes: [6, 6]}", 1);
    vef_routing *routing = routing_of("{algorithm: knaive}", topology, VEF_FLOW_BUBBLE);
    vef_rng rng = vef_rng_make(2, VEF_RNG_TEST, 0);
    int quadrant[4] = {0};
    for (int i = 0; i < 4000; i++) {
        vef_route route;
        int32_t taken[4];
        begin_route(routing, 0, 3 + 6 * 3, &rng, &route);
        count_steps(routing, route, 0, taken);
        assert_true(abs(taken[2] + taken[3]) == 3);
        quadrant[taken[2] != 0 ? taken[2] > 0 : 2 + (taken[3] > 0)]++;
    }
    for (int q = 0; q < 4; q++)
        assert_in_range(quadrant[q], 863, 1137); /* 1,000 +- 5 x 27.4 */
    vef_routing_destroy(routing);
    vef_topology_destroy(topology);
}

/* The orthogonal steps of Knaive and those converted, over all draws of equal weight. */
static void check_conversions(const vef_routing *routing, uint32_t from, uint32_t to,
                              int64_t steps_before, int64_t part, int64_t whole) {
    const vef_travel travel = {from, to, from, to, 0};
    int64_t outcomes = 0, converted = 0;
    vef_draws draws = {0};
    do {
        vef_route route;
        int32_t taken[4];
        vef_routing_begin(routing, &travel, &draws, NULL, &route);
        count_steps(routing, route, from, taken);
        const int64_t left = abs(taken[0]) + abs(taken[1]);
        assert_true((steps_before - left) % 2 == 0);
        /* The number of pairs is one of the two next to the mean. */
        assert_true(llabs((steps_before - left) * whole - steps_before * part) < 2 * whole);
        converted += steps_before - left;
        outcomes++;
    } while (vef_draws_next(&draws));
    if (steps_before == 1)
        assert_int_equal(converted, 0); /* no pair */
    else
        assert_int_equal(converted * whole, steps_before * part * outcomes);
}

static void test_eknaive_converts_its_share(void **state) {
    (void)state;
    vef_topology *topology = topology_of("king-mesh", "{sizes: [24, 24]}", 1);
    static const struct {
        const char *yaml;
        int64_t part, whole;
    } rows[] = {
        {"{algorithm: eknaive}", 2, 3},
        {"{algorithm: eknaive, share: [1, 2]}", 1, 2},
        {"{algorithm: eknaive, share: [0, 7]}", 0, 7},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        vef_routing *routing = routing_of(rows[i].yaml, topology, VEF_FLOW_BUBBLE);
        for (int n = 0; n <= 9; n++)
            for (int other = -2; other <= 2; other++)
                for (int side = 0; side < 4; side++) {
                    const int along = (n + abs(other)) * (side % 2 == 0 ? 1 : -1);
                    const int x = side < 2 ? along : other, y = side < 2 ? other : along;
                    check_conversions(routing, 12 + 24 * 12, (uint32_t)(12 + x + 24 * (12 + y)), n,
                                      rows[i].part, rows[i].whole);
                }
        vef_routing_destroy(routing);
    }
    /* All: whatever has a pair. */
    vef_routing *routing =
        routing_of("{algorithm: eknaive, share: [5, 5]}", topology, VEF_FLOW_BUBBLE);
    vef_rng rng = vef_rng_make(1, VEF_RNG_TEST, 3);
    for (uint32_t n = 1; n < 10; n++) {
        vef_route route;
        int32_t taken[4];
        begin_route(routing, 12 + 24 * 12, 12 + n + 24 * 12, &rng, &route);
        count_steps(routing, route, 12 + 24 * 12, taken);
        assert_int_equal(taken[0], n % 2);
        assert_int_equal(taken[2], n / 2);
        assert_int_equal(taken[3], -(int32_t)(n / 2));
    }
    vef_routing_destroy(routing);
    vef_topology_destroy(topology);
}

/* Four steps, two thirds: one pair with probability 2/3, two with 1/3. Of 6,000 draws 2,000 +- 5
 * standard deviations of 36.5. */
static void test_eknaive_draws_by_lot(void **state) {
    (void)state;
    vef_topology *topology = topology_of("king-torus", "{sizes: [16, 16]}", 1);
    vef_routing *routing = routing_of("{algorithm: eknaive}", topology, VEF_FLOW_BUBBLE);
    vef_rng rng = vef_rng_make(4, VEF_RNG_TEST, 0);
    int twice = 0;
    for (int i = 0; i < 6000; i++) {
        vef_route route;
        int32_t taken[4];
        begin_route(routing, 0, 4, &rng, &route);
        count_steps(routing, route, 0, taken);
        assert_true(taken[0] == 0 || taken[0] == 2);
        twice += taken[0] == 0;
    }
    assert_in_range(twice, 1817, 2183);
    vef_routing_destroy(routing);
    vef_topology_destroy(topology);
}

/* The escape alone, entered anywhere: orthogonal steps, then diagonal ones, one direction each. */
static void test_escape_goes_straight_then_diagonally(void **state) {
    (void)state;
    vef_rng rng = vef_rng_make(6, VEF_RNG_TEST, 0);
    for (size_t n = 0; n < KING_NETWORKS; n++)
        for (size_t r = 0; r < ROUTINGS; r++) {
            vef_topology *topology = topology_of(networks[n][0], networks[n][1], 1);
            vef_routing *routing = routing_of(routings[r], topology, VEF_FLOW_BUBBLE);
            for (int i = 0; i < 300; i++) {
                const uint32_t from = vef_rng_below(&rng, topology->routers);
                const uint32_t to = vef_rng_below(&rng, topology->routers);
                vef_route route;
                begin_route(routing, from, to, &rng, &route);
                vef_place place = {from, VEF_INJECTED, 0};
                vef_candidate offered[VEF_MAX_CANDIDATES];
                uint32_t count, free_hops = vef_rng_below(&rng, 4), last = 0, turns = 0;
                for (uint32_t hop = 0; (count = offers(routing, &route, place, offered)) > 0;
                     hop++) {
                    const bool free = hop < free_hops;
                    const vef_candidate c = offered[free ? vef_rng_below(&rng, count) : count - 1];
                    if (!free && hop > free_hops && c.port != last) {
                        assert_true(last < 4 && c.port >= 4);
                        assert_int_equal(++turns, 1);
                    }
                    if (!free)
                        assert_int_equal(c.slots_needed,
                                         strcmp(networks[n][0], "king-torus") == 0 &&
                                                 !(place.in_port == (c.port ^ 1) &&
                                                   place.in_channel == c.channel)
                                             ? 2
                                             : 1);
                    last = c.port;
                    place = step(routing, &route, place, c);
                }
            }
            vef_routing_destroy(routing);
            vef_topology_destroy(topology);
        }
}

/* ---- freedom from deadlock ---- */

static void test_proved_free(void **state) {
    (void)state;
    for (size_t n = 0; n < NETWORKS; n++)
        for (size_t r = 0; r < 2 * ROUTINGS; r++) {
            vef_topology *topology = topology_of(networks[n][0], networks[n][1], 1);
            vef_routing *routing =
                routing_of(routings[r / 2], topology,
                           r % 2 == 0 ? VEF_FLOW_BUBBLE : VEF_FLOW_VIRTUAL_CHANNELS);
            const vef_deadlock_request request = {.every_destination = true};
            vef_deadlock found;
            vef_error error = {0};
            uint32_t diameter;
            average_distance(topology, &diameter);
            assert_int_equal(vef_deadlock_prove(routing, &request, &found, &error), VEF_OK);
            if (found.verdict != VEF_DEADLOCK_FREE)
                fail_msg("%s on %s %s is not free of deadlock", routings[r / 2], networks[n][0],
                         networks[n][1]);
            assert_true(found.bounded);
            assert_int_equal(found.longest_hops, diameter);
            vef_deadlock_release(&found);
            vef_routing_destroy(routing);
            vef_topology_destroy(topology);
        }
}

static void test_bursts_arrive(void **state) {
    (void)state;
    static const char *const topologies[] = {
        "{family: king-mesh, sizes: [5, 5]}",
        "{family: king-mesh, sizes: [2, 6]}",
        "{family: king-torus, sizes: [6, 6]}",
        "{family: king-torus, sizes: [7, 4]}",
    };
    for (size_t t = 0; t < sizeof topologies / sizeof *topologies; t++)
        for (size_t r = 0; r < ROUTINGS; r++) {
            check_burst(topologies[t], routings[r], "bubble", t < 2 ? 1 : 2);
            check_burst(topologies[t], routings[r], "virtual-channels", 1);
        }
}

/* Two packets that leave one router at once, three hops to the east. In two steps the second waits
 * for the link that the first keeps busy, as there is room behind it: it arrives as many cycles
 * later as the first has phits, whichever number the arbiter draws. Where it does not wait it turns
 * to a diagonal in the cycle after the one in which both asked for the same link, and two hops are
 * too few for the two to meet again. */
static void check_two_packets(bool waits, uint64_t hops) {
    enum { PHITS = 10 };
    for (uint64_t seed = 1; seed <= 20; seed++) {
        char yaml[512];
        snprintf(
            yaml, sizeof yaml,
            "{topology: {family: king-mesh, sizes: [5, 5]}, routing: {algorithm: "
            "hop-by-hop-2s, wait_for_busy: %s}, router: {queue_packets: 2, injection_queues: 2, "
            "ejection_ports: 2, delay_cycles: 0}, link: {delay_cycles: 1, phit: 4 B}, packet: "
            "{phits: %d}, seed: %llu}",
            waits ? "true" : "false", PHITS, (unsigned long long)seed);
        vef_netmodel *model = network_of(yaml);
        vef_error error = {0};
        for (uint64_t id = 0; id < 2; id++) {
            const vef_net_message message = {
                .source = 10, .destination = 10 + (uint32_t)hops, .bytes = 4 * PHITS, .id = id};
            assert_int_equal(model->kind->inject(model, &message, &error), VEF_OK);
        }
        uint64_t delivered = 0;
        while (delivered < 2) {
            const vef_net_delivery *deliveries;
            size_t count;
            assert_int_equal(model->kind->advance(model, VEF_FOREVER, &deliveries, &count, &error),
                             VEF_OK);
            assert_int_equal(count, 1);
            assert_int_equal(deliveries[0].time_cycles,
                             hops + PHITS + delivered * (waits ? PHITS : 1));
            delivered += count;
        }
        vef_netmodel_destroy(model);
    }
}

static void test_two_steps_wait_for_a_busy_link(void **state) {
    (void)state;
    check_two_packets(true, 3);
    check_two_packets(true, 2);
    check_two_packets(false, 2);
}

static void test_what_is_refused(void **state) {
    (void)state;
    static const struct {
        const char *yaml, *says;
    } rows[] = {
        {"{topology: {family: torus, sizes: [4, 4]}, routing: {algorithm: knaive}}",
         "expected king-mesh, king-torus"},
        {"{topology: {family: diagonal-torus, sizes: [4, 4]}, routing: {algorithm: hop-by-hop}}",
         "expected king-mesh, king-torus"},
        {"{topology: {family: de-bruijn, symbols: 2, length: 3}, routing: {algorithm: eknaive}}",
         "expected king-mesh, king-torus"},
        {"{topology: {family: king-mesh, sizes: [4, 4]}, routing: {algorithm: dor}}",
         "knaive or eknaive"},
        {"{topology: {family: king-mesh, sizes: [4, 4]}, routing: {algorithm: eknaive, share: [3, "
         "2]}}",
         "such as [2, 3]"},
        {"{topology: {family: king-mesh, sizes: [4, 4]}, routing: {algorithm: eknaive, share: "
         "[2]}}",
         "such as [2, 3]"},
        {"{topology: {family: king-mesh, sizes: [4, 4]}, routing: {algorithm: eknaive, share: [0, "
         "0]}}",
         "such as [2, 3]"},
        {"{topology: {family: king-mesh, sizes: [4, 4]}, routing: {algorithm: hop-by-hop, "
         "adaptive_channels: 0}}",
         "adaptive_channels"},
        {"{topology: {family: king-mesh, sizes: [4, 40000]}, routing: {algorithm: hop-by-hop}}",
         "at most 32767"},
        {"{topology: {family: king-torus, sizes: [4, 4]}, routing: {algorithm: knaive}, router: "
         "{queue_packets: 1}}",
         "expected at least 2"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        assert_network_refused(rows[i].yaml, rows[i].says);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ways_are_minimal_whatever_is_drawn),
        cmocka_unit_test(test_hop_by_hop_offers_what_leads_nearer),
        cmocka_unit_test(test_path_diversity),
        cmocka_unit_test(test_knaive_is_as_printed),
        cmocka_unit_test(test_ties_are_drawn_evenly),
        cmocka_unit_test(test_eknaive_converts_its_share),
        cmocka_unit_test(test_eknaive_draws_by_lot),
        cmocka_unit_test(test_escape_goes_straight_then_diagonally),
        cmocka_unit_test(test_proved_free),
        cmocka_unit_test(test_bursts_arrive),
        cmocka_unit_test(test_two_steps_wait_for_a_busy_link),
        cmocka_unit_test(test_what_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
