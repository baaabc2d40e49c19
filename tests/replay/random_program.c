/* See random_program.h. A program is made up in one sequence of steps that its tasks could have
 * taken one after the other, so that it cannot deadlock. */
#include "tests/replay/random_program.h"
#include "tests/traces/trace_support.h"

#include "common/rng.h"
#include "traces/file/writer.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

enum {
    TASKS = RANDOM_PROGRAM_TASKS,
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
    bool lossy;
    uint32_t open_count[TASKS], threads, persistent; /* collectives made so far */
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
    if (count == 0)
        return;
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

/* Several persistent sends to one task, or to several, that one call starts; so the receives. */
static void startall(program *self, uint32_t from) {
    vef_operation sends[4], receives[4];
    const uint32_t count = 1 + below(self, 4), apart = below(self, 2);
    make_room(self, from, count);
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t to = (from + 1 + apart * i) % TASKS;
        sends[i] = (vef_operation){VEF_OP_SEND | (below(self, 4) ? 0 : VEF_OP_SYNCHRONOUS),
                                   (int32_t)to,
                                   (int32_t)i,
                                   WORLD,
                                   size(self),
                                   self->sent[from][to]++,
                                   begin_request(self, from)};
    }
    operate(self, from, VEF_CALL_Startall, count, sends);
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t to = (uint32_t)sends[i].peer, together = apart ? 1 : count;
        make_room(self, to, together);
        for (uint32_t k = 0; k < together; k++) {
            receives[k] = sends[i + k];
            receives[k].flags = 0;
            receives[k].peer = (int32_t)from;
            receives[k].request = begin_request(self, to);
        }
        operate(self, to, VEF_CALL_Startall, together, receives);
        i += together - 1;
    }
}

/* Unsuccessful calls in a row, after calls that are only counted. */
static void polls(program *self, uint32_t task) {
    static const vef_call calls[] = {VEF_CALL_Iprobe, VEF_CALL_Test, VEF_CALL_Testall,
                                     VEF_CALL_Testany, VEF_CALL_Improbe};
    vef_event event = plain(calls[below(self, 5)], VEF_NO_COMM);
    event.flags = VEF_EVENT_POLL;
    event.repeats = 1 + below(self, 5);
    say_event(self, task, event);
}

/* A message that is never received, one that is cancelled, and operations without a peer. */
static void alone(program *self, uint32_t from, uint32_t to) {
    vef_operation one = {VEF_OP_SEND, (int32_t)to, 4, WORLD, size(self), 0, VEF_NO_REQUEST};
    const uint32_t which = below(self, 4);
    make_room(self, from, 1);
    one.request = begin_request(self, from);
    if (which == 0) { /* short, so that its sender need not wait for a receive */
        one.flags |= VEF_OP_UNMATCHED;
        one.bytes = below(self, 500);
        one.ordinal = self->sent[from][to]++;
    } else {
        one.peer = VEF_NO_TASK;
        one.ordinal = VEF_NO_ORDINAL;
        one.bytes = 0;
        one.flags = which == 1 ? VEF_OP_SEND : 0;
    }
    operate(self, from, one.flags & VEF_OP_SEND ? VEF_CALL_Isend : VEF_CALL_Irecv, 1, &one);
}

/* Both sides of an exchange under one request each; a matched probe; a receive that is cancelled.
 */
static void further(program *self, uint32_t from, uint32_t to) {
    vef_operation both[2][2];
    const uint32_t ends[2] = {from, to}, which = below(self, 3);
    make_room(self, from, 1);
    make_room(self, to, 1);
    if (which == 2) {
        vef_operation cancelled = {VEF_OP_CANCELLED, (int32_t)to,           6, WORLD, 0,
                                   VEF_NO_ORDINAL,   self->requests[from]++};
        operate(self, from, VEF_CALL_Irecv, 1, &cancelled);
        vef_event cancel = plain(VEF_CALL_Cancel, VEF_NO_COMM);
        cancel.argument = (int64_t)cancelled.request;
        say_event(self, from, cancel);
        vef_completion done = {
            .request = cancelled.request, .cancelled = true, .source = VEF_NO_TASK};
        vef_event wait = plain(VEF_CALL_Waitany, VEF_NO_COMM);
        wait.completion_count = 1;
        wait.completions = &done;
        say_event(self, from, wait);
        return;
    }
    if (which == 1) {
        vef_operation send = {VEF_OP_SEND | VEF_OP_BUFFERED, (int32_t)to,   7, COPY, size(self),
                              self->sent[from][to]++,        VEF_NO_REQUEST};
        vef_operation receive = send;
        receive.flags = 0;
        receive.peer = (int32_t)from;
        operate(self, from, VEF_CALL_Bsend, 1, &send);
        operate(self, to, VEF_CALL_Mprobe, 1, &receive);
        operate(self, to, VEF_CALL_Mrecv, 1, &receive);
        return;
    }
    for (int i = 0; i < 2; i++) {
        const uint64_t ordinal = self->sent[ends[i]][ends[1 - i]]++;
        both[i][0] = (vef_operation){VEF_OP_SEND, (int32_t)ends[1 - i],        8, WORLD, size(self),
                                     ordinal,     begin_request(self, ends[i])};
    }
    for (int i = 0; i < 2; i++) {
        both[i][1] = both[1 - i][0];
        both[i][1].flags = 0;
        both[i][1].peer = (int32_t)ends[1 - i];
        both[i][1].request = both[i][0].request;
        operate(self, ends[i], VEF_CALL_Isendrecv, 2, both[i]);
    }
}

/* A persistent collective of all, started once or twice. */
static void persistent(program *self) {
    static const vef_call calls[] = {VEF_CALL_Barrier_init, VEF_CALL_Bcast_init,
                                     VEF_CALL_Allreduce_init};
    vef_event event = plain(calls[below(self, 3)], WORLD);
    event.persistent = ++self->persistent;
    event.root = event.call == VEF_CALL_Bcast_init ? (int32_t)below(self, TASKS) : -1;
    event.bytes = event.call == VEF_CALL_Barrier_init ? 0 : 64;
    event.elements = event.call == VEF_CALL_Allreduce_init ? 8 : 0;
    for (uint32_t task = 0; task < TASKS; task++)
        say_event(self, task, event);
    event.flags = VEF_EVENT_STARTED;
    for (uint32_t times = below(self, 3); times > 0; times--)
        for (uint32_t task = 0; task < TASKS; task++) {
            wait_for(self, task, self->open_count[task]);
            event.request = begin_request(self, task);
            say_event(self, task, event);
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
    static const vef_call calls[] = {
        VEF_CALL_Allreduce, VEF_CALL_Bcast,      VEF_CALL_Barrier,        VEF_CALL_Alltoallv,
        VEF_CALL_Ibarrier,  VEF_CALL_Iallreduce, VEF_CALL_Reduce_scatter, VEF_CALL_Gatherv,
        VEF_CALL_Scatterv,  VEF_CALL_Allgatherv, VEF_CALL_Reduce,         VEF_CALL_Gather,
        VEF_CALL_Alltoall,  VEF_CALL_Scan};
    uint64_t counts[TASKS], parts[TASKS];
    uint32_t comm = below(self, COPY + 1);
    if (comm == WINDOW)
        comm = WORLD;
    vef_event event = plain(calls[below(self, sizeof calls / sizeof *calls)], comm);
    uint32_t members = size_of(comm);
    const bool rooted = vef_call_has(event.call, VEF_FACT_ROOTED);
    const bool sends_each = vef_call_has(event.call, VEF_FACT_SENDS_EACH);
    const bool receives_each = vef_call_has(event.call, VEF_FACT_RECEIVES_EACH);
    if (rooted)
        event.root = (int32_t)below(self, members);
    if (!vef_call_has(event.call, VEF_FACT_NO_DATA) && event.call != VEF_CALL_Alltoallv)
        event.bytes = 8 * below(self, 100);
    if (event.call != VEF_CALL_Bcast && below(self, 3) == 0 && !rooted &&
        !vef_call_has(event.call, VEF_FACT_NO_DATA) && !vef_call_has(event.call, VEF_FACT_STARTS))
        event.flags = VEF_EVENT_IN_PLACE;
    if (vef_call_has(event.call, VEF_FACT_REDUCES))
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
    const bool lacks =
        self->lossy && below(self, 12) == 0 && !vef_call_has(event.call, VEF_FACT_STARTS);
    if (lacks) /* recording was off in some tasks */
        event.flags |= VEF_EVENT_UNMATCHED;
    for (uint32_t i = lacks; i < members; i++) {
        uint32_t task = first_of(comm) + i;
        if (event.call == VEF_CALL_Ibarrier || event.call == VEF_CALL_Iallreduce) {
            make_room(self, task, 1);
            event.request = begin_request(self, task);
        }
        if (event.call != VEF_CALL_Alltoallv && (sends_each || receives_each))
            event.bytes = parts[i];
        if (rooted && sends_each) {
            event.send_count = i == (uint32_t)event.root ? members : 0;
            event.send_bytes = event.send_count ? parts : NULL;
        }
        if (receives_each && event.call != VEF_CALL_Alltoallv) {
            event.receive_count = !rooted || i == (uint32_t)event.root ? members : 0;
            event.receive_bytes = event.receive_count ? parts : NULL;
        }
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
    switch (below(self, 18)) {
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
    case 9:
    case 10:
        startall(self, from);
        break;
    case 11:
        polls(self, from);
        break;
    case 12:
        alone(self, from, to);
        break;
    case 13:
        persistent(self);
        break;
    case 14:
        further(self, from, to);
        break;
    default:
        collective(self);
    }
    if (self->open_count[to] > 0 && below(self, 2))
        wait_for(self, to, 1 + below(self, self->open_count[to]));
}

/* ---- programs ---- */

static const uint32_t every_task[TASKS] = {0, 1, 2, 3, 4, 5, 6, 7};

void random_program(const char *path, uint64_t seed) {
    const vef_communicator made[] = {
        {.parent = VEF_NO_COMM, .made_by = VEF_CALL_Init, .size = TASKS, .members = every_task},
        {.parent = 0, .made_by = VEF_CALL_Comm_split, .size = TASKS / 2, .members = every_task},
        {.parent = 0, .made_by = VEF_CALL_Comm_split, .size = TASKS / 2, .members = every_task + 4},
        {.parent = 0, .made_by = VEF_CALL_Win_allocate, .size = TASKS, .members = every_task},
        {.parent = 0, .made_by = VEF_CALL_Comm_dup, .size = TASKS, .members = every_task},
        {.parent = 0,
         .made_by = VEF_CALL_Cart_create,
         .size = TASKS,
         .members = every_task,
         .dimensions = 2,
         .extents = (const uint32_t[]){4, 2},
         .periodic = (const uint8_t[]){1, 0}},
        {.parent = LOW,
         .made_by = VEF_CALL_Intercomm_create,
         .size = TASKS / 2,
         .members = every_task,
         .remote_size = TASKS / 2,
         .remote_members = every_task + 4}};
    const vef_trace_header header = {
        .tasks = TASKS, .times = "all", .communicator_count = 7, .communicators = made};
    program self = {.rng = vef_rng_make(seed, VEF_RNG_TEST, 77),
                    .threads = seed % 3 ? 1 : 3,
                    .lossy = seed % 2};
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
