/* Requests of a check: started once, completed at most once but for the calls that only look, and
 * released where their start alone does not let them complete. See check_state.h. */
#include "traces/check_state.h"

#include <inttypes.h>
#include <stdlib.h>

/* What is known of an outstanding request: the event that started it, and these. */
#define OPEN_ENDED (UINT64_C(1) << 63)
#define PARTITIONED (UINT64_C(1) << 62) /* a send that a Pready releases */
#define GENERALISED (UINT64_C(1) << 61)
#define RELEASED (UINT64_C(1) << 60)
#define EVENT (RELEASED - 1)

vef_code vef_check_requests_begin(vef_check_state *state, vef_error *error) {
    uint64_t requests = state->header->task[state->task].requests;
    state->requests = state->started_count = 0;
    vef_map64_clear(&state->outstanding);
    vef_map64_clear(&state->awaited);
    state->started = calloc(requests / 8 + 1, 1);
    return state->started ? VEF_OK : vef_fail_memory(error, "requests", requests / 8);
}

/* Numbers follow each other, but threads may enter calls in another order than they get them. */
vef_code vef_check_request(vef_check_state *state, const vef_event *event, uint64_t request,
                           unsigned flags, vef_error *error) {
    if (request >= state->header->task[state->task].requests)
        return vef_fail(error, VEF_CORRUPT,
                        "task %u: request %" PRIu64 " is beyond those there are", state->task,
                        request);
    uint8_t bit = (uint8_t)(1 << (request & 7));
    if (state->started[request >> 3] & bit)
        vef_check_fault(state, event, "starts request %" PRIu64 " a second time", request);
    else if (request != state->requests && state->thread_count == 1)
        vef_check_fault(state, event, "starts request %" PRIu64 " where %" PRIu64 " is due",
                        request, state->requests);
    else
        state->started_count++;
    state->started[request >> 3] |= bit;
    if (request >= state->requests)
        state->requests = request + 1;
    uint64_t value = state->event & EVENT;
    if (flags & VEF_OP_OPEN_ENDED)
        value |= OPEN_ENDED;
    if ((flags & VEF_OP_PARTITIONED) && (flags & VEF_OP_SEND))
        value |= PARTITIONED;
    if (flags & VEF_OP_GENERALISED)
        value |= GENERALISED;
    if (!vef_map64_set(&state->outstanding, request, value))
        return vef_fail_memory(error, "requests", 16 * state->outstanding.capacity);
    return VEF_OK;
}

static const char *why_not(const vef_check_state *state, uint64_t request) {
    uint64_t count = state->header->task[state->task].requests;
    bool started = request < count && state->started[request >> 3] >> (request & 7) & 1;
    return started ? "a second time" : "before it was started";
}

vef_code vef_check_completions(vef_check_state *state, const vef_event *event, vef_error *error) {
    bool looks = event->call == VEF_CALL_Request_get_status || event->call == VEF_CALL_Parrived;
    for (uint32_t i = 0; i < event->completion_count; i++) {
        uint64_t request = event->completions[i].request, value;
        const uint64_t *found = vef_map64_get(&state->outstanding, request);
        if (!found && looks) {
            vef_check_fault(state, event, "sees request %" PRIu64 ", which is not active", request);
            continue;
        }
        if (!found) {
            vef_check_fault(state, event, "completes request %" PRIu64 " %s", request,
                            why_not(state, request));
            continue;
        }
        value = *found;
        if (looks)
            continue;
        if (value & OPEN_ENDED)
            vef_check_fault(state, event,
                            "completes request %" PRIu64 ", which is flagged as never completed",
                            request);
        /* Another thread may release it while this one is inside the call. */
        if ((value & (PARTITIONED | GENERALISED)) && !(value & RELEASED) &&
            event->call != VEF_CALL_Request_free &&
            !vef_map64_set(&state->awaited, request, event->left))
            return vef_fail_memory(error, "requests", 16 * state->awaited.capacity);
        vef_map64_take(&state->outstanding, request, &value);
    }
    return VEF_OK;
}

void vef_check_named(vef_check_state *state, const vef_event *event) {
    uint64_t request = (uint64_t)event->argument, latest;
    bool general = event->call == VEF_CALL_Grequest_complete;
    bool releases = general || (event->flags & VEF_EVENT_LAST);
    const uint64_t *until = vef_map64_get(&state->awaited, request);
    if (until && event->call != VEF_CALL_Cancel) {
        if (event->entered > *until)
            vef_check_fault(state, event,
                            "releases request %" PRIu64 ", which was completed before", request);
        if (releases)
            vef_map64_take(&state->awaited, request, &latest);
        return;
    }
    uint64_t *value = vef_map64_get(&state->outstanding, request);
    if (!value) {
        /* A request may be cancelled or freed when it is inactive. */
        if (event->call != VEF_CALL_Cancel)
            vef_check_fault(state, event, "names request %" PRIu64 ", which is not active",
                            request);
        return;
    }
    if (event->call == VEF_CALL_Cancel)
        return;
    if (!(*value & (general ? GENERALISED : PARTITIONED)))
        vef_check_fault(state, event, "names request %" PRIu64 ", which is no %s", request,
                        general ? "generalised one" : "partitioned send");
    else if (*value & RELEASED)
        vef_check_fault(state, event, "names request %" PRIu64 ", of which %s before", request,
                        general ? "the completion was told" : "all partitions were ready");
    if (releases)
        *value |= RELEASED;
}

void vef_check_requests_end(vef_check_state *state) {
    bool cut = vef_check_cut(state, state->task);
    if (state->thread_count > 1 && state->started_count < state->requests)
        vef_check_fault(state, NULL,
                        "task %u: of its requests 0 to %" PRIu64 " only %" PRIu64 " are started",
                        state->task, state->requests - 1, state->started_count);
    /* In the order of their numbers, so that what is told does not depend on the map. */
    for (uint64_t request = 0; request < state->requests; request++) {
        uint64_t value;
        if (state->outstanding.count + state->awaited.count == 0)
            break;
        if (vef_map64_take(&state->outstanding, request, &value) && !(value & OPEN_ENDED) && !cut)
            vef_check_fault(state, NULL,
                            "task %u, event %" PRIu64 ": starts request %" PRIu64
                            ", which is never completed",
                            state->task, value & EVENT, request);
        if (vef_map64_take(&state->awaited, request, &value) && !cut)
            vef_check_fault(state, NULL,
                            "task %u: request %" PRIu64
                            " is completed, but nothing says that all its partitions are ready, or "
                            "that it is done",
                            state->task, request);
    }
}
