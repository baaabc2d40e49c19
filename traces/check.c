/* Checking a trace. See check.h. */
#include "traces/check.h"
#include "traces/check_state.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

void vef_check_fault(vef_check_state *state, const vef_event *event, const char *format, ...) {
    char sentence[VEF_MESSAGE_BYTES];
    if (state->faults++ >= state->options->limit || !state->options->told)
        return;
    int used = 0;
    if (event)
        used = snprintf(sentence, sizeof sentence,
                        "task %u, event %" PRIu64 " (MPI_%s): ", state->task, state->event,
                        vef_call_name(event->call));
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(sentence + used, sizeof sentence - (size_t)used, format, arguments);
    va_end(arguments);
    state->options->told(state->options->context, sentence);
}

static vef_code check_event(vef_check_state *state, const vef_event *event, vef_error *error) {
    switch (vef_call_kind(event->call)) {
    case VEF_KIND_TRANSFER:
    case VEF_KIND_PROBE:
        return vef_check_operations(state, event, error);
    case VEF_KIND_COMPLETE:
        vef_check_completions(state, event);
        return VEF_OK;
    case VEF_KIND_COLLECTIVE:
    case VEF_KIND_COMM:
        return vef_check_group(state, event, error);
    case VEF_KIND_ONE_SIDED:
    case VEF_KIND_SYNC:
    case VEF_KIND_REGION:
    case VEF_KIND_LOCAL:
    case VEF_KIND_AS:
    case VEF_KIND_COUNTED:
        break;
    }
    return VEF_OK;
}

static vef_code check_task(vef_check_state *state, uint32_t task, vef_error *error) {
    vef_stream *stream = NULL;
    const vef_event *event = NULL;
    state->task = task;
    state->event = 0;
    if (vef_check_cut(state, task))
        vef_check_fault(state, NULL, "task %u is cut short after %" PRIu64 " events", task,
                        state->header->task[task].events);
    vef_code code = vef_stream_open(state->trace, task, 0, &stream, error);
    while (!code && (code = vef_stream_next(stream, &event, error)) == VEF_OK && event) {
        code = check_event(state, event, error);
        state->event++;
    }
    vef_stream_close(stream);
    if (!code)
        vef_check_task_end(state);
    return code;
}

vef_code vef_check(vef_trace *trace, const vef_check_options *options, uint64_t *faults,
                   vef_error *error) {
    vef_check_state state = {
        .trace = trace, .header = vef_trace_get_header(trace), .options = options};
    vef_code code = vef_traffic_read(trace, &state.traffic, error);
    if (!code)
        code = vef_check_messages_begin(&state, error);
    if (!code)
        code = vef_check_groups_begin(&state, error);
    for (uint32_t task = 0; task < state.header->tasks && !code; task++)
        code = check_task(&state, task, error);
    if (!code) {
        vef_check_messages_end(&state);
        vef_check_groups_end(&state);
    }
    *faults = state.faults;
    for (uint32_t i = 0; state.comms && i < state.header->communicator_count; i++)
        free(state.comms[i].list);
    free(state.comms);
    free(state.messages);
    free(state.first_message);
    vef_map64_free(&state.requests);
    vef_traffic_free(&state.traffic);
    return code;
}
