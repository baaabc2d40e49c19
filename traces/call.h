/* The facts about the MPI calls: the rows of traces/calls.def as a table. Code that depends on a
 * property of calls asks this table, so that it holds for new rows without a change. */
#ifndef VEF_TRACES_CALL_H
#define VEF_TRACES_CALL_H

#include "common/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The MPI calls, by the stable numbers of traces/calls.def: VEF_CALL_Send and so on. */
typedef enum vef_call {
#define CALL(number, name, kind, ...) VEF_CALL_##name = number,
#include "traces/calls.def"
#undef CALL
} vef_call;

/* One past the greatest call number: the length of arrays indexed by call. */
enum {
    VEF_CALL_COUNT = sizeof(union {
#define CALL(number, name, kind, ...) char name[number + 1];
#include "traces/calls.def"
#undef CALL
    })
};

/* What a call means to a replay. */
typedef enum vef_kind {
    VEF_KIND_LOCAL,    /* no communication: Init, Pcontrol, Send_init, Cancel, Pready, … */
    VEF_KIND_TRANSFER, /* sends and receives, blocking or started: Send, Irecv, Sendrecv, Start,
                          Mrecv; Grequest_start, whose operation transfers nothing */
    VEF_KIND_COMPLETE, /* the Wait and Test families, Request_free, Request_get_status*, Parrived */
    VEF_KIND_PROBE,    /* Probe, Iprobe, Mprobe, Improbe */
    VEF_KIND_COLLECTIVE, /* collectives, blocking or started, and neighbourhood collectives */
    VEF_KIND_COMM,       /* creation and freeing of communicators and windows */
    VEF_KIND_ONE_SIDED,  /* Put, Get, Accumulate and their like: one operation, without ordinal */
    VEF_KIND_SYNC,       /* synchronisation of a window: Win_fence, Win_lock, Win_flush, … */
    VEF_KIND_REGION,     /* marks set by the program: Region_begin, Region_end, Mark */
    VEF_KIND_AS,         /* never in a trace, which stores vef_call_base of it instead */
    VEF_KIND_COUNTED,    /* never in a trace: only counted, per function, in the header */
} vef_kind;

/* The effect of a SYNC on the epochs of its window (MPI 4.0, section 12.5). */
typedef enum vef_sync {
    VEF_SYNC_NONE, /* calls of other kinds */
    VEF_SYNC_FENCE,
    VEF_SYNC_POST,     /* opens an exposure epoch */
    VEF_SYNC_START,    /* opens an access epoch */
    VEF_SYNC_COMPLETE, /* closes an access epoch */
    VEF_SYNC_WAIT,     /* closes an exposure epoch */
    VEF_SYNC_LOCK,
    VEF_SYNC_UNLOCK,
    VEF_SYNC_FLUSH,
    VEF_SYNC_MEMORY, /* synchronises the task's own copies only: Win_sync */
} vef_sync;

/* The facts of a row; calls.def defines them. */
typedef enum vef_fact {
    VEF_FACT_NONE,
    /* of many kinds */
    VEF_FACT_STARTS,
    VEF_FACT_FREES,
    VEF_FACT_TESTS,
    /* LOCAL */
    VEF_FACT_BEGINS,
    VEF_FACT_ENDS,
    VEF_FACT_WORLD,
    VEF_FACT_CONTROLS,
    VEF_FACT_CANCELS,
    VEF_FACT_READIES,
    VEF_FACT_FINISHES,
    /* TRANSFER, PROBE, COMPLETE */
    VEF_FACT_SYNCHRONOUS,
    VEF_FACT_READY,
    VEF_FACT_BUFFERED,
    VEF_FACT_GENERALISED,
    VEF_FACT_ONE_REQUEST,
    VEF_FACT_MAY_BE_EMPTY,
    VEF_FACT_MATCHED,
    VEF_FACT_INSPECTS,
    VEF_FACT_PARTITION,
    /* COLLECTIVE */
    VEF_FACT_PERSISTENT,
    VEF_FACT_NO_DATA,
    VEF_FACT_ROOTED,
    VEF_FACT_REDUCES,
    VEF_FACT_NEIGHBOURS,
    VEF_FACT_SENDS_EACH,
    VEF_FACT_RECEIVES_EACH,
    VEF_FACT_PER_GROUP,
    /* COMM */
    VEF_FACT_BY_MEMBERS,
    VEF_FACT_TWO_PARENTS,
    VEF_FACT_WINDOW,
    VEF_FACT_SHARED,
    /* ONE_SIDED, SYNC */
    VEF_FACT_PUTS,
    VEF_FACT_GETS,
    VEF_FACT_ALL,
    VEF_FACT_LOCALLY,
} vef_fact;

/* Whether a COUNTED call may block: see calls.def. */
typedef enum vef_counted_way {
    VEF_COUNTED_LOCAL,
    VEF_COUNTED_BLOCKS,
    VEF_COUNTED_CONNECTS,
} vef_counted_way;

typedef struct vef_call_row {
    const char *name; /* without "MPI_"; NULL: no call has this number */
    uint64_t facts;   /* bit f is vef_fact f; those of `base` too */
    uint16_t base;    /* vef_call_base of it */
    uint8_t kind;     /* vef_kind */
    uint8_t sync;     /* vef_sync */
    uint8_t way;      /* vef_counted_way, of a COUNTED call */
} vef_call_row;

/* By call; the row of an unused number has no name and no facts. */
extern const vef_call_row vef_call_rows[VEF_CALL_COUNT];

static inline size_t vef_call_count(void) {
    return VEF_CALL_COUNT;
}
/* Row 0 for any number beyond the table: 0 is not a call. */
static inline const vef_call_row *vef_call_row_of(uint16_t call) {
    return &vef_call_rows[call < VEF_CALL_COUNT ? call : 0];
}
static inline bool vef_call_has(uint16_t call, vef_fact fact) {
    return vef_call_row_of(call)->facts >> fact & 1;
}
/* The name of a call without "MPI_" ("Send"), or NULL; and the call of a name, or -1. */
static inline const char *vef_call_name(uint16_t call) {
    return vef_call_row_of(call)->name;
}
int vef_call_find(const char *name);

/* The failure for a name that no call has, with the nearest names of calls. */
vef_code vef_fail_unknown_call(vef_error *error, const char *name);
static inline vef_kind vef_call_kind(uint16_t call) {
    const vef_call_row *row = vef_call_row_of(call);
    return row->name ? (vef_kind)row->kind : VEF_KIND_COUNTED;
}
static inline vef_sync vef_call_sync(uint16_t call) {
    return (vef_sync)vef_call_row_of(call)->sync;
}
/* COLLECTIVE: the blocking call with the same effect (Bcast for Ibcast and Bcast_init); AS: the
 * call that traces store instead; else the call itself. */
static inline uint16_t vef_call_base(uint16_t call) {
    const uint16_t base = vef_call_row_of(call)->base;
    return base ? base : call;
}
/* The non-blocking form of a blocking COLLECTIVE (Ibcast for Bcast); the call itself if it has
 * none.
 */
uint16_t vef_call_started(uint16_t blocking);
/* Whether the call has counts for each rank: Gatherv, Alltoallv, … */
static inline bool vef_call_has_counts(uint16_t call) {
    return vef_call_has(call, VEF_FACT_SENDS_EACH) || vef_call_has(call, VEF_FACT_RECEIVES_EACH);
}
/* Whether traces store events of the call: true for all but the last two kinds. */
static inline bool vef_call_is_held(uint16_t call) {
    const vef_kind kind = vef_call_kind(call);
    return kind != VEF_KIND_COUNTED && kind != VEF_KIND_AS;
}
/* Whether a call may wait for other things than a core: false for the COUNTED calls that only
 * compute.
 */
bool vef_call_may_block(uint16_t call);
/* Whether it is a COUNTED call that transfers nothing between tasks: all except those that reach
 * tasks outside the world (Comm_spawn and similar). */
bool vef_call_is_bookkeeping(uint16_t call);
/* Whether the `argument` of the call is a request: Cancel, Pready, … */
static inline bool vef_call_names_request(uint16_t call) {
    return vef_call_has(call, VEF_FACT_CANCELS) || vef_call_has(call, VEF_FACT_READIES) ||
           vef_call_has(call, VEF_FACT_FINISHES);
}
/* Whether all members of the communicator or window of the event make the call, in the same order.
 */
static inline bool vef_call_is_of_all(uint16_t call) {
    const vef_kind kind = vef_call_kind(call);
    return kind == VEF_KIND_COLLECTIVE || vef_call_sync(call) == VEF_SYNC_FENCE ||
           (kind == VEF_KIND_COMM && !vef_call_has(call, VEF_FACT_BY_MEMBERS));
}

#endif
