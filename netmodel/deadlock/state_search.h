/* A search for states: what is shared by states.c, which visits them, and state_moves.c. */
#ifndef VEF_NETMODEL_DEADLOCK_STATE_SEARCH_H
#define VEF_NETMODEL_DEADLOCK_STATE_SEARCH_H

#include "netmodel/deadlock/moves.h"
#include "netmodel/deadlock/state_table.h"

typedef struct vef_state_frame {
    uint32_t state;
    uint32_t first, next; /* range in `following`: its successors, and the next to visit */
    uint32_t height;
} vef_state_frame;

/* The end of a candidate, for the next one to the same state. */
typedef struct vef_state_step {
    uint32_t number, input;
    uint16_t port;
    vef_route route;
} vef_state_step;

/* A hop from a state with which first legs end. */
typedef struct vef_leg_end {
    uint32_t state;
    vef_place place;
} vef_leg_end;

/* The search of one thread; memory is reused from one destination to the next. */
typedef struct vef_state_search {
    const vef_routing *routing;
    uint32_t queue_packets;
    bool without_bubble; /* as in vef_deadlock_request */
    vef_moves *moves;
    uint64_t most_bytes;
    /* Called for every candidate of every state that can ever be taken; NULL: recorded in `moves`.
     */
    void (*seen)(void *context, const vef_dependency *dependency);
    /* Called after each state in which packets begin, of `states`; NULL: never. */
    void (*after_state)(void *context, uint32_t state, uint32_t states);
    /* [routers], to be filled in with the hops of the longest route from each router, at least the
     * given; NULL: not wanted. */
    uint32_t *leg_hops;
    void *context;

    /* ---- results of the last destination ---- */

    uint64_t count; /* positions and routes of packets */
    uint32_t longest_hops;
    bool bounded;
    vef_deadlock_verdict verdict; /* FREE: no fault; else the search ended there */
    vef_dependency fault, unbounded;

    /* ---- internal ---- */

    uint32_t leg;
    bool rising;       /* vef_routing.rising, and queues are not merged */
    vef_travel travel; /* of the current packet */
    vef_state_table table;
    vef_travel *begun; /* of each state in which packets begin: the first such packet */
    vef_state_frame *frames;
    uint32_t *following;
    vef_leg_end *ends; /* of first legs */
    uint32_t *targets; /* the router's endpoints */
    uint64_t *row;     /* the moves of the current state */
    vef_place *places; /* of queues, except for the router: port x channels + channel */
    uint64_t *higher;  /* [channels * words]: all moves to higher channels; rising only */
    uint32_t *links;   /* of queues: their rows among the moves, or as outputs: their links */
    uint32_t target_count;
    uint64_t begun_room, frame_room, following_room, target_room, row_room, end_room;
    uint64_t frame_count, following_count, end_count;
    vef_candidate candidates[VEF_MAX_CANDIDATES], shown[VEF_MAX_CANDIDATES];
} vef_state_search;

#endif
