/* Point-to-point calls of DUMPI: sends, receives, and the requests that they start. */
#include "common/containers/grow.h"
#include "interchange/dumpi/reading.h"
#include "traces/text/words.h"

#include <inttypes.h>

vef_dumpi_slot *vef_dumpi_slot_of(vef_dumpi_reading *reader, int32_t handle) {
    const uint64_t *place = vef_map64_get(&reader->handles, (uint32_t)handle);
    return place ? &reader->slots[*place] : NULL;
}

static void keep_slot(vef_dumpi_reading *reader, int32_t handle, const vef_operation *operation,
                      bool persistent) {
    const uint64_t *known = vef_map64_get(&reader->handles, (uint32_t)handle);
    const size_t place = known ? *known : reader->slot_count;
    vef_grow_zeroed(&reader->slots, &reader->slot_room, place + 1, sizeof *reader->slots);
    if (!known)
        vef_map64_set(&reader->handles, (uint32_t)handle, place);
    reader->slot_count += !known;
    vef_dumpi_slot *slot = &reader->slots[place];
    if (slot->active && !persistent && !slot->persistent &&
        (slot->operation.flags & operation->flags & VEF_OP_SEND)) {
        *VEF_NEW_ITEM(slot->later, slot->later_count, slot->later_room) = operation->request;
        return;
    }
    slot->active = !persistent;
    slot->persistent = persistent;
    slot->operation = *operation;
    slot->later_at = slot->later_count = 0;
}

/* The request of the slot is complete; the next send with its handle takes its place. */
static void next_in_slot(vef_dumpi_slot *slot) {
    slot->active = slot->later_at < slot->later_count;
    if (slot->active)
        slot->operation.request = slot->later[slot->later_at++];
    else
        slot->later_at = slot->later_count = 0;
}

static vef_code check_peer(int32_t peer, const vef_dumpi_comm *comm, vef_error *error) {
    if (peer >= 0 && (uint32_t)peer >= comm->size)
        return vef_fail(error, VEF_CORRUPT, "rank %" PRId32 ": expected a rank below %" PRIu32,
                        peer, comm->size);
    return VEF_OK;
}

static bool is_persistent(const vef_dumpi_call *call) {
    return call->id >= VEF_DUMPI_Send_init && call->id <= VEF_DUMPI_Recv_init;
}

static vef_code send_of(vef_dumpi_reading *reader, const vef_dumpi_call *call, uint32_t number,
                        const vef_dumpi_comm *comm, vef_operation *operation, vef_error *error) {
    const int32_t *ints = call->ints;
    /* A persistent send has the mode of Isend to Irsend, which are in the same order. */
    const int id = call->id - (is_persistent(call) ? VEF_DUMPI_Send_init - VEF_DUMPI_Isend : 0);
    *operation =
        (vef_operation){.flags = vef_default_flags((uint16_t)reader->calls[id], true),
                        .peer = ints[1] < 0 ? VEF_NO_TASK : ints[1],
                        .tag = ints[2],
                        .comm = number,
                        .bytes = vef_dumpi_bytes(&reader->types, call->handles[0], ints[0]),
                        .ordinal = VEF_NO_ORDINAL,
                        .request = VEF_NO_REQUEST};
    return check_peer(ints[1], comm, error);
}

/* A receive of the source and tag that are asked for. With a status the message is known: in MPICH
 * that of MPI_PROC_NULL has the source that was asked for. */
static vef_code receive_of(vef_dumpi_reading *reader, const int32_t *asked, uint32_t number,
                           const vef_dumpi_comm *comm, const vef_dumpi_call *status,
                           vef_operation *operation, vef_error *error) {
    const int32_t source = asked[0], tag = asked[1];
    vef_dumpi_status found = {.bytes = -1, .source = VEF_DUMPI_ANY, .tag = VEF_DUMPI_ANY};
    const bool stated = status && status->statuses.count > 0;
    if (stated)
        found = vef_dumpi_status_of(&reader->stream, status, 0);
    const bool nowhere = source < VEF_DUMPI_ANY || (stated && found.source < 0);
    const bool any = source == VEF_DUMPI_ANY && !nowhere;
    *operation = (vef_operation){
        .flags =
            (uint16_t)((any ? VEF_OP_ANY_SOURCE : 0) | (tag == VEF_DUMPI_ANY ? VEF_OP_ANY_TAG : 0)),
        .peer = nowhere ? VEF_NO_TASK
                : !any  ? source
                        : (found.source >= 0 ? found.source : VEF_ANY_SOURCE),
        .tag = tag != VEF_DUMPI_ANY ? tag : (found.tag >= 0 ? found.tag : VEF_ANY_TAG),
        .comm = number,
        .bytes = !status || nowhere ? 0
                 : found.bytes >= 0 ? (uint64_t)found.bytes
                                    : VEF_TRUNCATED_BYTES,
        .ordinal = VEF_NO_ORDINAL,
        .request = VEF_NO_REQUEST};
    vef_code code = check_peer(source, comm, error);
    return code ? code : check_peer(found.source, comm, error);
}

/* Gives a receive the message that joint.c found, or none. */
static void give_message(vef_dumpi_reading *reader, vef_operation *operation) {
    const vef_dumpi_found *found = vef_dumpi_joint_receive(reader->joint);
    if (!found || found->kind >= VEF_DUMPI_STATED)
        return;
    if (found->kind == VEF_DUMPI_FOUND) {
        reader->count.found++;
        operation->peer = found->source;
        operation->tag = found->tag;
        return;
    }
    reader->count.unknown_sources++;
    operation->peer = VEF_NO_TASK;
    operation->tag = operation->tag < 0 ? 0 : operation->tag;
    operation->flags &= (uint16_t) ~(VEF_OP_ANY_SOURCE | VEF_OP_ANY_TAG);
    operation->bytes = 0;
}

static vef_code put_operations(vef_dumpi_reading *reader, const vef_dumpi_call *call,
                               vef_operation *operations, uint32_t count, vef_error *error) {
    const bool wild = reader->comms->task[reader->task].wild && !reader->surveying;
    for (uint32_t i = 0; wild && i < count; i++)
        if (!(operations[i].flags & VEF_OP_SEND) && operations[i].peer != VEF_NO_TASK)
            give_message(reader, &operations[i]);
    return vef_dumpi_put(reader, call,
                         (vef_event){.operation_count = count, .operations = operations}, error);
}

vef_code vef_dumpi_read_transfer(vef_dumpi_reading *reader, const vef_dumpi_call *call,
                                 vef_error *error) {
    const bool starts = vef_call_has((uint16_t)reader->calls[call->id], VEF_FACT_STARTS);
    const bool persistent = is_persistent(call), sendrecv = call->id == VEF_DUMPI_Sendrecv;
    const int32_t *from = vef_dumpi_asked(call);
    vef_operation operations[2];
    uint32_t number = 0, count = 0;
    const vef_dumpi_comm *comm = NULL;
    vef_code code = VEF_OK;
    if (!vef_dumpi_comm_of(reader, call->handles[sendrecv ? 2 : 1], &number, &comm))
        return VEF_OK;
    if (!from || sendrecv || call->id == VEF_DUMPI_Sendrecv_replace)
        code = send_of(reader, call, number, comm, &operations[count++], error);
    if (!code && from)
        code = receive_of(reader, from, number, comm, starts || persistent ? NULL : call,
                          &operations[count++], error);
    if (code)
        return code;
    if (persistent) {
        keep_slot(reader, call->ints[3], operations, true);
        return vef_dumpi_put(reader, call, (vef_event){0}, error);
    }
    if (starts) {
        operations[0].request = reader->requests++;
        keep_slot(reader, call->ints[3], operations, false);
    }
    return put_operations(reader, call, operations, count, error);
}

vef_code vef_dumpi_read_start(vef_dumpi_reading *reader, const vef_dumpi_call *call,
                              vef_error *error) {
    const bool several = call->id == VEF_DUMPI_Startall;
    const uint32_t count = several ? call->lists[0].count : 1;
    uint32_t found = 0;
    vef_grow(&reader->operations, &reader->operation_room, count, sizeof *reader->operations);
    for (uint32_t i = 0; i < count; i++) {
        vef_dumpi_slot *slot =
            vef_dumpi_slot_of(reader, several ? vef_dumpi_int(call->lists[0], i) : call->ints[0]);
        if (!slot || !slot->persistent)
            continue;
        slot->active = true;
        slot->operation.request = reader->requests++;
        reader->operations[found++] = slot->operation;
    }
    if (found == 0)
        return VEF_OK;
    return put_operations(reader, call, reader->operations, found, error);
}

/* ---- completions ---- */

/* Adds what completes at `handle`, with status number `index`, if there is one. */
static void complete(vef_dumpi_reading *reader, const vef_dumpi_call *call, int32_t handle,
                     uint32_t index, uint32_t *count) {
    vef_dumpi_slot *slot = vef_dumpi_slot_of(reader, handle);
    vef_dumpi_status status = {.source = VEF_DUMPI_ANY};
    if (!slot || !slot->active)
        return;
    vef_grow(&reader->completions, &reader->completion_room, *count + 1ull,
             sizeof *reader->completions);
    const vef_operation *operation = &slot->operation;
    const bool receive = !(operation->flags & VEF_OP_SEND);
    const bool stated = index < call->statuses.count;
    if (stated)
        status = vef_dumpi_status_of(&reader->stream, call, index);
    vef_completion *done = &reader->completions[(*count)++];
    *done = (vef_completion){.request = operation->request,
                             .source = VEF_NO_TASK,
                             .cancelled = stated && status.cancelled};
    /* MPICH completes receives from MPI_PROC_NULL with that source, or with a status of zeros. An
     * empty message of tag 0 from task 0 has the same status: joint.c knows whether there is one.
     */
    const bool zeros = operation->peer == VEF_ANY_SOURCE && status.source == 0 && status.tag == 0 &&
                       status.bytes == 0;
    if (receive && stated && !status.cancelled && status.source >= 0 && !zeros &&
        status.bytes >= 0 && operation->peer != VEF_NO_TASK) {
        done->source = status.source;
        done->tag = status.tag >= 0 ? status.tag : operation->tag;
        done->bytes = (uint64_t)status.bytes;
        if (done->tag < 0) {
            done->source = VEF_NO_TASK;
            done->bytes = 0;
            done->tag = 0;
        }
    }
    next_in_slot(slot);
}

vef_code vef_dumpi_read_completion(vef_dumpi_reading *reader, const vef_dumpi_call *call,
                                   vef_error *error) {
    const vef_dumpi_list *lists = call->lists;
    const uint32_t requests = lists[0].count;
    uint32_t count = 0;
    bool poll = false;
    switch (call->id) {
    case VEF_DUMPI_Waitany:
    case VEF_DUMPI_Testany:
        poll = call->id == VEF_DUMPI_Testany && !call->ints[2];
        if (!poll && call->ints[1] >= 0 && (uint32_t)call->ints[1] < requests)
            complete(reader, call, vef_dumpi_int(lists[0], (uint32_t)call->ints[1]), 0, &count);
        break;
    case VEF_DUMPI_Waitall:
    case VEF_DUMPI_Testall:
        poll = call->id == VEF_DUMPI_Testall && !call->ints[1];
        for (uint32_t i = 0; !poll && i < requests; i++)
            complete(reader, call, vef_dumpi_int(lists[0], i), i, &count);
        break;
    case VEF_DUMPI_Waitsome:
    case VEF_DUMPI_Testsome:
        poll = call->id == VEF_DUMPI_Testsome && lists[1].count == 0;
        for (uint32_t i = 0; i < lists[1].count; i++) {
            const int32_t index = vef_dumpi_int(lists[1], i);
            if (index >= 0 && (uint32_t)index < requests)
                complete(reader, call, vef_dumpi_int(lists[0], (uint32_t)index), i, &count);
        }
        break;
    default: /* Wait, Test, Request_free */
        poll = call->id == VEF_DUMPI_Test && !call->ints[1];
        if (!poll)
            complete(reader, call, call->ints[0], 0, &count);
        if (call->id == VEF_DUMPI_Request_free && vef_dumpi_slot_of(reader, call->ints[0]))
            vef_dumpi_slot_of(reader, call->ints[0])->persistent = false;
        break;
    }
    return vef_dumpi_put(reader, call,
                         (vef_event){.flags = poll ? VEF_EVENT_POLL : 0,
                                     .completion_count = count,
                                     .completions = reader->completions},
                         error);
}

vef_code vef_dumpi_read_probe(vef_dumpi_reading *reader, const vef_dumpi_call *call,
                              vef_error *error) {
    const bool poll = call->id == VEF_DUMPI_Iprobe && !call->ints[2];
    vef_operation operation;
    uint32_t number = 0;
    const vef_dumpi_comm *comm = NULL;
    if (!vef_dumpi_comm_of(reader, call->handles[0], &number, &comm))
        return VEF_OK;
    vef_code code = receive_of(reader, call->ints, number, comm, call, &operation, error);
    reader->count.unknown_sources +=
        !poll && (operation.peer == VEF_ANY_SOURCE || operation.tag == VEF_ANY_TAG);
    return code ? code
                : vef_dumpi_put(reader, call,
                                (vef_event){.flags = poll ? VEF_EVENT_POLL : 0,
                                            .operation_count = !poll,
                                            .operations = &operation},
                                error);
}

void vef_dumpi_forget_requests(vef_dumpi_reading *reader) {
    vef_map64_clear(&reader->handles);
    for (size_t i = 0; i < reader->slot_count; i++) {
        reader->slots[i].active = reader->slots[i].persistent = false;
        reader->slots[i].later_at = reader->slots[i].later_count = 0;
    }
    reader->slot_count = 0;
    reader->requests = 0;
}
