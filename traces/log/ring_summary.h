/* What came before the first event that a ring still holds: as much of the events that it dropped
 * as the matching of the others needs. Not the events: how many messages were sent and received
 * with each envelope, which receives were still under way, how many collectives each communicator
 * had seen. All that is dropped precedes all that is kept, so nothing more is needed to know which
 * message the k-th receive that is kept took. */
#ifndef VEF_TRACES_LOG_RING_SUMMARY_H
#define VEF_TRACES_LOG_RING_SUMMARY_H

#include "common/index.h"
#include "common/map64.h"
#include "common/status.h"
#include "traces/event.h"
#include "traces/format/varint.h"

/* Messages of one envelope, as the task sees it: communicators in its numbering, peers as ranks. */
typedef struct vef_before_messages {
    uint32_t comm, channel; /* channel: as in matching, 0 or a partitioned channel's number + 1 */
    int32_t peer, tag;
    bool send;
    uint64_t count;
} vef_before_messages;

/* An operation that was under way; peer and tag may be wildcards. */
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
    uint32_t communicators; /* those numbered below were made before, or are the world and self */
    uint64_t events;        /* 0: nothing was dropped */
} vef_before;               /* zero-initialised is empty */

void vef_before_free(vef_before *before);

/* Adds an event of a log, which must come in the order of its only thread. */
vef_code vef_before_event(vef_before *before, const vef_event *event, vef_error *error);

/* The parts of that. Adds `times` messages, or takes some back; an operation that is under way (a
 * send-receive adds two with one request, of which the receive is kept); and what is known of one,
 * NULL or false where it is not: vef_before_end forgets it. */
vef_code vef_before_count(vef_before *before, vef_before_messages key, int64_t times,
                          vef_error *error);
vef_code vef_before_start(vef_before *before, vef_before_request request, vef_error *error);
vef_before_request *vef_before_request_at(const vef_before *before, uint64_t request);
bool vef_before_end(vef_before *before, uint64_t request, vef_before_request *ended);

/* Whether an event counts among the calls on its communicator or window: collectives, fences, what
 * makes a communicator of all members of another, and frees. */
bool vef_before_is_collective(const vef_event *event);

/* How many calls such an event stands for, and the sequence that they belong to. In a log a muted
 * collective stands for `elements` calls that left no event; one that is the making of a persistent
 * collective stands for starts of it. */
uint64_t vef_before_calls(const vef_event *event);
uint32_t vef_before_sequence(const vef_event *event);

/* As the body of a block: `*bytes` is allocated with malloc; and back. */
vef_code vef_before_put(const vef_before *before, uint8_t **bytes, size_t *size, vef_error *error);
vef_code vef_before_get(vef_before *before, vef_cursor *from, vef_error *error);

#endif
