/* Random one-sided programs that cannot deadlock: written in an order in which tasks could run
 * one after another. Their replays must end on every network, be reproducible, never be faster
 * than on the ideal network, and transfer the data of their operations. On the ideal network,
 * where only computation takes time, each task's time is computed here too. */
#include "tests/replay/script.h"

#include "common/rng.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdlib.h>

enum { TASKS = 8, STEPS = 80, PROGRAMS = 40, NOCHECK = 1024 };

typedef struct story {
    script *script;
    vef_rng rng;
    uint64_t clock[TASKS]; /* on the ideal network */
    uint64_t messages, bytes, fences;
    uint64_t open[TASKS][64]; /* requests without a wait */
    uint32_t open_count[TASKS];
} story;

static uint64_t gap(story *told, uint32_t task) {
    uint64_t ns = vef_rng_below(&told->rng, 3) ? 0 : vef_rng_below(&told->rng, 1500);
    told->clock[task] += ns;
    return ns;
}

static uint64_t later(uint64_t a, uint64_t b) {
    return a > b ? a : b;
}

static void operate(story *told, uint32_t task, uint32_t target) {
    static const struct {
        vef_call call;
        int ways;
        bool asks;
    } kinds[] = {{VEF_CALL_Put, 1, false},          {VEF_CALL_Get, 1, false},
                 {VEF_CALL_Accumulate, 1, false},   {VEF_CALL_Get_accumulate, 2, false},
                 {VEF_CALL_Fetch_and_op, 2, false}, {VEF_CALL_Compare_and_swap, 2, false},
                 {VEF_CALL_Rput, 1, true},          {VEF_CALL_Rget, 1, true},
                 {VEF_CALL_Raccumulate, 1, true},   {VEF_CALL_Rget_accumulate, 2, true}};
    uint32_t kind = vef_rng_below(&told->rng, sizeof kinds / sizeof *kinds);
    uint64_t bytes = vef_rng_below(&told->rng, 5) ? 8 : vef_rng_below(&told->rng, 20000);
    if (kinds[kind].asks && told->open_count[task] == 64)
        return;
    if (kinds[kind].asks)
        told->open[task][told->open_count[task]++] = told->script->task[task].requests;
    say_one_sided(told->script, task, gap(told, task), kinds[kind].call, 0, target, bytes);
    told->messages += (uint64_t)kinds[kind].ways;
    told->bytes += (uint64_t)kinds[kind].ways * bytes;
}

static void operations(story *told, uint32_t task, uint32_t target) {
    for (uint32_t n = vef_rng_below(&told->rng, 4); n > 0; n--)
        operate(told, task, target);
    if (told->open_count[task] && vef_rng_below(&told->rng, 2)) {
        say_wait(told->script, task, gap(told, task), VEF_CALL_Waitall, told->open_count[task],
                 told->open[task]);
        told->open_count[task] = 0;
    }
}

static void fence(story *told) {
    uint64_t latest = 0;
    for (uint32_t task = 0; task < TASKS; task++) {
        say_sync(told->script, task, gap(told, task), VEF_CALL_Win_fence, 0, 0, NULL);
        latest = later(latest, told->clock[task]);
    }
    for (uint32_t task = 0; task < TASKS; task++)
        told->clock[task] = latest;
    told->fences++;
}

/* A target, and some of the others as origins. */
static void post_start(story *told) {
    uint32_t target = vef_rng_below(&told->rng, TASKS), count = 0;
    int32_t origins[TASKS], one[] = {(int32_t)target};
    int64_t assertion = vef_rng_below(&told->rng, 4) ? 0 : NOCHECK;
    for (uint32_t task = 0; task < TASKS; task++)
        if (task != target && vef_rng_below(&told->rng, 3) == 0)
            origins[count++] = (int32_t)task;
    if (assertion) /* only where the post is known to have been called */
        fence(told);
    say_sync(told->script, target, assertion ? 0 : gap(told, target), VEF_CALL_Win_post, 0, count,
             origins)
        ->argument = assertion;
    uint64_t posted = told->clock[target], complete = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t task = (uint32_t)origins[i];
        say_sync(told->script, task, gap(told, task), VEF_CALL_Win_start, 0, 1, one)->argument =
            assertion;
        if (!assertion)
            told->clock[task] = later(told->clock[task], posted);
        operations(told, task, target);
        say_sync(told->script, task, gap(told, task), VEF_CALL_Win_complete, 0, 1, one);
        complete = later(complete, told->clock[task]);
    }
    vef_call wait = vef_rng_below(&told->rng, 2) ? VEF_CALL_Win_wait : VEF_CALL_Win_test;
    say_sync(told->script, target, gap(told, target), wait, 0, count, origins);
    told->clock[target] = later(told->clock[target], complete);
}

/* Only a lock held for no time: then it delays no task on the ideal network. */
static void lock(story *told) {
    uint32_t task = vef_rng_below(&told->rng, TASKS);
    int32_t target[] = {(int32_t)vef_rng_below(&told->rng, TASKS)};
    bool every_one = vef_rng_below(&told->rng, 3) == 0;
    uint32_t count = every_one ? 0 : 1;
    vef_event *event =
        say_sync(told->script, task, gap(told, task),
                 every_one ? VEF_CALL_Win_lock_all : VEF_CALL_Win_lock, 0, count, target);
    if (!every_one && vef_rng_below(&told->rng, 2))
        event->flags = VEF_EVENT_EXCLUSIVE;
    for (uint32_t n = vef_rng_below(&told->rng, 5); n > 0; n--) {
        static const vef_call flushes[] = {VEF_CALL_Win_flush, VEF_CALL_Win_flush_local};
        say_one_sided(told->script, task, 0, VEF_CALL_Put, 0, (uint32_t)target[0], 64);
        told->messages++;
        told->bytes += 64;
        if (vef_rng_below(&told->rng, 2))
            say_sync(told->script, task, 0, flushes[n % 2], 0, 1, target);
    }
    say_sync(told->script, task, 0, every_one ? VEF_CALL_Win_unlock_all : VEF_CALL_Win_unlock, 0,
             count, target);
}

static story tell(uint64_t index) {
    story told = {.script = script_new(TASKS), .rng = vef_rng_make(12, VEF_RNG_TEST, index)};
    for (int step = 0; step < STEPS; step++) {
        uint32_t kind = vef_rng_below(&told.rng, 8);
        if (kind == 0)
            fence(&told);
        else if (kind < 4)
            post_start(&told);
        else if (kind < 7)
            lock(&told);
        else
            operations(&told, vef_rng_below(&told.rng, TASKS), vef_rng_below(&told.rng, TASKS));
    }
    say_finalize_all(told.script);
    return told;
}

/* A barrier of 8: three rounds of 8 messages without bytes. */
static void check_ideal(const story *told, const vef_replay_result *ideal) {
    assert_int_equal(ideal->stall, VEF_STALL_NONE);
    assert_int_equal(ideal->messages, told->messages + 24 * told->fences);
    assert_int_equal(ideal->message_bytes, told->bytes);
    for (uint32_t task = 0; task < TASKS; task++)
        assert_int_equal(ns_of(ideal->task[task].end_ps), told->clock[task]);
}

static void random_programs(void **state) {
    (void)state;
    static const char *const networks[] = {script_mesh, script_rtt};
    static const uint32_t crowded[TASKS] = {0, 1, 2, 3, 3, 2, 1, 0};
    for (uint64_t index = 0; index < PROGRAMS; index++) {
        story told = tell(index);
        vef_replay_result ideal = replay_of(told.script, script_ideal, NULL, NULL);
        check_ideal(&told, &ideal);
        for (size_t n = 0; n < 3; n++) {
            const char *network = networks[n % 2];
            const uint32_t *mapping = n == 2 ? crowded : NULL;
            vef_replay_result once = replay_of(told.script, network, NULL, mapping);
            vef_replay_result again = replay_of(told.script, network, NULL, mapping);
            if (once.stall != VEF_STALL_NONE)
                fail_msg("program %d: %s", (int)index, once.stall_text);
            assert_true(once.time_ps >= ideal.time_ps);
            /* On four nodes of two a barrier has a message to and fro in each node, two rounds of
             * four, and a byte to each other rank of a node: 20 messages. */
            assert_int_equal(once.messages, ideal.messages - (mapping ? 4 * told.fences : 0));
            assert_int_equal(once.message_bytes,
                             ideal.message_bytes + (mapping ? 4 * told.fences : 0));
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
    const struct CMUnitTest tests[] = {cmocka_unit_test(random_programs)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
