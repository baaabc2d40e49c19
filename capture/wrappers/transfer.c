/* Wrappers of sends and receives, listed in transfers.def; see recorder.h. Starts of persistent
 * ones are in start.c, partitioned ones in partitioned.c. */
#include "capture/objects/messages.h"
#include "capture/recorder.h"

/* `mode`: VEF_OP_BUFFERED, VEF_OP_SYNCHRONOUS, VEF_OP_READY or 0. */
static vef_operation send_of(unsigned mode, MPI_Count count, MPI_Datatype type, int peer, int tag) {
    return (vef_operation){.flags = (uint16_t)(VEF_OP_SEND | mode),
                           .peer = vef_peer_of(peer),
                           .tag = tag,
                           .bytes = vef_bytes_of(count, type),
                           .ordinal = VEF_NO_ORDINAL,
                           .request = VEF_NO_REQUEST};
}

/* A receive with the arguments of the call; its completion replaces wildcards. */
static vef_operation receive_of(int peer, int tag) {
    return (vef_operation){.flags = (uint16_t)((peer == MPI_ANY_SOURCE ? VEF_OP_ANY_SOURCE : 0) |
                                               (tag == MPI_ANY_TAG ? VEF_OP_ANY_TAG : 0)),
                           .peer = vef_peer_of(peer),
                           .tag = vef_tag_of(tag),
                           .ordinal = VEF_NO_ORDINAL,
                           .request = VEF_NO_REQUEST};
}

/* Fills in a completed receive from its status, unless it is from MPI_PROC_NULL. */
static void settle(vef_operation *receive, int result, const MPI_Status *status) {
    if (receive->peer == VEF_NO_TASK)
        return;
    receive->peer = vef_peer_of(status->MPI_SOURCE);
    receive->tag = status->MPI_TAG;
    receive->bytes = result == MPI_SUCCESS ? vef_status_bytes(status) : VEF_TRUNCATED_BYTES;
}

static bool have_peers(const vef_comm *known, uint32_t count, const vef_operation *operations) {
    bool valid = known != NULL;
    for (uint32_t i = 0; valid && i < count; i++)
        valid = vef_comm_has_peer(known, operations[i].peer);
    return valid;
}

static void write_operations(vef_frame *frame, uint16_t call, const vef_comm *known, uint32_t count,
                             vef_operation *operations) {
    for (uint32_t i = 0; i < count; i++)
        operations[i].comm = known->number;
    vef_event event;
    vef_event_begin(&event, call);
    event.operation_count = count;
    event.operations = operations;
    vef_put(frame, &event);
}

/* The same for a call that may have failed: then it is counted. */
static void put_operations(vef_frame *frame, uint16_t call, int result, MPI_Comm comm,
                           uint32_t count, vef_operation *operations) {
    const vef_comm *known = vef_find_comm(frame, comm);
    if ((result == MPI_SUCCESS || vef_is_truncated(result)) && have_peers(known, count, operations))
        write_operations(frame, call, known, count, operations);
    else
        vef_count(frame, call);
}

/* The same for operations that started a request. In MPICH 4.0.2 both operations of
 * MPI_Isendrecv are one request, like a collective's, whose status is stale: the receive takes
 * the arguments of the call, and one with a wildcard stays unmatched. If one side is
 * MPI_PROC_NULL, the other is an ordinary request. */
static void put_started(vef_frame *frame, uint16_t call, int result, MPI_Comm comm, uint32_t count,
                        vef_operation *operations, const MPI_Request *request) {
    const vef_comm *known = vef_find_comm(frame, comm);
    const vef_operation *last = &operations[count - 1];
    bool receives =
        (last->flags & VEF_OP_SEND) == 0 && (count == 1 || operations[0].peer == VEF_NO_TASK);
    vef_request *made = NULL;
    if (result == MPI_SUCCESS && have_peers(known, count, operations))
        made = vef_requests_add(&vef_hold(frame)->requests, *request, request, receives, false);
    if (made == NULL) { /* failed, or out of memory */
        vef_count(frame, call);
        return;
    }
    for (uint32_t i = 0; i < count; i++)
        operations[i].request = made->number;
    made->call = call;
    made->operation = *last;
    made->operation.comm = known->number;
    write_operations(frame, call, known, count, operations);
}

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
    made->call = call;
    made->operation = operation;
    made->operation.comm = known->number;
    vef_event event = {.call = call, .root = -1};
    vef_put_unmatched(frame, &event);
}

/* The message of a matched probe, by its handle; that of MPI_PROC_NULL has no communicator. */
static bool take_message(vef_frame *frame, MPI_Message message, vef_operation *found) {
    if (message == MPI_MESSAGE_NO_PROC) {
        *found = receive_of(MPI_PROC_NULL, MPI_ANY_TAG);
        return true;
    }
    return vef_messages_take(frame, message, found);
}

static void put_matched(vef_frame *frame, uint16_t call, bool known, vef_operation *operation) {
    vef_event event = {.call = call, .root = -1, .operation_count = 1, .operations = operation};
    if (known)
        vef_put(frame, &event);
    else
        vef_count(frame, call);
}

#define COUNT int
#define NAME(name) name
#define BOTH(small, large) int small
#include "capture/wrappers/transfers.def"
#undef COUNT
#undef NAME
#undef BOTH

#define COUNT MPI_Count
#define NAME(name) name##_c
#define BOTH(small, large) int large
#include "capture/wrappers/transfers.def"
