/* What merging makes of logs that lack a part: starts that a killed task did not write, and what
 * rings dropped. Logs made by hand; the expected traces follow from the rules at each test. */
#include "common/rng.h"
#include "tests/traces/trace_support.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Logs lose what was not written when a task died, of each thread another part, and rings lose
 * their beginning: what completes or names a request whose start is nowhere leaves the trace, and a
 * completion that precedes its start settles the receive all the same. */
static void test_lost_starts(void **state) {
    (void)state;
    FOLDER("lost");
    vef_log *log = log_begin(folder, 0, 2);
    log_send(log, 1, 3, 0, 33);
    log_send(log, 1, 3, 0, 44);
    log_end(log, VEF_LOG_FINALIZED);
    log = log_begin(folder, 1, 2);
    log_wait(log, 0, 0, 3, 77);  /* of a receive that is lost */
    log_wait(log, 2, 0, 3, 33);  /* before its start */
    log_wait(log, 99, 0, 3, 77); /* beyond all */
    log_event(log, (vef_event){.call = VEF_CALL_Cancel, .argument = 0});
    log_event(log, (vef_event){.call = VEF_CALL_Pready, .flags = VEF_EVENT_LAST, .argument = 1});
    vef_completion looked = {1, false, 0, 3, 99};
    log_event(log, (vef_event){.call = VEF_CALL_Request_get_status,
                               .completion_count = 1,
                               .completions = &looked});
    log_irecv(log, VEF_ANY_SOURCE, VEF_ANY_TAG, 0, 2);
    log_irecv(log, 0, 3, 0, 3);
    log_wait(log, 3, 0, 3, 44);
    log_end(log, VEF_LOG_CUT);
    const char *path = scratch_path("lost.vef");
    merge(folder, path);
    event_list list = read_task(path, 1);
    assert_int_equal(list.count, 7);
    for (uint32_t i = 0; i < 4; i++)
        assert_int_equal(list.events[i].completion_count, 0);
    const vef_operation *early = list.events[4].operations, *usual = list.events[5].operations;
    assert_true(early->request == 0 && usual->request == 1);
    assert_true(early->ordinal == 0 && early->bytes == 33 && early->peer == 0);
    assert_true(early->flags & VEF_OP_OPEN_ENDED);
    assert_false(early->flags & VEF_OP_UNMATCHED);
    assert_true(usual->ordinal == 1 && usual->bytes == 44);
    assert_int_equal(list.events[6].completion_count, 1);
    assert_true(list.events[6].completions[0].request == 1);
    free_events(&list);
}

enum { RING_MESSAGES = 150000 };

/* Task 0 sends messages of 0, 1, 2, … bytes to task 1, every tenth time both reduce as many. Its
 * log, or both, keep the last MiB alone. */
static void write_ring(const char *folder, uint32_t task, bool ring) {
    vef_log *log = log_begin(folder, task, 2);
    vef_rng rng = vef_rng_make(5, VEF_RNG_TEST, task);
    if (ring)
        OK(vef_log_limit(log, 1 << 20, true, error));
    for (uint64_t i = 0; i < RING_MESSAGES; i++) {
        vef_operation operation = {task == 0 ? VEF_OP_SEND : 0,
                                   1 - (int32_t)task,
                                   3,
                                   0,
                                   i,
                                   VEF_NO_ORDINAL,
                                   VEF_NO_REQUEST};
        log_event(log, (vef_event){.call = task == 0 ? VEF_CALL_Send : VEF_CALL_Recv,
                                   .gap_ns = vef_rng_next(&rng) >> 8,
                                   .operation_count = 1,
                                   .operations = &operation,
                                   .entered = 4 * i,
                                   .left = 4 * i + 1});
        if (i % 10 == 9)
            log_event(log, (vef_event){.call = VEF_CALL_Iallreduce,
                                       .root = -1,
                                       .bytes = i,
                                       .elements = 1,
                                       .request = i / 10,
                                       .entered = 4 * i + 2,
                                       .left = 4 * i + 3});
    }
    log_end(log, VEF_LOG_FINALIZED);
}

/* What is left in two logs that dropped their beginnings goes together from the end: in a run that
 * came to its end all messages were received, and all members called every collective. Each message
 * has its number as its length, so who took it is seen. */
static void test_rings(void **state) {
    (void)state;
    for (unsigned both = 0; both < 2; both++) {
        FOLDER("rings");
        write_ring(folder, 0, true);
        write_ring(folder, 1, both);
        const char *path = scratch_path("rings.vef");
        merge(folder, path);
        event_list lists[2] = {read_task(path, 0), read_task(path, 1)};
        uint64_t first[2], messages[2] = {0, 0}, reductions[2] = {0, 0}, requests = 0;
        for (uint32_t task = 0; task < 2; task++) {
            first[task] = RING_MESSAGES;
            for (size_t i = 0; i < lists[task].count; i++)
                if (lists[task].events[i].operation_count && first[task] == RING_MESSAGES)
                    first[task] = lists[task].events[i].operations[0].bytes;
        }
        assert_true(first[0] > 0 && (first[1] > 0) == both);
        uint64_t common = first[0] > first[1] ? first[0] : first[1];
        for (uint32_t task = 0; task < 2; task++) {
            for (size_t i = 0; i < lists[task].count; i++) {
                const vef_event *event = &lists[task].events[i];
                const vef_operation *op = event->operations;
                if (event->call == VEF_CALL_Iallreduce) {
                    /* of the reductions that both have, in order, the last is both's last */
                    assert_true(event->bytes >= common && event->bytes % 10 == 9);
                    assert_true(event->request == reductions[task]);
                    reductions[task]++;
                    requests = event->bytes;
                    continue;
                }
                bool matched = op->bytes >= common;
                assert_true(!(op->flags & VEF_OP_UNMATCHED) == matched);
                if (matched)
                    assert_true(op->ordinal == op->bytes - first[0]);
                messages[task] += matched;
            }
            assert_int_equal(messages[task], RING_MESSAGES - common);
            assert_int_equal(requests, RING_MESSAGES - 1);
        }
        assert_int_equal(reductions[0], reductions[1]);
        for (uint32_t task = 0; task < 2; task++) {
            char log[1100];
            snprintf(log, sizeof log, "%s/task-%06u.vlog", folder, task);
            assert_int_equal(remove(log), 0);
            free_events(&lists[task]);
        }
    }
}

enum { RING_STARTS = 60000 };

/* Two tasks start two persistent collectives again and again, each time in the opposite order, the
 * i-th time with i bytes. */
static void write_starts(const char *folder, uint32_t task, bool ring, uint32_t threads) {
    vef_log *log = log_begin(folder, task, 2);
    vef_rng rng = vef_rng_make(6, VEF_RNG_TEST, task);
    if (ring)
        OK(vef_log_limit(log, 1 << 20, true, error));
    for (uint64_t i = 0; i < 2 * RING_STARTS; i++)
        log_event(log, (vef_event){.call = VEF_CALL_Bcast_init,
                                   .flags = VEF_EVENT_STARTED,
                                   .thread = (uint32_t)(i / 2 % threads),
                                   .gap_ns = vef_rng_next(&rng) >> 8,
                                   .bytes = i / 2,
                                   .persistent = 1 + ((i ^ task) & 1),
                                   .request = i,
                                   .entered = 2 * i,
                                   .left = 2 * i + 1});
    log_end(log, VEF_LOG_FINALIZED);
}

/* Of the starts of each persistent collective that rings have left, each task has the last ones,
 * the same number: those that both still have. */
static void test_rings_of_starts(void **state) {
    (void)state;
    for (uint32_t threads = 1; threads <= 2; threads++) {
        FOLDER("starts");
        write_starts(folder, 0, true, threads);
        write_starts(folder, 1, threads == 1, threads);
        const char *path = scratch_path("starts.vef");
        merge(folder, path);
        vef_trace *trace = NULL;
        const char *missing = NULL;
        OK(vef_trace_open(path, &trace, &missing, error));
        uint64_t events = vef_trace_get_header(trace)->task[0].events;
        assert_int_equal(vef_trace_get_header(trace)->task[1].events, events);
        assert_in_range(events, 2000, 2 * RING_STARTS - 2000);
        vef_trace_close(trace);
        event_list lists[2] = {read_task(path, 0), read_task(path, 1)};
        for (uint32_t task = 0; task < 2 && threads == 1; task++)
            for (size_t i = 0; i < lists[task].count; i++) {
                const vef_event *event = &lists[task].events[i];
                assert_int_equal(event->bytes, RING_STARTS - events / 2 + i / 2);
                assert_int_equal(event->persistent, 1 + ((i ^ task) & 1));
            }
        for (uint32_t task = 0; task < 2; task++) {
            char log[1100];
            snprintf(log, sizeof log, "%s/task-%06u.vlog", folder, task);
            assert_int_equal(remove(log), 0);
            free_events(&lists[task]);
        }
    }
}

/* Both tasks make a window, fence it and reduce; task 0 then drops all of that. It counts all the
 * same: the last reduction and the freeing of the window, which both keep, belong together. */
static void test_ring_after_fences(void **state) {
    (void)state;
    enum { BEFORE = 7 };
    static const uint32_t both[] = {0, 1};
    FOLDER("fences");
    for (uint32_t task = 0; task < 2; task++) {
        const vef_event reduce = {
            .call = VEF_CALL_Allreduce, .root = -1, .bytes = 100, .elements = 25};
        vef_log *log = log_begin(folder, task, 2);
        vef_rng rng = vef_rng_make(6, VEF_RNG_TEST, task);
        uint64_t time = 0;
        if (task == 0)
            OK(vef_log_limit(log, 1 << 20, true, error));
        log_communicator(
            log, (vef_communicator){.made_by = VEF_CALL_Win_create, .size = 2, .members = both});
        log_event(log, (vef_event){.call = VEF_CALL_Win_create, .root = -1, .new_comm = 2});
        for (unsigned i = 0; i < BEFORE; i++) {
            log_event(log, (vef_event){.call = VEF_CALL_Win_fence, .root = -1, .comm = 2});
            log_event(log, reduce);
        }
        for (unsigned i = 0; i < RING_MESSAGES; i++, time += 2)
            log_one(
                log,
                (vef_event){.call = VEF_CALL_Send,
                            .gap_ns = vef_rng_next(&rng) >> 8,
                            .entered = time,
                            .left = time + 1},
                (vef_operation){VEF_OP_SEND, VEF_NO_TASK, 0, 0, i, VEF_NO_ORDINAL, VEF_NO_REQUEST});
        log_event(log, reduce);
        log_event(
            log,
            (vef_event){.call = VEF_CALL_Win_free, .root = -1, .comm = 2, .new_comm = VEF_NO_COMM});
        log_end(log, VEF_LOG_FINALIZED);
    }
    const char *path = scratch_path("fences.vef");
    merge(folder, path);
    for (uint32_t task = 0; task < 2; task++) {
        event_list list = read_task(path, task);
        unsigned kept = 0;
        for (size_t i = 0; i < list.count; i++) {
            const uint16_t call = list.events[i].call;
            if (call == VEF_CALL_Send)
                continue;
            assert_true(call == VEF_CALL_Allreduce || call == VEF_CALL_Win_free);
            assert_false(list.events[i].flags & VEF_EVENT_UNMATCHED);
            kept++;
        }
        assert_int_equal(kept, 2);
        free_events(&list);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lost_starts),
        cmocka_unit_test(test_rings),
        cmocka_unit_test(test_rings_of_starts),
        cmocka_unit_test(test_ring_after_fences),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
