/* The second pass of a slice: adapts and writes its events. See slice_state.h. */
#include "common/grow.h"
#include "traces/slice/slice_state.h"

#include "common/memory.h"
#include "traces/stats/stats.h"

#include <stdlib.h>

/* Lists of the current event, at most as long as the original ones. */
typedef struct lists {
    vef_operation *operations;
    vef_completion *completions;
    uint64_t *sends, *receives;
    int32_t *peers;
    size_t operation_capacity, completion_capacity, send_capacity, receive_capacity, peer_capacity;
} lists;

/* Time of events left out, by thread. */
typedef struct carried {
    uint64_t gap_ns, outside_ns;
    bool sent;        /* of an unselected source: time of its last message */
    uint64_t sent_ns; /* since the start of the task */
} carried;

typedef struct task_writer {
    vef_slice_state *state;
    vef_writer *writer;
    lists lists;
    carried *threads;
    uint64_t next_request;
} task_writer;

static void make_room(lists *room, const vef_event *event) {
    vef_grow(&room->operations, &room->operation_capacity, event->operation_count + 1ull,
             sizeof *room->operations);
    vef_grow(&room->completions, &room->completion_capacity, event->completion_count + 1ull,
             sizeof *room->completions);
    vef_grow(&room->sends, &room->send_capacity, event->send_count + 1ull, sizeof *room->sends);
    vef_grow(&room->receives, &room->receive_capacity, event->receive_count + 1ull,
             sizeof *room->receives);
    vef_grow(&room->peers, &room->peer_capacity, event->peer_count + 1ull, sizeof *room->peers);
}

/* ---- requests ---- */

static bool is_open(const vef_slice_state *state, uint64_t request) {
    return vef_map64_get(&state->open, request);
}

/* The new number of a request that begins, or that has begun in this event (Isendrecv). */
static uint64_t begin_request(task_writer *self, uint64_t request) {
    vef_map64 *requests = &self->state->requests;
    const uint64_t *known = vef_map64_get(requests, request);
    if (known)
        return *known;
    vef_map64_set(requests, request, self->next_request);
    return self->next_request++;
}

/* ---- operations ---- */

/* Unselected tasks are in no communicator of the result but the world. */
static uint32_t comm_of(const vef_slice_state *state, const vef_operation *operation) {
    bool both =
        vef_slice_chosen(state, (int32_t)state->task) && vef_slice_chosen(state, operation->peer);
    uint32_t number = state->comms[operation->comm].number;
    return operation->comm == 0 || !both || number == VEF_NO_COMM ? 0 : number;
}

/* The number of a message in the result; false: not in the result. */
static bool find_message(const vef_slice_state *state, const vef_operation *operation, bool send,
                         const vef_slice_pair **pair, uint64_t *rank) {
    uint32_t peer = (uint32_t)operation->peer;
    *pair = send ? vef_slice_find_pair(state, state->task, peer)
                 : vef_slice_find_pair(state, peer, state->task);
    return *pair && vef_runs_has(&(*pair)->kept, operation->ordinal, rank);
}

static void fit_send(vef_slice_state *state, vef_operation *operation) {
    const vef_slice_pair *pair = NULL;
    uint64_t old = operation->ordinal;
    if (!find_message(state, operation, true, &pair, &operation->ordinal))
        return;
    if (!vef_runs_has(&pair->received, old, NULL)) {
        state->result->unmatched_sends += !(operation->flags & VEF_OP_UNMATCHED);
        operation->flags |= VEF_OP_UNMATCHED;
        operation->flags &= (uint16_t)~VEF_OP_PROBED;
    }
}

static void fit_receive(vef_slice_state *state, vef_operation *operation, bool probe) {
    const vef_slice_pair *pair = NULL;
    uint64_t rank = 0;
    bool there = find_message(state, operation, false, &pair, &rank);
    /* A message that is never received is not there for probes either, unless the trace keeps it
     * for its probes and the last of them is inside. */
    if (there && probe)
        there = vef_runs_has(&pair->received, operation->ordinal, NULL);
    operation->ordinal = there ? rank : VEF_NO_ORDINAL;
    if (there)
        return;
    operation->flags |= VEF_OP_UNMATCHED;
    state->result->unmatched_receives += !probe;
}

static void fit_operation(task_writer *self, vef_operation *operation, bool probe) {
    vef_slice_state *state = self->state;
    bool send = (operation->flags & VEF_OP_SEND) && !probe;
    if (operation->request != VEF_NO_REQUEST) {
        uint64_t old = operation->request;
        if (is_open(state, old))
            operation->flags |= VEF_OP_OPEN_ENDED;
        if (send && vef_map64_get(&state->unnamed, old))
            operation->flags &= (uint16_t)~VEF_OP_PARTITIONED;
        operation->request = begin_request(self, old);
    }
    if (operation->peer != VEF_NO_TASK && !(operation->flags & VEF_OP_CANCELLED) &&
        operation->ordinal != VEF_NO_ORDINAL) {
        if (send)
            fit_send(state, operation);
        else
            fit_receive(state, operation, probe);
    }
    operation->comm = comm_of(state, operation);
}

static void fit_operations(task_writer *self, vef_event *event, bool *keep) {
    vef_slice_state *state = self->state;
    bool probe = vef_call_kind(event->call) == VEF_KIND_PROBE;
    for (uint32_t i = 0; i < event->operation_count; i++)
        if ((event->operations[i].flags & VEF_OP_GENERALISED) &&
            vef_map64_get(&state->unnamed, event->operations[i].request)) {
            *keep = false;
            state->result->requests++;
            return;
        }
    for (uint32_t i = 0; i < event->operation_count; i++) {
        self->lists.operations[i] = event->operations[i];
        fit_operation(self, &self->lists.operations[i], probe);
    }
    event->operations = self->lists.operations;
}

/* ---- other kinds ---- */

static void fit_completions(task_writer *self, vef_event *event) {
    vef_slice_state *state = self->state;
    bool kept = vef_call_has(event->call, VEF_FACT_INSPECTS);
    uint32_t count = 0;
    for (uint32_t i = 0; i < event->completion_count; i++) {
        vef_completion completion = event->completions[i];
        uint64_t number = 0;
        const uint64_t *known = vef_map64_get(&state->requests, completion.request);
        if (!known) {
            state->result->requests++;
            continue;
        }
        number = *known;
        if (!kept)
            vef_map64_take(&state->requests, completion.request, &number);
        completion.request = number;
        self->lists.completions[count++] = completion;
    }
    event->completion_count = count;
    event->completions = self->lists.completions;
}

static void fit_collective(task_writer *self, vef_event *event, bool *keep) {
    vef_slice_state *state = self->state;
    *keep = vef_slice_keeps_collective(state, event);
    if (!*keep) {
        state->result->collectives++;
        return;
    }
    if (vef_call_sync(event->call) == VEF_SYNC_FENCE)
        state->comms[event->comm].fenced_task = state->task + 1;
    vef_slice_shrink(state, event, self->lists.sends, self->lists.receives);
    if (!vef_event_starts_request(event) || event->request == VEF_NO_REQUEST)
        return;
    if (is_open(state, event->request))
        event->flags |= VEF_EVENT_OPEN_ENDED;
    event->request = begin_request(self, event->request);
}

static void fit_one_sided(task_writer *self, vef_event *event, bool *keep) {
    vef_slice_state *state = self->state;
    for (uint32_t i = 0; i < event->operation_count; i++) {
        vef_operation *operation = &self->lists.operations[i];
        *operation = event->operations[i];
        uint32_t number = state->comms[operation->comm].number;
        bool nobody = operation->peer == VEF_NO_TASK; /* needs no epoch */
        *keep = number != VEF_NO_COMM &&
                (nobody || (vef_slice_chosen(state, operation->peer) &&
                            vef_slice_covers(state, operation->comm, operation->peer)));
        if (!*keep) {
            state->result->one_sided++;
            return;
        }
        operation->comm = number;
        if (operation->request == VEF_NO_REQUEST)
            continue;
        if (is_open(state, operation->request))
            operation->flags |= VEF_OP_OPEN_ENDED;
        operation->request = begin_request(self, operation->request);
    }
    event->operations = self->lists.operations;
}

static void fit_sync(task_writer *self, vef_event *event, bool *keep) {
    vef_slice_state *state = self->state;
    uint32_t count = 0;
    if (event->comm >= state->header->communicator_count) {
        *keep = false;
        return;
    }
    if (vef_event_target_is_null(event)) {
        self->lists.peers[count++] = VEF_NO_TASK;
    } else if (vef_slice_is_epoch(event)) {
        *keep = vef_slice_keeps_epoch(state, event, true, self->lists.peers, &count);
    } else {
        for (uint32_t i = 0; i < event->peer_count; i++)
            if (vef_slice_chosen(state, event->peers[i]) &&
                vef_slice_covers(state, event->comm, event->peers[i]))
                self->lists.peers[count++] = event->peers[i];
        *keep = count > 0 || event->peer_count == 0;
    }
    event->peers = self->lists.peers;
    event->peer_count = count;
    event->comm = state->comms[event->comm].number;
    *keep = *keep && event->comm != VEF_NO_COMM;
    state->result->one_sided += !*keep;
}

static void fit_local(task_writer *self, vef_event *event, bool *keep) {
    self->state->begun |= vef_call_has(event->call, VEF_FACT_BEGINS);
    if (!vef_call_names_request(event->call))
        return;
    const uint64_t *known = vef_map64_get(&self->state->requests, (uint64_t)event->argument);
    /* A partitioned send that sends its data at its start becomes an ordinary one. */
    bool unnamed = vef_map64_get(&self->state->unnamed, (uint64_t)event->argument);
    *keep = known && (!unnamed || vef_call_has(event->call, VEF_FACT_CANCELS));
    if (*keep)
        event->argument = (int64_t)*known;
    else
        self->state->result->requests++;
}

/* Replaces an event that is inside by its adapted form; `*keep` false: drops it. */
static void fit(task_writer *self, vef_event *event, bool *keep) {
    make_room(&self->lists, event);
    *keep = true;
    if (vef_slice_lacks_members(event)) {
        *keep = false;
        self->state->result->collectives++;
        return;
    }
    if (vef_slice_is_collective(event)) { /* fences among them */
        fit_collective(self, event, keep);
        return;
    }
    switch (vef_call_kind(event->call)) {
    case VEF_KIND_TRANSFER:
    case VEF_KIND_PROBE:
        fit_operations(self, event, keep);
        break;
    case VEF_KIND_COMPLETE:
        fit_completions(self, event);
        break;
    case VEF_KIND_ONE_SIDED:
        fit_one_sided(self, event, keep);
        break;
    case VEF_KIND_SYNC:
        fit_sync(self, event, keep);
        break;
    case VEF_KIND_LOCAL:
        fit_local(self, event, keep);
        break;
    case VEF_KIND_REGION:
        *keep = !vef_map64_get(&self->state->left_out, self->state->event);
        break;
    case VEF_KIND_COLLECTIVE:
    case VEF_KIND_COMM:
    case VEF_KIND_AS:
    case VEF_KIND_COUNTED:
        break;
    }
}

/* ---- events ---- */

/* The part of the time before an event that is in the slice: computation is nearest to the call. */
static void cut_time(vef_event *event, uint64_t before_ns) {
    if (event->gap_ns > before_ns)
        event->gap_ns = before_ns;
    before_ns -= event->gap_ns;
    if (event->outside_ns > before_ns)
        event->outside_ns = before_ns;
}

static vef_code write_inside(task_writer *self, const vef_event *given, vef_error *error) {
    vef_event event = *given;
    carried *thread = &self->threads[event.thread];
    bool keep = true;
    cut_time(&event, self->state->selector.before_ns);
    fit(self, &event, &keep);
    if (!keep) {
        thread->gap_ns += event.gap_ns;
        thread->outside_ns += event.outside_ns;
        return VEF_OK;
    }
    event.gap_ns += thread->gap_ns;
    event.outside_ns += thread->outside_ns;
    thread->gap_ns = thread->outside_ns = 0;
    self->state->result->events++;
    return vef_writer_event(self->writer, self->state->task, &event, error);
}

/* When an unselected source sends: the time since its last message, as far as it is in the slice.
 */
static uint64_t time_to_send(task_writer *self, const vef_event *event, bool in_time) {
    const vef_selector *selector = &self->state->selector;
    carried *thread = &self->threads[event->thread];
    if (!in_time || vef_slice_chosen(self->state, (int32_t)self->state->task))
        return 0;
    uint64_t since_ns = selector->since_ns;
    if (thread->sent && thread->sent_ns > since_ns)
        since_ns = thread->sent_ns;
    thread->sent = true;
    thread->sent_ns = selector->entered_ns;
    return selector->entered_ns > since_ns ? selector->entered_ns - since_ns : 0;
}

/* The messages of an event outside that are received inside: one event, since the calls of a thread
 * do not overlap. */
static vef_code write_outside(task_writer *self, const vef_event *given, bool in_time,
                              vef_error *error) {
    vef_slice_state *state = self->state;
    vef_operation *operations = self->lists.operations;
    uint32_t count = 0;
    if (vef_call_kind(given->call) != VEF_KIND_TRANSFER || state->options->drop_outside)
        return VEF_OK;
    for (uint32_t i = 0; i < given->operation_count; i++) {
        vef_operation operation = given->operations[i];
        const vef_slice_pair *pair = NULL;
        uint64_t rank = 0;
        if (!(operation.flags & VEF_OP_SEND) || (operation.flags & VEF_OP_CANCELLED) ||
            operation.peer == VEF_NO_TASK || operation.ordinal == VEF_NO_ORDINAL ||
            !find_message(state, &operation, true, &pair, &rank) ||
            !vef_runs_has(&pair->received, operation.ordinal, NULL))
            continue;
        operation.flags &= VEF_OP_UNMATCHED | VEF_OP_PROBED;
        operation.flags |= VEF_OP_SEND | VEF_OP_OPEN_ENDED;
        operation.ordinal = rank;
        operation.comm = comm_of(state, &operation);
        operation.request = self->next_request++;
        operations[count++] = operation;
    }
    if (count == 0)
        return VEF_OK;
    const vef_event event = {.call = count == 1 ? VEF_CALL_Isend : VEF_CALL_Startall,
                             .thread = given->thread,
                             .outside_ns = time_to_send(self, given, in_time),
                             .repeats = 1,
                             .entered = given->entered,
                             .left = given->left,
                             .operation_count = count,
                             .operations = operations,
                             .request = VEF_NO_REQUEST,
                             .comm = VEF_NO_COMM,
                             .new_comm = VEF_NO_COMM,
                             .root = -1};
    state->result->from_outside += count;
    return vef_writer_event(self->writer, state->task, &event, error);
}

/* Collectives and epochs are counted outside too, so that their numbers equal those of the survey.
 */
static void count_outside(task_writer *self, const vef_event *event) {
    vef_slice_state *state = self->state;
    uint32_t count;
    uint64_t number;
    if (event->comm >= state->header->communicator_count ||
        !vef_slice_chosen(state, (int32_t)state->task))
        return;
    if (vef_slice_is_collective(event) && !vef_call_has(event->call, VEF_FACT_BY_MEMBERS))
        vef_slice_next_collective(state, event, &number);
    else if (vef_slice_is_epoch(event))
        vef_slice_keeps_epoch(state, event, false, self->lists.peers, &count);
}

static vef_code write_event(task_writer *self, const vef_event *event, vef_error *error) {
    vef_slice_state *state = self->state;
    bool in = vef_selector_next(&state->selector, event);
    if (in && vef_slice_chosen(state, (int32_t)state->task))
        return write_inside(self, event, error);
    make_room(&self->lists, event);
    count_outside(self, event);
    return write_outside(self, event, in, error);
}

/* ---- tasks ---- */

static void to_map(const vef_slice_list *list, vef_map64 *map) {
    vef_map64_clear(map);
    for (size_t i = 0; i < list->count; i++)
        vef_map64_set(map, list->number[i], 1);
}

static void begin_task(task_writer *self) {
    vef_slice_state *state = self->state;
    const vef_slice_task *task = &state->tasks[state->task];
    uint32_t threads = state->header->task[state->task].threads;
    vef_selector_begin(&state->selector, state->options, threads);
    self->next_request = 0;
    self->threads = vef_calloc(threads, sizeof *self->threads);
    to_map(&task->open, &state->open);
    to_map(&task->unnamed, &state->unnamed);
    to_map(&task->left_out, &state->left_out);
}

static vef_code write_task(task_writer *self, vef_error *error) {
    vef_slice_state *state = self->state;
    vef_task_events *events = NULL;
    const vef_event *event = NULL;
    state->event = 0;
    vef_code code = vef_task_events_open(state->trace, state->task, &events, error);
    if (!code)
        begin_task(self);
    while (!code && (code = vef_task_events_next(events, &event, error)) == VEF_OK && event) {
        code = write_event(self, event, error);
        state->event++;
        vef_slice_tick(state);
    }
    if (!code)
        code = vef_slice_end_task(state, self->writer, error);
    free(self->threads);
    self->threads = NULL;
    vef_map64_clear(&state->requests);
    vef_map64_clear(&state->locks);
    vef_map64_clear(&state->starts);
    state->begun = false;
    vef_selector_end(&state->selector);
    vef_task_events_close(events);
    return code;
}

vef_code vef_slice_write(vef_slice_state *state, vef_writer *writer, vef_error *error) {
    task_writer self = {.state = state, .writer = writer};
    vef_code code = VEF_OK;
    for (size_t i = 0; i < state->call_count; i++)
        state->calls[i].at_task = 0;
    for (state->task = 0; state->task < state->header->tasks && !code; state->task++)
        code = write_task(&self, error);
    free(self.lists.operations);
    free(self.lists.completions);
    free(self.lists.sends);
    free(self.lists.receives);
    free(self.lists.peers);
    return code;
}
