/* A network in several parts, on one thread or several, does what it does in one part: every
 * delivery in the same cycle and the same order, and equal figures. */
#include "tests/netmodel/networks.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
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
        size_t count, all = 0;
        do {
            model->kind->advance(model, VEF_FOREVER, &got, &count, &error);
            for (size_t i = 0; i < count; i++)
                digests[parts - 1] =
                    mix(mix(digests[parts - 1], got[i].time_cycles), got[i].endpoint);
            all += count;
        } while (count > 0);
        assert_int_equal(all, 36 * 35);
        assert_true(digests[parts - 1] == digests[0]);
        vef_netmodel_destroy(model);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_parts_change_nothing),
        cmocka_unit_test(test_broadcast),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
