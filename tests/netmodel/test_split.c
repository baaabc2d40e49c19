/* A network in several parts, on one thread or several, does what it does in one part: every
 * delivery in the same cycle and the same order, and equal figures; and so do the sources of a
 * measurement, with which parts advance by windows. */
#include "netmodel/load/sources.h"
#include "netmodel/router/model.h"
#include "tests/netmodel/networks.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

/* Each has something that crosses between parts in its own way. */
static const char *const networks[] = {
    "{topology: {family: torus, sizes: [8, 8]}}",
    "{topology: {family: rtt, a: 4}, router: {virtual_output_queues: true}}",
    "{topology: {family: torus, sizes: [4, 4, 4]}, router: {arbiter: islip}}",
    "{topology: {family: kary-ntree, k: 4, n: 3}, routing: {algorithm: tree-adaptive}}",
    "{topology: {family: mesh, sizes: [6, 6]}, router: {buffer: {unit_phits: 4}}, "
    "routing: {algorithm: dor}}",
    "{topology: {family: torus, sizes: [6, 6]}, link: {delay_cycles: 10, credit_delay_cycles: 3}}",
    "{topology: {family: torus, sizes: [8, 4]}, link: {classes: {x: {delay_cycles: 7}, "
    "y: {bandwidth: 5Gbit/s}}}}",
    "{topology: {family: torus, sizes: [8, 8]}, routing: {algorithm: ugal, view: global}}",
    "{topology: {family: dragonfly, a: 4, h: 2}, routing: {algorithm: ugal-l, channels: 2}}",
    "{topology: {family: torus, sizes: [8, 8]}, routing: {algorithm: valiant}, "
    "router: {arbiter: oldest}}",
    "{topology: {family: hyperx, sizes: [4, 4, 4]}, routing: {algorithm: dal}}",
};

/* A digest of deliveries in their order, and of the figures at the end. */
typedef struct outcome {
    uint64_t deliveries, digest;
    vef_net_counts counts;
    double median_cycles, links;
    uint64_t last_cycles;
} outcome;

static uint64_t mix(uint64_t digest, uint64_t value) {
    return (digest ^ value) * UINT64_C(0x9e3779b97f4a7c15) ^ digest >> 29;
}

static void send(vef_netmodel *model, vef_rng *rng, uint32_t source, uint64_t time_cycles,
                 uint64_t id) {
    vef_error error = {0};
    const uint32_t other = vef_rng_below(rng, model->endpoints - 1);
    const vef_net_message message = {
        .source = source,
        .destination = other + (other >= source),
        .bytes = vef_rng_below(rng, 100 * model->phit_bytes),
        .time_cycles = time_cycles,
        .id = id,
    };
    if (model->kind->inject(model, &message, &error))
        fail_msg("%s", error.message);
}

/* Every endpoint sends at the start; whoever receives sends again, at once or somewhat later, so
 * that whatever happens in another order has consequences. */
static outcome run(const char *yaml, uint32_t parts, bool threads) {
    enum { DELIVERIES = 3000 };
    vef_netmodel *model = network_of(yaml);
    if (parts > 1)
        divide_network(model, parts, threads);
    vef_rng rng = vef_rng_make(5, VEF_RNG_TEST, 0);
    uint64_t id = 0;
    for (uint32_t e = 0; e < model->endpoints; e++)
        for (uint32_t i = 0; i < 3; i++)
            send(model, &rng, e, vef_rng_below(&rng, 900), id++);
    outcome found = {0};
    while (found.deliveries < DELIVERIES) {
        const vef_net_delivery *got;
        size_t count;
        vef_error error = {0};
        assert_int_equal(model->kind->advance(model, VEF_FOREVER, &got, &count, &error), VEF_OK);
        assert_true(count > 0);
        for (size_t i = 0; i < count; i++) {
            found.digest = mix(found.digest, got[i].id);
            found.digest = mix(found.digest, got[i].time_cycles);
            found.digest = mix(found.digest, got[i].endpoint);
            send(model, &rng, got[i].endpoint, got[i].time_cycles + vef_rng_below(&rng, 2) * 600,
                 id++);
        }
        found.deliveries += count;
    }
    vef_net_statistics statistics;
    model->kind->statistics(model, &statistics);
    model->kind->counts(model, &found.counts);
    found.median_cycles = statistics.latency_median_cycles;
    found.links = statistics.link_utilization_mean;
    found.last_cycles = model->kind->now(model);
    vef_netmodel_destroy(model);
    return found;
}

static void test_parts_change_nothing(void **state) {
    (void)state;
    for (size_t n = 0; n < sizeof networks / sizeof *networks; n++) {
        const outcome one = run(networks[n], 1, false);
        assert_true(one.counts.packets > 3000);
        for (uint32_t parts = 2; parts <= 9; parts += parts == 3 ? 5 : 1) {
            const outcome several = run(networks[n], parts, false);
            assert_memory_equal(&one, &several, sizeof one);
        }
        const outcome two = run(networks[n], 2, true), three = run(networks[n], 3, true);
        assert_memory_equal(&one, &two, sizeof one);
        assert_memory_equal(&one, &three, sizeof one);
    }
}

/* Messages to all, which one thread delivers whatever the number of parts. */
static void test_broadcast(void **state) {
    (void)state;
    uint64_t digests[4] = {0};
    for (uint32_t parts = 1; parts <= 4; parts++) {
        vef_netmodel *model = network_of("{topology: {family: torus, sizes: [6, 6]}}");
        divide_network(model, parts, true);
        vef_error error = {0};
        for (uint32_t e = 0; e < model->endpoints; e++) {
            const vef_net_message message = {.source = e, .destination = VEF_TO_ALL, .bytes = 300};
            assert_int_equal(model->kind->inject(model, &message, &error), VEF_OK);
        }
        const vef_net_delivery *got;
        size_t count, total = 0;
        do {
            model->kind->advance(model, VEF_FOREVER, &got, &count, &error);
            for (size_t i = 0; i < count; i++)
                digests[parts - 1] =
                    mix(mix(digests[parts - 1], got[i].time_cycles), got[i].endpoint);
            total += count;
        } while (count > 0);
        assert_int_equal(total, 36 * 35);
        assert_true(digests[parts - 1] == digests[0]);
        vef_netmodel_destroy(model);
    }
}

/* ---- sources ---- */

/* With windows of 1 to 80 cycles, all arbiters and policies of congestion, and failures. */
static const struct {
    const char *yaml;
    uint64_t window_cycles; /* with two parts */
} windows[] = {
    {"{topology: {family: torus, sizes: [6, 6]}}", 1},
    {"{topology: {family: torus, sizes: [6, 6]}, link: {delay_cycles: 80}}", 5},
    {"{topology: {family: torus, sizes: [6, 6]}, link: {delay_cycles: 80, credit_delay_cycles: "
     "80}, router: {arbiter: round-robin}}",
     80},
    {"{topology: {family: torus, sizes: [8, 4]}, link: {delay_cycles: 4, credit_delay_cycles: 9}, "
     "router: {arbiter: oldest}}",
     4},
    {"{topology: {family: torus, sizes: [6, 6]}, link: {delay_cycles: 80}, router: {arbiter: fifo, "
     "virtual_output_queues: true}}",
     5},
    {"{topology: {family: mesh, sizes: [6, 6]}, link: {delay_cycles: 80}, router: {arbiter: "
     "longest, buffer: {unit_phits: 4}}, routing: {algorithm: dor}}",
     4},
    {"{topology: {family: torus, sizes: [4, 4, 3]}, link: {delay_cycles: 80}, router: {arbiter: "
     "two-stage}}",
     5},
    {"{topology: {family: torus, sizes: [4, 4, 3]}, link: {delay_cycles: 20, credit_delay_cycles: "
     "20}, router: {arbiter: islip}}",
     20},
    {"{topology: {family: torus, sizes: [6, 6]}, link: {delay_cycles: 80}, congestion: {policy: "
     "throttle, queue_share: 0.2}}",
     5},
    {"{topology: {family: torus, sizes: [6, 6]}, link: {delay_cycles: 80, credit_delay_cycles: "
     "80}, congestion: {policy: window, window_packets: 2, ack_delay_cycles: 3}}",
     3},
    {"{topology: {family: torus, sizes: [6, 6]}, link: {delay_cycles: 8, credit_delay_cycles: 8}, "
     "congestion: {policy: ecn, queue_share: 0.1}}",
     8},
    {"{topology: {family: torus, sizes: [8, 8]}, failures: {links: [[0, 1], [9, 10], [40, 48]]}, "
     "link: "
     "{delay_cycles: 80}, routing: {algorithm: up-down}}",
     5},
    {"{topology: {family: dragonfly, a: 4, h: 2}, link: {delay_cycles: 3, credit_delay_cycles: 3, "
     "classes: {global: {delay_cycles: 70, credit_delay_cycles: 70}}}}",
     3}, /* a boundary that cuts no group is more than a sixteenth of a part away */
    {"{topology: {family: dragonfly, a: 4, h: 4}, link: {delay_cycles: 3, credit_delay_cycles: 3, "
     "classes: {global: {delay_cycles: 70, credit_delay_cycles: 70}}}}",
     70},
    {"{topology: {family: kary-ntree, k: 4, n: 3}, link: {delay_cycles: 80}}", 5},
    {"{topology: {family: torus, sizes: [6, 6]}, link: {classes: {x: {delay_cycles: 7}, y: "
     "{bandwidth: 5Gbit/s, delay_cycles: 9}}}}",
     5},
    {"{topology: {family: mesh, sizes: [6, 6]}, link: {delay_cycles: 30, credit_delay_cycles: 12, "
     "burst: 64 B}, router: {arbiter: arrival}}",
     13}, /* a packet may leave in a cycle */
    {"{topology: {family: torus, sizes: [6, 6]}, link: {delay_cycles: 8, credit_delay_cycles: 8}, "
     "congestion: {policy: window, window_packets: 2, order: turns}}",
     8},
    {"{topology: {family: torus, sizes: [6, 6]}, link: {delay_cycles: 30}, routing: {algorithm: "
     "ugal, view: global}}",
     5},
};

/* Figures of a measurement: digests of what arrived by source and by link. */
typedef struct measured {
    vef_net_counts counts;
    vef_source_counts sources;
    uint64_t accepted, links;
} measured;

static measured measure(const char *yaml, uint32_t parts, bool threads, uint64_t *window_cycles) {
    enum { UNTIL_CYCLES = 1200, STEP_CYCLES = 100 };
    static const vef_length_share lengths[] = {{0.6, 5, 0}, {0.4, 40, 0}};
    vef_netmodel *model = network_of(yaml);
    if (parts > 1)
        divide_network(model, parts, threads);
    vef_pattern *pattern = NULL;
    vef_arena arena = {0};
    vef_error error = {0};
    vef_traffic_settings traffic = {.lengths = lengths,
                                    .length_count = 2,
                                    .rate = 0.5,
                                    .traffic_classes = model->traffic_classes,
                                    .seed = 11};
    vef_sources sources;
    if (vef_pattern_create(NULL, NULL, model->topology, &pattern, &error) ||
        vef_process_read(NULL, &arena, &traffic.process, &traffic.process_parameters, &error))
        fail_msg("%s", error.message);
    traffic.pattern = pattern;
    if (vef_sources_create(&sources, model, &traffic, &error))
        fail_msg("%s", error.message);
    *window_cycles = ((vef_network *)model)->partitions.window_cycles;
    for (uint64_t now = STEP_CYCLES; now <= UNTIL_CYCLES; now += STEP_CYCLES)
        if (vef_sources_run(&sources, now, &error))
            fail_msg("%s", error.message);
    measured found = {.sources = vef_sources_count(&sources)};
    model->kind->counts(model, &found.counts);
    for (uint32_t e = 0; e < model->endpoints; e++)
        found.accepted = mix(found.accepted, sources.accepted_phits[e]);
    for (uint32_t r = 0; r < model->topology->routers; r++)
        for (uint32_t port = 0; port < model->topology->ports; port++)
            found.links = mix(found.links, model->kind->link_phits(model, r, port));
    vef_sources_release(&sources);
    vef_arena_release(&arena);
    vef_pattern_destroy(pattern);
    vef_netmodel_destroy(model);
    return found;
}

static void test_windows_change_nothing(void **state) {
    (void)state;
    for (size_t n = 0; n < sizeof windows / sizeof *windows; n++) {
        const char *yaml = windows[n].yaml;
        uint64_t window_cycles;
        const measured one = measure(yaml, 1, false, &window_cycles);
        assert_true(one.counts.packets > 200);
        for (uint32_t parts = 2; parts <= 9; parts += parts == 3 ? 6 : 1) {
            const measured several = measure(yaml, parts, parts < 9, &window_cycles);
            assert_memory_equal(&one, &several, sizeof one);
            if (parts == 2 && window_cycles != windows[n].window_cycles)
                fail_msg("%s: windows of %llu cycles", yaml, (unsigned long long)window_cycles);
        }
    }
}

/* Endpoints are divided evenly; so are, of a fat tree, the roots, while subtrees stay whole. */
static void test_parts_of_a_fat_tree(void **state) {
    (void)state;
    vef_netmodel *model = network_of("{topology: {family: kary-ntree, k: 4, n: 3}}");
    divide_network(model, 2, false);
    const vef_topology *topology = model->topology;
    uint32_t *part_of = calloc(model->endpoints, sizeof *part_of), endpoints = 0, crossing = 0;
    assert_non_null(part_of);
    assert_int_equal(model->kind->parts(model, part_of), 2);
    for (uint32_t e = 0; e < model->endpoints; e++)
        endpoints += part_of[e] == 0;
    assert_int_equal(endpoints, 32);
    const vef_network *network = (const vef_network *)model;
    for (uint32_t r = 0; r < topology->routers; r++)
        for (uint32_t port = 0; port < topology->ports; port++) {
            const uint32_t next = topology->neighbour[(size_t)r * topology->ports + port];
            crossing += next != VEF_NO_ROUTER &&
                        vef_network_partition(network, r) != vef_network_partition(network, next);
        }
    assert_int_equal(crossing, 2 * 64 / 2); /* of the 64 links of roots, half; both directions */
    free(part_of);
    vef_netmodel_destroy(model);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_windows_change_nothing),
        cmocka_unit_test(test_parts_of_a_fat_tree),
        cmocka_unit_test(test_parts_change_nothing),
        cmocka_unit_test(test_broadcast),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
