/* Series of unsuccessful tests and probes (docs/semantics.md, Polling), by hand: which of their
 * time is computation. On the ideal network every value is a sum and a maximum. Cycles are 1 ns. */
#include "tests/replay/script.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

enum { LATE = 1000000 };

static vef_event *polls(script *s, uint64_t gap, uint64_t repeats, uint64_t inside) {
    vef_event *event = say_poll(s, 0, gap, VEF_CALL_Test, repeats);
    event->duration_ns = inside;
    return event;
}

static vef_replay_result replayed(script *s) {
    say_finalize_all(s);
    vef_replay_result result = replay_of(s, script_ideal, NULL, NULL);
    assert_int_equal(result.stall, VEF_STALL_NONE);
    script_free(s);
    return result;
}

static void ends_at(script *s, uint64_t end, uint64_t computing) {
    vef_replay_result result = replayed(s);
    assert_int_equal(ns_of(result.task[0].end_ps), end);
    assert_int_equal(ns_of(result.task[0].computing_ps), computing);
    vef_replay_result_release(&result);
}

/* A series that the program ends by itself takes its gaps and the time inside it, or what the trace
 * says of the whole; also where it polls several requests in turn, or the call after it waits. */
static void test_ended_locally(void **state) {
    (void)state;
    script *s = script_new(1);
    polls(s, 5000, 50, 300);
    polls(s, 40, 1, 60);
    polls(s, 7000, 2, 500);
    say_local(s, 0, 90, VEF_CALL_Pcontrol);
    ends_at(s, 5000 + 300 + 40 + 60 + 7000 + 500 + 90, 12990);

    s = script_new(1);
    polls(s, 5000, 50, 300);
    polls(s, 40, 1, 60)->series_ns = 20000;
    say_local(s, 0, 90, VEF_CALL_Pcontrol);
    ends_at(s, 20090, 20090);

    s = script_new(2);
    uint64_t request = say_ireceive(s, 0, 0, 1);
    say_send(s, 1, 10000, 0, 8, 0);
    polls(s, 200, 2, 300);
    say_wait(s, 0, 10, VEF_CALL_Wait, 1, &request);
    ends_at(s, 10000, 510);
    /* A test of no active request succeeds, but no message has come. */
    s = script_new(1);
    polls(s, 200, 2, 300);
    say_wait(s, 0, 10, VEF_CALL_Test, 0, NULL);
    ends_at(s, 510, 510);
}

/* One that a message ends takes as long as that needs here, whatever it took; computation between
 * polls stays. */
static void test_ended_by_a_message(void **state) {
    (void)state;
    for (uint64_t sent = 10; sent <= LATE; sent *= 100) {
        script *s = script_new(2);
        say_send(s, 1, sent, 0, 8, 0);
        uint64_t request = say_ireceive(s, 0, 0, 1);
        polls(s, 3000, 1, 100);
        polls(s, 5000, 50, 30000);
        say_wait(s, 0, 90, VEF_CALL_Test, 1, &request);
        ends_at(s, sent > 3000 ? sent : 3000, 3000);

        s = script_new(2);
        say_send(s, 1, sent, 0, 8, 0);
        polls(s, 5000, 50, 30000);
        vef_operation seen = {.peer = 1, .request = VEF_NO_REQUEST};
        say(s, 0, &(vef_event){.call = VEF_CALL_Iprobe, .operations = &seen, .operation_count = 1});
        say_receive(s, 0, 0, 1);
        ends_at(s, sent, 0);

        s = script_new(2); /* an import without results of probes */
        say_send(s, 1, sent, 0, 8, 0);
        polls(s, 5000, 50, 30000)->call = VEF_CALL_Iprobe;
        say_receive(s, 0, 0, 1);
        ends_at(s, sent, 0);
    }
}

/* What other threads computed while the task polled for a message is due at the next local event,
 * and at the end: 8,000 from the begin of the series, or 400 after a late message. */
static void test_computation_beside(void **state) {
    (void)state;
    for (int finalize = 0; finalize < 2; finalize++)
        for (uint64_t sent = 10; sent <= LATE; sent *= 100) {
            script *s = script_new(2);
            say_send(s, 1, sent, 0, 8, 0);
            uint64_t request = say_ireceive(s, 0, 500, 1);
            request = say_ireceive(s, 0, 0, 1);
            say_send(s, 1, 0, 0, 8, 0);
            polls(s, 5000, 50, 30000)->series_ns = 8000;
            say_wait(s, 0, 0, VEF_CALL_Test, 1, &request);
            say_send(s, 0, 0, 1, 8, 0); /* goes at once */
            say_receive(s, 1, 0, 0);
            if (!finalize) {
                polls(s, 100, 1, 300);
                say_local(s, 0, 0, VEF_CALL_Pcontrol);
            }
            uint64_t arrives = sent > 500 ? sent : 500, own = finalize ? 0 : 400;
            vef_replay_result result = replayed(s);
            assert_int_equal(ns_of(result.task[1].end_ps), arrives);
            assert_int_equal(ns_of(result.task[0].end_ps), (arrives > 8500 ? arrives : 8500) + own);
            vef_replay_result_release(&result);
        }
}

/* A test that succeeded between computation, which the program would have done without: ten slices
 * before it, five after it, then a send. With the message early, in between and late. */
static void test_success_between_computation(void **state) {
    (void)state;
    enum { SLICE = 20000 };
    for (uint64_t sent = 0; sent < 600000; sent += 150000) {
        script *s = script_new(2);
        say_send(s, 1, sent, 0, 8, 0);
        uint64_t request = say_ireceive(s, 0, 0, 1);
        polls(s, 10 * SLICE, 10, 0);
        say_wait(s, 0, SLICE, VEF_CALL_Test, 1, &request);
        for (int i = 0; i < 5; i++)
            say_wait(s, 0, SLICE, VEF_CALL_Test, 0, NULL);
        say_send(s, 0, SLICE, 1, 8, 0);
        say_local(s, 0, SLICE, VEF_CALL_Pcontrol);
        say_receive(s, 1, 0, 0);
        vef_replay_result result = replayed(s);
        uint64_t goes = sent > 17 * SLICE ? sent : 17 * SLICE;
        assert_int_equal(ns_of(result.task[1].end_ps), goes);
        assert_int_equal(ns_of(result.task[0].end_ps), goes + SLICE);
        vef_replay_result_release(&result);
    }
    /* Polls that spin wait: the five slices follow the message. */
    script *s = script_new(2);
    say_send(s, 1, 300000, 0, 8, 0);
    uint64_t request = say_ireceive(s, 0, 0, 1);
    polls(s, 1000, 10, 0);
    say_wait(s, 0, 10, VEF_CALL_Test, 1, &request);
    for (int i = 0; i < 5; i++)
        say_wait(s, 0, SLICE, VEF_CALL_Test, 0, NULL);
    ends_at(s, 300000 + 5 * SLICE, 5 * SLICE);
}

/* A thread that only polls, until the task ends, costs nothing, whether it spins or sleeps between
 * polls; nor do polls during which another thread makes the calls that this one waits for. */
static void test_polling_threads(void **state) {
    (void)state;
    for (uint64_t gap = 100; gap <= 1000000; gap *= 100) {
        script *s = script_new(1);
        say_local(s, 0, 7000, VEF_CALL_Pcontrol);
        script_thread_of(s, 0, 1);
        polls(s, 1000 * gap, 1000, 1000000);
        ends_at(s, 7000, 7000);
    }
    for (int foreign = 0; foreign < 2; foreign++) {
        script *s = script_new(2);
        say_send(s, 1, 2000, 0, 8, 0);
        script_ticks(s, 0, say_receive(s, 0, 0, 1), 4, 5);
        script_ticks(s, 0, say_local(s, 0, 0, VEF_CALL_Finalize), 60, 61);
        script_thread_of(s, 0, 1);
        script_ticks(s, 0, polls(s, 1000, 10, 9000), foreign ? 0 : 6, foreign ? 21 : 25);
        script_ticks(s, 0, say_local(s, 0, 0, VEF_CALL_Pcontrol), foreign ? 22 : 26, 40);
        say_local(s, 1, 0, VEF_CALL_Finalize);
        vef_replay_result result = replay_of(s, script_ideal, NULL, NULL);
        assert_int_equal(ns_of(result.task[0].end_ps), foreign ? 2000 : 2000 + 10000);
        vef_replay_result_release(&result);
        script_free(s);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ended_locally),
        cmocka_unit_test(test_ended_by_a_message),
        cmocka_unit_test(test_computation_beside),
        cmocka_unit_test(test_success_between_computation),
        cmocka_unit_test(test_polling_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
