/* The states that packets to one router can be in: where they stand and what is in their route. */
#ifndef VEF_NETMODEL_DEADLOCK_STATES_H
#define VEF_NETMODEL_DEADLOCK_STATES_H

#include "netmodel/deadlock/moves.h"

typedef struct vef_state {
    vef_route route;
    vef_place place;
    uint32_t height; /* hops of the longest path from here, once known */
    uint8_t course;  /* not looked at, on the path under way, done */
} vef_state;

typedef struct vef_state_frame {
    uint32_t state;
    uint32_t first, next; /* among `following`: its successors, the one to look at */
    uint32_t height;
} vef_state_frame;

/* One thread's search; memory is kept from one destination to the next. */
typedef struct vef_state_search {
    const vef_routing *routing;
    uint32_t queue_packets;
    bool without_bubble; /* as in vef_deadlock_request */
    vef_moves *moves;
    uint64_t most_bytes;
    /* Called for every candidate that can ever be taken of every state; NULL: noted in `moves`. */
    void (*seen)(void *context, const vef_dependency *dependency);
    /* Called after each source; NULL: never. */
    void (*after_source)(void *context, uint32_t source);
    void *context;

    /* ---- results, of the last destination ---- */

    uint32_t count; /* states */
    uint32_t longest_hops;
    bool bounded;
    vef_deadlock_verdict verdict; /* FREE: no fault; else the search ended there */
    vef_dependency fault, unbounded;

    /* ---- its own ---- */

    vef_travel travel; /* of the packet under way */
    vef_state *states;
    uint32_t *table; /* of states by hash, 0: none, else number + 1 */
    vef_state_frame *frames;
    uint32_t *following;
    uint32_t *targets; /* the router's endpoints */
    uint32_t target_count;
    uint64_t state_room, table_room, frame_room, following_room, target_room;
    uint64_t frame_count, following_count;
    uint64_t held_bytes;
    vef_candidate candidates[VEF_MAX_CANDIDATES];
} vef_state_search;

/* Looks at all packets to the endpoints of `router`. The search is zero but for what is said first
 * above. */
vef_code vef_states_search(vef_state_search *search, uint32_t router, vef_error *error);
void vef_states_release(vef_state_search *search);

#endif
