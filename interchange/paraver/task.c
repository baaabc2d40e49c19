/* The calls of a task of a Paraver trace as those of an import.
 *
 * Messages: a record names the time at which the send began, which is that of its call, and the
 * times at which the receive began and ended. These are those of its call if it blocks. If it does
 * not, Extrae takes the time at which Irecv returned, and that at which a Wait or Test returned
 * with it. Requests have no names, so a completion that no receive explains is that of the oldest
 * send, and Waitall completes all sends. A send or receive without a record is one of
 * MPI_PROC_NULL. */
#include "common/containers/grow.h"
#include "common/memory.h"
#include "interchange/paraver/calls_of_task.h"
#include "interchange/paraver/paraver.h"
#include "interchange/paraver/reading.h"
#include "traces/text/words.h"

#include <stdlib.h>
#include <string.h>

#define NOT_KNOWN_NS UINT64_MAX

/* A request under way. */
typedef struct request {
    uint64_t number, end_ns; /* a receive: when it completes; else NOT_KNOWN_NS */
    vef_completion completion;
} request;

/* A thread of the task. */
typedef struct strand {
    size_t send, send_end, receive, receive_end; /* places of its records */
    vef_import_thread times;
} strand;

typedef struct walk {
    vef_paraver_reading *reading;
    uint32_t task, threads;
    uint32_t seen; /* threads with calls so far */
    vef_paraver_calls calls;
    strand *strands;   /* by number in the file */
    bool several;      /* threads made calls */
    uint32_t *numbers; /* by place in the header: the communicator in the import */
    uint32_t *met;     /* by place in the header: collectives of the communicator so far */
    uint64_t requests;
    request *pending; /* in the order of their begin */
    size_t pending_count, pending_room;
    vef_operation *operations;
    size_t operation_count, operation_room;
    vef_completion *completions;
    size_t completion_count, completion_room;
} walk;

/* ---- operations ---- */

static void start_request(walk *walker, const request *started) {
    *VEF_NEW_ITEM(walker->pending, walker->pending_count, walker->pending_room) = *started;
}

vef_paraver_pair *vef_paraver_pair_open(vef_paraver_reading *reader, uint32_t from, uint32_t to) {
    const uint64_t key = (uint64_t)from << 32 | to, *known = vef_map64_get(&reader->pair_of, key);
    if (known)
        return &reader->pairs[*known];
    vef_grow(&reader->pairs, &reader->pair_room, reader->pair_count + 1, sizeof *reader->pairs);
    vef_map64_set(&reader->pair_of, key, reader->pair_count);
    reader->pairs[reader->pair_count] = (vef_paraver_pair){0};
    return &reader->pairs[reader->pair_count++];
}

/* Adds a send or receive; `record` NULL: of MPI_PROC_NULL. */
static void add_operation(walk *walker, const vef_paraver_entry *call, bool send,
                          const vef_paraver_record *record) {
    const bool starts = vef_call_has(call->call, VEF_FACT_STARTS);
    vef_operation operation = {.flags = vef_default_flags(call->call, send),
                               .peer = VEF_NO_TASK,
                               .ordinal = VEF_NO_ORDINAL,
                               .request = VEF_NO_REQUEST};
    request started = {.end_ns = NOT_KNOWN_NS, .completion.source = VEF_NO_TASK};
    vef_paraver_reading *reading = walker->reading;
    reading->alone += record == NULL;
    if (record) {
        const vef_paraver_pair *pair = vef_paraver_pair_open(
            reading, send ? walker->task : record->type, send ? record->type : walker->task);
        operation.peer = (int32_t)record->type;
        operation.tag = pair->overtakes ? (int32_t)record->number : record->tag;
        operation.bytes = send || !starts ? record->value : 0;
        reading->renumbered += send && pair->overtakes;
        if (!send) {
            started.end_ns = record->end_ns;
            started.completion = (vef_completion){
                .source = operation.peer, .tag = operation.tag, .bytes = record->value};
        }
    }
    if (starts) {
        operation.request = started.number = started.completion.request = walker->requests++;
        start_request(walker, &started);
    }
    *VEF_NEW_ITEM(walker->operations, walker->operation_count, walker->operation_room) = operation;
}

/* The record at a cursor, if it is of a time from `first` to `last`; those before it are passed. */
static const vef_paraver_record *take(walk *walker, size_t *next, size_t end, uint64_t first_ns,
                                      uint64_t last_ns) {
    const vef_paraver_record *records = walker->calls.records;
    for (; *next < end && records[*next].time_ns < first_ns; ++*next)
        walker->reading->stray++;
    return *next < end && records[*next].time_ns <= last_ns ? &records[(*next)++] : NULL;
}

/* The last ns at which a call may begin: that of its end belongs to the next call. */
static uint64_t last_of(const vef_paraver_entry *call) {
    return call->leave_ns > call->enter_ns ? call->leave_ns - 1 : call->leave_ns;
}

/* Whether the next call of the thread is a blocking receive that begins when this one ends, and the
 * record is its message. */
static bool is_of_next(const walk *walker, const vef_paraver_entry *call,
                       const vef_paraver_record *record) {
    const vef_paraver_entry *end = walker->calls.list + walker->calls.count, *next = call + 1;
    while (next < end && next->thread != call->thread)
        next++;
    return next < end && (next->call == VEF_CALL_Recv || next->call == VEF_CALL_Sendrecv) &&
           next->enter_ns == call->leave_ns && record->time_ns == next->enter_ns &&
           record->end_ns == next->leave_ns;
}

static const vef_paraver_record *take_started(walk *walker, strand *thread,
                                              const vef_paraver_entry *call) {
    const vef_paraver_record *found =
        take(walker, &thread->receive, thread->receive_end, call->enter_ns, call->leave_ns);
    if (!found || !is_of_next(walker, call, found))
        return found;
    /* The next call's record; that of this one may follow it at the same time. */
    vef_paraver_record *first = &walker->calls.records[--thread->receive];
    if (thread->receive + 1 == thread->receive_end || first[1].time_ns != first->time_ns ||
        is_of_next(walker, call, &first[1]))
        return NULL;
    const vef_paraver_record mine = first[1];
    first[1] = *first;
    *first = mine;
    thread->receive++;
    return first;
}

/* Start and Startall: all messages of that time. */
static void take_persistent(walk *walker, strand *thread, const vef_paraver_entry *call) {
    const vef_paraver_record *record;
    while ((record = take(walker, &thread->send, thread->send_end, call->enter_ns,
                          call->leave_ns)) != NULL)
        add_operation(walker, call, true, record);
    while ((record = take_started(walker, thread, call)) != NULL)
        add_operation(walker, call, false, record);
    if (walker->operation_count == 0 && call->call == VEF_CALL_Start)
        add_operation(walker, call, true, NULL);
}

/* A receive that has the request of the send before it, and completes with it. */
static void take_second(walk *walker, strand *thread, const vef_paraver_entry *call) {
    add_operation(walker, call, false, take_started(walker, thread, call));
    request *both = &walker->pending[walker->pending_count - 2];
    both->end_ns = both[1].end_ns;
    both->completion = both[1].completion;
    both->completion.request = both->number;
    walker->operations[walker->operation_count - 1].request = both->number;
    walker->pending_count--;
    walker->requests--;
}

static void take_messages(walk *walker, strand *thread, const vef_paraver_entry *call) {
    switch (call->call) {
    case VEF_CALL_Start:
    case VEF_CALL_Startall:
        take_persistent(walker, thread, call);
        return;
    case VEF_CALL_Irecv:
    case VEF_CALL_Imrecv:
        add_operation(walker, call, false, take_started(walker, thread, call));
        return;
    case VEF_CALL_Recv:
    case VEF_CALL_Mrecv:
        add_operation(
            walker, call, false,
            take(walker, &thread->receive, thread->receive_end, call->enter_ns, last_of(call)));
        return;
    default:
        break;
    }
    add_operation(walker, call, true,
                  take(walker, &thread->send, thread->send_end, call->enter_ns, last_of(call)));
    if (call->call == VEF_CALL_Sendrecv || call->call == VEF_CALL_Sendrecv_replace)
        add_operation(
            walker, call, false,
            take(walker, &thread->receive, thread->receive_end, call->enter_ns, last_of(call)));
    if (vef_call_has(call->call, VEF_FACT_ONE_REQUEST))
        take_second(walker, thread, call);
}

/* ---- completions ---- */

static void complete(walk *walker, size_t place) {
    *VEF_NEW_ITEM(walker->completions, walker->completion_count, walker->completion_room) =
        walker->pending[place].completion;
    memmove(&walker->pending[place], &walker->pending[place + 1],
            (--walker->pending_count - place) * sizeof *walker->pending);
}

/* Completes what had arrived when the call returned, and sends as stated above. */
static void take_completions(walk *walker, const vef_paraver_entry *call) {
    const bool whole = call->call == VEF_CALL_Waitall || call->call == VEF_CALL_Testall;
    const bool some = call->call == VEF_CALL_Waitsome || call->call == VEF_CALL_Testsome;
    size_t oldest = SIZE_MAX;
    for (size_t i = 0; i < walker->pending_count;) {
        const bool unknown = walker->pending[i].end_ns == NOT_KNOWN_NS;
        if (unknown && oldest == SIZE_MAX)
            oldest = i;
        if ((unknown && !whole) || (!unknown && walker->pending[i].end_ns > call->leave_ns)) {
            i++;
            continue;
        }
        walker->reading->guessed += unknown;
        complete(walker, i);
        if (!whole && !some)
            return;
    }
    if (walker->completion_count == 0 && oldest < walker->pending_count) {
        walker->reading->guessed++;
        complete(walker, oldest);
    }
}

/* ---- events ---- */

/* Whether the call is one of those that match on a communicator of the trace; as such. */
static bool find_meeting(walk *walker, const vef_paraver_entry *call,
                         vef_paraver_meeting *meeting) {
    const vef_paraver_header *header = &walker->reading->header;
    const uint64_t *place = vef_map64_get(&header->comm_of, call->comm), *rank = NULL;
    if (vef_call_kind(call->call) == VEF_KIND_COLLECTIVE && place &&
        !vef_call_has(call->call, VEF_FACT_PERSISTENT))
        rank = vef_map64_get(&header->rank_of, *place << 32 | walker->task);
    if (!rank)
        return false;
    *meeting = (vef_paraver_meeting){.comm = (uint32_t)*place,
                                     .size = header->comms[*place].size,
                                     .rank = (uint32_t)*rank,
                                     .number = walker->met[*place]++,
                                     .call = call->call,
                                     .root = call->root,
                                     .sent = call->sent,
                                     .received = call->received};
    return true;
}

/* Ticks: entries have odd ones, in the order of the list; a return comes before the first entry
 * that is not before it in time. */
static void put_in_order(const walk *walker, const vef_paraver_entry *call, uint64_t *last,
                         vef_event *event) {
    const size_t place = (size_t)(call - walker->calls.list);
    size_t low = place + 1, high = walker->calls.count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (walker->calls.list[middle].enter_ns < call->leave_ns)
            low = middle + 1;
        else
            high = middle;
    }
    event->entered = 2 * place + 1 > *last ? 2 * place + 1 : *last + 1;
    event->left = 2 * low > event->entered ? 2 * low : event->entered + 1;
    *last = event->left;
}

static vef_code put(walk *walker, strand *thread, const vef_paraver_entry *call, vef_event event,
                    vef_error *error) {
    event.call = call->call == VEF_CALL_Mrecv    ? VEF_CALL_Recv /* its probe is left out */
                 : call->call == VEF_CALL_Imrecv ? VEF_CALL_Irecv
                                                 : call->call;
    vef_import_times(&thread->times, call->leave_ns - call->enter_ns, &event);
    if (walker->several)
        put_in_order(walker, call, &thread->times.last_tick, &event);
    return vef_import_event(walker->reading->import, &event, error);
}

static vef_code put_collective(walk *walker, strand *thread, const vef_paraver_entry *call,
                               vef_error *error) {
    vef_paraver_meeting meeting;
    vef_event event = {.request = VEF_NO_REQUEST};
    if (!find_meeting(walker, call, &meeting)) {
        walker->reading->disagreeing++;
        return VEF_OK;
    }
    if (!vef_paraver_joint_fill(&walker->reading->joint, &meeting, &event)) {
        if (vef_call_has(call->call, VEF_FACT_NEIGHBOURS))
            walker->reading->neighbourhoods++;
        else
            walker->reading->disagreeing++;
        return VEF_OK;
    }
    event.comm = walker->numbers[meeting.comm];
    if (vef_call_has(call->call, VEF_FACT_STARTS)) {
        event.request = walker->requests++;
        const request started = {.number = event.request,
                                 .end_ns = NOT_KNOWN_NS,
                                 .completion = {.request = event.request, .source = VEF_NO_TASK}};
        start_request(walker, &started);
    }
    return put(walker, thread, call, event, error);
}

static vef_code put_region(walk *walker, strand *thread, const vef_paraver_entry *call,
                           vef_error *error) {
    char text[32];
    const uint32_t type = call->call == VEF_CALL_Mark ? VEF_PARAVER_MARK : VEF_PARAVER_FUNCTION;
    return put(
        walker, thread, call,
        (vef_event){.name = vef_paraver_label(&walker->reading->labels, type, call->value, text)},
        error);
}

/* Calls that name a request: which one is not known. */
static bool names_request(uint16_t call) {
    return vef_call_has(call, VEF_FACT_CANCELS) || vef_call_has(call, VEF_FACT_READIES) ||
           vef_call_has(call, VEF_FACT_FINISHES);
}

/* A call that is left out is only counted: it may have waited, so its time is not that of the task
 * alone. */
static vef_code put_call(walk *walker, const vef_paraver_entry *call, vef_error *error) {
    vef_paraver_reading *reading = walker->reading;
    strand *thread = &walker->strands[call->thread];
    reading->backwards +=
        !vef_import_call(&thread->times, &walker->seen, call->enter_ns, call->leave_ns);
    walker->operation_count = walker->completion_count = 0;
    switch (vef_call_kind(call->call)) {
    case VEF_KIND_LOCAL:
        if (names_request(call->call) || vef_call_has(call->call, VEF_FACT_CONTROLS)) {
            reading->locals++;
            return VEF_OK;
        }
        return put(walker, thread, call, (vef_event){0}, error);
    case VEF_KIND_TRANSFER:
        take_messages(walker, thread, call);
        return put(walker, thread, call,
                   (vef_event){.operation_count = (uint32_t)walker->operation_count,
                               .operations = walker->operations},
                   error);
    case VEF_KIND_COMPLETE:
        if (vef_call_has(call->call, VEF_FACT_INSPECTS) ||
            vef_call_has(call->call, VEF_FACT_FREES)) {
            reading->locals++;
            return VEF_OK;
        }
        take_completions(walker, call);
        return put(walker, thread, call,
                   (vef_event){.flags = walker->completion_count == 0 &&
                                                vef_call_has(call->call, VEF_FACT_TESTS)
                                            ? VEF_EVENT_POLL
                                            : 0,
                               .completion_count = (uint32_t)walker->completion_count,
                               .completions = walker->completions},
                   error);
    case VEF_KIND_PROBE:
        reading->probes++;
        return VEF_OK;
    case VEF_KIND_COLLECTIVE:
        return put_collective(walker, thread, call, error);
    case VEF_KIND_COMM:
        reading->communicators++;
        return VEF_OK;
    case VEF_KIND_ONE_SIDED:
    case VEF_KIND_SYNC:
        reading->one_sided++;
        return VEF_OK;
    case VEF_KIND_REGION:
        return put_region(walker, thread, call, error);
    case VEF_KIND_AS:
    case VEF_KIND_COUNTED:
        break;
    }
    thread->times.outside_ns += call->leave_ns - call->enter_ns;
    if (vef_call_name(call->call))
        vef_import_count(reading->import, call->call, 1, call->leave_ns - call->enter_ns);
    return VEF_OK;
}

/* ---- the task ---- */

static vef_code state_communicators(walk *walker, vef_error *error) {
    const vef_paraver_header *header = &walker->reading->header;
    vef_code code = VEF_OK;
    for (size_t i = 0; !code && i < header->comm_count; i++) {
        const vef_paraver_comm *comm = &header->comms[i];
        walker->numbers[i] = VEF_IMPORT_SELF;
        if (comm->size == 1 || !vef_map64_get(&header->rank_of, (uint64_t)i << 32 | walker->task))
            continue;
        walker->numbers[i] = VEF_IMPORT_WORLD;
        if (i != header->world) {
            const vef_communicator made = {.parent = VEF_IMPORT_WORLD,
                                           .made_by = VEF_CALL_Comm_create,
                                           .size = comm->size,
                                           .members = comm->members};
            code =
                vef_import_communicator(walker->reading->import, &made, &walker->numbers[i], error);
        }
    }
    return code;
}

/* The records of each thread, of those of the kind from `from` to `end`. */
static void find_strands(walk *walker) {
    const vef_paraver_calls *calls = &walker->calls;
    const size_t receives = calls->events + calls->sends;
    for (size_t i = calls->events; i < calls->record_count; i++) {
        strand *thread = &walker->strands[calls->records[i].thread];
        const bool send = i < receives;
        size_t *first = send ? &thread->send : &thread->receive;
        size_t *end = send ? &thread->send_end : &thread->receive_end;
        if (*end == 0)
            *first = i;
        *end = i + 1;
    }
    for (size_t i = 1; i < calls->count; i++)
        walker->several = walker->several || calls->list[i].thread != calls->list[0].thread;
}

static vef_code put_calls(walk *walker, vef_error *error) {
    vef_paraver_reading *reading = walker->reading;
    const uint32_t node = reading->header.nodes[walker->task];
    vef_code code = vef_import_task(reading->import, walker->task,
                                    vef_paraver_host(&reading->labels, node), error);
    if (!code)
        code = state_communicators(walker, error);
    if (!code && reading->header.ended[walker->task])
        vef_import_ends(reading->import);
    find_strands(walker);
    for (size_t i = 0; !code && i < walker->calls.count; i++)
        code = put_call(walker, &walker->calls.list[i], error);
    for (uint32_t i = 1; i <= walker->threads; i++) {
        const strand *thread = &walker->strands[i];
        reading->stray += thread->send_end - thread->send + thread->receive_end - thread->receive;
    }
    return code;
}

static vef_code note_meetings(walk *walker, vef_error *error) {
    vef_paraver_meeting meeting;
    (void)error;
    for (size_t i = 0; i < walker->calls.count; i++)
        if (find_meeting(walker, &walker->calls.list[i], &meeting))
            vef_paraver_joint_note(&walker->reading->joint, &meeting);
    return VEF_OK;
}

static vef_code with_calls(vef_paraver_reading *reading, uint32_t task,
                           vef_code (*use)(walk *, vef_error *), vef_error *error) {
    const vef_paraver_header *header = &reading->header;
    walk walker = {.reading = reading, .task = task, .threads = header->threads[task]};
    walker.strands = vef_calloc(walker.threads + 1ull, sizeof *walker.strands);
    walker.numbers = vef_calloc(header->comm_count + 1, sizeof *walker.numbers);
    walker.met = vef_calloc(header->comm_count + 1, sizeof *walker.met);
    vef_paraver_calls *calls = &walker.calls;
    const uint64_t bytes = vef_spool_bytes(reading->spool, task);
    calls->record_count = bytes / sizeof *calls->records;
    vef_grow(&calls->records, &calls->record_room, calls->record_count + 1, sizeof *calls->records);
    vef_code code = calls->record_count <= UINT32_MAX
                        ? vef_spool_read(reading->spool, task, 0, bytes, calls->records, error)
                        : vef_fail(error, VEF_INVALID, "more than 2^32 records of a task");
    if (!code) {
        vef_paraver_calls_find(&walker.calls);
        code = use(&walker, error);
    }
    vef_paraver_calls_free(&walker.calls);
    free(walker.strands);
    free(walker.numbers);
    free(walker.met);
    free(walker.pending);
    free(walker.operations);
    free(walker.completions);
    return code;
}

vef_code vef_paraver_task_meetings(vef_paraver_reading *reading, uint32_t task, vef_error *error) {
    return with_calls(reading, task, note_meetings, error);
}

vef_code vef_paraver_task(vef_paraver_reading *reading, uint32_t task, vef_error *error) {
    return with_calls(reading, task, put_calls, error);
}
