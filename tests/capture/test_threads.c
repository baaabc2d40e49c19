/* Captures of programs whose threads call MPI at the same time: what the program itself counted,
 * call by call and thread by thread, is in the trace, each thread's in its order, and every message
 * and request is put together rightly. The programs are tests/mpi/threads*.c. */
#include "tests/capture/capture_support.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static vef_stream *open_stream(vef_trace *trace, uint32_t task, uint32_t thread) {
    vef_error error;
    vef_stream *stream;
    if (vef_stream_open(trace, task, thread, &stream, &error) != VEF_OK)
        fail_msg("%s", error.message);
    return stream;
}

static const vef_event *next_event(vef_stream *stream) {
    vef_error error;
    const vef_event *event;
    if (vef_stream_next(stream, &event, &error) != VEF_OK)
        fail_msg("%s", error.message);
    return event;
}

/* ---- six threads ---- */

/* Six threads of 400 rounds each beside the one that called MPI_Init: nothing lost, nothing
 * invented. */
static void threads_lose_nothing(void **state) {
    (void)state;
    enum { THREADS = 6, ROUNDS = 400 };
    static const uint16_t calls[] = {VEF_CALL_Irecv, VEF_CALL_Send, VEF_CALL_Wait};
    vef_test_compile("threads.c", "", "threads");
    assert_int_equal(vef_test_capture("threads", 2, ""), 0);
    vef_trace *trace = vef_test_open("threads");
    assert_int_equal(vef_trace_get_header(trace)->messages, 2 * THREADS * ROUNDS);
    for (uint32_t task = 0; task < 2; task++) {
        assert_int_equal(vef_trace_get_header(trace)->task[task].threads, 1 + THREADS);
        for (uint32_t thread = 0; thread <= THREADS; thread++) {
            vef_stream *stream = open_stream(trace, task, thread);
            uint64_t events = 0;
            /* Over and over in this order; the first thread only begins and ends. */
            for (const vef_event *event; (event = next_event(stream)) != NULL; events++)
                if (thread > 0)
                    assert_int_equal(event->call, calls[events % 3]);
            assert_int_equal(events, thread == 0 ? 2 : 3 * ROUNDS);
            vef_stream_close(stream);
        }
    }
    vef_trace_close(trace);
    vef_test_check("threads");
}

/* ---- all sorts of calls at once: see tests/mpi/threads_at_once.c ---- */

enum {
    TASKS = 3,
    THREADS = 4,
    ROUNDS = 40,
    DEPTH = 4,
    LENGTH = 4096,
    SHORT_LIVES = 400,
    SHORT = THREADS, /* what the short lives counted, all of them */
    TAGS = 600,      /* of the long lives: THREADS from every hundredth */
    MESSAGES = 1 << 12,
    REQUESTS = 1 << 13,
};

typedef struct message {
    int32_t tag;
    uint64_t bytes;
    bool sent, received;
} message;

typedef struct request {
    uint64_t left; /* of the call that started it */
    uint32_t thread;
    bool receive;
    bool started, completed;
} request;

static uint64_t counted[1024][THREADS + 1], found[1024][THREADS + 1];
static message messages[TASKS][TASKS][MESSAGES]; /* from, to, ordinal */
static request requests[REQUESTS];

static uint64_t length_of(uint64_t i) {
    return 1 + i % (LENGTH - 1);
}

static void read_counts(uint32_t task) {
    char path[4096], name[64];
    int thread;
    unsigned long long times;
    snprintf(path, sizeof path, "%s/threads_at_once.%u", getenv("TMPDIR"), task);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    memset(counted, 0, sizeof counted);
    while (fscanf(file, "%d %63s %llu", &thread, name, &times) == 3) {
        int call = vef_call_find(name);
        assert_true(call >= 0 && thread < THREADS);
        counted[call][thread < 0 ? SHORT : thread] = times;
    }
    fclose(file);
}

/* One operation of a thread, identified by task and ordinal; each side of a message records its own
 * facts. */
static void note_message(uint32_t task, const vef_operation *operation) {
    bool send = operation->flags & VEF_OP_SEND;
    uint32_t other = (uint32_t)operation->peer;
    assert_true(other < TASKS && operation->ordinal < MESSAGES);
    message *given = send ? &messages[task][other][operation->ordinal]
                          : &messages[other][task][operation->ordinal];
    assert_int_equal(operation->flags & (VEF_OP_UNMATCHED | VEF_OP_OPEN_ENDED), 0);
    assert_false(send ? given->sent : given->received);
    if (given->sent || given->received) {
        assert_int_equal(given->tag, operation->tag);
        assert_int_equal(given->bytes, operation->bytes);
    }
    given->tag = operation->tag;
    given->bytes = operation->bytes;
    given->sent |= send;
    given->received |= !send;
}

static void note_start(const vef_event *event, const vef_operation *operation) {
    if (operation->request == VEF_NO_REQUEST)
        return;
    assert_true(operation->request < REQUESTS);
    request *asked = &requests[operation->request];
    assert_false(asked->started);
    *asked = (request){event->left, event->thread, !(operation->flags & VEF_OP_SEND), true, false};
}

/* The events of one stream: first those of the thread that began with a send to MPI_PROC_NULL, then
 * those of its short-lived successors. */
static void read_thread(vef_trace *trace, uint32_t task, uint32_t thread) {
    uint64_t sent[TAGS] = {0}, received[TAGS] = {0}, tick = 0;
    int number = -1;
    vef_stream *stream = open_stream(trace, task, thread);
    for (const vef_event *event; (event = next_event(stream)) != NULL;) {
        assert_int_equal(event->thread, thread);
        assert_true(event->entered >= tick && event->left > event->entered);
        tick = event->left + 1;
        if (thread == 0)
            continue;
        if (number < 0) {
            assert_int_equal(event->call, VEF_CALL_Send);
            assert_int_equal(event->operations[0].peer, VEF_NO_TASK);
            number = event->operations[0].tag;
        }
        if (event->call == VEF_CALL_Send_init)
            number = SHORT;
        found[event->call][number] += event->repeats;
        bool probe = vef_call_kind(event->call) == VEF_KIND_PROBE;
        for (uint32_t i = 0; i < event->operation_count; i++) {
            const vef_operation *operation = &event->operations[i];
            note_start(event, operation);
            if (operation->peer == VEF_NO_TASK || probe)
                continue;
            note_message(task, operation);
            if (number == SHORT)
                continue;
            /* In program order, to and from its namesakes of the tasks beside. */
            bool send = operation->flags & VEF_OP_SEND;
            assert_int_equal(operation->tag % 100, number);
            assert_int_equal(operation->peer, (task + (send ? 1 : TASKS - 1)) % TASKS);
            assert_int_equal(operation->bytes,
                             length_of((send ? sent : received)[operation->tag]++));
        }
    }
    vef_stream_close(stream);
}

/* What a call completes had been started before it was entered, by whichever thread. */
static uint64_t read_completions(vef_trace *trace, uint32_t task, uint32_t thread) {
    uint64_t of_others = 0;
    vef_stream *stream = open_stream(trace, task, thread);
    for (const vef_event *event; (event = next_event(stream)) != NULL;)
        for (uint32_t i = 0; i < event->completion_count; i++) {
            request *asked = &requests[event->completions[i].request];
            assert_true(event->completions[i].request < REQUESTS && asked->started &&
                        !asked->completed);
            assert_true(asked->left < event->entered);
            asked->completed = true;
            of_others += asked->receive && asked->thread != thread;
        }
    vef_stream_close(stream);
    return of_others;
}

static void calls_at_once_are_told_apart(void **state) {
    (void)state;
    vef_test_compile("threads_at_once.c", "", "threads_at_once");
    assert_int_equal(vef_test_capture("threads_at_once", TASKS, ""), 0);
    vef_trace *trace = vef_test_open("threads_at_once");
    for (uint32_t task = 0; task < TASKS; task++) {
        uint64_t of_others = 0;
        read_counts(task);
        memset(found, 0, sizeof found);
        memset(requests, 0, sizeof requests);
        /* The short lives took the places of the long ones, four at a time. */
        assert_int_equal(vef_trace_get_header(trace)->task[task].threads, 1 + THREADS);
        for (uint32_t thread = 0; thread <= THREADS; thread++)
            read_thread(trace, task, thread);
        for (uint32_t thread = 0; thread <= THREADS; thread++)
            of_others += read_completions(trace, task, thread);
        assert_int_equal(of_others, THREADS * ROUNDS); /* one receive a round is handed on */
        for (size_t call = 0; call < vef_call_count(); call++)
            for (int thread = 0; thread <= SHORT; thread++)
                if (found[call][thread] != counted[call][thread])
                    fail_msg("task %u, thread %d: %" PRIu64 " calls of %s are %" PRIu64
                             " in the trace",
                             task, thread, counted[call][thread], vef_call_name((uint16_t)call),
                             found[call][thread]);
        for (size_t i = 0; i < REQUESTS; i++)
            assert_true(requests[i].completed == requests[i].started);
        assert_int_equal(counted[VEF_CALL_Start][SHORT], SHORT_LIVES);
    }
    uint64_t put_together = 0;
    for (int from = 0; from < TASKS; from++)
        for (int to = 0; to < TASKS; to++)
            for (size_t i = 0; i < MESSAGES; i++) {
                assert_true(messages[from][to][i].sent == messages[from][to][i].received);
                put_together += messages[from][to][i].sent;
            }
    /* A round has five single messages and DEPTH in a row. */
    assert_int_equal(put_together, TASKS * (THREADS * ROUNDS * (5 + DEPTH) + SHORT_LIVES));
    vef_trace_close(trace);
    vef_test_check("threads_at_once");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_lose_nothing),
        cmocka_unit_test(calls_at_once_are_told_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
