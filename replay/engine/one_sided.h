/* One-sided operations and the synchronisation of windows. docs/semantics.md defines the replay of
 * each call. A window is a communicator with a state in engine->comms like any other.
 *
 *   one_sided.c  operations; messages at windows, locks; waiting for operations to complete
 *   window.c     Win_fence, _post … _wait, _lock … _unlock, _flush */
#ifndef VEF_REPLAY_ENGINE_ONE_SIDED_H
#define VEF_REPLAY_ENGINE_ONE_SIDED_H

#include "replay/engine/executor.h"
#include "replay/state/notices.h"

#define VEF_NO_FLIGHT UINT32_MAX

/* Kinds of messages. All but VEF_FLIGHT_POST and _COMPLETE are answered: the same record then
 * travels back. */
typedef enum vef_flight_kind {
    VEF_FLIGHT_PUT,  /* data there, an acknowledgement back */
    VEF_FLIGHT_GET,  /* a request there, data back */
    VEF_FLIGHT_BOTH, /* data both ways */
    VEF_FLIGHT_POST,
    VEF_FLIGHT_COMPLETE,
    VEF_FLIGHT_LOCK, /* answered once the lock is granted */
    VEF_FLIGHT_UNLOCK,
} vef_flight_kind;

typedef struct vef_flight {
    vef_flight_kind kind;
    bool used, back, exclusive;
    bool moved; /* the origin's processor has moved the data (vef_host_one_sided) */
    uint32_t window, origin, target; /* origin and target: tasks */
    uint32_t strand;                 /* of the origin; LOCK, UNLOCK: the waiting strand */
    uint64_t bytes;                  /* of the data, one way */
    uint64_t since_ps;               /* when it began, LOCK: when it was granted after a wait */
    uint64_t number;                 /* operations: counted over all, from 0 */
    uint64_t token;                  /* operations: VEF_TOKEN_REQUEST, or VEF_TOKEN_NONE */
    /* Operations: their neighbours among those of their origin in progress; a waiting LOCK: the
     * next one; a free record: the next free one. */
    uint32_t next, previous;
} vef_flight;

/* What a strand waits for in a SYNC: earlier operations on a window. */
typedef struct vef_operations_wait {
    bool active, local; /* local: completion at the origin only */
    uint32_t window;
    int32_t target; /* VEF_NO_TASK: any */
    uint64_t before;
} vef_operations_wait;

/* The lock of one member of a window. */
typedef struct vef_lock {
    uint32_t shared;     /* number of holders */
    bool exclusive;      /* the holder is exclusive */
    uint32_t first, end; /* flights that wait for it, VEF_NO_FLIGHT for none */
} vef_lock;

/* The operations of a member since its last call that completed all of them. */
typedef struct vef_issued {
    bool any;
    bool moved;     /* data of some by itself, since the last flush: the last had */
    uint64_t bytes; /* so many */
} vef_issued;

struct vef_one_sided {
    vef_flight *flights;
    uint32_t flight_count, free;
    size_t flight_capacity;
    uint32_t *operations;       /* per task: the latest of its operations in progress */
    uint64_t started;           /* operations */
    vef_operations_wait *waits; /* per strand */
    vef_lock **locks;           /* per window, NULL until needed: per member */
    vef_issued **issued;        /* per window, NULL until needed: per member */
    vef_notices notices;
};

/* ---- one_sided.c ---- */

/* The state, created if absent; checks the window: a communicator of which both tasks are members.
 */
vef_code vef_window_check(vef_engine *engine, uint32_t strand, uint32_t window, int32_t peer);
/* What a member has begun on the window, to read and set. */
vef_issued *vef_window_issued(vef_engine *engine, uint32_t window, uint32_t task);
/* Sends a message of a window without data; delivers it at once between tasks of one endpoint. */
vef_code vef_window_notify(vef_engine *engine, vef_flight_kind kind, uint32_t strand,
                           uint32_t window, uint32_t target, bool exclusive);
/* The strand waits for the completion of all operations in progress of its task on the window, to
 * one target or any. */
void vef_window_need_operations(vef_engine *engine, uint32_t strand, uint32_t window,
                                int32_t target, bool local);

/* Starts the operation of the strand's event (kind ONE_SIDED) now, after its send overhead. It may
 * add to the strand's `needs`, which VEF_TOKEN_CALL(strand) will reduce; an R… call records its
 * request (vef_task_note_request) for VEF_TOKEN_REQUEST. The call ends at `needs` 0.
 */
vef_code vef_one_sided_enter(vef_engine *engine, uint32_t strand);
/* A message of a window (VEF_MESSAGE_ONE_SIDED) has been delivered. */
vef_code vef_one_sided_delivered(vef_engine *engine, uint64_t number);

/* ---- window.c ---- */

/* Continues the strand's event (kind SYNC, no poll): called on entry, with `phase` 0, and again
 * whenever `needs` is 0. Sets `*finished`, or adds to `needs`; may set the stage to VEF_STAGE_PLAN
 * after vef_plan_enter, whose end then ends the call. May consume processor time: it is called
 * again after that, if `needs` is 0 and it has not finished. While it waits, `waits_for` is the
 * task for which it waits. */
vef_code vef_sync_go_on(vef_engine *engine, uint32_t strand, bool *finished);
/* Nothing can continue: sets `waits_for` of each strand that waits at a window to the task that
 * blocks it. */
void vef_sync_name_waits(vef_engine *engine);

#endif
