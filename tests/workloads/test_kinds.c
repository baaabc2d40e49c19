/* All kinds of workloads, on their samples: `vef check` finds no fault at several numbers of tasks,
 * and the trace is the same when it is made again. */
#include "common/file.h"
#include "tests/traces/trace_support.h"
#include "traces/check/check.h"
#include "workloads/workload.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

static void report(void *context, const char *sentence) {
    (void)context;
    print_error("%s\n", sentence);
}

static void write_sample(const vef_workload_kind *kind, const char *sample, uint32_t tasks,
                         const char *path) {
    vef_arena arena = {0};
    vef_node *root = NULL;
    vef_error error = {0};
    char text[512];
    snprintf(text, sizeof text,
             "{workload: %s, tasks: %u, iterations: 3, compute: 1 us, variation: 0.5%s%s",
             kind->name, tasks, sample[1] == '}' ? "" : ", ", sample + 1);
    if (vef_config_parse(text, "sample", &arena, &root, &error) ||
        vef_workload_write(root, path, &error))
        fail_msg("%s: %s", text, error.message);
    vef_arena_release(&arena);
}

static void check_sample(const vef_workload_kind *kind, const char *sample, uint32_t tasks) {
    const char *path = scratch_path("sample.vef"), *again = scratch_path("again.vef");
    char *one = NULL, *other = NULL;
    size_t one_bytes, other_bytes;
    vef_trace *trace = NULL;
    vef_error error = {0};
    uint64_t faults = 1;
    const vef_check_options options = {.limit = 8, .report = report};
    write_sample(kind, sample, tasks, path);
    write_sample(kind, sample, tasks, again);
    assert_int_equal(vef_file_read(path, 1 << 24, &one, &one_bytes, &error), VEF_OK);
    assert_int_equal(vef_file_read(again, 1 << 24, &other, &other_bytes, &error), VEF_OK);
    assert_int_equal(one_bytes, other_bytes);
    assert_memory_equal(one, other, one_bytes);
    assert_int_equal(vef_trace_open(path, &trace, NULL, &error), VEF_OK);
    assert_int_equal(vef_check(trace, &options, &faults, &error), VEF_OK);
    if (faults)
        fail_msg("%s %s with %u tasks: %llu faults", kind->name, sample, tasks,
                 (unsigned long long)faults);
    vef_trace_close(trace);
    free(one);
    free(other);
}

static void test_samples(void **state) {
    (void)state;
    for (size_t k = 0; vef_workload_kinds[k]; k++) {
        const vef_workload_kind *kind = vef_workload_kinds[k];
        assert_non_null(kind->samples[0]);
        for (size_t i = 0; kind->samples[i]; i++)
            for (uint32_t times = 1; times <= 6; times++)
                check_sample(kind, kind->samples[i], times * kind->sample_tasks);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_samples)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
