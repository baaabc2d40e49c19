/* Second pass of a merge: the events as the trace has them. Messages and receives come in the same
 * order as in the first pass, so each finds what was settled there by counting. See merge_state.h.
 */
#include "traces/merge_state.h"

#include <stdlib.h>

typedef struct output {
    vef_merge_state *state;
    vef_matcher *matcher;
    vef_merge_task *part;
    const vef_log_facts *facts;
    uint32_t task;
    uint32_t sent, received; /* the next ones in the matcher */
    uint64_t requests;       /* numbers given so far, when they are renumbered */
    bool was_muted;          /* the event before */
    vef_operation *operations;
    vef_completion *completions;
    size_t operation_capacity, completion_capacity;
} output;

static vef_code room(void **list, size_t *capacity, size_t count, size_t size, vef_error *error) {
    if (count <= *capacity)
        return VEF_OK;
    void *grown = realloc(*list, 2 * count * size);
    if (!grown)
        return vef_fail_memory(error, "an event", 2 * count * size);
    *list = grown;
    *capacity = 2 * count;
    return VEF_OK;
}

/* A request as the trace numbers it: started by an event that it holds. False: it does not. */
static bool renumbered(const output *out, uint64_t request, uint64_t *number) {
    if (!out->part->muted) {
        *number = request;
        return true;
    }
    const uint64_t *found = vef_map64_get(&out->state->requests, request);
    if (found)
        *number = *found;
    return found != NULL;
}

static vef_code start_request(output *out, vef_operation *operation, vef_error *error) {
    uint64_t request = operation->request;
    if (request == VEF_NO_REQUEST)
        return VEF_OK;
    if (!(out->part->completed[request >> 3] >> (request & 7) & 1))
        operation->flags |= VEF_OP_OPEN_ENDED;
    if (!out->part->muted)
        return VEF_OK;
    operation->request = out->requests++;
    if (!vef_map64_set(&out->state->requests, request, operation->request))
        return vef_fail_memory(error, "outstanding requests", 16 * out->state->requests.capacity);
    return VEF_OK;
}

static void finish_send(output *out, vef_operation *operation, uint32_t index) {
    const vef_sent *sent = &out->matcher->sent[index];
    unsigned flags = vef_sent_flags(sent);
    operation->ordinal = sent->ordinal == VEF_NO_INDEX ? VEF_NO_ORDINAL : sent->ordinal;
    if (flags & VEF_SENT_CANCELLED)
        operation->flags |= VEF_OP_CANCELLED;
    else if (!(flags & VEF_SENT_RECEIVED))
        operation->flags |= VEF_OP_UNMATCHED;
}

/* A receive or probe, with the message that it takes or sees. */
static void finish_receive(const output *out, vef_operation *operation, uint32_t index,
                           uint32_t message) {
    const vef_received *received = &out->matcher->received[index];
    unsigned flags = vef_received_flags(received);
    operation->ordinal = VEF_NO_ORDINAL;
    if ((flags & VEF_RECEIVE_CANCELLED) == VEF_RECEIVE_CANCELLED) {
        operation->flags |= VEF_OP_CANCELLED;
        operation->bytes = 0;
    }
    if (!(flags & VEF_RECEIVE_NONE) && received->envelope != VEF_NO_INDEX) {
        const vef_envelope *envelope = &out->matcher->envelopes[received->envelope];
        operation->peer = (int32_t)envelope->sender;
        operation->tag = envelope->tag;
        uint64_t bytes = vef_received_bytes(out->matcher, index);
        if (bytes == VEF_UNKNOWN_BYTES)
            bytes = message == VEF_NO_INDEX ? 0 : vef_sent_bytes(out->matcher, message);
        operation->bytes = bytes;
    } else if (operation->peer == VEF_ANY_SOURCE) {
        operation->peer = VEF_NO_TASK;
    }
    if (message != VEF_NO_INDEX && out->matcher->sent[message].ordinal != VEF_NO_INDEX)
        operation->ordinal = out->matcher->sent[message].ordinal;
    else if (!(operation->flags & VEF_OP_CANCELLED))
        operation->flags |= VEF_OP_UNMATCHED;
}

/* Peers that no receive of the matcher tells: sends, and receives that took nothing. */
static vef_code to_world(const output *out, const vef_operation *from, vef_operation *to,
                         vef_error *error) {
    vef_code code = vef_merge_comm(out->state, out->task, from->comm, &to->comm, error);
    uint32_t world = 0;
    if (code || from->peer < 0)
        return code;
    code = vef_merge_world(out->facts, from->comm, from->peer, &world, error);
    to->peer = (int32_t)world;
    return code;
}

/* Mrecv and Imrecv: the receive, and the message, that their probe was given. The map holds both.
 */
static void take_matched(output *out, vef_operation *operation) {
    uint64_t value;
    if (vef_map64_take(&out->state->handles, operation->ordinal, &value)) {
        finish_receive(out, operation, (uint32_t)(value >> 32), (uint32_t)value);
    } else {
        operation->ordinal = VEF_NO_ORDINAL;
        operation->flags |= VEF_OP_UNMATCHED;
    }
}

static vef_code write_operation(output *out, const vef_event *event, const vef_operation *from,
                                vef_operation *to, vef_error *error) {
    bool probe = vef_call_kind(event->call) == VEF_KIND_PROBE;
    *to = *from;
    vef_code code = to_world(out, from, to, error);
    if (code)
        return code;
    if (from->peer == VEF_NO_TASK) {
        to->ordinal = VEF_NO_ORDINAL;
    } else if (!probe && (from->flags & VEF_OP_SEND)) {
        finish_send(out, to, out->sent++);
    } else if (!probe && vef_is_matched_receive(event->call)) {
        take_matched(out, to);
    } else {
        uint32_t index = out->received++, message = vef_matcher_take(out->matcher, index);
        if (vef_is_matched_probe(event->call) &&
            !vef_map64_set(&out->state->handles, from->ordinal, (uint64_t)index << 32 | message))
            return vef_fail_memory(error, "matched probes", 16 * out->state->handles.capacity);
        finish_receive(out, to, index, message);
    }
    return event->flags & VEF_EVENT_MUTED ? VEF_OK : start_request(out, to, error);
}

static vef_code write_operations(output *out, const vef_event *event, vef_event *copy,
                                 vef_error *error) {
    vef_code code = room((void **)&out->operations, &out->operation_capacity,
                         event->operation_count, sizeof *out->operations, error);
    for (uint32_t i = 0; i < event->operation_count && !code; i++)
        code = write_operation(out, event, &event->operations[i], &out->operations[i], error);
    copy->operations = out->operations;
    return code;
}

static vef_code write_completions(output *out, const vef_event *event, vef_event *copy,
                                  vef_error *error) {
    vef_code code = room((void **)&out->completions, &out->completion_capacity,
                         event->completion_count, sizeof *out->completions, error);
    if (code)
        return code;
    copy->completion_count = 0;
    copy->completions = out->completions;
    for (uint32_t i = 0; i < event->completion_count; i++) {
        uint64_t request = event->completions[i].request, number = 0, ignored;
        if (renumbered(out, request, &number))
            out->completions[copy->completion_count++] =
                (vef_completion){number, event->completions[i].cancelled, VEF_NO_TASK, 0, 0};
        vef_map64_take(&out->state->requests, request, &ignored);
    }
    return VEF_OK;
}

static vef_code write_group(output *out, const vef_event *event, vef_event *copy,
                            vef_error *error) {
    vef_code code = vef_merge_comm(out->state, out->task, event->comm, &copy->comm, error);
    if (!code && event->new_comm != VEF_NO_COMM)
        code = vef_merge_comm(out->state, out->task, event->new_comm, &copy->new_comm, error);
    return code;
}

static vef_code write_event(output *out, const vef_event *event, vef_writer *writer,
                            vef_error *error) {
    vef_event copy = *event;
    bool muted = event->flags & VEF_EVENT_MUTED;
    vef_code code = VEF_OK;
    uint64_t number;
    switch (vef_call_kind(event->call)) {
    case VEF_KIND_TRANSFER:
    case VEF_KIND_PROBE: /* muted ones too: they move the counters */
        code = write_operations(out, event, &copy, error);
        break;
    case VEF_KIND_COMPLETE:
        code = write_completions(out, event, &copy, error);
        break;
    case VEF_KIND_COLLECTIVE:
    case VEF_KIND_COMM:
        code = write_group(out, event, &copy, error);
        break;
    case VEF_KIND_ONE_SIDED:
    case VEF_KIND_SYNC:
    case VEF_KIND_LOCAL:
    case VEF_KIND_REGION:
    case VEF_KIND_AS:
    case VEF_KIND_COUNTED:
        break;
    }
    /* What passed while recording was off is no computation of the program's region of interest. */
    if (event->call == VEF_CALL_Pcontrol && out->was_muted)
        copy.gap_ns = 0;
    out->was_muted = muted;
    if (event->call == VEF_CALL_Cancel) {
        if (!renumbered(out, (uint64_t)event->argument, &number))
            return VEF_OK; /* of a request that the trace does not have */
        copy.argument = (int64_t)number;
    }
    if (code || muted)
        return code;
    return vef_writer_event(writer, out->task, &copy, error);
}

vef_code vef_merge_write(vef_merge_state *state, uint32_t task, vef_log_reader *log,
                         vef_writer *writer, vef_error *error) {
    vef_merge_task *part = &state->task[task];
    output out = {.state = state,
                  .matcher = &state->matcher,
                  .part = part,
                  .facts = vef_log_reader_facts(log),
                  .task = task,
                  .sent = (uint32_t)part->first_sent,
                  .received = (uint32_t)part->first_received};
    vef_code code = VEF_OK;
    if (out.facts->requests != part->requests ||
        out.facts->communicator_count != part->number_count)
        code = vef_fail(error, VEF_CORRUPT, "the log of task %u changed while it was read", task);
    vef_map64_clear(&state->requests);
    vef_map64_clear(&state->handles);
    for (uint64_t number = 0; !code; number++) {
        const vef_event *event;
        code = vef_log_reader_next(log, &event, error);
        if (code || !event)
            break;
        code = write_event(&out, event, writer, error);
        if (code)
            vef_fail_within(error, "log of task %u, event %llu (%s)", task,
                            (unsigned long long)number, vef_call_name(event->call));
    }
    free(out.operations);
    free(out.completions);
    return code ? code : vef_writer_end_task(writer, task, part->end, error);
}
