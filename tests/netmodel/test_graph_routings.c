/* Routings on graphs of any kind, on every sample of the topology table that they take: whatever is
 * chosen among what they offer, a packet arrives, and on a way that is as long as each promises.
 *
 * Invariants: minimal and the adaptive channels of the others lead nearer at every hop (distances
 * by breadth-first search); hops of polarized routings lead away from the source or nearer to the
 * destination, as their definition says, and are not more than follow from it; the channels of
 * minimal and polarized rise; a way of up-down never rises after it
 * fell and is as short as such a way can be (by a search of our own over routers and phases); a
 * packet that took an escape stays in it. */
#include "netmodel/routing/algorithms.h"
#include "tests/netmodel/networks.h"
#include "tests/netmodel/routes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

enum { UNREACHED = UINT32_MAX };

/* What one hop of a routing is held to. */
typedef struct hop {
    vef_place from;
    vef_candidate taken;
    uint32_t before, after; /* hops to the destination, by search */
    uint32_t come, gone;    /* hops from the source, before and after, by search */
    uint32_t distance;      /* from the source to the destination, by search */
    uint32_t diameter;
    uint32_t hops; /* so far, this one not */
    bool escaped;  /* an escape channel was taken before */
} hop;

/* Where a family has another row of that name, that has tests of its own. */
typedef struct expectation {
    const vef_routing_algorithm *algorithm;
    void (*check)(const vef_routing *routing, const hop *made);
} expectation;

static void nearer_on_rising_channels(const vef_routing *routing, const hop *made) {
    (void)routing;
    assert_int_equal(made->after + 1, made->before);
    assert_true(made->taken.escape);
    if (made->from.in_port != VEF_INJECTED)
        assert_true(made->taken.channel > made->from.in_channel);
    assert_true(made->taken.channel + made->after < routing->channels);
}

static void nearer_outside_the_escape(const vef_routing *routing, const hop *made) {
    (void)routing;
    assert_int_equal(made->taken.escape, made->taken.channel == 0);
    if (made->escaped)
        assert_true(made->taken.escape);
    if (!made->taken.escape)
        assert_int_equal(made->after + 1, made->before);
}

/* Of a packet at a and b hops from its source and its destination: a - b does not fall, and if it
 * stays, the hop leads away from the source while a < b, or else nearer (also where there was no
 * other hop, and the packet is minimal from then on). */
static void polarized_hop(const vef_routing *routing, const hop *made) {
    (void)routing;
    const int before = (int)made->come - (int)made->before;
    const int after = (int)made->gone - (int)made->after;
    assert_true(after >= before);
    if (after == before && made->after > made->before)
        assert_true(made->come < made->before && made->gone > made->come);
    if (after == before)
        assert_int_not_equal(made->after, made->before);
}

static void polarized_on_rising_channels(const vef_routing *routing, const hop *made) {
    assert_true(made->taken.escape);
    assert_int_equal(made->taken.channel, made->hops);
    assert_true(made->hops < 4 * made->diameter - 3);
    polarized_hop(routing, made);
}

static void polarized_outside_the_escape(const vef_routing *routing, const hop *made) {
    assert_int_equal(made->taken.escape, made->taken.channel == 0);
    assert_int_equal(made->taken.preference, made->taken.escape);
    if (made->escaped)
        assert_true(made->taken.escape);
    if (made->taken.escape)
        return;
    /* From distance d, a - b rises to d in at most 2 d hops; the others raise a, which is less than
     * the diameter, or lower b. And a minimal rest. */
    assert_true(made->hops < 2 * made->distance + 3 * made->diameter - 1);
    polarized_hop(routing, made);
}

static void anything(const vef_routing *routing, const hop *made) {
    (void)routing;
    assert_true(made->taken.escape);
}

static const expectation expectations[] = {
    {&vef_routing_minimal, nearer_on_rising_channels},
    {&vef_routing_minimal_adaptive, nearer_outside_the_escape},
    {&vef_routing_ibt, nearer_outside_the_escape},
    {&vef_routing_polarized, polarized_on_rising_channels},
    {&vef_routing_polarized_adaptive, polarized_outside_the_escape},
    {&vef_routing_up_down, anything},
};
enum { EXPECTATIONS = sizeof expectations / sizeof expectations[0] };

/* [from * routers + to]: hops between routers, by search. */
static uint32_t *all_distances(const vef_topology *topology, uint32_t *diameter) {
    const size_t routers = topology->routers;
    uint32_t *distance = malloc(routers * routers * sizeof *distance);
    *diameter = 0;
    for (uint32_t from = 0; from < routers; from++)
        distances_from(topology, from, distance + from * routers);
    for (size_t i = 0; i < routers * routers; i++)
        *diameter = distance[i] > *diameter ? distance[i] : *diameter;
    return distance;
}

/* Walks between all pairs of routers with endpoints, choosing at random (several times each). */
static void check_walks(const vef_routing *routing, const expectation *expected, vef_rng *rng) {
    const vef_topology *topology = routing->topology;
    uint32_t diameter;
    uint32_t *distances = all_distances(topology, &diameter);
    vef_candidate *offered = malloc(routing->most_candidates * sizeof *offered);
    for (uint32_t to = 0; to < topology->endpoints; to++) {
        const uint32_t target = vef_topology_router_of(topology, to);
        const uint32_t *distance = distances + (size_t)target * topology->routers; /* both ways */
        for (uint32_t from = 0; from < topology->endpoints; from++) {
            vef_travel travel = {from, to, vef_topology_router_of(topology, from), target, 0};
            vef_draws draws = vef_draws_from(rng);
            vef_route route;
            vef_routing_begin(routing, &travel, &draws, NULL, &route);
            hop current = {.from = {travel.from, VEF_INJECTED, 0},
                           .distance = distance[travel.from],
                           .diameter = diameter};
            const uint32_t *come = distances + (size_t)travel.from * topology->routers;
            while (current.from.router != target) {
                const uint32_t count = offers(routing, &route, current.from, offered);
                assert_true(count > 0);
                current.taken = offered[vef_rng_below(rng, count)];
                current.before = distance[current.from.router];
                const vef_place next = step(routing, &route, current.from, current.taken);
                current.after = distance[next.router];
                current.come = come[current.from.router];
                current.gone = come[next.router];
                expected->check(routing, &current);
                current.escaped = current.escaped || current.taken.escape;
                current.from = next;
                assert_true(++current.hops <= 2 * topology->routers);
            }
            assert_int_equal(offers(routing, &route, current.from, offered), 0);
        }
    }
    free(offered);
    free(distances);
}

static vef_routing *routing_if_fits(const char *yaml, const vef_topology *topology) {
    vef_arena arena = {0};
    vef_node *node = NULL;
    vef_error error = {0};
    vef_routing *routing = NULL;
    assert_int_equal(vef_config_parse(yaml, "r", &arena, &node, &error), VEF_OK);
    vef_code code = vef_routing_create(node, topology, VEF_FLOW_BUBBLE, &routing, &error);
    if (code != VEF_OK && code != VEF_UNSUPPORTED)
        fail_msg("%s: %s", yaml, error.message);
    vef_arena_release(&arena);
    return routing;
}

static void test_walks_arrive_as_promised(void **state) {
    (void)state;
    vef_rng rng = vef_rng_make(1, VEF_RNG_TEST, 0);
    uint32_t fitted[EXPECTATIONS] = {0};
    uint32_t samples = 0;
    for (size_t f = 0; vef_topology_families[f]; f++)
        for (size_t s = 0; vef_topology_families[f]->samples[s]; s++, samples++) {
            vef_topology *topology = topology_of(vef_topology_families[f]->name,
                                                 vef_topology_families[f]->samples[s], 1);
            for (size_t e = 0; e < EXPECTATIONS; e++) {
                char yaml[64];
                snprintf(yaml, sizeof yaml, "{algorithm: %s}", expectations[e].algorithm->name);
                vef_routing *routing = routing_if_fits(yaml, topology);
                if (!routing)
                    continue;
                fitted[e]++;
                if (routing->algorithm == expectations[e].algorithm)
                    check_walks(routing, &expectations[e], &rng);
                vef_routing_destroy(routing);
            }
            vef_topology_destroy(topology);
        }
    /* Any graph means any: only the escape round a torus is for one family. */
    for (size_t e = 0; e < EXPECTATIONS; e++)
        if (expectations[e].algorithm == &vef_routing_ibt)
            assert_true(fitted[e] > 0 && fitted[e] < samples);
        else
            assert_int_equal(fitted[e], samples);
}

/* ---- up-down ---- */

/* Hops of the shortest way from a router to each other that rises, then falls, over levels that a
 * search from `root` gives: by relaxing all links until nothing changes. */
static void shortest_legal(const vef_topology *topology, uint32_t root, uint32_t from,
                           uint32_t *best) {
    const uint32_t routers = topology->routers;
    uint32_t *level = malloc(routers * sizeof *level);
    uint32_t *hops = malloc(2 * routers * sizeof *hops); /* risen only, then fallen */
    distances_from(topology, root, level);
    memset(hops, 0xff, 2 * routers * sizeof *hops);
    hops[from] = 0;
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t r = 0; r < 2 * routers; r++)
            for (uint32_t p = 0; hops[r] != UNREACHED && p < topology->ports; p++) {
                const uint32_t here = r % routers, fell = r / routers;
                const uint32_t next = topology->neighbour[(size_t)here * topology->ports + p];
                if (next == VEF_NO_ROUTER)
                    continue;
                const bool up =
                    level[next] < level[here] || (level[next] == level[here] && next < here);
                if (up && fell)
                    continue;
                uint32_t *there = &hops[(up ? 0 : routers) + next];
                if (hops[r] + 1 < *there) {
                    *there = hops[r] + 1;
                    changed = true;
                }
            }
    }
    for (uint32_t r = 0; r < routers; r++)
        best[r] = hops[r] < hops[routers + r] ? hops[r] : hops[routers + r];
    free(hops);
    free(level);
}

static void check_legal_ways(const vef_routing *routing, uint32_t root, vef_rng *rng) {
    const vef_topology *topology = routing->topology;
    uint32_t *level = malloc(topology->routers * sizeof *level);
    uint32_t *best = malloc(topology->routers * sizeof *best);
    vef_candidate *offered = malloc(routing->most_candidates * sizeof *offered);
    distances_from(topology, root, level);
    for (uint32_t from = 0; from < topology->routers; from++) {
        shortest_legal(topology, root, from, best);
        for (uint32_t to = 0; to < topology->routers; to++) {
            vef_route route;
            begin_route(routing, from, to, rng, &route);
            vef_place place = {from, VEF_INJECTED, 0};
            uint32_t hops = 0, count;
            bool fell = false;
            while ((count = offers(routing, &route, place, offered)) > 0) {
                const vef_place next =
                    step(routing, &route, place, offered[vef_rng_below(rng, count)]);
                const bool up =
                    level[next.router] < level[place.router] ||
                    (level[next.router] == level[place.router] && next.router < place.router);
                assert_false(up && fell);
                fell = fell || !up;
                place = next;
                hops++;
            }
            assert_int_equal(place.router, to);
            assert_int_equal(hops, best[to]);
        }
    }
    free(offered);
    free(best);
    free(level);
}

static void test_up_down_takes_shortest_legal_ways(void **state) {
    (void)state;
    static const struct {
        const char *family, *parameters;
        uint32_t root;
    } rows[] = {
        {"torus", "{sizes: [6]}", 0},
        {"torus", "{sizes: [5, 4]}", 7},
        {"de-bruijn", "{symbols: 3, length: 3}", 13},
        {"king-mesh", "{sizes: [5, 4]}", 19},
        {"hypercube", "{dimensions: 4}", 5},
    };
    vef_rng rng = vef_rng_make(2, VEF_RNG_TEST, 0);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        vef_topology *topology = topology_of(rows[i].family, rows[i].parameters, 1);
        char yaml[64];
        snprintf(yaml, sizeof yaml, "{algorithm: up-down, root: %u}", rows[i].root);
        vef_routing *routing = routing_of(yaml, topology, VEF_FLOW_BUBBLE);
        check_legal_ways(routing, rows[i].root, &rng);
        vef_routing_destroy(routing);
        vef_topology_destroy(topology);
    }
}

/* ---- in the network ---- */

static void test_bursts_arrive(void **state) {
    (void)state;
    static const char *const topologies[] = {
        "{family: de-bruijn, symbols: 3, length: 3}",
        "{family: cube-connected-cycles, dimensions: 3}",
        "{family: kary-ntree, k: 2, n: 3}",
        "{family: kary-ntree, k: 4, n: 2, inner_links: 1}",
        "{family: twin-torus, sizes: [3, 3, 3]}",
        "{family: ibt, sizes: [12, 12], bypass_dimensions: 2, lengths: [4]}",
        "{family: barrel-shifter, bits: 5}",
        "{family: complete, routers: 12}",
        "{family: torus, sizes: [5, 5]}",
        "{family: rdt, size: 16, ranks: 2, upper_tori: 2}",
        "{family: rdt, size: 8, cardinal: 1, ranks: 4, assignment: [[1, 3], [4, 1]]}",
        "{family: srt, bits: 3}",
        "{family: hybrid-fat-tree, levels: 5}",
    };
    for (size_t t = 0; t < sizeof topologies / sizeof topologies[0]; t++) {
        check_burst(topologies[t], "{algorithm: minimal}", "bubble", 1);
        check_burst(topologies[t], "{algorithm: minimal-adaptive}", "bubble", 1);
        check_burst(topologies[t], "{algorithm: up-down}", "bubble", 1);
        check_burst(topologies[t], "{algorithm: polarized-adaptive, adaptive_channels: 1}",
                    "bubble", 1);
    }
    check_burst(topologies[5], "{algorithm: ibt}", "bubble", 2);
}

static void test_what_is_refused(void **state) {
    (void)state;
    static const struct {
        const char *yaml, *says;
    } rows[] = {
        {"{topology: {family: mesh, sizes: [70]}, routing: {algorithm: minimal}}",
         "minimal-adaptive or up-down, which need fewer"},
        {"{topology: {family: hypercube, dimensions: 4}, routing: {algorithm: minimal, channels: "
         "3}}",
         "need 4"},
        {"{topology: {family: torus, sizes: [4, 4]}, routing: {algorithm: up-down, root: 16}}",
         "root: router 16 is out of range: expected 0 to 15"},
        {"{topology: {family: torus, sizes: [4, 4]}, routing: {algorithm: ibt}}",
         "expected topology ibt, not torus"},
        {"{topology: {family: torus, sizes: [512, 512]}, routing: {algorithm: up-down}}", "GiB"},
        {"{topology: {family: ibt, sizes: [12], bypass_dimensions: 1, lengths: [4]}, routing: "
         "{algorithm: ibt}, router: {flow_control: virtual-channels}}",
         "flow_control: bubble"},
        {"{topology: {family: ibt, sizes: [12], bypass_dimensions: 1, lengths: [4]}, routing: "
         "{algorithm: ibt}, router: {queue_packets: 1}}",
         "expected at least 2"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        assert_network_refused(rows[i].yaml, rows[i].says);
}

/* Where no algorithm is named, one that fits is taken. */
static void test_default_fits(void **state) {
    (void)state;
    static const char *const rows[][2] = {
        {"{family: torus, sizes: [4, 4]}", "adaptive"},
        {"{family: king-mesh, sizes: [4, 4]}", "hop-by-hop-2s"},
        {"{family: ibt, sizes: [12], bypass_dimensions: 1, lengths: [4]}", "ibt"},
        {"{family: de-bruijn, symbols: 2, length: 4}", "minimal-adaptive"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        vef_arena arena = {0};
        vef_node *node = NULL;
        vef_error error = {0};
        vef_topology *topology = NULL;
        vef_routing *routing = NULL;
        assert_int_equal(vef_config_parse(rows[i][0], "t", &arena, &node, &error), VEF_OK);
        assert_int_equal(vef_topology_create(node, 1, &topology, &error), VEF_OK);
        assert_int_equal(vef_routing_create(NULL, topology, VEF_FLOW_BUBBLE, &routing, &error),
                         VEF_OK);
        assert_string_equal(routing->algorithm->name, rows[i][1]);
        vef_routing_destroy(routing);
        vef_topology_destroy(topology);
        vef_arena_release(&arena);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_walks_arrive_as_promised),
        cmocka_unit_test(test_up_down_takes_shortest_legal_ways),
        cmocka_unit_test(test_bursts_arrive),
        cmocka_unit_test(test_what_is_refused),
        cmocka_unit_test(test_default_fits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
