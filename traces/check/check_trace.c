/* Checking a trace: reads each task's events, of all its threads in the order of entry, and follows
 * threads and regions itself. See check.h. */
#include "common/containers/grow.h"
#include "common/memory.h"
#include "traces/check/check.h"
#include "traces/check/check_state.h"
#include "traces/fields.h"
#include "traces/file/task_events.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* The calls of a thread do not overlap. */
static void check_order(vef_check_state *state, const vef_event *event) {
    vef_thread_seen *thread = &state->threads[state->thread];
    if (event->left == 0 && event->entered == 0 && (event->flags & VEF_EVENT_OPEN) == 0 &&
        (state->event == 0 || thread->unordered)) {
        thread->unordered = true;
        return;
    }
    if (event->left <= event->entered && !(event->flags & VEF_EVENT_OPEN))
        vef_check_fault(state, event,
                        "returns at tick %" PRIu64 ", before it was entered at %" PRIu64,
                        event->left, event->entered);
    else if (thread->any && event->entered <= thread->left)
        vef_check_fault(state, event,
                        "is entered at tick %" PRIu64
                        ", before the previous call of this thread returns at %" PRIu64,
                        event->entered, thread->left);
    thread->any = true;
    thread->left = event->left;
}

/* The regions of a thread nest. */
static void check_region(vef_check_state *state, const vef_event *event) {
    vef_thread_seen *thread = &state->threads[state->thread];
    if (event->call == VEF_CALL_Region_begin) {
        char *name = vef_strdup(event->name);
        *VEF_NEW_ITEM(thread->regions, thread->depth, thread->capacity) = name;
    } else if (event->call == VEF_CALL_Region_end && thread->depth > 0) {
        uint32_t depth = thread->depth;
        while (!state->whole && depth > 0 && strcmp(thread->regions[depth - 1], event->name) != 0)
            depth--; /* their ends may be missing */
        if (depth == 0)
            return; /* its beginning is */
        if (strcmp(thread->regions[depth - 1], event->name) != 0)
            vef_check_fault(state, event, "ends region \"%s\", but \"%s\" is the innermost",
                            event->name, thread->regions[depth - 1]);
        while (thread->depth >= depth)
            free(thread->regions[--thread->depth]);
    } else if (event->call == VEF_CALL_Region_end && state->whole) {
        vef_check_fault(state, event, "ends region \"%s\", which has not begun", event->name);
    }
}

static void check_event(vef_check_state *state, const vef_event *event) {
    const vef_kind kind = vef_call_kind(event->call);
    vef_check_operations(state, event);
    vef_check_completions(state, event);
    if (vef_event_starts_request(event))
        vef_check_request(state, event, event->request,
                          event->flags & VEF_EVENT_OPEN_ENDED ? VEF_OP_OPEN_ENDED : 0);
    if (VEF_IN_JOINT >> kind & 1)
        vef_check_group(state, event);
    else if (kind == VEF_KIND_ONE_SIDED)
        vef_check_access(state, event);
    else if (kind == VEF_KIND_SYNC)
        vef_check_sync(state, event);
    else if (kind == VEF_KIND_REGION)
        check_region(state, event);
    else if (vef_call_names_request(event->call))
        vef_check_named(state, event);
    if (vef_call_has(event->call, VEF_FACT_CONTROLS) && event->argument == 0)
        state->whole = false;
}

/* Whether the capture left calls out, so that the trace is incomplete. */
static bool left_out(const vef_trace_header *header) {
    const char *options = header->options ? header->options : "";
    return strstr(options, ", regions: ") || strstr(options, ", only: ") ||
           strstr(options, ", without: ");
}

static void begin_task(vef_check_state *state, uint32_t task) {
    state->task = task;
    state->thread = 0;
    state->event = 0;
    state->whole = false;
    state->thread_count = state->header->task[task].threads;
    state->threads =
        vef_calloc(state->thread_count ? state->thread_count : 1, sizeof *state->threads);
    if (vef_check_cut(state, task))
        vef_check_fault(state, NULL, "task %u %s after %" PRIu64 " events", task,
                        state->header->task[task].end == VEF_LOG_FULL ? "was no longer recorded"
                                                                      : "is cut short",
                        state->header->task[task].events);
    vef_check_requests_begin(state);
}

static void end_task(vef_check_state *state) {
    vef_check_requests_end(state);
    vef_check_windows_task_end(state);
    for (uint32_t i = 0; i < state->thread_count; i++) {
        vef_thread_seen *thread = &state->threads[i];
        if (thread->depth > 0 && !vef_check_cut(state, state->task) && state->whole)
            vef_check_fault(state, NULL, "task %u: region \"%s\" is never ended", state->task,
                            thread->regions[thread->depth - 1]);
    }
    state->partial[state->task] = !state->whole;
}

static void free_task(vef_check_state *state) {
    for (uint32_t i = 0; i < state->thread_count; i++) {
        while (state->threads[i].depth > 0)
            free(state->threads[i].regions[--state->threads[i].depth]);
        free(state->threads[i].regions);
    }
    free(state->threads);
    state->threads = NULL;
}

static vef_code check_task(vef_check_state *state, uint32_t task, vef_error *error) {
    vef_task_events *events = NULL;
    const vef_event *event = NULL;
    bool first = !left_out(state->header) && state->header->task[task].skipped == 0;
    begin_task(state, task);
    vef_code code = vef_task_events_open(state->trace, task, &events, error);
    while (!code && (code = vef_task_events_next(events, &event, error)) == VEF_OK && event) {
        state->thread = event->thread;
        state->event = state->threads[state->thread].events++;
        if (first)
            state->whole = vef_call_has(event->call, VEF_FACT_BEGINS);
        first = false;
        check_order(state, event);
        check_event(state, event);
    }
    vef_task_events_close(events);
    if (!code)
        end_task(state);
    free_task(state);
    return code;
}

vef_code vef_check(vef_trace *trace, const vef_check_options *options, uint64_t *faults,
                   vef_error *error) {
    vef_check_state state = {
        .trace = trace, .header = vef_trace_get_header(trace), .options = options};
    vef_code code = vef_traffic_matrix_read(trace, &state.traffic, error);
    state.partial = vef_calloc(state.header->tasks, 1);
    if (!code) {
        vef_check_messages_begin(&state);
        vef_check_groups_begin(&state);
        vef_check_windows_begin(&state);
    }
    for (uint32_t task = 0; task < state.header->tasks && !code; task++)
        code = check_task(&state, task, error);
    if (!code) {
        vef_check_messages_end(&state);
        vef_check_groups_end(&state);
        vef_check_windows_end(&state);
    }
    *faults = state.faults;
    vef_check_groups_free(&state);
    free(state.windows);
    free(state.windows_used);
    free(state.exposures);
    free(state.messages);
    free(state.first_message);
    free(state.partial);
    vef_map64_free(&state.exposure_of);
    vef_map64_free(&state.scratch);
    vef_map64_free(&state.started);
    vef_map64_free(&state.outstanding);
    vef_map64_free(&state.awaited);
    vef_map64_free(&state.open);
    vef_traffic_matrix_free(&state.traffic);
    return code;
}
