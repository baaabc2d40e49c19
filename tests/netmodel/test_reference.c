/* The core (netmodel/router/, through netmodel.h) against the phit-by-phit reference: on small
 * networks and random workloads both must deliver every message at the same cycle. Most cases use
 * messages of one packet, so that agreement about messages is agreement about packets. Both use the
 * routing of netmodel/routing/, whose candidates test_reference_routing.c checks by themselves. */
#include "tests/netmodel/agreement.h"
#include "tests/netmodel/reference_shapes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    CASES = 120,
    GREAT_CASES = 34,
};

static const char *const routings[] = {
    "{algorithm: dor}",
    "{algorithm: adaptive, adaptive_channels: 1}",
    "{algorithm: dor, channels: 2}",
    "{algorithm: adaptive, adaptive_channels: 2}",
    "{algorithm: dor, channels: 3}",
    "{algorithm: adaptive, adaptive_channels: 2, return_to_adaptive: false}",
};
static const double loads[] = {0.05, 0.3, 0.8, 2.0};
static const uint32_t packet_sizes[] = {1, 2, 5, 8, 16, 32};

/* Case k: shapes, routings, loads, arbiters and kinds of workload in turn, the rest drawn. */
static network_case make_case(uint32_t k) {
    vef_rng rng = vef_rng_make(11, VEF_RNG_TEST, k);
    const reference_shape *shape = &reference_shapes[k % reference_shape_count];
    network_case made = {
        .topology = shape->yaml,
        .routing = routings[k % (sizeof routings / sizeof *routings)],
        .kind = (workload_kind)(k / 2 % 3),
        .most_packets = k % 4 == 3 ? 4 : 1,
        .load = loads[(k + k / 4) % 4],
        .seed = k,
    };
    made.config = (reference_config){
        .lattice = shape->lattice,
        .endpoints_per_router = 1 + vef_rng_below(&rng, 2),
        .queue_packets = 2 + vef_rng_below(&rng, 3),
        .injection_queues = 1 + vef_rng_below(&rng, 3),
        .injection_queue_packets = 1 + vef_rng_below(&rng, 4),
        .ejection_ports = 1 + vef_rng_below(&rng, 2),
        .arbiter = (reference_arbiter)((k + k / 6) % REFERENCE_BY_OUTPUT),
        .transit_first = vef_rng_below(&rng, 2),
        .burst_phits = k % 5 == 2 ? 1 + k % 23 : 0,
        .router_delay_cycles = vef_rng_below(&rng, 4),
        .link_delay_cycles = vef_rng_below(&rng, 4),
        .credit_delay_cycles = vef_rng_below(&rng, 4),
        .packet_phits = packet_sizes[vef_rng_below(&rng, 6)],
        .phit_bytes = 1 + vef_rng_below(&rng, 8),
        .seed = vef_rng_next(&rng) >> 33,
    };
    const bool mesh = strstr(shape->yaml, "mesh") != NULL;
    if (mesh) {
        made.config.queue_packets = 1 + vef_rng_below(&rng, 3);
        made.flow_control = vef_rng_below(&rng, 2) ? VEF_FLOW_BUBBLE : VEF_FLOW_VIRTUAL_CHANNELS;
    }
    if (made.config.router_delay_cycles == 0 && made.config.link_delay_cycles == 0)
        made.config.link_delay_cycles = 1;
    made.endpoints = reference_routers(&shape->lattice) * made.config.endpoints_per_router;
    choose_messages(&made);
    return made;
}

/* As case k, with more than 64 channels or queues at a router where it has 6 ports, long packets
 * and long delays: beyond what a machine word or a short table of coming events could hold. Some
 * have many queues and one channel, so that most packets have one candidate, for which many wait.
 */
static network_case make_great_case(uint32_t k) {
    static const char *const many[] = {"{algorithm: dor, channels: 11}",
                                       "{algorithm: adaptive, adaptive_channels: 10}"};
    network_case made = make_case(k);
    made.routing = k % 6 == 0 ? "{algorithm: dor}" : many[k % 2];
    made.config.endpoints_per_router = k % 3 == 0 ? 7 : 2;
    made.endpoints = reference_routers(&made.config.lattice) * made.config.endpoints_per_router;
    made.config.injection_queues = k % 3 == 0 ? 10 : 1;
    made.config.link_delay_cycles = 40 * (k % 4);
    made.config.router_delay_cycles = 1 + 30 * (k % 3);
    made.config.credit_delay_cycles = 45 * (k % 5);
    if (k % 5 < 2)
        made.config.packet_phits = 150;
    made.messages = 200;
    return made;
}

static void core_and_reference_agree(void **state) {
    (void)state;
    agree(CASES, make_case);
}

static void they_agree_on_great_numbers(void **state) {
    (void)state;
    agree(GREAT_CASES, make_great_case);
}

/* The cases are what they are meant to be: every shape, routing, arbiter, load, size of packets and
 * kind of workload, with deterministic and random arbitration of each routing. */
static void cases_cover_the_ground(void **state) {
    (void)state;
    uint32_t shapes = 0, by_arbiter[REFERENCE_BY_OUTPUT] = {0}, kinds = 0, sizes = 0, delays = 0,
             concentrations = 0;
    for (uint32_t k = 0; k < CASES; k++) {
        const network_case sample = make_case(k);
        for (uint32_t s = 0; s < reference_shape_count; s++)
            shapes |= (uint32_t)(sample.topology == reference_shapes[s].yaml) << s;
        for (uint32_t r = 0; r < 6; r++)
            by_arbiter[sample.config.arbiter] |= (uint32_t)(sample.routing == routings[r]) << r;
        for (uint32_t l = 0; l < 4; l++)
            kinds |= (uint32_t)(sample.load >= loads[l] && sample.load <= loads[l])
                     << (4 * sample.kind + l);
        for (uint32_t p = 0; p < 6; p++)
            sizes |= (uint32_t)(sample.config.packet_phits == packet_sizes[p]) << p;
        delays |= 1U << sample.config.router_delay_cycles
                     << (4 * sample.config.credit_delay_cycles);
        concentrations |= 1U << sample.config.endpoints_per_router
                             << (4 * (sample.most_packets - 1));
        assert_true(sample.messages <= MOST_MESSAGES);
    }
    assert_int_equal(shapes, (1U << reference_shape_count) - 1);
    for (int arbiter = 0; arbiter < REFERENCE_BY_OUTPUT; arbiter++)
        assert_int_equal(by_arbiter[arbiter], 0x3f);
    assert_int_equal(kinds, 0xfff);
    assert_int_equal(sizes, 0x3f);
    assert_int_equal(delays, 0xffff);
    assert_int_equal(concentrations, 0x6006);
}

/* ---- the comparison notices ---- */

static void slower_router(reference_config *config) {
    config->router_delay_cycles++;
}
static void slower_credits(reference_config *config) {
    config->credit_delay_cycles++;
}
static void longer_queues(reference_config *config) {
    config->queue_packets++;
}
static void longer_injection_queues(reference_config *config) {
    config->injection_queue_packets++;
}
static void another_injection_queue(reference_config *config) {
    config->injection_queues++;
}
static void another_ejection_port(reference_config *config) {
    config->ejection_ports++;
}
static void other_turn(reference_config *config) {
    config->transit_first = !config->transit_first;
}
static void other_burst(reference_config *config) {
    config->burst_phits++;
}
static void other_arbiter(reference_config *config) {
    config->arbiter = (reference_arbiter)((config->arbiter + 1) % REFERENCE_BY_OUTPUT);
}
static void other_seed(reference_config *config) {
    config->seed++;
}

/* A reference with a slightly different network must disagree, for each difference separately; a
 * slower router on every network. */
static void wrong_rules_are_noticed(void **state) {
    (void)state;
    void (*const wrong[])(reference_config *) = {
        slower_router,
        slower_credits,
        longer_queues,
        longer_injection_queues,
        another_injection_queue,
        another_ejection_port,
        other_turn,
        other_burst,
        other_arbiter,
        other_seed,
    };
    enum { TRIED = 16 };
    both sides;
    for (size_t w = 0; w < sizeof wrong / sizeof *wrong; w++) {
        uint32_t noticed = 0;
        for (uint32_t k = 0; k < TRIED; k++) {
            const network_case sample = make_case(CASES - 1 - k);
            network_case told = sample;
            wrong[w](&told.config);
            noticed += disagreements(&sample, &told, &sides) > 0;
        }
        printf("wrong rule %zu: noticed on %u of %u networks\n", w, noticed, (unsigned)TRIED);
        assert_true(noticed >= (w == 0 ? TRIED : 3));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cases_cover_the_ground),
        cmocka_unit_test(core_and_reference_agree),
        cmocka_unit_test(they_agree_on_great_numbers),
        cmocka_unit_test(wrong_rules_are_noticed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
