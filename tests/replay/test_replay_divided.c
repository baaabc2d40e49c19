/* Replays that are divided among parts of a network, by threads or by ranks, have the result of
 * those that are not; and they say so where they cannot find it. script.c compares both for every
 * scripted trace on a network of routers; here are traces for which the parts matter. */
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

/* What ranks exchange differs: links that cut few or many, short and long windows, packets that
 * take a way through a third part (valiant), and that have a state of their own for links that
 * differ. */
static const char *const others[] = {
    "topology: {family: torus, sizes: [4, 4, 4]}\n"
    "link: {delay_cycles: 80, credit_delay_cycles: 80}\n"
    "routing: {algorithm: valiant}\n",
    "topology: {family: dragonfly, a: 4, h: 2}\nendpoints_per_router: 2\n"
    "routing: {algorithm: ugal-l, channels: 2}\n",
    "topology: {family: dragonfly, a: 4, h: 2}\nendpoints_per_router: 2\n"
    "link: {delay_cycles: 80, credit_delay_cycles: 80}\n",
    "topology: {family: kary-ntree, k: 4, n: 3}\n"
    "routing: {algorithm: tree-adaptive}\n"
    "packet: {mtu: 128 B, header: 8 B}\n",
    "topology: {family: jellyfish, routers: 64, degree: 4, seed: 3}\n"
    "routing: {algorithm: up-down}\n",
    "topology: {family: torus, sizes: [8, 8]}\n"
    "link: {classes: {x: {delay_cycles: 7}, y: {bandwidth: 5Gbit/s, delay_cycles: 9}}}\n",
};

static vef_netmodel *network_of(const char *text) {
    vef_netmodel *model = NULL;
    vef_error error = {0};
    if (vef_netmodel_open(text, NULL, 0, &model, &error) != VEF_OK)
        fail_msg("%s", error.message);
    return model;
}

/* Task t is at endpoint 2 t, so that neighbours of a task are in its part and in the other. */
static vef_replay_options scenery(uint32_t mapping[SCRIPT_TASKS]) {
    for (uint32_t task = 0; task < SCRIPT_TASKS; task++)
        mapping[task] = 2 * task;
    vef_replay_options options = vef_replay_defaults();
    options.eager_bytes = 1000;
    return options;
}

static vef_replay_result replay_with(script *s, const char *text, uint32_t threads) {
    uint32_t mapping[SCRIPT_TASKS];
    const vef_replay_options options = scenery(mapping);
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

static void assert_same(const vef_replay_result *whole, vef_replay_result *divided, bool repeat) {
    assert_int_equal(divided->repeat, repeat);
    if (!repeat) {
        assert_int_equal(divided->time_ps, whole->time_ps);
        assert_int_equal(divided->messages, whole->messages);
        assert_int_equal(divided->message_bytes, whole->message_bytes);
        assert_int_equal(divided->events, whole->events);
        assert_memory_equal(divided->task, whole->task, whole->tasks * sizeof *whole->task);
        assert_memory_equal(divided->collectives, whole->collectives,
                            vef_algorithm_count * sizeof *whole->collectives);
        assert_memory_equal(&divided->network, &whole->network,
                            offsetof(vef_net_statistics, memory_bytes));
        assert_string_equal(divided->approximations, whole->approximations);
    }
    vef_replay_result_release(divided);
}

/* On every rank. */
static void compare_ranks(script *s, const char *text, uint32_t count,
                          const vef_replay_result *whole, bool repeat) {
    uint32_t mapping[SCRIPT_TASKS];
    vef_replay_options options = scenery(mapping);
    script_rank ranks[VEF_MOST_RANKS];
    replay_on_ranks(s, text, count, &options, mapping, ranks);
    for (uint32_t rank = 0; rank < count; rank++) {
        if (ranks[rank].code != VEF_OK)
            fail_msg("%s: %s", text, ranks[rank].error.message);
        assert_same(whole, &ranks[rank].result, repeat);
    }
}

static void compare(script *s, const char *text, bool repeat) {
    vef_replay_result whole = replay_with(s, text, 1), halves = replay_with(s, text, 2);
    assert_false(whole.repeat);
    assert_same(&whole, &halves, repeat);
    compare_ranks(s, text, 2, &whole, repeat);
    compare_ranks(s, text, 3, &whole, repeat);
    vef_replay_result_release(&whole);
}

/* Many messages at once, half of them by rendezvous, and collectives among them, of all tasks and
 * of every other one. */
static script *random_messages(void) {
    script *s = script_new(SCRIPT_TASKS);
    uint32_t even[SCRIPT_TASKS / 2];
    for (uint32_t i = 0; i < SCRIPT_TASKS / 2; i++)
        even[i] = 2 * i;
    const uint32_t comm = script_comm(s, SCRIPT_TASKS / 2, even);
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
            if (round % 4 == 1 && task % 2 == 0)
                say_collective(s, task, 0, VEF_CALL_Alltoall, comm, -1, 300 * round);
        }
    }
    say_finalize_all(s);
    return s;
}

static void test_random_messages(void **state) {
    (void)state;
    script *s = random_messages();
    compare(s, near, false);
    compare(s, far, false);
    script_free(s);
}

static void test_ranks_on_other_networks(void **state) {
    (void)state;
    script *s = random_messages();
    for (size_t n = 0; n < sizeof others / sizeof *others; n++) {
        uint32_t mapping[SCRIPT_TASKS];
        const vef_replay_options options = scenery(mapping);
        script_rank one;
        replay_on_ranks(s, others[n], 1, &options, mapping, &one);
        if (one.code != VEF_OK)
            fail_msg("%s: %s", others[n], one.error.message);
        assert_true(one.result.network.packets > 10000);
        compare_ranks(s, others[n], n == 0 ? 5 : 2, &one.result, false);
        vef_replay_result_release(&one.result);
    }
    script_free(s);
}

/* The stream of one task cannot be read: every rank hears that the replay is to be repeated. */
static vef_code (*readable)(vef_source *source, uint32_t task, uint32_t thread,
                            const vef_event **event, vef_error *error);

static vef_code unreadable(vef_source *source, uint32_t task, uint32_t thread,
                           const vef_event **event, vef_error *error) {
    return task == 31 ? vef_fail(error, VEF_CORRUPT, "task 31")
                      : readable(source, task, thread, event, error);
}

static void test_one_rank_cannot_read(void **state) {
    (void)state;
    script *s = random_messages();
    readable = s->source.next;
    s->source.next = unreadable;
    compare_ranks(s, near, 3, NULL, true);
    script_free(s);
}

/* What only one process replays is refused, by its name. */
static void test_ranks_refuse(void **state) {
    (void)state;
    script *s = random_messages();
    const vef_listener listener = {0};
    struct {
        vef_replay_options options;
        const char *says;
    } refused[] = {
        {vef_replay_defaults(), "a time limit"},      {vef_replay_defaults(), "mpi.eager_buffer"},
        {vef_replay_defaults(), "host.shared_cores"}, {vef_replay_defaults(), "host.nics"},
        {vef_replay_defaults(), "host.gap"},          {vef_replay_defaults(), "listeners"}};
    refused[0].options.limit_ps = 1000000;
    refused[1].options.eager_buffer_bytes = 4096;
    refused[2].options.host.shared_cores = 4;
    refused[3].options.host.nics = 2;
    refused[4].options.host.gap_ns = 5;
    refused[5].options.listeners = &listener;
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        script_rank ranks[2];
        replay_on_ranks(s, near, 2, &refused[i].options, NULL, ranks);
        for (uint32_t rank = 0; rank < 2; rank++) {
            assert_int_equal(ranks[rank].code, VEF_UNSUPPORTED);
            assert_non_null(strstr(ranks[rank].error.message, refused[i].says));
            assert_non_null(strstr(ranks[rank].error.message, "expected one"));
        }
    }
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
                                       cmocka_unit_test(test_ranks_on_other_networks),
                                       cmocka_unit_test(test_one_rank_cannot_read),
                                       cmocka_unit_test(test_ranks_refuse),
                                       cmocka_unit_test(test_others_are_repeated)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
