/* Victims of an incast: what a congested tree does to packets that are not bound for its root, and
 * that windows and marks protect them. Of the incast itself the ejection port is the limit: one
 * phit per cycle, with any policy that keeps it busy. */
#include "netmodel/load/run.h"
#include "tests/netmodel/networks.h"
#include "tests/netmodel/synthetic.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

enum { SOURCES = 16, ENDPOINTS = 64, INCAST = 0, BYSTANDERS = 1 };
static const double rate = 0.2;

/* The figures of both groups on a torus; the latter sends at a fifth of what a link carries. */
static vef_load_figures measure(const char *congestion, uint32_t sources, uint32_t threads) {
    static const vef_length_share length[] = {{1, 16, 0}};
    char yaml[256], name[128];
    snprintf(yaml, sizeof yaml, "{topology: {family: torus, sizes: [8, 8]}, congestion: %s}",
             congestion);
    snprintf(name, sizeof name, "{pattern: incast, destination: 27, sources: %u}", sources);
    vef_netmodel *model = network_of(yaml);
    vef_pattern *pattern = pattern_of(name, model->topology);
    vef_arena arena = {0};
    vef_error error;
    vef_load_settings settings = {
        .network = yaml,
        .traffic = {.pattern = pattern, .lengths = length, .length_count = 1},
        .precision = 0.05,
        .most_cycles = 120000,
        .seeds = 1,
        .first_seed = 1,
        .threads = threads,
    };
    vef_load_point point = {0};
    if (vef_process_read(NULL, &arena, &settings.traffic.process,
                         &settings.traffic.process_parameters, &error) ||
        vef_load_check(&settings, model, &rate, 1, &error) ||
        vef_load_points(&settings, &rate, 1, NULL, &point, &error))
        fail_msg("%s", error.message);
    const vef_load_figures figures = point.figures;
    assert_null(point.deadlocked);
    vef_load_points_release(&point, 1);
    vef_pattern_destroy(pattern);
    vef_netmodel_destroy(model);
    vef_arena_release(&arena);
    printf("%s, %u sources: incast %.3f of %.3f; bystanders %.3f of %.3f, latency %.1f\n",
           congestion, sources, figures.groups[INCAST].accepted_phits,
           figures.groups[INCAST].offered_phits, figures.groups[BYSTANDERS].accepted_phits,
           figures.groups[BYSTANDERS].offered_phits,
           figures.groups[BYSTANDERS].latency_mean_cycles);
    return figures;
}

static void check_incast(const vef_load_figures *figures) {
    const vef_load_group *incast = &figures->groups[INCAST], *others = &figures->groups[BYSTANDERS];
    assert_near(incast->offered_phits, SOURCES * rate, 1e-12);
    assert_near(others->offered_phits, (ENDPOINTS - SOURCES) * rate, 1e-12);
    assert_near(incast->accepted_phits, 1, 0.03);
    assert_near(incast->messages + others->messages, figures->messages, 0);
}

/* Without control the bystanders lose most of their throughput, although their links have room. */
static void test_victims_without_control(void **state) {
    (void)state;
    const vef_load_figures calm = measure("~", 0, 1), jam = measure("~", SOURCES, 1);
    const vef_load_group *before = &calm.groups[BYSTANDERS], *after = &jam.groups[BYSTANDERS];
    check_incast(&jam);
    assert_near(calm.groups[INCAST].messages, 0, 0);
    assert_near(before->accepted_phits, ENDPOINTS * rate, 0.05 * ENDPOINTS * rate);
    assert_true(after->accepted_phits < 0.5 * after->offered_phits);
    assert_true(after->latency_mean_cycles > 20 * before->latency_mean_cycles);
    assert_true(after->latency_p99_cycles > 20 * before->latency_p99_cycles);
}

/* With them they accept all that is offered, at nearly the latency of a network without the incast,
 * and the incast still has all of its ejection port. */
static void test_victims_are_protected(void **state) {
    (void)state;
    static const char *const policies[] = {"{policy: window, window_packets: 1}", "{policy: ecn}"};
    const vef_load_figures calm = measure("~", 0, 1);
    for (size_t i = 0; i < sizeof policies / sizeof *policies; i++) {
        const vef_load_figures found = measure(policies[i], SOURCES, 1);
        const vef_load_group *others = &found.groups[BYSTANDERS];
        check_incast(&found);
        assert_near(others->accepted_phits, others->offered_phits, 0.05 * others->offered_phits);
        assert_true(others->latency_mean_cycles < 2 * calm.groups[BYSTANDERS].latency_mean_cycles);
    }
}

/* 64 routers are divided among two threads. */
static void test_threads_change_nothing(void **state) {
    (void)state;
    static const char *const policies[] = {"{policy: throttle}", "{policy: window}",
                                           "{policy: ecn}"};
    for (size_t i = 0; i < sizeof policies / sizeof *policies; i++) {
        const vef_load_figures one = measure(policies[i], SOURCES, 1),
                               two = measure(policies[i], SOURCES, 2);
        assert_memory_equal(one.groups, two.groups, sizeof one.groups);
        assert_near(one.packet_hops, two.packet_hops, 0);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_victims_without_control),
        cmocka_unit_test(test_victims_are_protected),
        cmocka_unit_test(test_threads_change_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
