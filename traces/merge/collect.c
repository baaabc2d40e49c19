/* First pass of a merge: every message and every receive with its envelope. See merge_state.h. */
#include "common/memory.h"
#include "traces/matching/match_threads.h"
#include "traces/merge/merge_state.h"

#include <stdlib.h>

/* An outstanding request, as a value of the map: number of its message or receive in the low half,
 * then its communicator (in the task's numbering), and flags. */
#define OUT_SEND (UINT64_C(1) << 63)
#define OUT_CANCEL (UINT64_C(1) << 62)
/* Nothing to settle: a collective, MPI_PROC_NULL, matched by a probe or at its creation. */
#define OUT_PLAIN (UINT64_C(1) << 61)

static uint32_t out_comm(uint64_t value) {
    return (uint32_t)(value >> 32) & ((1u << VEF_MERGE_COMM_BITS) - 1);
}

typedef struct collect {
    vef_merge_state *state;
    vef_matcher *matcher;
    const vef_log_facts *facts;
    uint32_t task;
    uint8_t *started; /* per request, a bit */
    uint64_t started_count;
    /* Completions read before the start of their request: state->early has their indices. Threads
     * are read in the order of entry, and a thread that completes a request entered after its
     * start; but a log may be cut or damaged. */
    vef_completion *early;
    size_t early_count;
    vef_map64 locks; /* of windows, held: window and target → see vef_locks_see */
    uint64_t now;    /* when the current event returned */
} collect;

/* The number of the channel of a partitioned operation, as in matching. */
static uint32_t channel_of(const vef_operation *operation) {
    bool partitioned = operation->flags & VEF_OP_PARTITIONED;
    return partitioned && operation->ordinal < UINT32_MAX ? (uint32_t)operation->ordinal + 1 : 0;
}

static vef_code envelope_of(const collect *pass, bool send, uint32_t local, int32_t rank,
                            int32_t tag, uint32_t channel, uint32_t *envelope, vef_error *error) {
    uint32_t number = 0, other = 0;
    vef_code code = vef_merge_comm(pass->state, pass->task, local, &number, error);
    if (!code)
        code = vef_merge_world(pass->facts, local, rank, &other, error);
    if (code)
        return code;
    return vef_matcher_envelope(pass->matcher, send ? pass->task : other, send ? other : pass->task,
                                number, tag, channel, envelope, error);
}

static vef_code complete_one(collect *pass, const vef_completion *completion, bool leaves,
                             vef_error *error);

/* A request begins; `value` is what to settle at its completion. Of the two operations of an
 * Isendrecv it is the receive. */
static vef_code outstanding(collect *pass, uint64_t request, uint32_t comm, uint64_t value,
                            vef_error *error) {
    if (request == VEF_NO_REQUEST)
        return VEF_OK;
    if (request >= pass->facts->requests)
        return vef_fail(error, VEF_CORRUPT, "request %llu is out of range: the log has %llu",
                        (unsigned long long)request, (unsigned long long)pass->facts->requests);
    vef_map64 *requests = &pass->state->requests;
    const uint64_t *other = vef_map64_get(requests, request);
    bool receive = !(value & (OUT_SEND | OUT_PLAIN));
    if (!other || receive || (*other & OUT_PLAIN)) {
        value |= (uint64_t)comm << 32;
        vef_map64_set(requests, request, value);
    }
    if (!vef_merge_bit(pass->started, request)) {
        pass->started[request >> 3] |= (uint8_t)(1 << (request & 7));
        pass->started_count++;
    }
    uint64_t place;
    if (vef_map64_take(&pass->state->early, request, &place))
        return complete_one(pass, &pass->early[place], false, error);
    return VEF_OK;
}

static uint64_t known_bytes(uint64_t bytes) {
    return bytes == VEF_TRUNCATED_BYTES ? VEF_UNKNOWN_BYTES : bytes;
}

static vef_code collect_send(collect *pass, const vef_operation *operation, bool muted,
                             vef_error *error) {
    uint32_t envelope = 0;
    vef_code code = envelope_of(pass, true, operation->comm, operation->peer, operation->tag,
                                channel_of(operation), &envelope, error);
    unsigned flags = muted ? VEF_SENT_MUTED : 0;
    if (operation->flags & VEF_OP_CANCELLED)
        flags |= VEF_SENT_CANCELLED;
    if (!code)
        code = vef_matcher_sent(pass->matcher, envelope, operation->bytes, flags, error);
    return code ? code
                : outstanding(pass, operation->request, operation->comm,
                              OUT_SEND | (pass->matcher->sent_count - 1), error);
}

static vef_code collect_receive(collect *pass, const vef_operation *operation, bool muted,
                                vef_error *error) {
    bool known = operation->peer != VEF_ANY_SOURCE && operation->tag != VEF_ANY_TAG;
    bool started = operation->request != VEF_NO_REQUEST;
    uint32_t envelope = VEF_NO_INDEX;
    vef_code code = VEF_OK;
    if (known)
        code = envelope_of(pass, false, operation->comm, operation->peer, operation->tag,
                           channel_of(operation), &envelope, error);
    unsigned flags = muted ? VEF_RECEIVE_ABSENT : 0;
    if (!known && !started)
        flags |= VEF_RECEIVE_NONE;
    if (operation->flags & VEF_OP_CANCELLED)
        flags |= VEF_RECEIVE_CANCELLED;
    if (!code)
        code = vef_matcher_received(pass->matcher, envelope,
                                    started ? VEF_UNKNOWN_BYTES : known_bytes(operation->bytes),
                                    flags, error);
    uint64_t value = pass->matcher->received_count - 1;
    if (operation->flags & VEF_OP_PARTITIONED)
        value = OUT_PLAIN; /* a status does not move it to another channel */
    return code ? code : outstanding(pass, operation->request, operation->comm, value, error);
}

/* Mrecv and Imrecv receive the message of their probe; now it is known whether the trace has the
 * receive. */
static vef_code collect_matched(collect *pass, const vef_operation *operation, bool muted,
                                vef_error *error) {
    const uint64_t *index = vef_map64_get(&pass->state->handles, operation->ordinal);
    if (index && !muted)
        vef_received_flag(&pass->matcher->received[*index], 0, VEF_RECEIVE_ABSENT);
    uint64_t ignored;
    vef_map64_take(&pass->state->handles, operation->ordinal, &ignored);
    return outstanding(pass, operation->request, operation->comm, OUT_PLAIN, error);
}

/* The last collected message or receive represents several. */
static vef_code collect_run(collect *pass, const vef_operation *operation, bool muted,
                            vef_error *error) {
    if (!muted || operation->peer < 0 || operation->tag < 0 || operation->ordinal == 0 ||
        operation->ordinal >> 40 || operation->request != VEF_NO_REQUEST)
        return vef_fail(error, VEF_CORRUPT, "an invalid sum of messages");
    if (operation->flags & VEF_OP_SEND)
        vef_matcher_sent_run(pass->matcher, operation->ordinal);
    else
        vef_matcher_received_run(pass->matcher, operation->ordinal);
    return VEF_OK;
}

static vef_code collect_transfer(collect *pass, const vef_event *event, vef_error *error) {
    bool muted = event->flags & VEF_EVENT_MUTED;
    vef_code code = VEF_OK;
    for (uint32_t i = 0; i < event->operation_count && !code; i++) {
        const vef_operation *operation = &event->operations[i];
        if (operation->peer == VEF_NO_TASK)
            code = outstanding(pass, operation->request, operation->comm, OUT_PLAIN, error);
        else if (operation->flags & VEF_OP_SEND)
            code = collect_send(pass, operation, muted, error);
        else if (vef_call_has(event->call, VEF_FACT_MATCHED))
            code = collect_matched(pass, operation, muted, error);
        else
            code = collect_receive(pass, operation, muted, error);
        if (!code && (event->flags & VEF_EVENT_SUMMED))
            code = collect_run(pass, operation, muted, error);
    }
    return code;
}

static vef_code collect_probe(const collect *pass, const vef_event *event, vef_error *error) {
    bool matched = vef_call_has(event->call, VEF_FACT_MATCHED);
    const unsigned sees = event->flags & VEF_EVENT_MUTED ? 0 : VEF_RECEIVE_SEES;
    for (uint32_t i = 0; i < event->operation_count; i++) {
        const vef_operation *operation = &event->operations[i];
        bool known = operation->peer >= 0 && operation->tag != VEF_ANY_TAG;
        if (operation->peer == VEF_NO_TASK)
            continue;
        uint32_t envelope = VEF_NO_INDEX;
        vef_code code = VEF_OK;
        if (known)
            code = envelope_of(pass, false, operation->comm, operation->peer, operation->tag, 0,
                               &envelope, error);
        unsigned flags = !known    ? VEF_RECEIVE_NONE
                         : matched ? VEF_RECEIVE_ABSENT | sees
                                   : VEF_RECEIVE_PEEK | sees;
        if (!code)
            code = vef_matcher_received(pass->matcher, envelope, operation->bytes, flags, error);
        if (code)
            return code;
        if (matched && known)
            vef_map64_set(&pass->state->handles, operation->ordinal,
                          pass->matcher->received_count - 1);
    }
    return VEF_OK;
}

/* Records when the messages and receives of an event were sent and posted. */
static void note_call(const collect *pass, const vef_event *event) {
    const bool blocks =
        vef_call_kind(event->call) != VEF_KIND_TRANSFER ||
        (event->operation_count > 0 && event->operations[0].request == VEF_NO_REQUEST);
    if (pass->facts->threads != 1)
        vef_matcher_note_call(pass->matcher, event->entered, event->left, blocks);
}

/* Settles a completed request; one that the call `leaves` active will be completed again. */
static vef_code complete_one(collect *pass, const vef_completion *completion, bool leaves,
                             vef_error *error) {
    vef_map64 *requests = &pass->state->requests;
    const uint64_t *found = vef_map64_get(requests, completion->request);
    if (!found)
        return VEF_OK;
    uint64_t value = *found;
    if (!leaves)
        vef_map64_take(requests, completion->request, &value);
    if (value & OUT_PLAIN)
        return VEF_OK;
    uint32_t index = (uint32_t)value;
    bool cancelled = completion->cancelled;
    if (value & OUT_SEND) {
        if (cancelled)
            vef_sent_flag(&pass->matcher->sent[index], VEF_SENT_CANCELLED);
        return VEF_OK;
    }
    vef_received *received = &pass->matcher->received[index];
    vef_matcher_note_completed(pass->matcher, index, pass->now);
    /* Freed after MPI_Cancel: no status reports whether that succeeded; it mostly does. */
    if (completion->source == VEF_NO_TASK && (value & OUT_CANCEL))
        cancelled = true;
    if (cancelled) {
        vef_received_flag(received, VEF_RECEIVE_CANCELLED, 0);
        return VEF_OK;
    }
    if (completion->source == VEF_NO_TASK) {
        if (received->envelope == VEF_NO_INDEX && !leaves)
            vef_received_flag(received, VEF_RECEIVE_NONE, 0);
        return VEF_OK;
    }
    uint32_t envelope = 0;
    vef_code code = envelope_of(pass, false, out_comm(value), completion->source, completion->tag,
                                0, &envelope, error);
    if (!code)
        vef_matcher_set_received(pass->matcher, index, envelope, known_bytes(completion->bytes));
    return code;
}

static void keep_early(collect *pass, const vef_completion *completion) {
    pass->state->task[pass->task].renumbered = true;
    if (completion->request >= pass->facts->requests)
        return;                                             /* its start is in no part of the log */
    if ((pass->early_count & (pass->early_count - 1)) == 0) /* full at powers of two */
        pass->early = vef_realloc(pass->early, 2 * (pass->early_count + 1) * sizeof *pass->early);
    vef_map64_set(&pass->state->early, completion->request, pass->early_count);
    pass->early[pass->early_count++] = *completion;
}

static vef_code collect_completions(collect *pass, const vef_event *event, vef_error *error) {
    vef_merge_task *part = &pass->state->task[pass->task];
    bool looks = vef_call_has(event->call, VEF_FACT_INSPECTS);
    for (uint32_t i = 0; i < event->completion_count; i++) {
        const vef_completion *completion = &event->completions[i];
        uint64_t request = completion->request;
        vef_code code = VEF_OK;
        if (request >= pass->facts->requests || !vef_merge_bit(pass->started, request)) {
            if (!looks)
                keep_early(pass, completion);
        } else {
            if (!(event->flags & VEF_EVENT_MUTED))
                part->completed[request >> 3] |= (uint8_t)(1 << (request & 7));
            code = complete_one(pass, completion, looks, error);
        }
        if (code)
            return code;
    }
    return VEF_OK;
}

static vef_code count_collective(collect *pass, const vef_event *event, vef_error *error) {
    vef_map64 *counts = &pass->state->task[pass->task].collectives;
    uint32_t number = 0;
    if ((event->flags & VEF_EVENT_MUTED) || !vef_call_is_of_all(event->call) ||
        event->comm == VEF_NO_COMM)
        return VEF_OK;
    vef_code code = vef_merge_comm(pass->state, pass->task, event->comm, &number, error);
    if (code)
        return code;
    uint64_t key = vef_sequence_key(number, vef_event_sequence(event)),
             *count = vef_map64_get(counts, key);
    if (count)
        ++*count;
    else
        vef_map64_set(counts, key, 1);
    return VEF_OK;
}

static vef_code collect_joint(const collect *pass, const vef_event *event, vef_error *error) {
    uint32_t number;
    bool joint;
    vef_code code =
        vef_merge_joint(pass->state, pass->task, pass->facts, event, &number, &joint, error);
    if (!code && joint)
        vef_joint_see(&pass->state->joint, pass->task, event, number,
                      !(event->flags & VEF_EVENT_MUTED));
    return code;
}

/* Post, start, complete and wait: one message per peer. */
static vef_code collect_sync(const collect *pass, const vef_event *event, vef_error *error) {
    const bool muted = event->flags & VEF_EVENT_MUTED;
    const vef_sync sync = vef_call_sync(event->call);
    const int32_t stage = sync == VEF_SYNC_POST || sync == VEF_SYNC_START;
    bool notifies;
    vef_code code = VEF_OK;
    if (!vef_sync_notifies(event, &notifies))
        return VEF_OK;
    for (uint32_t i = 0; i < event->peer_count && !code; i++) {
        uint32_t envelope = 0;
        if (event->peers[i] == VEF_NO_TASK)
            continue;
        code =
            envelope_of(pass, notifies, event->comm, event->peers[i], stage, 0, &envelope, error);
        if (!code && notifies)
            code = vef_matcher_sent(pass->matcher, envelope, 0,
                                    VEF_SENT_SYNC | (muted ? VEF_SENT_MUTED : 0), error);
        else if (!code)
            code = vef_matcher_received(pass->matcher, envelope, 0, muted ? VEF_RECEIVE_ABSENT : 0,
                                        error);
    }
    return code;
}

static vef_code collect_group(collect *pass, const vef_event *event, vef_error *error) {
    uint32_t number;
    vef_code code = VEF_OK;
    if (vef_event_starts_request(event))
        code = outstanding(pass, event->request, 0, OUT_PLAIN, error);
    if (event->flags & VEF_EVENT_MUTED)
        return code; /* needs no communicator in the trace */
    if (!code && event->comm != VEF_NO_COMM)
        code = vef_merge_comm(pass->state, pass->task, event->comm, &number, error);
    if (!code && event->new_comm != VEF_NO_COMM)
        code = vef_merge_comm(pass->state, pass->task, event->new_comm, &number, error);
    return code;
}

static vef_code collect_one_sided(collect *pass, const vef_event *event, vef_error *error) {
    uint32_t number;
    vef_code code = VEF_OK;
    for (uint32_t i = 0; i < event->operation_count && !code; i++) {
        const vef_operation *operation = &event->operations[i];
        code = outstanding(pass, operation->request, operation->comm, OUT_PLAIN, error);
        if (!code && !(event->flags & VEF_EVENT_MUTED))
            code = vef_merge_comm(pass->state, pass->task, operation->comm, &number, error);
    }
    return code;
}

static void collect_local(collect *pass, const vef_event *event) {
    vef_merge_task *part = &pass->state->task[pass->task];
    uint64_t request = (uint64_t)event->argument;
    if (!vef_call_names_request(event->call))
        return;
    if (request >= pass->facts->requests || !vef_merge_bit(pass->started, request)) {
        part->renumbered = true;
        return;
    }
    uint64_t *value = vef_map64_get(&pass->state->requests, request);
    if (vef_call_has(event->call, VEF_FACT_CANCELS) && value)
        *value |= OUT_CANCEL;
    if (!vef_event_releases(event))
        return;
    if (!part->ready)
        part->ready = vef_calloc(pass->facts->requests / 8 + 1, 1);
    part->ready[request >> 3] |= (uint8_t)(1 << (request & 7));
}

static vef_code collect_event(collect *pass, const vef_event *event, uint64_t place,
                              vef_error *error) {
    uint32_t number;
    vef_code code;
    switch (vef_call_kind(event->call)) {
    case VEF_KIND_TRANSFER:
        return collect_transfer(pass, event, error);
    case VEF_KIND_PROBE:
        return collect_probe(pass, event, error);
    case VEF_KIND_COMPLETE:
        return collect_completions(pass, event, error);
    case VEF_KIND_COLLECTIVE:
    case VEF_KIND_COMM:
        return collect_group(pass, event, error);
    case VEF_KIND_LOCAL:
        collect_local(pass, event);
        break;
    case VEF_KIND_ONE_SIDED:
        return collect_one_sided(pass, event, error);
    case VEF_KIND_SYNC:
        code = collect_sync(pass, event, error);
        if (!code)
            vef_locks_see(&pass->locks, event, place, !(event->flags & VEF_EVENT_MUTED),
                          &pass->state->task[pass->task].unpaired);
        if (code || event->flags & VEF_EVENT_MUTED)
            return code;
        return vef_merge_comm(pass->state, pass->task, event->comm, &number, error);
    case VEF_KIND_REGION:
    case VEF_KIND_AS:
    case VEF_KIND_COUNTED:
        break;
    }
    return VEF_OK;
}

/* Requests that the log never completes. A receive with a known envelope may have received a
 * message; one with a wildcard, or cancelled, receives none. */
static void settle_outstanding(const collect *pass) {
    vef_map64 *requests = &pass->state->requests;
    for (size_t i = 0; i < requests->capacity; i++) {
        uint64_t value = requests->values[i];
        if (requests->keys[i] == UINT64_MAX || (value & OUT_PLAIN))
            continue;
        if (value & OUT_SEND) {
            if (value & OUT_CANCEL)
                vef_sent_flag(&pass->matcher->sent[(uint32_t)value], VEF_SENT_CANCELLED);
            continue;
        }
        vef_received *received = &pass->matcher->received[(uint32_t)value];
        if (value & OUT_CANCEL)
            vef_received_flag(received, VEF_RECEIVE_CANCELLED, 0);
        else if (received->envelope == VEF_NO_INDEX)
            vef_received_flag(received, VEF_RECEIVE_NONE, 0);
    }
}

/* A receive that was in progress when a ring dropped its start: it may receive a message, and is
 * not in the trace. */
static vef_code collect_before(void *context, const vef_before_request *request, vef_error *error) {
    collect *pass = context;
    vef_operation operation = {.peer = request->peer,
                               .tag = request->tag,
                               .comm = request->comm,
                               .ordinal = VEF_NO_ORDINAL,
                               .request = request->request};
    vef_code code = collect_receive(pass, &operation, true, error);
    uint64_t *value = vef_map64_get(&pass->state->requests, request->request);
    if (!code && request->cancelled && value)
        *value |= OUT_CANCEL;
    return code;
}

static vef_code collect_events(collect *pass, vef_log_reader *log, vef_error *error) {
    vef_merge_task *part = &pass->state->task[pass->task];
    for (uint64_t number = 0;; number++) {
        const vef_event *event;
        vef_code code = vef_merge_go_on(pass->state, number, error);
        if (!code)
            code = vef_log_reader_next(log, &event, error);
        if (code || !event)
            return code;
        part->renumbered |= (event->flags & VEF_EVENT_MUTED) != 0;
        pass->now = event->left;
        if (event->site)
            vef_merge_site(pass->state, pass->task, pass->facts, event->site);
        code = collect_event(pass, event, number, error);
        if (!code) {
            note_call(pass, event);
            code = collect_joint(pass, event, error);
        }
        if (!code)
            code = count_collective(pass, event, error);
        if (code)
            return vef_fail_within(error, "log of task %u, event %llu (%s)", pass->task,
                                   (unsigned long long)number, vef_call_name(event->call));
    }
}

vef_code vef_merge_collect(vef_merge_state *state, uint32_t task, vef_log_reader *log,
                           vef_error *error) {
    const vef_log_facts *facts = vef_log_reader_facts(log);
    collect pass = {.state = state, .matcher = &state->matcher, .facts = facts, .task = task};
    vef_merge_task *part = &state->task[task];
    part->found = true;
    part->end = facts->stopped ? VEF_LOG_FULL : facts->end;
    part->skipped = facts->skipped > 0;
    state->rings |= part->skipped;
    part->requests = facts->requests;
    part->number_count = facts->communicator_count;
    part->completed = vef_calloc(facts->requests / 8 + 1, 1);
    pass.started = vef_calloc(facts->requests / 8 + 1, 1);
    if (facts->threads > 1)
        vef_matcher_note_rest(&state->matcher);
    vef_code code = vef_groups_add_task(state->groups, task, facts->communicators,
                                        facts->communicator_count, &part->numbers, error);
    if (!code)
        vef_merge_under_way(state, task, facts);
    vef_map64_clear(&state->requests);
    vef_map64_clear(&state->handles);
    vef_map64_clear(&state->early);
    state->without_summary |= facts->skipped > 0 && facts->before->events == 0;
    if (!code)
        code = vef_merge_joint_begin(state, task, facts, error);
    if (!code && facts->skipped > 0)
        code = vef_merge_before(state, task, facts, collect_before, &pass, error);
    if (!code) {
        note_call(&pass, &(vef_event){.call = VEF_CALL_Startall});
        code = collect_events(&pass, log, error);
    }
    if (!code) {
        vef_locks_end(&pass.locks, &part->unpaired);
        part->renumbered |= pass.started_count != facts->requests || facts->skipped > 0;
        settle_outstanding(&pass);
        code = vef_matcher_settle(&state->matcher, part->first_sent, error);
    }
    free(pass.started);
    free(pass.early);
    vef_map64_free(&pass.locks);
    return code;
}
