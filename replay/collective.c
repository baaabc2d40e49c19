/* One collective of the replay: its plan, run step by step in place.
 *
 * A step starts once the first `after` steps of the plan are done. Messages of a plan travel like
 * any other (eager or rendezvous by size). Communicators are made by the plan of their creation, on
 * the communicator that they are made from. */
#include "replay/engine.h"

#include <stdlib.h>
#include <string.h>

static bool reserve(vef_plan_run *run) {
    if (run->plan.count <= run->capacity)
        return true;
    size_t capacity = run->plan.count + run->plan.count / 2;
    uint8_t *done = realloc(run->done, capacity * sizeof *done);
    if (done)
        run->done = done;
    uint32_t *nth = realloc(run->nth, capacity * sizeof *nth);
    if (nth)
        run->nth = nth;
    if (!done || !nth)
        return false;
    run->capacity = capacity;
    return true;
}

/* Which message between the same two ranks each step carries. */
static void number_messages(vef_engine *engine, vef_plan_run *run) {
    for (int clear = 0; clear < 2; clear++)
        for (size_t i = 0; i < run->plan.count; i++) {
            const vef_step *step = &run->plan.steps[i];
            uint32_t *count = step->kind == VEF_STEP_SEND      ? &engine->peer_sends[step->peer]
                              : step->kind == VEF_STEP_RECEIVE ? &engine->peer_receives[step->peer]
                                                               : NULL;
            if (!count)
                continue;
            if (clear)
                *count = 0;
            else
                run->nth[i] = (*count)++;
        }
}

static vef_code check_event(vef_engine *engine, uint32_t task, uint32_t comm, uint32_t *rank,
                            vef_comm_state **state) {
    const vef_event *event = engine->tasks[task].event;
    if (comm >= engine->comms.count)
        return vef_task_fail(engine, task, VEF_CORRUPT, "communicator %u is none of the %u", comm,
                             engine->comms.count);
    *state = vef_comms_get(&engine->comms, comm);
    if (!*state)
        return vef_fail_memory(engine->error, "a communicator", engine->comms.states[comm].size);
    *rank = vef_comm_rank(*state, task);
    if (*rank == VEF_NO_RANK)
        return vef_task_fail(engine, task, VEF_CORRUPT, "it is no member of communicator %u", comm);
    uint32_t size = (*state)->size, local = (*state)->communicator->size;
    if (local == size && (event->root < -1 || (event->root >= 0 && (uint32_t)event->root >= size)))
        return vef_task_fail(engine, task, VEF_CORRUPT,
                             "root %d is no rank of communicator %u, which has %u", event->root,
                             comm, size);
    if (local == size && ((event->send_count && event->send_count != size) ||
                          (event->receive_count && event->receive_count != size)))
        return vef_task_fail(engine, task, VEF_CORRUPT,
                             "its counts are not as many as communicator %u has members (%u)", comm,
                             size);
    return VEF_OK;
}

/* What a collective is to the algorithms. Between the two groups of an intercommunicator: a barrier
 * of both, see docs/semantics.md. */
static vef_collective describe(const vef_engine *engine, const vef_event *event,
                               const vef_comm_state *comm, uint32_t rank) {
    bool local = event->call == VEF_CALL_Comm_free || event->call == VEF_CALL_Comm_disconnect;
    if (comm->communicator->remote_size && !local)
        return (vef_collective){
            .call = VEF_CALL_Barrier, .rank = rank, .size = comm->size, .root = -1};
    return (vef_collective){.call = event->call,
                            .rank = rank,
                            .size = comm->size,
                            .root = event->root,
                            .bytes = event->bytes,
                            .elements = event->elements,
                            .hardware_broadcast = engine->options->hardware_broadcast,
                            .commutative = !(event->flags & VEF_EVENT_NONCOMMUTATIVE),
                            .send_bytes = event->send_count ? event->send_bytes : NULL,
                            .receive_bytes = event->receive_count ? event->receive_bytes : NULL};
}

/* Enters on the communicator; a member that entered as another collective is a stall. */
static vef_code gather(vef_engine *engine, uint32_t task, vef_comm_state *state, uint32_t rank) {
    vef_task *self = &engine->tasks[task];
    const vef_event *event = self->event;
    vef_gathering mine = {.call = event->call,
                          .root = event->root,
                          .first_task = task,
                          .first_event = self->event_number};
    vef_gathering all;
    if (!vef_comm_enter(state, rank, &mine, &self->run.number, &all))
        return vef_fail_memory(engine->error, "collectives under way", state->window_capacity);
    bool intergroup = state->communicator->remote_size;
    if (all.call != mine.call)
        vef_stall_set(engine, VEF_STALL_COLLECTIVE,
                      "communicator %u: task %u enters MPI_%s in event %llu where task %u entered "
                      "MPI_%s in event %llu",
                      self->run.comm, task, vef_task_call(engine, task),
                      (unsigned long long)self->event_number, all.first_task,
                      vef_call_name((uint16_t)all.call), (unsigned long long)all.first_event);
    else if (all.root != mine.root && !intergroup)
        vef_stall_set(engine, VEF_STALL_COLLECTIVE,
                      "communicator %u: task %u enters MPI_%s in event %llu with root %d where "
                      "task %u entered it in event %llu with root %d",
                      self->run.comm, task, vef_task_call(engine, task),
                      (unsigned long long)self->event_number, mine.root, all.first_task,
                      (unsigned long long)all.first_event, all.root);
    return VEF_OK;
}

vef_code vef_plan_enter(vef_engine *engine, uint32_t task) {
    vef_plan_run *run = &engine->tasks[task].run;
    const vef_event *event = engine->tasks[task].event;
    run->next = run->prefix = 0;
    run->plan.count = 0;
    /* Only the members of the new communicator call this one. */
    run->comm = event->call == VEF_CALL_Comm_create_group ? event->new_comm : event->comm;
    if (run->comm == VEF_NO_COMM)
        return VEF_OK;
    uint32_t rank = 0;
    vef_comm_state *state = NULL;
    vef_code code = check_event(engine, task, run->comm, &rank, &state);
    if (code != VEF_OK)
        return code;
    vef_collective own = describe(engine, event, state, rank);
    const vef_algorithm *algorithm = vef_algorithm_choose(&own);
    if (!algorithm)
        return VEF_OK;
    if (state->communicator->remote_size && own.call == VEF_CALL_Barrier)
        engine->approximations.intercommunicator_collectives++;
    code = gather(engine, task, state, rank);
    if (code != VEF_OK || engine->result->stall != VEF_STALL_NONE)
        return code;
    vef_error error;
    code = vef_plan_make(algorithm, &own, &run->plan, &error);
    if (code != VEF_OK)
        return vef_task_fail(engine, task, code == VEF_INVALID ? VEF_CORRUPT : code, "%s",
                             error.message);
    if (!reserve(run))
        return vef_fail_memory(engine->error, "a plan", run->plan.count * sizeof *run->nth);
    if (run->plan.count)
        memset(run->done, 0, run->plan.count);
    number_messages(engine, run);
    return VEF_OK;
}

static uint64_t cost_of(const vef_engine *engine, const vef_step *step) {
    if (step->kind == VEF_STEP_SEND || step->kind == VEF_STEP_BROADCAST)
        return engine->send_overhead_cycles;
    if (step->kind == VEF_STEP_REDUCE && engine->options->reduce_ns_per_byte > 0)
        return vef_clock_round(engine->network,
                               engine->options->reduce_ns_per_byte * (double)step->bytes);
    return 0;
}

static vef_code start_step(vef_engine *engine, uint32_t task, uint32_t index) {
    vef_plan_run *run = &engine->tasks[task].run;
    const vef_step *step = &run->plan.steps[index];
    if (step->kind == VEF_STEP_REDUCE) {
        run->done[index] = 1;
        return VEF_OK;
    }
    if (step->kind == VEF_STEP_BROADCAST) {
        run->done[index] = 1;
        return vef_broadcast_send(engine, task, step->bytes);
    }
    uint32_t peer = vef_comm_member(&engine->comms.states[run->comm], step->peer);
    bool send = step->kind == VEF_STEP_SEND, complete = false;
    vef_transfer_key key = {.ordinal = run->number,
                            .sender = send ? task : peer,
                            .receiver = send ? peer : task,
                            .comm = run->comm,
                            .nth = run->nth[index]};
    vef_code code =
        send ? vef_transfer_send(engine, &key, step->bytes, 0, VEF_TOKEN_STEP(index), &complete)
             : vef_transfer_receive(engine, &key, VEF_TOKEN_STEP(index), &complete);
    if (code == VEF_OK && complete) {
        run->done[index] = 1;
        if (!send)
            vef_task_pay(engine, task, engine->receive_overhead_cycles);
    }
    return code;
}

static void advance_prefix(vef_plan_run *run) {
    while (run->prefix < run->next && run->done[run->prefix])
        run->prefix++;
}

static bool next_may_start(const vef_plan_run *run) {
    return run->next < run->plan.count && run->plan.steps[run->next].after <= run->prefix;
}

vef_code vef_plan_go_on(vef_engine *engine, uint32_t task, bool *finished) {
    vef_task *self = &engine->tasks[task];
    vef_plan_run *run = &self->run;
    for (;; run->next++) {
        advance_prefix(run);
        *finished = run->prefix == run->plan.count;
        if (!next_may_start(run))
            return VEF_OK;
        const vef_step *step = &run->plan.steps[run->next];
        if (!self->paid) {
            vef_task_pay(engine, task, cost_of(engine, step));
            self->paid = true;
        }
        if (self->cpu_cycles > engine->now_cycles) {
            vef_task_sleep(engine, task);
            return VEF_OK;
        }
        self->paid = false;
        vef_code code = start_step(engine, task, run->next);
        if (code != VEF_OK)
            return code;
    }
}

vef_code vef_plan_complete(vef_engine *engine, uint32_t task, uint32_t step, uint64_t since_cycles,
                           bool received) {
    vef_plan_run *run = &engine->tasks[task].run;
    run->done[step] = 1;
    vef_task_account(engine, task, since_cycles);
    if (received)
        vef_task_pay(engine, task, engine->receive_overhead_cycles);
    advance_prefix(run);
    if (run->prefix == run->plan.count || next_may_start(run))
        vef_task_wake(engine, task);
    return VEF_OK;
}
