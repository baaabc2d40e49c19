/* Random traces that cannot deadlock: they are written down in an order in which one task after the
 * other could have run them, so that every wait is for something written before it or beside it.
 * They must replay to the end on every network, never faster than on the ideal one, and twice the
 * same. On the ideal network the time is also computed apart from the engine, call by call. */
#include "tests/replay/script.h"

#include "common/rng.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdlib.h>

enum { TASKS = 8, STEPS = 120, TRACES = 60, EAGER = 3000 };

/* A collective that all tasks have started: time of the last start, and tasks that have not waited
 * for it yet.
 */
typedef struct started {
    uint64_t request[TASKS], latest;
    bool waited[TASKS];
} started;

/* A script and when each task would be on the ideal network. */
typedef struct story {
    script *script;
    vef_rng rng;
    uint64_t clock[TASKS], messages;
    started beside[STEPS];
    uint32_t beside_count;
} story;

static uint64_t gap(story *told, uint32_t task) {
    uint64_t ns = vef_rng_below(&told->rng, 4) ? 0 : vef_rng_below(&told->rng, 2000);
    told->clock[task] += ns;
    return ns;
}

static uint64_t size(story *told) {
    return vef_rng_below(&told->rng, 3) ? vef_rng_below(&told->rng, 400)
                                        : vef_rng_below(&told->rng, 2 * EAGER);
}

static uint64_t later(uint64_t a, uint64_t b) {
    return a > b ? a : b;
}

static void blocking(story *told, uint32_t from, uint32_t to) {
    uint64_t bytes = size(told);
    uint16_t flags = vef_rng_below(&told->rng, 5) ? 0 : VEF_OP_SYNCHRONOUS;
    uint64_t sent_gap = gap(told, from), received_gap = gap(told, to);
    say_send(told->script, from, sent_gap, to, bytes, flags);
    say_receive(told->script, to, received_gap, from);
    uint64_t both = later(told->clock[from], told->clock[to]);
    if (flags || bytes > EAGER)
        told->clock[from] = both;
    told->clock[to] = both;
    told->messages++;
}

/* Both sides start, compute, and wait for all. */
static void exchange(story *told, uint32_t a, uint32_t b) {
    uint32_t task[] = {a, b};
    uint64_t bytes[] = {size(told), size(told)}, begun[2], done[2], requests[2][2];
    for (int i = 0; i < 2; i++) {
        uint64_t before = gap(told, task[i]);
        begun[i] = told->clock[task[i]];
        requests[i][0] = say_isend(told->script, task[i], before, task[!i], bytes[i], 0);
        requests[i][1] = say_ireceive(told->script, task[i], 0, task[!i]);
    }
    uint64_t both = later(begun[0], begun[1]);
    for (int i = 0; i < 2; i++) {
        done[i] = both; /* what it receives has been sent, and its own send found a receive */
        uint64_t between = gap(told, task[i]);
        say_wait(told->script, task[i], between, VEF_CALL_Waitall, 2, requests[i]);
        told->clock[task[i]] = later(told->clock[task[i]], done[i]);
    }
    told->messages += 2;
}

/* Three tasks send to each other in a circle, each by one request of two operations. */
static void circle(story *told, uint32_t first) {
    enum { COUNT = 3 };
    uint32_t task[COUNT];
    uint64_t request[COUNT], begun[COUNT];
    const uint64_t bytes = size(told);
    for (uint32_t i = 0; i < COUNT; i++)
        task[i] = (first + i) % TASKS;
    for (uint32_t i = 0; i < COUNT; i++) {
        const uint64_t before = gap(told, task[i]);
        request[i] = say_isendrecv(told->script, task[i], before, task[(i + 1) % COUNT], bytes,
                                   task[(i + 2) % COUNT]);
        begun[i] = told->clock[task[i]];
    }
    for (uint32_t i = 0; i < COUNT; i++) {
        say_wait(told->script, task[i], gap(told, task[i]), VEF_CALL_Wait, 1, &request[i]);
        uint64_t *clock = &told->clock[task[i]];
        *clock = later(*clock, begun[(i + 2) % COUNT]);
        if (bytes > EAGER)
            *clock = later(*clock, begun[(i + 1) % COUNT]);
    }
    told->messages += COUNT;
}

static void together(story *told) {
    static const vef_call calls[] = {VEF_CALL_Barrier, VEF_CALL_Allreduce, VEF_CALL_Alltoall,
                                     VEF_CALL_Allgather};
    vef_call call = calls[vef_rng_below(&told->rng, 4)];
    uint64_t bytes = 8 + size(told), latest = 0;
    for (uint32_t task = 0; task < TASKS; task++) {
        say_collective(told->script, task, gap(told, task), call, 0, -1, bytes & ~UINT64_C(7));
        latest = later(latest, told->clock[task]);
    }
    for (uint32_t task = 0; task < TASKS; task++)
        told->clock[task] = latest;
}

/* All start a collective that goes on beside them. */
static void start_together(story *told) {
    static const vef_call calls[] = {VEF_CALL_Ibarrier, VEF_CALL_Iallreduce, VEF_CALL_Alltoall_init,
                                     VEF_CALL_Iallgather};
    vef_call call = calls[vef_rng_below(&told->rng, 4)];
    uint64_t bytes = 8 + size(told);
    started *open = &told->beside[told->beside_count++];
    for (uint32_t task = 0; task < TASKS; task++) {
        open->request[task] =
            say_icollective(told->script, task, gap(told, task), call, 0, -1, bytes & ~UINT64_C(7));
        open->latest = later(open->latest, told->clock[task]);
    }
}

/* The task waits for one of those, if it has not. */
static void wait_for(story *told, uint32_t task, uint32_t index) {
    started *open = &told->beside[index];
    if (open->waited[task])
        return;
    open->waited[task] = true;
    say_wait(told->script, task, gap(told, task), VEF_CALL_Wait, 1, &open->request[task]);
    told->clock[task] = later(told->clock[task], open->latest);
}

/* A partitioned exchange: the data go when the last partition is ready. */
static void partitioned(story *told, uint32_t from, uint32_t to) {
    uint64_t bytes = size(told), posted_gap = gap(told, to), posted = told->clock[to];
    uint64_t received = say_partitioned(told->script, to, posted_gap, from, 0, false);
    uint64_t sent = say_partitioned(told->script, from, gap(told, from), to, bytes, true);
    say_ready(told->script, from, gap(told, from), sent, false);
    say_ready(told->script, from, gap(told, from), sent, true);
    uint64_t both = later(told->clock[from], posted);
    uint64_t done = bytes > EAGER ? both : told->clock[from];
    say_wait(told->script, from, gap(told, from), VEF_CALL_Wait, 1, &sent);
    say_wait(told->script, to, gap(told, to), VEF_CALL_Wait, 1, &received);
    told->clock[from] = later(told->clock[from], done);
    told->clock[to] = later(told->clock[to], both);
    told->messages++;
}

static void ring(story *told) {
    uint64_t bytes = EAGER + 1, before[TASKS];
    for (uint32_t task = 0; task < TASKS; task++) {
        say_sendrecv(told->script, task, gap(told, task), (task + 1) % TASKS, bytes,
                     (task + TASKS - 1) % TASKS);
        before[task] = told->clock[task];
    }
    for (uint32_t task = 0; task < TASKS; task++)
        told->clock[task] = later(later(before[task], before[(task + 1) % TASKS]),
                                  before[(task + TASKS - 1) % TASKS]);
    told->messages += TASKS;
}

static story tell(uint64_t index) {
    story told = {.script = script_new(TASKS), .rng = vef_rng_make(11, VEF_RNG_TEST, index)};
    for (int step = 0; step < STEPS; step++) {
        uint32_t a = vef_rng_below(&told.rng, TASKS);
        uint32_t b = (a + 1 + vef_rng_below(&told.rng, TASKS - 1)) % TASKS;
        switch (vef_rng_below(&told.rng, 16)) {
        case 0:
            together(&told);
            break;
        case 1:
            ring(&told);
            break;
        case 2:
        case 3:
        case 4:
            exchange(&told, a, b);
            break;
        case 5:
            start_together(&told);
            break;
        case 6:
        case 7:
            if (told.beside_count)
                wait_for(&told, a, vef_rng_below(&told.rng, told.beside_count));
            break;
        case 8:
            partitioned(&told, a, b);
            break;
        case 9:
            circle(&told, a);
            break;
        default:
            blocking(&told, a, b);
        }
    }
    for (uint32_t i = 0; i < told.beside_count; i++)
        for (uint32_t task = 0; task < TASKS; task++)
            wait_for(&told, task, i);
    say_finalize_all(told.script);
    return told;
}

/* On the ideal network tasks run ahead of each other, but not if there is a time limit; then they
 * run in the order of time. Results are the same, for any mapping. */
static void test_any_order(void **state) {
    (void)state;
    static const uint32_t pairs[TASKS] = {0, 0, 1, 1, 2, 2, 3, 3};
    vef_replay_options options = vef_replay_defaults();
    for (uint64_t index = 0; index < 4 * TRACES; index++) {
        story told = tell(index);
        options.eager_bytes = index % 2 ? EAGER : 100;
        options.limit_ps = VEF_FOREVER;
        const uint32_t *mapping = index % 4 < 2 ? NULL : pairs;
        vef_replay_result ahead = replay_of(told.script, script_ideal, &options, mapping);
        options.limit_ps = VEF_FOREVER - 1;
        vef_replay_result in_order = replay_of(told.script, script_ideal, &options, mapping);
        assert_int_equal(ahead.stall, VEF_STALL_NONE);
        assert_int_equal(in_order.stall, VEF_STALL_NONE);
        assert_int_equal(ahead.time_ps, in_order.time_ps);
        assert_int_equal(ahead.events, in_order.events);
        assert_int_equal(ahead.messages, in_order.messages);
        assert_int_equal(ahead.message_bytes, in_order.message_bytes);
        assert_int_equal(ahead.local_messages, in_order.local_messages);
        assert_int_equal(ahead.network.messages, in_order.network.messages);
        assert_int_equal(ahead.network.phits, in_order.network.phits);
        assert_memory_equal(ahead.task, in_order.task, TASKS * sizeof *ahead.task);
        assert_string_equal(ahead.approximations, in_order.approximations);
        vef_replay_result_release(&ahead);
        vef_replay_result_release(&in_order);
        script_free(told.script);
    }
}

static void test_random_traces(void **state) {
    (void)state;
    static const char *const networks[] = {script_mesh, script_rtt, script_flow};
    vef_replay_options options = vef_replay_defaults();
    options.eager_bytes = EAGER;
    for (uint64_t index = 0; index < TRACES; index++) {
        story told = tell(index);
        vef_replay_result ideal = replay_of(told.script, script_ideal, &options, NULL);
        assert_int_equal(ideal.stall, VEF_STALL_NONE);
        for (uint32_t task = 0; task < TASKS; task++)
            assert_int_equal(ns_of(ideal.task[task].end_ps), told.clock[task]);
        for (size_t n = 0; n < sizeof networks / sizeof *networks; n++) {
            vef_replay_result once = replay_of(told.script, networks[n], &options, NULL);
            vef_replay_result again = replay_of(told.script, networks[n], &options, NULL);
            if (once.stall != VEF_STALL_NONE)
                fail_msg("trace %d: %s", (int)index, once.stall_text);
            assert_true(once.time_ps >= ideal.time_ps);
            assert_int_equal(once.messages, ideal.messages);
            assert_int_equal(once.message_bytes, ideal.message_bytes);
            assert_true(once.messages >= told.messages);
            assert_int_equal(once.time_ps, again.time_ps);
            assert_memory_equal(once.task, again.task, TASKS * sizeof *once.task);
            assert_int_equal(once.network.packet_hops, again.network.packet_hops);
            for (uint32_t task = 0; task < TASKS; task++)
                assert_int_equal(once.task[task].computing_ps, ideal.task[task].computing_ps);
            vef_replay_result_release(&once);
            vef_replay_result_release(&again);
        }
        vef_replay_result_release(&ideal);
        script_free(told.script);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_random_traces),
                                       cmocka_unit_test(test_any_order)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
