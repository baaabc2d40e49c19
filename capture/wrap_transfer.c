/* Sends and receives: see recorder.h for what every wrapper does. */
#include "capture/messages.h"
#include "capture/recorder.h"

#include <assert.h>

static_assert(MPI_PROC_NULL == VEF_NO_TASK && MPI_ANY_SOURCE == VEF_ANY_SOURCE &&
                  MPI_ANY_TAG == VEF_ANY_TAG,
              "a log's special ranks and tags are MPICH's");

enum { SEND = VEF_OP_SEND };

static vef_operation send_of(unsigned flags, int count, MPI_Datatype type, int peer, int tag) {
    return (vef_operation){.flags = (uint16_t)flags,
                           .peer = peer,
                           .tag = tag,
                           .bytes = vef_bytes_of(count, type),
                           .ordinal = VEF_NO_ORDINAL,
                           .request = VEF_NO_REQUEST};
}

/* A receive as it was asked for: who and what, where that is left open, its completion tells. */
static vef_operation receive_of(int peer, int tag) {
    return (vef_operation){.flags = (uint16_t)((peer == MPI_ANY_SOURCE ? VEF_OP_ANY_SOURCE : 0) |
                                               (tag == MPI_ANY_TAG ? VEF_OP_ANY_TAG : 0)),
                           .peer = peer,
                           .tag = tag,
                           .ordinal = VEF_NO_ORDINAL,
                           .request = VEF_NO_REQUEST};
}

/* Fills in what a completed receive's status tells; one from MPI_PROC_NULL tells nothing. */
static void settle(vef_operation *receive, const MPI_Status *status) {
    if (receive->peer == MPI_PROC_NULL)
        return;
    receive->peer = status->MPI_SOURCE;
    receive->tag = status->MPI_TAG;
    receive->bytes = vef_status_bytes(status);
}

/* Writes an event of `count` operations on one communicator. */
static void put_operations(vef_frame *frame, uint16_t call, int result, MPI_Comm comm,
                           uint32_t count, vef_operation *operations) {
    const vef_comm *known = vef_find_comm(frame, comm);
    if (result != MPI_SUCCESS || known == NULL) {
        vef_count(frame, call);
        return;
    }
    for (uint32_t i = 0; i < count; i++)
        operations[i].comm = known->number;
    vef_event event = {
        .call = call, .root = -1, .operation_count = count, .operations = operations};
    vef_put(frame, &event);
}

/* As put_operations for one that started a request. */
static void put_started(vef_frame *frame, uint16_t call, int result, MPI_Comm comm,
                        vef_operation operation, const MPI_Request *request) {
    if (result == MPI_SUCCESS && vef_find_comm(frame, comm) != NULL) {
        vef_request *made = vef_requests_add(&vef_hold(frame)->requests, *request, request,
                                             (operation.flags & VEF_OP_SEND) == 0, false);
        if (made == NULL)
            result = MPI_ERR_OTHER; /* out of memory: counted, not held */
        else
            operation.request = made->number;
    }
    put_operations(frame, call, result, comm, 1, &operation);
}

/* The blocking and immediate sends of a mode, and their persistent form. */
#define SEND_MODE(send, isend, send_init, mode)                                                    \
    int MPI_##send(const void *buffer, int count, MPI_Datatype type, int peer, int tag,            \
                   MPI_Comm comm) {                                                                \
        vef_frame frame;                                                                           \
        if (!vef_enter(&frame, VEF_CALLER))                                                        \
            return vef_mpi.send(buffer, count, type, peer, tag, comm);                             \
        int result = vef_mpi.send(buffer, count, type, peer, tag, comm);                           \
        vef_leave(&frame);                                                                         \
        vef_operation operation = send_of(mode, count, type, peer, tag);                           \
        put_operations(&frame, VEF_CALL_##send, result, comm, 1, &operation);                      \
        vef_done(&frame);                                                                          \
        return result;                                                                             \
    }                                                                                              \
    VEF_ALSO_PMPI(send);                                                                           \
    int MPI_##isend(const void *buffer, int count, MPI_Datatype type, int peer, int tag,           \
                    MPI_Comm comm, MPI_Request *request) {                                         \
        vef_frame frame;                                                                           \
        if (!vef_enter(&frame, VEF_CALLER))                                                        \
            return vef_mpi.isend(buffer, count, type, peer, tag, comm, request);                   \
        int result = vef_mpi.isend(buffer, count, type, peer, tag, comm, request);                 \
        vef_leave(&frame);                                                                         \
        put_started(&frame, VEF_CALL_##isend, result, comm, send_of(mode, count, type, peer, tag), \
                    request);                                                                      \
        vef_done(&frame);                                                                          \
        return result;                                                                             \
    }                                                                                              \
    VEF_ALSO_PMPI(isend);                                                                          \
    int MPI_##send_init(const void *buffer, int count, MPI_Datatype type, int peer, int tag,       \
                        MPI_Comm comm, MPI_Request *request) {                                     \
        vef_frame frame;                                                                           \
        if (!vef_enter(&frame, VEF_CALLER))                                                        \
            return vef_mpi.send_init(buffer, count, type, peer, tag, comm, request);               \
        int result = vef_mpi.send_init(buffer, count, type, peer, tag, comm, request);             \
        vef_leave(&frame);                                                                         \
        put_persistent(&frame, VEF_CALL_##send_init, result, comm,                                 \
                       send_of(mode, count, type, peer, tag), request);                            \
        vef_done(&frame);                                                                          \
        return result;                                                                             \
    }                                                                                              \
    VEF_ALSO_PMPI(send_init)

/* A persistent request: the call itself is local; each start begins `operation`. */
static void put_persistent(vef_frame *frame, uint16_t call, int result, MPI_Comm comm,
                           vef_operation operation, const MPI_Request *request) {
    const vef_comm *known = vef_find_comm(frame, comm);
    vef_request *made = NULL;
    if (result == MPI_SUCCESS && known != NULL)
        made = vef_requests_add(&vef_hold(frame)->requests, *request, request,
                                (operation.flags & VEF_OP_SEND) == 0, true);
    if (made == NULL) {
        vef_count(frame, call);
        return;
    }
    made->operation = operation;
    made->operation.comm = known->number;
    vef_event event = {.call = call, .root = -1};
    if (vef_is_muted(call))
        vef_skip(frame);
    else
        vef_put(frame, &event);
}

SEND_MODE(Send, Isend, Send_init, SEND);
SEND_MODE(Bsend, Ibsend, Bsend_init, SEND | VEF_OP_BUFFERED);
SEND_MODE(Ssend, Issend, Ssend_init, SEND | VEF_OP_SYNCHRONOUS);
SEND_MODE(Rsend, Irsend, Rsend_init, SEND | VEF_OP_READY);

int MPI_Recv(void *buffer, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm,
             MPI_Status *status) {
    vef_frame frame;
    if (!vef_enter(&frame, VEF_CALLER))
        return vef_mpi.Recv(buffer, count, type, peer, tag, comm, status);
    MPI_Status own, *told = status == MPI_STATUS_IGNORE ? &own : status;
    int result = vef_mpi.Recv(buffer, count, type, peer, tag, comm, told);
    vef_leave(&frame);
    vef_operation operation = receive_of(peer, tag);
    settle(&operation, told);
    put_operations(&frame, VEF_CALL_Recv, result, comm, 1, &operation);
    vef_done(&frame);
    return result;
}
VEF_ALSO_PMPI(Recv);

int MPI_Irecv(void *buffer, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm,
              MPI_Request *request) {
    vef_frame frame;
    if (!vef_enter(&frame, VEF_CALLER))
        return vef_mpi.Irecv(buffer, count, type, peer, tag, comm, request);
    int result = vef_mpi.Irecv(buffer, count, type, peer, tag, comm, request);
    vef_leave(&frame);
    put_started(&frame, VEF_CALL_Irecv, result, comm, receive_of(peer, tag), request);
    vef_done(&frame);
    return result;
}
VEF_ALSO_PMPI(Irecv);

int MPI_Recv_init(void *buffer, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm,
                  MPI_Request *request) {
    vef_frame frame;
    if (!vef_enter(&frame, VEF_CALLER))
        return vef_mpi.Recv_init(buffer, count, type, peer, tag, comm, request);
    int result = vef_mpi.Recv_init(buffer, count, type, peer, tag, comm, request);
    vef_leave(&frame);
    put_persistent(&frame, VEF_CALL_Recv_init, result, comm, receive_of(peer, tag), request);
    vef_done(&frame);
    return result;
}
VEF_ALSO_PMPI(Recv_init);

int MPI_Sendrecv(const void *send_buffer, int send_count, MPI_Datatype send_type, int to,
                 int send_tag, void *buffer, int count, MPI_Datatype type, int from, int tag,
                 MPI_Comm comm, MPI_Status *status) {
    vef_frame frame;
    if (!vef_enter(&frame, VEF_CALLER))
        return vef_mpi.Sendrecv(send_buffer, send_count, send_type, to, send_tag, buffer, count,
                                type, from, tag, comm, status);
    MPI_Status own, *told = status == MPI_STATUS_IGNORE ? &own : status;
    int result = vef_mpi.Sendrecv(send_buffer, send_count, send_type, to, send_tag, buffer, count,
                                  type, from, tag, comm, told);
    vef_leave(&frame);
    vef_operation both[] = {send_of(SEND, send_count, send_type, to, send_tag),
                            receive_of(from, tag)};
    settle(&both[1], told);
    put_operations(&frame, VEF_CALL_Sendrecv, result, comm, 2, both);
    vef_done(&frame);
    return result;
}
VEF_ALSO_PMPI(Sendrecv);

int MPI_Sendrecv_replace(void *buffer, int count, MPI_Datatype type, int to, int send_tag, int from,
                         int tag, MPI_Comm comm, MPI_Status *status) {
    vef_frame frame;
    if (!vef_enter(&frame, VEF_CALLER))
        return vef_mpi.Sendrecv_replace(buffer, count, type, to, send_tag, from, tag, comm, status);
    MPI_Status own, *told = status == MPI_STATUS_IGNORE ? &own : status;
    int result = vef_mpi.Sendrecv_replace(buffer, count, type, to, send_tag, from, tag, comm, told);
    vef_leave(&frame);
    vef_operation both[] = {send_of(SEND, count, type, to, send_tag), receive_of(from, tag)};
    settle(&both[1], told);
    put_operations(&frame, VEF_CALL_Sendrecv_replace, result, comm, 2, both);
    vef_done(&frame);
    return result;
}
VEF_ALSO_PMPI(Sendrecv_replace);

/* Starts a persistent request: its operation under a new number. */
static bool start_one(vef_frame *frame, const MPI_Request *address, vef_operation *operation) {
    vef_request *request = vef_requests_find(&vef_hold(frame)->requests, *address, address);
    if (request == NULL || !request->persistent)
        return false;
    request->active = true;
    request->cancelled = false;
    request->number = vef_hold(frame)->requests.started++;
    *operation = request->operation;
    operation->request = request->number;
    return true;
}

/* Persistent requests of calls that are only counted start with the others; such a start is
 * counted. */
static void put_starts(vef_frame *frame, uint16_t call, int result, int count,
                       const MPI_Request *requests) {
    uint32_t started = 0;
    if (result == MPI_SUCCESS && vef_need_operations(frame->thread, (size_t)count))
        for (int i = 0; i < count; i++)
            started += start_one(frame, &requests[i], &frame->thread->operations[started]);
    if (started == 0 && count > 0) {
        vef_count(frame, call);
        return;
    }
    vef_event event = {.call = call,
                       .root = -1,
                       .operation_count = started,
                       .operations = frame->thread->operations};
    vef_put(frame, &event);
}

int MPI_Start(MPI_Request *request) {
    vef_frame frame;
    if (!vef_enter(&frame, VEF_CALLER))
        return vef_mpi.Start(request);
    int result = vef_mpi.Start(request);
    vef_leave(&frame);
    put_starts(&frame, VEF_CALL_Start, result, 1, request);
    vef_done(&frame);
    return result;
}
VEF_ALSO_PMPI(Start);

int MPI_Startall(int count, MPI_Request requests[]) {
    vef_frame frame;
    if (!vef_enter(&frame, VEF_CALLER))
        return vef_mpi.Startall(count, requests);
    int result = vef_mpi.Startall(count, requests);
    vef_leave(&frame);
    put_starts(&frame, VEF_CALL_Startall, result, count, requests);
    vef_done(&frame);
    return result;
}
VEF_ALSO_PMPI(Startall);

/* What a matched probe found, by its message handle; MPI_PROC_NULL's is on no communicator. */
static bool take_message(vef_frame *frame, MPI_Message message, vef_operation *found) {
    if (message == MPI_MESSAGE_NO_PROC) {
        *found = receive_of(MPI_PROC_NULL, MPI_ANY_TAG);
        return true;
    }
    return vef_messages_take(frame, message, found);
}

static void put_matched(vef_frame *frame, uint16_t call, bool known, vef_operation *operation) {
    if (!known) {
        vef_count(frame, call);
        return;
    }
    vef_event event = {.call = call, .root = -1, .operation_count = 1, .operations = operation};
    vef_put(frame, &event);
}

int MPI_Mrecv(void *buffer, int count, MPI_Datatype type, MPI_Message *message,
              MPI_Status *status) {
    vef_frame frame;
    if (!vef_enter(&frame, VEF_CALLER))
        return vef_mpi.Mrecv(buffer, count, type, message, status);
    vef_operation operation = {0};
    bool known = take_message(&frame, *message, &operation);
    vef_release(&frame);
    int result = vef_mpi.Mrecv(buffer, count, type, message, status);
    vef_leave(&frame);
    put_matched(&frame, VEF_CALL_Mrecv, known && result == MPI_SUCCESS, &operation);
    vef_done(&frame);
    return result;
}
VEF_ALSO_PMPI(Mrecv);

int MPI_Imrecv(void *buffer, int count, MPI_Datatype type, MPI_Message *message,
               MPI_Request *request) {
    vef_frame frame;
    if (!vef_enter(&frame, VEF_CALLER))
        return vef_mpi.Imrecv(buffer, count, type, message, request);
    vef_operation operation = {0};
    bool known = take_message(&frame, *message, &operation);
    vef_release(&frame);
    int result = vef_mpi.Imrecv(buffer, count, type, message, request);
    vef_leave(&frame);
    vef_request *made = NULL;
    if (known && result == MPI_SUCCESS)
        made = vef_requests_add(&vef_hold(&frame)->requests, *request, request, true, false);
    if (made != NULL)
        operation.request = made->number;
    put_matched(&frame, VEF_CALL_Imrecv, made != NULL, &operation);
    vef_done(&frame);
    return result;
}
VEF_ALSO_PMPI(Imrecv);
