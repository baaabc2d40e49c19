/* The events of a task as records of OTF2: a location for each thread. Records are those of
 * Score-P, in its order: a send at the entry of its call, a received message and the end of a
 * collective before its return, the completion of a request before the return of the call that
 * completes it. The clock is that of slices (traces/slice/slice.h): time 0 is the end of the task's
 * MPI_Init. */
#include "interchange/otf2/write.h"

#ifdef VEF_HAVE_OTF2

#include "common/grow.h"
#include "common/memory.h"
#include "interchange/otf2/collectives.h"
#include "interchange/otf2/names.h"
#include "replay/timeline/call_slices.h"
#include "traces/file/task_events.h"
#include "traces/slice/select.h"

#include <inttypes.h>
#include <stdlib.h>

/* What the completion of a request writes. */
typedef enum kind { SENT, RECEIVED, COLLECTIVE, MADE_COMM } kind;

typedef struct slot {
    kind kind;
    bool again; /* a further slot of the same request follows in `next`; free: the next free one */
    uint32_t next;
    uint32_t rank; /* of the peer or the root */
    OTF2_CommRef comm, new_comm;
    uint32_t tag;
    uint8_t operation;
    bool in_place;
    uint64_t bytes, received, elements;
} slot;

enum { NO_SLOT = UINT32_MAX };

typedef struct strand {
    OTF2_EvtWriter *writer;
    vef_shown_regions regions;
} strand;

typedef struct walk {
    vef_otf2_writer *self;
    uint32_t task, threads;
    strand *strands;
    vef_selector selector;
    const vef_event *event; /* the current one */
    OTF2_EvtWriter *writer; /* of its thread */
    uint64_t begin_ns, end_ns, delay_ns;
    vef_map64 requests; /* outstanding → place in `slots` */
    slot *slots;
    size_t slot_count, slot_room;
    uint32_t free_slot;
    bool finalized; /* the last event is MPI_Finalize */
    bool failed;    /* the library refused a record */
} walk;

static void check(walk *at, OTF2_ErrorCode code) {
    at->failed |= code != OTF2_SUCCESS;
}

static void add_attribute(walk *at, OTF2_AttributeRef attribute, uint64_t value) {
    check(at, OTF2_AttributeList_AddUint64(at->self->attributes, attribute, value));
}

/* ---- regions ---- */

static OTF2_RegionRef region_of_call(walk *at, uint16_t call) {
    OTF2_RegionRef *known = &at->self->call_regions[call];
    char name[VEF_CALL_TITLE_BYTES];
    if (*known == 0) {
        vef_call_title(call, name);
        *known = vef_otf2_region_of(at->self, VEF_OTF2_CALL, name) + 1;
    }
    return *known - 1;
}

static void enter(walk *at, uint64_t time_ns, OTF2_RegionRef region) {
    check(at, OTF2_EvtWriter_Enter(at->writer, at->self->attributes, time_ns, region));
}

static void leave(walk *at, uint64_t time_ns, OTF2_RegionRef region) {
    check(at, OTF2_EvtWriter_Leave(at->writer, at->self->attributes, time_ns, region));
}

/* The order of calls of different threads is in ticks, not in times. */
static void add_ticks(walk *at) {
    if (at->threads > 1 && at->event->left > 0) {
        add_attribute(at, VEF_OTF2_ENTERED, at->event->entered);
        add_attribute(at, VEF_OTF2_LEFT, at->event->left);
        if (at->delay_ns > 0)
            add_attribute(at, VEF_OTF2_DELAY, at->delay_ns);
        at->delay_ns = 0; /* of a run of polls before the first */
    }
}

static void leave_innermost(walk *at, strand *on, uint64_t time_ns) {
    const OTF2_RegionRef region =
        vef_otf2_region_of(at->self, VEF_OTF2_USER, on->regions.open[on->regions.count - 1].name);
    check(at, OTF2_EvtWriter_Leave(on->writer, at->self->attributes, time_ns, region));
    vef_shown_regions_pop(&on->regions);
}

static void put_region(walk *at) {
    const vef_event *event = at->event;
    strand *on = &at->strands[event->thread];
    const char *name = event->name ? event->name : "";
    const bool mark = event->call == VEF_CALL_Mark;
    add_ticks(at);
    if (event->call == VEF_CALL_Region_end) {
        /* Also closes what was begun inside; without its region it does nothing. */
        const size_t place = vef_shown_regions_find(&on->regions, event->name);
        while (place > 0 && on->regions.count >= place)
            leave_innermost(at, on, at->begin_ns);
        return;
    }
    const OTF2_RegionRef region =
        vef_otf2_region_of(at->self, mark ? VEF_OTF2_MARK : VEF_OTF2_USER, name);
    enter(at, at->begin_ns, region);
    if (mark)
        leave(at, at->begin_ns, region);
    else
        vef_shown_regions_push(&on->regions, name, true);
}

/* ---- requests ---- */

static void keep_slot(walk *at, uint64_t request, const slot *kept) {
    uint32_t place = at->free_slot;
    const uint64_t *known = vef_map64_get(&at->requests, request);
    if (place != NO_SLOT) {
        at->free_slot = at->slots[place].next;
    } else {
        vef_grow(&at->slots, &at->slot_room, at->slot_count + 1, sizeof *at->slots);
        place = (uint32_t)at->slot_count++;
    }
    at->slots[place] = *kept;
    at->slots[place].again = known != NULL;
    at->slots[place].next = known ? (uint32_t)*known : NO_SLOT;
    vef_map64_set(&at->requests, request, place);
}

static void end_collective(walk *at, const slot *done, uint64_t request) {
    if (done->elements > 0)
        add_attribute(at, VEF_OTF2_ELEMENTS, done->elements);
    if (done->in_place)
        add_attribute(at, VEF_OTF2_IN_PLACE, 1);
    if (request == VEF_NO_REQUEST)
        check(at, OTF2_EvtWriter_MpiCollectiveEnd(at->writer, at->self->attributes, at->end_ns,
                                                  done->operation, done->comm, done->rank,
                                                  done->bytes, done->received));
    else
        check(at, OTF2_EvtWriter_NonBlockingCollectiveComplete(
                      at->writer, at->self->attributes, at->end_ns, done->operation, done->comm,
                      done->rank, done->bytes, done->received, request));
}

static void complete_slot(walk *at, const slot *done, uint64_t request) {
    OTF2_AttributeList *none = at->self->attributes;
    switch (done->kind) {
    case SENT:
        check(at, OTF2_EvtWriter_MpiIsendComplete(at->writer, none, at->end_ns, request));
        return;
    case RECEIVED:
        check(at, OTF2_EvtWriter_MpiIrecv(at->writer, none, at->end_ns, done->rank, done->comm,
                                          done->tag, done->bytes, request));
        return;
    case MADE_COMM:
        if (done->new_comm != OTF2_UNDEFINED_COMM)
            check(at, OTF2_EvtWriter_CommCreate(at->writer, none, at->end_ns, done->new_comm));
        end_collective(at, done, request);
        return;
    case COLLECTIVE:
        end_collective(at, done, request);
        return;
    }
}

static void complete(walk *at, const vef_completion *completion) {
    uint64_t place;
    if (!vef_map64_take(&at->requests, completion->request, &place))
        return;
    if (completion->cancelled)
        check(at, OTF2_EvtWriter_MpiRequestCancelled(at->writer, at->self->attributes, at->end_ns,
                                                     completion->request));
    for (bool more = true; more;) {
        slot *done = &at->slots[place];
        if (!completion->cancelled)
            complete_slot(at, done, completion->request);
        const uint32_t next = done->next;
        more = done->again;
        done->next = at->free_slot;
        at->free_slot = (uint32_t)place;
        place = next;
    }
}

/* ---- calls ---- */

/* A message. Nothing is written for what transfers nothing, as by Score-P, or for one whose other
 * side is not in the trace: a reader would match the side that is there with another message. */
static vef_code put_operation(walk *at, const vef_operation *operation, vef_error *error) {
    vef_otf2_writer *self = at->self;
    const bool send = operation->flags & VEF_OP_SEND;
    const bool started = operation->request != VEF_NO_REQUEST;
    slot kept = {
        .kind = send ? SENT : RECEIVED, .tag = (uint32_t)operation->tag, .bytes = operation->bytes};
    const bool lost = operation->flags & VEF_OP_UNMATCHED && !(operation->flags & VEF_OP_CANCELLED);
    if (operation->flags & VEF_OP_GENERALISED || operation->peer == VEF_NO_TASK || lost) {
        self->generalised += (operation->flags & VEF_OP_GENERALISED) != 0;
        self->unmatched += (operation->flags & VEF_OP_UNMATCHED) != 0;
        if (operation->flags & VEF_OP_UNMATCHED && started && !send)
            check(at, OTF2_EvtWriter_MpiIrecvRequest(at->writer, self->attributes, at->begin_ns,
                                                     operation->request));
        return VEF_OK;
    }
    self->partitioned += operation->flags & VEF_OP_PARTITIONED && send;
    vef_code code =
        vef_otf2_rank_of(self, operation->comm, (uint32_t)operation->peer, &kept.rank, error);
    if (code)
        return code;
    kept.comm = self->comm_refs[operation->comm];
    const uint16_t mode = operation->flags & (VEF_OP_SYNCHRONOUS | VEF_OP_READY | VEF_OP_BUFFERED);
    const bool persistent =
        at->event->call == VEF_CALL_Start || at->event->call == VEF_CALL_Startall;
    if (send && started && persistent && mode)
        add_attribute(at, VEF_OTF2_MODE, mode);
    if (!send && operation->flags & VEF_OP_OPEN_ENDED) {
        add_attribute(at, VEF_OTF2_FROM, (uint64_t)kept.rank << 32 | kept.tag);
        add_attribute(at, VEF_OTF2_ON, kept.comm);
    }
    if (send && started)
        check(at, OTF2_EvtWriter_MpiIsend(at->writer, self->attributes, at->begin_ns, kept.rank,
                                          kept.comm, kept.tag, kept.bytes, operation->request));
    else if (send)
        check(at, OTF2_EvtWriter_MpiSend(at->writer, self->attributes, at->begin_ns, kept.rank,
                                         kept.comm, kept.tag, kept.bytes));
    else if (started)
        check(at, OTF2_EvtWriter_MpiIrecvRequest(at->writer, self->attributes, at->begin_ns,
                                                 operation->request));
    else
        check(at, OTF2_EvtWriter_MpiRecv(at->writer, self->attributes, at->end_ns, kept.rank,
                                         kept.comm, kept.tag, kept.bytes));
    if (started)
        keep_slot(at, operation->request, &kept);
    return VEF_OK;
}

static vef_code put_operations(walk *at, vef_error *error) {
    const vef_event *event = at->event;
    vef_code code = VEF_OK;
    for (int blocking = 0; blocking <= 1; blocking++) /* received messages come last */
        for (uint32_t i = 0; i < event->operation_count && !code; i++) {
            const vef_operation *operation = &event->operations[i];
            const bool last =
                !(operation->flags & VEF_OP_SEND) && operation->request == VEF_NO_REQUEST;
            if (last == blocking)
                code = put_operation(at, operation, error);
        }
    return code;
}

static uint32_t root_of(const vef_event *event) {
    if (event->root == VEF_ROOT_HERE)
        return VEF_OTF2_ROOT_SELF;
    if (event->root == VEF_ROOT_BESIDE)
        return VEF_OTF2_ROOT_THIS_GROUP;
    return event->root < 0 ? VEF_OTF2_ROOT_NONE : (uint32_t)event->root;
}

/* Begins or starts it; its end is a record of its own. */
static void put_joint(walk *at, const slot *done) {
    const vef_event *event = at->event;
    OTF2_AttributeList *none = at->self->attributes;
    /* A reader would match it with another call of the other members. */
    if (event->flags & VEF_EVENT_UNMATCHED) {
        at->self->alone++;
        return;
    }
    if (vef_event_starts_request(event)) {
        check(at, OTF2_EvtWriter_NonBlockingCollectiveRequest(at->writer, none, at->begin_ns,
                                                              event->request));
        if (!(event->flags & VEF_EVENT_OPEN_ENDED)) {
            keep_slot(at, event->request, done);
            return;
        }
        /* Only the completion says which collective it is. */
        at->self->open_ended++;
        complete_slot(at, done, event->request);
        return;
    }
    check(at, OTF2_EvtWriter_MpiCollectiveBegin(at->writer, none, at->begin_ns));
    if (done->kind == MADE_COMM && done->new_comm != OTF2_UNDEFINED_COMM)
        check(at, done->operation == VEF_OTF2_OP_DESTROY
                      ? OTF2_EvtWriter_CommDestroy(at->writer, none, at->end_ns, done->new_comm)
                      : OTF2_EvtWriter_CommCreate(at->writer, none, at->end_ns, done->new_comm));
    end_collective(at, done, VEF_NO_REQUEST);
}

static vef_code put_collective(walk *at, vef_error *error) {
    vef_otf2_writer *self = at->self;
    const vef_event *event = at->event;
    const int operation = vef_otf2_operation(event->call);
    vef_otf2_place place = {0, 0};
    if (vef_event_is_making(event))
        return VEF_OK;
    if (operation == VEF_OTF2_OP_NONE) {
        self->neighbours++;
        return VEF_OK;
    }
    vef_code code = vef_otf2_rank_of(self, event->comm, at->task, &place.rank, error);
    if (code)
        return code;
    const vef_communicator *comm = &self->header->communicators[event->comm];
    const bool own_parts =
        vef_call_has(event->call, VEF_FACT_REDUCES) && !vef_call_has(event->call, VEF_FACT_ROOTED);
    place.size = comm->remote_size && !own_parts ? comm->remote_size : comm->size;
    const vef_exchange_sums sizes = vef_otf2_sizes_of(event, place);
    self->vectors += vef_call_has(event->call, VEF_FACT_SENDS_EACH) &&
                     vef_call_has(event->call, VEF_FACT_RECEIVES_EACH);
    const slot done = {.kind = COLLECTIVE,
                       .rank = root_of(event),
                       .comm = self->comm_refs[event->comm],
                       .new_comm = OTF2_UNDEFINED_COMM,
                       .operation = (uint8_t)operation,
                       .in_place = event->flags & VEF_EVENT_IN_PLACE,
                       .bytes = sizes.sent,
                       .received = sizes.received,
                       .elements = event->elements};
    put_joint(at, &done);
    return VEF_OK;
}

/* Creation and freeing of communicators. */
static vef_code put_comm(walk *at, vef_error *error) {
    vef_otf2_writer *self = at->self;
    const vef_event *event = at->event;
    const bool frees = vef_call_has(event->call, VEF_FACT_FREES);
    const uint32_t count = self->header->communicator_count;
    const uint32_t made = frees ? event->comm : event->new_comm;
    if (vef_call_has(event->call, VEF_FACT_WINDOW)) {
        self->one_sided++;
        return VEF_OK;
    }
    if (event->comm >= count || (made != VEF_NO_COMM && made >= count))
        return vef_fail(error, VEF_CORRUPT, "communicator %" PRIu32 " is not in the trace", made);
    slot done = {.kind = MADE_COMM,
                 .rank = VEF_OTF2_ROOT_NONE,
                 .comm = self->comm_refs[event->comm],
                 .new_comm = made == VEF_NO_COMM ? OTF2_UNDEFINED_COMM : self->comm_refs[made],
                 .operation = frees ? VEF_OTF2_OP_DESTROY : VEF_OTF2_OP_CREATE};
    if (vef_call_has(event->call, VEF_FACT_BY_MEMBERS) && made != VEF_NO_COMM)
        done.comm = done.new_comm; /* as Score-P: the parent's other members do not take part */
    if (!frees && made != VEF_NO_COMM)
        self->created[made] = true;
    if (frees && !self->created[made])
        done.new_comm = OTF2_UNDEFINED_COMM;
    put_joint(at, &done);
    return VEF_OK;
}

static vef_code put_records(walk *at, vef_error *error) {
    const vef_event *event = at->event;
    switch (vef_call_kind(event->call)) {
    case VEF_KIND_TRANSFER:
        return put_operations(at, error);
    case VEF_KIND_COMPLETE:
        for (uint32_t i = 0; i < event->completion_count; i++)
            if (!vef_call_has(event->call, VEF_FACT_INSPECTS))
                complete(at, &event->completions[i]);
        return VEF_OK;
    case VEF_KIND_PROBE:
        at->self->probes += event->operation_count > 0;
        return VEF_OK;
    case VEF_KIND_COLLECTIVE:
        return put_collective(at, error);
    case VEF_KIND_COMM:
        return put_comm(at, error);
    case VEF_KIND_ONE_SIDED:
    case VEF_KIND_SYNC:
        at->self->one_sided++;
        return VEF_OK;
    default:
        return VEF_OK;
    }
}

static uint64_t part_of(uint64_t whole, uint64_t at, uint64_t count) {
    return whole / count * at + (whole % count) * at / count;
}

/* A run of polls as so many calls, of equal lengths and gaps, after the time outside. */
static void put_polls(walk *at, OTF2_RegionRef region) {
    const vef_event *event = at->event;
    const uint64_t count = event->repeats, gap_ns = event->gap_ns;
    const uint64_t from_ns = at->begin_ns - gap_ns;
    for (uint64_t i = 0; i < count && !at->failed; i++) {
        const uint64_t begin_ns =
            from_ns + part_of(gap_ns, i + 1, count) + part_of(at->end_ns - at->begin_ns, i, count);
        add_ticks(at);
        enter(at, begin_ns, region);
        leave(at,
              from_ns + part_of(gap_ns, i + 1, count) +
                  part_of(at->end_ns - at->begin_ns, i + 1, count),
              region);
    }
}

static vef_code put_call(walk *at, vef_error *error) {
    const vef_event *event = at->event;
    /* A persistent collective is started by MPI_Start. */
    const bool start = event->flags & VEF_EVENT_STARTED;
    const bool polls = event->flags & VEF_EVENT_POLL && event->repeats > 1;
    const OTF2_RegionRef region = region_of_call(at, start ? VEF_CALL_Start : event->call);
    if (event->outside_ns > 0 && !vef_call_has(event->call, VEF_FACT_BEGINS)) {
        const OTF2_RegionRef outside =
            vef_otf2_region_of(at->self, VEF_OTF2_OUTSIDE, VEF_OTF2_NAME_OUTSIDE);
        const uint64_t end_ns = at->begin_ns - (polls ? event->gap_ns : 0);
        if (at->delay_ns > 0)
            add_attribute(at, VEF_OTF2_DELAY, at->delay_ns);
        at->delay_ns = 0;
        enter(at, end_ns - event->outside_ns, outside);
        leave(at, end_ns, outside);
    }
    if (polls) {
        put_polls(at, region);
        return VEF_OK;
    }
    if (vef_call_kind(event->call) == VEF_KIND_LOCAL && !vef_call_names_request(event->call) &&
        event->argument != 0)
        add_attribute(at, VEF_OTF2_ARGUMENT, (uint64_t)event->argument);
    add_ticks(at);
    enter(at, at->begin_ns, region);
    const vef_code code = put_records(at, error);
    leave(at, at->end_ns, region);
    return code;
}

/* ---- tasks ---- */

static vef_code put_event(walk *at, const vef_event *event, vef_error *error) {
    vef_selector_next(&at->selector, event);
    at->finalized = event->call == VEF_CALL_Finalize;
    const vef_selector_thread *thread = &at->selector.threads[event->thread];
    at->event = event;
    at->writer = at->strands[event->thread].writer;
    at->begin_ns = VEF_OTF2_FIRST_NS + thread->entered_ns;
    at->end_ns = VEF_OTF2_FIRST_NS + thread->end_ns;
    at->delay_ns = thread->delay_ns;
    if (at->self->last_ns < at->end_ns)
        at->self->last_ns = at->end_ns;
    if (vef_call_kind(event->call) != VEF_KIND_REGION)
        return put_call(at, error);
    put_region(at);
    return VEF_OK;
}

/* The events of a thread are written: leaves its regions, and says so where the task neither
 * finalized nor was cut short. */
static void end_strand(walk *at, uint32_t thread) {
    strand *on = &at->strands[thread];
    const uint64_t end_ns = VEF_OTF2_FIRST_NS + at->selector.threads[thread].end_ns;
    while (on->regions.count > 0)
        leave_innermost(at, on, end_ns);
    if (thread > 0 || at->finalized || vef_log_end_cuts(at->self->header->task[at->task].end))
        return;
    const OTF2_RegionRef region = vef_otf2_region_of(at->self, VEF_OTF2_OUTSIDE, VEF_OTF2_NAME_END);
    at->writer = on->writer;
    enter(at, end_ns, region);
    leave(at, end_ns, region);
}

static vef_code put_events(walk *at, vef_error *error) {
    vef_task_events *events = NULL;
    const vef_event *event = NULL;
    uint64_t number = 0;
    vef_code code = vef_task_events_open(at->self->trace, at->task, &events, error);
    while (!code && (code = vef_task_events_next(events, &event, error)) == VEF_OK && event) {
        if (event->thread >= at->threads)
            code = vef_fail(error, VEF_CORRUPT, "thread %" PRIu32 ": the task has %" PRIu32,
                            event->thread, at->threads);
        else
            code = put_event(at, event, error);
        if (code)
            vef_fail_within(error, "%s: task %" PRIu32 ", event %" PRIu64,
                            vef_trace_path(at->self->trace), at->task, number);
        else if (at->failed)
            code = vef_otf2_failed(at->self, "events", error);
        number++;
    }
    for (uint32_t i = 0; i < at->threads && !code; i++)
        end_strand(at, i);
    vef_task_events_close(events);
    return code;
}

static vef_code open_location(walk *at, uint32_t thread, vef_error *error) {
    vef_otf2_writer *self = at->self;
    const OTF2_LocationRef location = (uint64_t)thread << 32 | at->task;
    size_t room = self->location_room;
    vef_grow(&self->locations, &room, self->location_count + 1, sizeof *self->locations);
    vef_grow(&self->location_events, &self->location_room, self->location_count + 1,
             sizeof *self->location_events);
    self->locations[self->location_count] = location;
    self->location_events[self->location_count++] = 0;
    at->strands[thread].writer = OTF2_Archive_GetEvtWriter(self->archive, location);
    return at->strands[thread].writer ? VEF_OK : vef_otf2_failed(self, "a location", error);
}

static vef_code close_locations(walk *at, size_t first, vef_error *error) {
    vef_otf2_writer *self = at->self;
    bool failed = at->failed;
    for (uint32_t i = 0; i < at->threads; i++) {
        OTF2_EvtWriter *writer = at->strands[i].writer;
        vef_shown_regions_free(&at->strands[i].regions);
        if (!writer)
            continue;
        failed |= OTF2_EvtWriter_GetNumberOfEvents(writer, &self->location_events[first + i]) !=
                  OTF2_SUCCESS;
        failed |= OTF2_Archive_CloseEvtWriter(self->archive, writer) != OTF2_SUCCESS;
        self->events += self->location_events[first + i];
    }
    return failed ? vef_otf2_failed(self, "events", error) : VEF_OK;
}

vef_code vef_otf2_write_task(vef_otf2_writer *self, uint32_t task, vef_error *error) {
    const vef_slice_options whole = {0};
    const size_t first = self->location_count;
    walk at = {.self = self,
               .task = task,
               .threads = self->header->task[task].threads,
               .free_slot = NO_SLOT};
    vef_error other;
    at.strands = vef_calloc(at.threads, sizeof *at.strands);
    vef_code code = VEF_OK;
    vef_selector_begin(&at.selector, &whole, at.threads);
    for (uint32_t i = 0; i < at.threads && !code; i++)
        code = open_location(&at, i, error);
    code = code ? code : put_events(&at, error);
    const vef_code closed = close_locations(&at, first, code ? &other : error);
    vef_selector_end(&at.selector);
    vef_map64_free(&at.requests);
    free(at.slots);
    free(at.strands);
    return code ? code : closed;
}

#endif
