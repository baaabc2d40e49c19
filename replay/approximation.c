/* What a trace made the replay approximate, in sentences. What each means stands in
 * docs/semantics.md. */
#include "replay/engine.h"

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

static void add_not_recorded(vef_engine *engine) {
    const uint64_t *counts = engine->source->not_recorded;
    size_t calls = counts ? vef_call_count() : 0;
    for (size_t call = 0; call < calls; call++) {
        const char *name = counts[call] ? vef_call_name((uint16_t)call) : NULL;
        if (name)
            add(engine->result, "%llu calls of MPI_%s are not in the trace and left out",
                (unsigned long long)counts[call], name);
    }
}

void vef_approximations_write(vef_engine *engine) {
    const vef_approximations *seen = &engine->approximations;
    vef_replay_result *result = engine->result;
    if (seen->unmatched_receives)
        add(result, "%llu receives whose send is not in the trace completed at once",
            (unsigned long long)seen->unmatched_receives);
    if (seen->unmatched_sends)
        add(result, "%llu sends whose receive is not in the trace went out eagerly",
            (unsigned long long)seen->unmatched_sends);
    if (seen->open_calls)
        add(result, "%llu calls never returned when the trace was taken; their tasks end in them",
            (unsigned long long)seen->open_calls);
    if (seen->intercommunicator_collectives)
        add(result, "%llu collectives between two groups were replayed as barriers of both",
            (unsigned long long)seen->intercommunicator_collectives);
    if (seen->one_sided)
        add(result, "%llu calls of one-sided communication were left out",
            (unsigned long long)seen->one_sided);
    uint32_t cut = 0;
    for (uint32_t task = 0; task < engine->source->tasks; task++)
        cut += engine->source->end(engine->source, task) == VEF_LOG_CUT;
    if (cut)
        add(result, "%u of %u tasks are cut short in the trace and end there", cut,
            engine->source->tasks);
    add_not_recorded(engine);
}
