/* MPI_Bcast by one message to all in the network. On networks of cycles of 1 ns the times are
 * known: a member d hops from the root goes on d x hop delay + phits after the root has sent, or
 * when it enters, if that is later; the root at once. */
#include "netmodel/topology/topology.h"
#include "tests/netmodel/networks.h"
#include "tests/replay/script.h"
#include "traces/event.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A cycle of 1 ns for 4 bytes; two cycles a hop. */
#define LINKS                                                                                      \
    "router: {delay_cycles: 1}, link: {bandwidth: 32 Gbit/s, phit: 4 B, delay_cycles: 1}, "        \
    "packet: {phits: 16}"
enum { HOP_CYCLES = 2 };

static const struct {
    const char *family, *parameters;
} shapes[] = {
    {"king-torus", "{sizes: [5, 5]}"}, {"king-torus", "{sizes: [4, 4]}"},
    {"king-mesh", "{sizes: [5, 4]}"},  {"king-mesh", "{sizes: [3, 7]}"},
    {"torus", "{sizes: [4, 3, 2]}"},   {"mesh", "{sizes: [4, 5]}"},
};
enum { SHAPES = sizeof shapes / sizeof *shapes };

static void network_text(size_t shape, int per_router, char text[512]) {
    snprintf(text, 512, "{topology: {family: %s, %s, endpoints_per_router: %d, " LINKS "}",
             shapes[shape].family, shapes[shape].parameters + 1, per_router);
}

static vef_replay_options by_hardware(void) {
    vef_replay_options options = vef_replay_defaults();
    const vef_rule hardware =
        vef_rule_always(vef_algorithm_find(VEF_CALL_Bcast, "hardware", false));
    assert_true(vef_choices_add(&options.choices, &hardware));
    return options;
}

/* When the task has ended, which says when its last call returned. */
static uint64_t end_of(const vef_replay_result *result, uint32_t task) {
    return ns_of(result->task[task].end_ps);
}

static void test_every_root_every_time(void **unused) {
    (void)unused;
    const vef_replay_options options = by_hardware();
    for (size_t shape = 0; shape < SHAPES; shape++) {
        vef_topology *topology = topology_of(shapes[shape].family, shapes[shape].parameters, 1);
        const uint32_t tasks = topology->routers;
        uint32_t *distance = malloc(tasks * sizeof *distance);
        assert_non_null(distance);
        for (uint32_t root = 0; root < tasks; root++) {
            distances_from(topology, root, distance);
            /* From a part of a phit to several packets, beyond the eager threshold as well. */
            const uint64_t bytes = root % 3 == 0 ? 3 : root % 3 == 1 ? 64 : 100000;
            script *s = script_new(tasks);
            for (uint32_t task = 0; task < tasks; task++) {
                const uint64_t enters = task == root ? 50 : task % 4 == 0 ? 60 + task : 0;
                if (root % 2) { /* started and waited for at once: the same */
                    const uint64_t request =
                        say_icollective(s, task, enters, VEF_CALL_Ibcast, 0, (int32_t)root, bytes);
                    say_wait(s, task, 0, VEF_CALL_Wait, 1, &request);
                } else {
                    say_collective(s, task, enters, VEF_CALL_Bcast, 0, (int32_t)root, bytes);
                }
            }
            say_finalize_all(s);
            char text[512];
            network_text(shape, 1, text);
            vef_replay_result result = replay_of(s, text, &options, NULL);
            assert_int_equal(result.stall, VEF_STALL_NONE);
            for (uint32_t task = 0; task < tasks; task++) {
                const uint64_t entered = task == root ? 50 : task % 4 == 0 ? 60 + task : 0;
                const uint64_t arrived =
                    50 + (uint64_t)distance[task] * HOP_CYCLES + (bytes + 3) / 4;
                const uint64_t expected = task == root || entered > arrived ? entered : arrived;
                if (end_of(&result, task) != expected)
                    fail_msg("%s root %u task %u ends at %llu, not %llu", text, root, task,
                             (unsigned long long)end_of(&result, task),
                             (unsigned long long)expected);
            }
            assert_int_equal(result.messages, 1);
            assert_int_equal(result.message_bytes, bytes);
            assert_int_equal(result.local_messages, 0);
            vef_replay_result_release(&result);
            script_free(s);
        }
        free(distance);
        vef_topology_destroy(topology);
    }
}

/* Two tasks at an endpoint and two endpoints at a router, a communicator of some of them in an
 * order of its own; who is no member never notices. */
static void test_members_only(void **unused) {
    (void)unused;
    static const uint32_t members[] = {9, 2, 3, 0, 11, 8};
    const vef_replay_options options = by_hardware();
    uint32_t mapping[12];
    for (uint32_t task = 0; task < 12; task++)
        mapping[task] = (task / 2 * 5) % 18; /* of 9 routers */
    vef_topology *topology = topology_of("king-mesh", "{sizes: [3, 3]}", 2);
    uint32_t distance[9];
    distances_from(topology, mapping[3] / 2, distance);
    script *s = script_new(12);
    const uint32_t comm = script_comm(s, 6, members);
    for (uint32_t i = 0; i < 6; i++)
        say_collective(s, members[i], 10, VEF_CALL_Bcast, comm, 2, 40); /* rank 2: task 3 */
    say_finalize_all(s);
    vef_replay_result result = replay_of(
        s, "{topology: {family: king-mesh, sizes: [3, 3]}, endpoints_per_router: 2, " LINKS "}",
        &options, mapping);
    assert_int_equal(result.stall, VEF_STALL_NONE);
    for (uint32_t task = 0; task < 12; task++) {
        uint64_t expected = 0;
        for (uint32_t i = 0; i < 6; i++)
            if (members[i] == task)
                expected = mapping[task] == mapping[3]
                               ? 10 /* task 2 is at the root's endpoint */
                               : 10 + (uint64_t)distance[mapping[task] / 2] * HOP_CYCLES + 10;
        assert_int_equal(end_of(&result, task), expected);
    }
    assert_int_equal(mapping[2], mapping[3]);
    vef_replay_result_release(&result);
    script_free(s);
    vef_topology_destroy(topology);
}

/* Overheads: the root pays for one send, each other for one receive when it is there. */
static void test_overheads(void **unused) {
    (void)unused;
    vef_replay_options options = by_hardware();
    options.host.send_overhead = vef_cost_of(7, 0);
    options.host.receive_overhead = vef_cost_of(5, 0);
    script *s = script_new(9);
    for (uint32_t task = 0; task < 9; task++)
        say_collective(s, task, 0, VEF_CALL_Bcast, 0, 4, 16);
    say_finalize_all(s);
    vef_replay_result result =
        replay_of(s, "{topology: {family: king-torus, sizes: [3, 3]}, " LINKS "}", &options, NULL);
    for (uint32_t task = 0; task < 9; task++) {
        assert_int_equal(end_of(&result, task), task == 4 ? 7 : 7 + HOP_CYCLES + 4 + 5);
        assert_int_equal(ns_of(result.task[task].overhead_ps), task == 4 ? 7 : 5);
        /* From when the root had sent on, it was on its way. */
        assert_int_equal(ns_of(result.task[task].waiting_ps), task == 4 ? 0 : 7);
    }
    vef_replay_result_release(&result);
    script_free(s);
}

/* Many in a row by changing roots, on two communicators, among other messages, with members that
 * run ahead: all end, and no member before the root has entered. */
static void test_many_in_a_row(void **unused) {
    (void)unused;
    enum { TASKS = 16, ROUNDS = 40 };
    const vef_replay_options options = by_hardware();
    static const uint32_t half[] = {1, 3, 5, 7, 9, 11, 13, 15};
    script *s = script_new(TASKS);
    const uint32_t comm = script_comm(s, 8, half);
    vef_rng rng = vef_rng_make(5, VEF_RNG_TEST, 0);
    uint64_t last_enters = 0;
    for (int round = 0; round < ROUNDS; round++)
        for (uint32_t task = 0; task < TASKS; task++) {
            const uint64_t gap = vef_rng_below(&rng, 30);
            last_enters += task == (uint32_t)(round % TASKS) ? gap : 0;
            say_collective(s, task, gap, VEF_CALL_Bcast, 0, round % TASKS,
                           1 + (uint64_t)round * 13);
            if (task % 2 == 1)
                say_collective(s, task, 0, VEF_CALL_Bcast, comm, round % 8, 500);
            say_sendrecv(s, task, 0, (task + 1) % TASKS, 80, (task + TASKS - 1) % TASKS);
        }
    say_finalize_all(s);
    static const char *const networks[] = {
        "{topology: {family: king-torus, sizes: [4, 4]}, " LINKS "}",
        "{topology: {family: king-mesh, sizes: [4, 4]}, router: {queue_packets: 2}}",
        "{topology: {family: torus, sizes: [4, 4]}, router: {queue_packets: 2, ejection_ports: 2}}",
        "{model: ideal}",
    };
    for (size_t i = 0; i < sizeof networks / sizeof *networks; i++) {
        vef_replay_result result = replay_of(s, networks[i], &options, NULL);
        if (result.stall != VEF_STALL_NONE)
            fail_msg("%s: %s", networks[i], result.stall_text);
        assert_int_equal(result.messages, ROUNDS * (2 + TASKS));
        vef_replay_result_release(&result);
    }
    script_free(s);
}

/* Without latency all have it when the root enters; all at one endpoint: nothing is sent. */
static void test_ideal_and_local(void **unused) {
    (void)unused;
    const vef_replay_options options = by_hardware();
    script *s = script_new(5);
    for (uint32_t task = 0; task < 5; task++)
        say_collective(s, task, 10 * task, VEF_CALL_Bcast, 0, 2, 1 << 20);
    say_finalize_all(s);
    static const uint32_t one_place[] = {3, 3, 3, 3, 3};
    static const char *const networks[] = {
        script_ideal, "{topology: {family: king-torus, sizes: [3, 3]}, " LINKS "}"};
    for (int i = 0; i < 2; i++) {
        vef_replay_result result = replay_of(s, networks[i], &options, i == 0 ? NULL : one_place);
        for (uint32_t task = 0; task < 5; task++)
            assert_int_equal(end_of(&result, task), task < 2 ? 20 : 10 * task);
        assert_int_equal(result.local_messages, i);
        assert_int_equal(result.network.messages, 1 - i);
        vef_replay_result_release(&result);
    }
    script_free(s);
}

/* A root that never enters is reported as with any other algorithm. */
static void test_missing_root(void **unused) {
    (void)unused;
    const vef_replay_options options = by_hardware();
    script *s = script_new(3);
    say_collective(s, 0, 0, VEF_CALL_Bcast, 0, 1, 8);
    say_collective(s, 2, 0, VEF_CALL_Bcast, 0, 1, 8);
    say_finalize_all(s);
    vef_replay_result result = replay_of(s, script_ideal, &options, NULL);
    assert_int_equal(result.stall, VEF_STALL_COLLECTIVE);
    vef_replay_result_release(&result);
    script_free(s);
}

static void test_refused_where_there_is_none(void **unused) {
    (void)unused;
    const vef_replay_options options = by_hardware();
    script *s = script_new(2);
    say_finalize_all(s);
    vef_netmodel *network = network_of("{topology: {family: rtt, a: 2}}");
    vef_replay_result result;
    vef_error error = {0};
    assert_int_equal(replay_on(s, network, &options, NULL, &result, &error), VEF_UNSUPPORTED);
    assert_non_null(strstr(error.message, "king-torus"));
    vef_netmodel_destroy(network);
    script_free(s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_root_every_time),
        cmocka_unit_test(test_members_only),
        cmocka_unit_test(test_overheads),
        cmocka_unit_test(test_many_in_a_row),
        cmocka_unit_test(test_ideal_and_local),
        cmocka_unit_test(test_missing_root),
        cmocka_unit_test(test_refused_where_there_is_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
