/* Messages of a replay, by hand: between two neighbouring routers a message of F phits sent at t is
 * delivered at t + 1 + F when nothing interferes (netmodel/MODEL.md: one hop of one cycle; its
 * packets follow each other without a gap; the last phit is consumed in the cycle before). A
 * rendezvous puts a request and a clearance of 32 bytes, 8 phits, before it: 9 cycles each. */
#include "tests/replay/script.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

static uint64_t flight(uint64_t bytes) {
    return 1 + (bytes ? (bytes + 3) / 4 : 1);
}

enum { CONTROL = 1 + 32 / 4 };

static void test_ping_pong(void **state) {
    (void)state;
    static const uint64_t sizes[] = {0, 1, 4, 5, 63, 64, 65, 128, 1000, 4096, 65536};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        script *s = script_new(2);
        for (int round = 0; round < 5; round++) {
            say_send(s, 0, 7, 1, sizes[i], 0);
            say_receive(s, 1, 0, 0);
            say_send(s, 1, 3, 0, sizes[i], 0);
            say_receive(s, 0, 0, 1);
        }
        say_finalize_all(s);
        assert_int_equal(time_of(s, script_pair, NULL), 5 * (7 + 3 + 2 * flight(sizes[i])));
        assert_int_equal(time_of(s, script_ideal, NULL), 5 * (7 + 3));
        script_free(s);
    }
}

/* The sender of a message whose receiver posts at `posted`. */
static vef_replay_result one_message(uint64_t bytes, uint16_t flags, uint64_t posted,
                                     uint64_t eager_bytes) {
    script *s = script_new(2);
    say_send(s, 0, 0, 1, bytes, flags);
    say_receive(s, 1, posted, 0);
    say_finalize_all(s);
    vef_replay_options options = vef_replay_defaults();
    options.eager_bytes = eager_bytes;
    vef_replay_result result = replay_of(s, script_pair, &options, NULL);
    assert_int_equal(result.stall, VEF_STALL_NONE);
    assert_int_equal(result.messages, 1);
    script_free(s);
    return result;
}

static void check_message(uint64_t bytes, uint16_t flags, uint64_t posted, bool eager) {
    vef_replay_result result = one_message(bytes, flags, posted, 1000);
    const vef_task_result *sender = &result.task[0], *receiver = &result.task[1];
    uint64_t arrived = posted > CONTROL ? posted : CONTROL;
    uint64_t expected = eager ? flight(bytes) : arrived + CONTROL + flight(bytes);
    assert_int_equal(result.network.messages, eager ? 1 : 3);
    assert_int_equal(ns_of(sender->end_ps), eager ? 0 : expected);
    assert_int_equal(ns_of(receiver->end_ps), expected > posted ? expected : posted);
    assert_int_equal(ns_of(receiver->computing_ps), posted);
    assert_int_equal(ns_of(receiver->waiting_ps), 0);
    if (!eager) /* until the receive was posted the sender was waiting */
        assert_int_equal(ns_of(sender->waiting_ps), posted);
    vef_replay_result_release(&result);
}

static void test_threshold(void **state) {
    (void)state;
    check_message(1000, 0, 0, true);
    check_message(1001, 0, 0, false);
    check_message(1000, 0, 5000, true);
    check_message(1001, 0, 500, false);
    check_message(1001, 0, 4, false);
}

static void test_modes(void **state) {
    (void)state;
    check_message(8, VEF_OP_SYNCHRONOUS, 0, false);
    check_message(0, VEF_OP_SYNCHRONOUS, 100, false);
    check_message(100000, VEF_OP_BUFFERED, 0, true);
    check_message(100000, VEF_OP_READY, 0, true);
}

static void test_receiver_waits_for_a_late_sender(void **state) {
    (void)state;
    script *s = script_new(2);
    say_send(s, 0, 400, 1, 400, 0);
    say_receive(s, 1, 100, 0);
    say_finalize_all(s);
    vef_replay_result result = replay_of(s, script_pair, NULL, NULL);
    assert_int_equal(ns_of(result.task[1].computing_ps), 100);
    assert_int_equal(ns_of(result.task[1].waiting_ps), 300);
    assert_int_equal(ns_of(result.task[1].communicating_ps), flight(400));
    vef_replay_result_release(&result);
    script_free(s);
}

/* LogP without a network between: o of the sender, the flight, o of the receiver. */
static void test_overheads(void **state) {
    (void)state;
    script *s = script_new(2);
    uint64_t requests[3];
    for (int i = 0; i < 3; i++)
        say_send(s, 0, 0, 1, 40, 0);
    for (int i = 0; i < 3; i++)
        requests[i] = say_ireceive(s, 1, 0, 0);
    say_wait(s, 1, 0, VEF_CALL_Waitall, 3, requests);
    say_finalize_all(s);
    vef_replay_options options = vef_replay_defaults();
    options.host.send_overhead = vef_cost_of(100, 0);
    options.host.receive_overhead = vef_cost_of(30, 0);
    vef_replay_result result = replay_of(s, script_pair, &options, NULL);
    assert_int_equal(ns_of(result.task[0].end_ps), 300);
    assert_int_equal(ns_of(result.task[0].overhead_ps), 300);
    assert_int_equal(ns_of(result.task[1].end_ps), 300 + flight(40) + 30);
    assert_int_equal(ns_of(result.task[1].overhead_ps), 90);
    vef_replay_result_release(&result);
    /* All there before the wait: three overheads one after the other. */
    script_free(s);
    s = script_new(2);
    for (int i = 0; i < 3; i++)
        say_send(s, 0, 0, 1, 40, 0);
    for (int i = 0; i < 3; i++)
        requests[i] = say_ireceive(s, 1, 0, 0);
    say_wait(s, 1, 5000, VEF_CALL_Waitall, 3, requests);
    say_finalize_all(s);
    assert_int_equal(time_of(s, script_pair, &options), 5000 + 90);
    script_free(s);
}

static void test_wildcards_are_settled(void **state) {
    (void)state;
    /* Task 2 takes task 1's message first, as recorded, though task 0's is there long before. */
    script *s = script_new(3);
    say_send(s, 0, 10, 2, 8, 0);
    say_send(s, 1, 900, 2, 8, 0);
    operation_of(say_receive(s, 2, 0, 1), 0)->flags |= VEF_OP_ANY_SOURCE;
    operation_of(say_receive(s, 2, 50, 0), 0)->flags |= VEF_OP_ANY_SOURCE;
    say_finalize_all(s);
    assert_int_equal(time_of(s, script_ideal, NULL), 950);
    script_free(s);
    /* By tag: the second message of a sender is taken before its first. */
    s = script_new(2);
    say_send(s, 0, 10, 1, 8, 0);
    say_send(s, 0, 90, 1, 8, 0);
    operation_of(say_receive(s, 1, 0, 0), 0)->ordinal = 1;
    operation_of(say_receive(s, 1, 5, 0), 0)->ordinal = 0;
    say_finalize_all(s);
    assert_int_equal(time_of(s, script_ideal, NULL), 105);
    script_free(s);
}

static void test_waitall_overlaps(void **state) {
    (void)state;
    /* 4,000 bytes take 1,001 cycles, all of them behind 3,000 cycles of computation. */
    script *s = script_new(2);
    for (uint32_t task = 0; task < 2; task++) {
        uint64_t requests[] = {say_ireceive(s, task, 0, 1 - task),
                               say_isend(s, task, 0, 1 - task, 4000, 0)};
        say_wait(s, task, 3000, VEF_CALL_Waitall, 2, requests);
    }
    say_finalize_all(s);
    assert_int_equal(time_of(s, script_pair, NULL), 3000);
    vef_replay_options options = vef_replay_defaults();
    options.host.compute_scale = 0;
    assert_int_equal(time_of(s, script_pair, &options), flight(4000));
    options.host.compute_scale = 2;
    assert_int_equal(time_of(s, script_pair, &options), 6000);
    script_free(s);
}

static void test_sendrecv_ring(void **state) {
    (void)state;
    /* Larger than the threshold: only because both halves go on at once does it not stall. */
    script *s = script_new(8);
    uint64_t latest = 0;
    for (uint32_t task = 0; task < 8; task++) {
        say_sendrecv(s, task, 100 * task, (task + 1) % 8, 100000, (task + 7) % 8);
        latest = 100 * task;
    }
    say_finalize_all(s);
    vef_replay_result result = replay_of(s, script_ideal, NULL, NULL);
    for (uint32_t task = 0; task < 8; task++) {
        uint64_t end = 100 * (task == 7 ? 7 : task + 1); /* itself and both neighbours */
        if (task == 0 || task == 7)
            end = latest;
        assert_int_equal(ns_of(result.task[task].end_ps), end);
    }
    vef_replay_result_release(&result);
    assert_true(time_of(s, script_mesh, NULL) > 700 + 25000);
    script_free(s);
}

static void test_tasks_of_one_endpoint(void **state) {
    (void)state;
    static const uint32_t mapping[] = {0, 0, 1, 1};
    script *s = script_new(4);
    for (uint32_t task = 0; task < 4; task += 2) {
        say_send(s, task, 20, task + 1, 100, 0); /* eager */
        say_receive(s, task + 1, 0, task);
        say_send(s, task, 0, task + 1, 100, VEF_OP_SYNCHRONOUS);
        say_receive(s, task + 1, 30, task);
    }
    say_send(s, 0, 0, 2, 36, 0);
    say_receive(s, 2, 0, 0);
    say_finalize_all(s);
    vef_replay_result result = replay_of(s, script_pair, NULL, mapping);
    assert_int_equal(result.stall, VEF_STALL_NONE);
    assert_int_equal(result.messages, 5);
    assert_int_equal(result.local_messages, 4);
    assert_int_equal(result.network.messages, 1);
    assert_int_equal(ns_of(result.task[0].end_ps), 50);
    assert_int_equal(ns_of(result.time_ps), 50 + flight(36));
    vef_replay_result_release(&result);
    script_free(s);
}

static void test_what_moves_nothing(void **state) {
    (void)state;
    script *s = script_new(2);
    operation_of(say_send(s, 0, 1, 1, 100000, 0), 0)->peer = VEF_NO_TASK;
    operation_of(say_receive(s, 0, 2, 1), 0)->peer = VEF_NO_TASK;
    operation_of(say_receive(s, 0, 4, 1), 0)->flags |= VEF_OP_CANCELLED;
    operation_of(say_receive(s, 0, 8, 1), 0)->flags |= VEF_OP_UNMATCHED;
    vef_operation *unmatched = operation_of(say_send(s, 0, 16, 1, 100000, 0), 0);
    unmatched->flags |= VEF_OP_UNMATCHED;
    unmatched->ordinal = VEF_NO_ORDINAL;
    say_finalize_all(s);
    vef_replay_result result = replay_of(s, script_pair, NULL, NULL);
    assert_int_equal(result.stall, VEF_STALL_NONE);
    assert_int_equal(ns_of(result.time_ps), 31);
    assert_int_equal(result.messages, 1);
    assert_non_null(strstr(result.approximations, "1 receives without a send in the trace"));
    assert_non_null(strstr(result.approximations, "1 sends without a receive in the trace"));
    vef_replay_result_release(&result);
    script_free(s);
}

static void test_impossible_events_are_reported(void **state) {
    (void)state;
    for (int kind = 0; kind < 5; kind++) {
        script *s = script_new(2);
        say_local(s, 0, 0, VEF_CALL_Init);
        vef_event *send = say_send(s, 0, 0, 1, 8, 0);
        if (kind == 0)
            operation_of(send, 0)->peer = 2;
        if (kind == 1)
            operation_of(say_send(s, 0, 0, 1, 8, 0), 0)->ordinal = 0;
        if (kind == 2)
            say_collective(s, 0, 0, VEF_CALL_Barrier, 1, -1, 0);
        if (kind == 3)
            say_collective(s, 0, 0, VEF_CALL_Bcast, 0, 2, 8);
        if (kind == 4)
            say_collective(s, 0, 0, VEF_CALL_Barrier, script_comm(s, 1, &(uint32_t){1}), -1, 0);
        vef_arena arena = {0};
        vef_node *root = NULL;
        vef_netmodel *network = NULL;
        vef_error error = {0};
        assert_int_equal(vef_config_parse(script_ideal, "test", &arena, &root, &error), VEF_OK);
        assert_int_equal(vef_netmodel_create(root, &network, &error), VEF_OK);
        vef_replay_result result;
        assert_int_equal(replay_on(s, network, NULL, NULL, &result, &error), VEF_CORRUPT);
        assert_non_null(strstr(error.message, kind == 0 ? "task 0, event 1" : "task 0, event 2"));
        vef_netmodel_destroy(network);
        vef_arena_release(&arena);
        script_free(s);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ping_pong),
        cmocka_unit_test(test_threshold),
        cmocka_unit_test(test_modes),
        cmocka_unit_test(test_receiver_waits_for_a_late_sender),
        cmocka_unit_test(test_overheads),
        cmocka_unit_test(test_wildcards_are_settled),
        cmocka_unit_test(test_waitall_overlaps),
        cmocka_unit_test(test_sendrecv_ring),
        cmocka_unit_test(test_tasks_of_one_endpoint),
        cmocka_unit_test(test_what_moves_nothing),
        cmocka_unit_test(test_impossible_events_are_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
