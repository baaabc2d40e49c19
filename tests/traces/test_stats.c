/* Statistics of traces that are written here event by event, against sums worked out by hand. */
#include "tests/traces/trace_support.h"

#include "traces/file/writer.h"
#include "traces/stats/stats.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

/* A trace of `tasks` tasks under way, with the world and a window of the world. */
static vef_writer *begin(const char *path, uint32_t tasks) {
    static uint32_t members[64];
    for (uint32_t i = 0; i < 64; i++)
        members[i] = i;
    const vef_communicator communicators[] = {
        {.parent = VEF_NO_COMM, .made_by = VEF_CALL_Init, .size = tasks, .members = members},
        {.parent = 0, .made_by = VEF_CALL_Win_allocate, .size = tasks, .members = members}};
    const vef_trace_header header = {
        .tasks = tasks, .times = "all", .communicator_count = 2, .communicators = communicators};
    vef_writer *writer = NULL;
    OK(vef_writer_open(path, &header, &writer, error));
    return writer;
}

/* Ticks count up by themselves, as those of one thread. */
static void put(vef_writer *writer, uint32_t task, vef_event event) {
    static uint64_t ticks;
    event.repeats = event.repeats ? event.repeats : 1;
    event.entered = ticks++;
    event.left = ticks++;
    if (!event.request)
        event.request = VEF_NO_REQUEST;
    OK(vef_writer_event(writer, task, &event, error));
}

static vef_stats finish(vef_writer *writer, const char *path, uint32_t tasks, size_t waits) {
    vef_trace *trace = NULL;
    vef_stats stats;
    for (uint32_t i = 0; i < tasks; i++)
        OK(vef_writer_end_task(writer, i, VEF_LOG_FINALIZED, error));
    OK(vef_writer_finish(writer, error));
    OK(vef_trace_open(path, &trace, NULL, error));
    OK(vef_stats_read(trace, waits, NULL, &stats, error));
    vef_trace_close(trace);
    return stats;
}

static vef_event one(vef_call call, const vef_operation *operation, uint64_t duration_ns) {
    return (vef_event){
        .call = call, .operation_count = 1, .operations = operation, .duration_ns = duration_ns};
}

/* Put 100 bytes, get 30, fetch and add 8 (both ways), all from task 1 to task 2. */
static void test_one_sided(void **state) {
    (void)state;
    const char *path = scratch_path("one_sided.vef");
    vef_writer *writer = begin(path, 3);
    vef_operation operation = {0, 2, 0, 1, 100, VEF_NO_ORDINAL, VEF_NO_REQUEST};
    put(writer, 1, one(VEF_CALL_Put, &operation, 5));
    operation.bytes = 30;
    operation.request = 0;
    put(writer, 1, one(VEF_CALL_Rget, &operation, 5));
    operation.bytes = 8;
    operation.request = VEF_NO_REQUEST;
    put(writer, 1, one(VEF_CALL_Fetch_and_op, &operation, 5));
    vef_completion completion = {.request = 0, .source = VEF_NO_TASK};
    put(writer, 1,
        (vef_event){.call = VEF_CALL_Wait,
                    .completion_count = 1,
                    .completions = &completion,
                    .duration_ns = 77});
    put(writer, 1, (vef_event){.call = VEF_CALL_Win_fence, .comm = 1, .duration_ns = 50});
    vef_stats stats = finish(writer, path, 3, 2);
    assert_true(stats.one_sided == 3 && stats.one_sided_bytes == 100 + 30 + 2 * 8);
    assert_true(stats.messages == 0 && stats.traffic.first[3] == 0);
    assert_true(stats.put.first[1] == 0 && stats.put.first[2] == 1 && stats.got.first[2] == 1);
    assert_true(stats.put.flows[0].to == 2 && stats.put.flows[0].bytes == 108);
    assert_true(stats.got.flows[0].to == 2 && stats.got.flows[0].bytes == 38);
    assert_int_equal(stats.task[1].partners, 1);
    assert_int_equal(stats.task[2].partners, 0);
    assert_true(stats.comm[1].one_sided == 3 && stats.comm[1].sync_calls == 1);
    assert_true(stats.one_sided_sizes.count[4] == 1 && stats.one_sided_sizes.count[5] == 1 &&
                stats.one_sided_sizes.count[7] == 1);
    /* The Wait was for the Rget's target, the fence for the window. */
    assert_int_equal(stats.wait_count, 2);
    assert_int_equal(stats.waits[0].call, VEF_CALL_Wait);
    assert_int_equal(stats.waits[0].peer, 2);
    assert_true(stats.waits[0].event == 3 && stats.waits[0].since_start_ns == 15);
    assert_int_equal(stats.waits[1].call, VEF_CALL_Win_fence);
    assert_int_equal(stats.waits[1].comm, 1);
    vef_stats_free(&stats);
}

static void region(vef_writer *writer, uint32_t task, vef_call call, const char *name,
                   uint64_t gap_ns) {
    put(writer, task, (vef_event){.call = call, .name = name, .gap_ns = gap_ns});
}

static const vef_region_stats *find(const vef_stats *stats, const char *name) {
    for (size_t i = 0; i < stats->region_count; i++)
        if (strcmp(stats->regions[i].name, name) == 0)
            return &stats->regions[i];
    fail_msg("no region %s", name);
    return NULL;
}

/* Task 0: 10 before, outer { 100, inner { 30, send of 64 bytes in 7 }, 5, outer again { 2 } },
 * 1000; task 1: outer { 20 } and an inner that is begun and left open for 4, and an end of nothing.
 */
static void test_regions(void **state) {
    (void)state;
    const char *path = scratch_path("regions.vef");
    vef_writer *writer = begin(path, 2);
    vef_operation send = {VEF_OP_SEND | VEF_OP_UNMATCHED, 1, 0, 0, 64, 0, VEF_NO_REQUEST};
    region(writer, 0, VEF_CALL_Region_begin, "outer", 10);
    region(writer, 0, VEF_CALL_Region_begin, "inner", 100);
    vef_event event = one(VEF_CALL_Send, &send, 7);
    event.gap_ns = 30;
    put(writer, 0, event);
    region(writer, 0, VEF_CALL_Region_end, "inner", 0);
    region(writer, 0, VEF_CALL_Region_begin, "outer", 5);
    region(writer, 0, VEF_CALL_Region_end, "outer", 2);
    region(writer, 0, VEF_CALL_Mark, "here", 0);
    region(writer, 0, VEF_CALL_Region_end, "outer", 0);
    put(writer, 0, (vef_event){.call = VEF_CALL_Barrier, .gap_ns = 1000, .root = -1});
    region(writer, 1, VEF_CALL_Region_begin, "outer", 0);
    region(writer, 1, VEF_CALL_Region_end, "outer", 20);
    region(writer, 1, VEF_CALL_Region_end, "nothing", 0);
    region(writer, 1, VEF_CALL_Region_begin, "inner", 0);
    put(writer, 1, (vef_event){.call = VEF_CALL_Barrier, .gap_ns = 4, .root = -1});
    vef_stats stats = finish(writer, path, 2, 0);
    const vef_region_stats *outer = find(&stats, "outer"), *inner = find(&stats, "inner");
    assert_true(outer->entries == 3 && outer->tasks == 2);
    assert_true(outer->compute_ns == 100 + 30 + 5 + 2 + 20 && outer->mpi_ns == 7);
    assert_true(outer->most_task_ns == 144);
    assert_true(outer->messages == 1 && outer->message_bytes == 64);
    assert_true(inner->entries == 2 && inner->tasks == 2);
    assert_true(inner->compute_ns == 30 + 4 && inner->mpi_ns == 7 && inner->most_task_ns == 37);
    assert_true(find(&stats, "here")->marks == 1 && find(&stats, "here")->entries == 0);
    assert_true(stats.unpaired_regions == 2);
    assert_true(stats.compute_ns == 10 + 137 + 1000 + 24 && stats.unmatched == 1);
    vef_stats_free(&stats);
}

/* Task 0 has two threads: 100 + 20 + 7 computing, in MPI and outside in one, 50 + 300 in the other;
 * task 1 computes 50. The run is 350, the greatest computation of a thread 100, the mean 200 / 3.
 */
static void test_threads(void **state) {
    (void)state;
    const char *path = scratch_path("threads.vef");
    vef_writer *writer = begin(path, 2);
    put(writer, 0,
        (vef_event){.call = VEF_CALL_Barrier,
                    .gap_ns = 100,
                    .outside_ns = 7,
                    .duration_ns = 20,
                    .root = -1});
    put(writer, 0,
        (vef_event){
            .call = VEF_CALL_Barrier, .thread = 1, .gap_ns = 50, .duration_ns = 300, .root = -1});
    put(writer, 1, (vef_event){.call = VEF_CALL_Barrier, .gap_ns = 50, .root = -1});
    vef_stats stats = finish(writer, path, 2, 1);
    assert_true(stats.threads == 3 && stats.run_ns == 350 && stats.most_compute_ns == 100);
    assert_true(stats.compute_ns == 200 && stats.mpi_ns == 320 && stats.outside_ns == 7);
    assert_true(stats.task[0].run_ns == 350 && stats.task[0].outside_ns == 7);
    assert_true(stats.waits[0].thread == 1 && stats.waits[0].event == 1 &&
                stats.waits[0].since_start_ns == 50);
    vef_efficiency efficiency = vef_stats_efficiency(&stats);
    assert_true(fabs(efficiency.load_balance - 2.0 / 3) < 1e-12);
    assert_true(fabs(efficiency.communication - 100.0 / 350) < 1e-12);
    assert_true(fabs(efficiency.parallel - 200.0 / 3 / 350) < 1e-12);
    vef_stats_free(&stats);
}

/* The waits kept are the longest ones, equal ones in order, however many there are. */
static void test_waits(void **state) {
    (void)state;
    const char *path = scratch_path("waits.vef");
    vef_writer *writer = begin(path, 2);
    for (uint32_t i = 0; i < 500; i++)
        put(writer, i / 250,
            (vef_event){.call = VEF_CALL_Barrier, .root = -1, .duration_ns = (i * 7919) % 499});
    vef_stats stats = finish(writer, path, 2, 100);
    assert_int_equal(stats.wait_count, 100);
    for (size_t i = 0; i < 100; i++) { /* i * 7919 takes each value below 499 once, 0 to 498 */
        assert_true(stats.waits[i].duration_ns == 498 - i);
        uint64_t number = stats.waits[i].task * 250 + stats.waits[i].event;
        assert_true((number * 7919) % 499 == 498 - i);
    }
    assert_true(stats.kind[VEF_KIND_COLLECTIVE].calls == 500);
    vef_stats_free(&stats);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_sided), cmocka_unit_test(test_regions),
        cmocka_unit_test(test_threads), cmocka_unit_test(test_waits)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
