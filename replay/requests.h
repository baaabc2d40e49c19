/* The requests of one task that are not over: a list, and a map from request numbers to it.
 *
 * Only requests that somebody may still have to wait for are in it: one that is not there is
 * complete, or, in a task of several threads, not started yet, which is noted beside. */
#ifndef VEF_REPLAY_REQUESTS_H
#define VEF_REPLAY_REQUESTS_H

#include "common/map64.h"

#include <stdbool.h>
#include <stdint.h>

typedef enum vef_open_request_state {
    VEF_REQUEST_PENDING, /* started */
    VEF_REQUEST_WAITED,  /* a call under way waits for it; it may be still to start, without a part
                          */
    VEF_REQUEST_ARRIVED, /* a receive that is complete, its processor time still to be paid */
    VEF_REQUEST_FREED,   /* nobody will wait for it, but its data are still to be told ready */
} vef_open_request_state;

#define VEF_NOT_PARKED UINT32_MAX

typedef struct vef_open_request {
    uint64_t number;
    uint32_t
        parked;     /* a partitioned send whose data are not ready: its number; or VEF_NOT_PARKED */
    uint16_t parts; /* operations of it that are not complete */
    uint8_t state;  /* vef_open_request_state */
    uint8_t
        received; /* 1: a receive among the complete ones, its processor time still to be paid */
} vef_open_request;

typedef struct vef_open_requests {
    vef_open_request *list;
    uint32_t count;
    size_t capacity;
    vef_map64 place_of;     /* number → place in the list */
    uint64_t started_below; /* with threads: all below have been started, */
    vef_map64 started;      /* and these */
} vef_open_requests;        /* zero-initialised is empty and ready */

void vef_open_requests_release(vef_open_requests *requests);
/* Adds a request that is not there, in a state and with no part; NULL without memory. Valid until
 * the next change. */
vef_open_request *vef_open_requests_add(vef_open_requests *requests, uint64_t number,
                                        vef_open_request_state state);
/* NULL when it is not there; valid until the next change. */
vef_open_request *vef_open_requests_find(const vef_open_requests *requests, uint64_t number);
void vef_open_requests_remove(vef_open_requests *requests, vef_open_request *request);

/* Notes that a request has been started (false without memory), and whether it was noted. */
bool vef_open_requests_note_started(vef_open_requests *requests, uint64_t number);
bool vef_open_requests_has_started(const vef_open_requests *requests, uint64_t number);

#endif
