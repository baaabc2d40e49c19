/* Describes what a replay approximated, in sentences. docs/semantics.md explains each. */
#include "replay/engine/engine.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

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

void vef_approximations_write(vef_engine *engine) {
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
