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

#define CREATION(name, parameters, arguments, parent, made)                                        \
    VEF_WRAPPER(name, parameters, arguments,                                                       \
                put_creation(&frame, VEF_CALL_##name, result, parent, made))

CREATION(Comm_dup, (MPI_Comm comm, MPI_Comm *made), (comm, made), comm, made);
CREATION(Comm_dup_with_info, (MPI_Comm comm, MPI_Info info, MPI_Comm *made), (comm, info, made),
         comm, made);
CREATION(Comm_create, (MPI_Comm comm, MPI_Group group, MPI_Comm *made), (comm, group, made), comm,
         made);
CREATION(Comm_create_group, (MPI_Comm comm, MPI_Group group, int tag, MPI_Comm *made),
         (comm, group, tag, made), comm, made);
CREATION(Comm_split, (MPI_Comm comm, int colour, int key, MPI_Comm *made),
         (comm, colour, key, made), comm, made);
CREATION(Comm_split_type, (MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm *made),
         (comm, type, key, info, made), comm, made);
CREATION(Cart_create,
         (MPI_Comm comm, int dimensions, const int extents[], const int periodic[], int reorder,
          MPI_Comm *made),
         (comm, dimensions, extents, periodic, reorder, made), comm, made);
CREATION(Cart_sub, (MPI_Comm comm, const int kept[], MPI_Comm *made), (comm, kept, made), comm,
         made);
CREATION(Graph_create,
         (MPI_Comm comm, int nodes, const int indices[], const int edges[], int reorder,
          MPI_Comm *made),
         (comm, nodes, indices, edges, reorder, made), comm, made);
CREATION(Dist_graph_create,
         (MPI_Comm comm, int count, const int sources[], const int degrees[],
          const int destinations[], const int weights[], MPI_Info info, int reorder,
          MPI_Comm *made),
         (comm, count, sources, degrees, destinations, weights, info, reorder, made), comm, made);
CREATION(Dist_graph_create_adjacent,
         (MPI_Comm comm, int in, const int sources[], const int in_weights[], int out,
          const int destinations[], const int out_weights[], MPI_Info info, int reorder,
          MPI_Comm *made),
         (comm, in, sources, in_weights, out, destinations, out_weights, info, reorder, made), comm,
         made);
CREATION(Intercomm_create,
         (MPI_Comm local, int local_leader, MPI_Comm peer, int remote_leader, int tag,
          MPI_Comm *made),
         (local, local_leader, peer, remote_leader, tag, made), local, made);
CREATION(Intercomm_merge, (MPI_Comm inter, int high, MPI_Comm *made), (inter, high, made), inter,
         made);

VEF_WRAPPER(Comm_idup, (MPI_Comm comm, MPI_Comm *made, MPI_Request *request), (comm, made, request),
            put_copying(&frame, VEF_CALL_Comm_idup, result, comm, made, request));
VEF_WRAPPER(Comm_idup_with_info,
            (MPI_Comm comm, MPI_Info info, MPI_Comm *made, MPI_Request *request),
            (comm, info, made, request),
            put_copying(&frame, VEF_CALL_Comm_idup_with_info, result, comm, made, request));
VEF_WRAPPER(Comm_create_from_group,
            (MPI_Group group, const char *tag, MPI_Info info, MPI_Errhandler handler,
             MPI_Comm *made),
            (group, tag, info, handler, made),
            put_from_groups(&frame, VEF_CALL_Comm_create_from_group, result, made));
VEF_WRAPPER(Intercomm_create_from_groups,
            (MPI_Group local, int local_leader, MPI_Group remote, int remote_leader,
             const char *tag, MPI_Info info, MPI_Errhandler handler, MPI_Comm *made),
            (local, local_leader, remote, remote_leader, tag, info, handler, made),
            put_from_groups(&frame, VEF_CALL_Intercomm_create_from_groups, result, made));

/* Looks up the number before the call: MPI may reuse the handle after it. */
#define FREEING(name)                                                                              \
    int MPI_##name(MPI_Comm *comm) {                                                               \
        vef_frame frame;                                                                           \
        if (!vef_enter(&frame))                                                                    \
            return vef_mpi.name(comm);                                                             \
        const MPI_Comm handle = *comm;                                                             \
        const vef_comm *known = vef_find_comm(&frame, handle);                                     \
        uint32_t number = known != NULL ? known->number : VEF_NO_COMM;                             \
        if (known != NULL)                                                                         \
            vef_comms_forget(&vef_hold(&frame)->comms, handle);                                    \
        vef_release(&frame);                                                                       \
        int result = vef_mpi.name(comm);                                                           \
        vef_leave(&frame);                                                                         \
        vef_event event = {                                                                        \
            .call = VEF_CALL_##name, .root = -1, .comm = number, .new_comm = VEF_NO_COMM};         \
        if (number != VEF_NO_COMM && result == MPI_SUCCESS)                                        \
            vef_put_joint(&frame, &event);                                                         \
        else                                                                                       \
            vef_count(&frame, VEF_CALL_##name);                                                    \
        if (number != VEF_NO_COMM && result != MPI_SUCCESS && *comm == handle)                     \
            vef_comms_restore(&vef_hold(&frame)->comms, handle, number);                           \
        vef_done(&frame);                                                                          \
        return result;                                                                             \
    }

FREEING(Comm_free);
FREEING(Comm_disconnect);
