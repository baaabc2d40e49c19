/* Every kind of workload, by its samples and at several numbers of tasks: either it says why the
 * parameters do not fit, or its trace is one that an MPI program could have left,
 * and replays to its end. */
#include "common/config/config.h"
#include "replay/replay.h"
#include "traces/check/check.h"
#include "traces/file/trace.h"
#include "workloads/kind.h"
#include "workloads/workload.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static void print_fault(void *context, const char *sentence) {
    print_error("%s: %s\n", (const char *)context, sentence);
}

/* Replays all events of a trace on a network without delays, whether senders wait for receivers
 * (rendezvous) or not. */
static void replay(vef_trace *trace, const char *text, uint64_t eager_bytes) {
    const vef_trace_header *header = vef_trace_get_header(trace);
    vef_netmodel *network = NULL;
    vef_replay_result result;
    vef_replay_options options = vef_replay_defaults();
    vef_error error;
    uint32_t mapping[64];
    assert_true(header->tasks <= 64);
    for (uint32_t i = 0; i < header->tasks; i++)
        mapping[i] = i;
    options.eager_bytes = eager_bytes;
    assert_int_equal(vef_netmodel_open("{model: ideal}", NULL, 0, &network, &error), VEF_OK);
    if (vef_replay(trace, network, mapping, &options, NULL, &result, &error))
        fail_msg("%s: %s", text, error.message);
    if (result.stall != VEF_STALL_NONE)
        fail_msg("%s: %s", text, result.stall_text);
    assert_true(result.events == header->events);
    vef_replay_result_release(&result);
    vef_netmodel_destroy(network);
}

/* Writes, checks and replays a workload; false: its parameters were refused. */
static bool write_and_check(const char *text, const char *path) {
    vef_arena arena = {0};
    vef_node *root = NULL;
    vef_workload *workload = NULL;
    vef_trace *trace = NULL;
    vef_error error;
    assert_int_equal(vef_workload_read(text, NULL, 0, &arena, &root, &error), VEF_OK);
    const vef_code code = vef_workload_create(root, &workload, &error);
    if (code) {
        assert_int_equal(code, VEF_INVALID);
        assert_memory_equal(error.message, "'{...}':1:", 10);
        vef_arena_release(&arena);
        return false;
    }
    if (vef_workload_write(workload, path, NULL, &error))
        fail_msg("%s: %s", text, error.message);
    assert_int_equal(vef_trace_open(path, &trace, NULL, &error), VEF_OK);
    vef_check_options options = {
        .limit = 5, .report = print_fault, .context = (void *)(uintptr_t)text};
    uint64_t faults = 0;
    assert_int_equal(vef_check(trace, &options, &faults, &error), VEF_OK);
    assert_true(faults == 0);
    replay(trace, text, 0);
    replay(trace, text, UINT64_C(1) << 40);
    vef_trace_close(trace);
    vef_workload_destroy(workload);
    vef_arena_release(&arena);
    return true;
}

static void test_samples(void **state) {
    (void)state;
    static const uint32_t sizes[] = {1, 2, 3, 4, 6, 8, 12, 16, 24, 64};
    char path[512], text[1024];
    const char *folder = getenv("TMPDIR");
    snprintf(path, sizeof path, "%s/workload-%ld.vef", folder ? folder : "/tmp", (long)getpid());
    for (size_t k = 0; vef_workload_kinds[k]; k++) {
        const vef_workload_kind *kind = vef_workload_kinds[k];
        for (size_t s = 0; kind->samples[s]; s++) {
            unsigned accepted = 0;
            for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
                const char *inner = kind->samples[s] + 1;
                snprintf(text, sizeof text, "{tasks: %u, iterations: 2, workload: %s, %s", sizes[i],
                         kind->name, inner);
                accepted += write_and_check(text, path);
            }
            if (accepted == 0)
                fail_msg("%s %s: refused for all numbers of tasks", kind->name, kind->samples[s]);
        }
    }
    unlink(path);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_samples)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
