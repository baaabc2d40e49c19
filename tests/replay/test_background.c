/* Background traffic in a network: its user sees its own messages only, every message of the stream
 * arrives once, steps of the user do not matter, and a user whose messages never arrive is told. */
#include "netmodel/clock.h"
#include "netmodel/decorated.h"
#include "replay/jobs/background.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdint.h>

static const char *const networks[] = {
    "{topology: {family: torus, sizes: [4, 4]}, seed: 5}",
    "{model: flow, topology: {family: torus, sizes: [4, 4]}}",
};

static vef_netmodel *open_network(const char *yaml) {
    vef_netmodel *model = NULL;
    vef_error error = {0};
    if (vef_netmodel_open(yaml, NULL, 0, &model, &error) != VEF_OK)
        fail_msg("%s", error.message);
    return model;
}

static vef_pattern *uniform(const vef_netmodel *model) {
    vef_pattern *pattern = NULL;
    vef_error error = {0};
    assert_int_equal(vef_pattern_create(NULL, NULL, model->topology, &pattern, &error), VEF_OK);
    return pattern;
}

static vef_traffic *stream_at(const vef_netmodel *model, const vef_pattern *pattern, double rate,
                              vef_arena *arena) {
    vef_traffic_settings settings = {.pattern = pattern,
                                     .rate = rate,
                                     .packets = vef_netmodel_packets(model),
                                     .traffic_classes = 1,
                                     .seed = 9};
    vef_traffic *traffic = NULL;
    vef_error error = {0};
    if (vef_process_read(NULL, arena, &settings.process, &settings.process_parameters, &error) ||
        vef_lengths_read("16", arena, &settings.lengths, &settings.length_count, &error) ||
        vef_traffic_create(&settings, &traffic, &error))
        fail_msg("%s", error.message);
    return traffic;
}

enum { FROM = 100, UNTIL = 5100, END = 20000, OWN = 40, MOST = 64 };

/* Own messages at fixed times, with background from FROM to UNTIL; the user advances in steps of
 * `step` cycles. Returns how many of its own arrived, and when. */
static size_t run(const char *yaml, double rate, uint64_t step, uint64_t *times,
                  vef_net_background_figures *figures) {
    vef_netmodel *network = open_network(yaml);
    vef_pattern *pattern = uniform(network);
    vef_arena arena = {0};
    vef_net_background *background = NULL;
    vef_error error = {0};
    const vef_net_background_stream stream = {"x", stream_at(network, pattern, rate, &arena), 16,
                                              FROM, UNTIL};
    assert_int_equal(vef_net_background_create(network, &stream, 1, &background, &error), VEF_OK);
    vef_netmodel *model = vef_net_background_model(background);
    size_t arrived = 0;
    step = vef_netmodel_time_of(model, step);
    for (uint32_t i = 0; i < OWN; i++) {
        const uint64_t moment = vef_netmodel_time_of(model, i * 120);
        const vef_net_delivery *deliveries;
        size_t count;
        while (model->kind->now(model) < moment) {
            const uint64_t now = model->kind->now(model);
            assert_int_equal(model->kind->advance(model, moment - now > step ? now + step : moment,
                                                  &deliveries, &count, &error),
                             VEF_OK);
            for (size_t d = 0; d < count; d++, arrived++) {
                assert_true(deliveries[d].id < OWN);
                times[deliveries[d].id] = deliveries[d].time_cycles;
            }
        }
        const vef_net_message message = {.source = i % 16,
                                         .destination = (i * 7 + 3) % 16,
                                         .bytes = 500,
                                         .id = i,
                                         .time_cycles = moment};
        assert_int_equal(model->kind->inject(model, &message, &error), VEF_OK);
    }
    const uint64_t end = vef_netmodel_time_of(model, END);
    while (model->kind->now(model) < end) {
        const vef_net_delivery *deliveries;
        size_t count;
        assert_int_equal(model->kind->advance(model, end, &deliveries, &count, &error), VEF_OK);
        for (size_t d = 0; d < count; d++, arrived++)
            times[deliveries[d].id] = deliveries[d].time_cycles;
    }
    *figures = vef_net_background_measure(background, 0);
    vef_net_background_destroy(background);
    vef_pattern_destroy(pattern);
    vef_netmodel_destroy(network);
    vef_arena_release(&arena);
    return arrived;
}

/* The messages of the stream before its end, counted from the stream itself. */
static uint64_t generated(const char *yaml, double rate) {
    vef_netmodel *network = open_network(yaml);
    vef_pattern *pattern = uniform(network);
    vef_arena arena = {0};
    vef_traffic *traffic = stream_at(network, pattern, rate, &arena);
    uint64_t count = 0;
    for (vef_net_message message; vef_traffic_time(traffic) < UNTIL - FROM; count++)
        vef_traffic_next(traffic, &message);
    vef_traffic_destroy(traffic);
    vef_pattern_destroy(pattern);
    vef_netmodel_destroy(network);
    vef_arena_release(&arena);
    return count;
}

static void all_arrive(void **state) {
    (void)state;
    for (size_t n = 0; n < 2; n++) {
        uint64_t at_once[MOST], in_steps[MOST];
        vef_net_background_figures figures, again;
        assert_int_equal(run(networks[n], 0.2, UINT64_MAX / 2, at_once, &figures), OWN);
        assert_int_equal(figures.messages, generated(networks[n], 0.2));
        assert_int_equal(figures.phits, 16 * figures.messages);
        assert_int_equal(figures.cycles, UNTIL - FROM);
        assert_int_equal(figures.senders, 16);
        assert_true(figures.withheld_share == 0);
        assert_int_equal(run(networks[n], 0.2, 7, in_steps, &again), OWN);
        assert_memory_equal(at_once, in_steps, OWN * sizeof *at_once);
        assert_int_equal(again.messages, figures.messages);
        assert_true(again.latency_mean_cycles == figures.latency_mean_cycles);
    }
}

/* Of 4 phits per cycle a link out of an endpoint takes one: three of four messages wait, and the
 * network has at most so many of each endpoint as may wait, and those under way. */
static void too_much_is_withheld(void **state) {
    (void)state;
    vef_netmodel *network = open_network(networks[0]);
    vef_pattern *pattern = uniform(network);
    vef_arena arena = {0};
    vef_net_background *background = NULL;
    vef_error error = {0};
    const vef_net_background_stream stream = {"x", stream_at(network, pattern, 4, &arena), 16, 0,
                                              VEF_FOREVER};
    const vef_net_delivery *deliveries;
    size_t count;
    assert_int_equal(vef_net_background_create(network, &stream, 1, &background, &error), VEF_OK);
    vef_netmodel *model = vef_net_background_model(background);
    assert_int_equal(model->kind->advance(model, 20000, &deliveries, &count, &error), VEF_OK);
    assert_int_equal(count, 0);
    const vef_net_background_figures figures = vef_net_background_measure(background, 0);
    assert_true(figures.accepted_load <= 1 && figures.accepted_load > 0.3);
    assert_true(figures.withheld_share >= 0.7 && figures.withheld_share < 1);
    for (uint32_t e = 0; e < 16; e++)
        assert_true(model->kind->waiting(model, e) <= VEF_BACKGROUND_WAITING);
    vef_net_background_destroy(background);
    vef_pattern_destroy(pattern);
    vef_netmodel_destroy(network);
    vef_arena_release(&arena);
}

/* ---- a network that loses the messages of its user ---- */

static vef_code lossy_inject(vef_netmodel *model, const vef_net_message *message,
                             vef_error *error) {
    vef_netmodel *inner = ((vef_decorated *)model)->inner;
    return vef_net_background_is(message->id) ? inner->kind->inject(inner, message, error) : VEF_OK;
}

static void starvation_ends(void **state) {
    (void)state;
    vef_netmodel *network = open_network(networks[0]);
    vef_pattern *pattern = uniform(network);
    vef_arena arena = {0};
    vef_net_background *background = NULL;
    vef_error error = {0};
    vef_decorated lossy;
    vef_decorated_begin(&lossy, network);
    lossy.kind.inject = lossy_inject;
    const vef_net_background_stream stream = {"x", stream_at(network, pattern, 0.001, &arena), 16,
                                              0, VEF_FOREVER};
    const vef_net_delivery *deliveries;
    size_t count;
    assert_int_equal(vef_net_background_create(&lossy.base, &stream, 1, &background, &error),
                     VEF_OK);
    vef_netmodel *model = vef_net_background_model(background);
    /* Nothing to wait for: not for ever. */
    assert_int_equal(model->kind->advance(model, VEF_FOREVER, &deliveries, &count, &error), VEF_OK);
    assert_int_equal(count, 0);
    const vef_net_message message = {.source = 0, .destination = 5, .bytes = 8};
    assert_int_equal(model->kind->inject(model, &message, &error), VEF_OK);
    assert_int_equal(model->kind->advance(model, VEF_FOREVER, &deliveries, &count, &error),
                     VEF_FAILED);
    assert_true(model->kind->now(model) < 5000000);
    vef_net_background_destroy(background);
    vef_pattern_destroy(pattern);
    vef_netmodel_destroy(network);
    vef_arena_release(&arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_arrive),
        cmocka_unit_test(too_much_is_withheld),
        cmocka_unit_test(starvation_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
