/* Requests of a check: each is started once, completed at most once (calls that leave it active
 * excepted), and released where it needs that to complete. See check_state.h. */
#include "traces/check/check_state.h"

#include <inttypes.h>
#include <stdlib.h>

/* The state of an outstanding request: the event that started it, and these flags. */
#define OPEN_ENDED (UINT64_C(1) << 63)
#define PARTITIONED (UINT64_C(1) << 62) /* a send that a Pready releases */
#define GENERALISED (UINT64_C(1) << 61)
#define RELEASED (UINT64_C(1) << 60)
#define SEEN (UINT64_C(1) << 59) /* complete, reported by a call that left it active */
#define EVENT (SEEN - 1)

void vef_check_requests_begin(vef_check_state *state) {
    state->requests = state->started_count = state->started_below = 0;
    vef_map64_clear(&state->outstanding);
    vef_map64_clear(&state->awaited);
    vef_map64_clear(&state->started);
}

static bool has_started(const vef_check_state *state, uint64_t request) {
    return request < state->started_below || vef_map64_get(&state->started, request) != NULL;
}

static void note_started(vef_check_state *state, uint64_t request) {
    uint64_t ignored;
    if (request > state->started_below)
        vef_map64_set(&state->started, request, 1);
    if (request != state->started_below)
        return;
    do
        state->started_below++;
    while (vef_map64_take(&state->started, state->started_below, &ignored));
}

/* Numbers are consecutive, but threads may enter calls in another order than they obtain numbers.
 */
void vef_check_request(vef_check_state *state, const vef_event *event, uint64_t request,
                       unsigned flags) {
    if (has_started(state, request))
        vef_check_fault(state, event, "starts request %" PRIu64 " a second time", request);
    else if (request != state->requests && state->thread_count == 1)
        vef_check_fault(state, event, "starts request %" PRIu64 ": expected %" PRIu64, request,
                        state->requests);
    else
        state->started_count++;
    note_started(state, request);
    if (request >= state->requests)
        state->requests = request + 1;
    uint64_t value = state->event & EVENT;
    if (flags & VEF_OP_OPEN_ENDED)
        value |= OPEN_ENDED;
    if ((flags & VEF_OP_PARTITIONED) && (flags & VEF_OP_SEND))
        value |= PARTITIONED;
    if (flags & VEF_OP_GENERALISED)
        value |= GENERALISED;
    vef_map64_set(&state->outstanding, request, value);
}

static const char *why_not(const vef_check_state *state, uint64_t request) {
    return has_started(state, request) ? "a second time" : "before it was started";
}

void vef_check_completions(vef_check_state *state, const vef_event *event) {
    bool looks = vef_call_has(event->call, VEF_FACT_INSPECTS);
    for (uint32_t i = 0; i < event->completion_count; i++) {
        uint64_t request = event->completions[i].request, value;
        uint64_t *found = vef_map64_get(&state->outstanding, request);
        if (!found && looks) {
            vef_check_fault(state, event, "tests request %" PRIu64 ", which is not active",
                            request);
            continue;
        }
        if (!found) {
            vef_check_fault(state, event, "completes request %" PRIu64 " %s", request,
                            why_not(state, request));
            continue;
        }
        value = *found;
        if (looks) {
            *found |= SEEN;
            continue;
        }
        if (value & OPEN_ENDED)
            vef_check_fault(state, event,
                            "completes request %" PRIu64 ", which is flagged as never completed",
                            request);
        /* Another thread may release it during this call. */
        if ((value & (PARTITIONED | GENERALISED)) && !(value & RELEASED) &&
            !vef_call_has(event->call, VEF_FACT_FREES))
            vef_map64_set(&state->awaited, request, event->left);
        vef_map64_take(&state->outstanding, request, &value);
    }
}

void vef_check_named(vef_check_state *state, const vef_event *event) {
    uint64_t request = (uint64_t)event->argument, latest;
    bool cancels = vef_call_has(event->call, VEF_FACT_CANCELS);
    bool general = vef_call_has(event->call, VEF_FACT_FINISHES);
    bool releases = vef_event_releases(event);
    const uint64_t *until = vef_map64_get(&state->awaited, request);
    if (until && !cancels) {
        if (event->entered > *until)
            vef_check_fault(state, event,
                            "releases request %" PRIu64 ", which was already completed", request);
        if (releases)
            vef_map64_take(&state->awaited, request, &latest);
        return;
    }
    uint64_t *value = vef_map64_get(&state->outstanding, request);
    if (!value) {
        /* A request may be cancelled or freed when it is inactive. */
        if (!cancels)
            vef_check_fault(state, event, "names request %" PRIu64 ", which is not active",
                            request);
        return;
    }
    if (cancels)
        return;
    if (!(*value & (general ? GENERALISED : PARTITIONED)))
        vef_check_fault(state, event, "names request %" PRIu64 ", which is not a %s", request,
                        general ? "generalised one" : "partitioned send");
    else if (*value & RELEASED)
        vef_check_fault(state, event, "names request %" PRIu64 ", but %s before", request,
                        general ? "its completion was reported" : "all its partitions were ready");
    if (releases)
        *value |= RELEASED;
}

/* Open requests in the order of numbers. */
static void report_open(vef_check_state *state) {
    size_t count;
    uint64_t *keys = vef_check_keys(&state->outstanding, &state->awaited, &count);
    for (size_t i = 0; i < count; i++) {
        uint64_t value;
        if (vef_map64_take(&state->outstanding, keys[i], &value) && !(value & (OPEN_ENDED | SEEN)))
            vef_check_fault(state, NULL,
                            "task %u, event %" PRIu64 ": starts request %" PRIu64
                            ", which is never completed",
                            state->task, value & EVENT, keys[i]);
        if (vef_map64_take(&state->awaited, keys[i], &value))
            vef_check_fault(state, NULL,
                            "task %u: request %" PRIu64
                            " is completed, but its partitions were not all marked ready, or its "
                            "completion was not reported",
                            state->task, keys[i]);
    }
    free(keys);
}

void vef_check_requests_end(vef_check_state *state) {
    bool cut = vef_check_cut(state, state->task);
    if (state->thread_count > 1 && state->started_count < state->requests)
        vef_check_fault(state, NULL,
                        "task %u: of its requests 0 to %" PRIu64 " only %" PRIu64 " are started",
                        state->task, state->requests - 1, state->started_count);
    if (!cut)
        report_open(state);
}
