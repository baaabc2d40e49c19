/* Every kind of workload, by its samples and at several numbers of tasks: either it says why the
 * parameters do not fit, or its trace is one that an MPI program could have left, replays to its
 * end, and comes out the same when the workload in its header is generated. */
#include "common/system/file.h"
#include "replay/replay.h"
#include "tests/traces/trace_support.h"
#include "traces/check/check.h"
#include "workloads/kind.h"
#include "workloads/workload.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_TASKS = 64 };

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
    uint32_t mapping[MOST_TASKS];
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

/* Writes a workload; false: its parameters were refused. */
static bool generate(const char *text, const char *path) {
    vef_arena arena = {0};
    vef_node *root = NULL;
    vef_workload *workload = NULL;
    vef_error error;
    assert_int_equal(vef_workload_read(text, NULL, 0, &arena, &root, &error), VEF_OK);
    const vef_code code = vef_workload_create(root, &workload, &error);
    if (code) {
        assert_int_equal(code, VEF_INVALID);
        assert_memory_equal(error.message, "'{...}':1:", 10);
    } else if (vef_workload_write(workload, path, NULL, &error)) {
        fail_msg("%s: %s", text, error.message);
    }
    vef_workload_destroy(workload);
    vef_arena_release(&arena);
    return code == VEF_OK;
}

/* The workload in the header, with all defaults, gives the same file. */
static void generate_again(const vef_trace *trace, const char *path, const char *text) {
    char again[512], *one = NULL, *other = NULL;
    size_t one_bytes, other_bytes;
    vef_error error;
    snprintf(again, sizeof again, "%s", scratch_path("again.vef"));
    assert_true(generate(vef_trace_get_header(trace)->options, again));
    assert_int_equal(vef_file_read(path, 1 << 24, &one, &one_bytes, &error), VEF_OK);
    assert_int_equal(vef_file_read(again, 1 << 24, &other, &other_bytes, &error), VEF_OK);
    if (one_bytes != other_bytes || memcmp(one, other, one_bytes) != 0)
        fail_msg("%s: the workload of the header gives another file", text);
    free(one);
    free(other);
}

static uint32_t rank_of(const vef_communicator *comm, uint32_t task) {
    uint32_t rank = 0;
    while (comm->members[rank] != task)
        rank++;
    return rank;
}

/* Number `number` of the Alltoallv of a task on a communicator; NULL: there are fewer. */
static const vef_event *find_alltoallv(const event_list *list, uint32_t comm, uint32_t number) {
    for (size_t i = 0; i < list->count; i++) {
        const vef_event *event = &list->events[i];
        if (event->call == VEF_CALL_Alltoallv && event->comm == comm && number-- == 0)
            return event;
    }
    return NULL;
}

/* What one task sends to another in an Alltoallv is what that receives from it, pair by pair. */
static uint64_t compare_pairs(const vef_trace *trace, const char *path, const char *text) {
    const vef_trace_header *header = vef_trace_get_header(trace);
    event_list lists[MOST_TASKS];
    uint64_t compared = 0;
    for (uint32_t t = 0; t < header->tasks; t++)
        lists[t] = read_task(path, t);
    for (uint32_t c = 0; c < header->communicator_count; c++) {
        const vef_communicator *comm = &header->communicators[c];
        for (uint32_t from = 0; from < comm->size; from++) {
            const event_list *mine = &lists[comm->members[from]];
            const vef_event *event;
            for (uint32_t n = 0; (event = find_alltoallv(mine, c, n)); n++)
                for (uint32_t to = 0; to < comm->size; to++, compared++) {
                    const vef_event *other = find_alltoallv(&lists[comm->members[to]], c, n);
                    assert_non_null(other);
                    assert_int_equal(event->send_count, comm->size);
                    assert_int_equal(other->receive_count, comm->size);
                    const uint32_t rank = rank_of(comm, comm->members[from]);
                    if (event->send_bytes[to] != other->receive_bytes[rank])
                        fail_msg("%s: Alltoallv %u on %u: from rank %u to %u %llu and %llu bytes",
                                 text, n, c, from, to, (unsigned long long)event->send_bytes[to],
                                 (unsigned long long)other->receive_bytes[rank]);
                }
        }
    }
    for (uint32_t t = 0; t < header->tasks; t++)
        free_events(&lists[t]);
    return compared;
}

/* Counts the pairs of calls with a count for each pair; false: the parameters were refused. */
static bool check_workload(const char *text, const char *path, uint64_t *compared) {
    vef_trace *trace = NULL;
    vef_error error;
    if (!generate(text, path))
        return false;
    assert_int_equal(vef_trace_open(path, &trace, NULL, &error), VEF_OK);
    vef_check_options options = {
        .limit = 5, .report = print_fault, .context = (void *)(uintptr_t)text};
    uint64_t faults = 0;
    assert_int_equal(vef_check(trace, &options, &faults, &error), VEF_OK);
    assert_true(faults == 0);
    replay(trace, text, 0);
    replay(trace, text, UINT64_C(1) << 40);
    generate_again(trace, path, text);
    *compared += compare_pairs(trace, path, text);
    vef_trace_close(trace);
    return true;
}

static void test_samples(void **state) {
    (void)state;
    static const uint32_t sizes[] = {1, 2, 3, 4, 6, 8, 12, 16, 24, MOST_TASKS};
    static const char *const computations[] = {
        "3 us", "{time: 3 us, distribution: lognormal, imbalance: 0.3, seed: 9}"};
    char path[512], text[1024];
    snprintf(path, sizeof path, "%s", scratch_path("workload.vef"));
    for (size_t k = 0; vef_workload_kinds[k]; k++) {
        const vef_workload_kind *kind = vef_workload_kinds[k];
        const bool pairs = strcmp(kind->name, "bucket-sort") == 0 ||
                           strcmp(kind->name, "frontier") == 0 ||
                           strcmp(kind->name, "training") == 0;
        uint64_t compared = 0;
        for (size_t s = 0; kind->samples[s]; s++) {
            unsigned accepted = 0;
            for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
                snprintf(text, sizeof text, "{tasks: %u, iterations: 2, workload: %s, %s%s, %s",
                         sizes[i], kind->name, kind->own_compute ? "" : "compute: ",
                         kind->own_compute ? "repeat: 2" : computations[i % 2],
                         kind->samples[s] + 1);
                accepted += check_workload(text, path, &compared);
            }
            if (accepted == 0)
                fail_msg("%s %s: refused for all numbers of tasks", kind->name, kind->samples[s]);
        }
        assert_true(!pairs || compared > 100);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_samples)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
