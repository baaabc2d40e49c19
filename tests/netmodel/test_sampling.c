/* Samples of links: one packet counted by hand, and random traffic whose deliveries are the same
 * with and without samples, and whose samples add up to what the links counted, also where the
 * figures of the model begin again within an interval. */
#include "common/rng.h"
#include "netmodel/clock.h"
#include "netmodel/sampling.h"
#include "tests/netmodel/networks.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>

static vef_sampler *sampler_of(vef_netmodel *model, uint64_t interval_cycles) {
    vef_sampler *sampler;
    vef_error error = {0};
    if (vef_sampler_create(model, interval_cycles, &sampler, &error))
        fail_msg("%s", error.message);
    return sampler;
}

static void inject(vef_netmodel *model, uint32_t from, uint32_t to, uint64_t bytes, uint64_t time) {
    vef_error error = {0};
    const vef_net_message message = {from, to, bytes, time, .id = time};
    if (model->kind->inject(model, &message, &error))
        fail_msg("%s", error.message);
}

static size_t advance(vef_netmodel *model, uint64_t limit, const vef_net_delivery **deliveries) {
    size_t count;
    vef_error error = {0};
    if (model->kind->advance(model, limit, deliveries, &count, &error))
        fail_msg("%s", error.message);
    return count;
}

/* On a ring of four a packet of 8 phits enters at time 3 and is granted the link from router 0 to
 * router 1 in that cycle, which it crosses until time 11: 8 of the ring's 8 links x 11 cycles. In
 * intervals of 4 cycles the link is busy for 1 (3 to 4), 4 and 3 cycles. */
static void test_one_packet(void **state) {
    (void)state;
    vef_netmodel *network = network_of(
        "{topology: {family: torus, sizes: [4]}, packet: {phits: 8}, link: {phit: 4 B}}");
    vef_sampler *sampler = sampler_of(network, 4);
    vef_netmodel *model = vef_sampler_model(sampler);
    const vef_net_delivery *deliveries;
    assert_int_equal(advance(model, 3, &deliveries), 0);
    inject(model, 0, 1, 32, 3);
    assert_int_equal(advance(model, VEF_FOREVER, &deliveries), 1);
    vef_error error = {0};
    assert_int_equal(vef_sampler_end(sampler, &error), VEF_OK);
    assert_true(vef_sampler_samples(sampler)->count >= 3);
    static const double busy[] = {1, 4, 3};
    for (size_t i = 0; i < vef_sampler_samples(sampler)->count; i++) {
        const vef_link_sample sample = vef_link_samples_get(vef_sampler_samples(sampler), i);
        const double length = (double)sample.end_cycles - 4.0 * (double)i;
        const double expected = i < 3 ? busy[i] / length : 0;
        assert_near(sample.most, expected, 1e-12);
        assert_near(sample.mean, expected / 8, 1e-12);
        assert_near(sample.by_class[0], expected / 8, 1e-12);
        if (i < 3) {
            assert_int_equal(sample.end_cycles, 4 * (i + 1));
            assert_int_equal(sample.busiest_router, 0);
            assert_int_equal(model->topology->neighbour[sample.busiest_port], 1);
        }
    }
    vef_sampler_destroy(sampler);
    vef_netmodel_destroy(network);
}

/* A digest of the deliveries of random messages, with pauses that are longer than any interval.
 * `again`: the figures begin again after each burst, with messages under way. */
static uint64_t run_random(vef_netmodel *model, bool again) {
    vef_rng rng = vef_rng_make(7, VEF_RNG_TRAFFIC, 0);
    uint64_t digest = 0;
    for (uint32_t burst = 0; burst < 6; burst++) {
        const uint64_t now = model->kind->now(model);
        const uint64_t end = now + vef_netmodel_time_of(model, 20000);
        const uint64_t again_at = now + vef_netmodel_time_of(model, 60);
        for (uint32_t i = 0; i < 200; i++)
            inject(model, vef_rng_below(&rng, model->endpoints),
                   vef_rng_below(&rng, model->endpoints), vef_rng_below(&rng, 500),
                   now + vef_netmodel_time_of(model, i / 8));
        const vef_net_delivery *deliveries;
        bool begun = false;
        for (size_t count; (count = advance(model, end, &deliveries)) > 0;)
            for (size_t i = 0; i < count; i++) {
                if (again && !begun && model->kind->now(model) > again_at)
                    model->kind->begin_figures(model);
                begun = begun || model->kind->now(model) > again_at;
                digest = digest * 1000003 + deliveries[i].id * 64 + deliveries[i].endpoint +
                         deliveries[i].time_cycles;
            }
        assert_int_equal(model->kind->now(model), end);
    }
    return digest;
}

static const char *const networks[] = {
    "{topology: {family: torus, sizes: [4, 4]}}",
    "{topology: {family: dragonfly, a: 4, h: 2}, routing: {algorithm: ugal-l}}",
    "{topology: {family: kary-ntree, k: 4, n: 2}, link: {classes: {stage 0-1: {bandwidth: "
    "5Gbit/s}}}}",
    "{model: flow, topology: {family: torus, sizes: [4, 4]}}",
};

static void test_random_traffic(void **state) {
    (void)state;
    for (size_t i = 0; i < 2 * sizeof networks / sizeof *networks; i++) {
        const size_t n = i / 2;
        vef_netmodel *plain = network_of(networks[n]), *sampled = network_of(networks[n]);
        vef_sampler *sampler = sampler_of(sampled, 37);
        assert_int_equal(run_random(plain, false), run_random(vef_sampler_model(sampler), i % 2));
        vef_error error = {0};
        assert_int_equal(vef_sampler_end(sampler, &error), VEF_OK);
        double cycles = 0, begin = 0;
        for (size_t k = 0; k < vef_sampler_samples(sampler)->count; k++) {
            const vef_link_sample sample = vef_link_samples_get(vef_sampler_samples(sampler), k);
            if (sample.most > 1 + 1.0 / 37 + 1e-9 /* model flow rounds */ ||
                sample.mean > sample.most + 1e-12)
                fail_msg("%s: interval %zu: mean %g, most %g", networks[n], k, sample.mean,
                         sample.most);
            cycles += sample.mean * ((double)sample.end_cycles - begin);
            begin = (double)sample.end_cycles;
        }
        assert_near(begin, 120000, 0);
        vef_net_statistics statistics;
        plain->kind->statistics(plain, &statistics);
        assert_true(cycles > 0);
        assert_near(cycles / 120000, statistics.link_utilization_mean,
                    1e-9 * statistics.link_utilization_mean);
        vef_sampler_destroy(sampler);
        vef_netmodel_destroy(plain);
        vef_netmodel_destroy(sampled);
    }
}

static void test_refused(void **state) {
    (void)state;
    vef_netmodel *model = network_of("{model: ideal}");
    vef_sampler *sampler = NULL;
    vef_error error = {0};
    assert_int_equal(vef_sampler_create(model, 10, &sampler, &error), VEF_UNSUPPORTED);
    assert_null(sampler);
    vef_netmodel_destroy(model);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_packet),
        cmocka_unit_test(test_random_traffic),
        cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
