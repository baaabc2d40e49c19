/* What one-sided operations and the synchronisation of windows share: messages under way at
 * windows, and what their delivery means. How each call is replayed stands in docs/semantics.md.
 *
 *   one_sided.c  operations; the messages themselves; waiting for operations to complete
 *   window.c     Win_fence, _post … _wait, _lock … _unlock, _flush */
#ifndef VEF_REPLAY_ONE_SIDED_H
#define VEF_REPLAY_ONE_SIDED_H

#include "replay/engine.h"
#include "replay/notices.h"

#define VEF_NO_FLIGHT UINT32_MAX

/* What a message is. All but VEF_FLIGHT_POST and _COMPLETE are answered: the same record then
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
    uint32_t window, origin, target; /* origin and target: tasks */
    uint32_t strand;                 /* of the origin; LOCK, UNLOCK: the one that waits */
    uint64_t bytes;                  /* of the data, one way */
    uint64_t since_cycles;           /* when it began, LOCK: when it was granted after waiting */
    uint64_t number;                 /* operations: counted over all, from 0 */
    uint64_t token;                  /* operations: VEF_TOKEN_REQUEST, or VEF_TOKEN_NONE */
    /* Operations: their neighbours among those of their origin that are under way; a LOCK that
     * waits: the next that does; a free record: the next free one. */
    uint32_t next, previous;
} vef_flight;

/* What a strand waits for in a SYNC: operations on a window begun before it did. */
typedef struct vef_operations_wait {
    bool active, local; /* local: to complete at the origin alone */
    uint32_t window;
    int32_t target; /* VEF_NO_TASK: any */
    uint64_t before;
} vef_operations_wait;

/* The lock of one member of a window. */
typedef struct vef_lock {
    uint32_t shared;     /* how many hold it */
    bool exclusive;      /* one holds it alone */
    uint32_t first, end; /* flights that wait for it, VEF_NO_FLIGHT for none */
} vef_lock;

struct vef_one_sided {
    vef_flight *flights;
    uint32_t flight_count, free;
    size_t flight_capacity;
    uint32_t *operations;       /* per task: the latest of its operations under way */
    uint64_t started;           /* operations */
    vef_operations_wait *waits; /* per strand */
    vef_lock **locks;           /* per window, NULL so far: per member */
    vef_notices notices;
};

/* one_sided.c */

/* The state, made when there is none; the window's own is checked: a communicator, of which both
 * tasks are members. */
vef_code vef_window_check(vef_engine *engine, uint32_t strand, uint32_t window, int32_t peer);
/* Sends a message of a window that carries no data, and takes it at once between tasks of one
 * endpoint. */
vef_code vef_window_tell(vef_engine *engine, vef_flight_kind kind, uint32_t strand, uint32_t window,
                         uint32_t target, bool exclusive);
/* Answers a message: it travels back. */
vef_code vef_window_answer(vef_engine *engine, uint32_t flight);
/* The strand needs all operations of its task on the window to one target, or any, that are under
 * way to complete. */
void vef_window_need_operations(vef_engine *engine, uint32_t strand, uint32_t window,
                                int32_t target, bool local);
void vef_window_free_flight(vef_engine *engine, uint32_t flight);

/* window.c: a message without data has come to where it went, or back. */
vef_code vef_window_told(vef_engine *engine, uint32_t flight);

#endif
