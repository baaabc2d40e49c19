/* Second pass of a merge: writes the events of the trace. Messages and receives come in the same
 * order as in the first pass, so counting finds their results. See merge_state.h.
 */
#include "common/grow.h"
#include "traces/merge/merge_state.h"

#include <stdlib.h>

/* Marks of a request in the map of new numbers: its release is still to come, and it was completed
 * before that (by a thread that waits while another releases). */
#define NEEDS_RELEASE (UINT64_C(1) << 63)
#define COMPLETED (UINT64_C(1) << 62)

typedef struct output {
    vef_merge_state *state;
    vef_matcher *matcher;
    vef_merge_task *part;
    const vef_log_facts *facts;
    uint32_t task;
    uint32_t sent, received; /* the next ones in the matcher */
    uint64_t requests;       /* numbers assigned so far, if requests are renumbered */
    vef_operation *operations;
    vef_completion *completions;
    int32_t *peers;
    size_t operation_capacity, completion_capacity, peer_capacity;
} output;

/* The number in the trace of a request that begins in it. */
static uint64_t start_request(output *out, uint64_t request, bool released) {
    if (!out->part->renumbered)
        return request;
    uint64_t number = out->requests++;
    vef_map64_set(&out->state->requests, request, number | (released ? NEEDS_RELEASE : 0));
    return number;
}

/* Whether no call of the trace completes the request. */
static bool is_open_ended(const output *out, uint64_t request) {
    return !vef_merge_bit(out->part->completed, request);
}

/* The number of a request that a call names. False: it does not begin in the trace, or has ended.
 */
static bool named_request(const output *out, uint64_t request, uint64_t *number) {
    *number = request;
    if (!out->part->renumbered)
        return true;
    const uint64_t *found = vef_map64_get(&out->state->requests, request);
    if (found)
        *number = *found & ~(NEEDS_RELEASE | COMPLETED);
    return found != NULL;
}

/* The same for a completion, which removes the number unless a release is to come. */
static bool complete_request(output *out, uint64_t request, bool looks, uint64_t *number) {
    uint64_t ignored, *found;
    if (!named_request(out, request, number))
        return false;
    if (!out->part->renumbered || looks)
        return true;
    found = vef_map64_get(&out->state->requests, request);
    if (*found & COMPLETED)
        return false;
    if (*found & NEEDS_RELEASE)
        *found |= COMPLETED;
    else
        vef_map64_take(&out->state->requests, request, &ignored);
    return true;
}

/* The same for a release. */
static bool release_request(output *out, uint64_t request, uint64_t *number) {
    uint64_t ignored, *found;
    if (!named_request(out, request, number))
        return false;
    if (!out->part->renumbered)
        return true;
    found = vef_map64_get(&out->state->requests, request);
    if (*found & COMPLETED)
        vef_map64_take(&out->state->requests, request, &ignored);
    else
        *found &= ~NEEDS_RELEASE;
    return true;
}

static void finish_send(output *out, vef_operation *operation, uint32_t index) {
    const vef_sent *sent = &out->matcher->sent[index];
    unsigned flags = vef_sent_flags(sent);
    operation->ordinal = sent->ordinal == VEF_NO_INDEX ? VEF_NO_ORDINAL : sent->ordinal;
    if (flags & VEF_SENT_CANCELLED)
        operation->flags |= VEF_OP_CANCELLED;
    else if (!(flags & VEF_SENT_RECEIVED))
        operation->flags |= VEF_OP_UNMATCHED | (flags & VEF_SENT_PROBED ? VEF_OP_PROBED : 0);
}

/* A receive or probe, with its message. */
static void finish_receive(const output *out, vef_operation *operation, uint32_t index,
                           uint32_t message) {
    const vef_received *received = &out->matcher->received[index];
    unsigned flags = vef_received_flags(received);
    bool partitioned = operation->flags & VEF_OP_PARTITIONED;
    operation->ordinal = VEF_NO_ORDINAL;
    if (operation->bytes == VEF_TRUNCATED_BYTES)
        operation->bytes = 0;
    if ((flags & VEF_RECEIVE_CANCELLED) == VEF_RECEIVE_CANCELLED) {
        operation->flags |= VEF_OP_CANCELLED;
        operation->bytes = 0;
    }
    bool settled = !(flags & VEF_RECEIVE_NONE) || flags == VEF_RECEIVE_LOST;
    if (settled && received->envelope != VEF_NO_INDEX) {
        const vef_envelope *envelope = &out->matcher->envelopes[received->envelope];
        operation->peer = (int32_t)envelope->sender;
        operation->tag = envelope->tag;
        uint64_t bytes = vef_received_bytes(out->matcher, index);
        if (bytes == VEF_UNKNOWN_BYTES && message != VEF_NO_INDEX)
            bytes = vef_sent_bytes(out->matcher, message);
        if (bytes == VEF_UNKNOWN_BYTES)
            bytes = partitioned ? operation->bytes : 0; /* those of a channel are known */
        operation->bytes = bytes;
    } else if (operation->peer == VEF_ANY_SOURCE) {
        operation->peer = VEF_NO_TASK;
    }
    if (message != VEF_NO_INDEX && out->matcher->sent[message].ordinal != VEF_NO_INDEX)
        operation->ordinal = out->matcher->sent[message].ordinal;
    else if (!(operation->flags & VEF_OP_CANCELLED))
        operation->flags |= VEF_OP_UNMATCHED;
    if (flags & VEF_RECEIVE_SEES_LAST)
        operation->flags |= VEF_OP_UNMATCHED;
}

/* Peers that the matcher does not provide: sends, and receives without a message. */
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

/* Mrecv and Imrecv: the receive, and the message, of their probe. The map has both.
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
    if (from->peer == VEF_NO_TASK || vef_call_kind(event->call) == VEF_KIND_ONE_SIDED) {
        to->ordinal = VEF_NO_ORDINAL;
    } else if (!probe && (from->flags & VEF_OP_SEND)) {
        finish_send(out, to, out->sent++);
    } else if (!probe && vef_call_has(event->call, VEF_FACT_MATCHED)) {
        take_matched(out, to);
    } else {
        uint32_t index = out->received++, message = vef_matcher_take(out->matcher, index);
        if (vef_call_has(event->call, VEF_FACT_MATCHED))
            vef_map64_set(&out->state->handles, from->ordinal, (uint64_t)index << 32 | message);
        finish_receive(out, to, index, message);
    }
    return VEF_OK;
}

/* The request of operation `i`, if the trace has the event. The two of an Isendrecv share one.
 */
static void write_request(output *out, const vef_event *event, uint32_t i) {
    vef_operation *to = &out->operations[i];
    uint64_t request = event->operations[i].request;
    bool released = vef_merge_bit(out->part->ready, request);
    /* Without a release in the log, the data leave, or a generalised request completes, at its
     * start. */
    if (!released)
        to->flags &=
            (uint16_t) ~(VEF_OP_GENERALISED | (to->flags & VEF_OP_SEND ? VEF_OP_PARTITIONED : 0));
    if (i > 0 && event->operations[i - 1].request == request) {
        to->request = to[-1].request;
        to->flags |= to[-1].flags & VEF_OP_OPEN_ENDED;
        return;
    }
    to->request = start_request(out, request, released);
    if (is_open_ended(out, request))
        to->flags |= VEF_OP_OPEN_ENDED;
}

static vef_code write_operations(output *out, const vef_event *event, vef_event *copy,
                                 vef_error *error) {
    vef_code code = VEF_OK;
    vef_grow(&out->operations, &out->operation_capacity, event->operation_count,
             sizeof *out->operations);
    for (uint32_t i = 0; i < event->operation_count && !code; i++) {
        code = write_operation(out, event, &event->operations[i], &out->operations[i], error);
        if (!code && !(event->flags & VEF_EVENT_MUTED) &&
            event->operations[i].request != VEF_NO_REQUEST)
            write_request(out, event, i);
    }
    copy->operations = out->operations;
    return code;
}

static void write_completions(output *out, const vef_event *event, vef_event *copy) {
    vef_grow(&out->completions, &out->completion_capacity, event->completion_count,
             sizeof *out->completions);
    copy->completion_count = 0;
    copy->completions = out->completions;
    for (uint32_t i = 0; i < event->completion_count; i++) {
        uint64_t number = 0;
        if (complete_request(out, event->completions[i].request,
                             vef_call_has(event->call, VEF_FACT_INSPECTS), &number))
            out->completions[copy->completion_count++] =
                (vef_completion){number, event->completions[i].cancelled, VEF_NO_TASK, 0, 0};
    }
}

static vef_code write_group(output *out, const vef_event *event, vef_event *copy,
                            vef_error *error) {
    vef_code code = VEF_OK;
    if (event->flags & VEF_EVENT_MUTED)
        return VEF_OK;
    if (event->comm != VEF_NO_COMM)
        code = vef_merge_comm(out->state, out->task, event->comm, &copy->comm, error);
    if (!code && event->new_comm != VEF_NO_COMM)
        code = vef_merge_comm(out->state, out->task, event->new_comm, &copy->new_comm, error);
    if (!code && vef_event_starts_request(event)) {
        copy->request = start_request(out, event->request, false);
        if (is_open_ended(out, event->request))
            copy->flags |= VEF_EVENT_OPEN_ENDED;
    }
    return code;
}

/* Whether the peer has the counterpart of a post, start, complete or wait in the trace. */
static bool next_pair(output *out, bool notifies) {
    if (notifies)
        return vef_sent_flags(&out->matcher->sent[out->sent++]) & VEF_SENT_RECEIVED;
    const uint32_t message = vef_matcher_take(out->matcher, out->received++);
    return message != VEF_NO_INDEX &&
           !(vef_sent_flags(&out->matcher->sent[message]) & VEF_SENT_MUTED);
}

/* The affected tasks of a window synchronisation; of post, start, complete and wait those with the
 * counterpart in the trace. */
static vef_code write_sync(output *out, const vef_event *event, vef_event *copy, vef_error *error) {
    const bool muted = event->flags & VEF_EVENT_MUTED;
    bool notifies;
    const bool pairs = vef_sync_notifies(event, &notifies);
    vef_code code =
        muted ? VEF_OK : vef_merge_comm(out->state, out->task, event->comm, &copy->comm, error);
    vef_grow(&out->peers, &out->peer_capacity, event->peer_count, sizeof *out->peers);
    copy->peer_count = 0;
    copy->peers = out->peers;
    for (uint32_t i = 0; i < event->peer_count && !code; i++) {
        uint32_t world = 0;
        bool whole = true;
        if (event->peers[i] == VEF_NO_TASK) {
            out->peers[copy->peer_count++] = VEF_NO_TASK;
            continue;
        }
        code = vef_merge_world(out->facts, event->comm, event->peers[i], &world, error);
        if (pairs)
            whole = next_pair(out, notifies);
        if (whole)
            out->peers[copy->peer_count++] = (int32_t)world;
    }
    return code;
}

/* A call that names a request: false if the request is not in the trace, so that the call is left
 * out. A release of a request in the trace is kept even while nothing is recorded, since without it
 * the data of a send, or the waits for a generalised request, would never proceed: it is then
 * placed between the recorded calls and takes no time. */
static bool write_local(output *out, const vef_event *event, vef_event *copy) {
    bool muted = event->flags & VEF_EVENT_MUTED, releases = vef_event_releases(event);
    uint64_t number = 0, request = (uint64_t)event->argument;
    if (!vef_call_names_request(event->call))
        return !muted;
    /* Without its release the request is ordinary (write_request), without partitions. */
    if (!vef_call_has(event->call, VEF_FACT_CANCELS) && !vef_merge_bit(out->part->ready, request))
        return false;
    if ((muted && !releases) ||
        !(releases ? release_request(out, request, &number) : named_request(out, request, &number)))
        return false;
    copy->argument = (int64_t)number;
    if (muted) {
        copy->flags &= (uint16_t)~VEF_EVENT_MUTED;
        copy->gap_ns = copy->outside_ns = copy->duration_ns = 0;
    }
    return true;
}

/* Whether a joint call of all members of a communicator precedes the first one that all of them
 * kept: logs dropped beginnings of different lengths. */
static bool is_before_all(const output *out, const vef_event *event) {
    uint32_t number = VEF_NO_COMM;
    if (!out->state->rings || !vef_call_is_of_all(event->call) ||
        vef_merge_comm(out->state, out->task, event->comm, &number, NULL))
        return false;
    uint64_t *before =
        vef_map64_get(&out->part->collectives, vef_sequence_key(number, vef_event_sequence(event)));
    return before && *before > 0 && (*before)-- > 0;
}

static vef_code write_event(output *out, const vef_event *event, vef_writer *writer,
                            vef_error *error) {
    vef_event copy = *event;
    bool held = !(event->flags & VEF_EVENT_MUTED);
    vef_code code = VEF_OK;
    if (held && is_before_all(out, event))
        return VEF_OK;
    switch (vef_call_kind(event->call)) {
    case VEF_KIND_TRANSFER:
    case VEF_KIND_PROBE: /* muted ones too: they move the counters */
        code = write_operations(out, event, &copy, error);
        break;
    case VEF_KIND_ONE_SIDED:
        if (held)
            code = write_operations(out, event, &copy, error);
        break;
    case VEF_KIND_COMPLETE:
        write_completions(out, event, &copy);
        break;
    case VEF_KIND_COLLECTIVE:
    case VEF_KIND_COMM:
        code = write_group(out, event, &copy, error);
        break;
    case VEF_KIND_SYNC:
        code = write_sync(out, event, &copy, error);
        break;
    case VEF_KIND_LOCAL:
        held = write_local(out, event, &copy);
        break;
    case VEF_KIND_REGION:
    case VEF_KIND_AS:
    case VEF_KIND_COUNTED:
        break;
    }
    return code || !held ? code : vef_writer_event(writer, out->task, &copy, error);
}

/* Flags a call that is not in the trace of all its tasks, or a lock without its unlock. If rings of
 * several threads have no summary, calls are counted from the end instead. */
static vef_code flag_unmatched(output *out, uint64_t number, vef_event *event, vef_error *error) {
    uint32_t comm;
    bool joint;
    if (vef_map64_get(&out->part->unpaired, number))
        event->flags |= VEF_EVENT_UNMATCHED;
    vef_code code = vef_merge_joint(out->state, out->task, out->facts, event, &comm, &joint, error);
    if (!code && joint && vef_joint_next_lacks(&out->state->joint, out->task, event, comm) &&
        !out->state->without_summary)
        event->flags |= VEF_EVENT_UNMATCHED;
    return code;
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
    vef_map64 calls = {0};
    part->renumbered |= state->dropped;
    if (!code && state->dropped)
        vef_merge_calls_begin(out.facts->before, &calls);
    if (out.facts->skipped > 0) /* as in the first pass */
        for (size_t i = 0; i < out.facts->before->request_count; i++)
            if (!out.facts->before->requests[i].send)
                vef_matcher_take(out.matcher, out.received++);
    if (!code)
        code = vef_merge_joint_begin(state, task, out.facts, error);
    vef_map64_clear(&state->requests);
    vef_map64_clear(&state->handles);
    for (uint64_t number = 0; !code; number++) {
        const vef_event *event;
        bool lacks = false;
        code = vef_merge_go_on(state, number, error);
        if (!code)
            code = vef_log_reader_next(log, &event, error);
        if (code || !event)
            break;
        vef_event copy = *event;
        code = flag_unmatched(&out, number, &copy, error);
        if (!code && state->dropped)
            code = vef_merge_lacks(state, task, event, &calls, &lacks, error);
        if (lacks)
            copy.flags |= VEF_EVENT_MUTED;
        if (!code)
            code = write_event(&out, &copy, writer, error);
        if (code)
            vef_fail_within(error, "log of task %u, event %llu (%s)", task,
                            (unsigned long long)number, vef_call_name(event->call));
    }
    free(out.operations);
    free(out.completions);
    free(out.peers);
    vef_map64_free(&calls);
    vef_writer_skipped(writer, task, out.facts->skipped);
    vef_writer_measured(writer, task, &out.facts->measured);
    return code ? code : vef_writer_end_task(writer, task, part->end, error);
}
