/* Collectives that go on beside their task: on the ideal network everything is a sum and a maximum,
 * so that what overlaps shows to the cycle. */
#include "tests/replay/script.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

static uint64_t later(uint64_t a, uint64_t b) {
    return a > b ? a : b;
}

/* Tasks start at different times, compute and wait: each ends at its own computation or when the
 * last has started, whichever is later. */
static void test_ends_with_computation_or_last_start(void **state) {
    (void)state;
    static const vef_call calls[] = {VEF_CALL_Ibarrier,
                                     VEF_CALL_Iallreduce,
                                     VEF_CALL_Iallgather,
                                     VEF_CALL_Ialltoall,
                                     VEF_CALL_Ireduce_scatter_block,
                                     VEF_CALL_Comm_idup,
                                     VEF_CALL_Barrier_init,
                                     VEF_CALL_Allreduce_init,
                                     VEF_CALL_Alltoall_init};
    static const uint64_t starts[] = {30, 5, 77, 12, 60, 2, 0};
    static const uint64_t work[] = {10, 100, 0, 64, 65, 75, 76};
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        for (uint32_t tasks = 1; tasks <= 7; tasks++)
            for (uint64_t bytes = 8; bytes <= 1 << 20; bytes <<= 17) {
                script *s = script_new(tasks);
                uint64_t latest = 0;
                for (uint32_t task = 0; task < tasks; task++) {
                    uint64_t request =
                        say_icollective(s, task, starts[task], calls[i], 0, -1, bytes);
                    say_wait(s, task, work[task], VEF_CALL_Wait, 1, &request);
                    latest = later(latest, starts[task]);
                }
                say_finalize_all(s);
                vef_replay_result result = replay_of(s, script_ideal, NULL, NULL);
                assert_int_equal(result.stall, VEF_STALL_NONE);
                for (uint32_t task = 0; task < tasks; task++) {
                    uint64_t own = starts[task] + work[task];
                    assert_int_equal(ns_of(result.task[task].end_ps), later(own, latest));
                    assert_int_equal(ns_of(result.task[task].computing_ps), own);
                    assert_int_equal(ns_of(result.task[task].communicating_ps), 0);
                }
                vef_replay_result_release(&result);
                script_free(s);
            }
}

/* No rank has a broadcast's data before its root starts it; the root waits for no other. */
static void test_rooted(void **state) {
    (void)state;
    for (uint32_t root = 0; root < 5; root++) {
        script *s = script_new(5);
        for (uint32_t task = 0; task < 5; task++) {
            uint64_t request =
                say_icollective(s, task, 10 * task, VEF_CALL_Ibcast, 0, (int32_t)root, 64);
            say_wait(s, task, 7, VEF_CALL_Wait, 1, &request);
        }
        say_finalize_all(s);
        vef_replay_result result = replay_of(s, script_ideal, NULL, NULL);
        assert_int_equal(result.stall, VEF_STALL_NONE);
        assert_int_equal(ns_of(result.task[root].end_ps), 10 * root + 7);
        for (uint32_t task = 0; task < 5; task++)
            assert_true(ns_of(result.task[task].end_ps) >= later(10 * task + 7, 10 * root));
        /* The root's own child in the tree depends on no other rank. */
        uint32_t child = (root + 4) % 5;
        assert_int_equal(ns_of(result.task[child].end_ps), later(10 * child + 7, 10 * root));
        vef_replay_result_release(&result);
        script_free(s);
    }
}

/* Three under way on one communicator, and a blocking one in between, completed in another order:
 * they belong together by the order of their starts. */
static void test_several_under_way(void **state) {
    (void)state;
    script *s = script_new(3);
    for (uint32_t task = 0; task < 3; task++) {
        uint64_t first = say_icollective(s, task, 10, VEF_CALL_Ibarrier, 0, -1, 0);
        uint64_t second = say_icollective(s, task, 10 * task, VEF_CALL_Iallreduce, 0, -1, 800);
        say_collective(s, task, 100 * (2 - task), VEF_CALL_Allreduce, 0, -1, 8);
        uint64_t third = say_icollective(s, task, 5 * task, VEF_CALL_Ialltoall, 0, -1, 100);
        uint64_t late[] = {third, first};
        say_wait(s, task, 1, VEF_CALL_Waitall, 2, late);
        say_wait(s, task, 1, VEF_CALL_Wait, 1, &second);
    }
    say_finalize_all(s);
    vef_replay_result result = replay_of(s, script_ideal, NULL, NULL);
    assert_int_equal(result.stall, VEF_STALL_NONE);
    /* The blocking one ends with task 0's entry, at 210; the third with task 2's start, at 220. */
    for (uint32_t task = 0; task < 3; task++)
        assert_int_equal(ns_of(result.task[task].end_ps), later(210 + 5 * task + 1, 220) + 1);
    assert_non_null(strstr(result.approximations, "9 non-blocking"));
    vef_replay_result_release(&result);
    script_free(s);
}

/* The creation of a persistent collective moves nothing and waits for no other task; each start is
 * a separate collective. */
static void test_persistent(void **state) {
    (void)state;
    script *s = script_new(4);
    for (uint32_t task = 0; task < 4; task++) {
        say_collective(s, task, 100 * task, VEF_CALL_Allreduce_init, 0, -1, 8);
        for (int round = 0; round < 3; round++) {
            uint64_t request = say_icollective(s, task, 10, VEF_CALL_Allreduce_init, 0, -1, 8);
            say_wait(s, task, 4 * task, VEF_CALL_Wait, 1, &request);
        }
    }
    say_finalize_all(s);
    vef_replay_result result = replay_of(s, script_ideal, NULL, NULL);
    assert_int_equal(result.stall, VEF_STALL_NONE);
    /* Task 3 starts at 310, 332 and 354 and works 12 after each; the others wait for it. */
    assert_int_equal(ns_of(result.task[3].end_ps), 354 + 12);
    for (uint32_t task = 0; task < 3; task++)
        assert_int_equal(ns_of(result.task[task].end_ps), 354);
    assert_int_equal(result.messages, 3 * 4 * 2);
    vef_replay_result_release(&result);
    script_free(s);
}

/* What the steps cost passes beside the task: recursive doubling of 8 tasks, 3 rounds of a send, a
 * receive and a reduction. A task that computes longer never notices; one that does not waits. */
static void test_costs_pass_beside(void **state) {
    (void)state;
    for (uint64_t work = 0; work <= 1000; work += 500) {
        script *s = script_new(8);
        for (uint32_t task = 0; task < 8; task++) {
            uint64_t request = say_icollective(s, task, 0, VEF_CALL_Iallreduce, 0, -1, 8);
            say_wait(s, task, work, VEF_CALL_Wait, 1, &request);
        }
        say_finalize_all(s);
        vef_replay_options options = vef_replay_defaults();
        options.host.send_overhead = vef_cost_of(100, 0);
        options.host.receive_overhead = vef_cost_of(10, 0);
        options.host.reduce_ns_per_byte = 0.5;
        const uint64_t plan = 3 * (100 + 10 + 4);
        vef_replay_result result = replay_of(s, script_ideal, &options, NULL);
        assert_int_equal(result.stall, VEF_STALL_NONE);
        for (uint32_t task = 0; task < 8; task++) {
            assert_int_equal(ns_of(result.task[task].end_ps), later(plan, work));
            assert_int_equal(ns_of(result.task[task].overhead_ps), 0);
            assert_int_equal(ns_of(result.task[task].computing_ps), work);
            assert_int_equal(ns_of(result.task[task].waiting_ps) +
                                 ns_of(result.task[task].communicating_ps),
                             work < plan ? plan - work : 0);
        }
        assert_int_equal(result.messages, 24);
        vef_replay_result_release(&result);
        script_free(s);
    }
}

/* On a network: started and waited for at once it is the blocking call, in time and in what a task
 * waits for, of sizes for which MPICH chooses the same algorithm; with work in between it takes no
 * longer than both and no less than either. */
static void test_against_the_blocking_call(void **state) {
    (void)state;
    static const vef_call pairs[][2] = {{VEF_CALL_Ibarrier, VEF_CALL_Barrier},
                                        {VEF_CALL_Iallreduce, VEF_CALL_Allreduce},
                                        {VEF_CALL_Ialltoall, VEF_CALL_Alltoall},
                                        {VEF_CALL_Iallgather, VEF_CALL_Allgather}};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        for (uint64_t bytes = 8; bytes <= 100000; bytes *= 1000)
            for (uint64_t work = 0; work <= 3000; work += 1000) {
                uint64_t times[2];
                for (int blocking = 0; blocking < 2; blocking++) {
                    script *s = script_new(2);
                    for (uint32_t task = 0; task < 2; task++) {
                        uint64_t request = 0;
                        uint64_t start = 40 * task;
                        if (blocking)
                            say_collective(s, task, start, pairs[i][1], 0, -1, bytes);
                        else
                            request = say_icollective(s, task, start, pairs[i][0], 0, -1, bytes);
                        if (blocking)
                            say_local(s, task, work, VEF_CALL_Pcontrol);
                        else
                            say_wait(s, task, work, VEF_CALL_Wait, 1, &request);
                    }
                    say_finalize_all(s);
                    vef_replay_result result = replay_of(s, script_pair, NULL, NULL);
                    assert_int_equal(result.stall, VEF_STALL_NONE);
                    times[blocking] = ns_of(result.time_ps);
                    vef_replay_result_release(&result);
                    script_free(s);
                }
                if (work == 0)
                    assert_int_equal(times[0], times[1]);
                assert_true(times[0] <= times[1]);
                assert_true(times[0] >= 40 + work && times[0] >= times[1] - work);
                if (times[1] - work > 40 + work) /* longer than the work: that is hidden */
                    assert_int_equal(times[0], times[1] - work);
            }
}

/* Two tasks, one 1,000 late: waited for at once, the blocking call and the started one divide the
 * blocked time alike. */
static void test_waiting_is_divided_alike(void **state) {
    (void)state;
    vef_task_result parts[2];
    for (int blocking = 0; blocking < 2; blocking++) {
        script *s = script_new(2);
        for (uint32_t task = 0; task < 2; task++) {
            uint64_t request = 0;
            if (blocking)
                say_collective(s, task, 1000 * task, VEF_CALL_Allreduce, 0, -1, 4000);
            else
                request = say_icollective(s, task, 1000 * task, VEF_CALL_Iallreduce, 0, -1, 4000);
            if (!blocking)
                say_wait(s, task, 0, VEF_CALL_Wait, 1, &request);
        }
        say_finalize_all(s);
        vef_replay_result result = replay_of(s, script_pair, NULL, NULL);
        parts[blocking] = result.task[0];
        vef_replay_result_release(&result);
        script_free(s);
    }
    assert_int_equal(ns_of(parts[0].waiting_ps), 1000);
    assert_memory_equal(&parts[0], &parts[1], sizeof parts[0]);
}

/* No call waits for it: the task ends, and the others' wait is served all the same. */
static void test_nobody_waits(void **state) {
    (void)state;
    script *s = script_new(3);
    for (uint32_t task = 0; task < 3; task++) {
        uint64_t request = say_icollective(s, task, 0, VEF_CALL_Iallreduce, 0, -1, 100000);
        if (task == 0)
            script_last(s, task, 0)->flags |= VEF_EVENT_OPEN_ENDED;
        if (task == 1)
            say_wait(s, task, 0, VEF_CALL_Wait, 1, &request);
        if (task == 2)
            say_wait(s, task, 0, VEF_CALL_Request_free, 1, &request);
    }
    say_finalize_all(s);
    vef_replay_result result = replay_of(s, script_mesh, NULL, NULL);
    assert_int_equal(result.stall, VEF_STALL_NONE);
    assert_int_equal(ns_of(result.task[0].end_ps), 0);
    assert_int_equal(ns_of(result.task[2].end_ps), 0);
    assert_true(ns_of(result.task[1].end_ps) > 100000 / 4);
    vef_replay_result_release(&result);
    script_free(s);
}

static void expect_stall(script *s, const char *const *words) {
    say_finalize_all(s);
    vef_replay_result result = replay_of(s, script_mesh, NULL, NULL);
    assert_int_equal(result.stall, VEF_STALL_COLLECTIVE);
    for (; *words; words++)
        if (!strstr(result.stall_text, *words))
            fail_msg("'%s' does not say '%s'", result.stall_text, *words);
    vef_replay_result_release(&result);
    script_free(s);
}
#define WORDS(...) ((const char *const[]){__VA_ARGS__, NULL})

static void test_stalls(void **state) {
    (void)state;
    /* One task never starts it. */
    script *s = script_new(3);
    for (uint32_t task = 0; task < 2; task++) {
        uint64_t request = say_icollective(s, task, 5, VEF_CALL_Iallreduce, 0, -1, 8);
        say_wait(s, task, 0, VEF_CALL_Wait, 1, &request);
    }
    expect_stall(s, WORDS("MPI_Iallreduce", "request 0", "task 2", "never enters it"));
    /* One starts another, or calls the blocking one. */
    for (int blocking = 0; blocking < 2; blocking++) {
        s = script_new(2);
        say_icollective(s, 0, 0, VEF_CALL_Ibarrier, 0, -1, 0);
        if (blocking)
            say_collective(s, 1, 3, VEF_CALL_Barrier, 0, -1, 0);
        else
            say_icollective(s, 1, 3, VEF_CALL_Iallreduce, 0, -1, 8);
        expect_stall(s, WORDS("task 1 calls", blocking ? "MPI_Barrier" : "MPI_Iallreduce",
                              "task 0 called MPI_Ibarrier"));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ends_with_computation_or_last_start),
        cmocka_unit_test(test_rooted),
        cmocka_unit_test(test_several_under_way),
        cmocka_unit_test(test_persistent),
        cmocka_unit_test(test_costs_pass_beside),
        cmocka_unit_test(test_against_the_blocking_call),
        cmocka_unit_test(test_waiting_is_divided_alike),
        cmocka_unit_test(test_nobody_waits),
        cmocka_unit_test(test_stalls),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
