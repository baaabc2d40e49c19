/* Replays that are divided among parts of a network, by threads too, have the result of those that
 * are not; and they say so where they cannot find it. script.c compares both for every scripted
 * trace on a network of routers; here are traces for which the parts matter. */
#include "netmodel/router/core/network.h"
#include "tests/replay/script.h"

#include "common/rng.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <string.h>

/* Parts are halves of 32 routers, with a thread each. Packets of several sizes; the shortest passes
 * in fewer cycles than a link takes. */
static const char near[] =
    "topology: {family: torus, sizes: [8, 8]}\n"
    "link: {bandwidth: 32 Gbit/s, phit: 4 B}\n"
    "packet: {mtu: 64 B, header: 8 B}\n";
static const char far[] =
    "topology: {family: torus, sizes: [8, 8]}\n"
    "link: {bandwidth: 32 Gbit/s, phit: 4 B, delay_cycles: 40}\n"
    "packet: {mtu: 64 B, header: 8 B}\n"
    "routing: {algorithm: adaptive}\n";

static vef_netmodel *network_of(const char *text) {
    vef_netmodel *model = NULL;
    vef_error error = {0};
    if (vef_netmodel_open(text, NULL, 0, &model, &error) != VEF_OK)
        fail_msg("%s", error.message);
    return model;
}

/* Task t is at endpoint 2 t, so that neighbours of a task are in its part and in the other. */
static vef_replay_result replay_with(script *s, const char *text, uint32_t threads) {
    uint32_t mapping[SCRIPT_TASKS];
    for (uint32_t task = 0; task < SCRIPT_TASKS; task++)
        mapping[task] = 2 * task;
    vef_replay_options options = vef_replay_defaults();
    options.eager_bytes = 1000;
    vef_replay_result result;
    vef_error error = {0};
    vef_netmodel *model = network_of(text);
    vef_netmodel_split(model, threads);
    assert_int_equal(model->kind->parts(model, NULL), threads);
    if (replay_on(s, model, &options, mapping, &result, &error) != VEF_OK)
        fail_msg("%s", error.message);
    vef_netmodel_destroy(model);
    return result;
}

static void compare(script *s, const char *text, bool repeat) {
    vef_replay_result whole = replay_with(s, text, 1), halves = replay_with(s, text, 2);
    assert_false(whole.repeat);
    assert_int_equal(halves.repeat, repeat);
    if (!repeat) {
        assert_int_equal(halves.time_ps, whole.time_ps);
        assert_int_equal(halves.messages, whole.messages);
        assert_int_equal(halves.events, whole.events);
        assert_memory_equal(halves.task, whole.task, whole.tasks * sizeof *whole.task);
        assert_memory_equal(&halves.network, &whole.network,
                            offsetof(vef_net_statistics, memory_bytes));
    }
    vef_replay_result_release(&whole);
    vef_replay_result_release(&halves);
}

/* Many messages at once, half of them by rendezvous, and collectives among them. */
static void test_random_messages(void **state) {
    (void)state;
    script *s = script_new(SCRIPT_TASKS);
    vef_rng rng = vef_rng_make(7, VEF_RNG_TEST, 1);
    for (uint32_t round = 0; round < 12; round++) {
        uint64_t requests[SCRIPT_TASKS][16];
        uint32_t counts[SCRIPT_TASKS] = {0};
        for (uint32_t task = 0; task < SCRIPT_TASKS; task++)
            for (uint32_t k = 1; k <= 5; k++) {
                const uint32_t to = (task + k * k) % SCRIPT_TASKS;
                const uint64_t gap = vef_rng_below(&rng, 300), bytes = vef_rng_below(&rng, 2000);
                requests[task][counts[task]++] = say_isend(s, task, gap, to, bytes, 0);
                requests[to][counts[to]++] = say_ireceive(s, to, 0, task);
            }
        for (uint32_t task = 0; task < SCRIPT_TASKS; task++) {
            say_wait(s, task, vef_rng_below(&rng, 100), VEF_CALL_Waitall, counts[task],
                     requests[task]);
            if (round % 3 == 2)
                say_collective(s, task, vef_rng_below(&rng, 50), VEF_CALL_Allreduce, 0, -1,
                               400 * round);
        }
    }
    say_finalize_all(s);
    compare(s, near, false);
    compare(s, far, false);
    script_free(s);
}

/* Two collectives of each task at once, beside it, which start messages in the same cycles. */
static void test_collectives_beside(void **state) {
    (void)state;
    script *s = script_new(SCRIPT_TASKS);
    uint64_t requests[SCRIPT_TASKS][2];
    for (uint32_t task = 0; task < SCRIPT_TASKS; task++) {
        requests[task][0] = say_icollective(s, task, 0, VEF_CALL_Iallreduce, 0, -1, 4096);
        requests[task][1] = say_icollective(s, task, 0, VEF_CALL_Iallgather, 0, -1, 512);
    }
    for (uint32_t task = 0; task < SCRIPT_TASKS; task++)
        say_wait(s, task, 10, VEF_CALL_Waitall, 2, requests[task]);
    say_finalize_all(s);
    compare(s, near, false);
    compare(s, far, false);
    script_free(s);
}

static void test_others_are_repeated(void **state) {
    (void)state;
    /* Members of one communicator enter different collectives. */
    script *s = script_new(SCRIPT_TASKS);
    for (uint32_t task = 0; task < SCRIPT_TASKS; task++)
        say_collective(s, task, 0, task == 31 ? VEF_CALL_Bcast : VEF_CALL_Reduce, 0, 0, 8);
    say_finalize_all(s);
    compare(s, near, true);
    script_free(s);
    /* A stall. */
    s = script_new(SCRIPT_TASKS);
    say_receive(s, 0, 0, 31);
    say_finalize_all(s);
    compare(s, near, true);
    script_free(s);
    /* A message is under way when the last task ends. */
    s = script_new(SCRIPT_TASKS);
    operation_of(say_send(s, 0, 0, 31, 900, 0), 0)->flags |= VEF_OP_OPEN_ENDED;
    say_finalize_all(s);
    compare(s, far, true);
    script_free(s);
    /* Starts of a persistent collective. */
    s = script_new(SCRIPT_TASKS);
    for (uint32_t task = 0; task < SCRIPT_TASKS; task++) {
        const uint64_t request = say_icollective(s, task, 0, VEF_CALL_Barrier_init, 0, -1, 0);
        say_wait(s, task, 0, VEF_CALL_Wait, 1, &request);
    }
    say_finalize_all(s);
    compare(s, near, true);
    script_free(s);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_random_messages),
                                       cmocka_unit_test(test_collectives_beside),
                                       cmocka_unit_test(test_others_are_repeated)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
