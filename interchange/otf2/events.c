/* The events of a task as records of OTF2: a location for each thread. Records are those of
 * Score-P, in its order: a send at the entry of its call, a received message and the end of a
 * collective before its return, the completion of a request before the return of the call that
 * completes it. The clock is that of slices (traces/slice/slice.h): time 0 is the end of the task's
 * MPI_Init. */
#include "interchange/otf2/write.h"

#ifdef VEF_HAVE_OTF2

#include "common/containers/grow.h"
#include "common/memory.h"
#include "interchange/otf2/collectives.h"
#include "interchange/otf2/names.h"
#include "replay/timeline/call_slices.h"
#include "traces/file/task_events.h"
#include "traces/slice/select.h"

#include <inttypes.h>
#include <stdlib.h>

/* What the completion of a request writes. */
typedef enum kind { SENT, RECEIVED, COLLECTIVE } kind;

typedef struct slot {
    kind kind;
    uint32_t next; /* of the same request, or of the free ones; NO_SLOT: none */
    uint32_t rank; /* of the peer or the root */
    OTF2_CommRef comm;
    OTF2_CommRef new_comm; /* that is made or freed; OTF2_UNDEFINED_COMM: none */
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
    vef_otf2_writer *export;
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

static void check(walk *walker, OTF2_ErrorCode code) {
    walker->failed |= code != OTF2_SUCCESS;
}

/* Writes a record of the thread, with the attributes added since the last one. */
#define RECORD(walker, NAME, ...)                                                                  \
    check(walker,                                                                                  \
          OTF2_EvtWriter_##NAME((walker)->writer, (walker)->export->attributes, __VA_ARGS__))

static void add_attribute(walk *walker, OTF2_AttributeRef attribute, uint64_t value) {
    check(walker, OTF2_AttributeList_AddUint64(walker->export->attributes, attribute, value));
}

/* ---- regions ---- */

/* The region of a name; it gets its definition at the end. */
static OTF2_RegionRef region_of(walk *walker, vef_otf2_sort sort, const char *name) {
    return (OTF2_RegionRef)vef_names_add(&walker->export->regions, (unsigned char)sort, name);
}

static OTF2_RegionRef region_of_call(walk *walker, uint16_t call) {
    OTF2_RegionRef *known = &walker->export->call_regions[call];
    char name[VEF_CALL_TITLE_BYTES];
    if (*known == 0) {
        vef_call_title(call, name);
        *known = region_of(walker, VEF_OTF2_CALL, name) + 1;
    }
    return *known - 1;
}

static void enter(walk *walker, uint64_t time_ns, OTF2_RegionRef region) {
    RECORD(walker, Enter, time_ns, region);
}

static void leave(walk *walker, uint64_t time_ns, OTF2_RegionRef region) {
    RECORD(walker, Leave, time_ns, region);
}

/* The order of calls of different threads is in ticks, not in times. */
static void add_ticks(walk *walker) {
    if (walker->threads > 1 && walker->event->left > 0) {
        add_attribute(walker, VEF_OTF2_ENTERED, walker->event->entered);
        add_attribute(walker, VEF_OTF2_LEFT, walker->event->left);
        if (walker->delay_ns > 0)
            add_attribute(walker, VEF_OTF2_DELAY, walker->delay_ns);
        walker->delay_ns = 0; /* of a run of polls before the first */
    }
}

static void leave_innermost(walk *walker, vef_shown_regions *regions, uint64_t time_ns) {
    leave(walker, time_ns,
          region_of(walker, VEF_OTF2_USER, regions->open[regions->count - 1].name));
    vef_shown_regions_pop(regions);
}

static void put_region(walk *walker) {
    const vef_event *event = walker->event;
    vef_shown_regions *regions = &walker->strands[event->thread].regions;
    const char *name = event->name ? event->name : "";
    const bool mark = event->call == VEF_CALL_Mark;
    add_ticks(walker);
    if (event->call == VEF_CALL_Region_end) {
        /* Also closes what was begun inside; without its region it does nothing. */
        const size_t place = vef_shown_regions_find(regions, event->name);
        while (place > 0 && regions->count >= place)
            leave_innermost(walker, regions, walker->begin_ns);
        return;
    }
    const OTF2_RegionRef region = region_of(walker, mark ? VEF_OTF2_MARK : VEF_OTF2_USER, name);
    enter(walker, walker->begin_ns, region);
    if (mark)
        leave(walker, walker->begin_ns, region);
    else
        vef_shown_regions_push(regions, name, true);
}

/* ---- requests ---- */

static void keep_slot(walk *walker, uint64_t request, const slot *kept) {
    uint32_t place = walker->free_slot;
    const uint64_t *known = vef_map64_get(&walker->requests, request);
    if (place != NO_SLOT) {
        walker->free_slot = walker->slots[place].next;
    } else {
        vef_grow(&walker->slots, &walker->slot_room, walker->slot_count + 1, sizeof *walker->slots);
        place = (uint32_t)walker->slot_count++;
    }
    walker->slots[place] = *kept;
    walker->slots[place].next = known ? (uint32_t)*known : NO_SLOT;
    vef_map64_set(&walker->requests, request, place);
}

static void end_collective(walk *walker, const slot *done, uint64_t request) {
    if (done->new_comm != OTF2_UNDEFINED_COMM && done->operation == VEF_OTF2_OP_DESTROY)
        RECORD(walker, CommDestroy, walker->end_ns, done->new_comm);
    else if (done->new_comm != OTF2_UNDEFINED_COMM)
        RECORD(walker, CommCreate, walker->end_ns, done->new_comm);
    if (done->elements > 0)
        add_attribute(walker, VEF_OTF2_ELEMENTS, done->elements);
    if (done->in_place)
        add_attribute(walker, VEF_OTF2_IN_PLACE, 1);
    if (request == VEF_NO_REQUEST)
        RECORD(walker, MpiCollectiveEnd, walker->end_ns, done->operation, done->comm, done->rank,
               done->bytes, done->received);
    else
        RECORD(walker, NonBlockingCollectiveComplete, walker->end_ns, done->operation, done->comm,
               done->rank, done->bytes, done->received, request);
}

static void complete_slot(walk *walker, const slot *done, uint64_t request) {
    switch (done->kind) {
    case SENT:
        RECORD(walker, MpiIsendComplete, walker->end_ns, request);
        return;
    case RECEIVED:
        RECORD(walker, MpiIrecv, walker->end_ns, done->rank, done->comm, done->tag, done->bytes,
               request);
        return;
    case COLLECTIVE:
        end_collective(walker, done, request);
        return;
    }
}

static void complete(walk *walker, const vef_completion *completion) {
    uint64_t place;
    if (!vef_map64_take(&walker->requests, completion->request, &place))
        return;
    if (completion->cancelled)
        RECORD(walker, MpiRequestCancelled, walker->end_ns, completion->request);
    while (place != NO_SLOT) {
        slot *done = &walker->slots[place];
        const uint32_t next = done->next;
        if (!completion->cancelled)
            complete_slot(walker, done, completion->request);
        done->next = walker->free_slot;
        walker->free_slot = (uint32_t)place;
        place = next;
    }
}

/* ---- calls ---- */

/* A message. Nothing is written for what transfers nothing, as by Score-P, or for one whose other
 * side is not in the trace: a reader would match the side that is there with another message. */
static vef_code put_operation(walk *walker, const vef_operation *operation, vef_error *error) {
    vef_otf2_writer *export = walker->export;
    const bool send = operation->flags & VEF_OP_SEND;
    const bool started = operation->request != VEF_NO_REQUEST;
    slot kept = {
        .kind = send ? SENT : RECEIVED, .tag = (uint32_t)operation->tag, .bytes = operation->bytes};
    const bool lost = operation->flags & VEF_OP_UNMATCHED && !(operation->flags & VEF_OP_CANCELLED);
    if (operation->flags & VEF_OP_GENERALISED || operation->peer == VEF_NO_TASK || lost) {
        export->generalised += (operation->flags & VEF_OP_GENERALISED) != 0;
        export->unmatched += (operation->flags & VEF_OP_UNMATCHED) != 0;
        if (operation->flags & VEF_OP_UNMATCHED && started && !send)
            RECORD(walker, MpiIrecvRequest, walker->begin_ns, operation->request);
        return VEF_OK;
    }
    export->partitioned += operation->flags & VEF_OP_PARTITIONED && send;
    vef_code code =
        vef_otf2_rank_of(export, operation->comm, (uint32_t)operation->peer, &kept.rank, error);
    if (code)
        return code;
    kept.comm = export->comms[operation->comm].reference;
    const uint16_t mode = operation->flags & (VEF_OP_SYNCHRONOUS | VEF_OP_READY | VEF_OP_BUFFERED);
    const bool persistent =
        walker->event->call == VEF_CALL_Start || walker->event->call == VEF_CALL_Startall;
    if (send && started && persistent && mode)
        add_attribute(walker, VEF_OTF2_MODE, mode);
    if (!send && operation->flags & VEF_OP_OPEN_ENDED) {
        add_attribute(walker, VEF_OTF2_FROM, (uint64_t)kept.rank << 32 | kept.tag);
        add_attribute(walker, VEF_OTF2_ON, kept.comm);
    }
    if (send && started)
        RECORD(walker, MpiIsend, walker->begin_ns, kept.rank, kept.comm, kept.tag, kept.bytes,
               operation->request);
    else if (send)
        RECORD(walker, MpiSend, walker->begin_ns, kept.rank, kept.comm, kept.tag, kept.bytes);
    else if (started)
        RECORD(walker, MpiIrecvRequest, walker->begin_ns, operation->request);
    else
        RECORD(walker, MpiRecv, walker->end_ns, kept.rank, kept.comm, kept.tag, kept.bytes);
    if (started)
        keep_slot(walker, operation->request, &kept);
    return VEF_OK;
}

static vef_code put_operations(walk *walker, vef_error *error) {
    const vef_event *event = walker->event;
    vef_code code = VEF_OK;
    for (int blocking = 0; blocking <= 1; blocking++) /* received messages come last */
        for (uint32_t i = 0; i < event->operation_count && !code; i++) {
            const vef_operation *operation = &event->operations[i];
            const bool last =
                !(operation->flags & VEF_OP_SEND) && operation->request == VEF_NO_REQUEST;
            if (last == blocking)
                code = put_operation(walker, operation, error);
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
static void put_joint(walk *walker, const slot *done) {
    const vef_event *event = walker->event;
    /* A reader would match it with another call of the other members. */
    if (event->flags & VEF_EVENT_UNMATCHED) {
        walker->export->alone++;
        return;
    }
    if (vef_event_starts_request(event)) {
        RECORD(walker, NonBlockingCollectiveRequest, walker->begin_ns, event->request);
        if (!(event->flags & VEF_EVENT_OPEN_ENDED)) {
            keep_slot(walker, event->request, done);
            return;
        }
        /* Only the completion says which collective it is. */
        walker->export->open_ended++;
        complete_slot(walker, done, event->request);
        return;
    }
    RECORD(walker, MpiCollectiveBegin, walker->begin_ns);
    end_collective(walker, done, VEF_NO_REQUEST);
}

static vef_code put_collective(walk *walker, vef_error *error) {
    vef_otf2_writer *export = walker->export;
    const vef_event *event = walker->event;
    const int operation = vef_otf2_operation(event->call);
    vef_otf2_place place = {0, 0};
    if (vef_event_is_making(event))
        return VEF_OK;
    if (operation == VEF_OTF2_OP_NONE) {
        export->neighbours++;
        return VEF_OK;
    }
    vef_code code = vef_otf2_rank_of(export, event->comm, walker->task, &place.rank, error);
    if (code)
        return code;
    const vef_communicator *comm = &export->header->communicators[event->comm];
    const bool own_parts =
        vef_call_has(event->call, VEF_FACT_REDUCES) && !vef_call_has(event->call, VEF_FACT_ROOTED);
    place.size = comm->remote_size && !own_parts ? comm->remote_size : comm->size;
    const vef_exchange_sums sizes = vef_otf2_sizes_of(event, place);
    export->vectors += vef_call_has(event->call, VEF_FACT_SENDS_EACH) &&
                       vef_call_has(event->call, VEF_FACT_RECEIVES_EACH);
    const slot done = {.kind = COLLECTIVE,
                       .rank = root_of(event),
                       .comm = export->comms[event->comm].reference,
                       .new_comm = OTF2_UNDEFINED_COMM,
                       .operation = (uint8_t)operation,
                       .in_place = event->flags & VEF_EVENT_IN_PLACE,
                       .bytes = sizes.sent,
                       .received = sizes.received,
                       .elements = event->elements};
    put_joint(walker, &done);
    return VEF_OK;
}

/* Creation and freeing of communicators. */
static void put_comm(walk *walker) {
    vef_otf2_writer *export = walker->export;
    const vef_event *event = walker->event;
    const bool frees = vef_call_has(event->call, VEF_FACT_FREES);
    const uint32_t made = frees ? event->comm : event->new_comm;
    if (vef_call_has(event->call, VEF_FACT_WINDOW)) {
        export->one_sided++;
        return;
    }
    slot done = {.kind = COLLECTIVE,
                 .rank = VEF_OTF2_ROOT_NONE,
                 .comm = export->comms[event->comm].reference,
                 .new_comm =
                     made == VEF_NO_COMM ? OTF2_UNDEFINED_COMM : export->comms[made].reference,
                 .operation = frees ? VEF_OTF2_OP_DESTROY : VEF_OTF2_OP_CREATE};
    if (vef_call_has(event->call, VEF_FACT_BY_MEMBERS) && made != VEF_NO_COMM)
        done.comm = done.new_comm; /* as Score-P: the parent's other members do not take part */
    if (!frees && made != VEF_NO_COMM)
        export->comms[made].created = true;
    if (frees && !export->comms[made].created)
        done.new_comm = OTF2_UNDEFINED_COMM;
    put_joint(walker, &done);
}

static vef_code put_records(walk *walker, vef_error *error) {
    const vef_event *event = walker->event;
    switch (vef_call_kind(event->call)) {
    case VEF_KIND_TRANSFER:
        return put_operations(walker, error);
    case VEF_KIND_COMPLETE:
        for (uint32_t i = 0; i < event->completion_count; i++)
            if (!vef_call_has(event->call, VEF_FACT_INSPECTS))
                complete(walker, &event->completions[i]);
        return VEF_OK;
    case VEF_KIND_PROBE:
        walker->export->probes += event->operation_count > 0;
        return VEF_OK;
    case VEF_KIND_COLLECTIVE:
        return put_collective(walker, error);
    case VEF_KIND_COMM:
        put_comm(walker);
        return VEF_OK;
    case VEF_KIND_ONE_SIDED:
    case VEF_KIND_SYNC:
        walker->export->one_sided++;
        return VEF_OK;
    default:
        return VEF_OK;
    }
}

static uint64_t part_of(uint64_t whole, uint64_t number, uint64_t count) {
    return whole / count * number + (whole % count) * number / count;
}

/* A run of polls as so many calls, of equal lengths and gaps, after the time outside. */
static void put_polls(walk *walker, OTF2_RegionRef region) {
    const vef_event *event = walker->event;
    const uint64_t count = event->repeats, length_ns = walker->end_ns - walker->begin_ns;
    for (uint64_t i = 0; i < count && !walker->failed; i++) {
        const uint64_t gaps_ns = part_of(event->gap_ns, i + 1, count);
        const uint64_t from_ns = walker->begin_ns - event->gap_ns + gaps_ns;
        add_ticks(walker);
        enter(walker, from_ns + part_of(length_ns, i, count), region);
        leave(walker, from_ns + part_of(length_ns, i + 1, count), region);
    }
}

static vef_code put_call(walk *walker, vef_error *error) {
    const vef_event *event = walker->event;
    /* A persistent collective is started by MPI_Start. */
    const bool start = event->flags & VEF_EVENT_STARTED;
    const bool polls = event->flags & VEF_EVENT_POLL && event->repeats > 1;
    const OTF2_RegionRef region = region_of_call(walker, start ? VEF_CALL_Start : event->call);
    if (event->outside_ns > 0 && !vef_call_has(event->call, VEF_FACT_BEGINS)) {
        const OTF2_RegionRef outside = region_of(walker, VEF_OTF2_OUTSIDE, VEF_OTF2_NAME_OUTSIDE);
        const uint64_t end_ns = walker->begin_ns - (polls ? event->gap_ns : 0);
        if (walker->delay_ns > 0)
            add_attribute(walker, VEF_OTF2_DELAY, walker->delay_ns);
        walker->delay_ns = 0;
        enter(walker, end_ns - event->outside_ns, outside);
        leave(walker, end_ns, outside);
    }
    if (polls) {
        put_polls(walker, region);
        return VEF_OK;
    }
    if (vef_call_kind(event->call) == VEF_KIND_LOCAL && !vef_call_names_request(event->call) &&
        event->argument != 0)
        add_attribute(walker, VEF_OTF2_ARGUMENT, (uint64_t)event->argument);
    add_ticks(walker);
    enter(walker, walker->begin_ns, region);
    const vef_code code = put_records(walker, error);
    leave(walker, walker->end_ns, region);
    return code;
}

/* ---- tasks ---- */

static vef_code put_event(walk *walker, const vef_event *event, vef_error *error) {
    vef_selector_next(&walker->selector, event);
    walker->finalized = event->call == VEF_CALL_Finalize;
    const vef_selector_thread *thread = &walker->selector.threads[event->thread];
    walker->event = event;
    walker->writer = walker->strands[event->thread].writer;
    walker->begin_ns = VEF_OTF2_FIRST_NS + thread->entered_ns;
    walker->end_ns = VEF_OTF2_FIRST_NS + thread->end_ns;
    walker->delay_ns = thread->delay_ns;
    if (walker->export->last_ns < walker->end_ns)
        walker->export->last_ns = walker->end_ns;
    if (vef_call_kind(event->call) != VEF_KIND_REGION)
        return put_call(walker, error);
    put_region(walker);
    return VEF_OK;
}

/* The events of a thread are written: leaves its regions, and says so where the task neither
 * finalized nor was cut short. */
static void end_strand(walk *walker, uint32_t thread) {
    strand *on = &walker->strands[thread];
    const uint64_t end_ns = VEF_OTF2_FIRST_NS + walker->selector.threads[thread].end_ns;
    walker->writer = on->writer;
    while (on->regions.count > 0)
        leave_innermost(walker, &on->regions, end_ns);
    if (thread > 0 || walker->finalized ||
        vef_log_end_cuts(walker->export->header->task[walker->task].end))
        return;
    const OTF2_RegionRef region = region_of(walker, VEF_OTF2_OUTSIDE, VEF_OTF2_NAME_END);
    enter(walker, end_ns, region);
    leave(walker, end_ns, region);
}

static vef_code put_events(walk *walker, vef_error *error) {
    vef_task_events *events = NULL;
    const vef_event *event = NULL;
    uint64_t number = 0;
    vef_code code = vef_task_events_open(walker->export->trace, walker->task, &events, error);
    while (!code && (code = vef_task_events_next(events, &event, error)) == VEF_OK && event) {
        code = put_event(walker, event, error);
        if (code)
            vef_fail_within(error, "%s: task %" PRIu32 ", event %" PRIu64,
                            vef_trace_path(walker->export->trace), walker->task, number);
        else if (walker->failed)
            code = vef_otf2_failed(walker->export, "events", error);
        number++;
    }
    for (uint32_t i = 0; i < walker->threads && !code; i++)
        end_strand(walker, i);
    vef_task_events_close(events);
    return code;
}

static vef_code open_location(walk *walker, uint32_t thread, vef_error *error) {
    vef_otf2_writer *export = walker->export;
    const OTF2_LocationRef location = (uint64_t)thread << 32 | walker->task;
    *VEF_NEW_ITEM(export->locations, export->location_count, export->location_room) =
        (vef_otf2_written_location){location, 0};
    walker->strands[thread].writer = OTF2_Archive_GetEvtWriter(export->archive, location);
    return walker->strands[thread].writer ? VEF_OK : vef_otf2_failed(export, "a location", error);
}

static vef_code close_locations(walk *walker, size_t first, vef_error *error) {
    vef_otf2_writer *export = walker->export;
    bool failed = walker->failed;
    for (uint32_t i = 0; i < walker->threads; i++) {
        OTF2_EvtWriter *writer = walker->strands[i].writer;
        vef_shown_regions_free(&walker->strands[i].regions);
        if (!writer)
            continue;
        uint64_t *events = &export->locations[first + i].events;
        failed |= OTF2_EvtWriter_GetNumberOfEvents(writer, events) != OTF2_SUCCESS;
        failed |= OTF2_Archive_CloseEvtWriter(export->archive, writer) != OTF2_SUCCESS;
        export->events += *events;
    }
    return failed ? vef_otf2_failed(export, "events", error) : VEF_OK;
}

vef_code vef_otf2_write_task(vef_otf2_writer *export, uint32_t task, vef_error *error) {
    const vef_slice_options whole = {0};
    const size_t first = export->location_count;
    walk walker = {.export = export,
                   .task = task,
                   .threads = export->header->task[task].threads,
                   .free_slot = NO_SLOT};
    vef_error other;
    walker.strands = vef_calloc(walker.threads, sizeof *walker.strands);
    vef_code code = VEF_OK;
    vef_selector_begin(&walker.selector, &whole, walker.threads);
    for (uint32_t i = 0; i < walker.threads && !code; i++)
        code = open_location(&walker, i, error);
    code = code ? code : put_events(&walker, error);
    const vef_code closed = close_locations(&walker, first, code ? &other : error);
    vef_selector_end(&walker.selector);
    vef_map64_free(&walker.requests);
    free(walker.slots);
    free(walker.strands);
    return code ? code : closed;
}

#endif
