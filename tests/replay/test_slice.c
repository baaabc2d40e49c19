/* Slices of random programs: every slice of a trace that is consistent must be consistent, and
 * replay without a stall wherever it is cut.
 *
 * A program is made up in one sequence of steps that its tasks could have taken one after the
 * other, so that it cannot deadlock; the trace of it is checked and replayed first. */
#include "tests/replay/script.h"
#include "tests/traces/trace_support.h"

#include "common/config/config.h"
#include "common/rng.h"
#include "traces/check/check.h"
#include "traces/file/writer.h"
#include "traces/slice/slice.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

enum {
    TASKS = 8,
    WORLD = 0,
    LOW = 1,
    HIGH = 2,
    WINDOW = 3,
    COPY = 4,
    GRID = 5,
    BETWEEN = 6,
    MOST_OPEN = 16
};

typedef struct program {
    vef_writer *writer;
    vef_rng rng;
    uint64_t ticks[TASKS], requests[TASKS], sent[TASKS][TASKS];
    uint64_t open[TASKS][MOST_OPEN]; /* requests that are to be waited for */
    uint32_t open_count[TASKS], threads;
} program;

static uint32_t below(program *self, uint32_t limit) {
    return vef_rng_below(&self->rng, limit);
}

/* ---- events ---- */

static void say_event(program *self, uint32_t task, vef_event event) {
    /* Regions nest in a thread. */
    event.thread = event.name ? 0 : below(self, self->threads);
    event.gap_ns = below(self, 3) ? below(self, 2000) : 0;
    event.outside_ns = below(self, 6) ? 0 : below(self, 500);
    event.duration_ns = below(self, 1000);
    event.repeats = event.repeats ? event.repeats : 1;
    event.entered = self->ticks[task]++;
    event.left = self->ticks[task]++;
    OK(vef_writer_event(self->writer, task, &event, error));
}

/* An event of no lists; its request is none unless it is given plus 1. */
static vef_event plain(vef_call call, uint32_t comm) {
    return (vef_event){.call = (uint16_t)call,
                       .comm = comm,
                       .new_comm = VEF_NO_COMM,
                       .root = -1,
                       .request = VEF_NO_REQUEST};
}

static void operate(program *self, uint32_t task, vef_call call, uint32_t count,
                    const vef_operation *operations) {
    vef_event event = plain(call, VEF_NO_COMM);
    event.operation_count = count;
    event.operations = operations;
    say_event(self, task, event);
}

static uint64_t begin_request(program *self, uint32_t task) {
    uint64_t request = self->requests[task]++;
    if (self->open_count[task] < MOST_OPEN)
        self->open[task][self->open_count[task]++] = request;
    return request;
}

/* Waits for the first `count` that are open. */
static void wait_for(program *self, uint32_t task, uint32_t count) {
    vef_completion done[MOST_OPEN];
    for (uint32_t i = 0; i < count; i++)
        done[i] = (vef_completion){.request = self->open[task][i], .source = VEF_NO_TASK};
    vef_event event = plain(count == 1 ? VEF_CALL_Wait : VEF_CALL_Waitall, VEF_NO_COMM);
    event.completion_count = count;
    event.completions = done;
    say_event(self, task, event);
    self->open_count[task] -= count;
    memmove(self->open[task], self->open[task] + count,
            self->open_count[task] * sizeof self->open[task][0]);
}

static void make_room(program *self, uint32_t task, uint32_t wanted) {
    if (self->open_count[task] + wanted > MOST_OPEN)
        wait_for(self, task, self->open_count[task]);
}

static uint64_t size(program *self) {
    return below(self, 3) ? below(self, 500) : below(self, 200000); /* eager, or by rendezvous */
}

/* ---- steps ---- */

static void blocking(program *self, uint32_t from, uint32_t to) {
    vef_operation send = {VEF_OP_SEND,   (int32_t)to, 3, WORLD, size(self), self->sent[from][to]++,
                          VEF_NO_REQUEST};
    vef_operation receive = send;
    receive.flags = below(self, 2) ? VEF_OP_ANY_SOURCE : 0;
    receive.peer = (int32_t)from;
    operate(self, from, VEF_CALL_Send, 1, &send);
    if (below(self, 2)) {
        vef_operation probe = receive;
        operate(self, to, VEF_CALL_Probe, 1, &probe);
    }
    operate(self, to, VEF_CALL_Recv, 1, &receive);
}

/* Two messages that are received in the opposite order of their sending, by tags. */
static void crossed(program *self, uint32_t from, uint32_t to) {
    vef_operation sends[2], receives[2];
    make_room(self, from, 2);
    make_room(self, to, 2);
    for (int i = 0; i < 2; i++) {
        sends[i] = (vef_operation){VEF_OP_SEND,
                                   (int32_t)to,
                                   i,
                                   WORLD,
                                   size(self),
                                   self->sent[from][to]++,
                                   begin_request(self, from)};
        operate(self, from, VEF_CALL_Isend, 1, &sends[i]);
    }
    for (int i = 0; i < 2; i++) {
        receives[i] = sends[1 - i];
        receives[i].flags = 0;
        receives[i].peer = (int32_t)from;
        receives[i].request = begin_request(self, to);
        operate(self, to, VEF_CALL_Irecv, 1, &receives[i]);
    }
}

static void shift(program *self) {
    vef_operation pair[TASKS][2];
    uint32_t by = 1 + below(self, TASKS - 1);
    for (uint32_t task = 0; task < TASKS; task++) {
        uint32_t to = (task + by) % TASKS;
        pair[task][0] = (vef_operation){
            VEF_OP_SEND, (int32_t)to, 9, COPY, 100 + task, self->sent[task][to]++, VEF_NO_REQUEST};
    }
    for (uint32_t task = 0; task < TASKS; task++) {
        uint32_t from = (task + TASKS - by) % TASKS;
        pair[task][1] = pair[from][0];
        pair[task][1].flags = 0;
        pair[task][1].peer = (int32_t)from;
        operate(self, task, VEF_CALL_Sendrecv, 2, pair[task]);
    }
}

static void partitioned(program *self, uint32_t from, uint32_t to) {
    make_room(self, from, 1);
    make_room(self, to, 1);
    vef_operation send = {
        VEF_OP_SEND | VEF_OP_PARTITIONED, (int32_t)to, 5, WORLD, size(self), self->sent[from][to]++,
        begin_request(self, from)};
    vef_operation receive = send;
    receive.flags = VEF_OP_PARTITIONED;
    receive.peer = (int32_t)from;
    receive.request = begin_request(self, to);
    operate(self, from, VEF_CALL_Start, 1, &send);
    operate(self, to, VEF_CALL_Start, 1, &receive);
    for (int i = 0; i < 2; i++) {
        vef_event ready = plain(VEF_CALL_Pready, VEF_NO_COMM);
        ready.argument = (int64_t)send.request;
        ready.flags = i ? VEF_EVENT_LAST : 0;
        say_event(self, from, ready);
    }
}

static void generalised(program *self, uint32_t task) {
    make_room(self, task, 1);
    vef_operation start = {VEF_OP_GENERALISED,       VEF_NO_TASK, 0, WORLD, 0, VEF_NO_ORDINAL,
                           begin_request(self, task)};
    operate(self, task, VEF_CALL_Grequest_start, 1, &start);
    vef_event complete = plain(VEF_CALL_Grequest_complete, VEF_NO_COMM);
    complete.argument = (int64_t)start.request;
    say_event(self, task, complete);
}

static uint32_t first_of(uint32_t comm) {
    return comm == HIGH ? TASKS / 2 : 0;
}

static uint32_t size_of(uint32_t comm) {
    return comm == LOW || comm == HIGH ? TASKS / 2 : TASKS;
}

static void collective(program *self) {
    static const vef_call calls[] = {VEF_CALL_Allreduce,     VEF_CALL_Bcast,    VEF_CALL_Barrier,
                                     VEF_CALL_Alltoallv,     VEF_CALL_Ibarrier, VEF_CALL_Iallreduce,
                                     VEF_CALL_Reduce_scatter};
    uint64_t counts[TASKS], parts[TASKS];
    uint32_t comm = below(self, COPY + 1);
    if (comm == WINDOW)
        comm = WORLD;
    vef_event event = plain(calls[below(self, sizeof calls / sizeof *calls)], comm);
    uint32_t members = size_of(comm);
    if (event.call == VEF_CALL_Bcast)
        event.root = (int32_t)below(self, members);
    if (event.call != VEF_CALL_Barrier && event.call != VEF_CALL_Ibarrier &&
        event.call != VEF_CALL_Alltoallv)
        event.bytes = 8 * below(self, 100);
    if (event.call == VEF_CALL_Allreduce || event.call == VEF_CALL_Iallreduce)
        event.elements = event.bytes / 8;
    for (uint32_t i = 0; i < members; i++) {
        counts[i] = 64;
        parts[i] = 8 * (i + 1);
    }
    if (event.call == VEF_CALL_Alltoallv) {
        event.send_count = event.receive_count = members;
        event.send_bytes = event.receive_bytes = counts;
    }
    if (event.call == VEF_CALL_Reduce_scatter) {
        event.receive_count = members;
        event.receive_bytes = parts;
        event.elements = members * (members + 1) / 2;
    }
    for (uint32_t i = 0; i < members; i++) {
        uint32_t task = first_of(comm) + i;
        if (event.call == VEF_CALL_Ibarrier || event.call == VEF_CALL_Iallreduce) {
            make_room(self, task, 1);
            event.request = begin_request(self, task);
        }
        if (event.call == VEF_CALL_Reduce_scatter)
            event.bytes = parts[i];
        say_event(self, task, event);
    }
}

/* Collectives on a grid of 4 by 2, and between the two halves. */
static void other_collective(program *self) {
    if (below(self, 2)) {
        vef_event event = plain(
            below(self, 2) ? VEF_CALL_Neighbor_allgather : VEF_CALL_Ineighbor_allgather, GRID);
        event.bytes = 40;
        for (uint32_t task = 0; task < TASKS; task++) {
            if (event.call == VEF_CALL_Ineighbor_allgather) {
                make_room(self, task, 1);
                event.request = begin_request(self, task);
            }
            say_event(self, task, event);
        }
        return;
    }
    vef_event event = plain(below(self, 2) ? VEF_CALL_Bcast : VEF_CALL_Barrier, BETWEEN);
    uint32_t root = below(self, TASKS);
    for (uint32_t task = 0; task < TASKS; task++) {
        bool beside = task / (TASKS / 2) == root / (TASKS / 2);
        if (event.call == VEF_CALL_Bcast) {
            event.bytes = 1000;
            event.root = task == root ? VEF_ROOT_HERE
                         : beside     ? VEF_ROOT_BESIDE
                                      : (int32_t)(root % (TASKS / 2));
        }
        say_event(self, task, event);
    }
}

static void put_to(program *self, uint32_t from, uint32_t to) {
    vef_operation put = {0, (int32_t)to, 0, WINDOW, size(self), VEF_NO_ORDINAL, VEF_NO_REQUEST};
    if (below(self, 3) == 0) {
        make_room(self, from, 1);
        put.request = begin_request(self, from);
    }
    operate(self, from, put.request == VEF_NO_REQUEST ? VEF_CALL_Put : VEF_CALL_Rget, 1, &put);
}

static void synchronise(program *self, uint32_t task, vef_call call, uint32_t count,
                        const int32_t *peers) {
    vef_event event = plain(call, WINDOW);
    event.peer_count = count;
    event.peers = peers;
    event.flags = call == VEF_CALL_Win_lock ? VEF_EVENT_EXCLUSIVE : 0;
    say_event(self, task, event);
}

static void window(program *self, uint32_t from, uint32_t to) {
    int32_t origin = (int32_t)from, targets[2] = {(int32_t)to, (int32_t)((to + 1) % TASKS)};
    uint32_t count = targets[1] == origin ? 1 : 2;
    switch (below(self, 3)) {
    case 0:
        for (uint32_t task = 0; task < TASKS; task++)
            synchronise(self, task, VEF_CALL_Win_fence, 0, NULL);
        put_to(self, from, to);
        for (uint32_t task = 0; task < TASKS; task++)
            synchronise(self, task, VEF_CALL_Win_fence, 0, NULL);
        break;
    case 1:
        synchronise(self, from, VEF_CALL_Win_lock, 1, targets);
        put_to(self, from, to);
        if (below(self, 2))
            synchronise(self, from, VEF_CALL_Win_flush, 1, targets);
        synchronise(self, from, VEF_CALL_Win_unlock, 1, targets);
        break;
    default:
        for (uint32_t i = 0; i < count; i++)
            synchronise(self, (uint32_t)targets[i], VEF_CALL_Win_post, 1, &origin);
        synchronise(self, from, VEF_CALL_Win_start, count, targets);
        put_to(self, from, to);
        synchronise(self, from, VEF_CALL_Win_complete, count, targets);
        for (uint32_t i = 0; i < count; i++)
            synchronise(self, (uint32_t)targets[i], VEF_CALL_Win_wait, 1, &origin);
    }
}

static void name_all(program *self, vef_call call, const char *name) {
    for (uint32_t task = 0; task < TASKS; task++) {
        vef_event event = plain(call, VEF_NO_COMM);
        event.name = name;
        say_event(self, task, event);
    }
}

static void one_step(program *self) {
    uint32_t from = below(self, TASKS), to = (from + 1 + below(self, TASKS - 1)) % TASKS;
    switch (below(self, 11)) {
    case 0:
    case 1:
        blocking(self, from, to);
        break;
    case 2:
    case 3:
        crossed(self, from, to);
        break;
    case 4:
        shift(self);
        break;
    case 5:
        partitioned(self, from, to);
        break;
    case 6:
        generalised(self, from);
        break;
    case 7:
        window(self, from, to);
        break;
    case 8:
        other_collective(self);
        break;
    default:
        collective(self);
    }
    if (self->open_count[to] > 0 && below(self, 2))
        wait_for(self, to, 1 + below(self, self->open_count[to]));
}

/* ---- programs ---- */

static const uint32_t all[TASKS] = {0, 1, 2, 3, 4, 5, 6, 7};

static void make_program(const char *path, uint64_t seed) {
    const vef_communicator made[] = {
        {.parent = VEF_NO_COMM, .made_by = VEF_CALL_Init, .size = TASKS, .members = all},
        {.parent = 0, .made_by = VEF_CALL_Comm_split, .size = TASKS / 2, .members = all},
        {.parent = 0, .made_by = VEF_CALL_Comm_split, .size = TASKS / 2, .members = all + 4},
        {.parent = 0, .made_by = VEF_CALL_Win_allocate, .size = TASKS, .members = all},
        {.parent = 0, .made_by = VEF_CALL_Comm_dup, .size = TASKS, .members = all},
        {.parent = 0,
         .made_by = VEF_CALL_Cart_create,
         .size = TASKS,
         .members = all,
         .dimensions = 2,
         .extents = (const uint32_t[]){4, 2},
         .periodic = (const uint8_t[]){1, 0}},
        {.parent = LOW,
         .made_by = VEF_CALL_Intercomm_create,
         .size = TASKS / 2,
         .members = all,
         .remote_size = TASKS / 2,
         .remote_members = all + 4}};
    const vef_trace_header header = {
        .tasks = TASKS, .times = "all", .communicator_count = 7, .communicators = made};
    program self = {.rng = vef_rng_make(seed, VEF_RNG_TEST, 77), .threads = seed % 3 ? 1 : 3};
    OK(vef_writer_open(path, &header, &self.writer, error));
    for (uint32_t task = 0; task < TASKS; task++)
        say_event(&self, task, plain(VEF_CALL_Init, VEF_NO_COMM));
    for (uint32_t making = LOW; making <= BETWEEN; making++) {
        if (making == HIGH)
            continue; /* the other half of the same split */
        for (uint32_t task = 0; task < TASKS; task++) {
            uint32_t half = task < TASKS / 2 ? LOW : HIGH;
            vef_event event = plain(made[making].made_by, making == BETWEEN ? half : WORLD);
            event.new_comm = making == LOW ? half : making;
            say_event(&self, task, event);
        }
    }
    for (int iteration = 0; iteration < 6; iteration++) {
        name_all(&self, VEF_CALL_Region_begin, "iteration");
        name_all(&self, VEF_CALL_Mark, "top");
        for (int step = 0; step < 12; step++)
            one_step(&self);
        name_all(&self, VEF_CALL_Region_end, "iteration");
        one_step(&self);
    }
    for (uint32_t task = 0; task < TASKS; task++) {
        if (self.open_count[task] > 0)
            wait_for(&self, task, self.open_count[task]);
        vef_event freeing = plain(VEF_CALL_Comm_free, COPY);
        say_event(&self, task, freeing);
        say_event(&self, task, plain(VEF_CALL_Finalize, VEF_NO_COMM));
        OK(vef_writer_end_task(self.writer, task, VEF_LOG_FINALIZED, error));
    }
    OK(vef_writer_finish(self.writer, error));
}

/* ---- what must hold ---- */

static void print_fault(void *context, const char *sentence) {
    print_error("%s: %s\n", (const char *)context, sentence);
}

static vef_netmodel *network_by(const char *yaml) {
    vef_arena arena = {0};
    vef_node *root = NULL;
    vef_netmodel *model = NULL;
    OK(vef_config_parse(yaml, "test", &arena, &root, error));
    OK(vef_netmodel_create(root, &model, error));
    vef_arena_release(&arena);
    return model;
}

/* The trace is consistent and replays to its end; returns when that is. */
static uint64_t assert_sound(const char *path, const char *what) {
    vef_trace *trace = NULL;
    const vef_check_options options = {.limit = 5, .report = print_fault, .context = (void *)what};
    vef_replay_options replay = vef_replay_defaults();
    vef_replay_result result;
    uint64_t faults = 0;
    OK(vef_trace_open(path, &trace, NULL, error));
    OK(vef_check(trace, &options, &faults, error));
    if (faults > 0)
        fail_msg("%s: %d faults", what, (int)faults);
    vef_netmodel *network = network_by(script_mesh);
    OK(vef_replay(trace, network, all, &replay, NULL, &result, error));
    if (result.stall != VEF_STALL_NONE)
        fail_msg("%s: %s", what, result.stall_text);
    uint64_t time = ns_of(result.time_ps);
    vef_replay_result_release(&result);
    vef_netmodel_destroy(network);
    vef_trace_close(trace);
    return time;
}

static vef_code slice(const char *from, const vef_slice_options *options, const char *to,
                      vef_slice_result *result) {
    vef_trace *trace = NULL;
    vef_error why = {0};
    OK(vef_trace_open(from, &trace, NULL, error));
    vef_code code = vef_slice(trace, options, to, NULL, result, &why);
    if (code != VEF_OK && !(code == VEF_INVALID && strstr(why.message, "the slice is empty")))
        fail_msg("%s", why.message);
    vef_trace_close(trace);
    return code;
}

static void cut_somewhere(const char *path, const char *part, vef_rng *rng, uint64_t longest_ns) {
    vef_slice_options options = {.drop_outside = vef_rng_below(rng, 3) == 0};
    vef_slice_result result;
    bool chosen[TASKS];
    char what[256];
    uint32_t kinds = 1 + vef_rng_below(rng, 15);
    uint64_t a = vef_rng_next(rng) % longest_ns, b = vef_rng_next(rng) % longest_ns;
    if (kinds & 1) {
        options.by_time = true;
        options.from_ns = a < b ? a : b;
        options.to_ns = (a < b ? b : a) + 1;
    }
    if (kinds & 2 && vef_rng_below(rng, 2)) {
        options.region = "iteration";
        options.first_entry = 1 + vef_rng_below(rng, 6);
        options.last_entry = options.first_entry + vef_rng_below(rng, 3);
    }
    if (kinds & 4 && vef_rng_below(rng, 2)) {
        static const char *const names[] = {"top", "Allreduce", "Isend", "Win_fence", "Sendrecv"};
        options.between = names[vef_rng_below(rng, 5)];
        options.first_call = 1 + vef_rng_below(rng, 4);
        options.last_call = options.first_call + vef_rng_below(rng, 4);
    }
    for (uint32_t i = 0; i < TASKS; i++)
        chosen[i] = vef_rng_below(rng, 2);
    if (kinds & 8)
        options.chosen = chosen;
    if (slice(path, &options, part, &result) != VEF_OK)
        return;
    snprintf(what, sizeof what,
             "time %d %llu-%llu, region %llu-%llu, %s %llu-%llu, tasks %d (%d%d%d%d%d%d%d%d), "
             "drop %d",
             options.by_time, (unsigned long long)options.from_ns,
             (unsigned long long)options.to_ns, (unsigned long long)options.first_entry,
             (unsigned long long)options.last_entry, options.between ? options.between : "-",
             (unsigned long long)options.first_call, (unsigned long long)options.last_call,
             options.chosen != NULL, chosen[0], chosen[1], chosen[2], chosen[3], chosen[4],
             chosen[5], chosen[6], chosen[7], options.drop_outside);
    assert_sound(part, what);
}

static void test_random_slices(void **state) {
    (void)state;
    char path[1024], part[1024];
    snprintf(path, sizeof path, "%s", scratch_path("whole.vef"));
    snprintf(part, sizeof part, "%s", scratch_path("part.vef"));
    for (uint64_t seed = 1; seed <= 12; seed++) {
        make_program(path, seed);
        assert_sound(path, "the whole program");
        vef_rng rng = vef_rng_make(seed, VEF_RNG_TEST, 78);
        for (int i = 0; i < 25; i++)
            cut_somewhere(path, part, &rng, 250000);
    }
}

/* All of it is what it was, event by event. */
static void test_everything(void **state) {
    (void)state;
    char path[1024], part[1024];
    snprintf(path, sizeof path, "%s", scratch_path("whole.vef"));
    snprintf(part, sizeof part, "%s", scratch_path("part.vef"));
    make_program(path, 4); /* of one thread: read_task reads the first */
    const vef_slice_options options = {.by_time = true, .to_ns = UINT64_MAX};
    vef_slice_result result;
    assert_int_equal(slice(path, &options, part, &result), VEF_OK);
    assert_true(result.from_outside + result.unmatched_receives + result.unmatched_sends +
                    result.collectives + result.one_sided + result.requests ==
                0);
    for (uint32_t task = 0; task < TASKS; task++) {
        event_list before = read_task(path, task), after = read_task(part, task);
        assert_int_equal(before.count, after.count);
        for (size_t i = 1; i < before.count; i++) /* the computation before Init is outside */
            assert_same_event(&before.events[i], &after.events[i]);
        free_events(&before);
        free_events(&after);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_everything),
                                       cmocka_unit_test(test_random_slices)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
