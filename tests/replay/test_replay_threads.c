/* Threads of a task: each goes on by itself, and a call begins after those that had returned before
 * it was entered. By hand on the ideal network, and random runs with threads whose times are worked
 * out beside the engine, call by call, from nothing but that rule and who sends what to whom. */
#include "tests/replay/script.h"

#include "common/rng.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

static vef_replay_result replay_to_end(script *s, const char *network) {
    vef_replay_result result = replay_of(s, network, NULL, NULL);
    if (result.stall != VEF_STALL_NONE)
        fail_msg("stalled: %s", result.stall_text);
    return result;
}

/* Thread i of one task sends to thread i of the other after 100, 200, 300: all at once, so the
 * tasks end at 300 and not at 600. */
static void test_exchanges_overlap(void **state) {
    (void)state;
    enum { THREADS = 3 };
    for (int back = 0; back < 2; back++) { /* the later thread first in the trace, too */
        script *s = script_new(2);
        for (uint32_t i = 0; i < THREADS; i++) {
            uint32_t thread = back ? THREADS - 1 - i : i;
            script_thread_of(s, 0, thread);
            script_ticks(s, 0, say_send(s, 0, 100 * (thread + 1), 1, 8, VEF_OP_SYNCHRONOUS), i,
                         THREADS + i);
            script_thread_of(s, 1, thread);
            script_ticks(s, 1, say_receive(s, 1, 5, 0), i, THREADS + i);
        }
        say_finalize_all(s);
        vef_replay_result result = replay_to_end(s, script_ideal);
        assert_int_equal(ns_of(result.time_ps), 300);
        assert_int_equal(ns_of(result.task[0].end_ps), 300);
        assert_int_equal(ns_of(result.task[0].computing_ps), 300);
        assert_int_equal(ns_of(result.task[1].computing_ps), 5);
        assert_int_equal(ns_of(result.task[1].waiting_ps), 295);
        assert_non_null(strstr(result.approximations, "6 threads"));
        vef_replay_result_release(&result);
        script_free(s);
    }
}

/* Thread 1's call was entered after thread 0's receive had returned, or before: only in the first
 * case it has to wait for it. */
static void test_order_by_ticks(void **state) {
    (void)state;
    for (int before = 0; before < 2; before++) {
        script *s = script_new(2);
        script_ticks(s, 0, say_receive(s, 0, 0, 1), 0, before ? 3 : 1);
        script_thread_of(s, 0, 1);
        script_ticks(s, 0, say_send(s, 0, 20, 1, 8, 0), before ? 1 : 2, before ? 2 : 3);
        say_send(s, 1, 500, 0, 8, 0);
        say_receive(s, 1, 0, 0);
        say_finalize_all(s);
        vef_replay_result result = replay_to_end(s, script_ideal);
        assert_int_equal(ns_of(result.task[0].end_ps), 500);
        assert_int_equal(ns_of(result.task[1].end_ps), 500);
        vef_replay_result_release(&result);
        script_free(s);
    }
    /* The other way round: task 1 answers only after the send of task 0's second thread. Were calls
     * to follow each other as they were entered, neither would ever go on. */
    script *s = script_new(2);
    script_ticks(s, 0, say_receive(s, 0, 0, 1), 0, 3);
    script_thread_of(s, 0, 1);
    script_ticks(s, 0, say_send(s, 0, 20, 1, 8, 0), 1, 2);
    say_receive(s, 1, 0, 0);
    say_send(s, 1, 30, 0, 8, 0);
    say_finalize_all(s);
    vef_replay_result result = replay_to_end(s, script_ideal);
    assert_int_equal(ns_of(result.time_ps), 50);
    vef_replay_result_release(&result);
    script_free(s);
}

/* A request that one thread starts and another completes. */
static void test_requests_belong_to_the_task(void **state) {
    (void)state;
    script *s = script_new(2);
    uint64_t request = say_ireceive(s, 0, 10, 1);
    script_thread_of(s, 0, 1);
    script_ticks(s, 0, say_wait(s, 0, 0, VEF_CALL_Wait, 1, &request), 2, 9);
    script_thread_of(s, 0, 2); /* looks at it too */
    script_ticks(s, 0, say_wait(s, 0, 3, VEF_CALL_Request_get_status, 1, &request), 3, 8);
    say_local(s, 0, 7, VEF_CALL_Pcontrol);
    say_send(s, 1, 400, 0, 8, 0);
    say_finalize_all(s);
    vef_replay_result result = replay_to_end(s, script_ideal);
    assert_int_equal(ns_of(result.task[0].end_ps), 407);
    vef_replay_result_release(&result);
    script_free(s);
}

/* Two threads see the same message in a probe; one of them receives it. */
static void test_probes(void **state) {
    (void)state;
    const vef_operation seen = {.peer = 1, .ordinal = 0, .request = VEF_NO_REQUEST};
    const vef_event probe = {.call = VEF_CALL_Probe, .operations = &seen, .operation_count = 1};
    script *s = script_new(2);
    script_ticks(s, 0, say(s, 0, &probe), 0, 2);
    say_receive(s, 0, 0, 1);
    script_thread_of(s, 0, 1);
    script_ticks(s, 0, say(s, 0, &probe), 1, 3);
    say_local(s, 0, 60, VEF_CALL_Pcontrol);
    say_send(s, 1, 100, 0, 800, 0);
    say_finalize_all(s);
    vef_replay_result result = replay_to_end(s, script_ideal);
    assert_int_equal(ns_of(result.task[0].end_ps), 160);
    vef_replay_result_release(&result);
    script_free(s);
    /* The probe of one overlapped the receive of the other, and comes long after it here; and many
     * messages pass meanwhile. */
    s = script_new(2);
    script_thread_of(s, 0, 1);
    script_ticks(s, 0, say(s, 0, &probe), 0, 200);
    script_last(s, 0, 1)->gap_ns = 5000;
    script_thread_of(s, 0, 0);
    for (uint64_t i = 0; i < 50; i++) {
        script_ticks(s, 0, say_receive(s, 0, 1, 1), 2 * i + 1, 2 * i + 2);
        say_send(s, 1, 1, 0, 800, 0);
    }
    say_finalize_all(s);
    result = replay_to_end(s, script_ideal);
    assert_int_equal(ns_of(result.task[0].end_ps), 5000);
    vef_replay_result_release(&result);
    script_free(s);
}

/* The main thread starts others and ends after them: the task's time is what theirs was spent on,
 * up to the end of the last. */
static void test_parts_follow_the_calls_that_led_to_the_end(void **state) {
    (void)state;
    script *s = script_new(2);
    say_local(s, 0, 0, VEF_CALL_Init);
    script_thread_of(s, 0, 1);
    script_ticks(s, 0, say_receive(s, 0, 200, 1), 2, 5); /* 200 of work, then until 300 */
    script_thread_of(s, 0, 2);
    script_ticks(s, 0, say_local(s, 0, 40, VEF_CALL_Pcontrol), 3, 4);
    script_thread_of(s, 0, 0);
    say_local(s, 0, 10, VEF_CALL_Finalize);
    say_send(s, 1, 300, 0, 8, 0);
    say_local(s, 1, 0, VEF_CALL_Finalize);
    vef_replay_result result = replay_to_end(s, script_ideal);
    assert_int_equal(ns_of(result.task[0].end_ps), 300);
    assert_int_equal(ns_of(result.task[0].computing_ps), 200);
    assert_int_equal(ns_of(result.task[0].waiting_ps), 100);
    vef_replay_result_release(&result);
    script_free(s);
}

/* A collective that one thread starts goes on beside all of them. */
static void test_collective_of_one_thread(void **state) {
    (void)state;
    script *s = script_new(2);
    uint64_t request = say_icollective(s, 0, 10, VEF_CALL_Iallreduce, 0, -1, 8);
    script_thread_of(s, 0, 1);
    script_ticks(s, 0, say_wait(s, 0, 5, VEF_CALL_Wait, 1, &request), 2, 5);
    script_thread_of(s, 0, 0);
    script_ticks(s, 0, say_local(s, 0, 90, VEF_CALL_Pcontrol), 3, 4);
    say_collective(s, 1, 70, VEF_CALL_Iallreduce, 0, -1, 8)->request = 0;
    uint64_t other = 0;
    say_wait(s, 1, 0, VEF_CALL_Wait, 1, &other);
    say_finalize_all(s);
    vef_replay_result result = replay_to_end(s, script_ideal);
    assert_int_equal(ns_of(result.task[0].end_ps), 100);
    assert_int_equal(ns_of(result.task[1].end_ps), 70);
    vef_replay_result_release(&result);
    script_free(s);
}

/* Of two threads, the first has ended when the second and task 1 wait for each other's message. */
static void test_stalls_name_threads(void **state) {
    (void)state;
    script *s = script_new(2);
    script_ticks(s, 0, say_local(s, 0, 0, VEF_CALL_Pcontrol), 0, 1);
    script_thread_of(s, 0, 1);
    script_ticks(s, 0, say_receive(s, 0, 0, 1), 2, 3);
    say_send(s, 0, 0, 1, 8, 0);
    say_receive(s, 1, 0, 0);
    say_send(s, 1, 0, 0, 8, 0);
    vef_replay_result result = replay_of(s, script_ideal, NULL, NULL);
    assert_int_equal(result.stall, VEF_STALL_TASK_CYCLE);
    static const char *const words[] = {
        "2 waits in a cycle",
        "task 0, thread 1, event 0 (MPI_Recv), waits for message 0 from task 1",
        "task 1, event 0 (MPI_Recv)"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (!strstr(result.stall_text, words[i]))
            fail_msg("'%s' does not say '%s'", result.stall_text, words[i]);
    vef_replay_result_release(&result);
    script_free(s);
}

/* Two messages of two threads, each to a thread of task 1, paired the wrong way round: task 0's
 * second send was entered after its first had returned, task 1's receive of the first after that of
 * the second. No run has these pairs and this order. The order gives way, once; the same calls of
 * one thread each stall. */
static void test_order_gives_way(void **state) {
    (void)state;
    for (int threads = 0; threads < 2; threads++) {
        script *s = script_new(2);
        script_ticks(s, 0, say_send(s, 0, 10, 1, 8, VEF_OP_SYNCHRONOUS), 0, 1);
        script_thread_of(s, 0, (uint32_t)threads);
        script_ticks(s, 0, say_send(s, 0, 10, 1, 8, VEF_OP_SYNCHRONOUS), 2, 3);
        vef_event *second = say_receive(s, 1, 5, 0);
        script_ticks(s, 1, second, 0, 1);
        script_thread_of(s, 1, (uint32_t)threads);
        vef_event *first = say_receive(s, 1, 5, 0);
        script_ticks(s, 1, first, 2, 3);
        operation_of(second, 0)->ordinal = 1;
        operation_of(first, 0)->ordinal = 0;
        vef_replay_result result = replay_of(s, script_ideal, NULL, NULL);
        if (threads) {
            assert_int_equal(result.stall, VEF_STALL_NONE);
            assert_non_null(strstr(result.approximations, "1 calls began"));
            assert_int_equal(result.messages, 2);
        } else {
            assert_int_equal(result.stall, VEF_STALL_TASK_CYCLE);
            assert_null(strstr(result.approximations, "calls began"));
        }
        vef_replay_result_release(&result);
        script_free(s);
    }
}

/* ---- random runs ---- */

enum { TASKS = 4, THREADS = 4, STEPS = 150, RUNS = 40, EAGER = 3000, CALLS = 4 * STEPS * TASKS };

/* A call as the replay should have it: its ticks and when it ends on the ideal network. */
typedef struct past {
    uint64_t left, end;
} past;

/* A call that has been entered and not left. */
typedef struct entered {
    vef_event *event;
    uint64_t gap, tick;
} entered;

/* Two calls of an exchange, the one entered, the other perhaps not yet. */
typedef struct pair {
    uint32_t task[2], thread[2]; /* sender, receiver */
    entered call[2];
    bool is_in[2], rendezvous;
} pair;

typedef struct story {
    script *script;
    vef_rng rng;
    past calls[TASKS][CALLS];
    uint32_t call_count[TASKS];
    uint64_t clock[TASKS][THREADS]; /* when the thread's last call ended */
    bool busy[TASKS][THREADS];
    pair pairs[TASKS * THREADS];
    uint32_t pair_count;
} story;

static uint64_t later(uint64_t a, uint64_t b) {
    return a > b ? a : b;
}

/* When a call entered at the tick begins, by the rule. */
static uint64_t beginning(const story *told, uint32_t task, uint32_t thread, const entered *call) {
    uint64_t begin = told->clock[task][thread] + call->gap;
    for (uint32_t i = 0; i < told->call_count[task]; i++)
        if (told->calls[task][i].left < call->tick)
            begin = later(begin, told->calls[task][i].end);
    return begin;
}

/* The call returns now in the story, and ends then in the replay. */
static void leave(story *told, uint32_t task, uint32_t thread, const entered *call, uint64_t end) {
    uint64_t tick = told->script->task[task].ticks++;
    script_ticks(told->script, task, call->event, call->tick, tick);
    told->calls[task][told->call_count[task]++] = (past){tick, end};
    told->clock[task][thread] = end;
    told->busy[task][thread] = false;
}

/* Begins to say a call of the thread: its entry takes a tick now. */
static entered enter(story *told, uint32_t task, uint32_t thread) {
    script_thread_of(told->script, task, thread);
    told->busy[task][thread] = true;
    return (entered){.gap = vef_rng_below(&told->rng, 3) ? vef_rng_below(&told->rng, 900) : 0,
                     .tick = told->script->task[task].ticks};
}

static void enter_side(story *told, pair *p, int side) {
    script *s = told->script;
    uint32_t task = p->task[side], peer = p->task[!side];
    uint64_t bytes = p->rendezvous ? EAGER + 1 : vef_rng_below(&told->rng, EAGER);
    entered call = enter(told, task, p->thread[side]);
    /* Which of the messages it is was settled when the pair was made: say_… counts one on. */
    call.event =
        side ? say_receive(s, task, call.gap, peer) : say_send(s, task, call.gap, peer, bytes, 0);
    s->task[task].ticks = call.tick + 1; /* it has not returned */
    p->call[side] = call;
    p->is_in[side] = true;
}

/* Both sides are in: they return, in whichever order. */
static void finish_pair(story *told, uint32_t index) {
    pair p = told->pairs[index];
    told->pairs[index] = told->pairs[--told->pair_count];
    uint64_t begin[2];
    for (int side = 0; side < 2; side++)
        begin[side] = beginning(told, p.task[side], p.thread[side], &p.call[side]);
    uint64_t both = later(begin[0], begin[1]);
    uint64_t end[2] = {p.rendezvous ? both : begin[0], both};
    int first = (int)vef_rng_below(&told->rng, 2);
    for (int i = 0; i < 2; i++) {
        int side = i ? !first : first;
        leave(told, p.task[side], p.thread[side], &p.call[side], end[side]);
    }
}

/* A thread of the task that is in no call; THREADS when all are. */
static uint32_t free_thread(story *told, uint32_t task) {
    uint32_t from = vef_rng_below(&told->rng, THREADS);
    for (uint32_t i = 0; i < THREADS; i++)
        if (!told->busy[task][(from + i) % THREADS])
            return (from + i) % THREADS;
    return THREADS;
}

/* Two threads of different tasks; one of them enters now, the other some time. Only one pair at a
 * time between two tasks, so that messages go out in the order of their numbers. */
static void begin_pair(story *told) {
    pair p = {.rendezvous = vef_rng_below(&told->rng, 2)};
    p.task[0] = vef_rng_below(&told->rng, TASKS);
    p.task[1] = (p.task[0] + 1 + vef_rng_below(&told->rng, TASKS - 1)) % TASKS;
    for (uint32_t i = 0; i < told->pair_count; i++)
        if (told->pairs[i].task[0] == p.task[0] && told->pairs[i].task[1] == p.task[1])
            return;
    for (int side = 0; side < 2; side++)
        if ((p.thread[side] = free_thread(told, p.task[side])) == THREADS)
            return;
    for (int side = 0; side < 2; side++)
        told->busy[p.task[side]][p.thread[side]] = true; /* promised */
    enter_side(told, &p, (int)vef_rng_below(&told->rng, 2));
    told->pairs[told->pair_count++] = p;
}

static void go_on_with_pair(story *told) {
    uint32_t index = vef_rng_below(&told->rng, told->pair_count);
    pair *p = &told->pairs[index];
    if (p->is_in[0] && p->is_in[1])
        finish_pair(told, index);
    else
        enter_side(told, p, p->is_in[0]);
}

/* A free thread of each task starts a collective; the same or another waits for it. */
static void collective(story *told) {
    uint32_t thread[TASKS];
    uint64_t latest = 0, request[TASKS];
    for (uint32_t task = 0; task < TASKS; task++)
        if ((thread[task] = free_thread(told, task)) == THREADS)
            return;
    for (uint32_t task = 0; task < TASKS; task++) {
        entered call = enter(told, task, thread[task]);
        request[task] = told->script->task[task].requests;
        say_icollective(told->script, task, call.gap, VEF_CALL_Iallreduce, 0, -1, 64);
        /* What was said last of the thread is the call. */
        told->script->task[task].ticks = call.tick + 1;
        call.event = script_last(told->script, task, thread[task]);
        uint64_t begin = beginning(told, task, thread[task], &call);
        leave(told, task, thread[task], &call, begin);
        latest = later(latest, begin);
    }
    for (uint32_t task = 0; task < TASKS; task++) {
        uint32_t waiting = free_thread(told, task);
        entered call = enter(told, task, waiting);
        call.event = say_wait(told->script, task, call.gap, VEF_CALL_Wait, 1, &request[task]);
        told->script->task[task].ticks = call.tick + 1;
        leave(told, task, waiting, &call, later(beginning(told, task, waiting, &call), latest));
    }
}

static story *tell(uint64_t index) {
    story *told = calloc(1, sizeof *told);
    assert_non_null(told);
    told->script = script_new(TASKS);
    told->rng = vef_rng_make(12, VEF_RNG_TEST, index);
    for (int step = 0; step < STEPS; step++) {
        uint32_t what = vef_rng_below(&told->rng, 10);
        if (what == 0)
            collective(told);
        else if (what < 5 || told->pair_count == 0)
            begin_pair(told);
        else
            go_on_with_pair(told);
    }
    while (told->pair_count)
        go_on_with_pair(told);
    return told;
}

static void test_random_runs(void **state) {
    (void)state;
    static const char *const networks[] = {script_mesh, script_rtt};
    vef_replay_options options = vef_replay_defaults();
    options.eager_bytes = EAGER;
    for (uint64_t index = 0; index < RUNS; index++) {
        story *told = tell(index);
        vef_replay_result ideal = replay_of(told->script, script_ideal, &options, NULL);
        if (ideal.stall != VEF_STALL_NONE)
            fail_msg("run %d: %s", (int)index, ideal.stall_text);
        for (uint32_t task = 0; task < TASKS; task++) {
            uint64_t end = 0;
            for (uint32_t thread = 0; thread < THREADS; thread++)
                end = later(end, told->clock[task][thread]);
            assert_int_equal(ns_of(ideal.task[task].end_ps), end);
        }
        for (size_t n = 0; n < sizeof networks / sizeof *networks; n++) {
            vef_replay_result once = replay_of(told->script, networks[n], &options, NULL);
            vef_replay_result again = replay_of(told->script, networks[n], &options, NULL);
            if (once.stall != VEF_STALL_NONE)
                fail_msg("run %d: %s", (int)index, once.stall_text);
            assert_true(once.time_ps >= ideal.time_ps);
            assert_int_equal(once.messages, ideal.messages);
            assert_int_equal(once.time_ps, again.time_ps);
            assert_memory_equal(once.task, again.task, TASKS * sizeof *once.task);
            vef_replay_result_release(&once);
            vef_replay_result_release(&again);
        }
        vef_replay_result_release(&ideal);
        script_free(told->script);
        free(told);
    }
}

/* The root of a broadcast returned before the other task had entered it, as MPI allows. Here it
 * sends by rendezvous and waits, so the recorded order of the threads closes a circle: the root's
 * other thread waits for the broadcast, and its receiver holds the other task's part of it. The
 * threads do not depend on each other, so the program cannot stall; of the two calls that are held
 * the one that has waited longer begins. */
static void test_order_that_closes_a_circle(void **state) {
    (void)state;
    script *s = script_new(2);
    script_ticks(s, 0, say_collective(s, 0, 0, VEF_CALL_Bcast, 0, 0, 1 << 20), 0, 1);
    script_thread_of(s, 0, 1);
    script_ticks(s, 0, say_send(s, 0, 10, 1, 8, VEF_OP_SYNCHRONOUS), 2, 5);
    script_ticks(s, 1, say_collective(s, 1, 20, VEF_CALL_Bcast, 0, 0, 1 << 20), 4, 5);
    script_thread_of(s, 1, 1);
    script_ticks(s, 1, say_receive(s, 1, 0, 0), 0, 3);
    say_finalize_all(s);
    vef_replay_result result = replay_to_end(s, script_ideal);
    assert_non_null(
        strstr(result.approximations, "1 calls began before earlier calls of other threads"));
    assert_int_equal(ns_of(result.task[0].end_ps), 20);
    assert_int_equal(ns_of(result.task[1].end_ps), 20);
    vef_replay_result_release(&result);
    script_free(s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_exchanges_overlap),
        cmocka_unit_test(test_order_by_ticks),
        cmocka_unit_test(test_requests_belong_to_the_task),
        cmocka_unit_test(test_probes),
        cmocka_unit_test(test_parts_follow_the_calls_that_led_to_the_end),
        cmocka_unit_test(test_collective_of_one_thread),
        cmocka_unit_test(test_order_that_closes_a_circle),
        cmocka_unit_test(test_stalls_name_threads),
        cmocka_unit_test(test_order_gives_way),
        cmocka_unit_test(test_random_runs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
