/* Requests that begin, go on or end in other ways than a plain Isend or Irecv: partitioned and
 * generalised ones, those of two operations, those that are looked at and stay. And time outside.
 * By hand: on the ideal network every time is a sum and a maximum. */
#include "tests/replay/script.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

static const uint64_t LARGE = 100000; /* by rendezvous */

static vef_replay_result replay_to_end(script *s, const vef_replay_options *options) {
    say_finalize_all(s);
    vef_replay_result result = replay_of(s, script_ideal, options, NULL);
    if (result.stall != VEF_STALL_NONE)
        fail_msg("stalled: %s", result.stall_text);
    script_free(s);
    return result;
}

/* The data go when the last partition is ready, at 10 + 20 + 30, whenever the receive was started;
 * the sender's own wait is for an eager send, or for the receive. */
static void test_partitioned(void **state) {
    (void)state;
    for (int large = 0; large < 2; large++)
        for (uint64_t posted = 5; posted <= 500; posted += 495) {
            script *s = script_new(2);
            uint64_t sent = say_partitioned(s, 0, 10, 1, large ? LARGE : 800, true);
            say_ready(s, 0, 20, sent, false);
            say_ready(s, 0, 30, sent, true);
            say_wait(s, 0, 40, VEF_CALL_Wait, 1, &sent);
            uint64_t received = say_partitioned(s, 1, posted, 0, 0, false);
            say_wait(s, 1, 0, VEF_CALL_Wait, 1, &received);
            vef_replay_result result = replay_to_end(s, NULL);
            assert_int_equal(ns_of(result.task[1].end_ps), posted > 60 ? posted : 60);
            assert_int_equal(ns_of(result.task[0].end_ps), large && posted > 100 ? posted : 100);
            assert_int_equal(result.messages, 1);
            assert_non_null(strstr(result.approximations, "1 partitioned sends"));
            vef_replay_result_release(&result);
        }
}

/* The overhead of the send is paid when its data are sent; a wait before that is for the thread
 * that will ready them, here for none. */
static void test_partitioned_overhead_and_stall(void **state) {
    (void)state;
    vef_replay_options options = vef_replay_defaults();
    options.host.send_overhead = vef_cost_of(7, 0);
    script *s = script_new(2);
    uint64_t sent = say_partitioned(s, 0, 10, 1, 800, true);
    say_wait(s, 0, 0, VEF_CALL_Request_free, 1, &sent); /* freed: the data go all the same */
    say_ready(s, 0, 20, sent, false);
    say_ready(s, 0, 30, sent, true);
    say_receive(s, 1, 0, 0);
    vef_replay_result result = replay_to_end(s, &options);
    assert_int_equal(ns_of(result.task[0].overhead_ps), 7);
    assert_int_equal(ns_of(result.task[1].end_ps), 67);
    vef_replay_result_release(&result);

    s = script_new(2);
    sent = say_partitioned(s, 0, 10, 1, 800, true);
    say_wait(s, 0, 0, VEF_CALL_Wait, 1, &sent);
    say_receive(s, 1, 0, 0);
    say_finalize_all(s);
    result = replay_of(s, script_ideal, NULL, NULL);
    assert_int_equal(result.stall, VEF_STALL_TASK_CYCLE);
    assert_non_null(strstr(result.stall_text, "request 0"));
    vef_replay_result_release(&result);
    script_free(s);
}

/* Parrived looks, and the wait after it has nothing left to wait for. */
static void test_looking_leaves_the_request(void **state) {
    (void)state;
    static const vef_call looks[] = {VEF_CALL_Request_get_status, VEF_CALL_Parrived};
    for (size_t i = 0; i < 2; i++) {
        script *s = script_new(2);
        say_send(s, 0, 100, 1, 800, 0);
        uint64_t request = i ? say_partitioned(s, 1, 0, 0, 0, false) : say_ireceive(s, 1, 0, 0);
        say_poll(s, 1, 40, looks[i], 10);
        say_wait(s, 1, 0, looks[i], 1, &request);
        say_local(s, 1, 10, VEF_CALL_Pcontrol);
        say_wait(s, 1, 5, VEF_CALL_Wait, 1, &request);
        vef_replay_result result = replay_to_end(s, NULL);
        assert_int_equal(ns_of(result.task[1].end_ps), 115);
        assert_int_equal(ns_of(result.task[1].waiting_ps), 100);
        vef_replay_result_release(&result);
    }
}

static void test_generalised(void **state) {
    (void)state;
    script *s = script_new(1);
    uint64_t request = say_generalised(s, 0, 10), other = say_generalised(s, 0, 0);
    say_generalised_end(s, 0, 20, request);
    say_wait(s, 0, 30, VEF_CALL_Wait, 1, &request);
    say_wait(s, 0, 0, VEF_CALL_Request_free, 1, &other);
    vef_replay_result result = replay_to_end(s, NULL);
    assert_int_equal(ns_of(result.time_ps), 60);
    assert_int_equal(result.messages, 0);
    vef_replay_result_release(&result);
    /* Completed by another thread, 500 after its start, while the first waits. */
    s = script_new(1);
    request = say_generalised(s, 0, 10);
    script_ticks(s, 0, say_wait(s, 0, 5, VEF_CALL_Wait, 1, &request), 2, 5);
    script_thread_of(s, 0, 1);
    script_ticks(s, 0, say_generalised_end(s, 0, 500, request), 3, 4);
    result = replay_to_end(s, NULL);
    assert_int_equal(ns_of(result.time_ps), 500);
    vef_replay_result_release(&result);
}

/* One request of two operations: complete when the later of them is. Both tasks exchange; task 1
 * starts at 70 and receives what was sent at 10. */
static void test_isendrecv(void **state) {
    (void)state;
    for (int large = 0; large < 2; large++)
        for (int overhead = 0; overhead < 2; overhead++) {
            vef_replay_options options = vef_replay_defaults();
            options.host.receive_overhead = vef_cost_of(overhead ? 3 : 0, 0);
            script *s = script_new(2);
            for (uint32_t task = 0; task < 2; task++) {
                uint64_t request =
                    say_isendrecv(s, task, 10 + 60 * task, 1 - task, large ? LARGE : 8, 1 - task);
                say_wait(s, task, 5, VEF_CALL_Wait, 1, &request);
            }
            vef_replay_result result = replay_to_end(s, &options);
            const uint64_t cost = overhead ? 3 : 0;
            assert_int_equal(ns_of(result.task[0].end_ps), 70 + cost);
            assert_int_equal(ns_of(result.task[1].end_ps), 75 + cost);
            assert_int_equal(ns_of(result.task[0].overhead_ps), cost);
            assert_int_equal(ns_of(result.task[1].overhead_ps), cost);
            vef_replay_result_release(&result);
        }
}

/* The send of one is received long after its receive is complete: the wait is for both, and pays
 * for the receive before. */
static void test_isendrecv_waits_for_both(void **state) {
    (void)state;
    vef_replay_options options = vef_replay_defaults();
    options.host.receive_overhead = vef_cost_of(3, 0);
    script *s = script_new(3);
    uint64_t request = say_isendrecv(s, 0, 0, 1, LARGE, 2);
    say_wait(s, 0, 0, VEF_CALL_Wait, 1, &request);
    say_receive(s, 1, 1000, 0);
    say_send(s, 2, 50, 0, 8, 0);
    vef_replay_result result = replay_to_end(s, &options);
    assert_int_equal(ns_of(result.task[0].end_ps), 1000);
    assert_int_equal(ns_of(result.task[0].overhead_ps), 3);
    assert_int_equal(ns_of(result.task[0].waiting_ps), 997);
    vef_replay_result_release(&result);
}

/* Time in calls that the trace does not hold passes whatever the scale of computation, and is a
 * part of its own; before Init nothing counts. */
static void test_outside(void **state) {
    (void)state;
    for (int left_out = 0; left_out < 2; left_out++)
        for (uint64_t scale = 0; scale <= 2; scale++) {
            script *s = script_new(2);
            say_local(s, 0, 50, VEF_CALL_Init)->outside_ns = 1000;
            say_send(s, 0, 10, 1, 8, 0)->outside_ns = 300;
            say_local(s, 0, 10, VEF_CALL_Pcontrol)->outside_ns = 40;
            say_receive(s, 1, 0, 0);
            vef_replay_options options = vef_replay_defaults();
            options.host.compute_scale = (double)scale;
            options.host.outside = !left_out;
            vef_replay_result result = replay_to_end(s, &options);
            const uint64_t outside = left_out ? 0 : 300;
            assert_int_equal(ns_of(result.task[0].outside_ps), left_out ? 0 : 340);
            assert_int_equal(ns_of(result.task[0].computing_ps), 20 * scale);
            assert_int_equal(ns_of(result.task[1].end_ps), 10 * scale + outside);
            assert_non_null(strstr(result.approximations, left_out ? "left out" : "as recorded"));
            vef_replay_result_release(&result);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_partitioned),
        cmocka_unit_test(test_partitioned_overhead_and_stall),
        cmocka_unit_test(test_looking_leaves_the_request),
        cmocka_unit_test(test_generalised),
        cmocka_unit_test(test_isendrecv),
        cmocka_unit_test(test_isendrecv_waits_for_both),
        cmocka_unit_test(test_outside),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
