/* The end of a replay: the times of its tasks, the figures of its network, and what it
 * approximated, in sentences. docs/semantics.md explains each. */
#include "replay/engine/loop.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* ---- approximations ---- */

static void add(vef_replay_result *result, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void add(vef_replay_result *result, const char *format, ...) {
    size_t used = strlen(result->approximations), room = sizeof result->approximations - used;
    int written = 0;
    if (used && room > 2)
        written = snprintf(result->approximations + used, room, "; ");
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(result->approximations + used + written, room - (size_t)written, format, arguments);
    va_end(arguments);
}

/* Counters of the replay, one row each: "<number> <what>", without a semicolon. */
static const struct row {
    size_t offset; /* offset of the counter in vef_approximations */
    const char *what;
} rows[] = {
#define ROW(member) offsetof(vef_approximations, member)
    {ROW(unmatched_receives), "receives without a send in the trace completed at once"},
    {ROW(unmatched_sends), "sends without a receive in the trace were sent eagerly"},
    {ROW(unmatched_calls),
     "collectives, fences and locks that are not in the trace of all tasks transferred no data"},
    {ROW(open_calls), "calls had not returned when the trace was taken, and their tasks end there"},
    {ROW(threads),
     "threads had a processor each, and were ordered only where a call had returned before another "
     "was entered"},
    {ROW(released),
     "calls began before earlier calls of other threads had ended, to avoid a deadlock"},
    {ROW(beside),
     "non-blocking and persistent collectives progressed in the background, at no cost to their "
     "tasks"},
    {ROW(partitioned),
     "partitioned sends were sent as one message each, when all partitions were ready"},
    {ROW(intercommunicator_collectives),
     "collectives on intercommunicators were replayed as barriers of both groups"},
    {ROW(fallbacks),
     "collectives used an algorithm of the preset, since the chosen one does not support them"},
    {ROW(one_sided),
     "one-sided operations and synchronisations of windows progressed without their targets' "
     "processors, with contiguous data"},
    {ROW(lock_waits),
     "locks of windows waited, and were granted in the order of their arrival in the replay"},
    {ROW(shared_windows),
     "windows have shared memory, whose loads and stores are not in the trace"},
    {ROW(free_polls), "unsuccessful tests and probes took no time"},
#undef ROW
};

static void add_outside(vef_engine *engine) {
    double seconds = (double)engine->approximations.outside_ns / 1e9;
    if (engine->approximations.outside_ns == 0)
        return;
    if (!engine->options->host.outside)
        add(engine->result, "%.6g s in calls that are not in the trace were left out", seconds);
    else
        add(engine->result, "%.6g s in calls that are not in the trace passed as recorded",
            seconds);
}

static void add_not_recorded(vef_engine *engine) {
    const uint64_t *counts = engine->source->not_recorded;
    size_t calls = counts ? vef_call_count() : 0;
    for (size_t call = 0; call < calls; call++) {
        const char *name = counts[call] ? vef_call_name((uint16_t)call) : NULL;
        if (name && !vef_call_is_bookkeeping(
                        (uint16_t)call)) /* these transfer no data; their time is outside */
            add(engine->result, "%llu calls of MPI_%s are not in the trace and were left out",
                (unsigned long long)counts[call], name);
    }
}

static void count_shared_windows(vef_engine *engine) {
    for (uint32_t i = 0; i < engine->source->communicator_count; i++)
        engine->approximations.shared_windows +=
            vef_call_has(engine->source->communicators[i].made_by, VEF_FACT_SHARED);
}

/* Calls that the capture left out, and unreliable times. A lack of cores changed only times inside
 * calls, which a replay does not use. */
static void add_measured(vef_engine *engine) {
    char text[VEF_MEASURED_TEXT_BYTES];
    if (vef_measured_left_out(&engine->source->measured, text, sizeof text))
        add(engine->result, "%s", text);
    if (vef_measured_drift(&engine->source->measured, text, sizeof text))
        add(engine->result, "%s", text);
    if (vef_measured_clocks(&engine->source->measured, text, sizeof text))
        add(engine->result, "%s", text);
}

static void write_approximations(vef_engine *engine) {
    count_shared_windows(engine);
    vef_replay_result *result = engine->result;
    uint32_t cut = 0;
    for (uint32_t task = 0; task < engine->source->tasks; task++) {
        cut += vef_log_end_cuts(engine->source->end(engine->source, task));
        if (engine->tasks[task].strand_count > 1)
            engine->approximations.threads += engine->tasks[task].strand_count;
    }
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        uint64_t number = *(const uint64_t *)(const void *)((const char *)&engine->approximations +
                                                            rows[i].offset);
        if (number)
            add(result, "%llu %s", (unsigned long long)number, rows[i].what);
    }
    if (cut)
        add(result, "%u of %u tasks are cut short in the trace and end there", cut,
            engine->source->tasks);
    add_outside(engine);
    add_not_recorded(engine);
    add_measured(engine);
}

/* ---- times ---- */

/* A strand that was still computing when the replay stopped: subtracts its time beyond that. */
static void cut_off(const vef_engine *engine, vef_strand *strand) {
    if (strand->cpu_ps <= engine->now_ps)
        return;
    vef_times *times = &strand->times;
    uint64_t *const given[] = {&times->outside_ps, &times->computing_ps, &times->overhead_ps,
                               &times->communicating_ps, &times->waiting_ps};
    uint64_t excess = strand->cpu_ps - engine->now_ps;
    for (size_t i = 0; i < sizeof given / sizeof *given && excess; i++) {
        uint64_t taken = excess < *given[i] ? excess : *given[i];
        *given[i] -= taken;
        excess -= taken;
    }
    strand->cpu_ps = engine->now_ps;
}

/* The processors of a task may handle messages that none of its calls waits for. */
static void add_rest(const vef_engine *engine, uint32_t task) {
    vef_task_result *result = &engine->result->task[task];
    const uint64_t end_ps = engine->policy.busy_until(engine, task);
    if (engine->result->stall != VEF_STALL_NONE || end_ps <= result->end_ps)
        return;
    result->overhead_ps += end_ps - result->end_ps;
    result->end_ps = end_ps;
}

/* A task ends with the last of its threads; its times are those of that thread. */
static void add_up(vef_engine *engine, uint32_t task) {
    const vef_task *state = &engine->tasks[task];
    vef_task_result *result = &engine->result->task[task];
    const vef_strand *last = NULL;
    for (uint32_t i = 0; i < state->strand_count; i++) {
        vef_strand *strand = &engine->strands[state->first_strand + i];
        if (strand->stage != VEF_STAGE_ENDED)
            cut_off(engine, strand);
        if (!last || strand->cpu_ps > last->cpu_ps)
            last = strand;
    }
    if (!last)
        return;
    result->start_ps = state->start_ps;
    result->end_ps = last->cpu_ps;
    result->computing_ps = last->times.computing_ps;
    result->outside_ps = last->times.outside_ps;
    result->overhead_ps = last->times.overhead_ps;
    result->waiting_ps = last->times.waiting_ps;
    result->communicating_ps = last->times.communicating_ps;
    if (engine->policy.busy_until)
        add_rest(engine, task);
    VEF_REPORT(engine->listeners, ends, task, (uint32_t)(last - engine->strands), result->end_ps);
}

vef_code vef_engine_finish(vef_engine *engine) {
    vef_replay_result *result = engine->result;
    bool stalled = result->stall != VEF_STALL_NONE;
    result->time_ps = stalled ? engine->now_ps : 0;
    for (uint32_t task = 0; task < result->tasks; task++)
        add_up(engine, task);
    /* Ranks have zeros for the tasks of others. */
    vef_net_sum(engine->network->ranks, result->task, result->tasks * sizeof *result->task);
    for (uint32_t task = 0; task < result->tasks; task++)
        if (result->task[task].end_ps > result->time_ps)
            result->time_ps = result->task[task].end_ps;
    /* The statistics of the network cover this whole time. */
    const vef_netmodel_kind *kind = engine->network->kind;
    const uint64_t end = vef_net_clock_until(&engine->clock, result->time_ps);
    while (kind->now(engine->network) < end) {
        const vef_net_delivery *deliveries;
        size_t count;
        vef_code code = kind->advance(engine->network, end, &deliveries, &count, engine->error);
        if (code != VEF_OK)
            return code;
        if (count == 0)
            break;
    }
    kind->statistics(engine->network, &result->network);
    result->time_ns = (double)result->time_ps / VEF_PS_PER_NS;
    result->time_cycles = vef_netmodel_cycles_of_ps(engine->network, result->time_ps);
    result->noise_cycles = vef_netmodel_cycles_of_ps(engine->network, result->noise_ps);
    write_approximations(engine);
    return VEF_OK;
}
