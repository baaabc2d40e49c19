/* The events that the calls of an archive make, and how they are stated for the import: their times
 * and order, communicators, and the regions of the program. See reading.h. */
#include "interchange/otf2/reading.h"

#ifdef VEF_HAVE_OTF2

#include "common/containers/grow.h"

#include <inttypes.h>

/* A collective of more bytes is not plausible, and a trace cannot store many more. */
#define MOST_BYTES ((uint64_t)1 << 61)

/* ---- events ---- */

void vef_otf2_pass_time(vef_otf2_reading *reader, vef_otf2_thread *thread, uint64_t to_ns) {
    reader->backwards += to_ns < thread->last_ns;
    if (to_ns > thread->last_ns) {
        thread->gap_ns += to_ns - thread->last_ns;
        thread->last_ns = to_ns;
    }
}

/* The order of calls of several threads: by their ticks, else by their times. */
static void give_order(vef_otf2_reading *reader, vef_otf2_thread *thread, vef_event *event,
                       uint64_t entered_ns) {
    const vef_otf2_frame *frame = &thread->frame;
    if (reader->thread_count < 2)
        return;
    if (frame->left > 0) {
        event->entered = frame->entered;
        event->left = frame->left;
        return;
    }
    if (reader->base_ns == UINT64_MAX)
        reader->base_ns = entered_ns;
    vef_import_order(event, entered_ns > reader->base_ns ? entered_ns - reader->base_ns : 0,
                     &thread->last_tick);
}

/* States an event of the thread, with its order and the times of the frame: without an open one it
 * has no length. */
static vef_code put(vef_otf2_reading *reader, vef_otf2_thread *thread, vef_event event,
                    vef_error *error) {
    const vef_otf2_frame *frame = &thread->frame;
    const uint64_t entered_ns =
        frame->open && frame->entered_ns > thread->last_ns ? frame->entered_ns : thread->last_ns;
    vef_otf2_pass_time(reader, thread, entered_ns);
    if (!thread->begun) {
        thread->begun = true;
        thread->number = reader->numbered++;
    }
    event.thread = thread->number;
    event.gap_ns = thread->gap_ns;
    event.outside_ns = thread->outside_ns;
    event.duration_ns =
        frame->open && frame->left_ns > entered_ns ? frame->left_ns - entered_ns : 0;
    event.repeats = 1;
    thread->gap_ns = thread->outside_ns = 0;
    thread->last_ns = entered_ns + event.duration_ns;
    give_order(reader, thread, &event, entered_ns);
    return vef_import_event(reader->import, &event, error);
}

vef_code vef_otf2_state_comm(vef_otf2_reading *reader, uint32_t comm, uint32_t parent,
                             uint16_t made_by, vef_error *error) {
    const vef_otf2_comm *about = &reader->run->comms[comm];
    uint32_t rank;
    if (about->kind != VEF_OTF2_COMM_OTHER || !vef_otf2_run_rank(about, reader->task, &rank))
        return VEF_OK;
    const vef_communicator communicator = {.parent =
                                               parent == VEF_NO_COMM ? VEF_IMPORT_WORLD : parent,
                                           .made_by = made_by,
                                           .size = about->size,
                                           .members = about->members};
    return vef_import_communicator(reader->import, &communicator, &reader->numbers[comm], error);
}

/* ---- regions ---- */

vef_code vef_otf2_put_region(vef_otf2_reading *reader, vef_otf2_thread *thread, uint16_t call,
                             const vef_otf2_known_region *region, uint64_t at_ns,
                             vef_error *error) {
    vef_otf2_pass_time(reader, thread, at_ns);
    return put(reader, thread, (vef_event){.call = call, .name = reader->run->texts[region->name]},
               error);
}

/* Before MPI_Init no region of the program is stated, and none is open at MPI_Finalize. */
static vef_code resume_regions(vef_otf2_reading *reader, vef_otf2_thread *thread,
                               vef_error *error) {
    vef_code code = VEF_OK;
    thread->frame.open = false;
    for (size_t i = 0; i < thread->open_count && !code; i++) {
        vef_otf2_open *open = &thread->open[i];
        if (open->known->meaning != VEF_OTF2_IS_REGION)
            continue;
        open->stated = true;
        code = vef_otf2_put_region(reader, thread, VEF_CALL_Region_begin, open->known,
                                   thread->last_ns, error);
    }
    return code;
}

static vef_code end_regions(vef_otf2_reading *reader, vef_otf2_thread *thread, vef_error *error) {
    const bool was_open = thread->frame.open;
    vef_code code = VEF_OK;
    thread->frame.open = false;
    for (size_t i = thread->open_count; i-- > 0 && !code;) {
        vef_otf2_open *open = &thread->open[i];
        if (open->stated)
            code = vef_otf2_put_region(reader, thread, VEF_CALL_Region_end, open->known,
                                       thread->last_ns, error);
        open->stated = false;
    }
    thread->frame.open = was_open;
    return code;
}

/* ---- calls that are left out ---- */

/* A call that is not stated, but counted; its time is no computation. */
static vef_code skip(vef_otf2_reading *reader, vef_otf2_thread *thread, uint64_t *count) {
    const vef_otf2_frame *frame = &thread->frame;
    (*count)++;
    vef_otf2_pass_time(reader, thread, frame->entered_ns);
    thread->last_ns = frame->left_ns > thread->last_ns ? frame->left_ns : thread->last_ns;
    return VEF_OK;
}

/* ---- messages ---- */

static void put_null(vef_otf2_reading *reader, vef_operation *operation, bool send, bool started) {
    *operation = (vef_operation){.flags = send ? VEF_OP_SEND : 0,
                                 .peer = VEF_NO_TASK,
                                 .ordinal = VEF_NO_ORDINAL,
                                 .request = VEF_NO_REQUEST};
    if (!started)
        return;
    *VEF_NEW_ITEM(reader->nulls, reader->null_count, reader->null_room) = operation->request =
        reader->requests++;
}

static vef_code put_operations(vef_otf2_reading *reader, vef_otf2_thread *thread, uint16_t call,
                               const vef_operation *list, size_t count, vef_error *error) {
    return put(reader, thread,
               (vef_event){.call = call, .operation_count = (uint32_t)count, .operations = list},
               error);
}

/* Operations that the call of the frame does not have are calls of their own, without time. */
static vef_code put_strays(vef_otf2_reading *reader, vef_otf2_thread *thread, const bool *taken,
                           vef_error *error) {
    const vef_otf2_frame *frame = &thread->frame;
    vef_code code = VEF_OK;
    for (size_t i = 0; i < frame->operation_count && !code; i++) {
        const vef_operation *operation = &frame->operations[i];
        const bool started = operation->request != VEF_NO_REQUEST;
        const uint16_t call = operation->flags & VEF_OP_SEND
                                  ? (started ? VEF_CALL_Isend : VEF_CALL_Send)
                                  : (started ? VEF_CALL_Irecv : VEF_CALL_Recv);
        if (!taken || i >= 2 || !taken[i])
            code = put_operations(reader, thread, call, operation, 1, error);
    }
    return code;
}

static bool is_both(uint16_t call) {
    return call == VEF_CALL_Sendrecv || call == VEF_CALL_Sendrecv_replace ||
           call == VEF_CALL_Isendrecv || call == VEF_CALL_Isendrecv_replace;
}

static bool is_receive(uint16_t call) {
    return call == VEF_CALL_Recv || call == VEF_CALL_Irecv;
}

/* A call of one operation, or of a send and a receive. What the records lack is of MPI_PROC_NULL.
 */
static vef_code put_transfer(vef_otf2_reading *reader, vef_otf2_thread *thread, uint16_t call,
                             vef_error *error) {
    const vef_otf2_frame *frame = &thread->frame;
    const bool started = vef_call_has(call, VEF_FACT_STARTS), both = is_both(call);
    vef_operation list[2];
    bool taken[2] = {false, false};
    size_t count = 0;
    for (int receive = 0; receive <= 1; receive++) {
        size_t i = 0;
        if (!both && is_receive(call) != receive)
            continue;
        while (i < frame->operation_count && i < 2 &&
               ((frame->operations[i].flags & VEF_OP_SEND) == receive ||
                (frame->operations[i].request != VEF_NO_REQUEST) != started))
            i++;
        if (i < frame->operation_count && i < 2) {
            taken[i] = true;
            list[count] = frame->operations[i];
        } else {
            const bool shares = started && both && (count > 0 || frame->operation_count > 0);
            put_null(reader, &list[count], !receive, started && !shares);
            if (shares)
                list[count].request = count > 0 ? list[0].request : frame->operations[0].request;
        }
        count++;
    }
    const vef_code code = put_operations(reader, thread, call, list, count, error);
    return code ? code : put_strays(reader, thread, taken, error);
}

/* ---- completions ---- */

static vef_code put_completions(vef_otf2_reading *reader, vef_otf2_thread *thread, uint16_t call,
                                vef_error *error) {
    vef_otf2_frame *frame = &thread->frame;
    const bool poll = vef_call_has(call, VEF_FACT_TESTS) && frame->completion_count == 0;
    /* Requests to MPI_PROC_NULL have no records: they complete here. */
    vef_grow(&frame->completions, &frame->completion_room,
             frame->completion_count + reader->null_count, sizeof *frame->completions);
    for (size_t i = 0; i < reader->null_count && !poll; i++)
        frame->completions[frame->completion_count++] =
            (vef_completion){.request = reader->nulls[i], .source = VEF_NO_TASK};
    if (!poll)
        reader->null_count = 0;
    return put(reader, thread,
               (vef_event){.call = call,
                           .flags = poll ? VEF_EVENT_POLL : 0,
                           .completion_count = (uint32_t)frame->completion_count,
                           .completions = frame->completions},
               error);
}

/* ---- collectives ---- */

/* The size of an element is not known: the largest usual one. */
static uint64_t elements_of(uint64_t bytes) {
    uint64_t size = 8;
    while (bytes % size != 0)
        size /= 2;
    return bytes / size;
}

static void fill_sizes(vef_otf2_reading *reader, const vef_otf2_fact *fact, uint32_t rank,
                       vef_event *event) {
    const vef_otf2_comm *comm = &reader->run->comms[fact->comm];
    const vef_otf2_tool *tool = reader->run->tool;
    const vef_otf2_place here = {rank, comm->size};
    const bool vectors = vef_otf2_has_vectors(fact->operation);
    const bool sends_each = vef_call_has(event->call, VEF_FACT_SENDS_EACH);
    const bool receives_each = vef_call_has(event->call, VEF_FACT_RECEIVES_EACH);
    if (vectors && comm->kind != VEF_OTF2_COMM_SELF) {
        const uint64_t *known = vef_map64_get(&reader->calls, fact->comm);
        const uint64_t call = known ? *known : 0;
        vef_grow(&reader->sends, &reader->send_room, comm->size, sizeof *reader->sends);
        vef_grow(&reader->receives_each, &reader->receive_room, comm->size,
                 sizeof *reader->receives_each);
        vef_map64_set(&reader->calls, fact->comm, call + 1);
        const vef_exchange_place place = vef_otf2_fill_vectors(
            reader->survey, fact->comm, call, rank, event, reader->sends, reader->receives_each);
        reader->maybe_in_place += place == VEF_EXCHANGE_EITHER;
        reader->scattered += place == VEF_EXCHANGE_IN_PLACE && tool->arguments &&
                             vef_call_base(event->call) == VEF_CALL_Allgatherv;
        if (event->send_count + event->receive_count == 0) /* not the root: its own part */
            vef_otf2_bytes_of(event, here, fact->sizes, tool->without_place);
        reader->exchanges += sends_each && receives_each;
    } else {
        reader->alone = fact->sizes;
        if (vectors && vef_otf2_without_place(reader->run, fact->operation, &reader->alone, 1) ==
                           VEF_EXCHANGE_IN_PLACE)
            event->flags |= VEF_EVENT_IN_PLACE;
        const vef_otf2_certainty how =
            vef_otf2_bytes_of(event, here, reader->alone, tool->without_place);
        reader->odd += how == VEF_OTF2_ODD;
        reader->maybe_in_place += how == VEF_OTF2_MAYBE_IN_PLACE;
        event->send_count = sends_each;
        event->receive_count = receives_each;
        event->send_bytes = &reader->alone.sent;
        event->receive_bytes = &reader->alone.received;
    }
    if (vef_call_has(event->call, VEF_FACT_REDUCES))
        event->elements =
            fact->elements ? fact->elements
            : event->receive_count
                ? elements_of(vef_exchange_sum(event->receive_bytes, event->receive_count))
                : elements_of(event->bytes);
    if (fact->in_place)
        event->flags |= VEF_EVENT_IN_PLACE;
}

static vef_code put_collective(vef_otf2_reading *reader, vef_otf2_thread *thread,
                               const vef_otf2_fact *fact, uint64_t request, vef_error *error) {
    const int blocking = vef_otf2_call(fact->operation);
    uint32_t rank;
    if (blocking < 0)
        return skip(reader, thread, &reader->unfinished);
    if (vef_otf2_number_of(reader, fact->comm) == VEF_NO_COMM ||
        !vef_otf2_run_rank(&reader->run->comms[fact->comm], reader->task, &rank))
        return skip(reader, thread, &reader->left_out_comm);
    if (fact->sizes.sent > MOST_BYTES || fact->sizes.received > MOST_BYTES ||
        fact->elements > MOST_BYTES)
        return vef_fail(error, VEF_CORRUPT,
                        "a collective of %" PRIu64 " and %" PRIu64 " bytes, %" PRIu64 " elements",
                        fact->sizes.sent, fact->sizes.received, fact->elements);
    const uint32_t size = reader->run->comms[fact->comm].size;
    vef_event event = {.call = (uint16_t)blocking,
                       .comm = reader->numbers[fact->comm],
                       .new_comm = VEF_NO_COMM,
                       .root = -1,
                       .request = request};
    if (request != VEF_NO_REQUEST)
        event.call = vef_call_started(event.call);
    if (vef_call_has(event.call, VEF_FACT_ROOTED)) {
        if (fact->root >= size && reader->run->tool->starts_only)
            return vef_fail(error, VEF_UNSUPPORTED,
                            "%s does not record the other group of an intercommunicator: record "
                            "the program with vef capture, or with Score-P",
                            reader->run->tool->name);
        if (fact->root >= size)
            return vef_fail(error, VEF_CORRUPT, "root %" PRIu32 ": expected a rank below %" PRIu32,
                            fact->root, size);
        event.root = (int32_t)fact->root;
    }
    fill_sizes(reader, fact, rank, &event);
    return put(reader, thread, event, error);
}

/* ---- communicators ---- */

static vef_code put_comm(vef_otf2_reading *reader, vef_otf2_thread *thread, uint16_t call,
                         const vef_otf2_fact *fact, uint64_t request, vef_error *error) {
    const bool by_members = vef_call_has(call, VEF_FACT_BY_MEMBERS);
    const uint32_t made = fact->new_comm;
    uint32_t number = vef_otf2_number_of(
        reader, by_members && made != VEF_NO_COMM ? reader->run->comms[made].parent : fact->comm);
    if (vef_call_has(call, VEF_FACT_FREES)) {
        number = vef_otf2_number_of(reader, made);
        if (number <= VEF_IMPORT_SELF)
            number = VEF_NO_COMM;
        if (number != VEF_NO_COMM)
            reader->numbers[made] = VEF_NO_COMM;
    } else if (made != VEF_NO_COMM && reader->numbers[made] == VEF_NO_COMM) {
        vef_code code = vef_otf2_state_comm(reader, made, number, call, error);
        if (code)
            return code;
    }
    if (number == VEF_NO_COMM || (by_members && made == VEF_NO_COMM))
        return skip(reader, thread, &reader->left_out_comm);
    return put(reader, thread,
               (vef_event){.call = call,
                           .comm = number,
                           .root = -1,
                           .request = request,
                           .new_comm = vef_otf2_number_of(reader, made)},
               error);
}

/* ---- the frame ---- */

/* Collectives with requests: what they are was found at their completion. */
static vef_code put_started(vef_otf2_reading *reader, vef_otf2_thread *thread, vef_error *error) {
    const vef_otf2_frame *frame = &thread->frame;
    const vef_otf2_facts *facts = &reader->survey->tasks[reader->task];
    vef_code code = VEF_OK;
    for (size_t i = 0; i < frame->collective_count && !code; i++) {
        const vef_otf2_fact unknown = {.comm = VEF_NO_COMM, .new_comm = VEF_NO_COMM};
        const vef_otf2_fact *fact =
            reader->facts < facts->count ? &facts->list[reader->facts++] : &unknown;
        const bool makes = fact->operation == VEF_OTF2_OP_CREATE;
        const bool stated = !fact->persistent && fact->known &&
                            vef_otf2_number_of(reader, fact->comm) != VEF_NO_COMM &&
                            (makes ? vef_call_kind(frame->call) == VEF_KIND_COMM
                                   : vef_otf2_call(fact->operation) >= 0);
        const uint64_t number = stated ? reader->requests++ : VEF_NO_REQUEST;
        vef_map64_set(&reader->request_of, frame->collectives[i], number);
        if (!stated)
            skip(reader, thread,
                 fact->persistent ? &reader->persistent
                 : fact->known    ? &reader->left_out_comm
                                  : &reader->unfinished);
        else if (makes)
            code = put_comm(reader, thread, frame->call, fact, number, error);
        else
            code = put_collective(reader, thread, fact, number, error);
    }
    return code;
}

static vef_code end_transfer(vef_otf2_reading *reader, vef_otf2_thread *thread, vef_error *error) {
    const vef_otf2_frame *frame = &thread->frame;
    uint16_t call = frame->call;
    if (vef_call_has(call, VEF_FACT_GENERALISED))
        return skip(reader, thread, &reader->generalised);
    if (reader->run->tool->starts_only && is_both(call) && frame->operation_count == 0)
        return skip(reader, thread, &reader->unrecorded);
    if (vef_call_has(call, VEF_FACT_MATCHED)) /* its probe is not stated */
        call = call == VEF_CALL_Imrecv ? VEF_CALL_Irecv : VEF_CALL_Recv;
    if (call != VEF_CALL_Start && call != VEF_CALL_Startall)
        return put_transfer(reader, thread, call, error);
    vef_code code = put_started(reader, thread, error);
    if (code || frame->operation_count == 0)
        return code || frame->collective_count > 0
                   ? code
                   : put_transfer(reader, thread, VEF_CALL_Start, error);
    for (size_t i = 0; i < frame->operation_count; i++)
        if (frame->operations[i].request == VEF_NO_REQUEST)
            return put_strays(reader, thread, NULL, error);
    return put_operations(reader, thread, frame->operation_count > 1 ? VEF_CALL_Startall : call,
                          frame->operations, frame->operation_count, error);
}

static vef_code end_collective(vef_otf2_reading *reader, vef_otf2_thread *thread,
                               vef_error *error) {
    vef_otf2_frame *frame = &thread->frame;
    const bool makes = vef_call_kind(frame->call) == VEF_KIND_COMM;
    if (vef_call_has(frame->call, VEF_FACT_WINDOW))
        return skip(reader, thread, &reader->one_sided);
    if (makes && !frame->ended && reader->run->tool->comms_without_calls)
        return skip(reader, thread, &reader->comm_calls);
    if (frame->collective_count > 0)
        return put_started(reader, thread, error);
    if (!frame->ended && !makes && vef_call_has(frame->call, VEF_FACT_NEIGHBOURS))
        return skip(reader, thread, &reader->neighbours);
    if (!frame->ended)
        return skip(reader, thread,
                    vef_call_has(frame->call, VEF_FACT_PERSISTENT) ? &reader->persistent
                                                                   : &reader->unfinished);
    reader->facts += vef_otf2_has_vectors(frame->fact.operation);
    reader->scattered += reader->run->tool->arguments &&
                         vef_otf2_call(frame->fact.operation) == VEF_CALL_Reduce_scatter;
    if (!makes)
        return put_collective(reader, thread, &frame->fact, VEF_NO_REQUEST, error);
    frame->fact.new_comm = frame->made;
    return put_comm(reader, thread, frame->call, &frame->fact, VEF_NO_REQUEST, error);
}

static vef_code end_local(vef_otf2_reading *reader, vef_otf2_thread *thread, vef_error *error) {
    const vef_otf2_frame *frame = &thread->frame;
    const bool world = vef_call_has(frame->call, VEF_FACT_WORLD);
    vef_code code = VEF_OK;
    if (vef_call_names_request(frame->call))
        return skip(reader, thread, &reader->named);
    if (world && vef_call_has(frame->call, VEF_FACT_ENDS))
        code = end_regions(reader, thread, error);
    if (world && vef_call_has(frame->call, VEF_FACT_BEGINS)) {
        reader->initialized = true;
        thread->last_ns = frame->entered_ns;
        thread->gap_ns = thread->outside_ns = 0;
    }
    const vef_event event = {.call = frame->call, .argument = (int64_t)frame->argument};
    code = code ? code : put(reader, thread, event, error);
    if (!code && world && vef_call_has(frame->call, VEF_FACT_BEGINS))
        code = resume_regions(reader, thread, error);
    reader->finalized |= world && vef_call_has(frame->call, VEF_FACT_ENDS);
    return code;
}

static void end_counted(vef_otf2_reading *reader, vef_otf2_thread *thread) {
    const vef_otf2_frame *frame = &thread->frame;
    const uint64_t inside_ns = frame->left_ns - frame->entered_ns;
    vef_otf2_pass_time(reader, thread, frame->entered_ns);
    thread->outside_ns += inside_ns;
    thread->last_ns = frame->left_ns;
    vef_import_count(reader->import, frame->call, 1, inside_ns);
}

static vef_code end_call(vef_otf2_reading *reader, vef_otf2_thread *thread, vef_error *error) {
    const uint16_t call = thread->frame.call;
    switch (vef_call_kind(call)) {
    case VEF_KIND_LOCAL:
        return end_local(reader, thread, error);
    case VEF_KIND_TRANSFER:
        return end_transfer(reader, thread, error);
    case VEF_KIND_COMPLETE:
        if (!vef_call_has(call, VEF_FACT_INSPECTS))
            return put_completions(reader, thread, call, error);
        return skip(reader, thread, &reader->inspected);
    case VEF_KIND_PROBE:
        if (call == VEF_CALL_Probe || call == VEF_CALL_Mprobe)
            return skip(reader, thread, &reader->probes);
        return put(reader, thread, (vef_event){.call = call, .flags = VEF_EVENT_POLL}, error);
    case VEF_KIND_COLLECTIVE:
    case VEF_KIND_COMM:
        return end_collective(reader, thread, error);
    case VEF_KIND_ONE_SIDED:
    case VEF_KIND_SYNC:
        return skip(reader, thread, &reader->one_sided);
    case VEF_KIND_COUNTED:
        end_counted(reader, thread);
        return VEF_OK;
    default:
        return VEF_OK;
    }
}

vef_code vef_otf2_frame_end(vef_otf2_reading *reader, vef_otf2_thread *thread, uint64_t left_ns,
                            vef_error *error) {
    vef_otf2_frame *frame = &thread->frame;
    const vef_kind kind = vef_call_kind(frame->call);
    frame->left_ns = left_ns > frame->entered_ns ? left_ns : frame->entered_ns;
    vef_code code = end_call(reader, thread, error);
    if (!code && kind != VEF_KIND_TRANSFER)
        code = put_strays(reader, thread, NULL, error);
    if (!code && kind != VEF_KIND_COMPLETE && frame->completion_count > 0)
        code = put_completions(reader, thread, VEF_CALL_Waitall, error);
    frame->open = false;
    return code;
}

#endif
