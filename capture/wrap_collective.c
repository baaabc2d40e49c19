/* Blocking collectives: see recorder.h for what every wrapper does, and traces/FORMAT.md for what
 * their byte counts mean. Collectives on intercommunicators are counted, not held. */
#include "capture/recorder.h"
#include "capture/vectors.h"

typedef struct vef_count_list { /* counts and types per rank: one type for all, or each its own */
    const int *counts;
    const MPI_Datatype *types;
    MPI_Datatype type;
} count_list;

/* Begins a collective's event; NULL when it cannot be held (then counted), or recording is off. */
static const vef_comm *begin(vef_frame *frame, vef_event *event, uint16_t call, int result,
                             MPI_Comm comm) {
    const vef_comm *known = vef_find_comm(frame, comm);
    if (vef_is_muted(call)) {
        vef_skip(frame);
        return NULL;
    }
    if (result != MPI_SUCCESS || known == NULL || known->inter ||
        !vef_vectors_room(frame->thread, known->size)) {
        vef_count(frame, call);
        return NULL;
    }
    *event = (vef_event){.call = call, .root = -1, .comm = known->number};
    return known;
}

static void in_place(vef_event *event, bool is) {
    if (is)
        event->flags |= VEF_EVENT_IN_PLACE;
}

/* Fills in one direction's bytes per rank. */
static const uint64_t *bytes_each(uint64_t *bytes, uint32_t size, count_list list) {
    MPI_Count each = 0;
    if (list.types == NULL)
        vef_mpi.Type_size_x(list.type, &each);
    for (uint32_t i = 0; i < size; i++)
        bytes[i] = list.types != NULL ? vef_bytes_of(list.counts[i], list.types[i])
                                      : (uint64_t)list.counts[i] * (uint64_t)each;
    return bytes;
}

static void sends(vef_frame *frame, vef_event *event, const vef_comm *comm, count_list list) {
    event->send_count = comm->size;
    event->send_bytes = bytes_each(frame->thread->send_bytes, comm->size, list);
}

static void receives(vef_frame *frame, vef_event *event, const vef_comm *comm, count_list list) {
    event->receive_count = comm->size;
    event->receive_bytes = bytes_each(frame->thread->receive_bytes, comm->size, list);
}

/* A reduction of `count` elements. */
static void reduces(vef_event *event, int count, MPI_Datatype type, MPI_Op op) {
    int commutes = 1;
    vef_mpi.Op_commutative(op, &commutes);
    if (!commutes)
        event->flags |= VEF_EVENT_NONCOMMUTATIVE;
    event->bytes = vef_bytes_of(count, type);
    event->elements = count > 0 ? (uint64_t)count : 0;
}

/* A wrapper with the given parameters and arguments; `fill` completes `event` for `known`. */
#define COLLECTIVE(name, parameters, arguments, fill)                                              \
    int MPI_##name parameters {                                                                    \
        vef_frame frame;                                                                           \
        vef_event event;                                                                           \
        const vef_comm *known;                                                                     \
        if (!vef_enter(&frame, VEF_CALLER))                                                        \
            return vef_mpi.name arguments;                                                         \
        int result = vef_mpi.name arguments;                                                       \
        vef_leave(&frame);                                                                         \
        if ((known = begin(&frame, &event, VEF_CALL_##name, result, comm)) != NULL) {              \
            fill;                                                                                  \
            vef_put(&frame, &event);                                                               \
        }                                                                                          \
        vef_done(&frame);                                                                          \
        return result;                                                                             \
    }                                                                                              \
    VEF_ALSO_PMPI(name)

COLLECTIVE(Barrier, (MPI_Comm comm), (comm), (void)known);

COLLECTIVE(Bcast, (void *buffer, int count, MPI_Datatype type, int root, MPI_Comm comm),
           (buffer, count, type, root, comm), {
               event.root = root;
               event.bytes = vef_bytes_of(count, type);
           });

COLLECTIVE(Reduce,
           (const void *send, void *receive, int count, MPI_Datatype type, MPI_Op op, int root,
            MPI_Comm comm),
           (send, receive, count, type, op, root, comm), {
               event.root = root;
               in_place(&event, send == MPI_IN_PLACE);
               reduces(&event, count, type, op);
           });

#define REDUCES_ALIKE(name)                                                                        \
    COLLECTIVE(                                                                                    \
        name,                                                                                      \
        (const void *send, void *receive, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm), \
        (send, receive, count, type, op, comm), {                                                  \
            in_place(&event, send == MPI_IN_PLACE);                                                \
            reduces(&event, count, type, op);                                                      \
        })
REDUCES_ALIKE(Allreduce);
REDUCES_ALIKE(Scan);
REDUCES_ALIKE(Exscan);

COLLECTIVE(Reduce_scatter,
           (const void *send, void *receive, const int counts[], MPI_Datatype type, MPI_Op op,
            MPI_Comm comm),
           (send, receive, counts, type, op, comm), {
               in_place(&event, send == MPI_IN_PLACE);
               reduces(&event, counts[known->rank], type, op);
               receives(&frame, &event, known, (count_list){counts, NULL, type});
               event.elements = 0;
               for (uint32_t i = 0; i < known->size; i++)
                   event.elements += (uint64_t)counts[i];
           });

COLLECTIVE(Reduce_scatter_block,
           (const void *send, void *receive, int count, MPI_Datatype type, MPI_Op op,
            MPI_Comm comm),
           (send, receive, count, type, op, comm), {
               in_place(&event, send == MPI_IN_PLACE);
               reduces(&event, count, type, op);
           });

/* In place at the root, a gather's own part is described by what it receives from each. */
COLLECTIVE(Gather,
           (const void *send, int send_count, MPI_Datatype send_type, void *receive, int count,
            MPI_Datatype type, int root, MPI_Comm comm),
           (send, send_count, send_type, receive, count, type, root, comm), {
               event.root = root;
               in_place(&event, send == MPI_IN_PLACE);
               event.bytes = send == MPI_IN_PLACE ? vef_bytes_of(count, type)
                                                  : vef_bytes_of(send_count, send_type);
           });

COLLECTIVE(Gatherv,
           (const void *send, int send_count, MPI_Datatype send_type, void *receive,
            const int counts[], const int places[], MPI_Datatype type, int root, MPI_Comm comm),
           (send, send_count, send_type, receive, counts, places, type, root, comm), {
               event.root = root;
               in_place(&event, send == MPI_IN_PLACE);
               event.bytes = send == MPI_IN_PLACE ? vef_bytes_of(counts[known->rank], type)
                                                  : vef_bytes_of(send_count, send_type);
               if (known->rank == root)
                   receives(&frame, &event, known, (count_list){counts, NULL, type});
           });

/* The root's send arguments tell what each gets, the others' receive arguments. */
COLLECTIVE(Scatter,
           (const void *send, int send_count, MPI_Datatype send_type, void *receive, int count,
            MPI_Datatype type, int root, MPI_Comm comm),
           (send, send_count, send_type, receive, count, type, root, comm), {
               event.root = root;
               in_place(&event, receive == MPI_IN_PLACE);
               event.bytes = known->rank == root ? vef_bytes_of(send_count, send_type)
                                                 : vef_bytes_of(count, type);
           });

COLLECTIVE(Scatterv,
           (const void *send, const int counts[], const int places[], MPI_Datatype send_type,
            void *receive, int count, MPI_Datatype type, int root, MPI_Comm comm),
           (send, counts, places, send_type, receive, count, type, root, comm), {
               event.root = root;
               in_place(&event, receive == MPI_IN_PLACE);
               event.bytes = known->rank == root ? vef_bytes_of(counts[root], send_type)
                                                 : vef_bytes_of(count, type);
               if (known->rank == root)
                   sends(&frame, &event, known, (count_list){counts, NULL, send_type});
           });

COLLECTIVE(Allgather,
           (const void *send, int send_count, MPI_Datatype send_type, void *receive, int count,
            MPI_Datatype type, MPI_Comm comm),
           (send, send_count, send_type, receive, count, type, comm), {
               in_place(&event, send == MPI_IN_PLACE);
               event.bytes = send == MPI_IN_PLACE ? vef_bytes_of(count, type)
                                                  : vef_bytes_of(send_count, send_type);
           });

COLLECTIVE(Allgatherv,
           (const void *send, int send_count, MPI_Datatype send_type, void *receive,
            const int counts[], const int places[], MPI_Datatype type, MPI_Comm comm),
           (send, send_count, send_type, receive, counts, places, type, comm), {
               in_place(&event, send == MPI_IN_PLACE);
               event.bytes = vef_bytes_of(counts[known->rank], type);
               receives(&frame, &event, known, (count_list){counts, NULL, type});
           });

COLLECTIVE(Alltoall,
           (const void *send, int send_count, MPI_Datatype send_type, void *receive, int count,
            MPI_Datatype type, MPI_Comm comm),
           (send, send_count, send_type, receive, count, type, comm), {
               in_place(&event, send == MPI_IN_PLACE);
               event.bytes = send == MPI_IN_PLACE ? vef_bytes_of(count, type)
                                                  : vef_bytes_of(send_count, send_type);
           });

/* In place, what goes out to a rank is what comes from it. */
static void exchanges(vef_frame *frame, vef_event *event, const vef_comm *comm, bool same,
                      count_list out, count_list in) {
    in_place(event, same);
    sends(frame, event, comm, same ? in : out);
    receives(frame, event, comm, in);
}

COLLECTIVE(Alltoallv,
           (const void *send, const int send_counts[], const int send_places[],
            MPI_Datatype send_type, void *receive, const int counts[], const int places[],
            MPI_Datatype type, MPI_Comm comm),
           (send, send_counts, send_places, send_type, receive, counts, places, type, comm),
           exchanges(&frame, &event, known, send == MPI_IN_PLACE,
                     (count_list){send_counts, NULL, send_type}, (count_list){counts, NULL, type}));

COLLECTIVE(Alltoallw,
           (const void *send, const int send_counts[], const int send_places[],
            const MPI_Datatype send_types[], void *receive, const int counts[], const int places[],
            const MPI_Datatype types[], MPI_Comm comm),
           (send, send_counts, send_places, send_types, receive, counts, places, types, comm),
           exchanges(&frame, &event, known, send == MPI_IN_PLACE,
                     (count_list){send_counts, send_types, MPI_DATATYPE_NULL},
                     (count_list){counts, types, MPI_DATATYPE_NULL}));
