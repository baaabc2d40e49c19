/* Wrappers of partitioned communication; see recorder.h. Its starts are in start.c.
 *
 * A send transfers its data as one message when the last partition is ready (VEF_EVENT_LAST), as
 * MPICH 4.0 does. Partitions are counted before the call of MPI, so that a following start of
 * the request cannot reset the count too early. */
#include "capture/recorder.h"

/* Writes the _init call; each start begins `operation`, whose `bytes` are those of one
 * partition. */
static void put_making(vef_frame *frame, uint16_t call, int result, MPI_Comm comm, int partitions,
                       vef_operation operation, const MPI_Request *request) {
    const vef_comm *known = vef_find_comm(frame, comm);
    vef_tables *tables = vef_hold(frame);
    vef_request *made = NULL;
    if (result == MPI_SUCCESS && known != NULL)
        made = vef_requests_add(&tables->requests, *request, request, false, true);
    if (made == NULL) {
        vef_count(frame, call);
        return;
    }
    made->partitions = partitions > 0 ? (uint32_t)partitions : 0;
    operation.comm = known->number;
    operation.bytes *= made->partitions;
    operation.request = VEF_NO_REQUEST;
    operation.ordinal = vef_channels_next(&tables->channels, &operation);
    made->operation = operation;
    vef_event event = {.call = call, .root = -1};
    vef_put_unmatched(frame, &event);
}

/* The bytes of a receive are those of its buffer. The form with large counts has the same
 * parameters. */
#define CHANNEL                                                                                    \
    int partitions, MPI_Count count, MPI_Datatype type, int peer, int tag, MPI_Comm comm,          \
        MPI_Info info, MPI_Request *request
#define PARTITIONED(declarator, name, call, direction)                                             \
    VEF_WRAPPER(                                                                                   \
        declarator, name, (buffer, partitions, count, type, peer, tag, comm, info, request), {     \
            vef_operation operation = {.flags = (direction) | VEF_OP_PARTITIONED,                  \
                                       .peer = vef_peer_of(peer),                                  \
                                       .tag = vef_tag_of(tag),                                     \
                                       .bytes = vef_bytes_of(count, type)};                        \
            put_making(&frame, VEF_CALL_##call, result, comm, partitions, operation, request);     \
        })

PARTITIONED(MPI_Psend_init(const void *buffer, CHANNEL), Psend_init, Psend_init, VEF_OP_SEND);
PARTITIONED(MPI_Psend_init_c(const void *buffer, CHANNEL), Psend_init_c, Psend_init, VEF_OP_SEND);
PARTITIONED(MPI_Precv_init(void *buffer, CHANNEL), Precv_init, Precv_init, 0);
PARTITIONED(MPI_Precv_init_c(void *buffer, CHANNEL), Precv_init_c, Precv_init, 0);

/* A Pready call and its request. */
typedef struct ready {
    uint64_t number; /* VEF_NO_REQUEST: unknown */
    bool last;       /* all partitions are ready */
} ready;

/* Threads enter in the order in which they count, so that the last partition is the last in the
 * trace. */
static ready count_ready(vef_frame *frame, MPI_Request handle, int partitions) {
    vef_request *request = vef_requests_find(&vef_hold(frame)->requests, handle, NULL);
    ready now = {VEF_NO_REQUEST, false};
    if (request != NULL && request->active && partitions > 0) {
        if (vef_capture.threaded)
            frame->entered = vef_tick();
        request->ready += (uint32_t)partitions;
        now = (ready){request->number, request->ready == request->partitions};
    }
    vef_release(frame);
    return now;
}

/* The last partition is logged even while recording is off, since it sends the message. */
static void put_ready(vef_frame *frame, uint16_t call, int result, ready now) {
    vef_event event = {.call = call,
                       .flags = now.last ? VEF_EVENT_LAST : 0,
                       .root = -1,
                       .argument = (int64_t)now.number};
    if (result != MPI_SUCCESS || now.number == VEF_NO_REQUEST)
        vef_count(frame, call);
    else if (now.last)
        vef_put(frame, &event);
    else
        vef_put_unmatched(frame, &event);
}

#define READY(declarator, name, arguments, partitions)                                             \
    int declarator {                                                                               \
        VEF_WRAP(name, arguments, ready now = count_ready(&frame, request, partitions),            \
                 put_ready(&frame, VEF_CALL_##name, result, now));                                 \
    }

READY(MPI_Pready(int partition, MPI_Request request), Pready, (partition, request), 1);
READY(MPI_Pready_range(int first, int last, MPI_Request request), Pready_range,
      (first, last, request), last - first + 1);
READY(MPI_Pready_list(int length, int partitions[], MPI_Request request), Pready_list,
      (length, partitions, request), length);

int MPI_Parrived(MPI_Request handle, int partition, int *flag) {
    VEF_WRAP(Parrived, (handle, partition, flag), , {
        const vef_request *request = vef_requests_find(&vef_hold(&frame)->requests, handle, NULL);
        vef_completion seen = {.source = VEF_NO_TASK};
        vef_event event = {.call = VEF_CALL_Parrived, .root = -1, .completions = &seen};
        if (request != NULL && request->active) { /* an inactive one has arrived: no event */
            seen.request = request->number;
            event.completion_count = 1;
        }
        if (result != MPI_SUCCESS || request == NULL)
            vef_count(&frame, VEF_CALL_Parrived);
        else if (!*flag)
            vef_poll(&frame, VEF_CALL_Parrived, (uintptr_t)seen.request);
        else
            vef_put(&frame, &event);
    });
}
