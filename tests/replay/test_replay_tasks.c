/* What tasks of a replay do, by hand: on the ideal network the time is the longest chain of
 * computation, so every value here is a sum and a maximum. */
#include "tests/replay/script.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

static void test_longest_chain(void **state) {
    (void)state;
    /* 0 -> 1 -> 3 and 0 -> 2 -> 3: a diamond whose longer side has 5 + 40 + 7. */
    script *s = script_new(4);
    say_send(s, 0, 5, 1, 8, 0);
    say_send(s, 0, 6, 2, 8, 0);
    say_receive(s, 1, 1, 0);
    say_send(s, 1, 40, 3, 8, 0);
    say_receive(s, 2, 20, 0);
    say_send(s, 2, 10, 3, 8, 0);
    say_receive(s, 3, 0, 2);
    say_receive(s, 3, 0, 1);
    say_local(s, 3, 7, VEF_CALL_Finalize);
    for (uint32_t task = 0; task < 3; task++)
        say_local(s, task, 0, VEF_CALL_Finalize);
    vef_replay_result result = replay_of(s, script_ideal, NULL, NULL);
    assert_int_equal(ns_of(result.time_ps), 5 + 40 + 7);
    assert_true(result.time_ns == 52.0);
    assert_int_equal(ns_of(result.task[2].end_ps), 20 + 10);
    assert_int_equal(ns_of(result.task[3].computing_ps), 7);
    assert_int_equal(ns_of(result.task[3].waiting_ps), 45);
    assert_int_equal(result.events, 12);
    vef_replay_result_release(&result);
    script_free(s);
}

static void test_empty_and_alone(void **state) {
    (void)state;
    script *s = script_new(1);
    assert_int_equal(time_of(s, script_ideal, NULL), 0); /* no event at all */
    say_local(s, 0, 99, VEF_CALL_Init);                  /* before Init does not count */
    say_local(s, 0, 10, VEF_CALL_Pcontrol);
    say_collective(s, 0, 10, VEF_CALL_Barrier, 0, -1, 0);
    say_collective(s, 0, 10, VEF_CALL_Allreduce, 0, -1, 1024);
    say_send(s, 0, 0, 0, 8, 0); /* to itself */
    say_receive(s, 0, 0, 0);
    say_sendrecv(s, 0, 0, 0, 100000, 0);
    say_local(s, 0, 10, VEF_CALL_Finalize);
    assert_int_equal(time_of(s, script_ideal, NULL), 40);
    assert_int_equal(time_of(s, script_pair, NULL), 40);
    script_free(s);
}

static void test_ends_without_finalize(void **state) {
    (void)state;
    script *s = script_new(2);
    say_send(s, 0, 30, 1, 8, 0);
    say_receive(s, 1, 0, 0);
    s->task[0].end = s->task[1].end = VEF_LOG_EXITED;
    assert_int_equal(time_of(s, script_ideal, NULL), 30);
    script_free(s);
}

static void test_waitany_waits_for_what_was_completed(void **state) {
    (void)state;
    script *s = script_new(3);
    say_send(s, 0, 10, 2, 8, 0);
    say_send(s, 1, 500, 2, 8, 0);
    uint64_t requests[] = {say_ireceive(s, 2, 0, 0), say_ireceive(s, 2, 0, 1)};
    say_wait(s, 2, 0, VEF_CALL_Waitany, 1, &requests[0]);
    say_send(s, 2, 3, 0, 8, 0);
    say_receive(s, 0, 0, 2);
    say_wait(s, 2, 0, VEF_CALL_Waitany, 1, &requests[1]);
    say_wait(s, 2, 4, VEF_CALL_Waitany, 0, NULL); /* of inactive requests: completes none */
    say_finalize_all(s);
    vef_replay_result result = replay_of(s, script_ideal, NULL, NULL);
    assert_int_equal(ns_of(result.task[0].end_ps), 13);
    assert_int_equal(ns_of(result.task[2].end_ps), 504);
    vef_replay_result_release(&result);
    script_free(s);
}

static void test_freed_and_open_ended_requests(void **state) {
    (void)state;
    script *s = script_new(2);
    uint64_t freed = say_isend(s, 0, 0, 1, 100000, 0), never = say_ireceive(s, 0, 0, 1);
    (void)never;
    say_wait(s, 0, 0, VEF_CALL_Request_free, 1, &freed);
    say_local(s, 0, 10, VEF_CALL_Finalize);
    say_receive(s, 1, 50, 0);
    operation_of(say_send(s, 1, 0, 0, 8, 0), 0)->flags |= VEF_OP_OPEN_ENDED;
    say_local(s, 1, 0, VEF_CALL_Finalize);
    vef_replay_result result = replay_of(s, script_ideal, NULL, NULL);
    assert_int_equal(result.stall, VEF_STALL_NONE);
    assert_int_equal(ns_of(result.task[0].end_ps), 10);
    assert_int_equal(ns_of(result.task[1].end_ps), 50);
    vef_replay_result_release(&result);
    script_free(s);
}

/* More requests under way than any first table holds, completed in the opposite order. */
static void test_many_requests(void **state) {
    (void)state;
    script *s = script_new(2);
    uint64_t requests[64];
    for (int round = 0; round < 20; round++) {
        for (int i = 0; i < 64; i++)
            requests[i] = say_ireceive(s, 1, 0, 0);
        for (int i = 0; i < 64; i++)
            say_send(s, 0, 1, 1, 8, 0);
        for (int i = 63; i >= 0; i--)
            say_wait(s, 1, 0, VEF_CALL_Wait, 1, &requests[i]);
    }
    say_finalize_all(s);
    assert_int_equal(time_of(s, script_ideal, NULL), 20 * 64);
    script_free(s);
}

static void test_polls(void **state) {
    (void)state;
    script *s = script_new(2);
    say_send(s, 0, 10000, 1, 8, 0);
    uint64_t request = say_ireceive(s, 1, 0, 0);
    say_poll(s, 1, 5000, VEF_CALL_Test, 50); /* 100 ns each: polling */
    say_wait(s, 1, 90, VEF_CALL_Test, 1, &request);
    say_finalize_all(s);
    vef_replay_result result = replay_of(s, script_ideal, NULL, NULL);
    assert_int_equal(ns_of(result.task[1].computing_ps), 0);
    assert_int_equal(ns_of(result.task[1].end_ps), 10000);
    vef_replay_result_release(&result);
    /* With a lower bound they are computation: 5,090 of the 10,000 are. */
    vef_replay_options options = vef_replay_defaults();
    options.host.poll_gap_ns = 50;
    result = replay_of(s, script_ideal, &options, NULL);
    assert_int_equal(ns_of(result.task[1].computing_ps), 5090);
    assert_int_equal(ns_of(result.task[1].waiting_ps), 4910);
    vef_replay_result_release(&result);
    /* The bound is met, not exceeded. */
    options.host.poll_gap_ns = 100;
    result = replay_of(s, script_ideal, &options, NULL);
    assert_int_equal(ns_of(result.task[1].computing_ps), 0);
    vef_replay_result_release(&result);
    script_free(s);
}

static void test_probe(void **state) {
    (void)state;
    for (int large = 0; large < 2; large++) {
        script *s = script_new(2);
        say_send(s, 0, 10, 1, 4, 0);
        say_send(s, 0, 0, 1, large ? 100000 : 40, 0);
        vef_operation probe = {.peer = 0, .ordinal = 1, .request = VEF_NO_REQUEST};
        say(s, 1, &(vef_event){.call = VEF_CALL_Probe, .operations = &probe, .operation_count = 1});
        say_local(s, 1, 1, VEF_CALL_Pcontrol);
        say_receive(s, 1, 0, 0);
        say_receive(s, 1, 0, 0);
        say_finalize_all(s);
        vef_replay_result result = replay_of(s, script_pair, NULL, NULL);
        assert_int_equal(result.stall, VEF_STALL_NONE);
        /* At 10 the first takes the link for one phit; then 10 phits of data, or the 8 of the
         * request. The receive is posted a cycle later: clearance 9, data 1 + 25,000. */
        uint64_t probed = 10 + 1 + 1 + (large ? 8 : 10);
        uint64_t end = probed + 1 + (large ? 9 + 25001 : 0);
        assert_int_equal(ns_of(result.task[1].computing_ps), 1);
        assert_int_equal(ns_of(result.task[1].end_ps), end);
        vef_replay_result_release(&result);
        script_free(s);
    }
}

/* Probes of a message that no receive of the trace takes: it goes at once whatever its length, and
 * the probes wait for its data, in the network and inside an endpoint. */
static void test_probe_of_unmatched(void **state) {
    (void)state;
    static const uint64_t bytes[] = {40, 100000};
    for (int i = 0; i < 4; i++) {
        const bool local = i >= 2;
        script *s = script_new(2);
        vef_operation send = {VEF_OP_SEND | VEF_OP_UNMATCHED | VEF_OP_PROBED,
                              1,
                              0,
                              0,
                              bytes[i % 2],
                              0,
                              VEF_NO_REQUEST};
        say(s, 0,
            &(vef_event){
                .call = VEF_CALL_Ssend, .gap_ns = 10, .operations = &send, .operation_count = 1});
        vef_operation probe = {.peer = 0, .ordinal = 0, .request = VEF_NO_REQUEST};
        const vef_event sees = {.call = VEF_CALL_Probe, .operations = &probe, .operation_count = 1};
        say(s, 1, &sees);
        probe.flags = VEF_OP_UNMATCHED;
        say(s, 1, &sees);
        say_finalize_all(s);
        static const uint32_t together[] = {0, 0};
        vef_replay_result result = replay_of(s, script_pair, NULL, local ? together : NULL);
        assert_int_equal(result.stall, VEF_STALL_NONE);
        assert_int_equal(ns_of(result.task[0].end_ps), 10);
        /* Sent at 10, one phit of 4 bytes a cycle, one cycle of the link. */
        assert_int_equal(ns_of(result.task[1].end_ps), local ? 10 : 10 + bytes[i % 2] / 4 + 1);
        vef_replay_result_release(&result);
        script_free(s);
    }
}

static void test_threads_compute_at_once(void **state) {
    (void)state;
    /* Both threads compute 100 at once; one after the other it were 200. */
    script *s = script_new(1);
    say_local(s, 0, 10, VEF_CALL_Pcontrol);
    script_thread_of(s, 0, 1);
    say_local(s, 0, 0, VEF_CALL_Pcontrol);
    script_thread_of(s, 0, 0);
    script_ticks(s, 0, say_local(s, 0, 100, VEF_CALL_Pcontrol), 4, 6);
    script_thread_of(s, 0, 1);
    script_ticks(s, 0, say_local(s, 0, 100, VEF_CALL_Pcontrol), 5, 7);
    script_thread_of(s, 0, 0);
    say_local(s, 0, 5, VEF_CALL_Finalize);
    vef_replay_result result = replay_of(s, script_ideal, NULL, NULL);
    assert_int_equal(ns_of(result.time_ps), 115);
    assert_int_equal(ns_of(result.task[0].computing_ps), 115);
    vef_replay_result_release(&result);
    script_free(s);
}

static void test_time_does_not_drift(void **state) {
    (void)state;
    /* Cycles of 32 ns, a thousand gaps of 10 ns, which are no cycles. */
    script *s = script_new(1);
    for (int i = 0; i < 1000; i++)
        say_local(s, 0, 10, VEF_CALL_Pcontrol);
    say_finalize_all(s);
    const char *slow = "model: ideal\nlink: {bandwidth: 1 Gbit/s, phit: 4 B}\n";
    assert_int_equal(time_of(s, slow, NULL), 10000);
    vef_replay_options options = vef_replay_defaults();
    options.host.compute_scale = 2;
    assert_int_equal(time_of(s, slow, &options), 20000);
    options.host.compute_scale = 0.5;
    assert_int_equal(time_of(s, slow, &options), 5000);
    options.host.compute_scale = 0;
    assert_int_equal(time_of(s, slow, &options), 0);
    script_free(s);
}

/* The sum of many gaps is that of their fractions: of a million of 31 ns at a third, and of a year
 * and a ns at 3/56000; the simplest fraction that rounds to the scale is the one that was meant. */
static void test_scales_are_exact(void **state) {
    (void)state;
    vef_time_scale scale;
    vef_error error;
    uint64_t remainder = 0, sum = 0;
    assert_int_equal(vef_time_scale_make(1 / 3.0, &scale, &error), VEF_OK);
    for (int i = 0; i < 1000000; i++)
        sum += vef_time_scale_ps(&scale, 31, &remainder);
    assert_int_equal(sum, UINT64_C(31000000) * 1000 / 3);
    assert_int_equal(vef_time_scale_make(0.333333, &scale, &error), VEF_OK);
    assert_int_equal(scale.numerator, 333333);
    assert_int_equal(scale.denominator, 1000);
    const uint64_t year = UINT64_C(31536000000000000);
    remainder = 0;
    assert_int_equal(vef_time_scale_make(3 / 56000.0, &scale, &error), VEF_OK);
    assert_int_equal(vef_time_scale_ps(&scale, year, &remainder), year * 3 / 56);
    assert_int_equal(vef_time_scale_ps(&scale, 1, &remainder), (year + 1) * 3 / 56 - year * 3 / 56);
    assert_int_equal(vef_time_scale_make(1 << 20, &scale, &error), VEF_OK);
    assert_int_equal(scale.numerator, 1000 << 20);
    assert_int_equal(vef_time_scale_make(-1, &scale, &error), VEF_INVALID);
}

static void test_collectives_end_with_the_last_entry(void **state) {
    (void)state;
    static const vef_call calls[] = {VEF_CALL_Barrier,    VEF_CALL_Allreduce, VEF_CALL_Allgather,
                                     VEF_CALL_Alltoall,   VEF_CALL_Comm_dup,  VEF_CALL_Comm_split,
                                     VEF_CALL_Cart_create};
    static const uint64_t entries[] = {30, 5, 77, 12, 60, 2, 0};
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        for (uint32_t tasks = 1; tasks <= 7; tasks++)
            for (uint64_t bytes = 8; bytes <= 1 << 20; bytes <<= 17) {
                script *s = script_new(tasks);
                uint64_t latest = 0;
                for (uint32_t task = 0; task < tasks; task++) {
                    say_collective(s, task, entries[task], calls[i], 0, -1, bytes);
                    latest = entries[task] > latest ? entries[task] : latest;
                }
                say_finalize_all(s);
                vef_replay_result result = replay_of(s, script_ideal, NULL, NULL);
                assert_int_equal(result.stall, VEF_STALL_NONE);
                for (uint32_t task = 0; task < tasks; task++)
                    assert_int_equal(ns_of(result.task[task].end_ps), latest);
                vef_replay_result_release(&result);
                script_free(s);
            }
}

static void test_rooted_collectives(void **state) {
    (void)state;
    /* No task leaves a broadcast before the root has entered; the root leaves a reduction after the
     * last. On a separate communicator, with ranks in another order than the tasks. */
    static const uint32_t members[] = {3, 1, 2};
    script *s = script_new(4);
    uint32_t comm = script_comm(s, 3, members);
    for (uint32_t rank = 0; rank < 3; rank++) {
        uint32_t task = members[rank];
        say_collective(s, task, 10 * task, VEF_CALL_Bcast, comm, 2, 64); /* root: task 2, at 20 */
        say_collective(s, task, 100 * rank, VEF_CALL_Reduce, comm, 0, 64);
    }
    say_finalize_all(s);
    vef_replay_result result = replay_of(s, script_ideal, NULL, NULL);
    assert_int_equal(result.stall, VEF_STALL_NONE);
    /* Task 3, rank 0, leaves the broadcast at 30; ranks 1 and 2 leave it at 20 and enter the
     * reduction at 120 and 220. */
    assert_int_equal(ns_of(result.task[3].end_ps), 220);
    assert_int_equal(ns_of(result.task[1].end_ps), 120);
    assert_int_equal(ns_of(result.task[2].end_ps), 220);
    assert_int_equal(ns_of(result.task[0].end_ps), 0);
    vef_replay_result_release(&result);
    script_free(s);
}

/* Only the members of the new communicator enter its creation; the others go on. */
static void test_comm_create_group(void **state) {
    (void)state;
    static const uint32_t members[] = {2, 0};
    script *s = script_new(3);
    uint32_t comm = script_comm(s, 2, members);
    for (int i = 0; i < 2; i++)
        say_collective(s, members[i], 10 * (uint64_t)(i + 1), VEF_CALL_Comm_create_group, 0, -1, 0)
            ->new_comm = comm;
    say_collective(s, 1, 3, VEF_CALL_Comm_create_group, 0, -1, 0); /* MPI_COMM_NULL: no member */
    for (int i = 0; i < 2; i++) {
        say_collective(s, members[i], 1, VEF_CALL_Allreduce, comm, -1, 8);
        say_collective(s, members[i], 10 * (uint64_t)i, VEF_CALL_Comm_free, comm, -1, 0);
    }
    say_finalize_all(s);
    vef_replay_result result = replay_of(s, script_ideal, NULL, NULL);
    assert_int_equal(result.stall, VEF_STALL_NONE);
    assert_int_equal(ns_of(result.task[1].end_ps), 3);
    assert_int_equal(ns_of(result.task[2].end_ps), 21);
    assert_int_equal(ns_of(result.task[0].end_ps), 31); /* Comm_free waits for no other task */
    vef_replay_result_release(&result);
    script_free(s);
}

/* Tasks 0 and 2 on one side, 3 and 1 on the other, entering at 10 times their number. A barrier
 * lets nobody leave before the last; a broadcast of task 0 goes to task 3, the first of the other
 * group, which hands it on, and does not concern task 2. */
static void test_between_two_groups(void **state) {
    (void)state;
    static const uint32_t remote[] = {3, 1};
    static const int32_t roots[] = {VEF_ROOT_HERE, 0, VEF_ROOT_BESIDE, 0};
    static const uint64_t ends[2][4] = {{30, 30, 30, 30}, {0, 30, 20, 30}};
    for (int broadcast = 0; broadcast < 2; broadcast++) {
        script *s = script_new(4);
        uint32_t comm = script_comm(s, 2, (const uint32_t[]){0, 2});
        s->comms[comm].remote_size = 2;
        s->comms[comm].remote_members = remote;
        for (uint32_t task = 0; task < 4; task++)
            say_collective(s, task, 10 * task, broadcast ? VEF_CALL_Bcast : VEF_CALL_Barrier, comm,
                           broadcast ? roots[task] : -1, 64);
        say_finalize_all(s);
        vef_replay_result result = replay_of(s, script_ideal, NULL, NULL);
        assert_int_equal(result.stall, VEF_STALL_NONE);
        for (uint32_t task = 0; task < 4; task++)
            assert_int_equal(ns_of(result.task[task].end_ps), ends[broadcast][task]);
        vef_replay_result_release(&result);
        script_free(s);
    }
}

static void test_calls_that_the_trace_lacks_are_named(void **state) {
    (void)state;
    uint64_t *counts = calloc(vef_call_count(), sizeof *counts);
    assert_non_null(counts);
    script *s = script_new(1);
    counts[vef_call_find("Win_create")] = 3;
    s->source.not_recorded = counts;
    vef_replay_result result = replay_of(s, script_ideal, NULL, NULL);
    assert_non_null(strstr(result.approximations, "3 calls of MPI_Win_create"));
    vef_replay_result_release(&result);
    script_free(s);
    free(counts);
}

/* Recursive doubling of 8 tasks, 8 bytes, all at once: three rounds, each a send and a receive. On
 * the ideal network only overheads take time: a round is the sender's, then the receiver's, then
 * the reduction of 8 bytes. */
static void test_overheads_of_a_collective(void **state) {
    (void)state;
    script *s = script_new(8);
    for (uint32_t task = 0; task < 8; task++)
        say_collective(s, task, 0, VEF_CALL_Allreduce, 0, -1, 8);
    say_finalize_all(s);
    vef_replay_options options = vef_replay_defaults();
    options.host.send_overhead = vef_cost_of(100, 0);
    options.host.receive_overhead = vef_cost_of(10, 0);
    options.host.reduce_ns_per_byte = 0.5;
    vef_replay_result result = replay_of(s, script_ideal, &options, NULL);
    assert_int_equal(ns_of(result.time_ps), 3 * (100 + 10 + 4));
    assert_int_equal(result.messages, 24);
    assert_int_equal(ns_of(result.task[0].overhead_ps), 3 * (100 + 10 + 4));
    vef_replay_result_release(&result);
    script_free(s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_longest_chain),
        cmocka_unit_test(test_empty_and_alone),
        cmocka_unit_test(test_ends_without_finalize),
        cmocka_unit_test(test_waitany_waits_for_what_was_completed),
        cmocka_unit_test(test_freed_and_open_ended_requests),
        cmocka_unit_test(test_many_requests),
        cmocka_unit_test(test_polls),
        cmocka_unit_test(test_probe),
        cmocka_unit_test(test_probe_of_unmatched),
        cmocka_unit_test(test_threads_compute_at_once),
        cmocka_unit_test(test_time_does_not_drift),
        cmocka_unit_test(test_scales_are_exact),
        cmocka_unit_test(test_collectives_end_with_the_last_entry),
        cmocka_unit_test(test_rooted_collectives),
        cmocka_unit_test(test_comm_create_group),
        cmocka_unit_test(test_between_two_groups),
        cmocka_unit_test(test_calls_that_the_trace_lacks_are_named),
        cmocka_unit_test(test_overheads_of_a_collective),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
