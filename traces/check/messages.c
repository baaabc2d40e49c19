/* Messages of a check. Every message has a slot, by sender, receiver and ordinal, where its send
 * and its receive meet. See check_state.h. */
#include "common/memory.h"
#include "traces/check/check_state.h"

#include <inttypes.h>

void vef_check_messages_begin(vef_check_state *state) {
    const vef_traffic_matrix *traffic = &state->traffic;
    size_t flows = traffic->first[traffic->tasks];
    state->first_message = vef_malloc((flows + 1) * sizeof *state->first_message);
    uint64_t count = 0;
    for (size_t i = 0; i < flows; i++) {
        state->first_message[i] = count;
        count += traffic->flows[i].messages;
    }
    state->message_count = count;
    state->messages = vef_calloc(count + 1, sizeof *state->messages);
}

/* The slot of a message, or NULL if its sender does not send it. */
static vef_message_seen *find(vef_check_state *state, uint32_t from, uint32_t to,
                              uint64_t ordinal) {
    const vef_traffic_matrix *traffic = &state->traffic;
    size_t low = traffic->first[from], high = traffic->first[from + 1];
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (traffic->flows[middle].to < to)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == traffic->first[from + 1] || traffic->flows[low].to != to ||
        ordinal >= traffic->flows[low].messages)
        return NULL;
    return &state->messages[state->first_message[low] + ordinal];
}

/* Compares send and receive of one message once both are known. */
static void compare(vef_check_state *state, const vef_event *event, const vef_operation *operation,
                    const vef_message_seen *other, const char *which) {
    if (operation->bytes != other->bytes)
        vef_check_fault(state, event,
                        "message %" PRIu64 " %s task %d has %" PRIu64 " bytes here, %" PRIu64
                        " there",
                        operation->ordinal, which, operation->peer, operation->bytes, other->bytes);
    else if (operation->tag != other->tag || operation->comm != other->comm)
        vef_check_fault(state, event,
                        "message %" PRIu64
                        " %s task %d has tag %d and communicator %u here, tag "
                        "%d and communicator %u there",
                        operation->ordinal, which, operation->peer, operation->tag, operation->comm,
                        other->tag, other->comm);
}

static void check_send(vef_check_state *state, const vef_event *event,
                       const vef_operation *operation) {
    uint32_t to = (uint32_t)operation->peer;
    if (operation->ordinal == VEF_NO_ORDINAL) {
        vef_check_fault(state, event, "a send to task %u without an ordinal", to);
        return;
    }
    vef_message_seen *message = find(state, state->task, to, operation->ordinal);
    if (!message || (message->flags & VEF_SEEN_SENT)) {
        vef_check_fault(state, event, "sends message %" PRIu64 " to task %u %s", operation->ordinal,
                        to, message ? "a second time" : "but has fewer messages for it");
        return;
    }
    if (message->flags & VEF_SEEN_RECEIVED)
        compare(state, event, operation, message, "to");
    message->bytes = operation->bytes;
    message->tag = operation->tag;
    message->comm = operation->comm;
    message->event = (uint32_t)state->event;
    message->flags |= VEF_SEEN_SENT;
    if (operation->flags & VEF_OP_UNMATCHED)
        message->flags |= VEF_SEEN_OUTSIDE;
    if (operation->flags & VEF_OP_PROBED)
        message->flags |= VEF_SEEN_KEPT_FOR_PROBE;
}

static void check_receive(vef_check_state *state, const vef_event *event,
                          const vef_operation *operation, bool probe) {
    uint32_t from = (uint32_t)operation->peer;
    if (operation->ordinal == VEF_NO_ORDINAL) {
        if (!(operation->flags & VEF_OP_UNMATCHED))
            vef_check_fault(state, event, "a %s from task %u without a message",
                            probe ? "probe" : "receive", from);
        return;
    }
    vef_message_seen *message = find(state, from, state->task, operation->ordinal);
    if (!message) {
        if (!vef_check_cut(state, from))
            vef_check_fault(state, event,
                            "receives message %" PRIu64 " from task %u, which does not send it",
                            operation->ordinal, from);
        return;
    }
    if (probe) {
        if (message->flags & VEF_SEEN_PROBED_LAST)
            vef_check_fault(state, event,
                            "probes message %" PRIu64
                            " from task %u after the probe flagged as its last",
                            operation->ordinal, from);
        message->flags |= VEF_SEEN_PROBED;
        if (operation->flags & VEF_OP_UNMATCHED)
            message->flags |= VEF_SEEN_PROBED_LAST;
        return;
    }
    if (message->flags & VEF_SEEN_RECEIVED) {
        vef_check_fault(state, event, "receives message %" PRIu64 " from task %u a second time",
                        operation->ordinal, from);
        return;
    }
    if (message->flags & VEF_SEEN_SENT)
        compare(state, event, operation, message, "from");
    message->flags |= VEF_SEEN_RECEIVED;
    if (!(message->flags & VEF_SEEN_SENT)) { /* for comparison with its send */
        message->bytes = operation->bytes;
        message->tag = operation->tag;
        message->comm = operation->comm;
    }
}

void vef_check_operations(vef_check_state *state, const vef_event *event) {
    const bool probe = vef_call_kind(event->call) == VEF_KIND_PROBE;
    const bool one_sided = vef_call_kind(event->call) == VEF_KIND_ONE_SIDED;
    for (uint32_t i = 0; i < event->operation_count; i++) {
        const vef_operation *operation = &event->operations[i];
        bool again = i > 0 && operation[-1].request == operation->request; /* Isendrecv */
        if (operation->request != VEF_NO_REQUEST && !again)
            vef_check_request(state, event, operation->request, operation->flags);
        if (one_sided || operation->peer == VEF_NO_TASK || (operation->flags & VEF_OP_CANCELLED))
            continue;
        if ((operation->flags & VEF_OP_SEND) && !probe)
            check_send(state, event, operation);
        else
            check_receive(state, event, operation, probe);
    }
}

/* A message that is never received remains for the probes of it if its send and the last probe are
 * flagged so; without the flags a probe would wait for ever, or the message would remain. */
static void check_probes(vef_check_state *state, uint32_t from, const vef_flow *flow,
                         uint64_t ordinal, const vef_message_seen *seen) {
    const bool probed = seen->flags & VEF_SEEN_PROBED, last = seen->flags & VEF_SEEN_PROBED_LAST;
    const bool kept = seen->flags & VEF_SEEN_KEPT_FOR_PROBE;
    const char *fault = NULL;
    if (seen->flags & VEF_SEEN_RECEIVED)
        fault = kept || last ? "flagged as only probed, but it is received" : NULL;
    else if ((seen->flags & VEF_SEEN_OUTSIDE) && probed && !kept)
        fault = "flagged as received outside the trace, but it is probed";
    else if (kept && !last)
        fault = "flagged as probed, but no probe is flagged as its last";
    if (fault)
        vef_check_fault(state, NULL, "task %u, event %u: sends message %" PRIu64 " to task %u, %s",
                        from, seen->event, ordinal, flow->to, fault);
}

void vef_check_messages_end(vef_check_state *state) {
    const vef_traffic_matrix *traffic = &state->traffic;
    for (uint32_t from = 0; from < traffic->tasks; from++) {
        for (size_t i = traffic->first[from]; i < traffic->first[from + 1]; i++) {
            const vef_flow *flow = &traffic->flows[i];
            for (uint64_t ordinal = 0; ordinal < flow->messages; ordinal++) {
                const vef_message_seen *seen = &state->messages[state->first_message[i] + ordinal];
                bool sent = seen->flags & VEF_SEEN_SENT;
                bool received = seen->flags & VEF_SEEN_RECEIVED;
                bool outside = seen->flags & VEF_SEEN_OUTSIDE;
                if (sent && !received && !outside && !vef_check_cut(state, flow->to))
                    vef_check_fault(state, NULL,
                                    "task %u, event %u: sends message %" PRIu64
                                    " to task %u (%" PRIu64
                                    " bytes, tag %d), which is never received",
                                    from, seen->event, ordinal, flow->to, seen->bytes, seen->tag);
                if (sent)
                    check_probes(state, from, flow, ordinal, seen);
                if (sent && received && outside)
                    vef_check_fault(state, NULL,
                                    "task %u, event %u: sends message %" PRIu64
                                    " to task %u, flagged as received outside the trace, but it is "
                                    "received in the trace",
                                    from, seen->event, ordinal, flow->to);
            }
        }
    }
}
