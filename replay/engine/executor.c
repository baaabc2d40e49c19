/* Strands and plans as executors: their names in messages, the time that they spend, and when they
 * continue. */
#include "replay/engine/executor.h"

#include <stdarg.h>
#include <stdio.h>

/* ---- names and errors ---- */

const char *vef_strand_call(const vef_engine *engine, uint32_t strand) {
    const vef_event *event = engine->strands[strand].event;
    const char *name = event ? vef_call_name(event->call) : NULL;
    return name ? name : "?";
}

void vef_strand_name(const vef_engine *engine, uint32_t strand, char *text, size_t text_bytes) {
    const vef_strand *state = &engine->strands[strand];
    char thread[32] = "";
    if (state->threaded)
        snprintf(thread, sizeof thread, ", thread %u", state->thread);
    snprintf(text, text_bytes, "task %u%s, event %llu (MPI_%s)", state->task, thread,
             (unsigned long long)state->event_number, vef_strand_call(engine, strand));
}

vef_code vef_strand_fail(vef_engine *engine, uint32_t strand, vef_code code, const char *format,
                         ...) {
    va_list arguments;
    char name[128], text[VEF_MESSAGE_BYTES];
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    vef_strand_name(engine, strand, name, sizeof name);
    return vef_fail(engine->error, code, "%s: %s", name, text);
}

vef_code vef_task_fail(vef_engine *engine, uint32_t task, vef_code code, const char *format, ...) {
    va_list arguments;
    char text[VEF_MESSAGE_BYTES];
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    uint32_t running = engine->running;
    bool ours = running < engine->strand_count && engine->strands[running].task == task;
    return vef_strand_fail(engine, ours ? running : engine->tasks[task].first_strand, code, "%s",
                           text);
}

void vef_stall_set(vef_engine *engine, vef_stall stall, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    engine->result->stall = stall;
    vsnprintf(engine->result->stall_text, sizeof engine->result->stall_text, format, arguments);
    va_end(arguments);
}

/* ---- wake-ups ---- */

/* When an executor that is accounted for up to `cpu_ps` continues. */
static uint64_t wakeup_of(const vef_engine *engine, uint64_t cpu_ps) {
    return engine->policy.wakeup_ps ? engine->policy.wakeup_ps(engine, cpu_ps) : cpu_ps;
}

void vef_strand_sleep(vef_engine *engine, uint32_t strand) {
    vef_strand *state = &engine->strands[strand];
    state->queued = true;
    vef_wakeups_push(&engine->wakeups, wakeup_of(engine, state->cpu_ps), strand);
}

void vef_strand_wake(vef_engine *engine, uint32_t strand) {
    if (!engine->strands[strand].queued && strand != engine->running)
        vef_strand_sleep(engine, strand);
}

void vef_plan_wake(vef_engine *engine, uint32_t who) {
    vef_plan_run *run = vef_run_at(engine, who);
    if (!vef_plan_is_beside(engine, who)) {
        vef_strand_wake(engine, who);
    } else if (!run->queued && who != engine->running) {
        run->queued = true;
        vef_wakeups_push(&engine->wakeups, wakeup_of(engine, run->cpu_ps), who);
    }
}

/* ---- time ---- */

void vef_strand_account(vef_engine *engine, uint32_t strand, uint64_t since_ps) {
    vef_strand *state = &engine->strands[strand];
    if (engine->now_ps <= state->cpu_ps)
        return;
    uint64_t blocked = engine->now_ps - state->cpu_ps;
    if (engine->policy.overhead) {
        const uint64_t overhead = engine->policy.overhead(engine, strand, blocked);
        state->times.overhead_ps += overhead;
        state->cpu_ps += overhead;
        VEF_REPORT(engine->listeners, spends, strand, VEF_SPENT_OVERHEAD, state->cpu_ps);
        blocked -= overhead;
    }
    uint64_t waiting = since_ps > state->cpu_ps ? since_ps - state->cpu_ps : 0;
    if (waiting > blocked)
        waiting = blocked;
    state->times.waiting_ps += waiting;
    state->times.communicating_ps += blocked - waiting;
    state->cpu_ps = engine->now_ps;
    VEF_REPORT(engine->listeners, waits, strand, since_ps, state->cpu_ps);
}

uint64_t vef_core_wait(vef_engine *engine, uint64_t ready_ps, uint64_t ps) {
    uint64_t *first = engine->core_free_ps;
    for (uint32_t core = 1; core < engine->options->host.shared_cores; core++)
        if (engine->core_free_ps[core] < *first)
            first = &engine->core_free_ps[core];
    *first = (*first > ready_ps ? *first : ready_ps) + ps;
    return *first - ready_ps;
}

void vef_strand_pay(vef_engine *engine, uint32_t strand, uint64_t ps) {
    ps = vef_core_take(engine, engine->strands[strand].cpu_ps, ps);
    engine->strands[strand].cpu_ps += ps;
    engine->strands[strand].times.overhead_ps += ps;
    VEF_REPORT(engine->listeners, spends, strand, VEF_SPENT_OVERHEAD,
               engine->strands[strand].cpu_ps);
}

void vef_strand_needs_less(vef_engine *engine, uint32_t strand, uint64_t since_ps,
                           uint64_t cost_ps) {
    vef_strand *state = &engine->strands[strand];
    vef_strand_account(engine, strand, since_ps);
    if (cost_ps)
        vef_strand_pay(engine, strand, cost_ps);
    if (--state->needs == 0 &&
        (state->stage == VEF_STAGE_BLOCKED || state->stage == VEF_STAGE_SYNC))
        vef_strand_wake(engine, strand);
}

void vef_strand_wait_until(vef_engine *engine, uint32_t strand, uint64_t ps) {
    vef_strand *state = &engine->strands[strand];
    if (ps <= state->cpu_ps)
        return;
    state->times.waiting_ps += ps - state->cpu_ps;
    state->cpu_ps = ps;
    VEF_REPORT(engine->listeners, waits, strand, ps, ps);
}

void vef_strand_pass_outside(vef_engine *engine, uint32_t strand, uint64_t ns) {
    vef_strand *state = &engine->strands[strand];
    const uint64_t outside_ps = engine->options->host.outside ? vef_ps_of_ns(ns) : 0;
    engine->approximations.outside_ns += ns;
    state->times.outside_ps += outside_ps;
    state->cpu_ps += outside_ps;
    VEF_REPORT(engine->listeners, spends, strand, VEF_SPENT_OUTSIDE, state->cpu_ps);
}
