/* Point-to-point calls of DUMPI: sends, receives, and the requests that they start. */
#include "common/grow.h"
#include "interchange/dumpi/reading.h"

#include <inttypes.h>
#include <string.h>

vef_dumpi_slot *vef_dumpi_slot_of(vef_dumpi_reading *self, int32_t handle) {
    const uint64_t *at = vef_map64_get(&self->handles, (uint32_t)handle);
    return at ? &self->slots[*at] : NULL;
}

static void keep_slot(vef_dumpi_reading *self, int32_t handle, const vef_operation *operation,
                      bool persistent) {
    const uint64_t *known = vef_map64_get(&self->handles, (uint32_t)handle);
    const size_t place = known ? *known : self->slot_count, former = self->slot_room;
    vef_grow(&self->slots, &self->slot_room, place + 1, sizeof *self->slots);
    if (self->slot_room > former)
        memset(self->slots + former, 0, (self->slot_room - former) * sizeof *self->slots);
    if (!known)
        vef_map64_set(&self->handles, (uint32_t)handle, place);
    self->slot_count += !known;
    vef_dumpi_slot *at = &self->slots[place];
    if (at->active && !persistent && !at->persistent &&
        (at->operation.flags & operation->flags & VEF_OP_SEND)) {
        vef_grow(&at->later, &at->later_room, at->later_count + 1, sizeof *at->later);
        at->later[at->later_count++] = operation->request;
        return;
    }
    at->active = !persistent;
    at->persistent = persistent;
    at->operation = *operation;
    at->later_at = at->later_count = 0;
}

/* The request of the slot is complete; the next send with its handle takes its place. */
static void next_in_slot(vef_dumpi_slot *at) {
    at->active = at->later_at < at->later_count;
    if (at->active)
        at->operation.request = at->later[at->later_at++];
    else
        at->later_at = at->later_count = 0;
}

static void forget_persistent(vef_dumpi_reading *self, int32_t handle) {
    vef_dumpi_slot *at = vef_dumpi_slot_of(self, handle);
    if (at)
        at->persistent = false;
}

static vef_code check_peer(int32_t peer, const vef_dumpi_comm *comm, vef_error *error) {
    if (peer >= 0 && (uint32_t)peer >= comm->size)
        return vef_fail(error, VEF_CORRUPT, "rank %" PRId32 ": expected a rank below %" PRIu32,
                        peer, comm->size);
    return VEF_OK;
}

static uint16_t mode_of(uint16_t id) {
    switch (id) {
    case VEF_DUMPI_Ssend:
    case VEF_DUMPI_Issend:
    case VEF_DUMPI_Ssend_init:
        return VEF_OP_SYNCHRONOUS;
    case VEF_DUMPI_Rsend:
    case VEF_DUMPI_Irsend:
    case VEF_DUMPI_Rsend_init:
        return VEF_OP_READY;
    case VEF_DUMPI_Bsend:
    case VEF_DUMPI_Ibsend:
    case VEF_DUMPI_Bsend_init:
        return VEF_OP_BUFFERED;
    default:
        return 0;
    }
}

static vef_code send_of(vef_dumpi_reading *self, uint16_t id, const int32_t *ints, uint16_t type,
                        uint32_t number, const vef_dumpi_comm *comm, vef_operation *operation,
                        vef_error *error) {
    *operation = (vef_operation){.flags = (uint16_t)(VEF_OP_SEND | mode_of(id)),
                                 .peer = ints[1] < 0 ? VEF_NO_TASK : ints[1],
                                 .tag = ints[2],
                                 .comm = number,
                                 .bytes = vef_dumpi_bytes(&self->types, type, ints[0]),
                                 .ordinal = VEF_NO_ORDINAL,
                                 .request = VEF_NO_REQUEST};
    return check_peer(ints[1], comm, error);
}

/* A receive of `source` and `tag`. With a status the message is known. */
static vef_code receive_of(vef_dumpi_reading *self, int32_t source, int32_t tag, uint32_t number,
                           const vef_dumpi_comm *comm, const vef_dumpi_call *status,
                           vef_operation *operation, vef_error *error) {
    vef_dumpi_status found = {.bytes = -1, .source = VEF_DUMPI_ANY, .tag = VEF_DUMPI_ANY};
    const bool any = source == VEF_DUMPI_ANY;
    if (status && status->statuses.count > 0)
        found = vef_dumpi_status_of(&self->stream, status, 0);
    *operation = (vef_operation){
        .flags =
            (uint16_t)((any ? VEF_OP_ANY_SOURCE : 0) | (tag == VEF_DUMPI_ANY ? VEF_OP_ANY_TAG : 0)),
        .peer = !any ? (source < 0 ? VEF_NO_TASK : source)
                     : (found.source >= 0 ? found.source : VEF_ANY_SOURCE),
        .tag = tag != VEF_DUMPI_ANY ? tag : (found.tag >= 0 ? found.tag : VEF_ANY_TAG),
        .comm = number,
        .bytes = !status            ? 0
                 : found.bytes >= 0 ? (uint64_t)found.bytes
                                    : VEF_TRUNCATED_BYTES,
        .ordinal = VEF_NO_ORDINAL,
        .request = VEF_NO_REQUEST};
    self->unknown_sources +=
        status && (operation->peer == VEF_ANY_SOURCE || operation->tag == VEF_ANY_TAG);
    vef_code code = check_peer(source, comm, error);
    return code ? code : check_peer(found.source, comm, error);
}

static vef_code put_operations(vef_dumpi_reading *self, const vef_dumpi_call *call,
                               const vef_operation *operations, uint32_t count, vef_error *error) {
    return vef_dumpi_put(self, call,
                         (vef_event){.operation_count = count, .operations = operations}, error);
}

vef_code vef_dumpi_read_transfer(vef_dumpi_reading *self, const vef_dumpi_call *call,
                                 vef_error *error) {
    const bool started = vef_call_has((uint16_t)self->calls[call->id], VEF_FACT_STARTS);
    const bool persistent =
        call->kind == VEF_DUMPI_SEND_INIT || call->kind == VEF_DUMPI_RECEIVE_INIT;
    const bool send = call->kind == VEF_DUMPI_SEND || call->kind == VEF_DUMPI_SEND_INIT;
    vef_operation operation;
    uint32_t number = 0;
    const vef_dumpi_comm *comm = NULL;
    if (!vef_dumpi_comm_of(self, call->handles[1], &number, &comm))
        return VEF_OK;
    vef_code code = send ? send_of(self, call->id, call->ints, call->handles[0], number, comm,
                                   &operation, error)
                         : receive_of(self, call->ints[1], call->ints[2], number, comm,
                                      started || persistent ? NULL : call, &operation, error);
    if (code)
        return code;
    if (persistent) {
        keep_slot(self, call->ints[3], &operation, true);
        return vef_dumpi_put_local(self, call, 0, error);
    }
    if (started) {
        operation.request = self->requests++;
        keep_slot(self, call->ints[3], &operation, false);
    }
    return put_operations(self, call, &operation, 1, error);
}

vef_code vef_dumpi_read_sendrecv(vef_dumpi_reading *self, const vef_dumpi_call *call,
                                 vef_error *error) {
    const bool replace = call->kind == VEF_DUMPI_SENDRECV_REPLACE;
    const int32_t *from = call->ints + (replace ? 3 : 4);
    vef_operation both[2];
    uint32_t number = 0;
    const vef_dumpi_comm *comm = NULL;
    if (!vef_dumpi_comm_of(self, call->handles[replace ? 1 : 2], &number, &comm))
        return VEF_OK;
    vef_code code =
        send_of(self, call->id, call->ints, call->handles[0], number, comm, &both[0], error);
    code = code ? code : receive_of(self, from[0], from[1], number, comm, call, &both[1], error);
    return code ? code : put_operations(self, call, both, 2, error);
}

vef_code vef_dumpi_read_start(vef_dumpi_reading *self, const vef_dumpi_call *call,
                              vef_error *error) {
    const bool all = call->kind == VEF_DUMPI_STARTALL;
    const uint32_t count = all ? call->lists[0].count : 1;
    uint32_t found = 0;
    vef_grow(&self->operations, &self->operation_room, count, sizeof *self->operations);
    for (uint32_t i = 0; i < count; i++) {
        vef_dumpi_slot *at =
            vef_dumpi_slot_of(self, all ? vef_dumpi_int(call->lists[0], i) : call->ints[0]);
        if (!at || !at->persistent)
            continue;
        at->active = true;
        at->operation.request = self->requests++;
        self->operations[found++] = at->operation;
    }
    if (found == 0)
        return VEF_OK;
    return put_operations(self, call, self->operations, found, error);
}

/* ---- completions ---- */

/* Adds what completes at `handle`, with status number `index`, if there is one. */
static void complete(vef_dumpi_reading *self, const vef_dumpi_call *call, int32_t handle,
                     uint32_t index, uint32_t *count) {
    vef_dumpi_slot *at = vef_dumpi_slot_of(self, handle);
    vef_dumpi_status status = {.source = VEF_DUMPI_ANY};
    if (!at || !at->active)
        return;
    vef_grow(&self->completions, &self->completion_room, *count + 1ull, sizeof *self->completions);
    const vef_operation *operation = &at->operation;
    const bool receive = !(operation->flags & VEF_OP_SEND);
    const bool stated = index < call->statuses.count;
    if (stated)
        status = vef_dumpi_status_of(&self->stream, call, index);
    vef_completion *done = &self->completions[(*count)++];
    *done = (vef_completion){.request = operation->request,
                             .source = VEF_NO_TASK,
                             .cancelled = stated && status.cancelled};
    if (receive && stated && !status.cancelled && status.source >= 0 && status.bytes >= 0 &&
        operation->peer != VEF_NO_TASK) {
        done->source = status.source;
        done->tag = status.tag >= 0 ? status.tag : operation->tag;
        done->bytes = (uint64_t)status.bytes;
        if (done->tag < 0) {
            done->source = VEF_NO_TASK;
            done->bytes = 0;
            done->tag = 0;
        }
    }
    self->unknown_sources += receive && !done->cancelled && done->source == VEF_NO_TASK &&
                             (operation->peer == VEF_ANY_SOURCE || operation->tag == VEF_ANY_TAG);
    next_in_slot(at);
}

vef_code vef_dumpi_read_completion(vef_dumpi_reading *self, const vef_dumpi_call *call,
                                   vef_error *error) {
    const vef_dumpi_list *lists = call->lists;
    const uint32_t requests = lists[0].count;
    uint32_t count = 0;
    bool poll = false;
    switch (call->kind) {
    case VEF_DUMPI_WAITANY:
    case VEF_DUMPI_TESTANY:
        poll = call->kind == VEF_DUMPI_TESTANY && !call->ints[2];
        if (!poll && call->ints[1] >= 0 && (uint32_t)call->ints[1] < requests)
            complete(self, call, vef_dumpi_int(lists[0], (uint32_t)call->ints[1]), 0, &count);
        break;
    case VEF_DUMPI_WAITALL:
    case VEF_DUMPI_TESTALL:
        poll = call->kind == VEF_DUMPI_TESTALL && !call->ints[1];
        for (uint32_t i = 0; !poll && i < requests; i++)
            complete(self, call, vef_dumpi_int(lists[0], i), i, &count);
        break;
    case VEF_DUMPI_SOME:
        poll = call->id == VEF_DUMPI_Testsome && lists[1].count == 0;
        for (uint32_t i = 0; i < lists[1].count; i++) {
            const int32_t index = vef_dumpi_int(lists[1], i);
            if (index >= 0 && (uint32_t)index < requests)
                complete(self, call, vef_dumpi_int(lists[0], (uint32_t)index), i, &count);
        }
        break;
    default: /* WAIT, TEST, REQUEST_FREE */
        poll = call->kind == VEF_DUMPI_TEST && !call->ints[1];
        if (!poll)
            complete(self, call, call->ints[0], 0, &count);
        if (call->kind == VEF_DUMPI_REQUEST_FREE)
            forget_persistent(self, call->ints[0]);
        break;
    }
    return vef_dumpi_put(self, call,
                         (vef_event){.flags = poll ? VEF_EVENT_POLL : 0,
                                     .completion_count = count,
                                     .completions = self->completions},
                         error);
}

vef_code vef_dumpi_read_probe(vef_dumpi_reading *self, const vef_dumpi_call *call,
                              vef_error *error) {
    const bool poll = call->kind == VEF_DUMPI_IPROBE && !call->ints[2];
    vef_operation operation;
    uint32_t number = 0;
    const vef_dumpi_comm *comm = NULL;
    if (!vef_dumpi_comm_of(self, call->handles[0], &number, &comm))
        return VEF_OK;
    vef_code code =
        receive_of(self, call->ints[0], call->ints[1], number, comm, call, &operation, error);
    return code ? code
                : vef_dumpi_put(self, call,
                                (vef_event){.flags = poll ? VEF_EVENT_POLL : 0,
                                            .operation_count = !poll,
                                            .operations = &operation},
                                error);
}

void vef_dumpi_forget_requests(vef_dumpi_reading *self) {
    vef_map64_clear(&self->handles);
    for (size_t i = 0; i < self->slot_count; i++) {
        self->slots[i].active = self->slots[i].persistent = false;
        self->slots[i].later_at = self->slots[i].later_count = 0;
    }
    self->slot_count = 0;
    self->requests = 0;
}
