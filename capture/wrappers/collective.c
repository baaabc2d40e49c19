/* Wrappers of collectives. recorder.h describes the common part, traces/FORMAT.md the byte counts,
 * collectives.def the data of each collective.
 *
 * Each has a blocking, a non-blocking and a persistent form. The _init call of a persistent one
 * moves nothing; its starts (MPI_Start, MPI_Startall) are events like it. Each form exists with
 * counts of int and, as <X>_c, of MPI_Count. */
#include "capture/recorder.h"
#include "capture/vectors.h"

#include <string.h>

/* Functions that fill in an event have all parameters of the call, used or not. */
#pragma GCC diagnostic ignored "-Wunused-parameter"

typedef struct vef_count_list { /* counts per rank; one type for all, or one each */
    const int *few;
    const MPI_Count *many; /* exactly one of both is not NULL */
    const MPI_Datatype *types;
    MPI_Datatype type;
} count_list;

/* Begins a collective's event. NULL if the log cannot represent it: then the call is counted. */
static const vef_comm *begin(vef_frame *frame, vef_event *event, uint16_t call, int result,
                             MPI_Comm comm) {
    const vef_comm *known = vef_find_comm(frame, comm);
    if (result != MPI_SUCCESS && known != NULL) {
        vef_count_joint(frame, call, known->number, result);
        return NULL;
    }
    if (known == NULL || !vef_vectors_room(&frame->thread->vectors, known->longest)) {
        vef_count(frame, call);
        return NULL;
    }
    vef_event_begin(event, call);
    event->comm = known->number;
    return known;
}

/* The same for a form that moves data; a muted one leaves no event. */
static const vef_comm *begin_moving(vef_frame *frame, vef_event *event, uint16_t call, int result,
                                    MPI_Comm comm) {
    if (!vef_is_muted(frame, call) || result != MPI_SUCCESS)
        return begin(frame, event, call, result, comm);
    const vef_comm *known = vef_find_comm(frame, comm);
    if (known != NULL)
        vef_skip_joint(frame, call, known->number);
    else
        vef_skip(frame, call);
    return NULL;
}

/* The same for an _init call, which all members of the communicator number alike, muted or not. */
static const vef_comm *begin_making(vef_frame *frame, vef_event *event, uint16_t call, int result,
                                    MPI_Comm comm) {
    const vef_comm *known = vef_find_comm(frame, comm);
    uint32_t number = 0;
    if (known != NULL && result == MPI_SUCCESS)
        number = ++vef_hold(frame)->comms.list[known->number]->persistent;
    known = begin(frame, event, call, result, comm);
    event->persistent = number;
    return known;
}

/* Sets the root. False if the caller is neither the root nor a member that takes part. */
static bool rooted(vef_event *event, int root) {
    event->root = root == MPI_PROC_NULL ? VEF_ROOT_BESIDE : root == MPI_ROOT ? VEF_ROOT_HERE : root;
    return root != MPI_PROC_NULL;
}

static bool is_root(const vef_comm *comm, int root) {
    return comm->inter ? root == MPI_ROOT : comm->rank == root;
}

static void in_place(vef_event *event, bool used) {
    if (used)
        event->flags |= VEF_EVENT_IN_PLACE;
}

/* Fills in the bytes per rank of one direction. The type may be invalid if all counts are 0. */
static const uint64_t *bytes_each(uint64_t *bytes, uint32_t length, count_list list) {
    MPI_Count each = -1;
    for (uint32_t i = 0; i < length; i++) {
        MPI_Count count = list.few != NULL ? list.few[i] : list.many[i];
        if (list.types != NULL) {
            bytes[i] = vef_bytes_of(count, list.types[i]);
            continue;
        }
        if (each < 0 && count > 0)
            vef_mpi.Type_size_x(list.type, &each);
        bytes[i] = count > 0 ? (uint64_t)count * (uint64_t)each : 0;
    }
    return bytes;
}

static void sends(vef_frame *frame, vef_event *event, uint32_t length, count_list list) {
    event->send_count = length;
    event->send_bytes = bytes_each(frame->thread->vectors.send_bytes, length, list);
}

static void receives(vef_frame *frame, vef_event *event, uint32_t length, count_list list) {
    event->receive_count = length;
    event->receive_bytes = bytes_each(frame->thread->vectors.receive_bytes, length, list);
}

static void reduces(vef_event *event, MPI_Count count, MPI_Datatype type, MPI_Op op) {
    if (!vef_commutes(op))
        event->flags |= VEF_EVENT_NONCOMMUTATIVE;
    event->bytes = vef_bytes_of(count, type);
    event->elements = count > 0 ? (uint64_t)count : 0;
}

/* Writes the event of a collective that started `request`. */
static void put_started(vef_frame *frame, vef_event *event, const MPI_Request *request) {
    vef_request *made =
        vef_requests_add(&vef_hold(frame)->requests, *request, request, false, false);
    if (made == NULL) {
        vef_count(frame, event->call);
        return;
    }
    event->request = made->number;
    made->call = event->call;
    made->operation.comm = event->comm;
    vef_put_joint(frame, event);
}

/* Writes the _init call of a persistent collective; `request` keeps the event for its starts,
 * even while recording is off, since a start may follow when it is on. */
static void put_making(vef_frame *frame, vef_event *event, const MPI_Request *request) {
    vef_requests *requests = &vef_hold(frame)->requests;
    vef_request *made = vef_requests_add(requests, *request, request, false, true);
    if (made != NULL && !vef_request_keep(made, event)) {
        vef_requests_remove(requests, made);
        made = NULL;
    }
    if (made == NULL)
        vef_count(frame, event->call);
    else if (vef_is_muted(frame, event->call))
        vef_skip_joint(frame, event->call, event->comm);
    else
        vef_put_joint(frame, event);
}

/* Rows of collectives.def: a call, its list of parameters, and its wrappers without and with _c.
 * <list>_PASSED are the arguments, and fill_<list> completes the event. */
#define FORM(name, fill, arguments, passed, begin, put)                                            \
    VEF_WRAP(NAME(name), passed, vef_waits_for(&frame, comm, 0, MPI_PROC_NULL, 0), {               \
        vef_event event;                                                                           \
        const vef_comm *known = begin(&frame, &event, VEF_CALL_##name, result, comm);              \
        if (known != NULL) {                                                                       \
            NAME(fill)(&frame, &event, known, VEF_UNPACK arguments);                               \
            put;                                                                                   \
        }                                                                                          \
    })
#define BLOCKING(name, list, small, large)                                                         \
    BOTH(small, large) {                                                                           \
        FORM(name, fill_##list, list##_PASSED, list##_PASSED, begin_moving,                        \
             vef_put_joint(&frame, &event));                                                       \
    }
#define IMMEDIATE(name, list, small, large)                                                        \
    BOTH(small, large) {                                                                           \
        FORM(name, fill_##list, list##_PASSED, (VEF_UNPACK list##_PASSED, request), begin_moving,  \
             put_started(&frame, &event, request));                                                \
    }
#define PERSISTENT(name, list, small, large)                                                       \
    BOTH(small, large) {                                                                           \
        FORM(name, fill_##list, list##_PASSED, (VEF_UNPACK list##_PASSED, info, request),          \
             begin_making, put_making(&frame, &event, request));                                   \
    }
#define FILL(list, ...)                                                                            \
    static inline void NAME(fill_##list)(vef_frame * frame, vef_event * event,                     \
                                         const vef_comm *known, list) __VA_ARGS__

#define COUNT int
#define PLACE int
#define NAME(name) name
#define BOTH(small, large) int small
#define LIST(counts, type) ((count_list){counts, NULL, NULL, type})
#define TYPED(counts, types) ((count_list){counts, NULL, types, MPI_DATATYPE_NULL})
#include "capture/wrappers/collectives.def"
#define BARRIER MPI_Comm comm
#define BARRIER_PASSED (comm)
FILL(BARRIER, {})
BLOCKING(Barrier, BARRIER, MPI_Barrier(BARRIER), )
IMMEDIATE(Ibarrier, BARRIER, MPI_Ibarrier(BARRIER, STARTED), )
PERSISTENT(Barrier_init, BARRIER, MPI_Barrier_init(BARRIER, MADE), )
#undef COUNT
#undef PLACE
#undef NAME
#undef BOTH
#undef LIST
#undef TYPED

#define COUNT MPI_Count
#define PLACE MPI_Aint
#define NAME(name) name##_c
#define BOTH(small, large) int large
#define LIST(counts, type) ((count_list){NULL, counts, NULL, type})
#define TYPED(counts, types) ((count_list){NULL, counts, types, MPI_DATATYPE_NULL})
#include "capture/wrappers/collectives.def"
