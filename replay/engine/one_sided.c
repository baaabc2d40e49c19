/* One-sided operations, and the messages of windows.
 *
 * Data are sent at once, whatever their length, without rendezvous. The target's interface accepts
 * and acknowledges them, and answers a Get, without the target's processor or an MPI call there.
 * MPI 4.0 (sections 12.3 to 12.5) distinguishes two completions of an operation: local, when the
 * origin's buffer may be used again (a Put's at once, being sent eagerly; a Get's when the data are
 * there), and remote, when it has arrived at the target: when its answer is back at the origin. */
#include "replay/engine/one_sided.h"

#include "common/memory.h"
#include "replay/engine/complete.h"
#include "replay/engine/hosts.h"
#include "replay/engine/transfer.h"

#include <assert.h>

/* ---- the state ---- */

static void make(vef_engine *engine) {
    struct vef_one_sided *one_sided = vef_store_take(engine->store, 1, sizeof *one_sided);
    engine->one_sided = one_sided;
    one_sided->free = VEF_NO_FLIGHT;
    uint32_t tasks = engine->source->tasks;
    one_sided->operations = vef_store_take(engine->store, tasks, sizeof *one_sided->operations);
    one_sided->waits =
        vef_store_take(engine->store, engine->strand_count, sizeof *one_sided->waits);
    one_sided->locks = vef_store_take(engine->store, engine->comms.count, sizeof *one_sided->locks);
    one_sided->issued =
        vef_store_take(engine->store, engine->comms.count, sizeof *one_sided->issued);
    for (uint32_t task = 0; task < tasks; task++)
        one_sided->operations[task] = VEF_NO_FLIGHT;
}

vef_code vef_window_check(vef_engine *engine, uint32_t strand, uint32_t window, int32_t peer) {
    if (window >= engine->comms.count)
        return vef_strand_fail(
            engine, strand, VEF_CORRUPT,
            "window %u is out of range: the trace has %u communicators and windows", window,
            engine->comms.count);
    vef_comm_state *state = vef_replay_comms_get(&engine->comms, window);
    if (engine->letters) /* a window that the list of communicators does not call one */
        return vef_strand_fail(engine, strand, VEF_UNSUPPORTED, "windows are not divided");
    if (!engine->one_sided)
        make(engine);
    if (vef_comm_rank(state, engine->strands[strand].task) == VEF_NO_RANK)
        return vef_strand_fail(engine, strand, VEF_CORRUPT, "its task is not a member of window %u",
                               window);
    if (peer < 0 || (uint32_t)peer >= engine->source->tasks ||
        vef_comm_rank(state, (uint32_t)peer) == VEF_NO_RANK)
        return vef_strand_fail(engine, strand, VEF_CORRUPT, "task %d is not a member of window %u",
                               peer, window);
    return VEF_OK;
}

vef_issued *vef_window_issued(vef_engine *engine, uint32_t window, uint32_t task) {
    vef_comm_state *state = &engine->comms.states[window];
    vef_issued **issued = &engine->one_sided->issued[window];
    if (!*issued)
        *issued = vef_store_take(engine->store, state->size, sizeof **issued);
    return &(*issued)[vef_comm_rank(state, task)];
}

/* ---- messages ---- */

/* A copy of the given record. May move all records. */
static uint32_t take_flight(vef_engine *engine, const vef_flight *like) {
    struct vef_one_sided *one_sided = engine->one_sided;
    uint32_t flight = one_sided->free;
    if (flight != VEF_NO_FLIGHT) {
        one_sided->free = one_sided->flights[flight].next;
    } else {
        if (one_sided->flight_count == VEF_NO_FLIGHT)
            vef_lost(SIZE_MAX);
        vef_store_grow(engine->store, &one_sided->flights, &one_sided->flight_capacity,
                       one_sided->flight_count + 1ull, sizeof *one_sided->flights);
        flight = one_sided->flight_count++;
    }
    one_sided->flights[flight] = *like;
    one_sided->flights[flight].used = true;
    one_sided->flights[flight].next = one_sided->flights[flight].previous = VEF_NO_FLIGHT;
    return flight;
}

static void free_flight(vef_engine *engine, uint32_t flight) {
    struct vef_one_sided *one_sided = engine->one_sided;
    one_sided->flights[flight].used = false;
    one_sided->flights[flight].next = one_sided->free;
    one_sided->free = flight;
}

static bool is_operation(vef_flight_kind kind) {
    return kind <= VEF_FLIGHT_BOTH;
}

static bool is_local(const vef_engine *engine, const vef_flight *flight) {
    return vef_hosts_share(engine, flight->origin, flight->target) &&
           (!engine->hosts.memory || flight->moved);
}

static bool has_data(const vef_flight *flight) {
    return flight->kind == VEF_FLIGHT_BOTH ||
           flight->kind == (flight->back ? VEF_FLIGHT_GET : VEF_FLIGHT_PUT);
}

static vef_code notified(vef_engine *engine, uint32_t index);

/* Sends it, there or back; what takes no time between tasks of one node arrives at once. */
static vef_code send(vef_engine *engine, uint32_t index) {
    const vef_flight *flight = &engine->one_sided->flights[index];
    if (is_local(engine, flight))
        return notified(engine, index);
    uint32_t origin = engine->mapping[flight->origin], target = engine->mapping[flight->target];
    vef_net_message message = {.source = flight->back ? target : origin,
                               .destination = flight->back ? origin : target,
                               .bytes = has_data(flight) ? flight->bytes
                                                         : engine->options->control_bytes,
                               .id = vef_message_id(index, VEF_MESSAGE_ONE_SIDED)};
    return vef_engine_inject(engine, &message,
                             has_data(flight) ? (vef_carried){flight->origin, flight->target}
                                              : VEF_CARRIES_NOTHING);
}

/* Reports the start of what travels to the listeners. */
static void report_flight(const vef_engine *engine, uint32_t index) {
    const vef_flight *flight = &engine->one_sided->flights[index];
    const vef_message_call call = {.id = vef_message_id(index, VEF_MESSAGE_ONE_SIDED),
                                   .who = flight->strand,
                                   .sender = flight->origin,
                                   .receiver = flight->target,
                                   .bytes = flight->bytes,
                                   .time_ps = engine->now_ps,
                                   .first = true,
                                   .answered = flight->kind != VEF_FLIGHT_POST &&
                                               flight->kind != VEF_FLIGHT_COMPLETE};
    VEF_REPORT(engine->listeners, sends, &call);
}

vef_code vef_window_notify(vef_engine *engine, vef_flight_kind kind, uint32_t strand,
                           uint32_t window, uint32_t target, bool exclusive) {
    uint32_t index = take_flight(engine, &(vef_flight){.kind = kind,
                                                       .exclusive = exclusive,
                                                       .window = window,
                                                       .origin = engine->strands[strand].task,
                                                       .target = target,
                                                       .strand = strand,
                                                       .since_ps = engine->now_ps});
    report_flight(engine, index);
    return send(engine, index);
}

static vef_code answer(vef_engine *engine, uint32_t flight) {
    engine->one_sided->flights[flight].back = true;
    return send(engine, flight);
}

/* ---- locks and notifications ---- */

/* A notification from another task: a strand that waits for it needs one fewer. */
static void hear(vef_engine *engine, const vef_flight *flight) {
    vef_notices *notices = &engine->one_sided->notices;
    bool post = flight->kind == VEF_FLIGHT_POST;
    vef_notice_key key = {post ? VEF_NOTICE_WANTS_POSTED : VEF_NOTICE_WANTS_COMPLETE,
                          flight->window, flight->origin, flight->target};
    uint64_t strand;
    if (vef_notices_take(notices, &key, &strand)) {
        vef_strand_needs_less(engine, (uint32_t)strand, flight->since_ps, 0);
        return;
    }
    key.kind = post ? VEF_NOTICE_POSTED : VEF_NOTICE_COMPLETE;
    vef_notices_put(notices, &key, flight->since_ps);
}

static vef_lock *lock_of(vef_engine *engine, uint32_t window, uint32_t target) {
    vef_comm_state *state = &engine->comms.states[window];
    vef_lock **locks = &engine->one_sided->locks[window];
    if (!*locks) {
        *locks = vef_store_take(engine->store, state->size, sizeof **locks);
        for (uint32_t i = 0; i < state->size; i++)
            (*locks)[i].first = (*locks)[i].end = VEF_NO_FLIGHT;
    }
    return &(*locks)[vef_comm_rank(state, target)];
}

static bool can_have(const vef_lock *lock, bool exclusive) {
    return !lock->exclusive && !(exclusive && lock->shared);
}

/* Grants the lock to waiting requests, in their order, as long as the first can have it. */
static vef_code grant(vef_engine *engine, vef_lock *lock) {
    struct vef_one_sided *one_sided = engine->one_sided;
    while (lock->first != VEF_NO_FLIGHT &&
           can_have(lock, one_sided->flights[lock->first].exclusive)) {
        uint32_t index = lock->first;
        const vef_flight *flight = &one_sided->flights[index];
        lock->first = flight->next;
        if (lock->first == VEF_NO_FLIGHT)
            lock->end = VEF_NO_FLIGHT;
        if (flight->exclusive)
            lock->exclusive = true;
        else
            lock->shared++;
        const vef_notice_key key = {VEF_NOTICE_HELD, flight->window, flight->origin,
                                    flight->target};
        vef_notices_put(&one_sided->notices, &key, flight->exclusive);
        vef_code code = answer(engine, index);
        if (code != VEF_OK)
            return code;
    }
    return VEF_OK;
}

/* A lock request has arrived at its target. */
static vef_code ask(vef_engine *engine, uint32_t index) {
    vef_flight *flight = &engine->one_sided->flights[index];
    vef_lock *lock = lock_of(engine, flight->window, flight->target);
    if (lock->first != VEF_NO_FLIGHT || !can_have(lock, flight->exclusive))
        engine->approximations.lock_waits++;
    if (lock->end == VEF_NO_FLIGHT)
        lock->first = index;
    else
        engine->one_sided->flights[lock->end].next = index;
    lock->end = index;
    return grant(engine, lock);
}

/* An unlock has arrived at its target. */
static vef_code give_back(vef_engine *engine, uint32_t index) {
    struct vef_one_sided *one_sided = engine->one_sided;
    const vef_flight flight = one_sided->flights[index];
    const vef_notice_key key = {VEF_NOTICE_HELD, flight.window, flight.origin, flight.target};
    uint64_t exclusive = 0;
    /* A lock taken while recording was off is not known, and nothing waits for it. */
    bool held = vef_notices_take(&one_sided->notices, &key, &exclusive);
    vef_lock *lock = lock_of(engine, flight.window, flight.target);
    if (held && exclusive)
        lock->exclusive = false;
    else if (held)
        lock->shared--;
    /* Those that waited do so until now. */
    for (uint32_t next = lock->first; next != VEF_NO_FLIGHT; next = one_sided->flights[next].next)
        one_sided->flights[next].since_ps = engine->now_ps;
    vef_code code = answer(engine, index);
    return code == VEF_OK ? grant(engine, lock) : code;
}

static vef_code notified(vef_engine *engine, uint32_t index) {
    const vef_flight flight = engine->one_sided->flights[index];
    if (flight.kind == VEF_FLIGHT_LOCK && !flight.back)
        return ask(engine, index);
    if (flight.kind == VEF_FLIGHT_UNLOCK && !flight.back)
        return give_back(engine, index);
    free_flight(engine, index);
    VEF_REPORT(engine->listeners, releases, VEF_RELEASE_MESSAGE,
               vef_message_id(index, VEF_MESSAGE_ONE_SIDED));
    if (!flight.back)
        hear(engine, &flight);
    else
        vef_strand_needs_less(engine, flight.strand, flight.since_ps, 0);
    VEF_REPORT(engine->listeners, releases, VEF_RELEASE_LOCAL, 0);
    return VEF_OK;
}

/* ---- operations ---- */

static vef_flight_kind kind_of(uint16_t call) {
    if (!vef_call_has(call, VEF_FACT_GETS))
        return VEF_FLIGHT_PUT;
    return vef_call_has(call, VEF_FACT_PUTS) ? VEF_FLIGHT_BOTH : VEF_FLIGHT_GET;
}

static void count_message(vef_engine *engine, uint32_t sender, uint32_t receiver, uint64_t bytes,
                          bool local) {
    vef_replay_result *result = engine->result;
    result->task[sender].messages_sent++;
    result->task[sender].bytes_sent += bytes;
    result->messages++;
    result->message_bytes += bytes;
    result->local_messages += local;
    VEF_REPORT(engine->listeners, moves, sender, receiver, bytes);
}

static void link_operation(struct vef_one_sided *one_sided, uint32_t index) {
    uint32_t *latest = &one_sided->operations[one_sided->flights[index].origin];
    one_sided->flights[index].next = *latest;
    if (*latest != VEF_NO_FLIGHT)
        one_sided->flights[*latest].previous = index;
    *latest = index;
}

static void unlink_operation(struct vef_one_sided *one_sided, uint32_t index) {
    const vef_flight *flight = &one_sided->flights[index];
    if (flight->next != VEF_NO_FLIGHT)
        one_sided->flights[flight->next].previous = flight->previous;
    if (flight->previous != VEF_NO_FLIGHT)
        one_sided->flights[flight->previous].next = flight->next;
    else
        one_sided->operations[flight->origin] = flight->next;
}

vef_code vef_one_sided_enter(vef_engine *engine, uint32_t strand) {
    const vef_strand *state = &engine->strands[strand];
    const vef_operation *operation = &state->event->operations[0];
    vef_code code = vef_window_check(engine, strand, operation->comm, operation->peer);
    if (code != VEF_OK)
        return code;
    vef_flight flight = {.kind = kind_of(state->event->call),
                         .window = operation->comm,
                         .origin = state->task,
                         .target = (uint32_t)operation->peer,
                         .strand = strand,
                         .bytes = operation->bytes,
                         .since_ps = engine->now_ps,
                         .number = engine->one_sided->started++,
                         .token = VEF_TOKEN_NONE};
    flight.moved = vef_host_one_sided(&engine->options->host, state->event->call) != NULL;
    const bool local = is_local(engine, &flight);
    const bool shares = vef_hosts_share(engine, flight.origin, flight.target);
    vef_issued *issued = vef_window_issued(engine, flight.window, flight.origin);
    issued->any = true;
    issued->moved |= flight.moved && shares;
    issued->bytes = flight.bytes;
    engine->approximations.one_sided++;
    if (flight.kind != VEF_FLIGHT_GET)
        count_message(engine, flight.origin, flight.target, flight.bytes, shares);
    if (flight.kind != VEF_FLIGHT_PUT)
        count_message(engine, flight.target, flight.origin, flight.bytes, shares);
    if (local)
        return VEF_OK; /* complete, including its request */
    if (flight.kind != VEF_FLIGHT_PUT && operation->request != VEF_NO_REQUEST &&
        !(operation->flags & VEF_OP_OPEN_ENDED)) {
        flight.token = VEF_TOKEN_REQUEST(operation->request);
        vef_task_note_request(engine, state->task, operation->request);
    }
    uint32_t index = take_flight(engine, &flight);
    link_operation(engine->one_sided, index);
    report_flight(engine, index);
    return send(engine, index);
}

/* ---- waiting for operations ---- */

static bool needs(const vef_operations_wait *wait, const vef_flight *flight) {
    return wait->active && wait->window == flight->window && flight->number < wait->before &&
           (wait->target == VEF_NO_TASK || (uint32_t)wait->target == flight->target) &&
           !(wait->local && flight->kind == VEF_FLIGHT_PUT);
}

void vef_window_need_operations(vef_engine *engine, uint32_t strand, uint32_t window,
                                int32_t target, bool local) {
    struct vef_one_sided *one_sided = engine->one_sided;
    vef_strand *waiting = &engine->strands[strand];
    vef_operations_wait *wait = &one_sided->waits[strand];
    *wait = (vef_operations_wait){.active = true,
                                  .local = local,
                                  .window = window,
                                  .target = target,
                                  .before = one_sided->started};
    for (uint32_t flight = one_sided->operations[waiting->task]; flight != VEF_NO_FLIGHT;
         flight = one_sided->flights[flight].next)
        if (needs(wait, &one_sided->flights[flight])) {
            waiting->needs++;
            waiting->waits_for = (int32_t)one_sided->flights[flight].target;
        }
}

static void finish_operation(vef_engine *engine, uint32_t index) {
    struct vef_one_sided *one_sided = engine->one_sided;
    const vef_flight flight = one_sided->flights[index];
    unlink_operation(one_sided, index);
    free_flight(engine, index);
    VEF_REPORT(engine->listeners, releases, VEF_RELEASE_MESSAGE,
               vef_message_id(index, VEF_MESSAGE_ONE_SIDED));
    const vef_task *origin = &engine->tasks[flight.origin];
    for (uint32_t i = 0; i < origin->strand_count; i++)
        if (needs(&one_sided->waits[origin->first_strand + i], &flight))
            vef_strand_needs_less(engine, origin->first_strand + i, flight.since_ps, 0);
    if (flight.token != VEF_TOKEN_NONE)
        vef_task_complete(engine, flight.origin, flight.token, flight.since_ps, 0);
    VEF_REPORT(engine->listeners, releases, VEF_RELEASE_LOCAL, 0);
}

vef_code vef_one_sided_delivered(vef_engine *engine, uint64_t number) {
    struct vef_one_sided *one_sided = engine->one_sided;
    assert(one_sided && number < one_sided->flight_count && one_sided->flights[number].used);
    uint32_t index = (uint32_t)number;
    engine->in_flight--;
    if (!is_operation(one_sided->flights[index].kind))
        return notified(engine, index);
    if (!one_sided->flights[index].back)
        return answer(engine, index);
    finish_operation(engine, index);
    return VEF_OK;
}
