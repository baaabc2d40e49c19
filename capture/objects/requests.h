/* The live requests of a task: from MPI's handles to the numbers that a trace uses.
 *
 * A handle does not identify a request. MPICH and Open MPI give all sends that complete at once one
 * shared handle (a "lightweight" or "empty" request), so that many live requests may have it; and
 * with several threads a handle may be reused before the thread that completed its previous request
 * has recorded that. So the requests of one handle form a queue; among them the one that was
 * started into the given MPI_Request variable is preferred, else the oldest. (The choice matters
 * little if the preference fails: all requests of a shared handle are complete already.)
 *
 * If threads call MPI, a thread claims the requests that a call may complete before the call, while
 * the program still owns their handles; MPI forbids that two threads complete one request. Claimed
 * requests are skipped, so a reused handle means its new request. Of several requests of a handle a
 * claim takes one that was recorded before the claiming call was entered, the youngest of those:
 * then one remains for every other waiting thread, and no call completes a later request.
 *
 * Nodes come from a pool that doubles when it is full, like the maps: constant amortised cost. */
#ifndef VEF_CAPTURE_OBJECTS_REQUESTS_H
#define VEF_CAPTURE_OBJECTS_REQUESTS_H

#include "capture/map.h"
#include "capture/mpi_header.h"
#include "traces/event.h"

#include <assert.h>

typedef struct vef_request {
    MPI_Request handle;
    bool receive;
    bool persistent;
    bool active;                /* started and not completed (always, unless persistent) */
    bool cancelled;             /* MPI_Cancel was called on it */
    bool indexed;               /* in the table by address */
    bool claimed;               /* a thread is about to complete it */
    uint32_t next;              /* in its handle's queue or the free list; VEF_MAP_NONE: last */
    uint32_t previous;          /* in its handle's queue; VEF_MAP_NONE: first */
    const MPI_Request *address; /* the variable that it was started into */
    uint64_t number;            /* number of its latest start in the trace */
    uint64_t since;             /* the task's tick when it was added */
    uint32_t partitions;        /* number of partitions of a partitioned send */
    uint32_t ready;             /* number of partitions that are ready since its start */
    uint16_t call;              /* the call that made it */
    vef_operation operation;    /* begun by the request, or by each start of a persistent one */
    vef_event *collective;      /* event of a persistent collective; else NULL. Owned. */
    uint64_t unrecorded_starts; /* starts of `collective` since the last one that has an event */
} vef_request;

/* A request during a call that may complete it: its handle, since MPI overwrites it, or, if threads
 * call MPI, the index that vef_requests_claim returned. An array of requests is copied as it is. */
typedef union vef_kept {
    MPI_Request handle;
    uint32_t place;
} vef_kept;
static_assert(sizeof(vef_kept) == sizeof(MPI_Request), "copied as an array");

typedef struct vef_requests {
    vef_request *nodes;
    uint32_t capacity; /* number of nodes */
    uint32_t free;     /* first node of the free list */
    uint64_t started;  /* numbers given out */
    uint64_t now;      /* the task's tick, where threads call */
    vef_map oldest;    /* handle → first of its queue */
    vef_map address;   /* handles of several requests: (handle, address) → node */
} vef_requests;

bool vef_requests_init(vef_requests *requests);

/* A new live request; NULL when memory runs out. Numbered unless persistent. */
vef_request *vef_requests_add(vef_requests *requests, MPI_Request handle,
                              const MPI_Request *address, bool receive, bool persistent);

/* The live request of `handle`, read from `address`; NULL for an unknown one (a null request, or
 * one of a call that is only counted). */
vef_request *vef_requests_find(const vef_requests *requests, MPI_Request handle,
                               const MPI_Request *address);

/* The same for a call entered at the tick `entered` that may complete it: claims it until it is
 * removed or released. Its index, VEF_MAP_NONE for an unknown one. */
uint32_t vef_requests_claim(vef_requests *requests, MPI_Request handle, const MPI_Request *address,
                            uint64_t entered);
static inline void vef_requests_let_go(vef_requests *requests, uint32_t place) {
    requests->nodes[place].claimed = false;
}

/* Stores a copy of a collective's event, with its vectors; false when memory runs out. */
bool vef_request_keep(vef_request *request, const vef_event *collective);

void vef_requests_remove(vef_requests *requests, vef_request *request);

/* Channels of partitioned communication. Partitioned messages match in the order of the _init calls
 * of a task with one peer, tag and communicator (MPI 4.0, section 4.2.1): the n-th MPI_Psend_init
 * goes with the n-th MPI_Precv_init, however often each is started. */
typedef struct vef_channels {
    vef_map peers;  /* communicator and peer → a number for both */
    vef_map counts; /* that number, direction and tag → how many _init calls */
} vef_channels;

/* The number, from 0, of this _init call among those with the operation's peer, tag, communicator
 * and direction; counts it. VEF_NO_ORDINAL when memory runs out. */
uint64_t vef_channels_next(vef_channels *channels, const vef_operation *operation);

#endif
