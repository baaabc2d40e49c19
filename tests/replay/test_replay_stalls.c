/* A replay that cannot go on says why: one script per kind of stall. */
#include "tests/replay/script.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

/* Replays, expects the stall and that its text holds each of the words; frees the script. */
static void expect(script *s, vef_stall stall, const vef_replay_options *options,
                   const char *const *words) {
    const char *network = s->source.tasks > 2 ? script_mesh : script_pair;
    vef_replay_result result = replay_of(s, network, options, NULL);
    if (result.stall != stall)
        fail_msg("stall %d where %d was right: %s", (int)result.stall, (int)stall,
                 result.stall_text);
    for (; *words; words++)
        if (!strstr(result.stall_text, *words))
            fail_msg("'%s' does not say '%s'", result.stall_text, *words);
    assert_non_null(vef_stall_name(stall));
    vef_replay_result_release(&result);
    script_free(s);
}
#define WORDS(...) ((const char *const[]){__VA_ARGS__, NULL})

static void test_no_send(void **state) {
    (void)state;
    script *s = script_new(2);
    say_send(s, 0, 1, 1, 8, 0);
    say_receive(s, 1, 0, 0);
    say_receive(s, 1, 0, 0);
    say_finalize_all(s);
    expect(s, VEF_STALL_NO_SEND, NULL,
           WORDS("task 1, event 1 (MPI_Recv)", "message 1 from task 0", "after 2 events"));
    /* The same through a request, and through a probe. */
    s = script_new(2);
    uint64_t request = say_ireceive(s, 1, 0, 0);
    say_wait(s, 1, 0, VEF_CALL_Wait, 1, &request);
    say_finalize_all(s);
    expect(s, VEF_STALL_NO_SEND, NULL,
           WORDS("task 1, event 1 (MPI_Wait)", "message 0 from task 0"));
    s = script_new(2);
    vef_operation probe = {.peer = 0, .ordinal = 0, .request = VEF_NO_REQUEST};
    say(s, 1, &(vef_event){.call = VEF_CALL_Probe, .operations = &probe, .operation_count = 1});
    say_finalize_all(s);
    expect(s, VEF_STALL_NO_SEND, NULL, WORDS("task 1, event 0 (MPI_Probe)"));
}

static void test_no_receive(void **state) {
    (void)state;
    script *s = script_new(2);
    say_send(s, 0, 1, 1, 8, VEF_OP_SYNCHRONOUS);
    say_finalize_all(s);
    expect(s, VEF_STALL_NO_RECEIVE, NULL,
           WORDS("task 0, event 0 (MPI_Ssend)", "task 1", "never receives"));
}

static void test_circle(void **state) {
    (void)state;
    script *s = script_new(2);
    for (uint32_t task = 0; task < 2; task++)
        say_send(s, task, 1, 1 - task, 65537, 0);
    for (uint32_t task = 0; task < 2; task++)
        say_receive(s, task, 0, 1 - task);
    say_finalize_all(s);
    expect(s, VEF_STALL_TASK_CYCLE, NULL,
           WORDS("2 tasks wait for each other", "task 0, event 0 (MPI_Send)",
                 "for task 1 to receive message 0", "task 1, event 0 (MPI_Send)"));
    /* A task that waits for itself. */
    s = script_new(1);
    say_send(s, 0, 0, 0, 8, VEF_OP_SYNCHRONOUS);
    say_receive(s, 0, 0, 0);
    say_finalize_all(s);
    expect(s, VEF_STALL_TASK_CYCLE, NULL, WORDS("1 task waits for itself", "event 0 (MPI_Ssend)"));
}

/* Task 0 in a barrier, task 1 in a receive from it: the circle goes through a collective. */
static void test_circle_through_a_collective(void **state) {
    (void)state;
    script *s = script_new(2);
    say_collective(s, 0, 0, VEF_CALL_Barrier, 0, -1, 0);
    say_send(s, 0, 0, 1, 8, 0);
    say_receive(s, 1, 0, 0);
    say_collective(s, 1, 0, VEF_CALL_Barrier, 0, -1, 0);
    say_finalize_all(s);
    expect(s, VEF_STALL_TASK_CYCLE, NULL,
           WORDS("MPI_Barrier", "collective 0 of communicator 0", "MPI_Recv"));
}

static void test_collectives_differ(void **state) {
    (void)state;
    script *s = script_new(2);
    say_collective(s, 0, 0, VEF_CALL_Barrier, 0, -1, 0);
    say_collective(s, 1, 5, VEF_CALL_Allreduce, 0, -1, 8);
    say_finalize_all(s);
    expect(s, VEF_STALL_COLLECTIVE, NULL,
           WORDS("communicator 0", "task 1 calls MPI_Allreduce", "task 0 called MPI_Barrier"));
    s = script_new(2);
    say_collective(s, 0, 0, VEF_CALL_Bcast, 0, 0, 8);
    say_collective(s, 1, 5, VEF_CALL_Bcast, 0, 1, 8);
    say_finalize_all(s);
    expect(s, VEF_STALL_COLLECTIVE, NULL, WORDS("root 0", "root 1", "MPI_Bcast"));
    s = script_new(2);
    say_collective(s, 0, 0, VEF_CALL_Barrier, 0, -1, 0);
    say_finalize_all(s);
    expect(s, VEF_STALL_COLLECTIVE, NULL,
           WORDS("task 0, event 0 (MPI_Barrier)", "task 1", "never enters it"));
}

/* Of three members two reduce 8 bytes and one 64 KiB, for which MPICH uses another algorithm: a
 * wait for a member that has completed the collective differs from a wait for one that never
 * entered it.
 */
static void test_collectives_of_other_sizes(void **state) {
    (void)state;
    script *s = script_new(3);
    for (uint32_t task = 0; task < 3; task++) {
        const uint64_t bytes = task == 1 ? 65536 : 8;
        say_collective(s, task, 0, VEF_CALL_Allreduce, 0, -1, bytes)->elements = bytes / 8;
        say_local(s, task, 0, VEF_CALL_Pcontrol);
    }
    say_finalize_all(s);
    expect(s, VEF_STALL_COLLECTIVE, NULL, WORDS("MPI_Allreduce", "completed it with counts other"));
}

static void test_cut_trace(void **state) {
    (void)state;
    script *s = script_new(2);
    say_collective(s, 0, 0, VEF_CALL_Barrier, 0, -1, 0);
    say_local(s, 0, 0, VEF_CALL_Finalize);
    s->task[1].end = VEF_LOG_CUT;
    expect(s, VEF_STALL_TRACE_CUT, NULL, WORDS("task 0", "is cut after 0 events"));
    /* A call that never returned: its task ends in it, the one that waits for it does not. */
    s = script_new(2);
    say_receive(s, 0, 3, 1)->flags |= VEF_EVENT_OPEN;
    s->task[0].end = VEF_LOG_CUT;
    say_receive(s, 1, 0, 0);
    expect(s, VEF_STALL_TRACE_CUT, NULL, WORDS("task 1, event 0 (MPI_Recv)", "task 0"));
    s = script_new(2);
    say_receive(s, 0, 3, 1)->flags |= VEF_EVENT_OPEN;
    s->task[0].end = VEF_LOG_CUT;
    say_local(s, 1, 8, VEF_CALL_Finalize);
    vef_replay_result result = replay_of(s, script_pair, NULL, NULL);
    assert_int_equal(result.stall, VEF_STALL_NONE);
    assert_int_equal(ns_of(result.time_ps), 8);
    assert_non_null(strstr(result.approximations, "1 calls had not returned"));
    vef_replay_result_release(&result);
    script_free(s);
}

static void test_time_limit(void **state) {
    (void)state;
    vef_replay_options options = vef_replay_defaults();
    options.limit_ps = 1000 * VEF_PS_PER_NS;
    for (uint64_t late = 0; late < 2; late++) {
        script *s = script_new(2);
        say_local(s, 0, 1000 + late, VEF_CALL_Pcontrol);
        say_finalize_all(s);
        if (late) {
            expect(s, VEF_STALL_TIME_LIMIT, &options, WORDS("1000 ns", "1 of 2 tasks"));
        } else {
            assert_int_equal(time_of(s, script_pair, &options), 1000);
            script_free(s);
        }
    }
    /* In the middle of a message. */
    script *s = script_new(2);
    say_send(s, 0, 0, 1, 40000, 0);
    say_receive(s, 1, 0, 0);
    say_finalize_all(s);
    expect(s, VEF_STALL_TIME_LIMIT, &options, WORDS("1000 ns"));
}

/* A network that takes messages and never delivers one. */
static bool is_deadlocked;
static vef_code swallow(vef_netmodel *model, const vef_net_message *message, vef_error *error) {
    (void)model, (void)message, (void)error;
    return VEF_OK;
}
static vef_code deliver_nothing(vef_netmodel *model, uint64_t limit,
                                const vef_net_delivery **deliveries, size_t *count,
                                vef_error *error) {
    (void)model, (void)limit, (void)deliveries, (void)error;
    *count = 0;
    return VEF_OK;
}
static uint64_t no_time(const vef_netmodel *model) {
    (void)model;
    return 0;
}
static void no_statistics(const vef_netmodel *model, vef_net_statistics *statistics) {
    (void)model;
    *statistics = (vef_net_statistics){0};
}
static bool maybe_deadlock(const vef_netmodel *model, char *text, size_t text_bytes) {
    (void)model;
    snprintf(text, text_bytes, "channel 0 of (0,0) waits for itself");
    return is_deadlocked;
}

static void test_network_stops(void **state) {
    (void)state;
    static const vef_netmodel_kind kind = {.name = "well",
                                           .inject = swallow,
                                           .advance = deliver_nothing,
                                           .now = no_time,
                                           .statistics = no_statistics,
                                           .deadlock = maybe_deadlock};
    vef_netmodel well = {
        .kind = &kind, .endpoints = 2, .bandwidth_bits_per_s = 32000000000, .phit_bytes = 4};
    for (int deadlocked = 0; deadlocked < 2; deadlocked++) {
        is_deadlocked = deadlocked;
        script *s = script_new(2);
        say_send(s, 0, 3, 1, 8, 0);
        say_receive(s, 1, 0, 0);
        say_finalize_all(s);
        vef_replay_result result;
        vef_error error = {0};
        vef_code code = replay_on(s, &well, NULL, NULL, &result, &error);
        if (deadlocked) {
            assert_int_equal(code, VEF_OK);
            assert_int_equal(result.stall, VEF_STALL_NETWORK_DEADLOCK);
            assert_string_equal(result.stall_text, "channel 0 of (0,0) waits for itself");
            vef_replay_result_release(&result);
        } else {
            assert_int_equal(code, VEF_FAILED);
            assert_non_null(strstr(error.message, "'well'"));
            assert_non_null(strstr(error.message, "1 messages"));
        }
        uint32_t beyond[] = {0, 2};
        assert_int_equal(replay_on(s, &well, NULL, beyond, &result, &error), VEF_INVALID);
        assert_non_null(strstr(error.message, "task 1 is mapped to endpoint 2"));
        script_free(s);
    }
}

/* A network that delivers what tasks 0 and 1 send, ten cycles later, and keeps all else; it knows
 * after ten deliveries that this will never come. */
static struct {
    uint64_t now, due_cycles, id;
    unsigned delivered;
    vef_net_delivery last;
} partly;
static vef_code keep_some(vef_netmodel *model, const vef_net_message *message, vef_error *error) {
    (void)model, (void)error;
    if (message->source < 2) {
        assert_int_equal(partly.due_cycles, 0); /* one at a time */
        partly.due_cycles = message->time_cycles + 10;
        partly.id = message->id;
    }
    return VEF_OK;
}
static vef_code deliver_some(vef_netmodel *model, uint64_t limit,
                             const vef_net_delivery **deliveries, size_t *count, vef_error *error) {
    (void)model, (void)error;
    *count = 0;
    if (partly.due_cycles == 0 || partly.due_cycles > limit) {
        partly.now = limit == VEF_FOREVER ? partly.now : limit;
        return VEF_OK;
    }
    partly.now = partly.due_cycles;
    partly.last = (vef_net_delivery){.id = partly.id, .time_cycles = partly.due_cycles};
    partly.due_cycles = 0;
    partly.delivered++;
    *deliveries = &partly.last;
    *count = 1;
    return VEF_OK;
}
static uint64_t partly_now(const vef_netmodel *model) {
    (void)model;
    return partly.now;
}
static bool partly_deadlocked(const vef_netmodel *model, char *text, size_t text_bytes) {
    (void)model;
    snprintf(text, text_bytes, "channel 0 of (2,0) waits for itself");
    return partly.delivered >= 10;
}

/* Tasks 2 and 3 are stuck in the network; 0 and 1 could go on for long. */
static void test_part_of_the_network_stops(void **state) {
    (void)state;
    static const vef_netmodel_kind kind = {.name = "partly",
                                           .inject = keep_some,
                                           .advance = deliver_some,
                                           .now = partly_now,
                                           .statistics = no_statistics,
                                           .deadlock = partly_deadlocked};
    vef_netmodel network = {
        .kind = &kind, .endpoints = 4, .bandwidth_bits_per_s = 32000000000, .phit_bytes = 4};
    memset(&partly, 0, sizeof partly);
    script *s = script_new(4);
    for (int i = 0; i < 100; i++) {
        say_send(s, 0, 1, 1, 8, 0);
        say_receive(s, 1, 0, 0);
        say_send(s, 1, 1, 0, 8, 0);
        say_receive(s, 0, 0, 1);
    }
    say_send(s, 2, 1, 3, 8, 0);
    say_receive(s, 3, 0, 2);
    say_finalize_all(s);
    vef_replay_result result;
    vef_error error = {0};
    assert_int_equal(replay_on(s, &network, NULL, NULL, &result, &error), VEF_OK);
    assert_int_equal(result.stall, VEF_STALL_NETWORK_DEADLOCK);
    assert_string_equal(result.stall_text, "channel 0 of (2,0) waits for itself");
    assert_int_equal(partly.delivered, 10);
    vef_replay_result_release(&result);
    script_free(s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_no_send),
        cmocka_unit_test(test_no_receive),
        cmocka_unit_test(test_circle),
        cmocka_unit_test(test_circle_through_a_collective),
        cmocka_unit_test(test_collectives_differ),
        cmocka_unit_test(test_collectives_of_other_sizes),
        cmocka_unit_test(test_cut_trace),
        cmocka_unit_test(test_time_limit),
        cmocka_unit_test(test_network_stops),
        cmocka_unit_test(test_part_of_the_network_stops),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
