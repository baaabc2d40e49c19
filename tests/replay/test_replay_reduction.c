/* Allreduce, Reduce and Barrier by reductions in the network. On networks of cycles of 1 ns the
 * times are known: with h levels from the members' switches to the root of their tree, the result
 * is there 2 h x hop delay + phits after the last member has entered; who receives none goes on at
 * once. */
#include "tests/netmodel/networks.h"
#include "tests/replay/script.h"
#include "traces/event.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

/* A cycle of 1 ns for 4 bytes; two cycles a hop. 16 tasks on 4 x 4 leaves. */
#define ROUTER "router: {flow_control: virtual-channels, delay_cycles: 1"
#define LINKS "link: {bandwidth: 32 Gbit/s, phit: 4 B, delay_cycles: 1}, packet: {phits: 16}"
#define TREE "topology: {family: kary-ntree, k: 4, n: 2}"
static const char tree[] = "{" TREE ", " ROUTER "}, " LINKS "}";
static const char star[] = "{topology: {family: star, endpoints: 16}, " ROUTER "}, " LINKS "}";
enum { HOP_CYCLES = 2, TASKS = 16 };

static const vef_call calls[] = {VEF_CALL_Allreduce, VEF_CALL_Reduce, VEF_CALL_Barrier,
                                 VEF_CALL_Bcast};

static vef_replay_options by_hardware(void) {
    vef_replay_options options = vef_replay_defaults();
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        const vef_rule hardware =
            vef_rule_always(vef_algorithm_find((uint16_t)calls[i], "hardware", false));
        assert_true(vef_choices_add(&options.choices, &hardware));
    }
    return options;
}

static uint64_t end_of(const vef_replay_result *result, uint32_t task) {
    return ns_of(result->task[task].end_ps);
}

/* How many tasks called a collective by an algorithm. */
static uint64_t used(const vef_replay_result *result, vef_call call, const char *name) {
    return result->collectives[vef_algorithm_find((uint16_t)call, name, false) - vef_algorithms];
}

static void test_times(void **unused) {
    (void)unused;
    const vef_replay_options options = by_hardware();
    static const uint64_t sizes[] = {1, 64, 4000, 100000};
    for (int on_star = 0; on_star < 2; on_star++)
        for (uint32_t c = 0; c < 3; c++)
            for (uint32_t size = 0; size < (calls[c] == VEF_CALL_Barrier ? 1 : 4); size++)
                for (int waits = 0; waits < 2; waits++) {
                    const uint64_t bytes = calls[c] == VEF_CALL_Barrier ? 0 : sizes[size];
                    const int32_t root = calls[c] == VEF_CALL_Reduce ? 6 : -1;
                    script *s = script_new(TASKS);
                    for (uint32_t task = 0; task < TASKS; task++) {
                        const uint64_t enters = task * 37 % 16 * 5;
                        if (!waits) {
                            say_collective(s, task, enters, calls[c], 0, root, bytes);
                            continue;
                        }
                        const uint64_t request =
                            say_icollective(s, task, enters,
                                            (vef_call[]){VEF_CALL_Iallreduce, VEF_CALL_Ireduce,
                                                         VEF_CALL_Ibarrier}[c],
                                            0, root, bytes);
                        say_wait(s, task, 0, VEF_CALL_Wait, 1, &request);
                    }
                    say_finalize_all(s);
                    vef_replay_result result = replay_of(s, on_star ? star : tree, &options, NULL);
                    assert_int_equal(result.stall, VEF_STALL_NONE);
                    const uint64_t phits = bytes ? (bytes + 3) / 4 : 1;
                    const uint64_t there = 75 + (on_star ? 0u : 2u * HOP_CYCLES) + phits;
                    for (uint32_t task = 0; task < TASKS; task++)
                        assert_int_equal(end_of(&result, task),
                                         root >= 0 && task != 6 ? task * 37 % 16 * 5 : there);
                    assert_int_equal(result.message_bytes, TASKS * bytes);
                    assert_int_equal(used(&result, calls[c], "hardware"), TASKS);
                    vef_replay_result_release(&result);
                    script_free(s);
                }
}

/* Two tasks at an endpoint contribute together; who is no member never notices; members below one
 * leaf take no link; all at one endpoint send nothing. */
static void test_members_only(void **unused) {
    (void)unused;
    static const uint32_t members[][4] = {{9, 2, 3, 8}, {0, 1, 4, 5}, {6, 7, 6, 7}};
    const vef_replay_options options = by_hardware();
    uint32_t mapping[TASKS];
    for (uint32_t task = 0; task < TASKS; task++)
        mapping[task] = task / 2;
    script *s = script_new(TASKS);
    for (uint32_t m = 0; m < 3; m++) {
        const uint32_t count = m == 2 ? 2 : 4, comm = script_comm(s, count, members[m]);
        for (uint32_t i = 0; i < count; i++)
            say_collective(s, members[m][i], 10 * i, VEF_CALL_Allreduce, comm, -1, 40);
    }
    say_finalize_all(s);
    vef_replay_result result = replay_of(s, tree, &options, mapping);
    assert_int_equal(result.stall, VEF_STALL_NONE);
    for (uint32_t i = 0; i < 4; i++) {
        assert_int_equal(end_of(&result, members[0][i]), 30 + 2 * HOP_CYCLES + 10);
        assert_int_equal(end_of(&result, members[1][i]), 30 + 10);
        assert_int_equal(end_of(&result, members[2][i]), 10);
        assert_int_equal(end_of(&result, 10 + i), 0);
    }
    assert_int_equal(result.messages, 10);
    assert_int_equal(result.local_messages, 2);
    assert_int_equal(result.network.messages, 2 + 2); /* a result at each of two endpoints */
    vef_replay_result_release(&result);
    script_free(s);
}

/* A bcast of some goes to their endpoints alone. */
static void test_bcast_of_a_group(void **unused) {
    (void)unused;
    static const uint32_t members[] = {5, 4, 13};
    const vef_replay_options options = by_hardware();
    script *s = script_new(TASKS);
    const uint32_t comm = script_comm(s, 3, members);
    for (uint32_t i = 0; i < 3; i++)
        say_collective(s, members[i], 0, VEF_CALL_Bcast, comm, 0, 40);
    say_finalize_all(s);
    vef_replay_result result = replay_of(s, tree, &options, NULL);
    assert_int_equal(end_of(&result, 5), 0);
    assert_int_equal(end_of(&result, 4), 10);
    assert_int_equal(end_of(&result, 13), 2 * HOP_CYCLES + 10);
    assert_int_equal(result.network.messages, 2);
    vef_replay_result_release(&result);
    script_free(s);
}

static void test_overheads(void **unused) {
    (void)unused;
    vef_replay_options options = by_hardware();
    options.host.send_overhead = vef_cost_of(7, 0);
    options.host.receive_overhead = vef_cost_of(5, 0);
    script *s = script_new(TASKS);
    for (uint32_t task = 0; task < TASKS; task++)
        say_collective(s, task, 0, VEF_CALL_Allreduce, 0, -1, 16);
    say_finalize_all(s);
    vef_replay_result result = replay_of(s, tree, &options, NULL);
    for (uint32_t task = 0; task < TASKS; task++) {
        assert_int_equal(end_of(&result, task), 7 + 2 * HOP_CYCLES + 4 + 5);
        assert_int_equal(ns_of(result.task[task].overhead_ps), 12);
    }
    vef_replay_result_release(&result);
    script_free(s);
}

/* The world takes all slots; another communicator of several endpoints reduces by messages. */
static void test_slots_run_out(void **unused) {
    (void)unused;
    static const uint32_t members[] = {0, 5, 10, 15};
    vef_replay_options options = by_hardware();
    script *s = script_new(TASKS);
    const uint32_t comm = script_comm(s, 4, members);
    for (uint32_t task = 0; task < TASKS; task++)
        say_collective(s, task, 0, VEF_CALL_Allreduce, 0, -1, 5000);
    for (uint32_t i = 0; i < 4; i++)
        say_collective(s, members[i], 0, VEF_CALL_Allreduce, comm, -1, 8);
    say_finalize_all(s);
    for (uint32_t groups = 1; groups <= 2; groups++) {
        char text[512];
        snprintf(text, sizeof text,
                 "{" TREE ", " ROUTER ", reduction: {slots: %u, group_slots: 5}}, " LINKS "}",
                 groups * 5);
        vef_replay_result result = replay_of(s, text, &options, NULL);
        assert_int_equal(result.stall, VEF_STALL_NONE);
        assert_int_equal(used(&result, VEF_CALL_Allreduce, "hardware"),
                         groups == 1 ? TASKS : TASKS + 4);
        vef_replay_result_release(&result);
    }
    script_free(s);
}

/* A member that contributes only after a message that another sends behind a large contribution,
 * and members that start reductions of two communicators in different orders: nothing waits for
 * ever. */
static void test_late_members(void **unused) {
    (void)unused;
    static const uint32_t half[] = {0, 1, 2, 3, 12, 13};
    const vef_replay_options options = by_hardware();
    script *s = script_new(TASKS);
    const uint32_t comm = script_comm(s, 6, half);
    for (uint32_t round = 0; round < 5; round++)
        for (uint32_t task = 0; task < TASKS; task++) {
            const bool member = task < 4 || task / 2 == 6;
            uint64_t requests[2];
            uint32_t count = 0;
            if (member && (task + round) % 2)
                requests[count++] =
                    say_icollective(s, task, 3, VEF_CALL_Iallreduce, comm, -1, 30000);
            if (task == 1)
                say_receive(s, task, 0, 0);
            requests[count++] = say_icollective(s, task, 3, VEF_CALL_Iallreduce, 0, -1, 50000);
            if (task == 0)
                say_send(s, task, 0, 1, 500, 0);
            if (member && (task + round) % 2 == 0)
                requests[count++] =
                    say_icollective(s, task, 3, VEF_CALL_Iallreduce, comm, -1, 30000);
            say_wait(s, task, 0, VEF_CALL_Waitall, count, requests);
        }
    say_finalize_all(s);
    vef_replay_result result = replay_of(s, tree, &options, NULL);
    assert_int_equal(result.stall, VEF_STALL_NONE);
    assert_int_equal(used(&result, VEF_CALL_Allreduce, "hardware"), 5 * (TASKS + 6));
    vef_replay_result_release(&result);
    script_free(s);
}

static void test_refused_where_there_is_none(void **unused) {
    (void)unused;
    static const char *const rows[][2] = {
        {"{topology: {family: torus, sizes: [4, 4]}}", "fat trees"},
        {"{topology: {family: rtt, a: 4}}", "fat trees"},
        {"{model: ideal}", "expected model router"},
    };
    vef_replay_options options = vef_replay_defaults();
    const vef_rule hardware =
        vef_rule_always(vef_algorithm_find(VEF_CALL_Allreduce, "hardware", false));
    assert_true(vef_choices_add(&options.choices, &hardware));
    script *s = script_new(2);
    say_finalize_all(s);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        vef_netmodel *network = network_of(rows[i][0]);
        vef_replay_result result;
        vef_error error = {0};
        assert_int_equal(replay_on(s, network, &options, NULL, &result, &error), VEF_UNSUPPORTED);
        assert_non_null(strstr(error.message, rows[i][1]));
        vef_netmodel_destroy(network);
    }
    script_free(s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_times),
        cmocka_unit_test(test_members_only),
        cmocka_unit_test(test_bcast_of_a_group),
        cmocka_unit_test(test_overheads),
        cmocka_unit_test(test_slots_run_out),
        cmocka_unit_test(test_late_members),
        cmocka_unit_test(test_refused_where_there_is_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
