/* One task of the replay: its program counter, its computation, and what each kind of call does. */
#include "replay/engine.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

const char *vef_task_call(const vef_engine *engine, uint32_t task) {
    const vef_event *event = engine->tasks[task].event;
    const char *name = event ? vef_call_name(event->call) : NULL;
    return name ? name : "?";
}

vef_code vef_task_fail(vef_engine *engine, uint32_t task, vef_code code, const char *format, ...) {
    va_list arguments;
    char text[VEF_MESSAGE_BYTES];
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return vef_fail(engine->error, code, "task %u, event %llu (MPI_%s): %s", task,
                    (unsigned long long)engine->tasks[task].event_number,
                    vef_task_call(engine, task), text);
}

void vef_task_sleep(vef_engine *engine, uint32_t task) {
    engine->tasks[task].queued = true;
    vef_wakeups_push(&engine->wakeups, engine->tasks[task].cpu_cycles, task);
}

void vef_task_wake(vef_engine *engine, uint32_t task) {
    if (!engine->tasks[task].queued && task != engine->running)
        vef_task_sleep(engine, task);
}

void vef_task_account(vef_engine *engine, uint32_t task, uint64_t since_cycles) {
    vef_task *self = &engine->tasks[task];
    if (engine->now_cycles <= self->cpu_cycles)
        return;
    uint64_t blocked = engine->now_cycles - self->cpu_cycles;
    uint64_t waiting = since_cycles > self->cpu_cycles ? since_cycles - self->cpu_cycles : 0;
    if (waiting > blocked)
        waiting = blocked;
    engine->result->task[task].waiting_cycles += waiting;
    engine->result->task[task].communicating_cycles += blocked - waiting;
    self->cpu_cycles = engine->now_cycles;
}

void vef_task_pay(vef_engine *engine, uint32_t task, uint64_t cycles) {
    engine->tasks[task].cpu_cycles += cycles;
    engine->result->task[task].overhead_cycles += cycles;
}

vef_code vef_task_complete(vef_engine *engine, uint32_t task, uint64_t token, uint64_t since_cycles,
                           bool received) {
    vef_task *self = &engine->tasks[task];
    uint64_t kind = token & VEF_TOKEN_KIND, value = token & ~VEF_TOKEN_KIND;
    if (kind == VEF_TOKEN_STEP(0))
        return vef_plan_complete(engine, task, (uint32_t)value, since_cycles, received);
    if (kind == VEF_TOKEN_REQUEST(0)) {
        vef_request *request = vef_requests_find(&self->requests, value);
        if (!request) /* freed while it was active */
            return VEF_OK;
        if (request->state == VEF_REQUEST_PENDING) {
            if (received && engine->receive_overhead_cycles)
                request->state = VEF_REQUEST_ARRIVED;
            else
                vef_requests_remove(&self->requests, request);
            return VEF_OK;
        }
        vef_requests_remove(&self->requests, request);
    }
    vef_task_account(engine, task, since_cycles);
    if (received)
        vef_task_pay(engine, task, engine->receive_overhead_cycles);
    if (--self->needs == 0 && self->stage == VEF_STAGE_BLOCKED)
        vef_task_wake(engine, task);
    return VEF_OK;
}

static void end_task(vef_engine *engine, uint32_t task) {
    engine->tasks[task].stage = VEF_STAGE_ENDED;
    engine->result->task[task].end_cycles = engine->tasks[task].cpu_cycles;
    engine->ended++;
}

/* When the computation before an event is over: for one thread, its gap after the last call; a
 * task of several threads computes in all of them at once, from each one's own last call. */
static vef_code computed_until(vef_engine *engine, uint32_t task, uint64_t gap_cycles,
                               uint64_t *until) {
    vef_task *self = &engine->tasks[task];
    uint32_t thread = self->event->thread;
    uint64_t from = self->cpu_cycles;
    if (thread > 0)
        engine->approximations.threaded_events++;
    if (thread >= self->thread_count && (thread > 0 || self->thread_cycles)) {
        if (thread > UINT16_MAX)
            return vef_task_fail(engine, task, VEF_CORRUPT, "thread %u is beyond all bounds",
                                 thread);
        uint64_t *cycles = realloc(self->thread_cycles, (thread + 1) * sizeof *cycles);
        if (!cycles)
            return vef_fail_memory(engine->error, "threads", thread);
        for (uint32_t i = self->thread_count; i <= thread; i++)
            cycles[i] = self->cpu_cycles;
        self->thread_cycles = cycles;
        self->thread_count = thread + 1;
    }
    if (self->thread_cycles)
        from = self->thread_cycles[thread];
    *until = from + gap_cycles;
    if (*until < self->cpu_cycles)
        *until = self->cpu_cycles;
    return VEF_OK;
}

/* The measured computation before the event, less what was only polling. */
static uint64_t gap_of(vef_engine *engine, vef_task *self) {
    const vef_event *event = self->event;
    bool started = event->call == VEF_CALL_Init || event->call == VEF_CALL_Init_thread;
    if (started && self->event_number == 0)
        return 0;
    bool poll = event->flags & VEF_EVENT_POLL;
    if (poll || self->after_poll) {
        uint64_t times = poll && event->repeats ? event->repeats : 1;
        double mean_ns = (double)event->gap_ns / (double)times;
        if (mean_ns <= engine->options->poll_gap_ns) {
            engine->approximations.free_polls += poll ? times : 0;
            return 0;
        }
    }
    return event->gap_ns;
}

static vef_code fetch(vef_engine *engine, uint32_t task, bool *pause) {
    vef_task *self = &engine->tasks[task];
    if (self->event)
        self->event_number++;
    vef_code code = engine->source->next(engine->source, task, 0, &self->event, engine->error);
    if (code != VEF_OK)
        return code;
    if (!self->event) {
        end_task(engine, task);
        *pause = true;
        return VEF_OK;
    }
    uint64_t gap = vef_clock_cycles(&engine->clock, gap_of(engine, self), &self->remainder),
             until = 0;
    code = computed_until(engine, task, gap, &until);
    if (code != VEF_OK)
        return code;
    if (until >= VEF_CLOCK_MOST)
        return vef_task_fail(engine, task, VEF_CORRUPT,
                             "its time lies beyond 2^62 cycles, the end of all time: the "
                             "computation before it (%llu ns), a compute scale or an overhead is "
                             "too large",
                             (unsigned long long)self->event->gap_ns);
    engine->result->task[task].computing_cycles += until - self->cpu_cycles;
    self->cpu_cycles = until;
    self->stage = VEF_STAGE_ENTER;
    if (until > engine->now_cycles) {
        vef_task_sleep(engine, task);
        *pause = true;
    }
    return VEF_OK;
}

static void leave(vef_task *self) {
    self->after_poll = self->event->flags & VEF_EVENT_POLL;
    if (self->thread_cycles)
        self->thread_cycles[self->event->thread] = self->cpu_cycles;
    self->stage = VEF_STAGE_FETCH;
}

/* Whether the operation moves nothing, or nothing that the trace holds the other side of. */
static bool moves_nothing(const vef_operation *operation) {
    if (operation->peer == VEF_NO_TASK || operation->flags & VEF_OP_CANCELLED)
        return true;
    return !(operation->flags & VEF_OP_SEND) &&
           (operation->flags & VEF_OP_UNMATCHED || operation->ordinal == VEF_NO_ORDINAL);
}

static vef_code check_operation(vef_engine *engine, uint32_t task, const vef_operation *operation) {
    if (operation->peer < 0 || (uint32_t)operation->peer >= engine->source->tasks)
        return vef_task_fail(engine, task, VEF_CORRUPT, "its peer %d is none of the %u tasks",
                             operation->peer, engine->source->tasks);
    if (operation->request != VEF_NO_REQUEST && operation->request & VEF_TOKEN_KIND)
        return vef_task_fail(engine, task, VEF_CORRUPT, "request %llu is beyond all bounds",
                             (unsigned long long)operation->request);
    return VEF_OK;
}

static vef_transfer_key key_of(uint32_t task, const vef_operation *operation, bool send) {
    uint32_t peer = (uint32_t)operation->peer;
    return (vef_transfer_key){.ordinal = send && operation->flags & VEF_OP_UNMATCHED
                                             ? VEF_NO_ORDINAL
                                             : operation->ordinal,
                              .sender = send ? task : peer,
                              .receiver = send ? peer : task,
                              .comm = VEF_NO_COMM};
}

/* The request of an operation just started, where somebody may still have to wait for it. */
static vef_code note_request(vef_engine *engine, uint32_t task, uint64_t number, bool send,
                             bool complete) {
    if (complete && (send || !engine->receive_overhead_cycles))
        return VEF_OK;
    vef_task *self = &engine->tasks[task];
    if (!vef_requests_add(&self->requests, number,
                          complete ? VEF_REQUEST_ARRIVED : VEF_REQUEST_PENDING))
        return vef_fail_memory(engine->error, "requests", self->requests.capacity * 2ull);
    return VEF_OK;
}

static vef_code start_operation(vef_engine *engine, uint32_t task, const vef_operation *operation) {
    vef_task *self = &engine->tasks[task];
    bool send = operation->flags & VEF_OP_SEND, complete = false;
    bool blocking = operation->request == VEF_NO_REQUEST;
    uint64_t token = blocking                               ? VEF_TOKEN_CALL
                     : operation->flags & VEF_OP_OPEN_ENDED ? VEF_TOKEN_NONE
                                                            : VEF_TOKEN_REQUEST(operation->request);
    vef_transfer_key key = key_of(task, operation, send);
    vef_code code =
        send ? vef_transfer_send(engine, &key, operation->bytes, operation->flags, token, &complete)
             : vef_transfer_receive(engine, &key, token, &complete);
    if (code != VEF_OK || token == VEF_TOKEN_NONE)
        return code;
    if (!blocking)
        return note_request(engine, task, operation->request, send, complete);
    if (!complete)
        self->needs++;
    else if (!send)
        vef_task_pay(engine, task, engine->receive_overhead_cycles);
    return VEF_OK;
}

/* Starts the operations of a call one after the other, each send after its overhead. */
static vef_code start_operations(vef_engine *engine, uint32_t task, bool *pause) {
    vef_task *self = &engine->tasks[task];
    const vef_event *event = self->event;
    for (; self->next_operation < event->operation_count; self->next_operation++) {
        const vef_operation *operation = &event->operations[self->next_operation];
        bool send = operation->flags & VEF_OP_SEND;
        if (moves_nothing(operation)) {
            engine->approximations.unmatched_receives +=
                operation->peer != VEF_NO_TASK && !(operation->flags & VEF_OP_CANCELLED);
            continue;
        }
        if (send && !self->paid) {
            vef_code code = check_operation(engine, task, operation);
            if (code != VEF_OK)
                return code;
            vef_task_pay(engine, task, engine->send_overhead_cycles);
            self->paid = true;
            engine->approximations.unmatched_sends += (operation->flags & VEF_OP_UNMATCHED) != 0;
        }
        if (self->cpu_cycles > engine->now_cycles) {
            vef_task_sleep(engine, task);
            *pause = true;
            return VEF_OK;
        }
        self->paid = false;
        vef_code code = send ? VEF_OK : check_operation(engine, task, operation);
        if (code == VEF_OK)
            code = start_operation(engine, task, operation);
        if (code != VEF_OK)
            return code;
    }
    self->stage = VEF_STAGE_BLOCKED;
    return VEF_OK;
}

/* Goes on when the requests that the call completed in the recorded run are complete. */
static void wait_for(vef_engine *engine, uint32_t task) {
    vef_task *self = &engine->tasks[task];
    const vef_event *event = self->event;
    for (uint32_t i = 0; i < event->completion_count; i++) {
        vef_request *request = vef_requests_find(&self->requests, event->completions[i].request);
        if (!request)
            continue;
        if (event->call == VEF_CALL_Request_free) {
            vef_requests_remove(&self->requests, request);
        } else if (request->state == VEF_REQUEST_ARRIVED) {
            vef_requests_remove(&self->requests, request);
            vef_task_pay(engine, task, engine->receive_overhead_cycles);
        } else if (request->state == VEF_REQUEST_PENDING) {
            request->state = VEF_REQUEST_WAITED;
            self->needs++;
        }
    }
}

static vef_code probe(vef_engine *engine, uint32_t task) {
    vef_task *self = &engine->tasks[task];
    for (uint32_t i = 0; i < self->event->operation_count; i++) {
        const vef_operation *operation = &self->event->operations[i];
        if (moves_nothing(operation))
            continue;
        vef_code code = check_operation(engine, task, operation);
        if (code != VEF_OK)
            return code;
        vef_transfer_key key = key_of(task, operation, false);
        bool arrived;
        code = vef_transfer_probe(engine, &key, &arrived);
        if (code != VEF_OK)
            return code;
        self->needs += !arrived;
    }
    return VEF_OK;
}

static vef_code enter(vef_engine *engine, uint32_t task, bool *pause) {
    vef_task *self = &engine->tasks[task];
    const vef_event *event = self->event;
    engine->result->events++;
    self->needs = 0;
    self->next_operation = 0;
    self->paid = false;
    self->stage = VEF_STAGE_BLOCKED;
    switch (vef_call_kind(event->call)) {
    case VEF_KIND_TRANSFER:
        self->stage = VEF_STAGE_OPERATIONS;
        return VEF_OK;
    case VEF_KIND_COMPLETE:
        wait_for(engine, task);
        return VEF_OK;
    case VEF_KIND_PROBE:
        return probe(engine, task);
    case VEF_KIND_COLLECTIVE:
    case VEF_KIND_COMM:
        self->stage = VEF_STAGE_PLAN;
        return vef_plan_enter(engine, task);
    case VEF_KIND_LOCAL:
        if (event->call == VEF_CALL_Finalize || event->call == VEF_CALL_Abort) {
            end_task(engine, task);
            *pause = true;
        }
        return VEF_OK;
    default:
        return VEF_OK;
    }
}

static vef_code go_on(vef_engine *engine, uint32_t task) {
    vef_task *self = &engine->tasks[task];
    vef_code code = VEF_OK;
    bool pause = false;
    while (code == VEF_OK && !pause) {
        bool finished = false;
        switch (self->stage) {
        case VEF_STAGE_FETCH:
            code = fetch(engine, task, &pause);
            break;
        case VEF_STAGE_ENTER:
            code = enter(engine, task, &pause);
            break;
        case VEF_STAGE_OPERATIONS:
            code = start_operations(engine, task, &pause);
            break;
        case VEF_STAGE_BLOCKED:
            if (self->needs == 0)
                leave(self);
            else
                pause = true;
            break;
        case VEF_STAGE_PLAN:
            code = vef_plan_go_on(engine, task, &finished);
            if (finished)
                leave(self);
            else
                pause = true;
            break;
        case VEF_STAGE_ENDED:
            pause = true;
            break;
        }
        if (engine->result->stall != VEF_STALL_NONE)
            pause = true;
    }
    return code;
}

vef_code vef_task_run(vef_engine *engine, uint32_t task) {
    vef_task *self = &engine->tasks[task];
    self->queued = false;
    if (self->cpu_cycles > engine->now_cycles) {
        vef_task_sleep(engine, task);
        return VEF_OK;
    }
    engine->running = task;
    vef_code code = go_on(engine, task);
    engine->running = UINT32_MAX;
    return code;
}
