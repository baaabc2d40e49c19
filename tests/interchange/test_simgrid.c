/* Writing SimGrid's time-independent traces. Random programs with non-blocking and persistent
 * collectives are written down in an order in which their tasks could run, call by call; each task
 * starts the persistent ones in an order of its own. What is exported of the programs
 * is carried out here by the rules of the format alone, and by the strictest ones: a collective of
 * the format ends when all tasks have entered it, a send of 64 KiB or more when its receive has
 * started. It has to end, with as many messages and bytes as a replay of the program has. */
#include "common/containers/map64.h"
#include "common/rng.h"
#include "interchange/format.h"
#include "replay/replay.h"
#include "tests/traces/trace_support.h"
#include "traces/text/text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    TASKS = 6,
    COMMS = 4,
    CALLS = 40,
    STEPS = 400,
    PROGRAMS = 150,
    PERSISTENT = 3, /* collectives on each communicator */
    DETACHED_BYTES = 65536
};

/* ---- programs ---- */

/* A collective: the tasks that have started it (and the request), and those that have waited for
 * it. */
typedef struct collective {
    uint32_t comm, persistent; /* the latter: 0 or the number of a persistent one */
    const char *text;
    bool started[TASKS], waited[TASKS];
    uint64_t request[TASKS];
} collective;

typedef struct program {
    vef_rng rng;
    bool blocking;     /* it has blocking collectives too, */
    bool persistent;   /* or instead of the non-blocking ones persistent ones */
    char *text[TASKS]; /* the task's events */
    uint64_t requests[TASKS];
    collective calls[CALLS];
    uint32_t count;
    uint32_t sent[TASKS][TASKS], received[TASKS][TASKS];
    bool inside[TASKS]; /* a blocking collective that not all tasks have entered */
    const char *inside_of;
} program;

static const char *const non_blocking[] = {"Iallreduce%s bytes=800 elements=100",
                                           "Iallreduce%s bytes=8 elements=1",
                                           "Ibarrier%s",
                                           "Ibcast%s root=1 bytes=100000",
                                           "Ialltoall%s bytes=40",
                                           "Iallgather%s bytes=70000",
                                           "Ireduce%s root=0 bytes=640 elements=80"};
static const char *const persistent[] = {
    "Allreduce_init%s bytes=800 elements=100", "Barrier_init%s", "Bcast_init%s root=1 bytes=100000",
    "Alltoall_init%s bytes=40", "Reduce_init%s root=0 bytes=640 elements=80"};
static const char *const blocking[] = {
    "Allreduce bytes=64 elements=8", "Barrier",
    "Bcast root=2 bytes=70000",      "Alltoall bytes=16",
    "Bcast root=0 bytes=8",          "Reduce root=1 bytes=80 elements=10",
    "Scatter root=3 bytes=100",      "Gather root=4 bytes=20000",
    "Exscan bytes=16 elements=2"};

/* 0 and 1: all; 2: those of even, 3: of odd number. */
static bool is_member(uint32_t comm, uint32_t task) {
    return comm < 2 || task % 2 == comm - 2;
}

static void say(program *self, uint32_t task, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static void say(program *self, uint32_t task, const char *format, ...) {
    char *text = self->text[task];
    va_list arguments;
    va_start(arguments, format);
    vsprintf(text + strlen(text), format, arguments);
    va_end(arguments);
    if (vef_rng_below(&self->rng, 3) == 0)
        sprintf(text + strlen(text), " gap=%u", (unsigned)vef_rng_below(&self->rng, 5000));
    strcat(text, "\n");
}

static const char *text_of(uint32_t comm, uint32_t number) {
    return persistent[(comm * PERSISTENT + number) % (sizeof persistent / sizeof(char *))];
}

static void make_persistent(program *self, uint32_t task) {
    for (uint32_t comm = 0; comm < COMMS; comm++)
        for (uint32_t number = 1; number <= PERSISTENT && is_member(comm, task); number++) {
            char made[32];
            sprintf(made, " persistent=%u comm=%u", number, comm);
            say(self, task, text_of(comm, number), made);
        }
}

/* The task's next collective on a communicator, or start of a persistent one; a new one when it has
 * started all. NULL: there are enough, or the persistent one is still active. */
static collective *next_of(program *self, uint32_t task, uint32_t comm, uint32_t number) {
    for (uint32_t i = 0; i < self->count; i++) {
        const collective *call = &self->calls[i];
        if (call->comm != comm || call->persistent != number)
            continue;
        if (!call->started[task])
            return &self->calls[i];
        if (number && !call->waited[task])
            return NULL;
    }
    if (self->count == CALLS)
        return NULL;
    collective *call = &self->calls[self->count++];
    *call = (collective){
        .comm = comm,
        .persistent = number,
        .text =
            number ? text_of(comm, number)
                   : non_blocking[vef_rng_below(&self->rng, sizeof non_blocking / sizeof(char *))]};
    return call;
}

static void start(program *self, uint32_t task, collective *call) {
    char more[64];
    if (call->persistent)
        sprintf(more, " persistent=%u comm=%u marks=started", call->persistent, call->comm);
    else
        sprintf(more, " comm=%u", call->comm);
    say(self, task, call->text, more);
    call->request[task] = self->requests[task]++;
    call->started[task] = true;
}

static bool all_started(const collective *call) {
    for (uint32_t task = 0; task < TASKS; task++)
        if (is_member(call->comm, task) && !call->started[task])
            return false;
    return true;
}

/* The task waits for one of its collectives, the latest or the first that all have started. */
static void wait_for_one(program *self, uint32_t task) {
    bool backwards = vef_rng_below(&self->rng, 2);
    for (uint32_t i = 0; i < self->count; i++) {
        collective *call = &self->calls[backwards ? self->count - 1 - i : i];
        if (!call->started[task] || call->waited[task] || !all_started(call))
            continue;
        say(self, task, "Wait requests=%llu", (unsigned long long)call->request[task]);
        call->waited[task] = true;
        return;
    }
}

static void send_or_receive(program *self, uint32_t task) {
    uint32_t peer = (task + 1 + (uint32_t)vef_rng_below(&self->rng, TASKS - 1)) % TASKS;
    if (self->received[task][peer] < self->sent[peer][task]) {
        say(self, task, "Recv from=%u", peer);
        self->received[task][peer]++;
    } else {
        say(self, task, "Send to=%u bytes=%u", peer, (unsigned)vef_rng_below(&self->rng, 2000));
        self->sent[task][peer]++;
    }
}

/* A task that enters continues when all have entered. */
static void enter(program *self, uint32_t task) {
    uint32_t within = 0;
    for (uint32_t i = 0; i < TASKS; i++)
        within += self->inside[i];
    if (within == 0)
        self->inside_of = blocking[vef_rng_below(&self->rng, sizeof blocking / sizeof(char *))];
    say(self, task, "%s comm=0", self->inside_of);
    self->inside[task] = true;
    if (within == TASKS - 1)
        memset(self->inside, 0, sizeof self->inside);
}

/* Blocking and non-blocking collectives follow each other alike in all tasks: on communicator 0
 * there are either these or those. Persistent ones may be started in any order. */
static void take_step(program *self) {
    uint32_t task = (uint32_t)vef_rng_below(&self->rng, TASKS);
    if (self->inside[task])
        return;
    switch (vef_rng_below(&self->rng, 5)) {
    case 0:
    case 1: {
        uint32_t comm = (uint32_t)vef_rng_below(&self->rng, COMMS);
        uint32_t number =
            self->persistent ? 1 + (uint32_t)vef_rng_below(&self->rng, PERSISTENT) : 0;
        collective *call = is_member(comm, task) && (comm || number || !self->blocking)
                               ? next_of(self, task, comm, number)
                               : NULL;
        if (call)
            start(self, task, call);
        return;
    }
    case 2:
        wait_for_one(self, task);
        return;
    case 3:
        send_or_receive(self, task);
        return;
    default:
        if (self->blocking)
            enter(self, task);
    }
}

static void end_all(program *self) {
    bool inside[TASKS], within = false;
    memcpy(inside, self->inside, sizeof inside);
    for (uint32_t task = 0; task < TASKS; task++)
        within = within || inside[task];
    for (uint32_t task = 0; within && task < TASKS; task++)
        if (!inside[task])
            enter(self, task);
    for (uint32_t task = 0; self->persistent && task < TASKS; task++)
        for (uint32_t i = 0; i < self->count; i++)
            wait_for_one(self, task); /* then none that is to be started is active */
    for (uint32_t task = 0; task < TASKS; task++)
        for (uint32_t i = 0; i < self->count; i++)
            if (is_member(self->calls[i].comm, task) && !self->calls[i].started[task])
                start(self, task, &self->calls[i]);
    for (uint32_t task = 0; task < TASKS; task++) {
        for (uint32_t i = 0; i < self->count; i++)
            wait_for_one(self, task);
        for (uint32_t peer = 0; peer < TASKS; peer++)
            while (self->received[task][peer] < self->sent[peer][task]) {
                say(self, task, "Recv from=%u", peer);
                self->received[task][peer]++;
            }
    }
}

/* The program as a trace in `path`. */
static void make_program(uint64_t seed, bool with_blocking, bool with_persistent,
                         const char *path) {
    program *self = calloc(1, sizeof *self);
    assert_non_null(self);
    self->rng = vef_rng_make(seed, VEF_RNG_TEST, 0);
    self->blocking = with_blocking;
    self->persistent = with_persistent;
    size_t size = 65536;
    for (uint32_t task = 0; task < TASKS; task++)
        assert_non_null(self->text[task] = calloc(1, size));
    for (uint32_t task = 0; with_persistent && task < TASKS; task++)
        make_persistent(self, task);
    for (uint32_t i = 0; i < STEPS; i++)
        take_step(self);
    end_all(self);
    char *whole = calloc(TASKS + 1, size);
    assert_non_null(whole);
    sprintf(whole,
            "vef-trace 1\ntasks %d\ncomm 1 parent=0 by=Comm_dup members=0-5\n"
            "comm 2 parent=0 by=Comm_split members=0,2,4\n"
            "comm 3 parent=0 by=Comm_split members=1,3,5\n",
            TASKS);
    for (uint32_t task = 0; task < TASKS; task++) {
        sprintf(whole + strlen(whole), "task %u\nInit\n%sFinalize\n", task, self->text[task]);
        free(self->text[task]);
    }
    OK(vef_text_assemble(whole, strlen(whole), "program", path, error));
    free(whole);
    free(self);
}

/* ---- the rules of the format ---- */

typedef struct channel {
    uint64_t sends, receives, sent_bytes, received_bytes;
    uint64_t waited_sends, waited_receives;
} channel;

typedef struct machine {
    char *text[TASKS], *cursor[TASKS]; /* the next action of each task; at its end NULL */
    bool begun[TASKS];                 /* the action at hand has started its message */
    uint64_t nth[TASKS];               /* that it is on its channel */
    uint64_t entered[TASKS], passed[TASKS];
    vef_map64 numbers; /* sender, receiver, tag → channel */
    channel *channels;
    uint64_t messages, bytes, collectives;
} machine;

static channel *channel_of(machine *self, uint32_t from, uint32_t into, uint64_t tag) {
    const uint64_t key = tag * TASKS * TASKS + from * TASKS + into;
    const uint64_t *number = vef_map64_get(&self->numbers, key);
    if (!number) {
        assert_true(vef_map64_set(&self->numbers, key, self->numbers.count));
        self->channels = realloc(self->channels, self->numbers.count * sizeof *self->channels);
        assert_non_null(self->channels);
        number = vef_map64_get(&self->numbers, key);
        self->channels[*number] = (channel){0};
    }
    return &self->channels[*number];
}

/* Starts a message; returns which it is on its channel. */
static uint64_t post(machine *self, channel *on, bool send, uint64_t bytes) {
    if (!send) {
        on->received_bytes += bytes;
        return on->receives++;
    }
    on->sent_bytes += bytes;
    self->messages++;
    self->bytes += bytes;
    return on->sends++;
}

static bool is_complete(const channel *on, bool send, uint64_t nth, uint64_t bytes) {
    return send ? bytes < DETACHED_BYTES || nth < on->receives : nth < on->sends;
}

/* Carries out the task's next action; false when it has to wait. */
static bool carry_out(machine *self, uint32_t task) {
    char verb[32] = "";
    unsigned long long a = 0, b = 0, c = 0;
    unsigned who;
    assert_true(sscanf(self->cursor[task], "%u %31s %llu %llu %llu", &who, verb, &a, &b, &c) >= 2);
    assert_int_equal(who, task);
    const char *kind = verb[0] == 'i' && strcmp(verb, "init") ? verb + 1 : verb;
    const bool send = strcmp(kind, "send") == 0;
    if (send || strcmp(kind, "recv") == 0) {
        channel *on = channel_of(self, send ? task : (uint32_t)a, send ? (uint32_t)a : task, b);
        if (!self->begun[task])
            self->nth[task] = post(self, on, send, c);
        self->begun[task] = true;
        return kind != verb || is_complete(on, send, self->nth[task], c);
    }
    if (strcmp(verb, "wait") == 0) {
        channel *on = channel_of(self, (uint32_t)a, (uint32_t)b, c);
        const bool of_send = a == task;
        uint64_t *waited = of_send ? &on->waited_sends : &on->waited_receives;
        assert_true(*waited < (of_send ? on->sends : on->receives));
        if (!is_complete(on, of_send, *waited, on->sent_bytes))
            return false;
        ++*waited;
        return true;
    }
    if (strcmp(verb, "init") == 0 || strcmp(verb, "finalize") == 0 || strcmp(verb, "compute") == 0)
        return true;
    if (!self->begun[task])
        self->entered[task]++;
    self->begun[task] = true;
    for (uint32_t other = 0; other < TASKS; other++)
        if (self->entered[other] < self->entered[task])
            return false;
    self->collectives++;
    return true;
}

static void carry_out_all(machine *self, const char *path) {
    for (uint32_t task = 0; task < TASKS; task++) {
        size_t size;
        self->text[task] = self->cursor[task] =
            (char *)slurp(scratch_path("%s.%u", strrchr(path, '/') + 1, task), &size);
    }
    for (bool moved = true; moved;) {
        moved = false;
        for (uint32_t task = 0; task < TASKS; task++)
            while (*self->cursor[task] && carry_out(self, task)) {
                self->begun[task] = false;
                self->cursor[task] = strchr(self->cursor[task], '\n') + 1;
                moved = true;
            }
    }
    for (uint32_t task = 0; task < TASKS; task++)
        if (*self->cursor[task])
            fail_msg("%s: task %u is stuck at '%.40s'", path, task, self->cursor[task]);
    for (size_t i = 0; i < self->numbers.count; i++) {
        assert_int_equal(self->channels[i].sends, self->channels[i].receives);
        assert_int_equal(self->channels[i].sent_bytes, self->channels[i].received_bytes);
    }
}

static void release(machine *self) {
    for (uint32_t task = 0; task < TASKS; task++)
        free(self->text[task]);
    vef_map64_free(&self->numbers);
    free(self->channels);
}

/* ---- tests ---- */

static vef_replay_result replayed(vef_trace *trace) {
    vef_netmodel *network = NULL;
    vef_replay_options options = vef_replay_defaults();
    vef_replay_result result;
    uint32_t mapping[TASKS] = {0, 1, 2, 3, 4, 5};
    OK(vef_netmodel_open("{model: ideal, link: {bandwidth: 1 Gbit/s, phit: 4 B}}", NULL, 0,
                         &network, error));
    OK(vef_replay(trace, network, mapping, &options, NULL, &result, error));
    vef_netmodel_destroy(network);
    assert_string_equal(result.stall_text, "");
    return result;
}

/* What was exported has as many messages and bytes once it is imported. */
static void import_again(const char *written, const vef_replay_result *result) {
    const char *again = scratch_path("again.vef");
    vef_trace *trace = NULL;
    vef_format_report report;
    unlink(again);
    OK(vef_simgrid_read(written, again, &report, error));
    assert_string_equal(report.notes.text, "");
    OK(vef_trace_open(again, &trace, NULL, error));
    vef_replay_result result_again = replayed(trace);
    assert_int_equal(result_again.messages, result->messages);
    assert_int_equal(result_again.message_bytes, result->message_bytes);
    vef_replay_result_release(&result_again);
    vef_trace_close(trace);
}

/* Carries out what is exported of the trace in `path`, and perhaps imports it. `all_messages`: it
 * has no collectives of the format, so that its messages are those of the replay. */
static void run_exported(const char *path, bool all_messages, bool import, uint64_t *collectives) {
    const char *written = scratch_path("program.ti");
    vef_trace *trace = NULL;
    vef_format_report report;
    machine runs = {0};
    OK(vef_trace_open(path, &trace, NULL, error));
    vef_replay_result result = replayed(trace);
    const vef_format_options how = {.poll_gap_ns = 1000};
    OK(vef_simgrid_write(written, trace, &how, &report, error));
    carry_out_all(&runs, written);
    if (all_messages) {
        assert_int_equal(runs.messages, result.messages);
        assert_int_equal(runs.bytes, result.message_bytes);
    }
    if (import)
        import_again(written, &result);
    *collectives += runs.collectives;
    release(&runs);
    vef_replay_result_release(&result);
    vef_trace_close(trace);
}

static void exported(uint64_t seed, bool with_blocking, bool with_persistent,
                     uint64_t *collectives) {
    const char *path = scratch_path("program.vef");
    make_program(seed, with_blocking, with_persistent, path);
    run_exported(path, !with_blocking, seed % 5 == 0, collectives);
}

static void non_blocking_collectives_end(void **state) {
    (void)state;
    uint64_t collectives = 0;
    for (uint64_t seed = 0; seed < PROGRAMS; seed++)
        exported(seed, false, false, &collectives);
    assert_int_equal(collectives, 0);
}

/* Some blocking collectives are SimGrid's own, some must not be. */
static void blocking_ones_between_them_end(void **state) {
    (void)state;
    uint64_t collectives = 0;
    for (uint64_t seed = 0; seed < PROGRAMS; seed++)
        exported(seed, true, false, &collectives);
    assert_true(collectives > 0);
}

static void persistent_ones_match_by_their_making(void **state) {
    (void)state;
    uint64_t collectives = 0;
    for (uint64_t seed = 0; seed < PROGRAMS; seed++)
        exported(seed, false, true, &collectives);
    assert_int_equal(collectives, 0);
    for (uint64_t seed = 0; seed < PROGRAMS; seed++)
        exported(seed, true, true, &collectives);
    assert_true(collectives > 0);
}

/* Two broadcasts that overlap. Task 5 starts the non-blocking one late. By a binomial tree, task 3
 * forwards it to task 4. These two wait for it before they enter the blocking one; the others wait
 * after that, or before it too. Returns how many tasks begin a collective of the format. */
static uint64_t overlapping_broadcasts(bool all_wait_before) {
    const char *path = scratch_path("program.vef");
    char whole[2048];
    uint64_t collectives = 0;
    sprintf(whole, "vef-trace 1\ntasks %d\ncomm 1 parent=0 by=Comm_dup members=0-5\n", TASKS);
    for (uint32_t task = 0; task < TASKS; task++) {
        const bool before = task >= 4 || all_wait_before;
        sprintf(whole + strlen(whole),
                "task %u\nInit\nIbcast comm=1 root=5 bytes=8 gap=%u\n%s%s%sFinalize\n", task,
                task == 5 ? 50000 : 0, before ? "Wait requests=0\n" : "",
                "Bcast comm=0 root=3 bytes=8\n", before ? "" : "Wait requests=0\n");
    }
    OK(vef_text_assemble(whole, strlen(whole), "program", path, error));
    run_exported(path, !all_wait_before, true, &collectives);
    return collectives;
}

/* Task 3, the root, leaves the blocking broadcast before task 4 can enter it. If that is a single
 * action, task 3 must not be kept in it. */
static void a_root_that_has_left_lets_others_enter(void **state) {
    (void)state;
    assert_int_equal(overlapping_broadcasts(false), 0);
    assert_int_equal(overlapping_broadcasts(true), TASKS);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(non_blocking_collectives_end),
        cmocka_unit_test(blocking_ones_between_them_end),
        cmocka_unit_test(persistent_ones_match_by_their_making),
        cmocka_unit_test(a_root_that_has_left_lets_others_enter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
