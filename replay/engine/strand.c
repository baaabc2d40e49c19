/* One thread of a task: its program counter, its time, and its order among the threads of the task.
 *
 * Threads of a task run independently, on a core each. They are ordered as in the recorded run, as
 * far as that is known: a call begins after every call of another thread that had returned before
 * it was entered (vef_event's ticks). If the trace pairs messages and receives as the run did, this
 * order introduces no new deadlocks: both orders are of one real run, in which everything that a
 * call waits for here had happened before it returned. If the pairs are guessed
 * (traces/matching/match_threads.h), it can: stall.c releases a held call then. docs/semantics.md
 * has the full argument. */
#include "replay/engine/strand.h"

#include "replay/engine/collective.h"
#include "replay/engine/complete.h"
#include "replay/engine/one_sided.h"
#include "replay/engine/processors.h"

/* ---- time ---- */

/* How long that much computation lasts with noise. */
static uint64_t add_noise(vef_engine *engine, uint32_t strand, uint64_t gap_ps) {
    const uint64_t lasts = vef_noise_stretch(&engine->options->host.noise, &engine->noise[strand],
                                             engine->strands[strand].cpu_ps, gap_ps);
    engine->result->noise_ps += lasts - gap_ps;
    return lasts;
}

__attribute__((always_inline)) static inline vef_code pass_gap(vef_engine *engine,
                                                               uint32_t strand) {
    vef_strand *state = &engine->strands[strand];
    const vef_event *event = state->event;
    if (state->event_number == 0 && vef_call_has(event->call, VEF_FACT_BEGINS) &&
        vef_call_has(event->call, VEF_FACT_WORLD))
        return VEF_OK;
    const vef_time_scale *scale = engine->scales ? &engine->scales[state->task] : &engine->scale;
    uint64_t gap = state->after_poll || event->flags & VEF_EVENT_POLL
                       ? vef_polling_gap_ps(engine, strand, scale)
                       : vef_time_scale_ps(scale, event->gap_ns, &state->remainder);
    if (engine->noise)
        gap = add_noise(engine, strand, gap);
    gap = vef_core_take(engine, state->cpu_ps, gap);
    state->times.computing_ps += gap;
    state->cpu_ps += gap; /* each of them is at most 2^62 */
    VEF_REPORT(engine->listeners, spends, strand, VEF_SPENT_COMPUTING, state->cpu_ps);
    if (event->outside_ns)
        vef_strand_pass_outside(engine, strand, event->outside_ns);
    if (state->cpu_ps >= VEF_MOST_PS)
        return vef_strand_fail(engine, strand, VEF_CORRUPT,
                               "its time exceeds 2^62 ps (53 days), the largest representable "
                               "time: the computation before "
                               "it (%llu ns), a compute scale or an overhead is too large",
                               (unsigned long long)event->gap_ns);
    return VEF_OK;
}

vef_code vef_strand_pass_gap(vef_engine *engine, uint32_t strand) {
    return pass_gap(engine, strand);
}

/* ---- the order among threads ---- */

/* Whether a strand's current or next call prevents another strand's event from beginning. Ticks
 * increase along a thread: a thread at a later call has left all earlier ones. A thread that has
 * not begun may be at any.
 */
static bool holds(const vef_strand *strand, const vef_strand *other) {
    return strand->stage != VEF_STAGE_ENDED &&
           (!strand->event || strand->event->left < other->event->entered);
}

int64_t vef_strand_held_by(const vef_engine *engine, uint32_t strand) {
    const vef_strand *state = &engine->strands[strand];
    const vef_task *task = &engine->tasks[state->task];
    for (uint32_t i = 0; i < task->strand_count; i++) {
        const vef_strand *other = &engine->strands[task->first_strand + i];
        if (other != state && holds(other, state))
            return task->first_strand + i;
    }
    return VEF_NO_STRAND;
}

/* The strand's event begins no earlier than the end of the last call that the other strand left, if
 * that had returned before. Held time is attributed as the thread that held it longest spent it: so
 * the times of a task are those of the calls that led to its end, one after another, whichever
 * threads made them. */
static void follow(vef_engine *engine, uint32_t strand, uint32_t leader) {
    vef_strand *state = &engine->strands[strand];
    const vef_left *other = &engine->lefts[leader];
    if (!other->any || other->tick >= state->event->entered || other->end_ps <= state->cpu_ps)
        return;
    state->cpu_ps = other->end_ps;
    state->times = other->times;
    VEF_REPORT(engine->listeners, follows, strand, leader, state->cpu_ps);
}

/* The same for all other threads of the task. Their earlier calls have ended by now, since the last
 * one was entered after them. */
static void follow_all(vef_engine *engine, uint32_t strand) {
    const vef_task *task = &engine->tasks[engine->strands[strand].task];
    for (uint32_t i = 0; i < task->strand_count; i++)
        if (task->first_strand + i != strand)
            follow(engine, strand, task->first_strand + i);
}

/* Notifies the other threads of the task that this one has left its call. */
static void notify_others(vef_engine *engine, uint32_t strand) {
    const vef_task *task = &engine->tasks[engine->strands[strand].task];
    for (uint32_t i = 0; i < task->strand_count; i++) {
        vef_strand *other = &engine->strands[task->first_strand + i];
        if (other->stage != VEF_STAGE_HELD)
            continue;
        follow(engine, task->first_strand + i, strand);
        if (other->holder == strand && !holds(&engine->strands[strand], other))
            vef_strand_wake(engine, task->first_strand + i);
    }
}

/* ---- the program counter ---- */

/* Records how the call ended, for the other threads of its task. */
static void note_left(vef_engine *engine, uint32_t strand) {
    const vef_strand *state = &engine->strands[strand];
    engine->lefts[strand] = (vef_left){
        .any = true, .tick = state->event->left, .end_ps = state->cpu_ps, .times = state->times};
}

/* The strand has left its call, or never will. */
static void report_left(const vef_engine *engine, uint32_t strand) {
    VEF_REPORT(engine->listeners, leaves, strand, engine->strands[strand].cpu_ps);
}

/* All strands of a task have ended; its processors may be busy for some time. */
static void report_retired(const vef_engine *engine, uint32_t task) {
    const vef_task *ended = &engine->tasks[task];
    uint64_t end_ps = engine->policy.busy_until ? engine->policy.busy_until(engine, task) : 0;
    end_ps = engine->now_ps > end_ps ? engine->now_ps : end_ps;
    for (uint32_t i = 0; i < ended->strand_count; i++)
        if (engine->strands[ended->first_strand + i].cpu_ps > end_ps)
            end_ps = engine->strands[ended->first_strand + i].cpu_ps;
    VEF_REPORT(engine->listeners, retires, task, end_ps);
}

void vef_strand_end(vef_engine *engine, uint32_t strand) {
    vef_strand *state = &engine->strands[strand];
    state->stage = VEF_STAGE_ENDED;
    engine->tasks[state->task].ended++;
    engine->ended++;
    if (engine->listeners &&
        engine->tasks[state->task].ended == engine->tasks[state->task].strand_count)
        report_retired(engine, state->task);
    if (state->event)
        report_left(engine, strand);
    if (!state->threaded)
        return;
    if (state->event)
        note_left(engine, strand);
    notify_others(engine, strand);
}

/* The same for a strand that shares its processor with others. */
static vef_code pass_shared(vef_engine *engine, uint32_t strand) {
    const uint64_t before_ps = engine->strands[strand].cpu_ps;
    vef_code code = vef_strand_pass_gap(engine, strand);
    if (code == VEF_OK)
        vef_processor_share(engine, strand, before_ps);
    return code;
}

static vef_code fetch(vef_engine *engine, uint32_t strand, bool *pause) {
    vef_strand *state = &engine->strands[strand];
    if (state->event)
        state->event_number++;
    vef_code code = engine->source->next(engine->source, state->task, state->thread, &state->event,
                                         engine->error);
    if (code != VEF_OK)
        return code;
    if (!state->event) {
        vef_strand_end(engine, strand);
        *pause = true;
        return VEF_OK;
    }
    if (engine->processors && engine->policy.approach) {
        engine->policy.approach(engine, strand, pause);
        return VEF_OK;
    }
    code = engine->processors ? pass_shared(engine, strand) : pass_gap(engine, strand);
    if (code != VEF_OK)
        return code;
    state->stage = VEF_STAGE_ENTER;
    if (engine->events_ahead > 0) {
        engine->events_ahead--;
        engine->now_ps = state->cpu_ps;
        return VEF_OK;
    }
    if (state->cpu_ps <= engine->now_ps && !engine->policy.ahead)
        return VEF_OK;
    vef_strand_sleep(engine, strand);
    *pause = true;
    return VEF_OK;
}

/* Enters the call, depending on its kind. */
static vef_code enter_call(vef_engine *engine, uint32_t strand, vef_strand *state) {
    const vef_event *event = state->event;
    state->needs = 0;
    state->next_operation = 0;
    state->paid = false;
    state->released = false;
    state->stage = VEF_STAGE_BLOCKED;
    engine->result->events++;
    VEF_REPORT(engine->listeners, enters, strand, event, state->cpu_ps);
    if (event->flags & VEF_EVENT_POLL)
        return VEF_OK;
    switch (vef_call_kind(event->call)) {
    case VEF_KIND_TRANSFER:
        state->stage = VEF_STAGE_OPERATIONS;
        return VEF_OK;
    case VEF_KIND_COMPLETE:
        vef_task_wait(engine, strand);
        return VEF_OK;
    case VEF_KIND_PROBE:
        return vef_task_probe(engine, strand);
    case VEF_KIND_COLLECTIVE:
    case VEF_KIND_COMM:
        if (!(event->flags & VEF_EVENT_UNMATCHED))
            return vef_plan_enter(engine, strand);
        engine->approximations.unmatched_calls++;
        return VEF_OK;
    case VEF_KIND_ONE_SIDED:
        if (engine->policy.ahead)
            return vef_strand_fail(engine, strand, VEF_UNSUPPORTED, "it is not on a window");
        if (event->operation_count && event->operations->peer != VEF_NO_TASK)
            state->stage = VEF_STAGE_SINGLE;
        return VEF_OK;
    case VEF_KIND_SYNC:
        if (engine->policy.ahead)
            return vef_strand_fail(engine, strand, VEF_UNSUPPORTED, "it is not on a window");
        state->phase = 0;
        state->waits_for = VEF_NO_TASK;
        state->stage = VEF_STAGE_SYNC;
        return VEF_OK;
    case VEF_KIND_LOCAL:
        if (vef_call_has(event->call, VEF_FACT_WORLD) &&
            !vef_call_has(event->call, VEF_FACT_BEGINS))
            vef_strand_end(engine, strand);
        else
            vef_task_enter_local(engine, strand);
        return VEF_OK;
    case VEF_KIND_REGION:
        vef_processor_bind(engine, strand);
        return VEF_OK;
    default:
        return VEF_OK;
    }
}

void vef_strand_release(vef_engine *engine, uint32_t strand) {
    vef_strand_account(engine, strand, engine->now_ps);
    engine->strands[strand].released = true;
    engine->approximations.released++;
    vef_strand_wake(engine, strand);
}

/* Whether the calls of other threads that this one follows have ended; then it is not before them.
 * None had returned before tick 0: where the order is not known, as in imported schedules of
 * thousands of threads, there is nothing to look for. */
static bool may_enter(vef_engine *engine, uint32_t strand) {
    vef_strand *state = &engine->strands[strand];
    int64_t holder = VEF_NO_STRAND;
    if (state->event->entered > 0) {
        follow_all(engine, strand);
        if (!state->released)
            holder = vef_strand_held_by(engine, strand);
    }
    if (holder != VEF_NO_STRAND) {
        state->stage = VEF_STAGE_HELD;
        state->holder = (uint32_t)holder;
        return false;
    }
    state->stage = VEF_STAGE_ENTER;
    if (engine->policy.resume)
        engine->policy.resume(engine, state->cpu_ps);
    if (state->cpu_ps <= engine->now_ps)
        return true;
    vef_strand_sleep(engine, strand);
    return false;
}

static inline void leave(vef_engine *engine, uint32_t strand) {
    vef_strand *state = &engine->strands[strand];
    state->stage = VEF_STAGE_FETCH;
    report_left(engine, strand);
    if (!state->threaded)
        return;
    note_left(engine, strand);
    vef_task_note_started(engine, strand);
}

/* In window synchronisation: continues when it has no needs. */
static vef_code synchronise(vef_engine *engine, uint32_t strand, bool *pause) {
    vef_strand *state = &engine->strands[strand];
    if (state->needs) {
        *pause = true;
        return VEF_OK;
    }
    if (state->cpu_ps > engine->now_ps) {
        vef_strand_sleep(engine, strand);
        *pause = true;
        return VEF_OK;
    }
    bool finished = false;
    vef_code code = vef_sync_go_on(engine, strand, &finished);
    if (code == VEF_OK && finished)
        leave(engine, strand);
    return code;
}

/* The stages of most events follow one another without a return to the loop. */
static vef_code go_on(vef_engine *engine, uint32_t strand) {
    vef_strand *state = &engine->strands[strand];
    vef_code code = VEF_OK;
    bool pause = false, finished = false;
    while (code == VEF_OK && !pause) {
        switch (state->stage) {
        case VEF_STAGE_FETCH:
            code = fetch(engine, strand, &pause);
            if (state->threaded && state->stage != VEF_STAGE_ENDED)
                notify_others(engine, strand);
            if (code != VEF_OK || pause)
                break;
            /* fall through */
        case VEF_STAGE_ENTER:
        case VEF_STAGE_HELD:
            if (state->threaded && !may_enter(engine, strand))
                pause = true;
            else
                code = enter_call(engine, strand, state);
            if (pause || state->stage != VEF_STAGE_OPERATIONS)
                break;
            /* fall through */
        case VEF_STAGE_OPERATIONS:
            code = vef_task_start_operations(engine, strand, &pause);
            if (code != VEF_OK || pause)
                break;
            /* fall through */
        case VEF_STAGE_BLOCKED:
            if (state->needs)
                return VEF_OK;
            leave(engine, strand);
            continue;
        case VEF_STAGE_SINGLE:
            code = vef_task_start_single(engine, strand, &pause);
            break;
        case VEF_STAGE_PLAN:
            code = vef_plan_go_on(engine, strand, &finished);
            if (code == VEF_OK && finished)
                leave(engine, strand);
            else
                pause = true;
            break;
        case VEF_STAGE_SYNC:
            code = synchronise(engine, strand, &pause);
            break;
        case VEF_STAGE_STARTING:
            engine->policy.approach(engine, strand, &pause);
            break;
        case VEF_STAGE_COMPUTE:
        case VEF_STAGE_ENDED:
        case VEF_STAGE_UNSTARTED:
            pause = true;
            break;
        }
        if (engine->result->stall != VEF_STALL_NONE)
            pause = true;
    }
    return code;
}

vef_code vef_strand_run(vef_engine *engine, uint32_t strand) {
    vef_strand *state = &engine->strands[strand];
    state->queued = false;
    if (engine->policy.resume)
        engine->policy.resume(engine, state->cpu_ps);
    if (state->cpu_ps > engine->now_ps) {
        vef_strand_sleep(engine, strand);
        return VEF_OK;
    }
    engine->running = strand;
    vef_code code = go_on(engine, strand);
    engine->running = UINT32_MAX;
    if (engine->policy.suspend)
        engine->policy.suspend(engine);
    return code;
}
