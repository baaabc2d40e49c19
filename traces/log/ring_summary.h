/* The state before the first event that a ring still holds: what matching needs of the dropped
 * events. Not the events, but the number of messages sent and received with each envelope, the
 * receives in progress, and the number of collectives of each communicator. All dropped events
 * precede all kept ones, so this suffices to determine the message of the k-th kept receive. */
#ifndef VEF_TRACES_LOG_RING_SUMMARY_H
#define VEF_TRACES_LOG_RING_SUMMARY_H

#include "common/containers/index.h"
#include "common/containers/map64.h"
#include "common/status.h"
#include "traces/event.h"
#include "traces/format/varint.h"

/* Messages of one envelope in the task's view: communicators in its numbering, peers as ranks. */
typedef struct vef_before_messages {
    uint32_t comm,
        channel; /* channel: as in matching, 0 or 1 + the number of a partitioned channel */
    int32_t peer, tag;
    bool send;
    uint64_t count;
} vef_before_messages;

/* An operation in progress; peer and tag may be wildcards. */
typedef struct vef_before_request {
    uint64_t request;
    uint32_t comm;
    int32_t peer, tag;
    bool send, cancelled; /* cancelled: MPI_Cancel was called */
} vef_before_request;

typedef struct vef_before {
    vef_before_messages *messages;
    size_t message_count, message_capacity;
    vef_index by_envelope; /* of `messages` */
    vef_before_request *requests;
    size_t request_count, request_capacity;
    vef_map64 places;       /* request → number in `requests` */
    vef_map64 collectives;  /* vef_sequence_key: communicator and sequence → calls */
    uint32_t communicators; /* communicators below this number were created before, or are the world
                               and self */
    uint64_t events;        /* 0: nothing was dropped */
} vef_before;               /* zero-initialised is empty */

void vef_before_free(vef_before *before);

/* Adds an event of a log, in the order of its only thread. */
vef_code vef_before_event(vef_before *before, const vef_event *event, vef_error *error);

/* The parts of that. Adds `times` messages, or removes some; an operation in progress (a
 * send-receive adds two with one request, of which the receive is kept); the end of one, with the
 * envelope of its message, which is removed; and MPI_Cancel of one. False: it is unknown.
 * `ended->cancelled`: no message was transferred. */
vef_code vef_before_count(vef_before *before, vef_before_messages key, int64_t times,
                          vef_error *error);
vef_code vef_before_start(vef_before *before, vef_before_request request, vef_error *error);
bool vef_before_end(vef_before *before, const vef_completion *completion, vef_before_request *ended,
                    vef_before_messages *key);
bool vef_before_cancel(vef_before *before, const vef_event *event);

/* The number of calls on its communicator that an event represents, and their sequence. In a log a
 * muted collective represents `elements` calls without events; a muted creation of a persistent
 * collective represents starts of it. */
uint64_t vef_before_calls(const vef_event *event);
uint32_t vef_before_sequence(const vef_event *event);

/* As the body of a block: `*bytes` is allocated with malloc; and reading it. */
vef_code vef_before_put(const vef_before *before, uint8_t **bytes, size_t *size, vef_error *error);
vef_code vef_before_get(vef_before *before, vef_cursor *from, vef_error *error);

#endif
