/* The router network against what can be said of it without simulating: latencies of a packet
 * alone, the rate of a link, bounds of throughput, delivery of everything exactly once, results
 * that depend on the seed alone. (tests/netmodel/test_reference*.c compare it packet by packet with
 * a simulator written apart from it.) */
#include "netmodel/router/model.h"
#include "netmodel/topology/lattice/lattice.h"
#include "tests/netmodel/networks.h"
#include "tests/netmodel/traffic.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

static vef_net_statistics statistics_of(const vef_netmodel *model) {
    vef_net_statistics statistics;
    model->kind->statistics(model, &statistics);
    return statistics;
}

/* Alone in the network a packet takes hops x (router + link delay) + phits - 1 cycles to the one
 * that consumes its tail, so it is delivered one later. */
static void check_alone(const char *topology, const char *routing, uint32_t router_delay,
                        uint32_t link_delay, uint32_t phits) {
    char yaml[512];
    snprintf(yaml, sizeof yaml,
             "{topology: %s, routing: %s, endpoints_per_router: 2, router: {delay_cycles: %u}, "
             "link: {delay_cycles: %u, phit: 4 B}, packet: {phits: %u}}",
             topology, routing, router_delay, link_delay, phits);
    vef_netmodel *model = network_of(yaml);
    uint32_t *distance = malloc(model->topology->routers * sizeof *distance);
    uint64_t hops = 0, packets = 0;
    for (uint32_t a = 0; a < model->endpoints; a++) {
        distances_from(model->topology, a / 2, distance);
        for (uint32_t b = 0; b < model->endpoints; b++) {
            uint64_t start = model->kind->now(model);
            uint64_t took = send_alone(model, a, b, phits * 4) - start;
            assert_int_equal(took, distance[b / 2] * (router_delay + link_delay) + phits);
            hops += distance[b / 2];
            packets++;
        }
    }
    vef_net_statistics statistics = statistics_of(model);
    assert_int_equal(statistics.packets, packets);
    assert_int_equal(statistics.packet_hops, hops);
    assert_near(statistics.average_hops, (double)hops / (double)packets, 1e-12);
    assert_near(statistics.latency_mean_cycles,
                statistics.average_hops * (router_delay + link_delay) + phits - 1, 1e-9);
    assert_near(statistics.message_latency_mean_cycles, statistics.latency_mean_cycles + 1, 1e-9);
    free(distance);
    vef_netmodel_destroy(model);
}

static void test_latency_of_a_packet_alone(void **state) {
    (void)state;
    static const char *const topologies[] = {
        "{family: rtt, a: 3}", "{family: rt, a: 3}", "{family: mesh, sizes: [3, 4]}",
        "{family: torus, sizes: [3, 2, 4]}",
        "{family: lattice, sizes: [4, 4], generators: [[1, 0], [0, 1], [1, 1]]}"};
    static const char *const routings[] = {"{algorithm: dor}", "{algorithm: dor, channels: 2}",
                                           "{algorithm: adaptive, adaptive_channels: 2}"};
    for (size_t t = 0; t < sizeof topologies / sizeof topologies[0]; t++)
        for (size_t r = 0; r < sizeof routings / sizeof routings[0]; r++) {
            check_alone(topologies[t], routings[r], 0, 1, 16);
            check_alone(topologies[t], routings[r], 3, 2, 1);
            check_alone(topologies[t], routings[r], 1, 40, 5);
        }
}

/* A link carries one phit a cycle: n packets of L phits over one hop, all ready at time 0, leave
 * one after the other, and the last is delivered at time n L + 1. */
static void test_rate_of_a_link(void **state) {
    (void)state;
    vef_netmodel *model = network_of("{topology: {family: mesh, sizes: [2]}, packet: {phits: 8}}");
    enum { PACKETS = 100, PHITS = 8 };
    assert_int_equal(send_alone(model, 0, 1, PACKETS * PHITS * 4), PACKETS * PHITS + 1);
    vef_net_statistics statistics = statistics_of(model);
    assert_int_equal(statistics.packets, PACKETS);
    assert_int_equal(statistics.phits, PACKETS * PHITS);
    assert_int_equal(statistics.messages, 1);
    double busy = (double)(PACKETS * PHITS) / (PACKETS * PHITS + 1);
    assert_near(statistics.link_utilization_max, busy, 1e-12);
    assert_near(statistics.link_utilization_mean, busy / 2, 1e-12); /* the way back idle */
    assert_int_equal(statistics.busiest_router, 0);
    assert_int_equal(statistics.busiest_port, 0);
    vef_netmodel_destroy(model);
    /* One place, whose credit is back 5 cycles after the tail has left: the next packet may start L
     * + 1 + 5 cycles after the one before. */
    model = network_of(
        "{topology: {family: mesh, sizes: [2]}, packet: {phits: 8}, link: "
        "{credit_delay_cycles: 5}, router: {queue_packets: 1}, routing: {algorithm: "
        "dor}}");
    assert_int_equal(send_alone(model, 0, 1, PACKETS * PHITS * 4),
                     (PACKETS - 1) * (PHITS + 6) + PHITS + 1);
    vef_netmodel_destroy(model);
}

static void test_messages_become_packets(void **state) {
    (void)state;
    static const struct {
        uint64_t bytes, packets, phits;
    } rows[] = {{0, 1, 1}, {1, 1, 1}, {4, 1, 1}, {5, 1, 2}, {64, 1, 16}, {65, 2, 17}, {100, 2, 25}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        vef_netmodel *model = network_of("topology: {family: torus, sizes: [4]}");
        send_alone(model, 0, 2, rows[i].bytes);
        vef_net_statistics statistics = statistics_of(model);
        assert_int_equal(statistics.packets, rows[i].packets);
        assert_int_equal(statistics.phits, rows[i].phits);
        assert_int_equal(statistics.packet_hops, 2 * rows[i].packets);
        vef_netmodel_destroy(model);
    }
}

/* With one ejection port an endpoint takes one phit a cycle, with two it takes two; only that the
 * two queues ask for the same lowest port in the first cycle, where one loses it. */
static void test_ejection_ports(void **state) {
    (void)state;
    for (uint32_t ports = 1; ports <= 2; ports++) {
        char yaml[256];
        snprintf(yaml, sizeof yaml,
                 "{topology: {family: mesh, sizes: [3]}, router: {ejection_ports: %u}, packet: "
                 "{phits: 4}}",
                 ports);
        vef_netmodel *model = network_of(yaml);
        vef_error error = {0};
        for (uint32_t i = 0; i < 2; i++) { /* from both sides to the middle */
            vef_net_message message = {
                .source = 2 * i, .destination = 1, .bytes = 50 * 16, .id = i};
            assert_int_equal(model->kind->inject(model, &message, &error), VEF_OK);
        }
        const vef_net_delivery *got;
        size_t count;
        uint64_t last = 0;
        for (uint32_t arrived = 0; arrived < 2; arrived += (uint32_t)count) {
            assert_int_equal(model->kind->advance(model, VEF_FOREVER, &got, &count, &error),
                             VEF_OK);
            assert_true(count > 0);
            last = got[0].time_cycles;
        }
        assert_int_equal(last, ports == 1 ? 2 * 200 + 1 : 200 + 1 + 1);
        vef_netmodel_destroy(model);
    }
}

/* Whether the routings by record carry a sample (test_routing.c: they refuse the others). */
static bool has_routings(const vef_topology_family *family, const char *sample) {
    if (!family->lattice)
        return false;
    vef_topology *topology = topology_of(family->name, sample, 1);
    const bool carries = topology->lattice->any_order;
    vef_topology_destroy(topology);
    return carries;
}

/* Every topology of the table that the routings by record carry, with these, and every arbiter: few
 * places, endless demand. (Those of all routings: test_reference_graphs.c.) */
static void test_everything_arrives_once(void **state) {
    (void)state;
    size_t arbiters = 0;
    while (vef_arbiters[arbiters])
        arbiters++;
    static const char *const routings[] = {"{algorithm: dor}", "{algorithm: dor, channels: 2}",
                                           "{adaptive_channels: 1}",
                                           "{adaptive_channels: 2, return_to_adaptive: false}"};
    uint64_t seed = 1;
    for (size_t f = 0; vef_topology_families[f]; f++)
        for (size_t s = 0; vef_topology_families[f]->samples[s]; s++) {
            const size_t tried =
                has_routings(vef_topology_families[f], vef_topology_families[f]->samples[s])
                    ? sizeof routings / sizeof routings[0]
                    : 0;
            for (size_t r = 0; r < tried; r++, seed++) {
                char yaml[512];
                snprintf(yaml, sizeof yaml,
                         "{topology: {family: %s, %s, endpoints_per_router: %u, routing: %s, "
                         "router: {queue_packets: 2, injection_queues: %u, arbiter: %s, "
                         "transit_first: %s, delay_cycles: %u}, link: {credit_delay_cycles: %u}, "
                         "packet: {phits: %u}, seed: %u}",
                         vef_topology_families[f]->name, vef_topology_families[f]->samples[s] + 1,
                         (unsigned)(1 + seed % 3), routings[r], (unsigned)(1 + seed % 2),
                         vef_arbiters[seed % arbiters]->name, seed % 2 ? "true" : "false",
                         (unsigned)(seed % 4), (unsigned)(seed % 5), (unsigned)(1 + seed % 9),
                         (unsigned)seed);
                vef_netmodel *model = network_of(yaml);
                traffic given = {.messages = 2000,
                                 .most_bytes = 100,
                                 .spread_cycles = seed % 2 ? 500 : 0,
                                 .seed = seed};
                free(run_random(model, &given));
                vef_net_statistics statistics = statistics_of(model);
                assert_int_equal(statistics.messages, 2000);
                assert_true(statistics.link_utilization_max <= 1);
                const vef_net_delivery *got;
                size_t count;
                vef_error error = {0};
                assert_int_equal(model->kind->advance(model, VEF_FOREVER, &got, &count, &error),
                                 VEF_OK);
                assert_int_equal(count, 0); /* nothing arrives twice */
                char text[64];
                assert_false(model->kind->deadlock(model, text, sizeof text));
                vef_netmodel_destroy(model);
            }
        }
}

/* Each packet's latency is at least what it would be alone, each time the sum of its parts. */
static void test_load_only_delays(void **state) {
    (void)state;
    vef_netmodel *model = network_of("{topology: {family: rtt, a: 4}, packet: {phits: 4}}");
    traffic given = {.messages = 5000, .most_bytes = 16, .seed = 5};
    free(run_random(model, &given));
    vef_net_statistics statistics = statistics_of(model);
    double phits = (double)statistics.phits / (double)statistics.packets;
    assert_true(statistics.latency_mean_cycles > statistics.average_hops + phits - 1);
    assert_true(statistics.latency_p99_cycles > statistics.latency_mean_cycles);
    assert_true(statistics.message_latency_mean_cycles > statistics.latency_mean_cycles);
    vef_netmodel_destroy(model);
}

/* Uniform traffic on a torus of 8 x 8: no more than 8 / k = 1 phit per cycle and endpoint (its
 * bisection; Camara et al., section 5), and with several injection queues not far from it. The mean
 * number of hops is the mean distance of the minimal paths. */
static void test_throughput_is_bounded_by_theory(void **state) {
    (void)state;
    vef_netmodel *model = network_of(
        "{topology: {family: torus, sizes: [8, 8]}, router: {injection_queues: 4, ejection_ports: "
        "4}}");
    traffic given = {.messages = 40000, .most_bytes = 0, .seed = 3};
    vef_rng rng = vef_rng_make(3, VEF_RNG_TEST, 1);
    vef_error error = {0};
    for (uint32_t id = 0; id < given.messages; id++) {
        vef_net_message message = {
            .source = id % 64, .destination = vef_rng_below(&rng, 64), .bytes = 64, .id = id};
        assert_int_equal(model->kind->inject(model, &message, &error), VEF_OK);
    }
    const vef_net_delivery *got;
    size_t count;
    enum { START = 1000, END = 8000 };
    vef_net_statistics before = {0};
    bool begun = false;
    while (model->kind->now(model) < END) {
        if (!begun && model->kind->now(model) >= START) {
            before = statistics_of(model);
            begun = true;
        }
        uint64_t limit = begun ? END : START;
        assert_int_equal(model->kind->advance(model, limit, &got, &count, &error), VEF_OK);
    }
    vef_net_statistics after = statistics_of(model);
    double accepted = (double)(after.phits - before.phits) / (END - START) / 64;
    assert_true(accepted < 1.0 * 1.02); /* what was inside at START may leave meanwhile */
    assert_true(accepted > 0.85);
    assert_near(after.average_hops, 4.0, 0.1); /* 2 x 8 / 4 */
    vef_netmodel_destroy(model);
}

static uint64_t *times_of(const char *yaml, uint64_t step) {
    vef_netmodel *model = network_of(yaml);
    traffic given = {
        .messages = 3000, .most_bytes = 200, .spread_cycles = 3000, .seed = 9, .step_cycles = step};
    uint64_t *times = run_random(model, &given);
    vef_netmodel_destroy(model);
    return times;
}

static void test_result_depends_on_the_seed_alone(void **state) {
    (void)state;
    enum { BYTES = 3000 * sizeof(uint64_t) };
    static const char *const one = "{topology: {family: rtt, a: 4}, seed: 1}";
    static const char *const two = "{topology: {family: rtt, a: 4}, seed: 2}";
    uint64_t *first = times_of(one, 0);
    uint64_t *again = times_of(one, 0);
    uint64_t *in_steps = times_of(one, 1);
    uint64_t *in_leaps = times_of(one, 777);
    uint64_t *other = times_of(two, 0);
    assert_memory_equal(first, again, BYTES);
    assert_memory_equal(first, in_steps, BYTES);
    assert_memory_equal(first, in_leaps, BYTES);
    assert_memory_not_equal(first, other, BYTES);
    free(first);
    free(again);
    free(in_steps);
    free(in_leaps);
    free(other);
}

static void use_no_masks(vef_network *network) {
    network->shape.narrow = network->policies.fast = false;
    for (uint32_t local = 0; local < network->shape.per_router; local++) {
        vef_offer *ejection = vef_offer_at(network, (uint32_t)network->offers.count + local);
        ejection->wants_complete = false;
        ejection->any = ejection->first = (vef_wants){0, 0};
    }
}

/* Routers with more than 64 channels do without the bit masks; the rules are the same. */
static void test_with_and_without_masks(void **state) {
    (void)state;
    static const char *const yaml =
        "{topology: {family: torus, sizes: [4, 4]}, router: "
        "{queue_packets: 2}, packet: {phits: 3}}";
    uint64_t *times[2];
    for (int wide = 0; wide < 2; wide++) {
        vef_netmodel *model = network_of(yaml);
        vef_network *network = (vef_network *)model;
        assert_true(network->shape.narrow);
        if (wide)
            use_no_masks(network);
        traffic given = {.messages = 2000, .most_bytes = 64, .seed = 4};
        times[wide] = run_random(model, &given);
        vef_netmodel_destroy(model);
    }
    assert_memory_equal(times[0], times[1], 2000 * sizeof(uint64_t));
    free(times[0]);
    free(times[1]);
    vef_netmodel *model = network_of(
        "{topology: {family: torus, sizes: [2, 2, 3, 2, 2]}, routing: "
        "{adaptive_channels: 9}, router: {ejection_ports: 32, "
        "injection_queues: 30}, endpoints_per_router: 3}");
    assert_false(((vef_network *)model)->shape.narrow);
    traffic given = {.messages = 5000, .most_bytes = 100, .seed = 4};
    free(run_random(model, &given));
    vef_netmodel_destroy(model);
}

/* A delivery at time d may be answered in cycle d: each leg of a ping-pong takes hops + phits. */
static void test_answers_take_part_in_the_same_cycle(void **state) {
    (void)state;
    vef_netmodel *model = network_of("{topology: {family: torus, sizes: [6]}, packet: {phits: 4}}");
    for (uint64_t leg = 1; leg <= 10; leg++)
        assert_int_equal(send_alone(model, leg % 2 ? 0 : 3, leg % 2 ? 3 : 0, 16), leg * (3 + 4));
    vef_netmodel_destroy(model);
}

/* Time in which nothing happens costs nothing, and a limit is where the next call goes on. */
static void test_long_silence(void **state) {
    (void)state;
    vef_netmodel *model = network_of("topology: {family: torus, sizes: [4]}");
    vef_error error = {0};
    const uint64_t late = UINT64_C(1) << 60;
    const vef_net_delivery *got;
    size_t count;
    assert_int_equal(model->kind->advance(model, late, &got, &count, &error), VEF_OK);
    assert_int_equal(count, 0);
    assert_int_equal(model->kind->now(model), late);
    assert_int_equal(send_alone(model, 0, 1, 64), late + 17);
    vef_net_message message = {.source = 0, .destination = 1, .time_cycles = 2 * late, .id = 7};
    assert_int_equal(model->kind->inject(model, &message, &error), VEF_OK);
    assert_int_equal(model->kind->advance(model, 2 * late + 1, &got, &count, &error), VEF_OK);
    assert_int_equal(count, 0); /* one hop and one phit: delivered at 2 late + 2 */
    assert_int_equal(model->kind->advance(model, VEF_FOREVER, &got, &count, &error), VEF_OK);
    assert_int_equal(count, 1);
    assert_int_equal(got[0].time_cycles, 2 * late + 2);
    vef_netmodel_destroy(model);
}

/* A source sends in the order of the messages' times and, at equal times, of the calls, however
 * long before its time a message was injected. One hop and L phits: each leaves when its time has
 * come and the one before has passed, and is delivered L + 1 later. */
static void test_source_serves_in_order_of_time(void **state) {
    (void)state;
    enum { MESSAGES = 200, PHITS = 16, STEP = 97, LAST = 4000 };
    vef_netmodel *model = network_of("topology: {family: torus, sizes: [4]}");
    vef_rng rng = vef_rng_make(1, VEF_RNG_TEST, 12);
    uint64_t injected[MESSAGES], time[MESSAGES], delivered[MESSAGES] = {0};
    for (size_t i = 0; i < MESSAGES; i++) {
        injected[i] = vef_rng_below(&rng, LAST / STEP) * STEP;
        time[i] = injected[i] + vef_rng_below(&rng, (uint32_t)(LAST - injected[i]) / 50) * 50;
    }
    size_t order[MESSAGES], called = 0, done = 0; /* messages as they were injected */
    vef_error error = {0};
    while (done < MESSAGES) {
        uint64_t now = model->kind->now(model);
        for (size_t i = 0; now % STEP == 0 && i < MESSAGES; i++) {
            vef_net_message message = {
                .destination = 1, .bytes = 4 * PHITS, .time_cycles = time[i], .id = i};
            if (injected[i] != now || delivered[i] != 0)
                continue;
            delivered[i] = UINT64_MAX; /* injected */
            order[called++] = i;
            assert_int_equal(model->kind->inject(model, &message, &error), VEF_OK);
        }
        const vef_net_delivery *got;
        size_t count;
        assert_int_equal(model->kind->advance(model, now - now % STEP + STEP, &got, &count, &error),
                         VEF_OK);
        for (size_t i = 0; i < count; i++, done++)
            delivered[got[i].id] = got[i].time_cycles;
    }
    uint64_t passed = 0;
    for (uint64_t t = 0; t <= LAST; t++)
        for (size_t k = 0; k < MESSAGES; k++)
            if (time[order[k]] == t) {
                uint64_t leaves = t > passed ? t : passed;
                assert_int_equal(delivered[order[k]], leaves + PHITS + 1);
                passed = leaves + PHITS;
            }
    vef_netmodel_destroy(model);
}

static void test_refuses_wrong_messages(void **state) {
    (void)state;
    vef_netmodel *model = network_of("topology: {family: torus, sizes: [4]}");
    vef_error error = {0};
    send_alone(model, 0, 1, 0);
    static const vef_net_message wrong[] = {{.source = 4}, {.destination = 4}, {.time_cycles = 1}};
    static const char *const says[] = {"4 endpoints", "4 endpoints", "reached cycle 2"};
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(model->kind->inject(model, &wrong[i], &error), VEF_INVALID);
        assert_non_null(strstr(error.message, says[i]));
    }
    vef_netmodel_destroy(model);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_latency_of_a_packet_alone),
        cmocka_unit_test(test_rate_of_a_link),
        cmocka_unit_test(test_messages_become_packets),
        cmocka_unit_test(test_ejection_ports),
        cmocka_unit_test(test_everything_arrives_once),
        cmocka_unit_test(test_load_only_delays),
        cmocka_unit_test(test_throughput_is_bounded_by_theory),
        cmocka_unit_test(test_result_depends_on_the_seed_alone),
        cmocka_unit_test(test_with_and_without_masks),
        cmocka_unit_test(test_answers_take_part_in_the_same_cycle),
        cmocka_unit_test(test_long_silence),
        cmocka_unit_test(test_source_serves_in_order_of_time),
        cmocka_unit_test(test_refuses_wrong_messages),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
