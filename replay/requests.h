/* The active requests of one task: a list, and a map from request numbers to it.
 *
 * Contains only requests for which a call may still wait: others are complete, or, in a task of
 * several threads, not started yet, which is recorded separately. */
#ifndef VEF_REPLAY_REQUESTS_H
#define VEF_REPLAY_REQUESTS_H

#include "common/map64.h"

#include <stdbool.h>
#include <stdint.h>

typedef enum vef_open_request_state {
    VEF_REQUEST_PENDING, /* started */
    VEF_REQUEST_WAITED,  /* the current call waits for it; it may not have started yet, and then has
                          * no part
                          */
    VEF_REQUEST_ARRIVED, /* a complete receive whose processor time is not paid yet */
    VEF_REQUEST_FREED,   /* nothing will wait for it, but its data are not marked ready yet */
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
/* Adds a request that is absent, in a state and with no part; NULL when memory runs out. Valid
 * until the next change. */
vef_open_request *vef_open_requests_add(vef_open_requests *requests, uint64_t number,
                                        vef_open_request_state state);
/* NULL if absent; valid until the next change. */
vef_open_request *vef_open_requests_find(const vef_open_requests *requests, uint64_t number);
void vef_open_requests_remove(vef_open_requests *requests, vef_open_request *request);

/* Records that a request has been started (false when memory runs out), and looks that up. */
bool vef_open_requests_note_started(vef_open_requests *requests, uint64_t number);
bool vef_open_requests_has_started(const vef_open_requests *requests, uint64_t number);

#endif
