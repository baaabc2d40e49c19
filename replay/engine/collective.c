/* One collective of the replay: its plan, run step by step, in a call or beside the task.
 *
 * A step starts once the first `after` steps of the plan are complete. Messages of a plan travel
 * like any other (eager or rendezvous by size). Communicators are created by the plan of their
 * creation, on the parent communicator.
 *
 * The plan of a blocking call belongs to its strand: the strand pays the cost of each step, and is
 * blocked otherwise. The plan of a call that only starts a collective runs in the background: its
 * steps cost time on a separate clock, and the task continues meanwhile; the last step completes
 * the request. A task may have several in progress. */
#include "replay/engine/collective.h"

#include "common/memory.h"
#include "replay/collectives/patterns.h"
#include "replay/describe.h"
#include "replay/engine/complete.h"
#include "replay/engine/transfer.h"

#include <string.h>

/* Gives the run the plan that was made last. */
static void take_plan(const vef_engine *engine, vef_plan_run *run) {
    const vef_plan *made = engine->made;
    vef_store_grow(engine->store, &run->plan.steps, &run->plan.capacity, made->count,
                   sizeof *run->plan.steps);
    run->plan.count = made->count;
    if (made->count)
        memcpy(run->plan.steps, made->steps, made->count * sizeof *made->steps);
}

/* The collective of the strand's event. */
static vef_code describe(vef_engine *engine, uint32_t strand, uint32_t comm,
                         vef_described *described) {
    const vef_strand *state = &engine->strands[strand];
    vef_error error;
    vef_code code =
        vef_describe(&engine->comms, comm, state->task, state->event, described, &error);
    described->call.choices = &engine->options->choices;
    if (code != VEF_OK)
        return vef_strand_fail(engine, strand, code, "%s", error.message);
    if (engine->hardware_broadcast)
        vef_broadcast_describe(engine, comm, &described->call);
    if (engine->knows_nodes && described->call.remote_size == 0)
        described->call.nodes =
            vef_comm_nodes(&engine->comms, described->state, engine->hosts.collective_node);
    return VEF_OK;
}

/* Enters on the communicator; entering a different collective than other members is a stall. */
static void gather(vef_engine *engine, uint32_t strand, vef_plan_run *run) {
    vef_comm_state *state = &engine->comms.states[run->comm];
    const vef_strand *runner = &engine->strands[strand];
    const vef_event *event = runner->event;
    vef_open_collective mine = {.call = event->call,
                                .root = event->root,
                                .first_task = runner->task,
                                .first_event = runner->event_number};
    vef_open_collective everyone;
    if (engine->letters && vef_event_sequence(event)) { /* numbers of starts are of all parts */
        vef_stall_set(engine, VEF_STALL_COLLECTIVE, "persistent collectives are not divided");
        return;
    }
    vef_comm_enter(state, run->planned.member, vef_event_sequence(event), &mine, &everyone);
    run->number = everyone.number;
    run->entered = true;
    if (everyone.call == mine.call &&
        (everyone.root == mine.root || state->communicator->remote_size))
        return;
    char thread[32] = "", roots[2][32] = {"", ""};
    if (engine->tasks[runner->task].strand_count > 1)
        snprintf(thread, sizeof thread, " of thread %u", runner->thread);
    if (everyone.call == mine.call)
        for (int i = 0; i < 2; i++)
            snprintf(roots[i], sizeof roots[i], " with root %d", i ? everyone.root : mine.root);
    vef_stall_set(engine, VEF_STALL_COLLECTIVE,
                  "communicator %u: task %u calls MPI_%s in event %llu%s%s, but task %u called "
                  "MPI_%s in event %llu%s",
                  run->comm, runner->task, vef_strand_call(engine, strand),
                  (unsigned long long)runner->event_number, thread, roots[0], everyone.first_task,
                  vef_call_name((uint16_t)everyone.call), (unsigned long long)everyone.first_event,
                  roots[1]);
}

/* ---- background plans ---- */

/* A run of the task for a background plan. */
static uint32_t take_run(vef_engine *engine, uint32_t task) {
    const uint32_t tasks = engine->source->tasks;
    uint32_t row = 0;
    while (row < engine->beside_rows && engine->beside[row][task].taken)
        row++;
    if (row == engine->beside_rows) {
        const uint64_t most = engine->strand_count + (row + UINT64_C(1)) * tasks;
        if (most > VEF_MOST_RUNS)
            vef_lost(most * sizeof **engine->beside);
        engine->beside = vef_realloc(engine->beside, (row + (size_t)1) * sizeof *engine->beside);
        engine->beside[row] = vef_store_take(engine->store, tasks, sizeof **engine->beside);
        engine->beside_rows++;
        vef_wakeups_reserve(&engine->wakeups, most);
    }
    engine->beside[row][task].taken = true;
    return engine->strand_count + row * tasks + task;
}

/* The background plan is complete, or empty. */
static void end_beside(vef_engine *engine, uint32_t who, uint64_t since_ps) {
    vef_plan_run *run = vef_run_at(engine, who);
    run->active = run->taken = false;
    if (run->request == VEF_NO_REQUEST)
        return;
    VEF_REPORT(engine->listeners, releases, VEF_RELEASE_PLAN, who);
    vef_task_complete(engine, run->task, VEF_TOKEN_REQUEST(run->request), since_ps, 0);
    VEF_REPORT(engine->listeners, releases, VEF_RELEASE_LOCAL, 0);
}

/* ---- entering ---- */

static bool is_commutative(const vef_event *event) {
    return !(event->flags & VEF_EVENT_NONCOMMUTATIVE);
}

static bool is_in_place(const vef_event *event) {
    return event->flags & VEF_EVENT_IN_PLACE;
}

/* Whether the run holds the plan of this call. */
static bool is_planned(const vef_plan_run *run, uint32_t task, uint32_t comm,
                       const vef_event *event) {
    const vef_planned *planned = &run->planned;
    return planned->valid && run->call == event->call && run->comm == comm && run->task == task &&
           planned->bytes == event->bytes && planned->elements == event->elements &&
           planned->root == event->root && planned->commutative == is_commutative(event) &&
           planned->in_place == is_in_place(event) && event->send_count == 0 &&
           event->receive_count == 0;
}

/* Describes the strand's event; its choice, none if it moves nothing. The run loses its plan.
 */
static vef_code choose(vef_engine *engine, uint32_t strand, vef_plan_run *run,
                       vef_described *described, vef_tuned *choice) {
    const vef_event *event = engine->strands[strand].event;
    run->planned.valid = false;
    run->plan.count = 0;
    vef_code code = describe(engine, strand, run->comm, described);
    if (code != VEF_OK)
        return code;
    bool barrier = false;
    *choice = vef_describe_algorithm(described, &barrier);
    run->planned = (vef_planned){.commutative = is_commutative(event),
                                 .in_place = is_in_place(event),
                                 .moves = choice->algorithm != NULL,
                                 .barrier = barrier,
                                 .fallback = vef_algorithm_falls_back(&described->call),
                                 .root = event->root,
                                 .member = described->member,
                                 .bytes = event->bytes,
                                 .elements = event->elements};
    if (engine->charges_copies)
        run->planned.own_bytes = vef_own_bytes(&described->call);
    if (choice->algorithm) {
        run->planned.counts = !vef_moves_nothing(&described->call);
        run->planned.algorithm = (uint32_t)(choice->algorithm - vef_algorithms);
    }
    return VEF_OK;
}

static vef_code make_plan(vef_engine *engine, uint32_t strand, vef_plan_run *run, vef_tuned choice,
                          const vef_collective *call) {
    const vef_event *event = engine->strands[strand].event;
    vef_error error;
    vef_code code = vef_plan_make(choice, call, engine->made, &error);
    if (code != VEF_OK)
        return vef_strand_fail(engine, strand, code == VEF_INVALID ? VEF_CORRUPT : code, "%s",
                               error.message);
    vef_plan_number(engine->made, engine->peer_counts);
    take_plan(engine, run);
    run->planned.valid = event->send_count == 0 && event->receive_count == 0 &&
                         vef_call_kind(call->call) != VEF_KIND_COMM;
    return VEF_OK;
}

/* The plan of the strand's event into `run`, entered on its communicator. */
static vef_code plan_event(vef_engine *engine, uint32_t strand, vef_plan_run *run) {
    const vef_event *event = engine->strands[strand].event;
    const uint32_t task = engine->strands[strand].task, comm = vef_describe_comm(event);
    const bool planned = is_planned(run, task, comm, event);
    vef_described described;
    vef_tuned choice = {0};
    vef_code code = VEF_OK;
    run->next = run->prefix = 0;
    run->prefix_ps = 0;
    run->paid = run->entered = false;
    run->task = task;
    run->call = event->call;
    run->comm = comm;
    if (comm == VEF_NO_COMM) {
        run->planned = (vef_planned){0};
        run->plan.count = 0;
        return VEF_OK;
    }
    if (!planned)
        code = choose(engine, strand, run, &described, &choice);
    if (code != VEF_OK)
        return code;
    engine->approximations.intercommunicator_collectives += run->planned.barrier;
    engine->approximations.fallbacks += run->planned.fallback;
    if (run->planned.counts)
        engine->result->collectives[run->planned.algorithm]++;
    if (!run->planned.moves)
        return VEF_OK;
    gather(engine, strand, run);
    if (engine->result->stall != VEF_STALL_NONE)
        run->plan.count = 0;
    else if (!planned)
        code = make_plan(engine, strand, run, choice, &described.call);
    for (size_t i = 0; i < run->plan.count; i++)
        run->plan.steps[i].done_ps = VEF_FOREVER;
    return code;
}

/* The executor is busy while it copies its task's own data: at the start, as in MPICH. */
static inline void pay_copy(vef_engine *engine, uint32_t who, const vef_event *event) {
    if (engine->charges_copies && vef_run_at(engine, who)->planned.own_bytes &&
        !(event->flags & VEF_EVENT_IN_PLACE))
        vef_executor_pay(engine, who,
                         vef_ps_of(vef_cost_ns(&engine->options->host.local_copy,
                                               vef_run_at(engine, who)->planned.own_bytes)));
}

/* A collective that the call only starts. */
static vef_code start_beside(vef_engine *engine, uint32_t strand) {
    const vef_event *event = engine->strands[strand].event;
    const uint32_t who = take_run(engine, engine->strands[strand].task);
    vef_plan_run *run = vef_run_at(engine, who);
    run->strand = strand;
    run->event_number = engine->strands[strand].event_number;
    run->request = event->flags & VEF_EVENT_OPEN_ENDED ? VEF_NO_REQUEST : event->request;
    if (run->request != VEF_NO_REQUEST && run->request & VEF_TOKEN_KIND)
        return vef_strand_fail(engine, strand, VEF_CORRUPT, "request %llu is out of range",
                               (unsigned long long)run->request);
    vef_code code = plan_event(engine, strand, run);
    if (code != VEF_OK || engine->result->stall != VEF_STALL_NONE)
        return code;
    engine->approximations.beside++;
    run->free_steps = vef_plan_free_steps(run->plan.steps, run->plan.count);
    run->cpu_ps = engine->now_ps;
    run->active = true;
    VEF_REPORT(engine->listeners, starts_plan, who, strand, event->call, run->cpu_ps);
    pay_copy(engine, who, event);
    if (run->plan.count == 0 && run->cpu_ps == engine->now_ps) {
        end_beside(engine, who, engine->now_ps);
        return VEF_OK;
    }
    if (run->request != VEF_NO_REQUEST) /* else nothing will wait for it */
        vef_task_note_request(engine, run->task, run->request);
    if (code == VEF_OK)
        vef_plan_wake(engine, who);
    return code;
}

/* Reports that the strand's task enters or leaves the blocking collective of the strand. */
static void report_passing(const vef_engine *engine, uint32_t strand, bool leaves) {
    const vef_plan_run *run = &engine->runs[strand];
    if (!engine->listeners || !run->entered)
        return;
    const vef_collective_passed passed = {
        .task = run->task, .comm = run->comm, .number = run->number, .leaves = leaves};
    VEF_REPORT(engine->listeners, passes, &passed);
}

vef_code vef_plan_enter(vef_engine *engine, uint32_t strand) {
    vef_strand *state = &engine->strands[strand];
    if (vef_event_is_making(state->event))
        return VEF_OK;
    if (vef_event_starts_request(state->event))
        return start_beside(engine, strand);
    state->stage = VEF_STAGE_PLAN;
    engine->runs[strand].active = true;
    vef_code code = plan_event(engine, strand, &engine->runs[strand]);
    if (code != VEF_OK)
        return code;
    pay_copy(engine, strand, state->event);
    report_passing(engine, strand, false);
    return VEF_OK;
}

/* ---- progress ---- */

static inline uint16_t flags_of(const vef_step *step) {
    return step->eager ? VEF_OP_READY : 0;
}

static inline uint64_t cost_of(const vef_engine *engine, const vef_step *step) {
    if (step->kind == VEF_STEP_SEND || step->kind == VEF_STEP_BROADCAST ||
        step->kind == VEF_STEP_COMBINE)
        return engine->charges_sends
                   ? vef_charge_send_ps(engine, step->bytes, true,
                                        vef_transfer_is_eager(engine, step->bytes, flags_of(step)))
                   : 0;
    if (step->kind == VEF_STEP_REDUCE && engine->options->host.reduce_ns_per_byte > 0)
        return vef_ps_of(engine->options->host.reduce_ns_per_byte * (double)step->bytes);
    return 0;
}

static inline vef_code start_step(vef_engine *engine, vef_plan_run *run, uint32_t who) {
    const uint32_t index = run->next;
    vef_step *step = &run->plan.steps[index];
    if (step->kind == VEF_STEP_REDUCE) {
        step->done_ps = engine->now_ps;
        return VEF_OK;
    }
    if (step->kind == VEF_STEP_BROADCAST) {
        step->done_ps = engine->now_ps;
        return vef_broadcast_send(engine, who, step->bytes);
    }
    if (step->kind == VEF_STEP_COMBINE) {
        step->done_ps = engine->now_ps;
        return vef_broadcast_combine(engine, who, step);
    }
    uint32_t peer = vef_comm_member(&engine->comms.states[run->comm], step->peer);
    const bool send = step->kind == VEF_STEP_SEND;
    uint64_t complete_ps = VEF_FOREVER, cost_ps = 0;
    vef_transfer_key key = {.ordinal = run->number,
                            .sender = send ? run->task : peer,
                            .receiver = send ? peer : run->task,
                            .comm = run->comm,
                            .nth = step->nth};
    const uint64_t token = VEF_TOKEN_STEP(who, index);
    vef_code code =
        send ? vef_transfer_send(engine, &key, step->bytes, flags_of(step), token, &complete_ps)
             : vef_transfer_receive(engine, &key, token, &complete_ps, &cost_ps);
    if (code == VEF_OK && complete_ps != VEF_FOREVER) {
        step->done_ps = complete_ps;
        vef_executor_pay(engine, who, cost_ps);
    }
    return code;
}

static inline bool is_done(const vef_plan_run *run) {
    return run->prefix == run->plan.count;
}

/* Whether the executor has paid for the next step, and is free. */
static inline bool pay_step(vef_engine *engine, uint32_t who, const uint64_t *cpu_ps) {
    vef_plan_run *run = vef_run_at(engine, who);
    if (!run->paid)
        vef_executor_pay(engine, who, cost_of(engine, &run->plan.steps[run->next]));
    run->paid = *cpu_ps > engine->now_ps;
    return !run->paid;
}

/* With processors: makes a job of the next step if it is a send or a reduction that costs time;
 * `*waits`: it has not started yet. */
static void queue_step(vef_engine *engine, uint32_t who, bool *waits) {
    vef_plan_run *run = vef_run_at(engine, who);
    const vef_step *step = &run->plan.steps[run->next];
    const bool send = step->kind == VEF_STEP_SEND;
    const uint64_t cost_ps = send ? 0 : cost_of(engine, step);
    *waits = send || cost_ps > 0;
    if (!*waits || run->paid)
        return;
    run->paid = true;
    if (!send) {
        engine->policy.queue_step(engine, who, false, false, cost_ps);
        return;
    }
    const uint32_t peer = vef_comm_member(&engine->comms.states[run->comm], step->peer);
    engine->policy.queue_step(engine, who, true, vef_transfer_is_local(engine, run->task, peer),
                              step->bytes);
}

/* Of tasks that run ahead: the plan continues when the steps that it needed were complete. */
static void catch_up(vef_engine *engine, uint32_t who) {
    vef_plan_run *run = vef_run_at(engine, who);
    engine->now_ps = run->prefix_ps;
    if (vef_plan_is_beside(engine, who))
        run->cpu_ps = run->prefix_ps;
    else
        vef_strand_wait_until(engine, who, run->prefix_ps);
}

/* Starts eligible steps; `*asleep` if the executor is busy until later and needs a wake-up then. */
static vef_code go_on(vef_engine *engine, uint32_t who, bool *asleep) {
    vef_plan_run *run = vef_run_at(engine, who);
    const uint64_t *cpu_ps =
        vef_plan_is_beside(engine, who) ? &run->cpu_ps : &engine->strands[who].cpu_ps;
    for (;; run->next++) {
        if (!vef_plan_may_continue(run))
            return VEF_OK;
        if (engine->policy.ahead && *cpu_ps < run->prefix_ps)
            catch_up(engine, who);
        if (run->next == run->plan.count)
            return VEF_OK;
        bool waits = false;
        if (engine->policy.queue_step)
            queue_step(engine, who, &waits);
        if (waits)
            return VEF_OK;
        if (!engine->policy.queue_step && !engine->policy.ahead && !pay_step(engine, who, cpu_ps)) {
            *asleep = true;
            return VEF_OK;
        }
        vef_code code = start_step(engine, run, who);
        if (code != VEF_OK)
            return code;
    }
}

vef_code vef_plan_start_step(vef_engine *engine, uint32_t who, uint64_t until_ps) {
    vef_plan_run *run = vef_run_at(engine, who);
    run->paid = false;
    vef_code code = start_step(engine, run, who);
    run = vef_run_at(engine, who);
    run->next++;
    engine->now_ps = until_ps;
    if (!vef_plan_is_beside(engine, who)) {
        vef_strand_account(engine, who, until_ps);
    } else if (run->cpu_ps < until_ps) {
        run->cpu_ps = until_ps;
        VEF_REPORT(engine->listeners, spends, who, VEF_SPENT_OVERHEAD, until_ps);
    }
    vef_plan_wake(engine, who);
    return code;
}

vef_code vef_plan_go_on(vef_engine *engine, uint32_t strand, bool *finished) {
    bool asleep = false;
    vef_code code = go_on(engine, strand, &asleep);
    if (code == VEF_OK && asleep)
        vef_strand_sleep(engine, strand);
    *finished = is_done(&engine->runs[strand]);
    engine->runs[strand].active = !*finished;
    if (code == VEF_OK && *finished)
        report_passing(engine, strand, true);
    return code;
}

/* Reports which steps of a background plan have started. */
static void report_steps(const vef_engine *engine, const vef_plan_run *run) {
    const vef_strand *strand = &engine->strands[run->strand];
    const vef_plan_run *current = &engine->runs[run->strand];
    const bool in_collective = strand->stage == VEF_STAGE_PLAN;
    const vef_steps_started steps = {.task = run->task,
                                     .thread = strand->thread,
                                     .collective = run->event_number,
                                     .until = run->next,
                                     .event = strand->event_number,
                                     .inside = in_collective && run->next > run->free_steps,
                                     .own_steps = in_collective ? current->next : 0,
                                     .comm = current->comm,
                                     .number = current->number};
    VEF_REPORT(engine->listeners, starts_steps, &steps);
}

vef_code vef_plan_run_beside(vef_engine *engine, uint32_t who) {
    vef_plan_run *run = vef_run_at(engine, who);
    const uint32_t before = run->next;
    bool asleep = false;
    run->queued = false;
    engine->running = who;
    vef_code code = VEF_OK;
    if (engine->policy.resume)
        engine->policy.resume(engine, run->cpu_ps);
    if (run->cpu_ps > engine->now_ps)
        asleep = true;
    else
        code = go_on(engine, who, &asleep);
    engine->running = UINT32_MAX;
    if (code != VEF_OK)
        return code;
    if (engine->listeners && run->next > before)
        report_steps(engine, run);
    /* The last receive may still cost time; the collective ends after that. */
    if (asleep || (is_done(run) && run->cpu_ps > engine->now_ps))
        vef_plan_wake(engine, who);
    else if (is_done(run))
        end_beside(engine, who, engine->policy.ahead ? engine->now_ps : 0);
    if (engine->policy.suspend)
        engine->policy.suspend(engine);
    return code;
}
