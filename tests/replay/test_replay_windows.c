/* One-sided communication of a replay, computed by hand. Between two adjacent routers a message
 * of F phits takes 1 + F cycles (see test_replay_messages.c); one of 32 bytes, such as
 * acknowledgements and window synchronisation, takes CONTROL; messages sent together follow
 * without a gap. */
#include "tests/replay/script.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

enum { PHITS = 32 / 4, CONTROL = 1 + PHITS, NOCHECK = 1024 };

static uint64_t flight(uint64_t bytes) {
    return 1 + (bytes ? (bytes + 3) / 4 : 1);
}

static const int32_t zero[] = {0}, one[] = {1};

static vef_replay_result finish(script *s, const char *network, const uint32_t *mapping) {
    say_finalize_all(s);
    vef_replay_result result = replay_of(s, network, NULL, mapping);
    if (result.stall != VEF_STALL_NONE)
        fail_msg("stalled: %s", result.stall_text);
    script_free(s);
    return result;
}

/* ---- operations ---- */

/* One operation and what completes it: when the origin ends, and the messages in the network. */
static void one_operation(vef_call call, uint64_t bytes, vef_call sync, uint64_t time,
                          uint64_t messages, uint64_t carried) {
    script *s = script_new(2);
    say_one_sided(s, 0, 50, call, 0, 1, bytes);
    if (sync == VEF_CALL_Wait) {
        uint64_t request = 0;
        say_wait(s, 0, 0, sync, 1, &request);
    } else {
        bool every_one = sync == VEF_CALL_Win_flush_all || sync == VEF_CALL_Win_flush_local_all;
        say_sync(s, 0, 0, sync, 0, every_one ? 0 : 1, one);
    }
    vef_replay_result result = finish(s, script_pair, NULL);
    assert_int_equal(ns_of(result.task[0].end_ps), 50 + time);
    assert_int_equal(ns_of(result.task[0].communicating_ps), time);
    assert_int_equal(ns_of(result.task[1].end_ps), 0);
    assert_int_equal(result.messages, messages);
    assert_int_equal(result.message_bytes, carried);
    uint64_t phits = (bytes + 3) / 4;
    if (time) { /* else the program is over before anything is delivered */
        assert_int_equal(result.network.messages, 2);
        assert_int_equal(result.network.phits, messages == 1 ? phits + PHITS : 2 * phits);
    }
    vef_replay_result_release(&result);
}

static void test_operations(void **state) {
    (void)state;
    static const uint64_t sizes[] = {4, 100, 1000, 300000};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        const uint64_t b = sizes[i], there = flight(b);
        static const vef_call remote[] = {VEF_CALL_Win_flush, VEF_CALL_Win_flush_all};
        static const vef_call local[] = {VEF_CALL_Win_flush_local, VEF_CALL_Win_flush_local_all};
        for (int k = 0; k < 2; k++) {
            one_operation(VEF_CALL_Put, b, remote[k], there + CONTROL, 1, b);
            one_operation(VEF_CALL_Accumulate, b, remote[k], there + CONTROL, 1, b);
            one_operation(VEF_CALL_Put, b, local[k], 0, 1, b);
            one_operation(VEF_CALL_Get, b, remote[k], CONTROL + there, 1, b);
            one_operation(VEF_CALL_Get, b, local[k], CONTROL + there, 1, b);
            one_operation(VEF_CALL_Get_accumulate, b, remote[k], 2 * there, 2, 2 * b);
            one_operation(VEF_CALL_Fetch_and_op, b, local[k], 2 * there, 2, 2 * b);
            one_operation(VEF_CALL_Compare_and_swap, b, remote[k], 2 * there, 2, 2 * b);
        }
        one_operation(VEF_CALL_Rput, b, VEF_CALL_Wait, 0, 1, b);
        one_operation(VEF_CALL_Raccumulate, b, VEF_CALL_Wait, 0, 1, b);
        one_operation(VEF_CALL_Rget, b, VEF_CALL_Wait, CONTROL + there, 1, b);
        one_operation(VEF_CALL_Rget_accumulate, b, VEF_CALL_Wait, 2 * there, 2, 2 * b);
    }
}

/* A flush waits for its target alone, and for what was begun before it. */
static void test_flush_waits_for_its_target(void **state) {
    (void)state;
    const uint32_t mapping[] = {0, 1, 0};
    script *s = script_new(3);
    say_one_sided(s, 0, 0, VEF_CALL_Put, 0, 1, 4000);
    say_one_sided(s, 0, 0, VEF_CALL_Put, 0, 2, 4000); /* at the same endpoint: there at once */
    say_sync(s, 0, 0, VEF_CALL_Win_flush, 0, 1, (const int32_t[]){2});
    say_local(s, 0, 0, VEF_CALL_Pcontrol);
    vef_replay_result result = finish(s, script_pair, mapping);
    assert_int_equal(ns_of(result.task[0].end_ps), 0);
    assert_int_equal(result.local_messages, 1);
    assert_int_equal(result.messages, 2);
    vef_replay_result_release(&result);
}

static void test_puts_follow_each_other(void **state) {
    (void)state;
    for (uint64_t n = 1; n <= 5; n++) {
        script *s = script_new(2);
        for (uint64_t i = 0; i < n; i++)
            say_one_sided(s, 0, 0, VEF_CALL_Put, 0, 1, 400);
        say_sync(s, 0, 0, VEF_CALL_Win_flush, 0, 1, one);
        vef_replay_result result = finish(s, script_pair, NULL);
        assert_int_equal(ns_of(result.task[0].end_ps), 1 + n * 100 + CONTROL);
        vef_replay_result_release(&result);
    }
}

/* The origin's processor pays for each; the target's for none. */
static void test_overheads(void **state) {
    (void)state;
    script *s = script_new(2);
    for (int i = 0; i < 3; i++)
        say_one_sided(s, 0, 0, VEF_CALL_Get, 0, 1, 8);
    say_sync(s, 0, 0, VEF_CALL_Win_flush, 0, 1, one);
    say_finalize_all(s);
    vef_replay_options options = vef_replay_defaults();
    options.host.send_overhead = vef_cost_of(100, 0);
    options.host.receive_overhead = vef_cost_of(1000, 0);
    vef_replay_result result = replay_of(s, script_pair, &options, NULL);
    assert_int_equal(ns_of(result.task[0].overhead_ps), 300);
    assert_int_equal(ns_of(result.task[0].end_ps), 300 + CONTROL + flight(8));
    assert_int_equal(ns_of(result.task[1].end_ps), 0);
    vef_replay_result_release(&result);
    script_free(s);
}

/* Two threads of a task: each waits for its own target; for both targets, when both have begun. */
static void test_threads(void **state) {
    (void)state;
    script *s = script_new(2);
    say_one_sided(s, 0, 0, VEF_CALL_Put, 0, 1, 4000);
    say_sync(s, 0, 0, VEF_CALL_Win_flush, 0, 1, one);
    vef_event *flush = script_last(s, 0, 0);
    script_thread_of(s, 0, 1);
    vef_event *put = say_one_sided(s, 0, 200, VEF_CALL_Get, 0, 1, 400);
    vef_event *own = say_sync(s, 0, 0, VEF_CALL_Win_flush_local_all, 0, 0, NULL);
    /* All four at once. */
    script_ticks(s, 0, put, 0, 5);
    script_ticks(s, 0, own, 6, 20);
    script_ticks(s, 0, flush, 3, 30);
    script_thread_of(s, 0, 0);
    vef_replay_result result = finish(s, script_pair, NULL);
    /* The Put of 1000 phits is back at 1001 + CONTROL. The request of the Get follows it on the
     * link, its data come back after the acknowledgement. */
    assert_int_equal(ns_of(result.task[0].end_ps), 1 + 1000 + PHITS + flight(400));
    vef_replay_result_release(&result);
}

/* Operations that another thread begins after the entry of a flush do not concern it: here they are
 * complete long before what the flush waits for. */
static void test_flushes_wait_for_what_was_begun_before(void **state) {
    (void)state;
    const int32_t far[] = {4};
    script *s = script_new(8);
    say_one_sided(s, 0, 0, VEF_CALL_Get, 0, 1, 40000);
    say_sync(s, 0, 0, VEF_CALL_Win_flush_all, 0, 0, NULL);
    vef_event *flush = script_last(s, 0, 0);
    script_thread_of(s, 0, 1);
    vef_event *put = say_one_sided(s, 0, 100, VEF_CALL_Put, 0, 4, 8);
    vef_event *own = say_sync(s, 0, 0, VEF_CALL_Win_flush, 0, 1, far);
    script_ticks(s, 0, put, 0, 5);
    script_ticks(s, 0, own, 6, 20);
    script_ticks(s, 0, flush, 3, 30);
    script_thread_of(s, 0, 0);
    vef_replay_result result = finish(s, script_mesh, NULL);
    assert_true(ns_of(result.task[0].end_ps) >= CONTROL + flight(40000));
    vef_replay_result_release(&result);
}

/* ---- fence ---- */

static void fence(uint64_t puts, uint64_t late, int64_t assertion) {
    script *s = script_new(2);
    for (uint64_t i = 0; i < puts; i++)
        say_one_sided(s, 0, 0, VEF_CALL_Put, 0, 1, 400);
    say_sync(s, 0, 0, VEF_CALL_Win_fence, 0, 0, NULL)->argument = assertion;
    say_sync(s, 1, late, VEF_CALL_Win_fence, 0, 0, NULL)->argument = assertion;
    vef_replay_result result = finish(s, script_pair, NULL);
    uint64_t complete = puts ? 1 + puts * 100 + CONTROL : 0;
    /* Then a barrier of two: each goes on once the other's message, of one phit, is there. */
    uint64_t told[] = {late + flight(0), complete + flight(0)};
    assert_int_equal(ns_of(result.task[0].end_ps), complete > told[0] ? complete : told[0]);
    assert_int_equal(ns_of(result.task[1].end_ps), late > told[1] ? late : told[1]);
    assert_int_equal(result.messages, puts + 2);
    assert_int_equal(result.message_bytes, puts * 400);
    vef_replay_result_release(&result);
}

static void test_fence(void **state) {
    (void)state;
    for (uint64_t puts = 0; puts < 4; puts++) {
        fence(puts, 0, 0);
        fence(puts, 5000, 0);
        fence(puts, 0, 8192 | 16384); /* MPI_MODE_NOPRECEDE, _NOSUCCEED: a barrier all the same */
    }
}

/* ---- post, start, complete, wait ---- */

static void post_start(uint64_t posted, uint64_t started, int64_t assertion) {
    script *s = script_new(2);
    say_sync(s, 1, posted, VEF_CALL_Win_post, 0, 1, zero)->argument = assertion;
    say_sync(s, 1, 0, VEF_CALL_Win_wait, 0, 1, zero);
    say_sync(s, 0, started, VEF_CALL_Win_start, 0, 1, one)->argument = assertion;
    say_one_sided(s, 0, 0, VEF_CALL_Put, 0, 1, 400);
    say_sync(s, 0, 0, VEF_CALL_Win_complete, 0, 1, one);
    vef_replay_result result = finish(s, script_pair, NULL);
    uint64_t heard = assertion ? 0 : posted + CONTROL;
    uint64_t start = started > heard ? started : heard;
    uint64_t complete = start + flight(400) + CONTROL;
    assert_int_equal(ns_of(result.task[0].end_ps), complete);
    uint64_t told = complete + CONTROL;
    assert_int_equal(ns_of(result.task[1].end_ps), told > posted ? told : posted);
    if (posted < complete) {
        assert_int_equal(ns_of(result.task[1].waiting_ps), complete - posted);
        assert_int_equal(ns_of(result.task[1].communicating_ps), CONTROL);
    }
    assert_int_equal(result.network.messages, assertion ? 3 : 4);
    vef_replay_result_release(&result);
}

static void test_post_start_complete_wait(void **state) {
    (void)state;
    post_start(0, 0, 0);
    post_start(700, 0, 0);
    post_start(0, 700, 0);
    post_start(10, 12, 0);
    post_start(0, 0, NOCHECK);
    post_start(700, 5, NOCHECK);
}

/* A star: one target, and origins that begin later and later; the target waits for the last. */
static void test_all_origins_are_waited_for(void **state) {
    (void)state;
    enum { ORIGINS = 5 };
    const int32_t origins[] = {1, 2, 3, 4, 5};
    script *s = script_new(1 + ORIGINS);
    say_sync(s, 0, 0, VEF_CALL_Win_post, 0, ORIGINS, origins);
    say_poll(s, 0, 0, VEF_CALL_Win_test, 7);
    say_sync(s, 0, 0, VEF_CALL_Win_test, 0, ORIGINS, origins);
    for (uint32_t task = 1; task <= ORIGINS; task++) {
        say_sync(s, task, 1000 * task, VEF_CALL_Win_start, 0, 1, zero);
        say_sync(s, task, 0, VEF_CALL_Win_complete, 0, 1, zero);
    }
    vef_replay_result result = finish(s, script_ideal, NULL);
    assert_int_equal(ns_of(result.task[0].end_ps), 1000 * ORIGINS);
    for (uint32_t task = 1; task <= ORIGINS; task++)
        assert_int_equal(ns_of(result.task[task].end_ps), 1000 * task);
    assert_int_equal(result.messages, 0);
    vef_replay_result_release(&result);
}

/* The same epochs repeatedly: each start matches its own post. */
static void test_epochs_follow_each_other(void **state) {
    (void)state;
    enum { EPOCHS = 20, WORK = 300 };
    script *s = script_new(2);
    for (int i = 0; i < EPOCHS; i++) {
        say_sync(s, 1, WORK, VEF_CALL_Win_post, 0, 1, zero);
        say_sync(s, 1, 0, VEF_CALL_Win_wait, 0, 1, zero);
        say_sync(s, 0, 0, VEF_CALL_Win_start, 0, 1, one);
        say_one_sided(s, 0, 0, VEF_CALL_Put, 0, 1, 40);
        say_sync(s, 0, 0, VEF_CALL_Win_complete, 0, 1, one);
    }
    vef_replay_result result = finish(s, script_pair, NULL);
    assert_int_equal(ns_of(result.task[1].end_ps), EPOCHS * (WORK + 3 * CONTROL + flight(40)));
    vef_replay_result_release(&result);
}

/* ---- locks ---- */

static vef_event *lock(script *s, uint32_t task, uint64_t gap, const int32_t *target,
                       bool exclusive) {
    vef_event *event = say_sync(s, task, gap, VEF_CALL_Win_lock, 0, 1, target);
    event->flags = exclusive ? VEF_EVENT_EXCLUSIVE : 0;
    return event;
}

static void test_lock_put_unlock(void **state) {
    (void)state;
    for (int unchecked = 0; unchecked < 2; unchecked++) {
        script *s = script_new(2);
        lock(s, 0, 70, one, true)->argument = unchecked ? NOCHECK : 0;
        say_one_sided(s, 0, 0, VEF_CALL_Put, 0, 1, 400);
        say_sync(s, 0, 0, VEF_CALL_Win_unlock, 0, 1, one);
        vef_replay_result result = finish(s, script_pair, NULL);
        assert_int_equal(ns_of(result.task[0].end_ps),
                         70 + flight(400) + CONTROL + (unchecked ? 0 : 4 * CONTROL));
        assert_int_equal(result.network.messages, unchecked ? 2 : 6);
        vef_replay_result_release(&result);
    }
}

static void test_locks_at_home_take_no_time(void **state) {
    (void)state;
    const uint32_t together[] = {0, 0};
    for (int beside = 0; beside < 2; beside++) {
        script *s = script_new(2);
        lock(s, 0, 5, beside ? one : zero, true);
        say_one_sided(s, 0, 0, VEF_CALL_Get, 0, (uint32_t)beside, 400000);
        say_sync(s, 0, 0, VEF_CALL_Win_unlock, 0, 1, beside ? one : zero);
        vef_replay_result result = finish(s, script_pair, beside ? together : NULL);
        assert_int_equal(ns_of(result.task[0].end_ps), 5);
        assert_int_equal(result.network.messages, 0);
        assert_int_equal(result.local_messages, 1);
        vef_replay_result_release(&result);
    }
}

/* Lockers at one endpoint, the target at the other; each holds the lock for a while. Requests leave
 * together, PHITS apart. */
enum { LOCKERS = 6, HELD = 500 };

static vef_replay_result lockers(bool exclusive) {
    uint32_t mapping[LOCKERS + 1] = {1};
    script *s = script_new(LOCKERS + 1);
    for (uint32_t task = 1; task <= LOCKERS; task++) {
        mapping[task] = 0;
        lock(s, task, 0, zero, exclusive);
        say_sync(s, task, HELD, VEF_CALL_Win_unlock, 0, 1, zero);
    }
    return finish(s, script_pair, mapping);
}

static void test_exclusive_locks_follow_each_other(void **state) {
    (void)state;
    vef_replay_result result = lockers(true);
    uint64_t has = 2 * CONTROL;
    for (uint32_t task = 1; task <= LOCKERS; task++) {
        uint64_t unlocks = has + HELD;
        assert_int_equal(ns_of(result.task[task].end_ps), unlocks + 2 * CONTROL);
        has = unlocks + 2 * CONTROL + PHITS; /* the grant follows the answer to the unlock */
    }
    assert_non_null(strstr(result.approximations, "5 locks"));
    vef_replay_result_release(&result);
}

static void test_shared_locks_are_held_together(void **state) {
    (void)state;
    vef_replay_result result = lockers(false);
    for (uint32_t task = 1; task <= LOCKERS; task++)
        assert_int_equal(ns_of(result.task[task].end_ps), 4 * CONTROL + PHITS * (task - 1) + HELD);
    assert_null(strstr(result.approximations, "locks"));
    vef_replay_result_release(&result);
}

/* A request after a waiting writer waits behind it, as in MPICH's queue. */
static void test_readers_do_not_overtake_a_writer(void **state) {
    (void)state;
    script *s = script_new(4);
    lock(s, 1, 0, zero, false);
    say_sync(s, 1, 1000, VEF_CALL_Win_unlock, 0, 1, zero);
    lock(s, 2, 100, zero, true);
    say_sync(s, 2, 1000, VEF_CALL_Win_unlock, 0, 1, zero);
    lock(s, 3, 200, zero, false);
    say_sync(s, 3, 10, VEF_CALL_Win_unlock, 0, 1, zero);
    vef_replay_result result = finish(s, script_ideal, NULL);
    assert_int_equal(ns_of(result.task[1].end_ps), 1000);
    assert_int_equal(ns_of(result.task[2].end_ps), 2000);
    assert_int_equal(ns_of(result.task[2].waiting_ps), 900);
    assert_int_equal(ns_of(result.task[3].end_ps), 2010);
    vef_replay_result_release(&result);
}

/* Every member at once; an exclusive lock of one of them has to wait, and holds all up. */
static void test_lock_all(void **state) {
    (void)state;
    script *s = script_new(4);
    say_sync(s, 1, 0, VEF_CALL_Win_lock_all, 0, 0, NULL);
    say_sync(s, 1, 1000, VEF_CALL_Win_unlock_all, 0, 0, NULL);
    say_sync(s, 2, 0, VEF_CALL_Win_lock_all, 0, 0, NULL);
    say_sync(s, 2, 3000, VEF_CALL_Win_unlock_all, 0, 0, NULL);
    lock(s, 0, 100, (const int32_t[]){3}, true);
    say_sync(s, 0, 50, VEF_CALL_Win_unlock, 0, 1, (const int32_t[]){3});
    say_sync(s, 3, 200, VEF_CALL_Win_lock_all, 0, 0, NULL);
    say_sync(s, 3, 0, VEF_CALL_Win_sync, 0, 0, NULL);
    say_sync(s, 3, 0, VEF_CALL_Win_unlock_all, 0, 0, NULL);
    vef_replay_result result = finish(s, script_ideal, NULL);
    assert_int_equal(ns_of(result.task[1].end_ps), 1000);
    assert_int_equal(ns_of(result.task[2].end_ps), 3000);
    assert_int_equal(ns_of(result.task[0].end_ps), 3050);
    assert_int_equal(ns_of(result.task[3].end_ps), 3050);
    vef_replay_result_release(&result);
}

/* ---- stalls ---- */

static void stalls(script *s, vef_stall stall, const char *const *words) {
    say_finalize_all(s);
    vef_replay_result result = replay_of(s, script_pair, NULL, NULL);
    assert_int_equal(result.stall, stall);
    for (; *words; words++)
        if (!strstr(result.stall_text, *words))
            fail_msg("'%s' does not say '%s'", result.stall_text, *words);
    vef_replay_result_release(&result);
    script_free(s);
}

static void test_stalls(void **state) {
    (void)state;
    script *s = script_new(2); /* each holds what the other wants */
    for (uint32_t task = 0; task < 2; task++) {
        lock(s, task, 0, task ? one : zero, true);
        lock(s, task, 500, task ? zero : one, true);
        say_sync(s, task, 0, VEF_CALL_Win_unlock, 0, 1, task ? zero : one);
        say_sync(s, task, 0, VEF_CALL_Win_unlock, 0, 1, task ? one : zero);
    }
    stalls(s, VEF_STALL_TASK_CYCLE,
           (const char *const[]){"2 tasks wait for each other in a cycle",
                                 "task 0, event 1 (MPI_Win_lock), waits for task 1 at window 0",
                                 "task 1, event 1 (MPI_Win_lock), waits for task 0 at window 0",
                                 NULL});

    s = script_new(2); /* both start, neither has posted */
    say_sync(s, 0, 0, VEF_CALL_Win_start, 0, 1, one);
    say_sync(s, 0, 0, VEF_CALL_Win_post, 0, 1, one);
    say_sync(s, 1, 0, VEF_CALL_Win_start, 0, 1, zero);
    say_sync(s, 1, 0, VEF_CALL_Win_post, 0, 1, zero);
    stalls(s, VEF_STALL_TASK_CYCLE,
           (const char *const[]){"task 0, event 0 (MPI_Win_start), waits for task 1 at window 0",
                                 "task 1, event 0 (MPI_Win_start), waits for task 0", NULL});

    s = script_new(2); /* a lock that is never given back */
    lock(s, 0, 0, one, true);
    lock(s, 1, 500, one, false);
    stalls(s, VEF_STALL_NO_RECEIVE,
           (const char *const[]){"task 1, event 0 (MPI_Win_lock), waits for task 0 at window 0",
                                 "ends after 2 events", NULL});

    s = script_new(2); /* the task that should complete has ended */
    say_sync(s, 1, 0, VEF_CALL_Win_post, 0, 1, zero);
    say_sync(s, 1, 0, VEF_CALL_Win_wait, 0, 1, zero);
    stalls(s, VEF_STALL_NO_RECEIVE,
           (const char *const[]){"task 1, event 1 (MPI_Win_wait), waits for task 0 at window 0",
                                 NULL});
}

/* A flush of a window without operations takes as long as it took, one with operations as long as
 * they need: 20,000 ns is no time that the network here takes. */
static void test_flush_of_nothing(void **state) {
    (void)state;
    for (int outside = 0; outside < 2; outside++)
        for (int puts = 0; puts < 2; puts++) {
            script *s = script_new(2);
            const uint32_t both[] = {0, 1};
            const uint32_t window = script_comm(s, 2, both);
            if (puts)
                say_one_sided(s, 0, 0, VEF_CALL_Put, window, 1, 100);
            for (int i = 0; i < 2; i++)
                say_sync(s, 0, 7, VEF_CALL_Win_flush_all, window, 0, NULL)->duration_ns = 20000;
            say_finalize_all(s);
            vef_replay_options options = vef_replay_defaults();
            options.host.outside = outside;
            vef_replay_result result = replay_of(s, script_ideal, &options, NULL);
            const uint64_t local = outside ? 2 - (uint64_t)puts : 0;
            assert_int_equal(ns_of(result.task[0].outside_ps), local * 20000);
            assert_int_equal(ns_of(result.task[0].end_ps), 14 + local * 20000);
            vef_replay_result_release(&result);
            script_free(s);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_operations),
        cmocka_unit_test(test_flush_waits_for_its_target),
        cmocka_unit_test(test_puts_follow_each_other),
        cmocka_unit_test(test_overheads),
        cmocka_unit_test(test_threads),
        cmocka_unit_test(test_flushes_wait_for_what_was_begun_before),
        cmocka_unit_test(test_fence),
        cmocka_unit_test(test_post_start_complete_wait),
        cmocka_unit_test(test_all_origins_are_waited_for),
        cmocka_unit_test(test_epochs_follow_each_other),
        cmocka_unit_test(test_lock_put_unlock),
        cmocka_unit_test(test_locks_at_home_take_no_time),
        cmocka_unit_test(test_exclusive_locks_follow_each_other),
        cmocka_unit_test(test_shared_locks_are_held_together),
        cmocka_unit_test(test_readers_do_not_overtake_a_writer),
        cmocka_unit_test(test_lock_all),
        cmocka_unit_test(test_stalls),
        cmocka_unit_test(test_flush_of_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
