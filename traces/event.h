/* One MPI call of one task, as a trace stores it.
 *
 * Events store the arguments of MPI calls, not the activity of the network: a collective stays a
 * collective, and a receive names its message. Peers are world tasks in a trace. The log of one
 * task, before merging, uses the same struct with peers as ranks of the communicator and with
 * unmatched messages; see the fields. traces/call.h has the facts about the calls. */
#ifndef VEF_TRACES_EVENT_H
#define VEF_TRACES_EVENT_H

#include "traces/call.h"

enum {
    VEF_NO_TASK = -1,    /* MPI_PROC_NULL, or no such task */
    VEF_ANY_SOURCE = -2, /* only in a log: a receive whose completion will give the sender */
    VEF_ANY_TAG = -1,    /* likewise for the tag */
    /* Roots of a collective on an intercommunicator that are not ranks of the other group: */
    VEF_ROOT_HERE = -3,   /* the caller is the root (MPI_ROOT) */
    VEF_ROOT_BESIDE = -2, /* another member of the caller's group is the root (MPI_PROC_NULL) */
};
#define VEF_NO_REQUEST UINT64_MAX
#define VEF_NO_ORDINAL UINT64_MAX
#define VEF_NO_COMM UINT32_MAX
/* Only in a log: the length of a message that exceeded the buffer of its receive. */
#define VEF_TRUNCATED_BYTES ((uint64_t)INT64_MAX)

/* Flags of an operation. */
enum {
    VEF_OP_SEND = 1 << 0,       /* a send; otherwise a receive (in a probe event, a probe) */
    VEF_OP_ANY_SOURCE = 1 << 1, /* asked with MPI_ANY_SOURCE */
    VEF_OP_ANY_TAG = 1 << 2,    /* asked with MPI_ANY_TAG */
    /* The other side is not in the trace: outside the recorded region, never received, or in a log
     * that was cut short. In a replay such a receive completes at once, and such a send needs no
     * receiver. A probe with this flag and an ordinal still waits for its message: no receive of
     * the trace receives it, and no later probe of the trace sees it. */
    VEF_OP_UNMATCHED = 1 << 3,
    VEF_OP_CANCELLED = 1 << 4, /* cancelled before it was matched: transfers nothing */
    VEF_OP_OPEN_ENDED =
        1 << 5, /* no call of the trace completes its request or reports it complete */
    VEF_OP_SYNCHRONOUS = 1 << 6, /* Ssend, Issend, started Ssend_init: completes when received */
    VEF_OP_READY = 1 << 7,       /* Rsend and similar */
    VEF_OP_BUFFERED = 1 << 8,    /* Bsend and similar: completes locally */
    /* A started Psend_init or Precv_init: the request begins here, but the data of a send leave at
     * the Pready with VEF_EVENT_LAST that names it. */
    VEF_OP_PARTITIONED = 1 << 9,
    /* Grequest_start: transfers nothing (peer VEF_NO_TASK), completes at the Grequest_complete that
     * names it
     */
    VEF_OP_GENERALISED = 1 << 10,
    /* Trace: an unmatched send whose message a probe of the trace sees. */
    VEF_OP_PROBED = 1 << 11,
};

/* One send or receive. */
typedef struct vef_operation {
    uint16_t flags;
    /* Trace: the other world task; log: rank in the communicator (or VEF_ANY_SOURCE); VEF_NO_TASK
     * for MPI_PROC_NULL, which transfers nothing and completes at once, and in a trace for a
     * wildcard that was never matched (VEF_OP_UNMATCHED is set). */
    int32_t peer;
    int32_t tag;    /* of the message; log: VEF_ANY_TAG where its completion will give it */
    uint32_t comm;  /* index of the communicator (log: the task's own numbering) */
    uint64_t bytes; /* of the message: for a receive the received bytes, not the buffer's (log: 0
                       until its completion) */
    /* Trace: number of the message from sender to receiver, from 0, counted over all communicators
     * and tags in the sender's order; VEF_NO_ORDINAL when nothing is transferred or the other side
     * is unknown. Log: VEF_NO_ORDINAL, except for Mprobe, Improbe, Mrecv and Imrecv the number of
     * the message handle, which the task counts from 0 (a successful Mprobe creates one, Mrecv or
     * Imrecv names it); and for VEF_OP_PARTITIONED the number, from 0, of its _init call among
     * those with this peer, tag, communicator and direction. */
    uint64_t ordinal;
    uint64_t request; /* the request that it started; VEF_NO_REQUEST for a blocking call. A task
                         numbers its requests from 0 in the order of their start, over all its
                         threads; a persistent request gets a new number at every start. Isendrecv
                         has two operations with one request. */
} vef_operation;

/* A request that a call completed. */
typedef struct vef_completion {
    uint64_t request;
    bool cancelled; /* reported by MPI_Test_cancelled */
    /* Log only: rank in the communicator, tag and length of the received message. VEF_NO_TASK for
     * everything else (sends, cancelled, MPI_PROC_NULL, status not known), with 0 for the other
     * two. */
    int32_t source;
    int32_t tag;
    uint64_t bytes;
} vef_completion;

/* Flags of an event. */
enum {
    VEF_EVENT_POLL = 1 << 0,           /* `repeats` unsuccessful Test* or *probe calls in a row */
    VEF_EVENT_IN_PLACE = 1 << 1,       /* a collective with MPI_IN_PLACE */
    VEF_EVENT_NONCOMMUTATIVE = 1 << 2, /* a reduction with a non-commutative operation */
    /* Log only: recording was off (Pcontrol); needed for matching, but not in the trace. Neither
     * the Pcontrol that stops recording nor the one that resumes it is muted. */
    VEF_EVENT_MUTED = 1 << 3,
    VEF_EVENT_OPEN = 1 << 4, /* the call had not returned at the end of the log (abort, crash) */
    /* A collective named <X>_init: with this flag a start of that persistent request (by MPI_Start
     * or MPI_Startall), with `request`; without it the creation, which transfers nothing. */
    VEF_EVENT_STARTED = 1 << 5,
    VEF_EVENT_LAST = 1 << 6, /* the Pready after which all partitions of the request are ready */
    VEF_EVENT_EXCLUSIVE = 1 << 7, /* Win_lock with MPI_LOCK_EXCLUSIVE */
    /* Trace: the request that a COLLECTIVE or COMM starts is never completed inside the recorded
     * region; the same as VEF_OP_OPEN_ENDED of an operation. */
    VEF_EVENT_OPEN_ENDED = 1 << 8,
    /* Log only, with MUTED: not a call, but a count of messages that were sent or received while
     * recording was off. The `ordinal` of each operation is the number of messages with its
     * envelope. */
    VEF_EVENT_SUMMED = 1 << 9,
    /* Trace: a COLLECTIVE, COMM or Win_fence that is not in the trace of all its tasks, or a lock
     * or unlock of a window without its counterpart. A replay transfers nothing for it and waits
     * for no other task. */
    VEF_EVENT_UNMATCHED = 1 << 10,
};

/* A shorter gap between polls is spinning; a longer one is computation. replay/polls.h has the
 * meaning of polls. */
enum { VEF_SPIN_NS = 1000 };

/* Where the header's `times` is "compute", gaps are multiples of this. */
enum { VEF_COMPUTE_STEP_NS = 100 };

/* The fields that a replay reads of most events come first, in a cache line. */
typedef struct vef_event {
    uint16_t call; /* vef_call */
    uint16_t flags;
    uint32_t thread; /* number of the calling thread of the task: 0 called first */
    uint32_t site;   /* number of the place in the program that made the call (site.h), in the
                        table of the trace, or in a log of the task; 0: not known. Of a poll:
                        that of the first call */

    /* TRANSFER, PROBE and ONE_SIDED (one operation for the latter two; none for a POLL). A
     * one-sided operation's `comm` is the window, its peer the target, its bytes those transferred
     * in one direction. */
    uint32_t operation_count;
    const vef_operation *operations;

    /* COMPLETE: the requests that this call completed, in MPI's order (calls that INSPECT:
     * reported complete, and left active); none for a POLL. */
    const vef_completion *completions;
    uint32_t completion_count;

    uint64_t gap_ns;      /* computation of that thread since its previous MPI call returned, by the
                             clock named in the header */
    uint64_t outside_ns;  /* time since then in calls that traces do not store: wall time in those
                             that may block (files), by the clock of gap_ns in the others
                             (datatypes); excludes calls that were left out by choice */
    uint64_t duration_ns; /* wall time inside the call; 0 where the header's `times` is "compute" */
    uint64_t repeats;     /* POLL: number of calls in a row (gap_ns and duration_ns are their sums);
                             else 1 */
    /* POLL before an event of another kind, which ends a series of polls: the computation in the
     * series. If a message ended it (vef_event_succeeds): that of the task's other threads, of the
     * one that computed longest. Else from the gap before the first poll to the return of the last:
     * by the wall clock all time, by CPU clocks that of the thread, or of another one that computed
     * meanwhile; without outside_ns. 0: none, or not measured. */
    uint64_t series_ns;

    /* The order of a task's threads: ticks of one counter, which each entry into a recorded call
     * and each return from one advances by 1, from 0. A call had returned before another was
     * entered if and only if its `left` is below the other's `entered`. In a task of one thread,
     * event k has 2k and 2k + 1. Both increase along a thread; a trace may have gaps. Where the
     * order is not known, as in schedules of other tools, all are 0. */
    uint64_t entered, left;

    /* COLLECTIVE, COMM and SYNC. traces/FORMAT.md defines the byte counts call by call. */
    uint32_t comm;     /* the communicator of the call, SYNC: the window; a free: the freed one */
    uint32_t new_comm; /* COMM: the created communicator, VEF_NO_COMM where this task got none */
    int32_t root;      /* rank in `comm`; -1 without root; VEF_ROOT_HERE and VEF_ROOT_BESIDE */
    uint64_t request;  /* the request that a COLLECTIVE or COMM started; VEF_NO_REQUEST */
    /* <X>_init and its starts: the number of the persistent collective on `comm`, from 1, in the
     * task's order of creation; 0 where the trace does not give it. */
    uint32_t persistent;
    uint64_t bytes;
    uint64_t elements; /* reductions: the number of elements in `bytes` */
    uint32_t send_count,
        receive_count; /* lengths of the vectors: 0, or the communicator's size; of neighbourhood
                          collectives: the number of destinations and sources */
    const uint64_t *send_bytes; /* vector variants: per rank of `comm` */
    const uint64_t *receive_bytes;

    /* SYNC: the affected tasks: the target of Win_lock, Win_unlock, Win_flush and Win_flush_local;
     * the group of Win_post and Win_wait (the origins), of Win_start and Win_complete (the
     * targets); VEF_NO_TASK for the target MPI_PROC_NULL. Log: ranks in the window's communicator.
     */
    uint32_t peer_count;
    const int32_t *peers;

    /* LOCAL: Pcontrol's level, Abort's error code, Init_thread's provided level; the request of
     * Cancel, the Pready family and Grequest_complete. SYNC: Win_fence's, _post's, … assertion. */
    int64_t argument;

    const char *name; /* REGION: its name in the program; else NULL */
} vef_event; /* the lists belong to the source of the event and are valid until its next event */

/* The neighbours of one rank in a graph topology (Graph_create, Dist_graph_create and similar), as
 * ranks, in the order of neighbourhood collectives. Those of a grid are implied: for each dimension
 * the rank below, then the rank above (MPI 4.0, section 8.6). */
typedef struct vef_neighbours {
    uint32_t in_count, out_count;
    const uint32_t *in, *out;
} vef_neighbours;

/* `made_by` of the predefined communicators. */
enum { VEF_PREDEFINED = VEF_CALL_Init };

/* A communicator, or a window, which is numbered among the communicators and has the members of the
 * communicator that it was created on: its `made_by` is Win_create or similar. */
typedef struct vef_communicator {
    uint32_t parent;  /* VEF_NO_COMM for the world and for self */
    uint16_t made_by; /* vef_call; VEF_PREDEFINED for the world and for self */
    uint32_t size;
    const uint32_t *members; /* world task of each rank */
    uint32_t remote_size;    /* intercommunicators: the other group; else 0 */
    const uint32_t *remote_members;
    uint32_t dimensions;              /* Cartesian communicators; else 0 */
    const uint32_t *extents;          /* per dimension */
    const uint8_t *periodic;          /* per dimension: 0 or 1 */
    const vef_neighbours *neighbours; /* graph topologies: per rank (log: of this task alone); else
                                         NULL */
} vef_communicator;

/* Whether it is the creation of a persistent collective, which transfers nothing. */
static inline bool vef_event_is_making(const vef_event *event) {
    return !(event->flags & VEF_EVENT_STARTED) && vef_call_has(event->call, VEF_FACT_PERSISTENT);
}
/* Whether a COLLECTIVE or COMM starts a request: Ibcast, Comm_idup, a start of Bcast_init;
 * `request` is valid only then. */
static inline bool vef_event_starts_request(const vef_event *event) {
    const vef_kind kind = vef_call_kind(event->call);
    return (kind == VEF_KIND_COLLECTIVE || kind == VEF_KIND_COMM) &&
           (vef_call_has(event->call, VEF_FACT_STARTS) ||
            (vef_call_has(event->call, VEF_FACT_PERSISTENT) && (event->flags & VEF_EVENT_STARTED)));
}
/* Whether it is a successful test or probe: what polls before it waited for, if they waited for
 * messages, has come. */
static inline bool vef_event_succeeds(const vef_event *event) {
    return vef_call_has(event->call, VEF_FACT_TESTS) && !(event->flags & VEF_EVENT_POLL) &&
           (vef_call_kind(event->call) == VEF_KIND_SYNC || event->operation_count > 0 ||
            event->completion_count > 0);
}
/* Whether it releases the request that it names, which cannot complete without: the last partition
 * of a send, the completion of a generalised request. */
static inline bool vef_event_releases(const vef_event *event) {
    return vef_call_has(event->call, VEF_FACT_FINISHES) ||
           (vef_call_has(event->call, VEF_FACT_READIES) && (event->flags & VEF_EVENT_LAST));
}
/* Whether it is a SYNC whose only target is MPI_PROC_NULL: it synchronises nothing. */
static inline bool vef_event_target_is_null(const vef_event *event) {
    return event->peer_count == 1 && event->peers[0] == VEF_NO_TASK;
}
/* The sequence of a communicator's collectives that an event belongs to. Within a sequence the k-th
 * call of one member matches the k-th call of each other. Sequence 0 has the blocking and
 * non-blocking collectives and the creations of persistent ones. The starts of each persistent
 * collective form a separate sequence: persistent collectives match in the order of their <X>_init
 * calls, and members may start them in different orders (MPI 4.0, section 6.13). Starts of unknown
 * collectives share one sequence. */
#define VEF_UNKNOWN_SEQUENCE UINT32_MAX
static inline uint32_t vef_event_sequence(const vef_event *event) {
    if (!(event->flags & VEF_EVENT_STARTED))
        return 0;
    return event->persistent ? event->persistent : VEF_UNKNOWN_SEQUENCE;
}
/* The sequence and its communicator as one number, for maps. */
static inline uint64_t vef_sequence_key(uint32_t comm, uint32_t sequence) {
    return (uint64_t)sequence << 32 | comm;
}
#endif
