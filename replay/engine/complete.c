/* What the completion of a message means to its task: one need fewer of a call, a part of a
 * request, a step of a plan. Requests, and the calls that wait for them. */
#include "replay/engine/complete.h"

/* ---- requests ---- */

/* Whether this is one of the first `count` requests that the call completes. */
static bool lists(const vef_event *event, uint32_t count, uint64_t request) {
    for (uint32_t i = 0; i < count; i++)
        if (event->completions[i].request == request)
            return true;
    return false;
}

bool vef_strand_waits_for_request(const vef_engine *engine, uint32_t strand, uint64_t request) {
    const vef_strand *state = &engine->strands[strand];
    return state->stage == VEF_STAGE_BLOCKED &&
           vef_call_kind(state->event->call) == VEF_KIND_COMPLETE &&
           lists(state->event, state->event->completion_count, request);
}

void vef_task_account_request(vef_engine *engine, uint32_t task, uint64_t request,
                              uint64_t since_ps) {
    const vef_task *state = &engine->tasks[task];
    for (uint32_t i = 0; i < state->strand_count; i++)
        if (vef_strand_waits_for_request(engine, state->first_strand + i, request))
            vef_strand_account(engine, state->first_strand + i, since_ps);
}

/* Part of a request is complete; with the last part, waiting calls need one fewer. */
static void notify_waiting(vef_engine *engine, uint32_t task, uint64_t request, uint64_t since_ps,
                           uint64_t cost_ps, bool last) {
    const vef_task *state = &engine->tasks[task];
    for (uint32_t i = 0; i < state->strand_count; i++) {
        uint32_t strand = state->first_strand + i;
        /* In a task of one thread the current call waits. */
        if (state->strand_count > 1 && !vef_strand_waits_for_request(engine, strand, request))
            continue;
        if (last) {
            vef_strand_needs_less(engine, strand, since_ps, cost_ps);
        } else {
            vef_strand_account(engine, strand, since_ps);
            vef_strand_pay(engine, strand, cost_ps);
        }
        cost_ps = 0; /* the first waiter pays */
    }
}

static vef_open_request *find_or_add(vef_engine *engine, uint32_t task, uint64_t number) {
    vef_open_requests *requests = &engine->tasks[task].requests;
    vef_open_request *request = vef_open_requests_find(requests, number);
    return request ? request
                   : vef_open_requests_add(requests, engine->store, number, VEF_REQUEST_PENDING);
}

void vef_task_note_request(vef_engine *engine, uint32_t task, uint64_t number) {
    vef_open_request *request = find_or_add(engine, task, number);
    request->parts++;
    if (request->state != VEF_REQUEST_WAITED) /* before it was started */
        request->state = VEF_REQUEST_PENDING;
}

/* Records a request that was just started and will be complete at a later time that is known. */
void vef_task_note_due(vef_engine *engine, uint32_t task, uint64_t number, uint64_t due_ps) {
    vef_open_request *request = find_or_add(engine, task, number);
    if (due_ps > request->due_ps)
        request->due_ps = due_ps;
    if (request->parts == 0)
        request->state = VEF_REQUEST_DUE;
}

/* Whether a complete request needs no record: it was complete before the next call of its task.
 * One that its own processor completes is, since that is busy until then. */
static bool is_past(const vef_engine *engine, uint32_t task, const vef_open_request *request) {
    if (engine->policy.several)
        return !engine->policy.several(engine, task);
    return request->due_ps <= engine->strands[engine->tasks[task].first_strand].cpu_ps;
}

/* A receive that was complete when started: its processor time is not paid yet. */
void vef_task_note_owed(vef_engine *engine, uint32_t task, uint64_t number, uint64_t cost_ps) {
    vef_open_request *request = find_or_add(engine, task, number);
    request->owed_ps += cost_ps;
    if (request->parts == 0 && request->state != VEF_REQUEST_WAITED)
        request->state = VEF_REQUEST_ARRIVED;
}

/* Whether a call sees requests complete and leaves them active. */
static bool looks(const vef_event *event) {
    return vef_call_has(event->call, VEF_FACT_INSPECTS) &&
           !vef_call_has(event->call, VEF_FACT_PARTITION);
}

/* Whether a call waits for the request that does not complete it. */
static bool stays(const vef_engine *engine, uint32_t task, uint64_t number) {
    const vef_task *state = &engine->tasks[task];
    for (uint32_t i = 0; i < state->strand_count; i++)
        if (vef_strand_waits_for_request(engine, state->first_strand + i, number) &&
            looks(engine->strands[state->first_strand + i].event))
            return true;
    return false;
}

/* A part of a request is complete. */
void vef_task_complete_request(vef_engine *engine, uint32_t task, uint64_t number,
                               uint64_t since_ps, uint64_t cost_ps) {
    vef_open_requests *requests = &engine->tasks[task].requests;
    vef_open_request *request = vef_open_requests_find(requests, number);
    if (!request || request->parts == 0) /* freed while it was active */
        return;
    bool last = --request->parts == 0;
    if (request->state == VEF_REQUEST_WAITED) {
        if (last && engine->policy.several && !is_past(engine, task, request) &&
            stays(engine, task, number)) {
            request->due_ps = engine->now_ps;
            request->state = VEF_REQUEST_DUE;
        } else if (last) {
            vef_open_requests_remove(requests, request);
        }
        notify_waiting(engine, task, number, since_ps, cost_ps, last);
        return;
    }
    if ((engine->policy.ahead || engine->policy.several) && engine->now_ps > request->due_ps)
        request->due_ps = engine->now_ps;
    request->owed_ps += cost_ps;
    if (last && request->owed_ps)
        request->state = VEF_REQUEST_ARRIVED;
    else if (last && request->due_ps && !is_past(engine, task, request))
        request->state = VEF_REQUEST_DUE;
    else if (last)
        vef_open_requests_remove(requests, request);
}

/* A request that the strand's call has started; one that is complete already may be waited for. */
static void note_started(vef_engine *engine, uint32_t strand, uint64_t number) {
    const uint32_t task = engine->strands[strand].task;
    vef_open_requests *requests = &engine->tasks[task].requests;
    if (number == VEF_NO_REQUEST)
        return;
    vef_open_requests_note_started(requests, number);
    vef_open_request *request = vef_open_requests_find(requests, number);
    if (!request || request->state != VEF_REQUEST_WAITED || request->parts > 0)
        return;
    const uint64_t owed_ps = request->owed_ps;
    vef_open_requests_remove(requests, request);
    notify_waiting(engine, task, number, engine->now_ps, owed_ps, true);
}

void vef_task_note_started(vef_engine *engine, uint32_t strand) {
    const vef_event *event = engine->strands[strand].event;
    if (vef_event_starts_request(event))
        note_started(engine, strand, event->request);
    for (uint32_t i = 0; i < event->operation_count; i++)
        note_started(engine, strand, event->operations[i].request);
}

/* Continues when the requests that the call completed in the recorded run are complete. A request
 * that is not in the table is complete; but in a task of several threads it may not have started
 * yet, if nothing orders them. */
void vef_task_wait(vef_engine *engine, uint32_t strand) {
    vef_strand *state = &engine->strands[strand];
    vef_open_requests *requests = &engine->tasks[state->task].requests;
    const vef_event *event = state->event;
    for (uint32_t i = 0; i < event->completion_count; i++) {
        uint64_t number = event->completions[i].request;
        vef_open_request *request = vef_open_requests_find(requests, number);
        if (!request) {
            if (!state->threaded || vef_call_has(event->call, VEF_FACT_FREES) ||
                vef_open_requests_has_started(requests, number))
                continue;
            vef_open_requests_add(requests, engine->store, number, VEF_REQUEST_WAITED);
            state->needs++;
            continue;
        }
        if (vef_call_has(event->call, VEF_FACT_FREES)) {
            if (request->parked != VEF_NOT_PARKED)
                request->state = VEF_REQUEST_FREED;
            else
                vef_open_requests_remove(requests, request);
        } else if (request->state == VEF_REQUEST_DUE) {
            vef_strand_wait_until(engine, strand, request->due_ps);
            if (!engine->policy.several || !looks(event))
                vef_open_requests_remove(requests, request);
        } else if (request->state == VEF_REQUEST_ARRIVED) {
            vef_strand_pay(engine, strand, request->owed_ps);
            vef_open_requests_remove(requests, request);
        } else if (request->state == VEF_REQUEST_PENDING) {
            vef_strand_pay(engine, strand, request->owed_ps);
            vef_strand_wait_until(engine, strand, request->due_ps);
            request->owed_ps = 0;
            request->state = VEF_REQUEST_WAITED;
            state->needs++;
        } else if (request->state == VEF_REQUEST_WAITED && !lists(event, i, number)) {
            state->needs++; /* another thread waits for it too */
        }
    }
}

/* ---- messages ---- */

static void complete_step(vef_engine *engine, uint32_t who, uint32_t step, uint64_t since_ps,
                          uint64_t cost_ps) {
    vef_plan_run *run = vef_run_at(engine, who);
    run->plan.steps[step].done_ps = engine->now_ps;
    if (engine->policy.ahead) {
        /* The plan catches up when it continues (collective.c). */
    } else if (!vef_plan_is_beside(engine, who)) {
        vef_strand_account(engine, who, since_ps);
    } else {
        /* Strands that wait for the request have waited for this message so far. */
        vef_task_account_request(engine, run->task, run->request, since_ps);
        if (run->cpu_ps < engine->now_ps) {
            run->cpu_ps = engine->now_ps;
            VEF_REPORT(engine->listeners, waits, who, since_ps, run->cpu_ps);
        }
    }
    vef_executor_pay(engine, who, cost_ps);
    if (vef_plan_may_continue(run))
        vef_plan_wake(engine, who);
}

void vef_task_complete(vef_engine *engine, uint32_t task, uint64_t token, uint64_t since_ps,
                       uint64_t cost_ps) {
    uint64_t kind = token & VEF_TOKEN_KIND, value = token & ~VEF_TOKEN_KIND;
    if (kind == VEF_TOKEN_STEP(0, 0)) {
        complete_step(engine, (uint32_t)(value >> 32), (uint32_t)value, since_ps, cost_ps);
        return;
    }
    if (kind == VEF_TOKEN_REQUEST(0))
        vef_task_complete_request(engine, task, value, since_ps, cost_ps);
    else
        vef_strand_needs_less(engine, (uint32_t)value, since_ps, cost_ps);
}
