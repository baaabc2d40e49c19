/* The active requests of one task: a hash table by number, with linear probing and deletion by
 * shifting back.
 *
 * Contains only requests for which a call may still wait: others are complete, or, in a task of
 * several threads, not started yet, which is recorded separately. */
#ifndef VEF_REPLAY_STATE_REQUESTS_H
#define VEF_REPLAY_STATE_REQUESTS_H

#include "common/containers/map64.h"
#include "common/store.h"

#include <stdbool.h>
#include <stdint.h>

typedef enum vef_open_request_state {
    VEF_REQUEST_NONE,    /* a free place of the table */
    VEF_REQUEST_PENDING, /* started */
    VEF_REQUEST_WAITED,  /* the current call waits for it; it may not have started yet, and then has
                          * no part
                          */
    VEF_REQUEST_ARRIVED, /* a complete receive whose processor time is not paid yet */
    VEF_REQUEST_DUE,     /* complete, but only at `due_ps`: if tasks run ahead */
    VEF_REQUEST_FREED,   /* nothing will wait for it, but its data are not marked ready yet */
} vef_open_request_state;

#define VEF_NOT_PARKED UINT32_MAX

typedef struct vef_open_request {
    uint64_t number;
    uint64_t due_ps; /* when its complete operations were complete, if tasks run ahead; else 0 */
    uint32_t
        parked;     /* a partitioned send whose data are not ready: its number; or VEF_NOT_PARKED */
    uint16_t parts; /* operations of it that are not complete */
    uint8_t state;  /* vef_open_request_state */
    uint64_t owed_ps; /* processor time of its complete receives, still to be paid */
} vef_open_request;

typedef struct vef_open_requests {
    vef_open_request *table;
    uint32_t count, capacity; /* a power of two, or 0; the table is at most half full */
    uint64_t started_below;   /* with threads: all requests below have been started */
    vef_map64 started;        /* requests from `started_below` on that have been started */
} vef_open_requests;          /* zero-initialised is empty and ready */

/* Adds a request that is absent, in a state and with no part, to a table of a store. Valid until
 * the next change. */
vef_open_request *vef_open_requests_add(vef_open_requests *requests, vef_store *store,
                                        uint64_t number, vef_open_request_state state);
void vef_open_requests_remove(vef_open_requests *requests, vef_open_request *request);

/* Of four consecutive requests, which a task often starts one after another, in neighbouring
 * places. */
static inline uint32_t vef_open_requests_home(const vef_open_requests *requests, uint64_t number) {
    const uint32_t group = (uint32_t)((number / 4) * UINT64_C(0x9e3779b97f4a7c15) >> 32);
    return (4 * group + number % 4) & (requests->capacity - 1);
}

/* The place of a request, or the free place for it; the table must have room. */
static inline vef_open_request *vef_open_requests_place(const vef_open_requests *requests,
                                                        uint64_t number) {
    uint32_t place = vef_open_requests_home(requests, number);
    while (requests->table[place].state != VEF_REQUEST_NONE &&
           requests->table[place].number != number)
        place = (place + 1) & (requests->capacity - 1);
    return &requests->table[place];
}

/* NULL if absent; valid until the next change. */
static inline vef_open_request *vef_open_requests_find(const vef_open_requests *requests,
                                                       uint64_t number) {
    if (requests->count == 0)
        return NULL;
    vef_open_request *request = vef_open_requests_place(requests, number);
    return request->state != VEF_REQUEST_NONE ? request : NULL;
}

/* Records that a request has been started, and looks that up. */
void vef_open_requests_note_started(vef_open_requests *requests, uint64_t number);
bool vef_open_requests_has_started(const vef_open_requests *requests, uint64_t number);

#endif
