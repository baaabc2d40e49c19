/* Synchronisation of windows, with the messages of MPICH 4.0.2 (src/mpid/ch4/src/mpidig_win.h and
 * mpidig_rma_callbacks.c).
 *
 * fence: the own operations complete remotely, then a barrier; whatever the assertions say. post,
 * start, complete, wait: post notifies each origin of its group, start waits for that; complete
 * waits for the own operations on the window to complete remotely and notifies each target; wait
 * waits for that. lock: a request, granted at the target in the order of arrival, shared ones
 * together; unlock: the own operations there complete remotely, then a message and its answer.
 * lock_all, unlock_all: the same with every member at once. Assertions: MPI_MODE_NOCHECK leaves out
 * the messages of post and start, and those of a lock and of its unlock; no other changes anything.
 * flush: the own operations complete remotely; flush_local: locally; without operations it takes
 * the recorded time. sync: nothing. With target MPI_PROC_NULL a lock, unlock or flush returns at
 * once and moves nothing.
 *
 * All of these messages have control_bytes and are sent and answered by the network interface: they
 * cost no processor time, and a target answers whatever its task is doing. */
#include "replay/engine/collective.h"
#include "replay/engine/one_sided.h"

enum { MODE_NOCHECK = 1024 }; /* MPI_MODE_NOCHECK in MPICH's mpi.h: assertions are as recorded */

/* ---- the tasks of a call ---- */

/* Whether a call exchanges messages with all members: a flush only waits for operations. */
static bool is_about_all(uint16_t call) {
    return vef_call_has(call, VEF_FACT_ALL) && vef_call_sync(call) != VEF_SYNC_FLUSH;
}

static uint32_t count_of(const vef_engine *engine, const vef_event *event) {
    return is_about_all(event->call) ? engine->comms.states[event->comm].size : event->peer_count;
}

static uint32_t task_of(const vef_engine *engine, const vef_event *event, uint32_t index) {
    return is_about_all(event->call) ? vef_comm_member(&engine->comms.states[event->comm], index)
                                     : (uint32_t)event->peers[index];
}

static vef_code check(vef_engine *engine, uint32_t strand) {
    const vef_event *event = engine->strands[strand].event;
    vef_code code =
        vef_window_check(engine, strand, event->comm, (int32_t)engine->strands[strand].task);
    bool lists_peers = !is_about_all(event->call) && !vef_event_target_is_null(event);
    for (uint32_t i = 0; code == VEF_OK && lists_peers && i < event->peer_count; i++)
        code = vef_window_check(engine, strand, event->comm, event->peers[i]);
    return code;
}

/* ---- post, start, complete, wait ---- */

/* Notifies each task of the call. */
static vef_code notify_all(vef_engine *engine, uint32_t strand, vef_flight_kind kind) {
    const vef_event *event = engine->strands[strand].event;
    vef_code code = VEF_OK;
    for (uint32_t i = 0; code == VEF_OK && i < count_of(engine, event); i++)
        code =
            vef_window_notify(engine, kind, strand, event->comm, task_of(engine, event, i), false);
    return code;
}

/* The strand waits for a notification from each task of the call, if not already received. */
static void await_notices(vef_engine *engine, uint32_t strand, vef_notice_kind received,
                          vef_notice_kind wanted, bool checks) {
    vef_strand *state = &engine->strands[strand];
    const vef_event *event = state->event;
    vef_notices *notices = &engine->one_sided->notices;
    for (uint32_t i = 0; i < count_of(engine, event); i++) {
        vef_notice_key key = {received, event->comm, task_of(engine, event, i), state->task};
        uint64_t since;
        if (vef_notices_take(notices, &key, &since) || !checks)
            continue;
        key.kind = wanted;
        vef_notices_put(notices, &key, strand);
        state->needs++;
    }
}

/* ---- locks ---- */

/* Requests or releases the locks of the call's tasks; without NOCHECK the strand waits for an
 * answer from each. */
static vef_code change_locks(vef_engine *engine, uint32_t strand, bool locks) {
    vef_strand *state = &engine->strands[strand];
    const vef_event *event = state->event;
    vef_notices *notices = &engine->one_sided->notices;
    bool unchecked = locks && event->argument & MODE_NOCHECK;
    vef_code code = VEF_OK;
    for (uint32_t i = 0; code == VEF_OK && i < count_of(engine, event); i++) {
        uint32_t target = task_of(engine, event, i);
        const vef_notice_key key = {VEF_NOTICE_UNCHECKED, event->comm, state->task, target};
        uint64_t value;
        if (unchecked)
            vef_notices_put(notices, &key, 0);
        if (unchecked || (!locks && vef_notices_take(notices, &key, &value)))
            continue;
        state->needs++;
        state->waits_for = (int32_t)target;
        code = vef_window_notify(engine, locks ? VEF_FLIGHT_LOCK : VEF_FLIGHT_UNLOCK, strand,
                                 event->comm, target, event->flags & VEF_EVENT_EXCLUSIVE);
    }
    return code;
}

/* ---- calls ---- */

/* The operations of the strand's task whose completion a call requires first. */
static void need_operations(vef_engine *engine, uint32_t strand) {
    const vef_event *event = engine->strands[strand].event;
    const vef_sync sync = vef_call_sync(event->call);
    const bool ends = sync == VEF_SYNC_FLUSH || sync == VEF_SYNC_UNLOCK;
    const bool one = ends && !vef_call_has(event->call, VEF_FACT_ALL);
    if (!ends && sync != VEF_SYNC_FENCE && sync != VEF_SYNC_COMPLETE)
        return;
    if (one && event->peer_count == 0) /* only in a trace written by hand */
        return;
    const int32_t target = one ? event->peers[0] : VEF_NO_TASK;
    const bool local = vef_call_has(event->call, VEF_FACT_LOCALLY);
    vef_window_need_operations(engine, strand, event->comm, target, local);
}

/* A flush with nothing to complete is a local call: it takes as long as it took. One after
 * operations whose data the task has moved itself pays for their completion. */
static void pass_flush(vef_engine *engine, uint32_t strand) {
    vef_strand *state = &engine->strands[strand];
    const vef_event *event = state->event;
    const vef_sync sync = vef_call_sync(event->call);
    const bool everywhere = vef_call_has(event->call, VEF_FACT_ALL);
    vef_issued *issued = vef_window_issued(engine, event->comm, state->task);
    if (sync == VEF_SYNC_FLUSH && !issued->any)
        vef_strand_pass_outside(engine, strand, event->duration_ns);
    if (sync == VEF_SYNC_FLUSH && issued->moved) {
        vef_strand_pay(engine, strand,
                       vef_ps_of(vef_cost_ns(&engine->options->host.flush_time, issued->bytes)));
        issued->moved = false;
    }
    if (sync == VEF_SYNC_FENCE || sync == VEF_SYNC_COMPLETE ||
        (everywhere && !vef_call_has(event->call, VEF_FACT_LOCALLY) &&
         (sync == VEF_SYNC_FLUSH || sync == VEF_SYNC_UNLOCK)))
        *issued = (vef_issued){0};
}

/* What a call does once those are complete. */
static vef_code act(vef_engine *engine, uint32_t strand) {
    const vef_event *event = engine->strands[strand].event;
    bool checks = !(event->argument & MODE_NOCHECK);
    if (event->flags & VEF_EVENT_UNMATCHED) {
        engine->approximations.unmatched_calls++;
        return VEF_OK;
    }
    switch (vef_call_sync(event->call)) {
    case VEF_SYNC_FENCE:
        return vef_plan_enter(engine, strand);
    case VEF_SYNC_POST:
        return checks ? notify_all(engine, strand, VEF_FLIGHT_POST) : VEF_OK;
    case VEF_SYNC_START:
        await_notices(engine, strand, VEF_NOTICE_POSTED, VEF_NOTICE_WANTS_POSTED, checks);
        return VEF_OK;
    case VEF_SYNC_COMPLETE:
        return notify_all(engine, strand, VEF_FLIGHT_COMPLETE);
    case VEF_SYNC_WAIT:
        await_notices(engine, strand, VEF_NOTICE_COMPLETE, VEF_NOTICE_WANTS_COMPLETE, true);
        return VEF_OK;
    case VEF_SYNC_LOCK:
        return change_locks(engine, strand, true);
    case VEF_SYNC_UNLOCK:
        return change_locks(engine, strand, false);
    default: /* flushes and sync have nothing left to do */
        return VEF_OK;
    }
}

vef_code vef_sync_go_on(vef_engine *engine, uint32_t strand, bool *finished) {
    enum { BEGIN, OPERATIONS_DONE, ACTED };
    vef_strand *state = &engine->strands[strand];
    *finished = false;
    if (state->phase == BEGIN) {
        vef_code code = check(engine, strand);
        if (code != VEF_OK)
            return code;
        if (vef_event_target_is_null(state->event)) {
            *finished = true;
            return VEF_OK;
        }
        engine->approximations.one_sided++;
        state->phase = OPERATIONS_DONE;
        need_operations(engine, strand);
        pass_flush(engine, strand);
        if (state->needs)
            return VEF_OK;
    }
    engine->one_sided->waits[strand].active = false;
    if (state->phase == OPERATIONS_DONE) {
        state->phase = ACTED;
        vef_code code = act(engine, strand);
        if (code != VEF_OK || state->needs || state->stage != VEF_STAGE_SYNC)
            return code;
    }
    *finished = true;
    return VEF_OK;
}

/* ---- for a stall ---- */

/* The task of the call that has not notified, or holds the lock that the strand waits for. */
static int32_t missing(const vef_engine *engine, uint32_t strand, vef_notice_kind wanted) {
    const vef_strand *state = &engine->strands[strand];
    for (uint32_t i = 0; i < count_of(engine, state->event); i++) {
        const uint32_t task = task_of(engine, state->event, i);
        const vef_notice_key key = {wanted, state->event->comm, task, state->task};
        if (vef_notices_has(&engine->one_sided->notices, &key))
            return (int32_t)task;
    }
    return state->waits_for;
}

/* A holder of the lock that a flight waits for. */
static int32_t holder(const vef_engine *engine, const vef_flight *flight) {
    const vef_comm_state *state = &engine->comms.states[flight->window];
    for (uint32_t rank = 0; rank < state->size; rank++) {
        const uint32_t task = vef_comm_member(state, rank);
        const vef_notice_key key = {VEF_NOTICE_HELD, flight->window, task, flight->target};
        if (vef_notices_has(&engine->one_sided->notices, &key))
            return (int32_t)task;
    }
    return (int32_t)flight->target;
}

void vef_sync_name_waits(vef_engine *engine) {
    const struct vef_one_sided *one_sided = engine->one_sided;
    if (!one_sided)
        return;
    for (uint32_t strand = 0; strand < engine->strand_count; strand++) {
        vef_strand *waiting = &engine->strands[strand];
        if (waiting->stage == VEF_STAGE_SYNC &&
            vef_call_sync(waiting->event->call) == VEF_SYNC_START)
            waiting->waits_for = missing(engine, strand, VEF_NOTICE_WANTS_POSTED);
        else if (waiting->stage == VEF_STAGE_SYNC && waiting->needs)
            waiting->waits_for = missing(engine, strand, VEF_NOTICE_WANTS_COMPLETE);
    }
    for (uint32_t i = 0; i < one_sided->flight_count; i++)
        if (one_sided->flights[i].used && one_sided->flights[i].kind == VEF_FLIGHT_LOCK)
            engine->strands[one_sided->flights[i].strand].waits_for =
                holder(engine, &one_sided->flights[i]);
}
