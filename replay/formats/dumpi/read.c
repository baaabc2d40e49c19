/* Reading DUMPI: the second pass states the calls of each task to import.h. Gaps are processor time
 * where the file has it and the task is of one thread, else wall time; durations are wall times.
 * Calls that traces do not store are counted if vef knows them, and are part of the computation
 * otherwise (Comm_rank, Wtime), as after a capture. */
#include "common/grow.h"
#include "common/map64.h"
#include "replay/formats/dumpi/dumpi.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* A request, by DUMPI's handle, which is used again. MPICH gives all sends that are complete at
 * once the same handle: they complete here in their order. */
typedef struct slot {
    bool active, persistent;
    vef_operation operation; /* `request` of the one under way */
    uint64_t *later;         /* further sends under way: their requests */
    size_t later_at, later_count, later_room;
} slot;

typedef struct thread_state {
    bool known;
    uint32_t number;
    uint64_t returned_ns, gap_ns, outside_ns, last_tick; /* since the last event */
} thread_state;

typedef struct reading {
    vef_import *import;
    const vef_dumpi_comms *comms;
    vef_dumpi_stream stream;
    int calls[VEF_DUMPI_CALLS]; /* vef_call of each, or negative */
    vef_dumpi_types types;
    vef_dumpi_vectors vectors;
    uint32_t *current; /* per handle of a communicator: the task's creation */

    uint32_t task, creations;
    uint32_t *numbers; /* per creation: that of the import */
    size_t number_room;
    vef_map64 handles; /* of requests: place in `slots` */
    slot *slots;
    size_t slot_count, slot_room;
    uint64_t requests, base_ns;
    thread_state *threads;
    size_t thread_room;
    uint32_t thread_count;
    vef_event poll; /* not stated yet; repeats 0: none */
    bool finalized;
    vef_completion *completions;
    size_t completion_room;
    vef_operation *operations;
    size_t operation_room;

    const char *clock;
    uint64_t left_out, one_sided, unknown_sources, backwards, ignored, cut;
} reading;

/* ---- events ---- */

static vef_code flush(reading *self, vef_error *error) {
    vef_event poll = self->poll;
    self->poll.repeats = 0;
    return poll.repeats ? vef_import_event(self->import, &poll, error) : VEF_OK;
}

static bool spins(const vef_event *poll) {
    return poll->gap_ns <= poll->repeats * VEF_SPIN_NS;
}

static vef_code put_poll(reading *self, const vef_event *event, vef_error *error) {
    vef_event *poll = &self->poll;
    if (poll->repeats && poll->call == event->call && poll->thread == event->thread &&
        event->outside_ns == 0 && spins(poll) == spins(event)) {
        poll->repeats++;
        poll->gap_ns += event->gap_ns;
        poll->duration_ns += event->duration_ns;
        poll->left = event->left;
        return VEF_OK;
    }
    vef_code code = flush(self, error);
    self->poll = *event;
    return code;
}

/* Whether gaps are processor time, which is that of the process. */
static bool by_processor(const reading *self, const vef_dumpi_call *call) {
    return call->has_cpu && !self->comms->threaded[self->task];
}

/* The thread of a call, with its computation before the call added. */
static vef_code enter(reading *self, const vef_dumpi_call *call, thread_state **thread,
                      vef_error *error) {
    const size_t former = self->thread_room;
    const bool cpu = by_processor(self, call);
    const uint64_t entered_ns = cpu ? call->cpu_entered_ns : call->entered_ns;
    const uint64_t left_ns = cpu ? call->cpu_left_ns : call->left_ns;
    vef_code code = vef_grow_for(&self->threads, &self->thread_room, call->thread + 1ull,
                                 sizeof *self->threads, "threads", error);
    if (code)
        return code;
    if (self->thread_room > former)
        memset(self->threads + former, 0, (self->thread_room - former) * sizeof *self->threads);
    thread_state *at = *thread = &self->threads[call->thread];
    if (!at->known)
        *at = (thread_state){
            .known = true, .number = self->thread_count++, .returned_ns = entered_ns};
    self->backwards += entered_ns < at->returned_ns || left_ns < entered_ns;
    at->gap_ns += entered_ns > at->returned_ns ? entered_ns - at->returned_ns : 0;
    at->returned_ns = left_ns > at->returned_ns ? left_ns : at->returned_ns;
    return VEF_OK;
}

static uint64_t inside(const vef_dumpi_call *call) {
    return call->left_ns > call->entered_ns ? call->left_ns - call->entered_ns : 0;
}

static vef_code put(reading *self, const vef_dumpi_call *call, vef_event event, vef_error *error) {
    thread_state *thread = NULL;
    vef_code code = enter(self, call, &thread, error);
    if (code)
        return code;
    event.call = event.call ? event.call : (uint16_t)self->calls[call->id];
    event.thread = thread->number;
    event.gap_ns = thread->gap_ns;
    event.outside_ns = thread->outside_ns;
    event.duration_ns = inside(call);
    event.repeats = 1;
    thread->gap_ns = thread->outside_ns = 0;
    if (self->comms->threaded[self->task]) { /* ticks: of the clock */
        if (self->base_ns == UINT64_MAX)
            self->base_ns = call->entered_ns;
        uint64_t entered = call->entered_ns > self->base_ns ? call->entered_ns - self->base_ns : 0;
        event.entered = entered > thread->last_tick ? entered : thread->last_tick + 1;
        event.left = event.entered + 1 + event.duration_ns;
        thread->last_tick = event.left;
    }
    if (event.flags & VEF_EVENT_POLL)
        return put_poll(self, &event, error);
    code = flush(self, error);
    return code ? code : vef_import_event(self->import, &event, error);
}

/* ---- communicators and requests ---- */

/* The number of a communicator; false if it is not known: the call is left out. */
static bool comm_of(reading *self, uint16_t handle, uint32_t *number, const vef_dumpi_comm **comm) {
    const uint32_t creation = self->current[handle];
    const uint32_t global =
        creation == VEF_DUMPI_UNKNOWN || creation >= self->comms->made_count[self->task]
            ? VEF_DUMPI_UNKNOWN
            : self->comms->made[self->task][creation];
    if (global == VEF_DUMPI_UNKNOWN) {
        self->left_out++;
        return false;
    }
    *number = self->numbers[creation];
    *comm = &self->comms->list[global];
    return true;
}

static slot *slot_of(reading *self, int32_t handle) {
    const uint64_t *at = vef_map64_get(&self->handles, (uint32_t)handle);
    return at ? &self->slots[*at] : NULL;
}

static vef_code keep_slot(reading *self, int32_t handle, const vef_operation *operation,
                          bool persistent, vef_error *error) {
    const uint64_t *known = vef_map64_get(&self->handles, (uint32_t)handle);
    const size_t place = known ? *known : self->slot_count, former = self->slot_room;
    vef_code code = vef_grow_for(&self->slots, &self->slot_room, place + 1, sizeof *self->slots,
                                 "requests", error);
    if (code)
        return code;
    if (self->slot_room > former)
        memset(self->slots + former, 0, (self->slot_room - former) * sizeof *self->slots);
    if (!known && !vef_map64_set(&self->handles, (uint32_t)handle, place))
        return vef_fail_memory(error, "requests", place * sizeof *self->slots);
    self->slot_count += !known;
    slot *at = &self->slots[place];
    if (at->active && !persistent && !at->persistent &&
        (at->operation.flags & operation->flags & VEF_OP_SEND)) {
        code = vef_grow_for(&at->later, &at->later_room, at->later_count + 1, sizeof *at->later,
                            "requests", error);
        if (!code)
            at->later[at->later_count++] = operation->request;
        return code;
    }
    at->active = !persistent;
    at->persistent = persistent;
    at->operation = *operation;
    at->later_at = at->later_count = 0;
    return VEF_OK;
}

/* The request of the slot is complete; the next send with its handle takes its place. */
static void next_in_slot(slot *at) {
    at->active = at->later_at < at->later_count;
    if (at->active)
        at->operation.request = at->later[at->later_at++];
    else
        at->later_at = at->later_count = 0;
}

static void forget_persistent(reading *self, int32_t handle) {
    slot *at = slot_of(self, handle);
    if (at)
        at->persistent = false;
}

static vef_code check_peer(int32_t peer, const vef_dumpi_comm *comm, vef_error *error) {
    if (peer >= 0 && (uint32_t)peer >= comm->size)
        return vef_fail(error, VEF_CORRUPT, "rank %" PRId32 ": expected a rank below %" PRIu32,
                        peer, comm->size);
    return VEF_OK;
}

static uint16_t mode_of(uint16_t id) {
    switch (id) {
    case VEF_DUMPI_Ssend:
    case VEF_DUMPI_Issend:
    case VEF_DUMPI_Ssend_init:
        return VEF_OP_SYNCHRONOUS;
    case VEF_DUMPI_Rsend:
    case VEF_DUMPI_Irsend:
    case VEF_DUMPI_Rsend_init:
        return VEF_OP_READY;
    case VEF_DUMPI_Bsend:
    case VEF_DUMPI_Ibsend:
    case VEF_DUMPI_Bsend_init:
        return VEF_OP_BUFFERED;
    default:
        return 0;
    }
}

static vef_code send_of(reading *self, uint16_t id, const int32_t *ints, uint16_t type,
                        uint32_t number, const vef_dumpi_comm *comm, vef_operation *operation,
                        vef_error *error) {
    *operation = (vef_operation){.flags = (uint16_t)(VEF_OP_SEND | mode_of(id)),
                                 .peer = ints[1] < 0 ? VEF_NO_TASK : ints[1],
                                 .tag = ints[2],
                                 .comm = number,
                                 .bytes = vef_dumpi_bytes(&self->types, type, ints[0]),
                                 .ordinal = VEF_NO_ORDINAL,
                                 .request = VEF_NO_REQUEST};
    return check_peer(ints[1], comm, error);
}

/* A receive of `source` and `tag`. With a status the message is known. */
static vef_code receive_of(reading *self, int32_t source, int32_t tag, uint32_t number,
                           const vef_dumpi_comm *comm, const vef_dumpi_call *status,
                           vef_operation *operation, vef_error *error) {
    vef_dumpi_status found = {.bytes = -1, .source = VEF_DUMPI_ANY, .tag = VEF_DUMPI_ANY};
    const bool any = source == VEF_DUMPI_ANY;
    if (status && status->statuses.count > 0)
        found = vef_dumpi_status_of(&self->stream, status, 0);
    *operation = (vef_operation){
        .flags =
            (uint16_t)((any ? VEF_OP_ANY_SOURCE : 0) | (tag == VEF_DUMPI_ANY ? VEF_OP_ANY_TAG : 0)),
        .peer = !any ? (source < 0 ? VEF_NO_TASK : source)
                     : (found.source >= 0 ? found.source : VEF_ANY_SOURCE),
        .tag = tag != VEF_DUMPI_ANY ? tag : (found.tag >= 0 ? found.tag : VEF_ANY_TAG),
        .comm = number,
        .bytes = !status            ? 0
                 : found.bytes >= 0 ? (uint64_t)found.bytes
                                    : VEF_TRUNCATED_BYTES,
        .ordinal = VEF_NO_ORDINAL,
        .request = VEF_NO_REQUEST};
    self->unknown_sources +=
        status && (operation->peer == VEF_ANY_SOURCE || operation->tag == VEF_ANY_TAG);
    vef_code code = check_peer(source, comm, error);
    return code ? code : check_peer(found.source, comm, error);
}

static vef_code put_operations(reading *self, const vef_dumpi_call *call,
                               const vef_operation *operations, uint32_t count, vef_error *error) {
    return put(self, call,
               (vef_event){.root = -1,
                           .request = VEF_NO_REQUEST,
                           .new_comm = VEF_NO_COMM,
                           .operation_count = count,
                           .operations = operations},
               error);
}

static vef_code put_local(reading *self, const vef_dumpi_call *call, int64_t argument,
                          vef_error *error) {
    return put(
        self, call,
        (vef_event){
            .root = -1, .request = VEF_NO_REQUEST, .new_comm = VEF_NO_COMM, .argument = argument},
        error);
}

static vef_code read_transfer(reading *self, const vef_dumpi_call *call, vef_error *error) {
    const bool started = vef_call_has((uint16_t)self->calls[call->id], VEF_FACT_STARTS);
    const bool persistent =
        call->kind == VEF_DUMPI_SEND_INIT || call->kind == VEF_DUMPI_RECEIVE_INIT;
    const bool send = call->kind == VEF_DUMPI_SEND || call->kind == VEF_DUMPI_SEND_INIT;
    vef_operation operation;
    uint32_t number = 0;
    const vef_dumpi_comm *comm = NULL;
    if (!comm_of(self, call->handles[1], &number, &comm))
        return VEF_OK;
    vef_code code = send ? send_of(self, call->id, call->ints, call->handles[0], number, comm,
                                   &operation, error)
                         : receive_of(self, call->ints[1], call->ints[2], number, comm,
                                      started || persistent ? NULL : call, &operation, error);
    if (!code && persistent) {
        code = keep_slot(self, call->ints[3], &operation, true, error);
        return code ? code : put_local(self, call, 0, error);
    }
    if (!code && started) {
        operation.request = self->requests++;
        code = keep_slot(self, call->ints[3], &operation, false, error);
    }
    return code ? code : put_operations(self, call, &operation, 1, error);
}

static vef_code read_sendrecv(reading *self, const vef_dumpi_call *call, vef_error *error) {
    const bool replace = call->kind == VEF_DUMPI_SENDRECV_REPLACE;
    const int32_t *from = call->ints + (replace ? 3 : 4);
    vef_operation both[2];
    uint32_t number = 0;
    const vef_dumpi_comm *comm = NULL;
    if (!comm_of(self, call->handles[replace ? 1 : 2], &number, &comm))
        return VEF_OK;
    vef_code code =
        send_of(self, call->id, call->ints, call->handles[0], number, comm, &both[0], error);
    code = code ? code : receive_of(self, from[0], from[1], number, comm, call, &both[1], error);
    return code ? code : put_operations(self, call, both, 2, error);
}

static vef_code read_start(reading *self, const vef_dumpi_call *call, vef_error *error) {
    const bool all = call->kind == VEF_DUMPI_STARTALL;
    const uint32_t count = all ? call->lists[0].count : 1;
    uint32_t found = 0;
    vef_code code = vef_grow_for(&self->operations, &self->operation_room, count,
                                 sizeof *self->operations, "requests", error);
    for (uint32_t i = 0; !code && i < count; i++) {
        slot *at = slot_of(self, all ? vef_dumpi_int(call->lists[0], i) : call->ints[0]);
        if (!at || !at->persistent)
            continue;
        at->active = true;
        at->operation.request = self->requests++;
        self->operations[found++] = at->operation;
    }
    if (code || found == 0)
        return code;
    return put_operations(self, call, self->operations, found, error);
}

/* ---- completions ---- */

/* Adds what completes at `handle`, with status number `index`, if there is one. */
static vef_code complete(reading *self, const vef_dumpi_call *call, int32_t handle, uint32_t index,
                         uint32_t *count, vef_error *error) {
    slot *at = slot_of(self, handle);
    vef_dumpi_status status = {.source = VEF_DUMPI_ANY};
    if (!at || !at->active)
        return VEF_OK;
    vef_code code = vef_grow_for(&self->completions, &self->completion_room, *count + 1ull,
                                 sizeof *self->completions, "completions", error);
    if (code)
        return code;
    const vef_operation *operation = &at->operation;
    const bool receive = !(operation->flags & VEF_OP_SEND);
    const bool stated = index < call->statuses.count;
    if (stated)
        status = vef_dumpi_status_of(&self->stream, call, index);
    vef_completion *done = &self->completions[(*count)++];
    *done = (vef_completion){.request = operation->request,
                             .source = VEF_NO_TASK,
                             .cancelled = stated && status.cancelled};
    if (receive && stated && !status.cancelled && status.source >= 0 && status.bytes >= 0 &&
        operation->peer != VEF_NO_TASK) {
        done->source = status.source;
        done->tag = status.tag >= 0 ? status.tag : operation->tag;
        done->bytes = (uint64_t)status.bytes;
        if (done->tag < 0)
            done->source = VEF_NO_TASK, done->bytes = 0, done->tag = 0;
    }
    self->unknown_sources += receive && !done->cancelled && done->source == VEF_NO_TASK &&
                             (operation->peer == VEF_ANY_SOURCE || operation->tag == VEF_ANY_TAG);
    next_in_slot(at);
    return VEF_OK;
}

static vef_code read_completion(reading *self, const vef_dumpi_call *call, vef_error *error) {
    const vef_dumpi_list *lists = call->lists;
    const uint32_t requests = lists[0].count;
    uint32_t count = 0;
    bool poll = false;
    vef_code code = VEF_OK;
    switch (call->kind) {
    case VEF_DUMPI_WAITANY:
    case VEF_DUMPI_TESTANY:
        poll = call->kind == VEF_DUMPI_TESTANY && !call->ints[2];
        if (!poll && call->ints[1] >= 0 && (uint32_t)call->ints[1] < requests)
            code = complete(self, call, vef_dumpi_int(lists[0], (uint32_t)call->ints[1]), 0, &count,
                            error);
        break;
    case VEF_DUMPI_WAITALL:
    case VEF_DUMPI_TESTALL:
        poll = call->kind == VEF_DUMPI_TESTALL && !call->ints[1];
        for (uint32_t i = 0; !code && !poll && i < requests; i++)
            code = complete(self, call, vef_dumpi_int(lists[0], i), i, &count, error);
        break;
    case VEF_DUMPI_SOME:
        poll = call->id == VEF_DUMPI_Testsome && lists[1].count == 0;
        for (uint32_t i = 0; !code && i < lists[1].count; i++) {
            const int32_t index = vef_dumpi_int(lists[1], i);
            if (index >= 0 && (uint32_t)index < requests)
                code = complete(self, call, vef_dumpi_int(lists[0], (uint32_t)index), i, &count,
                                error);
        }
        break;
    default: /* WAIT, TEST, REQUEST_FREE */
        poll = call->kind == VEF_DUMPI_TEST && !call->ints[1];
        if (!poll)
            code = complete(self, call, call->ints[0], 0, &count, error);
        if (call->kind == VEF_DUMPI_REQUEST_FREE)
            forget_persistent(self, call->ints[0]);
        break;
    }
    return code ? code
                : put(self, call,
                      (vef_event){.flags = poll ? VEF_EVENT_POLL : 0,
                                  .root = -1,
                                  .request = VEF_NO_REQUEST,
                                  .new_comm = VEF_NO_COMM,
                                  .completion_count = count,
                                  .completions = self->completions},
                      error);
}

static vef_code read_probe(reading *self, const vef_dumpi_call *call, vef_error *error) {
    const bool poll = call->kind == VEF_DUMPI_IPROBE && !call->ints[2];
    vef_operation operation;
    uint32_t number = 0;
    const vef_dumpi_comm *comm = NULL;
    if (!comm_of(self, call->handles[0], &number, &comm))
        return VEF_OK;
    vef_code code =
        receive_of(self, call->ints[0], call->ints[1], number, comm, call, &operation, error);
    return code ? code
                : put(self, call,
                      (vef_event){.flags = poll ? VEF_EVENT_POLL : 0,
                                  .root = -1,
                                  .request = VEF_NO_REQUEST,
                                  .new_comm = VEF_NO_COMM,
                                  .operation_count = !poll,
                                  .operations = &operation},
                      error);
}

/* ---- collectives and communicators ---- */

static uint32_t rank_in(const vef_dumpi_comm *comm, uint32_t task) {
    uint32_t rank = 0;
    if (task < comm->size && comm->members[task] == task)
        return task;
    while (rank + 1 < comm->size && comm->members[rank] != task)
        rank++;
    return rank;
}

static vef_code read_collective(reading *self, const vef_dumpi_call *call, vef_error *error) {
    uint32_t number = 0;
    const vef_dumpi_comm *comm = NULL;
    if (!comm_of(self, vef_dumpi_collective_comm(call), &number, &comm))
        return VEF_OK;
    vef_event event = {.call = (uint16_t)self->calls[call->id],
                       .comm = number,
                       .new_comm = VEF_NO_COMM,
                       .request = VEF_NO_REQUEST};
    vef_code code = vef_dumpi_collective(call, rank_in(comm, self->task), comm->size, &self->types,
                                         &self->vectors, &event, error);
    if (!code && vef_call_has(event.call, VEF_FACT_ROOTED) &&
        (event.root < 0 || (uint32_t)event.root >= comm->size))
        code = vef_fail(error, VEF_CORRUPT, "root %" PRId32 ": expected a rank below %" PRIu32,
                        event.root, comm->size);
    return code ? code : put(self, call, event, error);
}

/* States the communicator of a creation to the import. */
static vef_code state_comm(reading *self, const vef_dumpi_comm *made, uint32_t parent,
                           uint32_t *number, vef_error *error) {
    vef_neighbours own = {0};
    vef_communicator communicator = {.parent = parent,
                                     .made_by = made->made_by,
                                     .size = made->size,
                                     .members = made->members,
                                     .dimensions = made->dimensions,
                                     .extents = made->extents,
                                     .periodic = made->periodic};
    if (made->index) {
        const uint32_t rank = rank_in(made, self->task);
        const int32_t from = rank ? made->index[rank - 1] : 0, to = made->index[rank];
        if (from < 0 || to < from || (uint32_t)to > made->edge_count)
            return vef_fail(error, VEF_CORRUPT,
                            "index %" PRId32 ": expected %" PRId32 " to %" PRIu32, to, from,
                            made->edge_count);
        own.in = own.out = (const uint32_t *)(made->edges + from);
        own.in_count = own.out_count = (uint32_t)(to - from);
        for (int32_t i = from; i < to; i++)
            if (made->edges[i] < 0 || (uint32_t)made->edges[i] >= made->size)
                return vef_fail(error, VEF_CORRUPT, "neighbour %" PRId32, made->edges[i]);
        communicator.neighbours = &own;
    }
    return vef_import_communicator(self->import, &communicator, number, error);
}

static vef_code read_comm(reading *self, const vef_dumpi_call *call, vef_error *error) {
    const uint16_t handle = call->handles[call->id == VEF_DUMPI_Comm_create ? 2 : 1];
    uint32_t parent = 0, number = VEF_NO_COMM;
    const vef_dumpi_comm *comm = NULL;
    const bool known = comm_of(self, call->handles[0], &parent, &comm);
    bool settled = true;
    if (handle != VEF_DUMPI_NULL) {
        const uint32_t creation = self->creations++;
        const uint32_t global = self->comms->made[self->task][creation];
        vef_code code = vef_grow_for(&self->numbers, &self->number_room, creation + 1ull,
                                     sizeof *self->numbers, "communicators", error);
        settled = global != VEF_DUMPI_UNKNOWN;
        if (!code && known && settled)
            code = state_comm(self, &self->comms->list[global], parent, &number, error);
        if (code)
            return code;
        self->numbers[creation] = number;
        self->current[handle] = creation;
    }
    if (!known || !settled)
        return VEF_OK;
    return put(
        self, call,
        (vef_event){.root = -1, .comm = parent, .new_comm = number, .request = VEF_NO_REQUEST},
        error);
}

static vef_code read_comm_free(reading *self, const vef_dumpi_call *call, vef_error *error) {
    uint32_t number = 0;
    const vef_dumpi_comm *comm = NULL;
    if (!comm_of(self, call->handles[0], &number, &comm))
        return VEF_OK;
    return put(
        self, call,
        (vef_event){.root = -1, .comm = number, .new_comm = VEF_NO_COMM, .request = VEF_NO_REQUEST},
        error);
}

/* Intercommunicators are not supported; their handles must not mean earlier communicators. */
static void skip_intercomm(reading *self, const vef_dumpi_call *call) {
    const uint16_t handle = call->handles[call->id == VEF_DUMPI_Intercomm_create ? 2 : 1];
    if (handle != VEF_DUMPI_NULL)
        self->creations++;
    self->current[handle] = VEF_DUMPI_UNKNOWN;
    self->left_out++;
}

static vef_code count_call(reading *self, const vef_dumpi_call *call, vef_error *error) {
    const int known = self->calls[call->id];
    thread_state *thread = NULL;
    if (known < 0 || vef_call_kind((uint16_t)known) != VEF_KIND_COUNTED)
        return VEF_OK;
    vef_code code = enter(self, call, &thread, error);
    if (code)
        return code;
    thread->outside_ns += inside(call);
    vef_import_count(self->import, (uint16_t)known, 1, inside(call));
    return VEF_OK;
}

static vef_code read_call(reading *self, const vef_dumpi_call *call, vef_error *error) {
    vef_code code = VEF_OK;
    slot *at = NULL;
    switch (call->kind) {
    case VEF_DUMPI_BOUNDARY:
        self->finalized = call->id == VEF_DUMPI_Finalize;
        return put_local(self, call, call->id == VEF_DUMPI_Abort ? call->ints[0] : 0, error);
    case VEF_DUMPI_SEND:
    case VEF_DUMPI_RECEIVE:
    case VEF_DUMPI_SEND_INIT:
    case VEF_DUMPI_RECEIVE_INIT:
        return read_transfer(self, call, error);
    case VEF_DUMPI_SENDRECV:
    case VEF_DUMPI_SENDRECV_REPLACE:
        return read_sendrecv(self, call, error);
    case VEF_DUMPI_START:
    case VEF_DUMPI_STARTALL:
        return read_start(self, call, error);
    case VEF_DUMPI_WAIT:
    case VEF_DUMPI_TEST:
    case VEF_DUMPI_WAITANY:
    case VEF_DUMPI_TESTANY:
    case VEF_DUMPI_WAITALL:
    case VEF_DUMPI_TESTALL:
    case VEF_DUMPI_SOME:
    case VEF_DUMPI_REQUEST_FREE:
        return read_completion(self, call, error);
    case VEF_DUMPI_CANCEL:
        at = slot_of(self, call->ints[0]);
        return at && at->active ? put_local(self, call, (int64_t)at->operation.request, error)
                                : VEF_OK;
    case VEF_DUMPI_PROBE:
    case VEF_DUMPI_IPROBE:
        return read_probe(self, call, error);
    case VEF_DUMPI_COLLECTIVE:
        return read_collective(self, call, error);
    case VEF_DUMPI_COMM:
        return read_comm(self, call, error);
    case VEF_DUMPI_COMM_FREE:
        return read_comm_free(self, call, error);
    case VEF_DUMPI_INTERCOMM:
        skip_intercomm(self, call);
        return VEF_OK;
    case VEF_DUMPI_ONE_SIDED:
        self->one_sided++;
        return VEF_OK;
    case VEF_DUMPI_TYPE:
        code = vef_dumpi_types_make(&self->types, call, error);
        return code ? code : count_call(self, call, error);
    default:
        return count_call(self, call, error);
    }
}

/* ---- tasks ---- */

static void begin_task(reading *self, uint32_t task) {
    self->task = task;
    self->creations = 2;
    self->numbers[0] = VEF_IMPORT_WORLD;
    self->numbers[1] = VEF_IMPORT_SELF;
    for (size_t i = 0; i <= UINT16_MAX; i++)
        self->current[i] = VEF_DUMPI_UNKNOWN;
    self->current[VEF_DUMPI_WORLD] = 0;
    self->current[VEF_DUMPI_SELF] = 1;
    vef_map64_clear(&self->handles);
    for (size_t i = 0; i < self->slot_count; i++) {
        self->slots[i].active = self->slots[i].persistent = false;
        self->slots[i].later_at = self->slots[i].later_count = 0;
    }
    self->slot_count = self->thread_count = 0;
    self->requests = 0;
    self->base_ns = UINT64_MAX;
    self->finalized = false;
    if (self->threads)
        memset(self->threads, 0, self->thread_room * sizeof *self->threads);
}

/* The footer's counts of calls that are not in the stream: MPI_Pcontrol(0), or the configuration.
 * A task that finalized so is not cut short. */
static vef_code end_task(reading *self, vef_error *error) {
    const vef_dumpi_list counts = self->stream.counts;
    bool finalized = false;
    for (uint32_t id = 0; id < VEF_DUMPI_CALLS && counts.count > 0; id++) {
        const int32_t ignored = vef_dumpi_int(counts, VEF_DUMPI_CALLS + 1 + id);
        if (id == VEF_DUMPI_Finalize)
            finalized = ignored > 0;
        else if (ignored > 0)
            self->ignored += (uint32_t)ignored;
    }
    self->cut += self->stream.cut;
    vef_code code = flush(self, error);
    if (code || self->finalized || !finalized || self->stream.cut)
        return code;
    vef_event event = {.call = VEF_CALL_Finalize,
                       .root = -1,
                       .repeats = 1,
                       .request = VEF_NO_REQUEST,
                       .new_comm = VEF_NO_COMM};
    if (self->comms->threaded[self->task]) {
        for (uint32_t i = 0; i < self->thread_room; i++)
            if (self->threads[i].last_tick > event.entered)
                event.entered = self->threads[i].last_tick;
        event.left = ++event.entered + 1;
    }
    return vef_import_event(self->import, &event, error);
}

static vef_code read_task(reading *self, uint32_t task, const char *path, vef_error *error) {
    vef_dumpi_call call;
    bool more = true;
    vef_code code = vef_dumpi_open(path, &self->stream, error);
    if (code)
        return code;
    code =
        vef_import_task(self->import, task, self->stream.host[0] ? self->stream.host : NULL, error);
    code = code ? code : vef_dumpi_types_begin(&self->types, &self->stream, error);
    begin_task(self, task);
    while (!code && (code = vef_dumpi_next(&self->stream, &call, &more, error)) == VEF_OK && more) {
        code = read_call(self, &call, error);
        if (code)
            vef_fail_within(error, "%s: offset %" PRIu64 ": %s", path, self->stream.offset,
                            vef_dumpi_name(call.id));
    }
    code = code ? code : end_task(self, error);
    vef_dumpi_close(&self->stream);
    return code;
}

static void note_all(const reading *self, const vef_dumpi_run *run, vef_format_report *report) {
    const struct {
        uint64_t count;
        const char *text;
    } notes[] = {
        {run->tasks - run->found, "tasks have no file"},
        {self->cut, "files are cut short: their calls are read as far as they go"},
        {self->ignored, "calls are counted in the files but not recorded"},
        {self->comms->unsettled,
         "communicators are left out: intercommunicators, and those that not all members made"},
        {self->left_out, "calls on such communicators are left out"},
        {self->one_sided, "calls of one-sided communication are left out"},
        {self->types.unknown, "counts of datatypes whose size is not known are taken as 0 bytes"},
        {self->unknown_sources,
         "receives or probes from any source or with any tag have no status: they complete at "
         "once, as from MPI_PROC_NULL"},
        {self->backwards,
         "calls begin before the last one of their thread returned: no time between them"},
    };
    for (size_t i = 0; i < sizeof notes / sizeof *notes; i++)
        if (notes[i].count > 0)
            vef_format_note(report, "%" PRIu64 " %s", notes[i].count, notes[i].text);
}

static vef_code read_run(reading *self, const vef_dumpi_run *run, const char *trace_path,
                         vef_format_report *report, vef_error *error) {
    const vef_import_facts facts = {.format = "dumpi",
                                    .clock = self->clock,
                                    .library = "not known (DUMPI)",
                                    .tasks = run->tasks,
                                    .started_ns = run->started_ns};
    self->current = malloc((UINT16_MAX + 1ull) * sizeof *self->current);
    if (!self->current)
        return vef_fail_memory(error, "handles", UINT16_MAX);
    vef_code code = vef_grow_for(&self->numbers, &self->number_room, 2, sizeof *self->numbers,
                                 "communicators", error);
    code = code ? code : vef_import_begin(trace_path, &facts, &self->import, error);
    for (uint32_t task = 0; !code && task < run->tasks; task++)
        if (run->paths[task])
            code = read_task(self, task, run->paths[task], error);
    code = code ? code : vef_import_finish(self->import, report, error);
    if (!code)
        note_all(self, run, report);
    return code;
}

vef_code vef_dumpi_read(const char *path, const char *trace_path, vef_format_report *report,
                        vef_error *error) {
    vef_dumpi_run run;
    vef_dumpi_comms comms = {0};
    reading self = {.comms = &comms};
    *report = (vef_format_report){0};
    for (uint16_t id = 0; id < VEF_DUMPI_CALLS; id++)
        self.calls[id] = vef_call_find(vef_dumpi_name(id));
    vef_code code = vef_dumpi_run_read(path, &run, error);
    code = code ? code : vef_dumpi_comms_find(&run, &comms, error);
    self.clock = comms.processor_time ? "cpu" : "wall";
    code = code ? code : read_run(&self, &run, trace_path, report, error);
    vef_import_free(self.import);
    vef_dumpi_types_release(&self.types);
    vef_map64_free(&self.handles);
    free(self.vectors.sends);
    free(self.vectors.receives);
    free(self.current);
    free(self.numbers);
    for (size_t i = 0; i < self.slot_room; i++)
        free(self.slots[i].later);
    free(self.slots);
    free(self.threads);
    free(self.completions);
    free(self.operations);
    vef_dumpi_comms_release(&comms, run.tasks);
    vef_dumpi_run_release(&run);
    return code;
}
