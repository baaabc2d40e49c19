/* A load of a network whose parts are in several processes has the results of one process, bit for
 * bit, on every rank, and deadlocks in the same cycle. Ranks are threads here. */
#include "netmodel/load/load.h"
#include "netmodel/load/run.h"
#include "netmodel/router/model.h"
#include "tests/netmodel/networks.h"
#include "tests/netmodel/routes.h"
#include "tests/netmodel/thread_ranks.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

/* Each has something that crosses between ranks in its own way: short and long windows, messages of
 * several packets, packets that leave the rank of their destination and come back (valiant),
 * packets with a state of their own for links that differ, offers that are not shared, frames. */
static const char *const networks[] = {
    "{topology: {family: torus, sizes: [6, 6]}}",
    "{topology: {family: torus, sizes: [4, 4, 3]}, link: {delay_cycles: 80, credit_delay_cycles: "
    "80}, routing: {algorithm: adaptive}}",
    "{topology: {family: torus, sizes: [8, 4]}, routing: {algorithm: valiant}, router: {arbiter: "
    "oldest}}",
    "{topology: {family: dragonfly, a: 4, h: 2}, routing: {algorithm: ugal-l, channels: 2}}",
    "{topology: {family: dragonfly, a: 4, h: 2}, link: {delay_cycles: 80, credit_delay_cycles: "
    "80}}",
    "{topology: {family: kary-ntree, k: 4, n: 3}, routing: {algorithm: tree-adaptive}}",
    "{topology: {family: kary-ntree, k: 4, n: 3}, link: {delay_cycles: 80}}",
    "{topology: {family: torus, sizes: [6, 6]}, link: {classes: {x: {delay_cycles: 7}, y: "
    "{bandwidth: 5Gbit/s, delay_cycles: 9}}}}",
    "{topology: {family: mesh, sizes: [6, 6]}, router: {buffer: {unit_phits: 4}, "
    "virtual_output_queues: true}, link: {delay_cycles: 30}, routing: {algorithm: dor}}",
    "{topology: {family: torus, sizes: [6, 6]}, link: {delay_cycles: 30, burst: 64 B}, router: "
    "{arbiter: arrival}, congestion: {policy: throttle, queue_share: 0.2}}",
    "{topology: {family: hyperx, sizes: [4, 4, 4]}, routing: {algorithm: dal}}",
    "{topology: {family: mesh, sizes: [6, 6]}, router: {backpressure: pause}, link: {delay_cycles: "
    "30, "
    "credit_delay_cycles: 20}, routing: {algorithm: dor}}",
};

/* What one rank has found. */
typedef struct found {
    vef_code code;
    vef_error error;
    vef_load_point point;
} found;

typedef struct task {
    vef_load_settings settings;
    double rate;
    found ranks[VEF_MOST_RANKS];
} task;

static void measure(void *context, const vef_net_ranks *ranks) {
    task *given = context;
    vef_load_settings settings = given->settings;
    settings.ranks = ranks;
    found *own = &given->ranks[ranks ? ranks->rank : 0];
    own->code = vef_load_points(&settings, &given->rate, 1, NULL, &own->point, &own->error);
}

static void clear_of_machine(vef_load_figures *figures) {
    figures->seconds = figures->memory_bytes = 0;
}

static void assert_equal_points(vef_load_point *a, vef_load_point *b) {
    assert_int_equal(a->run_count, b->run_count);
    clear_of_machine(&a->figures);
    clear_of_machine(&b->figures);
    assert_memory_equal(&a->figures, &b->figures, sizeof a->figures);
    assert_memory_equal(&a->fairness_min, &b->fairness_min, sizeof a->fairness_min);
    assert_memory_equal(&a->fairness_jain, &b->fairness_jain, sizeof a->fairness_jain);
    assert_true(a->settled == b->settled && a->precise == b->precise);
    assert_true(a->saturated == b->saturated && a->unbounded == b->unbounded);
    assert_memory_equal(a->utilization, b->utilization, a->runs[0].links * sizeof *a->utilization);
    for (uint32_t i = 0; i < a->run_count; i++) {
        assert_int_equal(a->runs[i].senders, b->runs[i].senders);
        assert_memory_equal(a->runs[i].accepted_phits, b->runs[i].accepted_phits,
                            a->runs[i].endpoints * sizeof *a->runs[i].accepted_phits);
    }
}

static void check(const char *yaml, const char *pattern_text, double rate) {
    static const vef_length_share lengths[] = {{0.5, 16, 0}, {0.3, 5, 0}, {0.2, 70, 0}};
    static const uint32_t counts[] = {1, 2, 3, 5};
    static task one, several;
    vef_netmodel *model = network_of(yaml);
    vef_arena arena = {0};
    vef_error error;
    vef_node *node = NULL;
    vef_pattern *pattern = NULL;
    vef_load_settings settings = {.network = yaml,
                                  .traffic = {.lengths = lengths, .length_count = 3},
                                  .precision = 0.02,
                                  .most_cycles = VEF_LEAST_LOAD_CYCLES,
                                  .seeds = 2,
                                  .first_seed = 7,
                                  .threads = 1,
                                  .per_link = true};
    if (vef_config_parse(pattern_text, "test", &arena, &node, &error) ||
        vef_pattern_create(node, NULL, model->topology, &pattern, &error) ||
        vef_process_read(NULL, &arena, &settings.traffic.process,
                         &settings.traffic.process_parameters, &error))
        fail_msg("%s", error.message);
    settings.traffic.pattern = pattern;
    one = (task){.settings = settings, .rate = rate};
    for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
        task *now = c == 0 ? &one : &several;
        *now = (task){.settings = settings, .rate = rate};
        run_ranks(counts[c], measure, now);
        for (uint32_t rank = 0; rank < counts[c]; rank++) {
            found *own = &now->ranks[rank];
            if (own->code != VEF_OK)
                fail_msg("%s: %s", yaml, own->error.message);
            assert_true(own->point.figures.packets > 200);
            assert_equal_points(&one.ranks[0].point, &own->point);
            if (c > 0)
                vef_load_points_release(&own->point, 1);
        }
    }
    vef_load_points_release(&one.ranks[0].point, 1);
    vef_pattern_destroy(pattern);
    vef_arena_release(&arena);
    vef_netmodel_destroy(model);
}

static void test_results_of_one_process(void **state) {
    (void)state;
    for (size_t n = 0; n < sizeof networks / sizeof *networks; n++)
        check(networks[n], n % 2 ? "hot-region" : "uniform", 0.3);
    check(networks[0], "incast", 0.9); /* groups, and sources with a backlog */
}

/* ---- refusals ---- */

static void assert_refused(const char *yaml, uint32_t count, const char *says) {
    const vef_net_ranks ranks = {.count = count}; /* refusals need no other */
    vef_netmodel *model = network_of(yaml);
    vef_error error = {0};
    assert_int_equal(vef_netmodel_spread(model, &ranks, &error), VEF_UNSUPPORTED);
    if (!strstr(error.message, says))
        fail_msg("%s: '%s' does not say '%s'", yaml, error.message, says);
    vef_netmodel_destroy(model);
}

static void test_refusals(void **state) {
    (void)state;
    assert_refused(
        "{topology: {family: torus, sizes: [8, 8]}, routing: {algorithm: ugal, view: "
        "global}}",
        2, "ugal");
    assert_refused("{topology: {family: torus, sizes: [6, 6]}, congestion: {policy: ecn}}", 2,
                   "windows");
    assert_refused("{topology: {family: mesh, sizes: [6, 6]}, router: {backpressure: pause}}", 2,
                   "pause without link.credit_delay");
    assert_refused("{topology: {family: torus, sizes: [2, 2]}}", 5, "at most 4");
    assert_refused("{topology: {family: torus, sizes: [16, 16]}}", 65, "at most 64");
    assert_refused("{model: ideal}", 2, "model: router");
    assert_refused("{model: flow, topology: {family: torus, sizes: [4, 4]}}", 2, "model: router");
}

/* ---- deadlocks ---- */

/* Dimension order on a torus whose rings are entered as if there were no bubble to keep. */
static vef_netmodel *careless_torus(vef_routing_algorithm *algorithm, bool sorted) {
    vef_topology *topology = topology_of("torus", "{sizes: [5, 6]}", 1);
    vef_routing *routing = routing_of("{algorithm: dor}", topology, VEF_FLOW_BUBBLE);
    *algorithm = *routing->algorithm;
    algorithm->candidates = careless_candidates;
    routing->algorithm = algorithm;
    routing->least_queue_packets = 1;
    const vef_network_settings settings = {
        .queue_packets = 1,
        .virtual_output_queues = sorted,
        .injection_queues = 1,
        .injection_queue_packets = 8,
        .ejection_ports = 1,
        .arbiter = vef_arbiters[0],
        .injection = vef_injections[0],
        .link.delay.cycles = 10,
        .link.credit_delay.cycles = 3,
        .packet_phits = 16,
        .phit_bytes = 4,
        .link.bandwidth_bits_per_s = 1000000000,
        .seed = 1,
    };
    vef_network *network = NULL;
    vef_error error = {0};
    return vef_network_create(&settings, topology, routing, &network, &error) == VEF_OK
               ? &network->base
               : NULL;
}

typedef struct stop {
    const vef_pattern *pattern;
    bool sorted;
    uint64_t cycles[VEF_MOST_RANKS]; /* 0: no deadlock */
} stop;

static void run_into_deadlock(void *context, const vef_net_ranks *ranks) {
    enum { INTERVALS = 2000 };
    static const vef_length_share lengths[] = {{1, 16, 0}};
    stop *given = context;
    vef_routing_algorithm algorithm;
    vef_netmodel *model = careless_torus(&algorithm, given->sorted);
    vef_arena arena = {0};
    vef_error error;
    vef_load_settings settings = {
        .traffic = {.lengths = lengths, .length_count = 1, .pattern = given->pattern}};
    const vef_measure_settings how = {.runs = 1,
                                      .interval_cycles = VEF_INTERVAL_CYCLES,
                                      .offered_phits = 1,
                                      .precision = 0.01,
                                      .most_intervals = 4 * INTERVALS};
    vef_measure *series = vef_measure_new(&how);
    vef_load_run run = {0};
    if (!model || (ranks && vef_netmodel_spread(model, ranks, &error) != VEF_OK) ||
        vef_process_read(NULL, &arena, &settings.traffic.process,
                         &settings.traffic.process_parameters, &error) != VEF_OK)
        return;
    vef_running *running = vef_running_open_on(&settings, 0.6, 1, model, &error);
    if (running && vef_running_advance(running, INTERVALS, series, 0, &error) == VEF_OK &&
        vef_running_is_dead(running) &&
        vef_running_finish(running, series, 0, &run, &error) == VEF_OK)
        given->cycles[ranks ? ranks->rank : 0] = run.deadlock_cycle;
    vef_load_run_release(&run);
    vef_running_close(running);
    vef_measure_free(series);
    vef_arena_release(&arena);
}

static void test_deadlock_in_the_same_cycle(void **state) {
    (void)state;
    vef_topology *topology = topology_of("torus", "{sizes: [5, 6]}", 1);
    vef_pattern *pattern = NULL;
    vef_error error;
    if (vef_pattern_create(NULL, NULL, topology, &pattern, &error))
        fail_msg("%s", error.message);
    for (uint32_t sorted = 0; sorted < 2; sorted++) {
        stop one = {.pattern = pattern, .sorted = sorted};
        run_ranks(1, run_into_deadlock, &one);
        assert_true(one.cycles[0] > 0);
        for (uint32_t count = 2; count <= 5; count++) {
            stop several = {.pattern = pattern, .sorted = sorted};
            run_ranks(count, run_into_deadlock, &several);
            for (uint32_t rank = 0; rank < count; rank++)
                assert_int_equal(several.cycles[rank], one.cycles[0]);
        }
    }
    vef_pattern_destroy(pattern);
    vef_topology_destroy(topology);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_results_of_one_process),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_deadlock_in_the_same_cycle),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
