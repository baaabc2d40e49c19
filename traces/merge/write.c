/* Second pass of a merge: writes the events of the trace. Messages and receives come in the same
 * order as in the first pass, so counting finds their results. See merge_state.h.
 */
#include "traces/merge/merge_state.h"
#include "traces/rewrite/rewrite.h"

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
    vef_rewriter rewriter;
    vef_event_room room;
    vef_code code; /* the first error in the current event */
    vef_error *error;
} output;

/* Whether no call of the trace completes the request. */
static bool is_open_ended(const output *out, uint64_t request) {
    return request >= out->part->requests || !vef_merge_bit(out->part->completed, request);
}

/* Whether the log has the release of the request. */
static bool is_released(const output *out, uint64_t request) {
    return request < out->part->requests && vef_merge_bit(out->part->ready, request);
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

/* ---- the fields of an event ---- */

static bool is_muted(const vef_field_place *place) {
    return place->event->flags & VEF_EVENT_MUTED;
}

static bool write_comm(void *context, const vef_field_place *place, uint32_t *comm) {
    output *out = context;
    const bool unused = is_muted(place) || *comm == VEF_NO_COMM;
    if (!out->code && (place->operation || !unused))
        out->code = vef_merge_comm(out->state, out->task, *comm, comm, out->error);
    return !out->code;
}

/* Whether the peer has the counterpart of a post, start, complete or wait in the trace. */
static bool next_pair(output *out, bool notifies) {
    if (notifies)
        return vef_sent_flags(&out->matcher->sent[out->sent++]) & VEF_SENT_RECEIVED;
    const uint32_t message = vef_matcher_take(out->matcher, out->received++);
    return message != VEF_NO_INDEX &&
           !(vef_sent_flags(&out->matcher->sent[message]) & VEF_SENT_MUTED);
}

/* The world task of a rank; of the peers of post, start, complete and wait those with the
 * counterpart in the trace stay. */
static bool write_task(void *context, const vef_field_place *place, int32_t *task) {
    output *out = context;
    const uint32_t comm = place->operation ? place->operation->comm : place->event->comm;
    uint32_t world = 0;
    bool notifies;
    if (!out->code)
        out->code = vef_merge_world(out->facts, comm, *task, &world, out->error);
    if (out->code)
        return false;
    *task = (int32_t)world;
    return place->operation || !vef_sync_notifies(place->event, &notifies) ||
           next_pair(out, notifies);
}

/* The number in the trace of a request that begins; the two operations of an Isendrecv share one.
 */
static void start_request(output *out, bool released, uint64_t *request) {
    const uint64_t *known = vef_map64_get(&out->state->requests, *request);
    if (!known)
        vef_map64_set(&out->state->requests, *request,
                      out->requests | (released ? NEEDS_RELEASE : 0));
    *request = known ? *known & ~(NEEDS_RELEASE | COMPLETED) : out->requests++;
}

/* The number of a request that has begun, which is kept until the request is completed and
 * released; false: it has none, or not any more. */
static bool renumber(output *out, bool completes, bool releases, uint64_t *request) {
    const uint64_t former = *request;
    uint64_t ignored, *found = vef_map64_get(&out->state->requests, former);
    if (!found || (completes && (*found & COMPLETED)))
        return false;
    *request = *found & ~(NEEDS_RELEASE | COMPLETED);
    if (completes && (*found & NEEDS_RELEASE))
        *found |= COMPLETED;
    else if (completes || (releases && (*found & COMPLETED)))
        vef_map64_take(&out->state->requests, former, &ignored);
    else if (releases)
        *found &= ~NEEDS_RELEASE;
    return true;
}

/* False: the request is not in the trace, and so neither is its completion or a call that names it.
 */
static bool write_request(void *context, const vef_field_place *place, vef_use use,
                          uint64_t *request) {
    output *out = context;
    const uint16_t call = place->event->call;
    const bool renumbered = out->part->renumbered;
    if (use == VEF_USE_STARTS) {
        if (renumbered && !is_muted(place))
            start_request(out, place->operation && is_released(out, *request), request);
        return true;
    }
    if (use == VEF_USE_COMPLETES)
        return !renumbered || renumber(out, !vef_call_has(call, VEF_FACT_INSPECTS), false, request);
    /* Without its release the request is ordinary (write_operation), without partitions. */
    const bool releases = vef_event_releases(place->event);
    if ((!vef_call_has(call, VEF_FACT_CANCELS) && !is_released(out, *request)) ||
        (is_muted(place) && !releases))
        return false;
    return !renumbered || renumber(out, false, releases, request);
}

static bool write_site(void *context, const vef_field_place *place, uint32_t *site) {
    const output *out = context;
    (void)place;
    *site = vef_merge_site(out->state, out->task, out->facts, *site);
    return true;
}

/* The result of matching, and what becomes of the request. */
static bool write_operation(void *context, const vef_field_place *place, vef_operation *to) {
    output *out = context;
    const vef_operation *from = place->operation;
    const vef_kind kind = vef_call_kind(place->event->call);
    const bool matched = vef_call_has(place->event->call, VEF_FACT_MATCHED);
    if (from->peer == VEF_NO_TASK || kind == VEF_KIND_ONE_SIDED) {
        to->ordinal = VEF_NO_ORDINAL;
    } else if (kind == VEF_KIND_TRANSFER && (from->flags & VEF_OP_SEND)) {
        finish_send(out, to, out->sent++);
    } else if (kind == VEF_KIND_TRANSFER && matched) {
        take_matched(out, to);
    } else {
        uint32_t index = out->received++, message = vef_matcher_take(out->matcher, index);
        if (matched)
            vef_map64_set(&out->state->handles, from->ordinal, (uint64_t)index << 32 | message);
        finish_receive(out, to, index, message);
    }
    if (from->request == VEF_NO_REQUEST || is_muted(place))
        return true;
    /* Without a release in the log, the data leave, or a generalised request completes, at its
     * start. */
    if (!is_released(out, from->request))
        to->flags &=
            (uint16_t) ~(VEF_OP_GENERALISED | (to->flags & VEF_OP_SEND ? VEF_OP_PARTITIONED : 0));
    if (is_open_ended(out, from->request))
        to->flags |= VEF_OP_OPEN_ENDED;
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

/* The trace lacks muted events, but those with messages or requests move the counters. A release of
 * a request in the trace is kept even while nothing is recorded, since without it the data of a
 * send, or the waits for a generalised request, would never proceed: it is then placed between the
 * recorded calls and takes no time. */
static vef_code write_event(output *out, const vef_event *event, vef_writer *writer,
                            vef_error *error) {
    const vef_kind kind = vef_call_kind(event->call);
    const bool muted = event->flags & VEF_EVENT_MUTED;
    const bool released = muted && vef_event_releases(event);
    vef_event copy;
    if ((!muted && is_before_all(out, event)) ||
        (muted && (kind == VEF_KIND_ONE_SIDED || VEF_IN_JOINT >> kind & 1)))
        return VEF_OK;
    out->code = VEF_OK;
    out->error = error;
    if (!vef_rewrite(&out->rewriter, event, &copy) || out->code || (muted && !released))
        return out->code;
    if (vef_event_starts_request(event) && is_open_ended(out, event->request))
        copy.flags |= VEF_EVENT_OPEN_ENDED;
    if (released) {
        copy.flags &= (uint16_t)~VEF_EVENT_MUTED;
        copy.gap_ns = copy.outside_ns = copy.duration_ns = 0;
    }
    return vef_writer_event(writer, out->task, &copy, error);
}

/* Flags a call that is not in the trace of all its tasks, or a lock without its unlock; mutes one
 * whose counterpart a ring dropped. If rings of several threads have no summary, calls are counted
 * from the end instead.
 */
static vef_code flag_unmatched(output *out, uint64_t number, const vef_event *event,
                               uint16_t *flags, vef_error *error) {
    uint32_t comm;
    bool joint, lacks = false;
    if (out->part->unpaired.count > 0 && vef_runs_has(&out->part->unpaired, number, NULL))
        *flags |= VEF_EVENT_UNMATCHED;
    vef_code code = vef_merge_joint(out->state, out->task, out->facts, event, &comm, &joint, error);
    const vef_joint_made made = !code && joint
                                    ? vef_joint_next(&out->state->joint, out->task, event, comm)
                                    : VEF_JOINT_WHOLE;
    if (!code && out->state->dropped)
        code = vef_merge_lacks(out->state, out->task, event, &lacks, error);
    if (made == VEF_JOINT_LACKING && !out->state->without_summary)
        *flags |= VEF_EVENT_UNMATCHED;
    if (lacks || (made == VEF_JOINT_DROPPED && out->state->dropped))
        *flags |= VEF_EVENT_MUTED;
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
    out.rewriter = (vef_rewriter){.context = &out,
                                  .task = write_task,
                                  .comm = write_comm,
                                  .request = write_request,
                                  .site = write_site,
                                  .operation = write_operation,
                                  .room = &out.room};
    vef_code code = VEF_OK;
    if (out.facts->requests != part->requests ||
        out.facts->communicator_count != part->number_count)
        code = vef_fail(error, VEF_CORRUPT, "the log of task %u changed while it was read", task);
    part->renumbered |= state->dropped;
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
        code = vef_merge_go_on(state, number, error);
        if (!code)
            code = vef_log_reader_next(log, &event, error);
        if (code || !event)
            break;
        vef_event flagged;
        uint16_t flags = event->flags;
        code = flag_unmatched(&out, number, event, &flags, error);
        if (flags != event->flags) {
            flagged = *event;
            flagged.flags = flags;
            event = &flagged;
        }
        if (!code)
            code = write_event(&out, event, writer, error);
        if (code)
            vef_fail_within(error, "log of task %u, event %llu (%s)", task,
                            (unsigned long long)number, vef_call_name(event->call));
    }
    vef_event_room_free(&out.room);
    vef_writer_skipped(writer, task, out.facts->skipped);
    vef_writer_measured(writer, task, &out.facts->measured);
    vef_writer_counts(writer, out.facts->counts, out.facts->counts_ns, &out.facts->left_out);
    return code ? code : vef_writer_end_task(writer, task, part->end, error);
}
