/* The requests of one task that are not over: a small hash by request number.
 *
 * Numbers ascend, so the number itself is a good hash and neighbours lie side by side. Only
 * requests that somebody may still have to wait for are in it: one that is not there is complete.
 */
#ifndef VEF_REPLAY_REQUESTS_H
#define VEF_REPLAY_REQUESTS_H

#include <stdbool.h>
#include <stdint.h>

typedef enum vef_request_state {
    VEF_REQUEST_FREE,    /* an empty place of the hash */
    VEF_REQUEST_PENDING, /* started */
    VEF_REQUEST_WAITED,  /* started, and the call under way waits for it */
    VEF_REQUEST_ARRIVED, /* a receive that is complete, its processor time still to be paid */
} vef_request_state;

typedef struct vef_request {
    uint64_t number;
    vef_request_state state;
} vef_request;

typedef struct vef_requests {
    vef_request *places; /* capacity: a power of two, at most half of it used */
    uint32_t capacity, used;
} vef_requests; /* zero-initialised is empty and ready */

void vef_requests_release(vef_requests *requests);
/* Adds a request that is not there; false without memory. */
bool vef_requests_add(vef_requests *requests, uint64_t number, vef_request_state state);
/* NULL when it is not there; valid until the next change. */
vef_request *vef_requests_find(const vef_requests *requests, uint64_t number);
void vef_requests_remove(vef_requests *requests, vef_request *request);

#endif
