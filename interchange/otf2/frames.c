/* A call of MPI, from its Enter to its Leave: what the records between them say. */
#include "interchange/otf2/reading.h"

#ifdef VEF_HAVE_OTF2

#include "common/containers/grow.h"
#include "traces/text/words.h"

#include <inttypes.h>

/* A message of more bytes is not plausible, and sums of such would overflow. */
#define MOST_BYTES ((uint64_t)1 << 56)

void vef_otf2_frame_begin(vef_otf2_thread *thread, uint16_t call, uint64_t entered_ns) {
    vef_otf2_frame *frame = &thread->frame;
    *frame = (vef_otf2_frame){.open = true,
                              .depth = thread->open_count,
                              .call = call,
                              .entered_ns = entered_ns,
                              .operations = frame->operations,
                              .operation_room = frame->operation_room,
                              .completions = frame->completions,
                              .completion_room = frame->completion_room,
                              .collectives = frame->collectives,
                              .collective_room = frame->collective_room,
                              .made = VEF_NO_COMM};
}

uint16_t vef_otf2_implied_call(const vef_otf2_record *record) {
    const int collective = vef_otf2_call((uint8_t)record->c);
    switch (record->type) {
    case VEF_OTF2_SEND:
        return VEF_CALL_Send;
    case VEF_OTF2_ISEND:
        return VEF_CALL_Isend;
    case VEF_OTF2_RECV:
        return VEF_CALL_Recv;
    case VEF_OTF2_IRECV_REQUEST:
        return VEF_CALL_Irecv;
    case VEF_OTF2_IRECV:
    case VEF_OTF2_ISEND_COMPLETE:
    case VEF_OTF2_CANCELLED:
        return VEF_CALL_Waitall;
    case VEF_OTF2_COLLECTIVE_END:
        return collective > 0 ? (uint16_t)collective : 0;
    default:
        return 0;
    }
}

/* The communicator of the task's next receive with a request. */
static uint32_t next_receive(vef_otf2_reading *reader) {
    const vef_otf2_facts *facts = &reader->survey->tasks[reader->task];
    if (reader->receives >= facts->receive_count)
        return VEF_NO_COMM;
    const vef_otf2_receives *run = &facts->receives[reader->receives];
    if (++reader->receives_of_run == run->count) {
        reader->receives++;
        reader->receives_of_run = 0;
    }
    return run->comm;
}

/* The communicator of a message, whose numbers are in range; VEF_NO_COMM: the message is on a
 * communicator that is left out. */
static vef_code envelope(vef_otf2_reading *reader, const vef_otf2_record *record, uint32_t *comm,
                         vef_error *error) {
    const uint32_t place = vef_otf2_run_comm(reader->run, record->b);
    *comm = vef_otf2_number_of(reader, place);
    if (*comm == VEF_NO_COMM)
        return VEF_OK;
    const uint32_t size = reader->run->comms[place].size;
    if (record->a >= size)
        return vef_fail(error, VEF_CORRUPT, "rank %" PRIu64 ": expected one below %" PRIu32,
                        record->a, size);
    if (record->c > INT32_MAX)
        return vef_fail(error, VEF_CORRUPT, "tag %" PRIu64 ": expected up to %" PRId32, record->c,
                        INT32_MAX);
    if (record->d > MOST_BYTES)
        return vef_fail(error, VEF_CORRUPT, "a message of %" PRIu64 " bytes", record->d);
    return VEF_OK;
}

/* The request of the trace; Isendrecv has one for both of its operations. */
static uint64_t start(vef_otf2_reading *reader, const vef_otf2_frame *frame, uint64_t request) {
    const uint64_t *known = vef_map64_get(&reader->request_of, request);
    if (known && frame->operation_count > 0 && vef_call_has(frame->call, VEF_FACT_ONE_REQUEST))
        return *known;
    const uint64_t number = reader->requests++;
    vef_map64_set(&reader->request_of, request, number);
    return number;
}

/* Whether vef wrote which message the receive is for, since no call completes it. */
static bool is_posted(vef_otf2_record *record) {
    const uint16_t both = 1u << VEF_OTF2_FROM | 1u << VEF_OTF2_ON;
    record->a = record->values[VEF_OTF2_FROM] >> 32;
    record->b = record->values[VEF_OTF2_ON];
    record->c = record->values[VEF_OTF2_FROM] & UINT32_MAX;
    return (record->attributes & both) == both;
}

static vef_code take_operation(vef_otf2_reading *reader, vef_otf2_frame *frame,
                               const vef_otf2_record *record, vef_error *error) {
    const bool send = record->type == VEF_OTF2_SEND || record->type == VEF_OTF2_ISEND;
    const bool posts = record->type == VEF_OTF2_IRECV_REQUEST;
    const bool started = record->type == VEF_OTF2_ISEND || posts;
    vef_code code = VEF_OK;
    vef_operation operation = {.flags = send ? vef_default_flags(frame->call, true) : 0,
                               .ordinal = VEF_NO_ORDINAL,
                               .request = VEF_NO_REQUEST};
    vef_otf2_record posted = *record;
    if (!posts && reader->run->tool->starts_only && record->a >= VEF_OTF2_NOWHERE_RANK)
        return VEF_OK; /* MPI_PROC_NULL, as without a record */
    const uint32_t comm = posts ? next_receive(reader) : VEF_NO_COMM;
    if (posts && !is_posted(&posted)) { /* its message is stated where it completes */
        operation.peer = VEF_ANY_SOURCE;
        operation.tag = VEF_ANY_TAG;
        operation.comm = comm == VEF_NO_COMM ? VEF_IMPORT_WORLD : vef_otf2_number_of(reader, comm);
    } else {
        code = envelope(reader, &posted, &operation.comm, error);
        operation.peer = (int32_t)posted.a;
        operation.tag = (int32_t)posted.c;
        operation.bytes = posted.d;
    }
    if (code)
        return code;
    if (operation.comm == VEF_NO_COMM) { /* its completion will be left out, too */
        reader->left_out_comm++;
        if (started)
            vef_map64_set(&reader->request_of, record->e, VEF_NO_REQUEST);
        return VEF_OK;
    }
    if (send)
        operation.flags |= (uint16_t)(record->values[VEF_OTF2_MODE] &
                                      (VEF_OP_SYNCHRONOUS | VEF_OP_READY | VEF_OP_BUFFERED));
    if (started)
        operation.request = start(reader, frame, record->e);
    *VEF_NEW_ITEM(frame->operations, frame->operation_count, frame->operation_room) = operation;
    return VEF_OK;
}

/* Whether the call of the frame starts the collective: no call completes it, but its completion is
 * there to say which one it is. */
static bool starts(const vef_otf2_frame *frame, uint64_t request) {
    size_t i = 0;
    while (i < frame->collective_count && frame->collectives[i] != request)
        i++;
    return i < frame->collective_count;
}

static vef_code take_completion(vef_otf2_reading *reader, vef_otf2_frame *frame,
                                const vef_otf2_record *record, vef_error *error) {
    uint64_t number = VEF_NO_REQUEST;
    vef_completion done = {.source = VEF_NO_TASK};
    uint32_t comm;
    /* Both records of an Isendrecv name its request. */
    const bool again = frame->completion_count > 0 && frame->last_request == record->e;
    if (again)
        number = frame->completions[frame->completion_count - 1].request;
    else if (!vef_map64_take(&reader->request_of, record->e, &number))
        reader->unknown_requests += !starts(frame, record->e);
    if (number == VEF_NO_REQUEST)
        return VEF_OK;
    frame->last_request = record->e;
    done.request = number;
    done.cancelled = record->type == VEF_OTF2_CANCELLED;
    if (record->type == VEF_OTF2_IRECV) {
        vef_code code = envelope(reader, record, &comm, error);
        if (code)
            return code;
        if (comm != VEF_NO_COMM) {
            done.source = (int32_t)record->a;
            done.tag = (int32_t)record->c;
            done.bytes = record->d;
        }
    }
    vef_grow(&frame->completions, &frame->completion_room, frame->completion_count + 1,
             sizeof *frame->completions);
    /* The two operations of Isendrecv complete together; the receive has a status. */
    for (size_t i = 0; i < frame->completion_count; i++)
        if (frame->completions[i].request == number) {
            if (done.source != VEF_NO_TASK)
                frame->completions[i] = done;
            return VEF_OK;
        }
    frame->completions[frame->completion_count++] = done;
    return VEF_OK;
}

vef_code vef_otf2_frame_take(vef_otf2_reading *reader, vef_otf2_thread *thread,
                             const vef_otf2_record *record, vef_error *error) {
    vef_otf2_frame *frame = &thread->frame;
    switch (record->type) {
    case VEF_OTF2_SEND:
    case VEF_OTF2_ISEND:
    case VEF_OTF2_RECV:
    case VEF_OTF2_IRECV_REQUEST:
        return take_operation(reader, frame, record, error);
    case VEF_OTF2_IRECV:
    case VEF_OTF2_ISEND_COMPLETE:
    case VEF_OTF2_CANCELLED:
    case VEF_OTF2_COLLECTIVE_COMPLETE:
        return take_completion(reader, frame, record, error);
    case VEF_OTF2_COLLECTIVE_END:
        frame->ended = true;
        frame->fact = vef_otf2_fact_of(reader->run, reader->task, record);
        return VEF_OK;
    case VEF_OTF2_COLLECTIVE_REQUEST:
        *VEF_NEW_ITEM(frame->collectives, frame->collective_count, frame->collective_room) =
            record->e;
        return VEF_OK;
    case VEF_OTF2_COMM_CREATE:
    case VEF_OTF2_COMM_DESTROY:
        frame->made = vef_otf2_run_comm(reader->run, record->b);
        return VEF_OK;
    default: /* COLLECTIVE_BEGIN */
        return VEF_OK;
    }
}

#endif
