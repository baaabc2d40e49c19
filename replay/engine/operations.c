/* The operations of a task's calls: sends, receives, probes, and partitions of a send. */
#include "replay/engine/strand.h"

#include "replay/engine/complete.h"
#include "replay/engine/one_sided.h"
#include "replay/engine/transfer.h"

/* Whether the operation transfers nothing, or its other side is not in the trace. */
static bool moves_nothing(const vef_operation *operation) {
    if (operation->peer == VEF_NO_TASK || operation->flags & VEF_OP_CANCELLED)
        return true;
    return !(operation->flags & VEF_OP_SEND) &&
           (operation->flags & VEF_OP_UNMATCHED || operation->ordinal == VEF_NO_ORDINAL);
}

static bool request_fits(uint64_t request) {
    return request == VEF_NO_REQUEST || !(request & VEF_TOKEN_KIND);
}

static vef_code check_request(vef_engine *engine, uint32_t strand, uint64_t request) {
    if (request_fits(request))
        return VEF_OK;
    return vef_strand_fail(engine, strand, VEF_CORRUPT, "request %llu is out of range",
                           (unsigned long long)request);
}

static vef_code peer_is_wrong(vef_engine *engine, uint32_t strand, int32_t peer) {
    return vef_strand_fail(engine, strand, VEF_CORRUPT,
                           "peer rank %d is out of range (the trace has %u tasks)", peer,
                           engine->source->tasks);
}

static inline vef_code check_operation(vef_engine *engine, uint32_t strand,
                                       const vef_operation *operation) {
    if ((uint32_t)operation->peer >= engine->source->tasks) /* or negative */
        return peer_is_wrong(engine, strand, operation->peer);
    return request_fits(operation->request) ? VEF_OK
                                            : check_request(engine, strand, operation->request);
}

static inline vef_transfer_key key_of(uint32_t task, const vef_operation *operation, bool send) {
    uint32_t peer = (uint32_t)operation->peer;
    const uint16_t alone = operation->flags & (VEF_OP_UNMATCHED | VEF_OP_PROBED);
    return (vef_transfer_key){.ordinal = send && alone == VEF_OP_UNMATCHED ? VEF_NO_ORDINAL
                                                                           : operation->ordinal,
                              .sender = send ? task : peer,
                              .receiver = send ? peer : task,
                              .comm = VEF_NO_COMM};
}

static inline vef_code start_operation(vef_engine *engine, uint32_t strand,
                                       const vef_operation *operation) {
    vef_strand *state = &engine->strands[strand];
    const uint32_t task = state->task;
    const bool send = operation->flags & VEF_OP_SEND;
    const bool blocking = operation->request == VEF_NO_REQUEST;
    const uint64_t token = blocking ? VEF_TOKEN_CALL(strand)
                           : operation->flags & VEF_OP_OPEN_ENDED
                               ? VEF_TOKEN_NONE
                               : VEF_TOKEN_REQUEST(operation->request);
    uint64_t complete_ps = 0, cost_ps = 0;
    vef_transfer_key key;
    vef_code code;
    if (send) {
        key = key_of(task, operation, true);
        code = vef_transfer_send(engine, &key, operation->bytes, operation->flags, token,
                                 &complete_ps);
    } else {
        key = key_of(task, operation, false);
        code = vef_transfer_receive(engine, &key, token, &complete_ps, &cost_ps);
    }
    if (code != VEF_OK || token == VEF_TOKEN_NONE)
        return code;
    if (complete_ps == VEF_FOREVER) {
        if (blocking)
            state->needs++;
        else
            vef_task_note_request(engine, task, operation->request);
    } else if (complete_ps > engine->now_ps) {
        if (blocking)
            vef_strand_wait_until(engine, strand, complete_ps);
        else
            vef_task_note_due(engine, task, operation->request, complete_ps);
    } else if (cost_ps > 0) {
        if (blocking)
            vef_strand_pay(engine, strand, cost_ps);
        else
            vef_task_note_owed(engine, task, operation->request, cost_ps);
    }
    return VEF_OK;
}

/* A partitioned send begins: its data are sent at the last Pready. */
static vef_code park(vef_engine *engine, uint32_t strand, const vef_operation *operation) {
    vef_code code = check_operation(engine, strand, operation);
    if (code != VEF_OK)
        return code;
    vef_task_note_request(engine, engine->strands[strand].task, operation->request);
    uint32_t parked = engine->free_parked;
    if (parked != VEF_NOT_PARKED) {
        engine->free_parked = engine->parked[parked].next_free;
    } else {
        vef_store_grow(engine->store, &engine->parked, &engine->parked_capacity,
                       engine->parked_count + 1, sizeof *engine->parked);
        parked = engine->parked_count++;
    }
    engine->approximations.partitioned++;
    engine->parked[parked].operation = *operation;
    vef_open_requests_find(&engine->tasks[engine->strands[strand].task].requests,
                           operation->request)
        ->parked = parked;
    return VEF_OK;
}

/* The partitioned send whose last partition the strand's Pready names, or NULL. */
static vef_parked *parked_of(vef_engine *engine, uint32_t strand, vef_open_request **request) {
    const vef_strand *state = &engine->strands[strand];
    *request = vef_open_requests_find(&engine->tasks[state->task].requests,
                                      (uint64_t)state->event->argument);
    return *request && (*request)->parked != VEF_NOT_PARKED ? &engine->parked[(*request)->parked]
                                                            : NULL;
}

/* All partitions of a send are ready: its message goes. */
static vef_code send_parked(vef_engine *engine, uint32_t strand) {
    vef_open_request *request;
    vef_parked *parked = parked_of(engine, strand, &request);
    if (!parked)
        return VEF_OK;
    const uint32_t task = engine->strands[strand].task;
    const vef_operation operation = parked->operation;
    parked->next_free = engine->free_parked;
    engine->free_parked = request->parked;
    request->parked = VEF_NOT_PARKED;
    const bool asked =
        request->state != VEF_REQUEST_FREED && !(operation.flags & VEF_OP_OPEN_ENDED);
    if (!asked)
        vef_open_requests_remove(&engine->tasks[task].requests, request);
    const uint64_t token = asked ? VEF_TOKEN_REQUEST(operation.request) : VEF_TOKEN_NONE;
    const vef_transfer_key key = key_of(task, &operation, true);
    uint64_t complete_ps = VEF_FOREVER;
    const uint64_t now_ps = engine->now_ps;
    if (engine->policy.queue) {
        engine->policy.queue(engine, strand,
                             &(vef_queued_message){.key = key,
                                                   .bytes = operation.bytes,
                                                   .token = token,
                                                   .number = operation.request,
                                                   .operation_flags = operation.flags,
                                                   .send = true});
        return VEF_OK;
    }
    vef_code code =
        vef_transfer_send(engine, &key, operation.bytes, operation.flags, token, &complete_ps);
    if (code != VEF_OK || complete_ps == VEF_FOREVER || !asked)
        return code;
    engine->now_ps = complete_ps;
    vef_task_complete_request(engine, task, operation.request, complete_ps, 0);
    engine->now_ps = now_ps;
    return VEF_OK;
}

/* Whether the operation is an ordinary send or receive of a valid peer and request. */
static inline bool is_plain(const vef_engine *engine, const vef_operation *operation) {
    enum { ODD = VEF_OP_GENERALISED | VEF_OP_CANCELLED | VEF_OP_UNMATCHED | VEF_OP_PARTITIONED };
    return !(operation->flags & ODD) && (uint32_t)operation->peer < engine->source->tasks &&
           operation->ordinal != VEF_NO_ORDINAL && request_fits(operation->request);
}

/* Starts an operation that is not plain without a message; `*done` if that was all. */
static vef_code begin_request(vef_engine *engine, uint32_t strand, const vef_operation *operation,
                              bool *done) {
    const bool send = operation->flags & VEF_OP_SEND;
    *done = true;
    if (operation->flags & VEF_OP_GENERALISED) {
        vef_code code = check_request(engine, strand, operation->request);
        if (code == VEF_OK && !(operation->flags & VEF_OP_OPEN_ENDED))
            vef_task_note_request(engine, engine->strands[strand].task, operation->request);
        return code;
    }
    if (moves_nothing(operation)) {
        engine->approximations.unmatched_receives +=
            operation->peer != VEF_NO_TASK && !(operation->flags & VEF_OP_CANCELLED);
        return VEF_OK;
    }
    engine->approximations.unmatched_sends += (operation->flags & VEF_OP_UNMATCHED) != 0;
    if (send && operation->flags & VEF_OP_PARTITIONED)
        return park(engine, strand, operation);
    *done = false;
    return check_operation(engine, strand, operation);
}

/* Whether the processor has paid for the current operation and is free; otherwise it pauses.
 * `sent`: the operation if it is a send, else NULL. */
static inline bool pay_send(vef_engine *engine, uint32_t strand, const vef_operation *sent,
                            bool *pause) {
    vef_strand *state = &engine->strands[strand];
    if (sent && !state->paid) {
        const uint64_t cost_ps =
            vef_charge_operation_ps(engine, state->task, state->event->call, sent);
        if (cost_ps > 0)
            vef_strand_pay(engine, strand, cost_ps);
        state->paid = true;
    }
    if (state->cpu_ps > engine->now_ps) {
        vef_strand_sleep(engine, strand);
        *pause = true;
        return false;
    }
    state->paid = false;
    return true;
}

vef_code vef_task_start_single(vef_engine *engine, uint32_t strand, bool *pause) {
    const bool local = vef_call_kind(engine->strands[strand].event->call) == VEF_KIND_LOCAL;
    vef_open_request *request;
    if (!engine->policy.ahead && !engine->policy.queue) {
        const vef_parked *parked = local ? parked_of(engine, strand, &request) : NULL;
        const vef_operation *sent = !local   ? engine->strands[strand].event->operations
                                    : parked ? &parked->operation
                                             : NULL;
        if (!pay_send(engine, strand, sent, pause))
            return VEF_OK;
    }
    engine->strands[strand].stage = VEF_STAGE_BLOCKED;
    return local ? send_parked(engine, strand) : vef_one_sided_enter(engine, strand);
}

/* With processors: each operation of the event becomes a job. */
static void queue_operation(vef_engine *engine, uint32_t strand, const vef_operation *operation) {
    vef_strand *state = &engine->strands[strand];
    const bool send = operation->flags & VEF_OP_SEND;
    const bool blocking = operation->request == VEF_NO_REQUEST;
    const vef_queued_message message = {
        .key = key_of(state->task, operation, send),
        .bytes = operation->bytes,
        .token = blocking                               ? VEF_TOKEN_CALL(strand)
                 : operation->flags & VEF_OP_OPEN_ENDED ? VEF_TOKEN_NONE
                                                        : VEF_TOKEN_REQUEST(operation->request),
        .number = state->threaded ? operation->request : 0,
        .operation_flags = operation->flags,
        .send = send,
        .beside = !blocking,
    };
    engine->policy.queue(engine, strand, &message);
    state->needs += blocking;
    if (!blocking && !(operation->flags & VEF_OP_OPEN_ENDED))
        vef_task_note_request(engine, state->task, operation->request);
}

static vef_code queue_operations(vef_engine *engine, uint32_t strand) {
    vef_strand *state = &engine->strands[strand];
    const vef_event *event = state->event;
    vef_code code = VEF_OK;
    for (uint32_t i = 0; i < event->operation_count && code == VEF_OK; i++) {
        const vef_operation *operation = &event->operations[i];
        bool done = false;
        if (!is_plain(engine, operation))
            code = begin_request(engine, strand, operation, &done);
        if (code == VEF_OK && !done)
            queue_operation(engine, strand, operation);
    }
    state->stage = VEF_STAGE_BLOCKED;
    return code;
}

vef_code vef_task_start_operations(vef_engine *engine, uint32_t strand, bool *pause) {
    vef_strand *state = &engine->strands[strand];
    const vef_event *event = state->event;
    const vef_operation *const operations = event->operations;
    const uint32_t count = event->operation_count;
    if (engine->policy.queue)
        return queue_operations(engine, strand);
    for (uint32_t i = state->next_operation; i < count; i++) {
        const vef_operation *operation = &operations[i];
        const vef_operation *sent = operation->flags & VEF_OP_SEND ? operation : NULL;
        vef_code code = VEF_OK;
        if (!is_plain(engine, operation) && !state->paid) {
            bool done = false;
            code = begin_request(engine, strand, operation, &done);
            if (code != VEF_OK)
                return code;
            if (done)
                continue;
        }
        if (!engine->policy.ahead && !pay_send(engine, strand, sent, pause)) {
            state->next_operation = i;
            return VEF_OK;
        }
        code = start_operation(engine, strand, operation);
        if (code != VEF_OK)
            return code;
    }
    state->stage = VEF_STAGE_BLOCKED;
    return VEF_OK;
}

vef_code vef_task_probe(vef_engine *engine, uint32_t strand) {
    vef_strand *state = &engine->strands[strand];
    for (uint32_t i = 0; i < state->event->operation_count; i++) {
        const vef_operation *operation = &state->event->operations[i];
        if (operation->peer == VEF_NO_TASK || operation->ordinal == VEF_NO_ORDINAL ||
            operation->flags & VEF_OP_CANCELLED)
            continue;
        vef_code code = check_operation(engine, strand, operation);
        if (code != VEF_OK)
            return code;
        vef_transfer_key key = key_of(state->task, operation, false);
        uint64_t arrived_ps, cost_ps;
        vef_transfer_probe(engine, &key, strand, &arrived_ps);
        if (arrived_ps == VEF_FOREVER)
            state->needs++;
        else if (arrived_ps > engine->now_ps)
            vef_strand_wait_until(engine, strand, arrived_ps);
        /* The message is never received, and this is its last probe: it is finished. */
        if (operation->flags & VEF_OP_UNMATCHED)
            code = vef_transfer_receive(engine, &key, VEF_TOKEN_NONE, &arrived_ps, &cost_ps);
        if (code != VEF_OK)
            return code;
    }
    return VEF_OK;
}

void vef_task_enter_local(vef_engine *engine, uint32_t strand) {
    vef_strand *state = &engine->strands[strand];
    const vef_event *event = state->event;
    vef_open_request *request;
    if (vef_call_has(event->call, VEF_FACT_FINISHES))
        vef_task_complete_request(engine, state->task, (uint64_t)event->argument, engine->now_ps,
                                  0);
    else if (vef_event_releases(event) && parked_of(engine, strand, &request))
        state->stage = VEF_STAGE_SINGLE;
}
