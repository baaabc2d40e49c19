/* Messages under way, for an explanation: who sent and posted, and how long each of their ways
 * through the network took, by cause.
 *
 * A way of a message of M phits that was sent at time s and has arrived at d takes d - s,
 * which is divided so:
 *
 *   latency        delays of the routers and links on the way of its last packet
 *   serialisation  (M - 1) x c + 1 cycles, with c cycles per phit on the slowest of these links
 *   injection      until the next cycle of the routers begins; until the source's interface could
 *                  have sent its earlier messages, at its full speed and without any traffic in the
 *                  network; and while the gap of interfaces (`host.gap`) holds it back
 *   contention     the rest: the message waits for others at links, in queues, at the destination,
 *                  or in its source because queues are full
 *
 * Without interference the first two are the whole way (netmodel/MODEL.md, Latency), so contention
 * is what interference costs. Where a way is shorter than that sum (packets take several paths, or
 * overtake earlier messages), injection and then serialisation are cut.
 *
 * A wait often overlaps only the end of a way, because the receiver came late. Counted backwards
 * from the arrival, a way is serialisation, latency, contention, injection. So contention that the
 * receiver would not have noticed, since it was busy, is not charged to it. */
#ifndef VEF_REPLAY_EXPLAIN_MESSAGES_H
#define VEF_REPLAY_EXPLAIN_MESSAGES_H

#include "netmodel/clock.h"
#include "replay/events.h"
#include "replay/explain/causes.h"

#include <stddef.h>

#define VEF_NO_EXECUTOR UINT32_MAX

/* One way through the network, or within a node. */
typedef struct vef_leg {
    uint64_t begin_ps, end_ps; /* end 0: it is under way */
    uint64_t phits;
    uint64_t injection_ps, serialisation_ps, latency_ps;
    bool control; /* a request or answer */
    bool memory;
} vef_leg;

enum { VEF_MOST_LEGS = 3 };

typedef struct vef_carried_message {
    uint64_t sent_ps, posted_ps;
    uint32_t sender, receiver;   /* tasks */
    uint32_t sent_by, posted_by; /* executors; VEF_NO_EXECUTOR: not yet */
    bool collective, rendezvous, window;
    uint8_t leg_count;
    vef_leg legs[VEF_MOST_LEGS];
} vef_carried_message;

typedef struct vef_carried_messages {
    vef_listener listener; /* for the options of the replay */
    vef_packets sizes;
    vef_net_clock cycle; /* of the links */
    uint64_t injection_phits;
    uint64_t *free_ps; /* by endpoint: when its interface could have sent all so far */
    size_t free_room;
    vef_carried_message *lists[2]; /* by record: of sends and receives, and of windows */
    size_t rooms[2];
    uint32_t broadcast_path_cycles, broadcast_cycles_per_phit; /* of the last one delivered */
} vef_carried_messages;

/* Ready to listen to a replay; it must not move until its end. */
void vef_carried_begin(vef_carried_messages *messages);
void vef_carried_release(vef_carried_messages *messages);

/* The message of an id; NULL if nothing was recorded of it. */
const vef_carried_message *vef_carried_get(const vef_carried_messages *messages, uint64_t id);

/* Whose call determined when the message was complete at `end_ps`: an executor and the time of
 * its call. From then on the message was under way. */
typedef struct vef_origin {
    uint32_t who;
    uint64_t time_ps;
} vef_origin;
vef_origin vef_carried_origin(const vef_carried_message *message, uint64_t end_ps);

/* Adds the time from `begin_ps` to `end_ps`, when the message was complete, by cause: up to
 * `since_ps` as `wait`, then by the ways of the message. */
void vef_carried_charge(const vef_carried_message *message, uint64_t begin_ps, uint64_t since_ps,
                        uint64_t end_ps, vef_cause wait, vef_cause_ps *ps);

#endif
