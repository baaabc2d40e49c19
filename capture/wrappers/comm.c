/* Wrappers that create and free communicators; see recorder.h. Logged even while recording is
 * off, since later calls may use the communicators. */
#include "capture/recorder.h"
#include "capture/vectors.h"

/* Writes the event of a creation on `known`, after the log has the new communicator, if any, as
 * `event.new_comm`. Also allocates room for its collectives. */
static void put_made(vef_frame *frame, vef_event *event, vef_code code, bool made) {
    if (code != VEF_OK)
        vef_write_failed();
    else if (made &&
             (event->new_comm == VEF_NO_COMM ||
              !vef_vectors_room(&frame->thread->vectors, vef_hold(frame)->comms.greatest_size)))
        vef_count(frame, event->call);
    else
        vef_put_joint(frame, event);
}

/* Logs the communicator that a call on `parent` created (MPI_COMM_NULL: none), then the call. */
static void put_creation(vef_frame *frame, uint16_t call, int result, MPI_Comm parent,
                         const MPI_Comm *made) {
    const vef_comm *known = vef_find_comm(frame, parent);
    if (result != MPI_SUCCESS && known != NULL && vef_call_is_of_all(call)) {
        vef_count_joint(frame, call, known->number, result);
        return;
    }
    if (result != MPI_SUCCESS || known == NULL || !vef_is_recording()) {
        vef_count(frame, call);
        return;
    }
    vef_event event = {.call = call, .root = -1, .comm = known->number, .request = VEF_NO_REQUEST};
    vef_code code = vef_comms_add(&vef_hold(frame)->comms, vef_capture.log, *made, known->number,
                                  call, &event.new_comm, &vef_capture.error);
    put_made(frame, &event, code, *made != MPI_COMM_NULL);
}

/* The same without a parent communicator: its event is on MPI_COMM_WORLD, if that is in the log. */
static void put_from_groups(vef_frame *frame, uint16_t call, int result, const MPI_Comm *made) {
    if (vef_hold(frame)->comms.count == 0)
        vef_count(frame, call);
    else
        put_creation(frame, call, result, MPI_COMM_WORLD, made);
}

/* Logs the copy of `parent` that a call began to create, then the call, which started `request`. */
static void put_copying(vef_frame *frame, uint16_t call, int result, MPI_Comm parent,
                        const MPI_Comm *made, const MPI_Request *request) {
    const vef_comm *known = vef_find_comm(frame, parent);
    vef_request *started = NULL;
    if (result == MPI_SUCCESS && known != NULL && vef_is_recording())
        started = vef_requests_add(&vef_hold(frame)->requests, *request, request, false, false);
    if (started == NULL) {
        vef_count(frame, call);
        return;
    }
    vef_event event = {.call = call, .root = -1, .comm = known->number, .request = started->number};
    vef_code code = vef_comms_add_copy(&vef_hold(frame)->comms, vef_capture.log, *made, parent,
                                       known->number, call, &event.new_comm, &vef_capture.error);
    put_made(frame, &event, code, true);
}

#define CREATION(declarator, name, arguments, parent)                                              \
    VEF_WRAPPER(declarator, name, arguments,                                                       \
                put_creation(&frame, VEF_CALL_##name, result, parent, made))

CREATION(MPI_Comm_dup(MPI_Comm comm, MPI_Comm *made), Comm_dup, (comm, made), comm);
CREATION(MPI_Comm_dup_with_info(MPI_Comm comm, MPI_Info info, MPI_Comm *made), Comm_dup_with_info,
         (comm, info, made), comm);
CREATION(MPI_Comm_create(MPI_Comm comm, MPI_Group group, MPI_Comm *made), Comm_create,
         (comm, group, made), comm);
CREATION(MPI_Comm_create_group(MPI_Comm comm, MPI_Group group, int tag, MPI_Comm *made),
         Comm_create_group, (comm, group, tag, made), comm);
CREATION(MPI_Comm_split(MPI_Comm comm, int colour, int key, MPI_Comm *made), Comm_split,
         (comm, colour, key, made), comm);
CREATION(MPI_Comm_split_type(MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm *made),
         Comm_split_type, (comm, type, key, info, made), comm);
CREATION(MPI_Cart_create(MPI_Comm comm, int dimensions, const int extents[], const int periodic[],
                         int reorder, MPI_Comm *made),
         Cart_create, (comm, dimensions, extents, periodic, reorder, made), comm);
CREATION(MPI_Cart_sub(MPI_Comm comm, const int kept[], MPI_Comm *made), Cart_sub,
         (comm, kept, made), comm);
CREATION(MPI_Graph_create(MPI_Comm comm, int nodes, const int indices[], const int edges[],
                          int reorder, MPI_Comm *made),
         Graph_create, (comm, nodes, indices, edges, reorder, made), comm);
CREATION(MPI_Dist_graph_create(MPI_Comm comm, int count, const int sources[], const int degrees[],
                               const int destinations[], const int weights[], MPI_Info info,
                               int reorder, MPI_Comm *made),
         Dist_graph_create,
         (comm, count, sources, degrees, destinations, weights, info, reorder, made), comm);
CREATION(MPI_Dist_graph_create_adjacent(MPI_Comm comm, int in, const int sources[],
                                        const int in_weights[], int out, const int destinations[],
                                        const int out_weights[], MPI_Info info, int reorder,
                                        MPI_Comm *made),
         Dist_graph_create_adjacent,
         (comm, in, sources, in_weights, out, destinations, out_weights, info, reorder, made),
         comm);
CREATION(MPI_Intercomm_create(MPI_Comm local, int local_leader, MPI_Comm peer, int remote_leader,
                              int tag, MPI_Comm *made),
         Intercomm_create, (local, local_leader, peer, remote_leader, tag, made), local);
CREATION(MPI_Intercomm_merge(MPI_Comm inter, int high, MPI_Comm *made), Intercomm_merge,
         (inter, high, made), inter);

VEF_WRAPPER(MPI_Comm_idup(MPI_Comm comm, MPI_Comm *made, MPI_Request *request), Comm_idup,
            (comm, made, request),
            put_copying(&frame, VEF_CALL_Comm_idup, result, comm, made, request));
VEF_WRAPPER(MPI_Comm_idup_with_info(MPI_Comm comm, MPI_Info info, MPI_Comm *made,
                                    MPI_Request *request),
            Comm_idup_with_info, (comm, info, made, request),
            put_copying(&frame, VEF_CALL_Comm_idup_with_info, result, comm, made, request));
VEF_WRAPPER(MPI_Comm_create_from_group(MPI_Group group, const char *tag, MPI_Info info,
                                       MPI_Errhandler handler, MPI_Comm *made),
            Comm_create_from_group, (group, tag, info, handler, made),
            put_from_groups(&frame, VEF_CALL_Comm_create_from_group, result, made));
VEF_WRAPPER(MPI_Intercomm_create_from_groups(MPI_Group local, int local_leader, MPI_Group remote,
                                             int remote_leader, const char *tag, MPI_Info info,
                                             MPI_Errhandler handler, MPI_Comm *made),
            Intercomm_create_from_groups,
            (local, local_leader, remote, remote_leader, tag, info, handler, made),
            put_from_groups(&frame, VEF_CALL_Intercomm_create_from_groups, result, made));

static void put_freeing(vef_frame *frame, uint16_t call, int result, MPI_Comm former, MPI_Comm now,
                        uint32_t number) {
    vef_event event = {.call = call, .root = -1, .comm = number, .new_comm = VEF_NO_COMM};
    if (number != VEF_NO_COMM && result == MPI_SUCCESS)
        vef_put_joint(frame, &event);
    else
        vef_count(frame, call);
    if (number != VEF_NO_COMM && result != MPI_SUCCESS && now == former)
        vef_comms_restore(&vef_hold(frame)->comms, former, number);
}

/* Removed before the call: MPI may reuse the handle after it. Its number, if known. */
static uint32_t forget(vef_frame *frame, MPI_Comm handle) {
    const vef_comm *known = vef_find_comm(frame, handle);
    const uint32_t number = known != NULL ? known->number : VEF_NO_COMM;
    if (known != NULL)
        vef_comms_forget(&vef_hold(frame)->comms, handle);
    vef_release(frame);
    return number;
}

#define FREEING(declarator, name)                                                                  \
    int declarator {                                                                               \
        VEF_WRAP(name, (comm), const MPI_Comm handle = *comm;                                      \
                 uint32_t number = forget(&frame, handle),                                         \
                 put_freeing(&frame, VEF_CALL_##name, result, handle, *comm, number));             \
    }

FREEING(MPI_Comm_free(MPI_Comm *comm), Comm_free)
FREEING(MPI_Comm_disconnect(MPI_Comm *comm), Comm_disconnect)
