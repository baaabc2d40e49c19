/* The second pass of a slice: adapts and writes its events. See slice_state.h. */
#include "common/containers/grow.h"
#include "traces/slice/slice_state.h"

#include "common/memory.h"

#include <stdlib.h>

/* Time of events left out, by thread. */
typedef struct carried {
    uint64_t gap_ns, outside_ns;
    bool sent;        /* of an unselected source: time of its last message */
    uint64_t sent_ns; /* since the start of the task */
} carried;

typedef struct task_writer {
    vef_slice_state *state;
    vef_writer *writer;
    vef_rewriter rewriter;
    vef_event_room room;
    carried *threads;
    uint64_t next_request;
} task_writer;

/* ---- requests ---- */

static bool is_open(const vef_slice_state *state, uint64_t request) {
    return vef_runs_has(&state->tasks[state->task].open, request, NULL);
}

static bool is_unnamed(const vef_slice_state *state, uint64_t request) {
    return vef_runs_has(&state->tasks[state->task].unnamed, request, NULL);
}

/* The new number of a request that begins, or that has begun in this event (Isendrecv). */
static void begin_request(task_writer *pass, uint64_t *request) {
    vef_map64 *requests = &pass->state->requests;
    const uint64_t *known = vef_map64_get(requests, *request);
    if (!known)
        vef_map64_set(requests, *request, pass->next_request);
    *request = known ? *known : pass->next_request++;
}

/* Requests that began outside are dropped. A partitioned send that sends its data at its start
 * becomes an ordinary one. */
static bool fit_request(void *context, const vef_field_place *place, vef_use use,
                        uint64_t *request) {
    task_writer *pass = context;
    vef_slice_state *state = pass->state;
    const uint16_t call = place->event->call;
    const uint64_t old = *request;
    if (use == VEF_USE_STARTS) {
        begin_request(pass, request);
        return true;
    }
    const uint64_t *known = vef_map64_get(&state->requests, old);
    if (!known ||
        (use == VEF_USE_NAMES && is_unnamed(state, old) && !vef_call_has(call, VEF_FACT_CANCELS))) {
        state->result->requests++;
        return false;
    }
    *request = *known;
    if (use == VEF_USE_COMPLETES && !vef_call_has(call, VEF_FACT_INSPECTS))
        vef_map64_take(&state->requests, old, request);
    return true;
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

static bool keeps_operation(void *context, const vef_field_place *place) {
    const vef_slice_state *state = ((const task_writer *)context)->state;
    const vef_operation *operation = place->operation;
    const bool general = operation->flags & VEF_OP_GENERALISED;
    if (general && is_unnamed(state, operation->request)) {
        state->result->requests++;
        return false;
    }
    if (vef_call_kind(place->event->call) != VEF_KIND_ONE_SIDED ||
        (state->comms[operation->comm].number != VEF_NO_COMM &&
         (operation->peer == VEF_NO_TASK || /* needs no epoch */
          (vef_slice_chosen(state, operation->peer) &&
           vef_slice_covers(state, operation->comm, operation->peer)))))
        return true;
    state->result->one_sided++;
    return false;
}

static bool fit_operation(void *context, const vef_field_place *place, vef_operation *operation) {
    vef_slice_state *state = ((const task_writer *)context)->state;
    const vef_operation *given = place->operation;
    const vef_kind kind = vef_call_kind(place->event->call);
    const bool send = (given->flags & VEF_OP_SEND) && kind == VEF_KIND_TRANSFER;
    if (given->request != VEF_NO_REQUEST && is_open(state, given->request))
        operation->flags |= VEF_OP_OPEN_ENDED;
    if (kind == VEF_KIND_ONE_SIDED)
        return true;
    if (send && given->request != VEF_NO_REQUEST && is_unnamed(state, given->request))
        operation->flags &= (uint16_t)~VEF_OP_PARTITIONED;
    if (given->peer == VEF_NO_TASK || (given->flags & VEF_OP_CANCELLED) ||
        given->ordinal == VEF_NO_ORDINAL)
        return true;
    if (send)
        fit_send(state, operation);
    else
        fit_receive(state, operation, kind == VEF_KIND_PROBE);
    return true;
}

static bool fit_comm(void *context, const vef_field_place *place, uint32_t *comm) {
    const vef_slice_state *state = ((const task_writer *)context)->state;
    if (place->operation && vef_call_kind(place->event->call) != VEF_KIND_ONE_SIDED)
        *comm = comm_of(state, place->operation);
    else if (*comm != VEF_NO_COMM)
        *comm = state->comms[*comm].number;
    return true;
}

/* ---- other kinds ---- */

/* A collective or fence; false: left out. */
static bool fit_collective(vef_slice_state *state, vef_event *event) {
    if ((event->flags & VEF_EVENT_UNMATCHED) || !vef_slice_keeps_collective(state, event)) {
        state->result->collectives++;
        return false;
    }
    if (vef_call_sync(event->call) == VEF_SYNC_FENCE)
        state->comms[event->comm].fenced_task = state->task + 1;
    if (vef_event_starts_request(event) && event->request != VEF_NO_REQUEST &&
        is_open(state, event->request))
        event->flags |= VEF_EVENT_OPEN_ENDED;
    return true;
}

/* Of a synchronisation of a window, the peers that stay. */
static bool fit_task(void *context, const vef_field_place *place, int32_t *task) {
    vef_slice_state *state = ((const task_writer *)context)->state;
    return place->operation || vef_slice_keeps_peer(state, place->event, true, *task);
}

/* The communicator of a collective that shrinks, or NULL. */
static const vef_communicator *shrinking(const vef_slice_state *state, const vef_event *event) {
    const bool shrinks =
        vef_call_kind(event->call) == VEF_KIND_COLLECTIVE && state->comms[event->comm].shrinks;
    return shrinks ? &state->header->communicators[event->comm] : NULL;
}

static bool fit_rank(void *context, const vef_field_place *place, int32_t *rank) {
    const vef_slice_state *state = ((const task_writer *)context)->state;
    if (shrinking(state, place->event))
        *rank = (int32_t)state->comms[place->event->comm].new_rank[*rank];
    return true;
}

static bool fit_per_rank(void *context, const vef_field_place *place, uint32_t ranks, uint32_t rank,
                         uint64_t *bytes) {
    const vef_slice_state *state = ((const task_writer *)context)->state;
    const vef_communicator *comm = shrinking(state, place->event);
    (void)bytes;
    return !comm || ranks != comm->size || vef_slice_chosen(state, (int32_t)comm->members[rank]);
}

/* The elements of a reduction are those of all parts, in proportion to their bytes. */
static bool fit_elements(void *context, const vef_field_place *place, uint64_t *elements) {
    const vef_slice_state *state = ((const task_writer *)context)->state;
    const vef_event *event = place->event;
    const vef_communicator *comm = shrinking(state, event);
    uint64_t whole = 0, left = 0;
    if (!comm || event->receive_count != comm->size || !vef_call_has(event->call, VEF_FACT_REDUCES))
        return true;
    for (uint32_t i = 0; i < comm->size; i++) {
        whole += event->receive_bytes[i];
        left += vef_slice_chosen(state, (int32_t)comm->members[i]) ? event->receive_bytes[i] : 0;
    }
    if (whole > 0) {
        const uint64_t element = *elements > 0 ? whole / *elements : 0;
        *elements = element > 0 ? left / element : 0;
    }
    return true;
}

/* Adapts an event that is inside; false: drops it. */
static bool fit(task_writer *pass, vef_event *given, vef_event *event) {
    vef_slice_state *state = pass->state;
    const vef_kind kind = vef_call_kind(given->call);
    uint32_t comm;
    const bool collective = vef_joint_comm(given, &comm);
    if ((collective && !fit_collective(state, given)) ||
        (kind == VEF_KIND_REGION &&
         vef_runs_has(&state->tasks[state->task].left_out, state->event, NULL)))
        return false;
    state->begun |= vef_call_has(given->call, VEF_FACT_BEGINS);
    bool keeps = vef_rewrite(&pass->rewriter, given, event);
    if (kind == VEF_KIND_SYNC && !collective) {
        keeps = vef_slice_keeps_epoch(state, given, true, event->peer_count) &&
                event->comm != VEF_NO_COMM;
        state->result->one_sided += !keeps;
    }
    return keeps;
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

static vef_code write_inside(task_writer *pass, const vef_event *given, vef_error *error) {
    vef_event cut = *given, event;
    carried *thread = &pass->threads[given->thread];
    cut_time(&cut, pass->state->selector.before_ns);
    if (!fit(pass, &cut, &event)) {
        thread->gap_ns += cut.gap_ns;
        thread->outside_ns += cut.outside_ns;
        return VEF_OK;
    }
    event.gap_ns += thread->gap_ns;
    event.outside_ns += thread->outside_ns;
    thread->gap_ns = thread->outside_ns = 0;
    pass->state->result->events++;
    return vef_writer_event(pass->writer, pass->state->task, &event, error);
}

/* When an unselected source sends: the time since its last message, as far as it is in the slice.
 */
static uint64_t time_to_send(task_writer *pass, const vef_event *event, bool in_time) {
    const vef_selector *selector = &pass->state->selector;
    carried *thread = &pass->threads[event->thread];
    if (!in_time || vef_slice_chosen(pass->state, (int32_t)pass->state->task))
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
static vef_code write_outside(task_writer *pass, const vef_event *given, bool in_time,
                              vef_error *error) {
    vef_slice_state *state = pass->state;
    uint32_t count = 0;
    if (vef_call_kind(given->call) != VEF_KIND_TRANSFER || state->options->drop_outside)
        return VEF_OK;
    vef_grow(&pass->room.operations, &pass->room.operations_capacity, given->operation_count,
             sizeof *pass->room.operations);
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
        operation.request = pass->next_request++;
        pass->room.operations[count++] = operation;
    }
    if (count == 0)
        return VEF_OK;
    const vef_event event = {.call = count == 1 ? VEF_CALL_Isend : VEF_CALL_Startall,
                             .thread = given->thread,
                             .site = given->site,
                             .outside_ns = time_to_send(pass, given, in_time),
                             .repeats = 1,
                             .entered = given->entered,
                             .left = given->left,
                             .operation_count = count,
                             .operations = pass->room.operations,
                             .request = VEF_NO_REQUEST,
                             .comm = VEF_NO_COMM,
                             .new_comm = VEF_NO_COMM,
                             .root = -1};
    state->result->from_outside += count;
    return vef_writer_event(pass->writer, state->task, &event, error);
}

/* Collectives and epochs are counted outside too, so that their numbers equal those of the survey.
 */
static void count_outside(vef_slice_state *state, const vef_event *event) {
    if (!vef_slice_chosen(state, (int32_t)state->task))
        return;
    if (vef_slice_is_collective(event)) {
        vef_slice_keeps_collective(state, event);
    } else if (vef_slice_is_epoch(event)) {
        for (uint32_t i = 0; i < event->peer_count; i++)
            vef_slice_keeps_peer(state, event, false, event->peers[i]);
        vef_slice_keeps_epoch(state, event, false, 0);
    }
}

static vef_code write_event(task_writer *pass, const vef_event *event, vef_error *error) {
    vef_slice_state *state = pass->state;
    bool in = vef_selector_next(&state->selector, event);
    if (in && vef_slice_chosen(state, (int32_t)state->task))
        return write_inside(pass, event, error);
    count_outside(state, event);
    return write_outside(pass, event, in, error);
}

/* ---- tasks ---- */

static void begin_task(task_writer *pass) {
    vef_slice_state *state = pass->state;
    uint32_t threads = state->header->task[state->task].threads;
    vef_selector_begin(&state->selector, state->options, threads);
    pass->next_request = 0;
    pass->threads = vef_calloc(threads, sizeof *pass->threads);
}

static vef_code write_task(task_writer *pass, vef_error *error) {
    vef_slice_state *state = pass->state;
    vef_task_events *events = NULL;
    const vef_event *event = NULL;
    state->event = 0;
    vef_code code = vef_task_events_open(state->trace, state->task, &events, error);
    if (!code)
        begin_task(pass);
    while (!code && (code = vef_task_events_next(events, &event, error)) == VEF_OK && event) {
        code = write_event(pass, event, error);
        state->event++;
        vef_slice_tick(state);
    }
    if (!code)
        code = vef_slice_end_task(state, pass->writer, error);
    free(pass->threads);
    pass->threads = NULL;
    vef_map64_clear(&state->requests);
    vef_map64_clear(&state->locks);
    vef_map64_clear(&state->starts);
    state->begun = false;
    vef_selector_end(&state->selector);
    vef_task_events_close(events);
    return code;
}

vef_code vef_slice_write(vef_slice_state *state, vef_writer *writer, vef_error *error) {
    task_writer pass = {.state = state, .writer = writer};
    pass.rewriter = (vef_rewriter){.context = &pass,
                                   .keeps = keeps_operation,
                                   .task = fit_task,
                                   .comm = fit_comm,
                                   .request = fit_request,
                                   .operation = fit_operation,
                                   .room = &pass.room};
    if (state->options->chosen) { /* then communicators shrink */
        pass.rewriter.elements = fit_elements;
        pass.rewriter.rank = fit_rank;
        pass.rewriter.per_rank = fit_per_rank;
    }
    vef_code code = VEF_OK;
    for (state->task = 0; state->task < state->header->tasks && !code; state->task++)
        code = write_task(&pass, error);
    vef_event_room_free(&pass.room);
    return code;
}
