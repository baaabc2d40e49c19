/* Topologies, minimal records and routing candidates of netmodel/ against the reference's own,
 * which were written from the definitions alone: neighbours port by port, records and candidates as
 * sets. */
#include "tests/netmodel/networks.h"
#include "tests/netmodel/reference_shapes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

static vef_topology *topology_from(const char *yaml) {
    vef_arena arena = {0};
    vef_node *node = NULL;
    vef_topology *topology = NULL;
    vef_error error = {0};
    if (vef_config_parse(yaml, "test", &arena, &node, &error) ||
        vef_topology_create(node, 1, &topology, &error))
        fail_msg("%s: %s", yaml, error.message);
    vef_arena_release(&arena);
    return topology;
}

static vef_routing *routing_from(const char *yaml, const vef_topology *topology) {
    vef_arena arena = {0};
    vef_node *node = NULL;
    vef_routing *routing = NULL;
    vef_error error = {0};
    if (vef_config_parse(yaml, "test", &arena, &node, &error) ||
        vef_routing_create(node, topology, VEF_FLOW_BUBBLE, &routing, &error))
        fail_msg("%s: %s", yaml, error.message);
    vef_arena_release(&arena);
    return routing;
}

static void neighbours_agree(void **state) {
    (void)state;
    for (uint32_t s = 0; s < reference_shape_count; s++) {
        const reference_lattice *lattice = &reference_shapes[s].lattice;
        vef_topology *topology = topology_from(reference_shapes[s].yaml);
        assert_int_equal(topology->routers, reference_routers(lattice));
        assert_int_equal(topology->ports, 2 * lattice->generators);
        for (uint32_t r = 0; r < topology->routers; r++)
            for (uint32_t p = 0; p < topology->ports; p++) {
                const size_t k = (size_t)r * topology->ports + p;
                assert_int_equal(topology->neighbour[k], reference_neighbour(lattice, r, p));
                if (topology->neighbour[k] != VEF_NO_ROUTER)
                    assert_int_equal(topology->reverse_port[k], p ^ 1U);
            }
        vef_topology_destroy(topology);
    }
}

static bool same_record(const reference_lattice *lattice, const vef_route *route,
                        const int *record) {
    for (uint32_t g = 0; g < lattice->generators; g++)
        if (route->words[g] != record[g])
            return false;
    return true;
}

/* Over many draws every minimal record comes, evenly, and nothing else: with n records and 60 n
 * draws, each comes 60 times; 10 is more than 6 standard deviations away. */
static void every_tie_is_drawn(void **state) {
    (void)state;
    for (uint32_t s = 0; s < reference_shape_count; s++) {
        const reference_lattice *lattice = &reference_shapes[s].lattice;
        vef_topology *topology = topology_from(reference_shapes[s].yaml);
        vef_routing *routing = routing_from("{algorithm: dor}", topology);
        vef_rng rng = vef_rng_make(3, VEF_RNG_TEST, s);
        for (uint32_t to = 0; to < topology->routers; to++) {
            const uint32_t from = (to * 7 + 3) % topology->routers;
            int records[REFERENCE_RECORDS][REFERENCE_GENERATORS];
            const uint32_t count = reference_records(lattice, from, to, records);
            uint32_t times[REFERENCE_RECORDS] = {0};
            for (uint32_t draw = 0; draw < 60 * count; draw++) {
                vef_route route = {0};
                begin_route(routing, from, to, &rng, &route);
                uint32_t k = 0;
                while (k < count && !same_record(lattice, &route, records[k]))
                    k++;
                assert_true(k < count);
                times[k]++;
            }
            for (uint32_t k = 0; k < count; k++)
                assert_true(times[k] >= 10 && (count > 1 || times[k] == 60));
        }
        vef_routing_destroy(routing);
        vef_topology_destroy(topology);
    }
}

static bool same_candidate(vef_candidate a, vef_candidate b) {
    return a.port == b.port && a.channel == b.channel && a.preference == b.preference &&
           a.slots_needed == b.slots_needed;
}

/* Walks from one router to another, at each hop comparing what both offer and taking any of it. */
static void walk(const vef_routing *routing, const reference_own_routing *own, uint32_t from,
                 uint32_t to, vef_rng *rng) {
    const reference_routing mine = reference_route_alone(own);
    vef_route route = {0};
    begin_route(routing, from, to, rng, &route);
    vef_route own_route =
        route; /* both are the record still to go (record.h, reference_routing.c) */
    int records[REFERENCE_RECORDS][REFERENCE_GENERATORS];
    reference_records(own->lattice, from, to, records);
    int hops = 0;
    for (uint32_t g = 0; g < own->lattice->generators; g++)
        hops += records[0][g] < 0 ? -records[0][g] : records[0][g];
    vef_place place = {.router = from, .in_port = VEF_INJECTED};
    for (;; hops--) {
        vef_candidate theirs[VEF_MAX_CANDIDATES], ours[VEF_MAX_CANDIDATES];
        const uint32_t count = routing->algorithm->candidates(routing, &route, place, theirs);
        assert_int_equal(count, mine.candidates(own, &own_route, place, ours));
        for (uint32_t i = 0; i < count; i++) {
            uint32_t matches = 0;
            for (uint32_t j = 0; j < count; j++)
                matches += same_candidate(theirs[i], ours[j]);
            assert_int_equal(matches, 1);
        }
        if (count == 0)
            break;
        const vef_candidate taken = theirs[vef_rng_below(rng, count)];
        routing->algorithm->advance(routing, &route, place, taken.port, taken.channel);
        mine.advance(own, &own_route, place, taken.port, taken.channel);
        place = (vef_place){reference_neighbour(own->lattice, place.router, taken.port),
                            (uint16_t)(taken.port ^ 1U), taken.channel};
        assert_int_not_equal(place.router, VEF_NO_ROUTER);
    }
    assert_int_equal(place.router, to);
    assert_int_equal(hops, 0);
}

static void candidates_agree(void **state) {
    (void)state;
    static const struct {
        const char *yaml;
        reference_own_routing own;
    } routings[] = {
        {"{algorithm: dor}", {.channels = 1}},
        {"{algorithm: dor, channels: 3}", {.channels = 3}},
        {"{algorithm: adaptive, adaptive_channels: 1}", {.channels = 2, .adaptive = true}},
        {"{algorithm: adaptive, adaptive_channels: 2}", {.channels = 3, .adaptive = true}},
        {"{algorithm: adaptive, adaptive_channels: 2, return_to_adaptive: false}",
         {.channels = 3, .adaptive = true, .escape_is_final = true}},
        {"{algorithm: adaptive, selection: random}", {.channels = 3, .adaptive = true}},
        {"{algorithm: adaptive, selection: straight}",
         {.channels = 3, .adaptive = true, .selection = REFERENCE_STRAIGHT}},
        {"{algorithm: adaptive, selection: longest, return_to_adaptive: false}",
         {.channels = 3,
          .adaptive = true,
          .escape_is_final = true,
          .selection = REFERENCE_LONGEST}},
    };
    for (uint32_t s = 0; s < reference_shape_count; s++) {
        vef_topology *topology = topology_from(reference_shapes[s].yaml);
        vef_rng rng = vef_rng_make(5, VEF_RNG_TEST, s);
        for (size_t k = 0; k < sizeof routings / sizeof *routings; k++) {
            vef_routing *routing = routing_from(routings[k].yaml, topology);
            reference_own_routing own = routings[k].own;
            own.lattice = &reference_shapes[s].lattice;
            assert_int_equal(routing->channels, own.channels);
            for (uint32_t n = 0; n < 200; n++)
                walk(routing, &own, vef_rng_below(&rng, topology->routers),
                     vef_rng_below(&rng, topology->routers), &rng);
            vef_routing_destroy(routing);
        }
        vef_topology_destroy(topology);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(neighbours_agree),
        cmocka_unit_test(every_tie_is_drawn),
        cmocka_unit_test(candidates_agree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
