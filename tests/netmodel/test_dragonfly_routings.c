/* Routings on dragonflies and megaflies.
 *
 * Facts: the mean hops of minimal routes (local, global, local) in closed form; the exact loads of
 * links under the adversarial traffic ADV+n, whose inverse is the throughput that Kim et al. and
 * García et al. state (with the first and last local hops, which they leave out); the intermediate
 * groups, each drawn equally often; routes over parallel links as an enumeration of the definition
 * has them; PAR's rule on views made up by hand; OLM's candidates by hand, its proof, and that it
 * fails if misroutes count as escapes or channels are shared. */
#include "netmodel/routing/algorithms.h"
#include "netmodel/topology/dragonfly/dragonfly.h"
#include "netmodel/topology/dragonfly/megafly.h"
#include "tests/netmodel/networks.h"
#include "tests/netmodel/proofs.h"
#include "tests/netmodel/routes.h"
#include "tests/netmodel/views.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

static vef_travel travel_of(const vef_topology *topology, uint32_t from, uint32_t to) {
    return (vef_travel){from, to, vef_topology_router_of(topology, from),
                        vef_topology_router_of(topology, to), 0};
}

/* Walks on by first candidates; adds `share` to the load of each link. Returns the hops. */
static uint32_t walk(const vef_routing *routing, vef_route route, uint32_t from, uint32_t to,
                     double share, double *load) {
    vef_place place = {from, VEF_INJECTED, 0};
    uint32_t hops = 0;
    for (; !vef_routing_arrived(routing, &route, place.router, to); hops++) {
        vef_candidate offered[VEF_MAX_CANDIDATES];
        assert_true(offers(routing, &route, place, offered) > 0);
        if (load)
            load[(size_t)place.router * routing->topology->ports + offered[0].port] += share;
        place = step(routing, &route, place, offered[0]);
    }
    return hops;
}

/* ---- minimal ---- */

/* Of all pairs of different routers: [(a - 1 + h) + 4 h (a - 1) + 3 h (a - 1)^2] / (a G - 1). */
static void test_mean_hops_of_minimal(void **state) {
    (void)state;
    static const uint32_t heights[] = {2, 3, 4};
    for (size_t i = 0; i < 3; i++) {
        const uint32_t h = heights[i], a = 2 * h, groups = a * h + 1, n = a * groups;
        char yaml[64];
        snprintf(yaml, sizeof yaml, "{a: %u, h: %u}", a, h);
        vef_topology *topology = topology_of("dragonfly", yaml, 1);
        vef_routing *routing =
            routing_of("{algorithm: minimal}", topology, VEF_FLOW_VIRTUAL_CHANNELS);
        assert_int_equal(topology->routers, n);
        uint64_t hops = 0;
        for (uint32_t from = 0; from < a; from++) /* groups are alike */
            for (uint32_t to = 0; to < n; to++) {
                const vef_travel travel = travel_of(topology, from, to);
                vef_draws draws = {0};
                vef_route route;
                vef_routing_begin(routing, &travel, &draws, NULL, &route);
                hops += walk(routing, route, from, to, 0, NULL);
            }
        const double expected = (a - 1.0 + h + 4.0 * h * (a - 1) + 3.0 * h * (a - 1) * (a - 1));
        assert_near((double)hops / a, expected, 1e-9);
        vef_routing_destroy(routing);
        vef_topology_destroy(topology);
    }
}

/* The least hops of a local, a global and a local hop over any of the links between the groups of
 * two routers, from the table of neighbours. */
static uint32_t shortest_by_groups(const vef_topology *topology, uint32_t a, uint32_t from,
                                   uint32_t to) {
    uint32_t least = from == to ? 0 : from / a == to / a ? 1 : UINT32_MAX;
    for (uint32_t out = from / a * a; out < from / a * a + a && from / a != to / a; out++)
        for (uint32_t port = a - 1; port < topology->ports; port++) {
            const uint32_t in = topology->neighbour[(size_t)out * topology->ports + port];
            const uint32_t hops = (out != from) + 1u + (in != to);
            if (in / a == to / a && hops < least)
                least = hops;
        }
    return least;
}

/* Every way by which minimal packets can go has that length, with at most one local hop on either
 * side of the global one. */
static void check_ways(const vef_routing *routing, vef_route route, vef_place place, uint32_t to,
                       uint32_t left, uint32_t *ways) {
    const vef_topology *topology = routing->topology;
    if (place.router == to) {
        assert_int_equal(left, 0);
        (*ways)++;
        return;
    }
    assert_true(left > 0);
    vef_candidate offered[VEF_MAX_CANDIDATES];
    const uint32_t count = offers(routing, &route, place, offered);
    for (uint32_t i = 0; i < count; i++) {
        vef_route next = route;
        const vef_place there = step(routing, &next, place, offered[i]);
        assert_int_not_equal(there.router, VEF_NO_ROUTER);
        check_ways(routing, next, there, to, left - 1, ways);
    }
    (void)topology;
}

static void test_parallel_links(void **state) {
    (void)state;
    static const char *const shapes[] = {
        "{a: 4, h: 2, groups: 5}",
        "{a: 4, h: 2, groups: 3}",
        "{a: 4, h: 2, groups: 2}",
        "{a: 4, h: 3, groups: 6, arrangement: absolute}",
        "{a: 4, h: 2, groups: 4, arrangement: circulant}",
    };
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        vef_topology *topology = topology_of("dragonfly", shapes[i], 1);
        vef_routing *routing =
            routing_of("{algorithm: minimal}", topology, VEF_FLOW_VIRTUAL_CHANNELS);
        uint32_t several = 0;
        for (uint32_t from = 0; from < topology->routers; from++)
            for (uint32_t to = 0; to < topology->routers; to++) {
                const vef_travel travel = travel_of(topology, from, to);
                vef_draws draws = {0};
                vef_route route;
                uint32_t ways = 0;
                vef_routing_begin(routing, &travel, &draws, NULL, &route);
                check_ways(routing, route, (vef_place){from, VEF_INJECTED, 0}, to,
                           shortest_by_groups(topology, 4, from, to), &ways);
                several += ways > 1;
            }
        assert_true(several > 0);
        vef_routing_destroy(routing);
        vef_topology_destroy(topology);
    }
}

/* ---- Valiant ---- */

/* Between groups 0 and 3 of nine each of the seven others is drawn once. Within a group each of
 * eight is; two of them have their links at the destination, where the packet passes, or has
 * arrived with early_exit. */
static void check_intermediate_groups(const char *yaml, uint32_t arrived) {
    vef_topology *topology = topology_of("dragonfly", "{a: 4, h: 2}", 1);
    vef_routing *routing = routing_of(yaml, topology, VEF_FLOW_VIRTUAL_CHANNELS);
    static const uint32_t ends[][3] = {{1, 13, 7}, {13, 1, 7}, {1, 2, 8}, {34, 33, 8}};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        const vef_travel travel = travel_of(topology, ends[i][0], ends[i][1]);
        uint32_t met[9] = {0}, outcomes = 0, direct = 0;
        vef_draws draws = {0};
        do {
            vef_route route;
            vef_routing_begin(routing, &travel, &draws, NULL, &route);
            vef_place place = {travel.from, VEF_INJECTED, 0};
            uint32_t hops = 0, global = 0;
            for (; !vef_routing_arrived(routing, &route, place.router, travel.to); hops++) {
                vef_candidate offered[VEF_MAX_CANDIDATES];
                assert_int_equal(offers(routing, &route, place, offered), 1);
                place = step(routing, &route, place, offered[0]);
                if (offered[0].port >= 3 && global++ == 0)
                    met[place.router / 4]++;
            }
            assert_true(global == 2 || (global == 0 && hops == 1 && ends[i][2] == 8));
            assert_true(hops <= 5);
            direct += global == 0;
            outcomes++;
        } while (vef_draws_next(&draws));
        assert_int_equal(outcomes, ends[i][2]);
        assert_int_equal(direct, ends[i][2] == 8 ? arrived : 0);
        uint32_t different = 0;
        for (uint32_t g = 0; g < 9; g++) {
            assert_true(met[g] <= (g != ends[i][0] / 4 && g != ends[i][1] / 4));
            different += met[g];
        }
        assert_int_equal(different, outcomes - direct);
    }
    vef_routing_destroy(routing);
    vef_topology_destroy(topology);
}

static void test_intermediate_groups(void **state) {
    (void)state;
    check_intermediate_groups("{algorithm: valiant}", 0);
    check_intermediate_groups("{algorithm: valiant, early_exit: true}", 2);
}

/* The load at which the first link is full when all endpoints send to all of the group `shift`
 * further on at that rate, by every outcome of the draws. Groups are alike: sources of group 0,
 * with the loads of links of one place added up. */
static double throughput(const vef_routing *routing, uint32_t a, uint32_t p, uint32_t shift) {
    const vef_topology *topology = routing->topology;
    const size_t links = (size_t)topology->routers * topology->ports;
    double *load = calloc(links, sizeof *load), *by_place = calloc(links, sizeof *by_place);
    for (uint32_t from = 0; from < a; from++)
        for (uint32_t to = shift * a; to < (shift + 1) * a; to++) {
            const vef_travel travel = {from * p, to * p, from, to, 0};
            uint32_t outcomes = 0;
            for (int pass = 0; pass < 2; pass++) {
                vef_draws draws = {0};
                do {
                    vef_route route;
                    vef_routing_begin(routing, &travel, &draws, NULL, &route);
                    walk(routing, route, from, to, pass ? (double)p / a / outcomes : 0, load);
                    outcomes += pass == 0;
                } while (vef_draws_next(&draws));
            }
        }
    double most = 0;
    for (size_t link = 0; link < links; link++)
        by_place[link % ((size_t)a * topology->ports)] += load[link];
    for (size_t link = 0; link < links; link++)
        most = by_place[link] > most ? by_place[link] : most;
    free(load);
    free(by_place);
    return 1 / most;
}

static void test_adversarial_throughput(void **state) {
    (void)state;
    for (uint32_t h = 2; h <= 3; h++) {
        const uint32_t a = 2 * h, p = h, groups = a * h + 1;
        char yaml[64];
        snprintf(yaml, sizeof yaml, "{a: %u, h: %u}", a, h);
        vef_topology *topology = topology_of("dragonfly", yaml, p);
        vef_routing *minimal =
            routing_of("{algorithm: minimal}", topology, VEF_FLOW_VIRTUAL_CHANNELS);
        vef_routing *group =
            routing_of("{algorithm: valiant}", topology, VEF_FLOW_VIRTUAL_CHANNELS);
        const double one = (double)(a * p), over = groups - 2;
        for (uint32_t shift = 1; shift <= h; shift++)
            assert_near(throughput(minimal, a, p, shift), 1 / one, 1e-9);
        assert_near(throughput(group, a, p, 1), over / (2 * one), 1e-9);
        assert_near(throughput(group, a, p, h), over / (2.0 * h * h * (h + 1)), 1e-9);
        vef_routing_destroy(group);
        vef_routing_destroy(minimal);
        vef_topology_destroy(topology);
    }
}

/* ---- PAR ---- */

/* From router 0 of group 0 to router 14, of group 3: the link of both groups is index 5, global
 * port 1 of router 2, and leads to index 2 of group 3, router 13. Over group 8, whose link is
 * global port 0 of router 0, to router 35. */
static void test_par_compares(void **state) {
    (void)state;
    vef_topology *topology = topology_of("dragonfly", "{a: 4, h: 2}", 1);
    vef_routing *routing =
        routing_of("{algorithm: par, threshold: 2}", topology, VEF_FLOW_VIRTUAL_CHANNELS);
    uint32_t *taken = calloc((size_t)topology->routers * topology->ports, sizeof *taken);
    uint32_t *waits = calloc((size_t)topology->routers * topology->ports, sizeof *waits);
    made_up queues = {topology->ports, taken, waits};
    const vef_travel travel = travel_of(topology, 0, 14);
    vef_draws draws = {.count = 1, .digits = {6}, .bounds = {7}}; /* the last of 7 other groups */
    vef_route route;
    vef_routing_begin(routing, &travel, &draws, NULL, &route);
    vef_candidate offered[VEF_MAX_CANDIDATES];
    vef_place place = {0, VEF_INJECTED, 0};
    assert_int_equal(offers(routing, &route, place, offered), 2);
    assert_int_equal(topology->neighbour[offered[0].port], 2);
    assert_int_equal(topology->neighbour[offered[1].port], 35);
    vef_view view = view_made_up(&queues, 0, routing->channels, false);
    /* Minimal: 3 hops. Over group 8: global, then from router 35. */
    const uint32_t detour_hops = 1 + shortest_by_groups(topology, 4, 35, 14);
    taken[offered[0].port] = 4;
    taken[offered[1].port] = 1;
    assert_int_equal(routing->algorithm->weigh(routing, &route, place, offered[0], &view), 4 * 3);
    assert_int_equal(routing->algorithm->weigh(routing, &route, place, offered[1], &view),
                     detour_hops + 2);
    waits[offered[1].port] = 3;
    assert_int_equal(routing->algorithm->weigh(routing, &route, place, offered[1], &view),
                     (1 + 3) * detour_hops + 2);
    /* Behind the local hop it compares again: over the global link, or back over the detour. */
    vef_route undecided = route;
    const vef_place second = step(routing, &undecided, place, offered[0]);
    assert_int_equal(second.router, 2);
    assert_int_equal(offers(routing, &undecided, second, offered), 2);
    assert_int_equal(topology->neighbour[2 * topology->ports + offered[0].port], 13);
    assert_int_equal(topology->neighbour[2 * topology->ports + offered[1].port], 0);
    /* On the detour, and over the global link, it has decided. */
    vef_route over = undecided, direct = undecided;
    const vef_place back = step(routing, &over, second, offered[1]);
    vef_candidate next[VEF_MAX_CANDIDATES];
    assert_int_equal(offers(routing, &over, back, next), 1);
    assert_int_equal(topology->neighbour[next[0].port], 35);
    const vef_place there = step(routing, &direct, second, offered[0]);
    assert_int_equal(offers(routing, &direct, there, next), 1);
    assert_int_equal(topology->neighbour[13 * topology->ports + next[0].port], 14);
    free(waits);
    free(taken);
    vef_routing_destroy(routing);
    vef_topology_destroy(topology);
}

/* ---- OLM ---- */

/* A candidate that is expected: the router behind it, its channel, preference and places. */
typedef struct expected {
    uint32_t router;
    uint8_t channel, preference, places;
} expected;

static void check_offer(const vef_routing *routing, const vef_route *route, vef_place place,
                        const expected *wanted, uint32_t count) {
    vef_candidate offered[VEF_MAX_CANDIDATES];
    assert_int_equal(offers(routing, route, place, offered), count);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t found = 0;
        for (uint32_t k = 0; k < count; k++) {
            const vef_candidate given = offered[k];
            const size_t link = (size_t)place.router * routing->topology->ports + given.port;
            if (routing->topology->neighbour[link] == wanted[i].router &&
                given.channel == wanted[i].channel && given.preference == wanted[i].preference &&
                given.slots_needed == wanted[i].places) {
                assert_int_equal(given.escape, wanted[i].preference != 1);
                found++;
            }
        }
        assert_int_equal(found, 1);
    }
}

/* Goes to a neighbour, by a channel. */
static vef_place go_to(const vef_routing *routing, vef_route *route, vef_place place,
                       uint32_t router, uint8_t channel) {
    const vef_topology *topology = routing->topology;
    vef_candidate by = {.channel = channel};
    while (topology->neighbour[(size_t)place.router * topology->ports + by.port] != router)
        by.port++;
    return step(routing, route, place, by);
}

#define CHECK_OFFER(routing, route, place, wanted)                                                 \
    check_offer(routing, route, place, wanted, sizeof(wanted) / sizeof *(wanted))

/* The example of olm.c, from router 0 to router 14, of group 3. Global index i of group g leads to
 * index 7 - i of group g + 8 - i modulo 9: from routers 0 to 3 of group 0 to groups 8 and 7, 6 and
 * 5, 4 and 3, 2 and 1. */
static void test_olm_offers(void **state) {
    (void)state;
    vef_topology *topology = topology_of("dragonfly", "{a: 4, h: 2}", 1);
    vef_routing *routing = routing_of("{algorithm: olm, minimal_places: 3, misroute_places: 5}",
                                      topology, VEF_FLOW_VIRTUAL_CHANNELS);
    const vef_travel travel = travel_of(topology, 0, 14);
    vef_draws draws = {0};
    vef_route route;
    vef_routing_begin(routing, &travel, &draws, NULL, &route);
    const vef_place source = {0, VEF_INJECTED, 0};
    static const expected first[] = {{2, 0, 0, 3}, {2, 0, 2, 1}, {35, 0, 1, 5}, {31, 0, 1, 5}};
    CHECK_OFFER(routing, &route, source, first);

    /* Behind the minimal local hop: over any router of the group, and from there over any group. */
    vef_route moved = route;
    const vef_place second = go_to(routing, &moved, source, 2, 0);
    static const expected behind[] = {
        {13, 0, 0, 3}, {13, 0, 2, 1}, {0, 0, 1, 5}, {1, 0, 1, 5}, {3, 0, 1, 5}};
    CHECK_OFFER(routing, &moved, second, behind);
    vef_route around = moved;
    const vef_place other = go_to(routing, &around, second, 1, 0);
    static const expected over[] = {{26, 0, 0, 1}, {22, 0, 0, 1}};
    CHECK_OFFER(routing, &around, other, over);

    /* Group 8 has its link to group 3 at index 4, router 34, which leads to index 3, router 13. It
     * is entered at router 35; misrouted to 33, the packet must go to 34, and on. */
    vef_route between = route;
    const vef_place entered = go_to(routing, &between, source, 35, 0);
    static const expected within[] = {{34, 1, 0, 3}, {34, 1, 2, 1}, {32, 0, 1, 5}, {33, 0, 1, 5}};
    CHECK_OFFER(routing, &between, entered, within);
    const vef_place misrouted = go_to(routing, &between, entered, 33, 0);
    static const expected back[] = {{34, 1, 0, 1}};
    CHECK_OFFER(routing, &between, misrouted, back);
    const vef_place linked = go_to(routing, &between, misrouted, 34, 1);
    static const expected across[] = {{13, 1, 0, 1}};
    CHECK_OFFER(routing, &between, linked, across);

    /* In the group of the destination, behind two global hops and behind one. */
    const vef_place late = go_to(routing, &between, linked, 13, 1);
    static const expected last[] = {{14, 2, 0, 3}, {14, 2, 2, 1}, {12, 1, 1, 5}, {15, 1, 1, 5}};
    CHECK_OFFER(routing, &between, late, last);
    const vef_place early = go_to(routing, &moved, second, 13, 0);
    static const expected soon[] = {{14, 1, 0, 3}, {14, 1, 2, 1}, {12, 0, 1, 5}, {15, 0, 1, 5}};
    CHECK_OFFER(routing, &moved, early, soon);
    const vef_place aside = go_to(routing, &moved, early, 12, 0);
    static const expected rest[] = {{14, 1, 0, 1}};
    CHECK_OFFER(routing, &moved, aside, rest);
    vef_routing_destroy(routing);
    vef_topology_destroy(topology);
}

/* With queues that misroutes fit into. l l g l l g l l if groups have three routers. */
static void test_olm_is_proven(void **state) {
    (void)state;
    static const char *const shapes[] = {
        "{a: 4, h: 2}",
        "{a: 6, h: 3}",
        "{a: 4, h: 2, groups: 5}",
        "{a: 3, h: 1, groups: 2}",
        "{a: 4, h: 3, groups: 6, arrangement: absolute}",
        "{a: 4, h: 2, groups: 4, arrangement: circulant}",
    };
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        vef_topology *topology = topology_of("dragonfly", shapes[i], 1);
        vef_routing *routing = routing_of("{algorithm: olm}", topology, VEF_FLOW_VIRTUAL_CHANNELS);
        vef_deadlock found = prove(routing, 8, false);
        assert_free(routing, &found, shapes[i]);
        assert_true(found.bounded);
        assert_true(found.longest_hops <= 8);
        if (i < 2)
            assert_int_equal(found.longest_hops, 8);
        vef_deadlock_release(&found);
        vef_routing_destroy(routing);
        vef_topology_destroy(topology);
    }
}

static uint32_t all_escapes(const vef_routing *routing, const vef_route *route, vef_place place,
                            vef_candidate *offered) {
    const uint32_t count = vef_routing_olm.candidates(routing, route, place, offered);
    for (uint32_t i = 0; i < count; i++)
        offered[i].escape = true;
    return count;
}

/* Local misroutes to the class of the minimal hops in the group. */
static uint32_t one_class_up(const vef_routing *routing, const vef_route *route, vef_place place,
                             vef_candidate *offered) {
    const uint32_t count = vef_routing_olm.candidates(routing, route, place, offered);
    uint8_t minimal = 0;
    for (uint32_t i = 0; i < count; i++)
        minimal = offered[i].escape && offered[i].port < 3 ? offered[i].channel : minimal;
    for (uint32_t i = 0; i < count; i++)
        if (!offered[i].escape && offered[i].port < 3)
            offered[i].channel = minimal;
    return count;
}

static void check_rejected(const vef_routing *routing, const vef_deadlock_request *request) {
    vef_deadlock found;
    vef_error error = {0};
    assert_int_equal(vef_deadlock_prove(routing, request, &found, &error), VEF_OK);
    assert_int_equal(found.verdict, VEF_DEADLOCK_CYCLE);
    if (!request->queue_of)
        check_cycle(routing, &found);
    vef_deadlock_release(&found);
}

/* Packets that wait for misroutes, whose class is below that of the global hop before, can wait in
 * a circle. So can they after misroutes by the class of the minimal hop that follows, and if local
 * hops before and behind the first global one share a queue. */
static void test_olm_without_its_ladder_is_rejected(void **state) {
    (void)state;
    vef_topology *topology = topology_of("dragonfly", "{a: 4, h: 2}", 1);
    vef_routing *routing = routing_of("{algorithm: olm}", topology, VEF_FLOW_VIRTUAL_CHANNELS);
    const vef_deadlock_request plain = {.queue_packets = 8};
    uint8_t queues[5 * 3];
    for (uint32_t link = 0; link < 5 * 3; link++)
        queues[link] = link % 3 < 1 ? 0 : (uint8_t)(link % 3 - (link / 3 < 3));
    const vef_deadlock_request merged = {.queue_packets = 8, .channels = 2, .queue_of = queues};
    check_rejected(routing, &merged);
    vef_routing_algorithm mutant = vef_routing_olm;
    routing->algorithm = &mutant;
    mutant.candidates = all_escapes;
    check_rejected(routing, &plain);
    mutant.candidates = one_class_up;
    check_rejected(routing, &plain);
    vef_routing_destroy(routing);
    vef_topology_destroy(topology);
}

/* ---- channels, bursts, refusals ---- */

static void test_channels(void **state) {
    (void)state;
    static const struct {
        const char *routing;
        uint8_t local, global;
    } rows[] = {
        {"{algorithm: minimal}", 2, 1},   {"{algorithm: valiant}", 3, 2},
        {"{algorithm: ugal-l}", 3, 2},    {"{algorithm: ugal-g, channels: 2}", 6, 4},
        {"{algorithm: piggyback}", 3, 2}, {"{algorithm: valiant, intermediate: router}", 4, 2},
        {"{algorithm: par}", 4, 2},       {"{algorithm: par, intermediate: router}", 5, 2},
        {"{algorithm: olm}", 3, 2},       {"{algorithm: olm, channels: 21}", 63, 42},
    };
    vef_topology *topology = topology_of("dragonfly", "{a: 4, h: 2}", 1);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        vef_routing *routing = routing_of(rows[i].routing, topology, VEF_FLOW_VIRTUAL_CHANNELS);
        for (uint32_t port = 0; port < topology->ports; port++)
            assert_int_equal(routing->port_channels[port],
                             port < 3 ? rows[i].local : rows[i].global);
        vef_routing_destroy(routing);
    }
    vef_topology_destroy(topology);
}

static void test_bursts_arrive(void **state) {
    (void)state;
    static const char *const dragonfly[] = {"minimal",   "valiant", "ugal-l", "ugal-g",
                                            "piggyback", "par",     "olm"};
    static const char *const megafly[] = {"minimal", "valiant", "ugal-l", "ugal-g"};
    char yaml[64];
    for (size_t i = 0; i < sizeof dragonfly / sizeof *dragonfly; i++) {
        snprintf(yaml, sizeof yaml, "{algorithm: %s}", dragonfly[i]);
        check_burst("{family: dragonfly, a: 4, h: 2}", yaml, "virtual-channels", 1);
        check_burst("{family: dragonfly, a: 3, h: 2, groups: 4}", yaml, "virtual-channels", 1);
    }
    for (size_t i = 0; i < sizeof megafly / sizeof *megafly; i++) {
        snprintf(yaml, sizeof yaml, "{algorithm: %s}", megafly[i]);
        check_burst("{family: megafly, leaves: 3, h: 3}", yaml, "virtual-channels", 1);
        snprintf(yaml, sizeof yaml, "{algorithm: %s%s}", megafly[i],
                 i > 0 ? ", intermediate: router" : "");
        check_burst("{family: megafly, leaves: 2, spines: 3, h: 2, groups: 3}", yaml,
                    "virtual-channels", 1);
    }
}

/* Up, across and down, or up and down within a group; over a group two hops and up to four. */
static void test_megafly_hops(void **state) {
    (void)state;
    vef_topology *topology = topology_of("megafly", "{leaves: 3, h: 3}", 3);
    assert_int_equal(topology->endpoints, 90);
    static const char *const routings[] = {"{algorithm: minimal}", "{algorithm: valiant}",
                                           "{algorithm: valiant, intermediate: router}"};
    for (size_t i = 0; i < 3; i++) {
        vef_routing *routing = routing_of(routings[i], topology, VEF_FLOW_VIRTUAL_CHANNELS);
        uint32_t longest = 0;
        for (uint32_t from = 0; from < 9; from += 3)
            for (uint32_t to = 0; to < 90; to += 3) {
                const vef_travel travel = travel_of(topology, from, to);
                vef_draws draws = {0};
                do {
                    vef_route route;
                    vef_routing_begin(routing, &travel, &draws, NULL, &route);
                    const uint32_t hops = walk(routing, route, travel.from, travel.to, 0, NULL);
                    if (i == 0)
                        assert_int_equal(hops, from == to ? 0 : from / 9 == to / 9 ? 2 : 3);
                    longest = hops > longest ? hops : longest;
                } while (vef_draws_next(&draws));
            }
        assert_int_equal(longest, i == 0 ? 3 : 6);
        vef_routing_destroy(routing);
    }
    vef_topology_destroy(topology);
}

static void test_refused(void **state) {
    (void)state;
    assert_network_refused("{topology: {family: torus, sizes: [4, 4]}, routing: {algorithm: par}}",
                           "expected topology dragonfly, not torus");
    assert_network_refused("{topology: {family: torus, sizes: [4, 4]}, routing: {algorithm: olm}}",
                           "expected topology dragonfly, not torus");
    assert_network_refused(
        "{topology: {family: torus, sizes: [4, 4]}, routing: {algorithm: valiant, intermediate: "
        "group}}",
        "topology torus has no groups: expected router, or auto");
    assert_network_refused(
        "{topology: {family: dragonfly, a: 4, h: 2}, routing: {algorithm: valiant, channels: 30}}",
        "expected at most 21");
    /* Two groups of two routers with 1 + 600 ports each: all of them lead to the other group. */
    assert_network_refused(
        "{topology: {family: dragonfly, a: 2, h: 600, groups: 2}, routing: "
        "{algorithm: minimal, channels: 2}}",
        "channels: 2 on 601 ports give a packet too many candidates: expected "
        "at most 1");
    assert_network_refused(
        "{topology: {family: dragonfly, a: 2, h: 600, groups: 2}, routing: "
        "{algorithm: par}}",
        "1202 ports give a packet too many candidates: expected at most 1024");
    assert_network_refused(
        "{topology: {family: dragonfly, a: 4, h: 2}, routing: {algorithm: par}, "
        "router: {virtual_output_queues: true}}",
        "not supported with routing par");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_mean_hops_of_minimal),
        cmocka_unit_test(test_parallel_links),
        cmocka_unit_test(test_intermediate_groups),
        cmocka_unit_test(test_adversarial_throughput),
        cmocka_unit_test(test_par_compares),
        cmocka_unit_test(test_olm_offers),
        cmocka_unit_test(test_olm_is_proven),
        cmocka_unit_test(test_olm_without_its_ladder_is_rejected),
        cmocka_unit_test(test_channels),
        cmocka_unit_test(test_bursts_arrive),
        cmocka_unit_test(test_megafly_hops),
        cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
