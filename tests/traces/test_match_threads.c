/* Which message each receive took where threads of a task call MPI at the same time: random runs
 * of a small model of MPI, in which messages and receives match somewhere between entry into their
 * calls and return from them, are written as logs and merged. The model knows what matched what;
 * the logs say only when calls were entered and returned, and how long messages were. */
#include "tests/traces/trace_support.h"

#include "common/rng.h"
#include "traces/matching/match_threads.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SENDER, RECEIVER, TASKS, THREADS = 5, CALLS = 12, MESSAGES = THREADS * CALLS, RUNS = 60 };

typedef enum stage { IDLE, ENTERED, QUEUED, MATCHED, RETURNED_PROBE, IN_MRECV } stage;

/* A message and, at the same place, the call that sent it; likewise a receive. */
typedef struct record {
    uint64_t entered, left, step_entered, step_complete;
    uint64_t mrecv_entered, mrecv_left;
    uint32_t thread, partner;
    bool probes, immediate;
} record;

typedef struct world {
    vef_rng rng;
    bool lengths; /* each message has one of its own */
    bool synchronous, threaded_sender;
    uint64_t step, ticks[TASKS];
    record sends[MESSAGES], receives[MESSAGES];
    uint32_t send_count, receive_count;
    stage send_stage[THREADS], receive_stage[THREADS];
    uint32_t send_at[THREADS], receive_at[THREADS]; /* the record that a thread is at */
    uint32_t sends_left[THREADS], receives_left[THREADS];
    uint32_t unexpected[MESSAGES], posted[MESSAGES]; /* in their order */
    uint32_t unexpected_count, posted_count;
} world;

static void match(world *run, uint32_t send, uint32_t receive) {
    run->sends[send].partner = receive;
    run->receives[receive].partner = send;
}

static uint32_t take_first(uint32_t *list, uint32_t *count) {
    const uint32_t first = list[0];
    memmove(list, list + 1, --*count * sizeof *list);
    return first;
}

/* The message is sent: a posted receive takes it, or it waits for one. */
static void inject(world *run, uint32_t send) {
    if (run->posted_count == 0) {
        run->unexpected[run->unexpected_count++] = send;
        return;
    }
    const uint32_t receive = take_first(run->posted, &run->posted_count);
    match(run, send, receive);
    run->receive_stage[run->receives[receive].thread] = MATCHED;
}

static void step_sender(world *run, uint32_t thread) {
    record *send = &run->sends[run->send_at[thread]];
    switch (run->send_stage[thread]) {
    case IDLE:
        if (run->sends_left[thread] == 0)
            return;
        run->sends_left[thread]--;
        run->send_at[thread] = run->send_count++;
        run->sends[run->send_at[thread]] = (record){.thread = thread,
                                                    .entered = run->ticks[SENDER]++,
                                                    .step_entered = run->step,
                                                    .partner = MESSAGES};
        run->send_stage[thread] = ENTERED;
        return;
    case ENTERED:
        inject(run, run->send_at[thread]);
        run->send_stage[thread] = QUEUED;
        return;
    default:
        if (run->synchronous &&
            (send->partner == MESSAGES ||
             (run->receives[send->partner].probes && !run->receives[send->partner].mrecv_entered)))
            return;
        send->left = run->ticks[SENDER]++;
        run->send_stage[thread] = IDLE;
    }
}

static void step_receiver(world *run, uint32_t thread) {
    record *receive = &run->receives[run->receive_at[thread]];
    switch (run->receive_stage[thread]) {
    case IDLE:
        if (run->receives_left[thread] == 0)
            return;
        run->receives_left[thread]--;
        run->receive_at[thread] = run->receive_count++;
        receive = &run->receives[run->receive_at[thread]];
        *receive = (record){.thread = thread,
                            .entered = run->ticks[RECEIVER]++,
                            .partner = MESSAGES,
                            .probes = vef_rng_below(&run->rng, 2)};
        run->receive_stage[thread] = ENTERED;
        return;
    case ENTERED: /* posted, or the probe looks for a message */
        if (run->unexpected_count > 0) {
            match(run, take_first(run->unexpected, &run->unexpected_count),
                  run->receive_at[thread]);
            run->receive_stage[thread] = MATCHED;
        } else if (!receive->probes) {
            run->posted[run->posted_count++] = run->receive_at[thread];
            run->receive_stage[thread] = QUEUED;
        }
        return;
    case MATCHED:
        receive->left = run->ticks[RECEIVER]++;
        receive->step_complete = run->step;
        run->receive_stage[thread] = receive->probes ? RETURNED_PROBE : IDLE;
        return;
    case RETURNED_PROBE:
        receive->mrecv_entered = run->ticks[RECEIVER]++;
        run->receive_stage[thread] = IN_MRECV;
        return;
    case IN_MRECV:
        receive->mrecv_left = run->ticks[RECEIVER]++;
        run->receive_stage[thread] = IDLE;
        return;
    case QUEUED:
        return;
    }
}

static bool is_over(const world *run) {
    for (uint32_t i = 0; i < THREADS; i++)
        if (run->send_stage[i] != IDLE || run->receive_stage[i] != IDLE || run->sends_left[i] ||
            run->receives_left[i])
            return false;
    return true;
}

static void run_world(world *run) {
    for (uint32_t i = 0; i < THREADS; i++) {
        run->receives_left[i] = CALLS;
        run->sends_left[i] = run->threaded_sender ? CALLS : i == 0 ? MESSAGES : 0;
    }
    for (run->step = 1; !is_over(run); run->step++) {
        assert_true(run->step < 1000000);
        const uint32_t thread = vef_rng_below(&run->rng, THREADS);
        if (vef_rng_below(&run->rng, 2))
            step_sender(run, thread);
        else
            step_receiver(run, thread);
    }
}

static uint64_t length_of(const world *run, uint32_t send) {
    return run->lengths ? 100 + send : 8;
}

static void log_call(vef_log *log, uint16_t call, const record *entry, uint64_t entered,
                     uint64_t left, vef_operation operation) {
    log_event(log, (vef_event){.call = call,
                               .thread = entry->thread,
                               .entered = entered,
                               .left = left,
                               .operation_count = 1,
                               .operations = &operation});
}

/* The calls of a task, those of each thread in their order. */
static void write_logs(const world *run, const char *folder) {
    vef_log *log = log_begin(folder, SENDER, TASKS);
    for (uint32_t i = 0; i < MESSAGES; i++)
        log_call(
            log, run->synchronous ? VEF_CALL_Ssend : VEF_CALL_Send, &run->sends[i],
            run->sends[i].entered, run->sends[i].left,
            (vef_operation){(uint16_t)(VEF_OP_SEND | (run->synchronous ? VEF_OP_SYNCHRONOUS : 0)),
                            RECEIVER, 5, 0, length_of(run, i), VEF_NO_ORDINAL, VEF_NO_REQUEST});
    log_end(log, VEF_LOG_FINALIZED);
    log = log_begin(folder, RECEIVER, TASKS);
    for (uint32_t i = 0; i < MESSAGES; i++) {
        const record *receive = &run->receives[i];
        const vef_operation operation = {0,
                                         SENDER,
                                         5,
                                         0,
                                         length_of(run, receive->partner),
                                         receive->probes ? i : VEF_NO_ORDINAL,
                                         VEF_NO_REQUEST};
        log_call(log, receive->probes ? VEF_CALL_Mprobe : VEF_CALL_Recv, receive, receive->entered,
                 receive->left, operation);
        if (receive->probes)
            log_call(log, VEF_CALL_Mrecv, receive, receive->mrecv_entered, receive->mrecv_left,
                     operation);
    }
    log_end(log, VEF_LOG_FINALIZED);
}

/* Which message each receive took in the trace: its ordinal. */
static void read_pairs(const world *run, const char *path, uint64_t *taken) {
    vef_trace *trace = NULL;
    OK(vef_trace_open(path, &trace, NULL, error));
    for (uint32_t thread = 0; thread < THREADS; thread++) {
        vef_stream *stream = NULL;
        const vef_event *event = NULL;
        OK(vef_stream_open(trace, RECEIVER, thread, &stream, error));
        do {
            OK(vef_stream_next(stream, &event, error));
            for (uint32_t i = 0; event && i < MESSAGES; i++)
                if (run->receives[i].thread == thread &&
                    (event->entered == run->receives[i].entered ||
                     (run->receives[i].probes &&
                      event->entered == run->receives[i].mrecv_entered))) {
                    const uint64_t ordinal = event->operations[0].ordinal;
                    assert_true(ordinal < MESSAGES);
                    assert_true(taken[i] == VEF_NO_ORDINAL || taken[i] == ordinal);
                    taken[i] = ordinal;
                }
        } while (event);
        vef_stream_close(stream);
    }
    vef_trace_close(trace);
}

/* What holds of the pairs whatever the threads did. */
static void assert_pairs(const world *run, const uint64_t *taken) {
    bool used[MESSAGES] = {0};
    for (uint32_t i = 0; i < MESSAGES; i++) {
        const record *receive = &run->receives[i];
        assert_false(used[taken[i]]);
        used[taken[i]] = true;
        if (run->lengths)
            assert_int_equal(taken[i], receive->partner);
        /* No receive was complete before its message was on its way. */
        assert_true(run->sends[taken[i]].step_entered < receive->step_complete);
        for (uint32_t j = 0; j < MESSAGES; j++) {
            const record *other = &run->receives[j];
            const bool after = receive->left < other->entered;
            if (after)
                assert_false(run->sends[taken[j]].left < run->sends[taken[i]].entered);
        }
    }
}

static void test_random_runs(void **state) {
    (void)state;
    for (uint64_t index = 0; index < RUNS; index++) {
        world *run = calloc(1, sizeof *run);
        assert_non_null(run);
        run->rng = vef_rng_make(4, VEF_RNG_TEST, index);
        run->lengths = index & 1;
        run->synchronous = index & 2;
        run->threaded_sender = index & 4;
        run_world(run);
        FOLDER("run%d", (int)index);
        write_logs(run, folder);
        const char *path = scratch_path("run%d.vef", (int)index);
        uint64_t taken[MESSAGES];
        memset(taken, 0xff, sizeof taken);
        merge(folder, path);
        read_pairs(run, path, taken);
        assert_pairs(run, taken);
        free(run);
    }
}

/* A message of one envelope, or a receive, in a call of its own: between ticks that overlap with no
 * other call of its task. */
static void add(vef_matcher *matcher, bool sent, uint32_t envelope, uint64_t bytes, uint64_t tick) {
    vef_error error;
    assert_int_equal(sent ? vef_matcher_sent(matcher, envelope, bytes, 0, &error)
                          : vef_matcher_received(matcher, envelope, bytes, 0, &error),
                     VEF_OK);
    vef_matcher_note_call(matcher, tick, tick + 1, true);
}

/* A task sends messages of 172, 63, 486 and 721 bytes. Another thread of the receiver took the
 * second one in a call in which the task was killed: the log has the receives of 172, 486 and 721.
 * Likewise for each other message that may be missing. */
static void test_lost_receive(void **state) {
    (void)state;
    enum { COUNT = 4 };
    static const uint64_t bytes[COUNT] = {172, 63, 486, 721};
    for (uint32_t lost = 0; lost < COUNT; lost++) {
        vef_error error;
        vef_matcher matcher;
        uint32_t envelope, lost_receives[TASKS] = {[RECEIVER] = 1};
        vef_matcher_init(&matcher, TASKS);
        assert_int_equal(
            vef_matcher_envelope(&matcher, SENDER, RECEIVER, 0, 7, 0, &envelope, &error), VEF_OK);
        for (uint32_t i = 0; i < COUNT; i++)
            add(&matcher, true, envelope, bytes[i], 2 * i);
        assert_int_equal(vef_matcher_settle(&matcher, 0, &error), VEF_OK);
        for (uint32_t i = 0; i < COUNT; i++)
            if (i != lost)
                add(&matcher, false, envelope, bytes[i], 2 * i);
        vef_matcher_order(&matcher);
        vef_matcher_pair(&matcher, lost_receives);
        vef_matcher_link(&matcher);
        for (uint32_t i = 0, receive = 0; i < COUNT; i++)
            if (i != lost)
                assert_int_equal(vef_matcher_take(&matcher, receive++), i);
        vef_matcher_free(&matcher);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lost_receive),
        cmocka_unit_test(test_random_runs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
