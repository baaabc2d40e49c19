/* The ideal network, and opening network files: a message arrives when it is sent; overrides apply;
 * bad files are refused with their place. */
#include "tests/netmodel/networks.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

static void send_at(vef_netmodel *model, uint64_t time_cycles, uint64_t id, uint64_t bytes) {
    vef_error error = {0};
    vef_net_message message = {.source = 7,
                               .destination = 4000000000u,
                               .bytes = bytes,
                               .time_cycles = time_cycles,
                               .id = id};
    if (model->kind->inject(model, &message, &error))
        fail_msg("%s", error.message);
}

static size_t run_to(vef_netmodel *model, uint64_t limit, const vef_net_delivery **got) {
    vef_error error = {0};
    size_t count = 99;
    if (model->kind->advance(model, limit, got, &count, &error))
        fail_msg("%s", error.message);
    return count;
}

static void test_delivers_at_the_time_of_injection(void **state) {
    (void)state;
    vef_netmodel *model = network_of("model: ideal");
    const vef_net_delivery *got;
    assert_int_equal(run_to(model, VEF_FOREVER, &got), 0);
    assert_int_equal(model->kind->now(model), 0);
    send_at(model, 50, 1, 10);
    send_at(model, 20, 2, 0);
    send_at(model, 50, 3, 5);
    send_at(model, 0, 4, 4);
    assert_int_equal(run_to(model, 100, &got), 1);
    assert_int_equal(got[0].id, 4);
    assert_int_equal(got[0].time_cycles, 0);
    assert_int_equal(run_to(model, 10, &got), 0);
    assert_int_equal(model->kind->now(model), 10);
    assert_int_equal(run_to(model, VEF_FOREVER, &got), 1);
    assert_int_equal(got[0].id, 2);
    assert_int_equal(model->kind->now(model), 20);
    assert_int_equal(run_to(model, 50, &got), 2); /* a limit is included */
    assert_int_equal(got[0].id, 1);               /* in the order of the calls */
    assert_int_equal(got[1].id, 3);
    send_at(model, 50, 5, 1); /* the receiver may answer in the same cycle */
    assert_int_equal(run_to(model, VEF_FOREVER, &got), 1);
    assert_int_equal(got[0].time_cycles, 50);
    assert_int_equal(run_to(model, VEF_FOREVER, &got), 0);
    assert_int_equal(model->kind->now(model), 50);
    vef_net_statistics statistics;
    model->kind->statistics(model, &statistics);
    assert_int_equal(statistics.messages, 5);
    assert_int_equal(statistics.phits, 3 + 1 + 2 + 1 + 1); /* of 4 bytes */
    assert_near(statistics.latency_mean_cycles, 0, 0);
    char text[8];
    assert_false(vef_netmodel_deadlock(model, text, sizeof text));
    vef_netmodel_destroy(model);
}

static void test_refuses_the_past(void **state) {
    (void)state;
    vef_netmodel *model = network_of("model: ideal");
    const vef_net_delivery *got;
    run_to(model, 10, &got);
    vef_error error = {0};
    vef_net_message message = {.time_cycles = 9};
    assert_int_equal(model->kind->inject(model, &message, &error), VEF_INVALID);
    assert_non_null(strstr(error.message, "cycle 10"));
    vef_netmodel_destroy(model);
}

static void test_length_of_a_cycle(void **state) {
    (void)state;
    vef_netmodel *model = network_of("model: ideal");
    assert_near(vef_netmodel_cycle_ns(model), 32, 1e-9); /* 4 B at 1 Gbit/s */
    vef_netmodel_destroy(model);
    model = network_of("{model: ideal, link: {bandwidth: 12.5 GB/s, phit: 16 B}}");
    assert_near(vef_netmodel_cycle_ns(model), 1.28, 1e-9);
    vef_netmodel_destroy(model);
}

static void test_bad_files(void **state) {
    (void)state;
    static const struct {
        const char *yaml, *place, *says;
    } rows[] = {
        {"model: ideal\nlatency: 3\n", "net.yaml:2:", "latency"},
        {"model: idea\n", "net.yaml:1:", "did you mean ideal"},
        {"model: [ideal]\n", "net.yaml:1:", "model"},
        {"model: ideal\nlink:\n  phit: 4\n", "net.yaml:3:", "phit"},
        {"model: ideal\nlink:\n  phit: 0 B\n", "net.yaml:3:", "phit"},
        {"model: ideal\nlink:\n  bandwidth: 1 Gbit\n", "net.yaml:3:", "bandwidth"},
        {"model: ideal\nlink:\n  bandwidth: 0 Gbit/s\n", "net.yaml:3:", "bandwidth"},
        {"- model\n", "net.yaml:1:", "mapping"},
        {"model: ideal\nmodel: ideal\n", "net.yaml:2:", "model"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        vef_error error = {0};
        vef_code code = network_refused(rows[i].yaml, &error);
        if (code != VEF_INVALID || !strstr(error.message, rows[i].says) ||
            strncmp(error.message, rows[i].place, strlen(rows[i].place)) != 0)
            fail_msg("%s gave %d: %s", rows[i].yaml, (int)code, error.message);
    }
}

static void test_open_applies_overrides(void **state) {
    (void)state;
    const char *folder = getenv("TMPDIR");
    char path[512];
    snprintf(path, sizeof path, "%s/ideal.yaml", folder ? folder : "/tmp");
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs("model: ideal\nlink:\n  phit: 4 B\n", file);
    fclose(file);
    const char *const overrides[] = {"link.phit=8 B", "link.bandwidth=2 Gbit/s"};
    vef_netmodel *model = NULL;
    vef_error error = {0};
    assert_int_equal(vef_netmodel_open(path, overrides, 2, &model, &error), VEF_OK);
    assert_int_equal(model->phit_bytes, 8);
    assert_int_equal(model->bandwidth_bits_per_s, 2000000000u);
    assert_int_equal(model->endpoints, UINT32_MAX);
    char text[256] = "";
    FILE *out = fmemopen(text, sizeof text, "w");
    vef_netmodel_write_config(model, out);
    fclose(out);
    vef_netmodel_destroy(model);
    model = network_of(text);
    assert_int_equal(model->phit_bytes, 8);
    vef_netmodel_destroy(model);
    const char *const wrong[] = {"link.fit=8 B"};
    assert_int_equal(vef_netmodel_open(path, wrong, 1, &model, &error), VEF_INVALID);
    assert_non_null(strstr(error.message, "--set"));
    assert_non_null(strstr(error.message, "fit"));
    assert_null(model);
    remove(path);
    assert_int_equal(vef_netmodel_open(path, NULL, 0, &model, &error), VEF_IO);
    assert_non_null(strstr(error.message, path));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_delivers_at_the_time_of_injection),
        cmocka_unit_test(test_refuses_the_past),
        cmocka_unit_test(test_length_of_a_cycle),
        cmocka_unit_test(test_bad_files),
        cmocka_unit_test(test_open_applies_overrides),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
