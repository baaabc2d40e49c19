/* Proof that a routing is free of deadlock on the given network, or a cycle that prevents the
 * proof; prove.c states the theorem, its assumptions and its proof.
 *
 * Every route that the routing can begin and every state that a packet can reach through any
 * candidate are visited, so the cost grows with the square of the network, unless the routing is
 * uniform (routing.h) and the topology has translations or reflections (topology.h).
 *
 *   prove.c     the argument; sharing the work out    components.c   cycles, rings, bubble
 *   states.c    the states of packets to one router   witness.c      packets that make a cycle
 *   state_table.c  where they are kept                describe.c     in words
 *   state_moves.c  from states to queues
 *   moves.h     what they do, by queue                leg_lengths.c  the longest route of two legs
 *   copies.c    packets to all                    reflections.c  images of destinations
 *   unrolled.c  datelines, by names of channels */
#ifndef VEF_NETMODEL_DEADLOCK_DEADLOCK_H
#define VEF_NETMODEL_DEADLOCK_DEADLOCK_H

#include "netmodel/routing/routing.h"

#include <stdio.h>

typedef struct vef_deadlock_request {
    uint32_t queue_packets; /* places of each queue; 0: the routing's least_queue_packets */
    bool pauses; /* queues pause their senders, which know of one place: queue_packets is 1 */
    bool every_destination; /* full enumeration even if the routing is uniform */
    /* Variations: links have this many queues (0: one for each channel), and channel c uses queue c
     * mod channels, or queue_of[port * channels of the routing + c], which is the same at both ends
     * of a link; every candidate needs one place, as without bubble flow control. */
    uint32_t channels;
    const uint8_t *queue_of; /* NULL: c mod channels */
    bool without_bubble;
    unsigned long long most_bytes; /* of memory; 0: three quarters of the machine's */
    /* Called now and then from the calling thread; NULL: never. */
    void (*watch)(void *context, uint64_t done, uint64_t total);
    void *context;
} vef_deadlock_request;

/* A packet from `source` to `destination` (endpoints) at `place` may take this candidate there. */
typedef struct vef_dependency {
    vef_place place;
    vef_candidate candidate;
    uint32_t source, destination;
    uint8_t traffic_class;
} vef_dependency;

typedef enum vef_deadlock_verdict {
    VEF_DEADLOCK_FREE,
    VEF_DEADLOCK_CYCLE,     /* of escapes, not covered by bubbles */
    VEF_DEADLOCK_NO_ESCAPE, /* a state with candidates, but without an escape that can ever be taken
                             */
    VEF_DEADLOCK_LOST,      /* a state without candidates that is not at the destination */
    VEF_DEADLOCK_NOT_A_CHOICE /* an impossible candidate: port, channel or 0 places */
} vef_deadlock_verdict;

/* Why bubbles do not cover a cycle. */
typedef enum vef_uncovered {
    VEF_UNCOVERED_BRANCHES, /* a queue of it has edges to several others of the same component */
    VEF_UNCOVERED_PLACES,   /* a hop along it may take more than one place */
    VEF_UNCOVERED_ENTRY,    /* packets can enter it through one free place */
    VEF_UNCOVERED_PAUSES    /* there are none: its queues pause their senders */
} vef_uncovered;

typedef struct vef_deadlock {
    vef_deadlock_verdict verdict;
    uint32_t queue_packets;
    uint32_t channels;     /* queues per link */
    uint64_t states;       /* of packets, separately for each destination, or end of a leg */
    uint32_t destinations; /* destination routers that were visited: all, or one of each class */
    uint64_t queues;       /* possible positions of packets */
    uint64_t dependencies; /* between them, by escapes */
    uint64_t rings;        /* cycles of escapes covered by bubbles */
    bool bounded;          /* every path ends; else a packet may revisit a state */
    uint32_t longest_hops; /* of all paths, when bounded */

    /* VEF_DEADLOCK_FREE, if the routing supports broadcast: whether the network is free of deadlock
     * with broadcasts too, and the number of copies of one broadcast per router (uniform: of one of
     * each class). */
    bool broadcast, broadcast_free;
    uint64_t copies;

    /* VEF_DEADLOCK_CYCLE: escapes, each from the queue that the previous one leads to (channels
     * equal modulo `channels`); the last leads to the first. With VEF_UNCOVERED_ENTRY `entry` is an
     * entry. Owned by the result. */
    vef_dependency *cycle;
    size_t cycle_length;
    vef_uncovered uncovered;
    vef_dependency entry;

    /* The other failures: place, packet, and (NOT_A_CHOICE) candidate. If not bounded: a packet
     * that may revisit a state, and such a state. */
    vef_dependency fault, unbounded;
} vef_deadlock;

/* Fails (VEF_NO_MEMORY) for networks that are too large; a fault of the routing is a verdict, not a
 * failure. */
vef_code vef_deadlock_prove(const vef_routing *routing, const vef_deadlock_request *request,
                            vef_deadlock *deadlock, vef_error *error);
void vef_deadlock_release(vef_deadlock *deadlock);

/* One line: "router (0, 1): a packet from endpoint 1 to endpoint 7 … waits for x+, channel 0, to
 * router (1, 1) (it needs 2 places)". */
enum { VEF_DEPENDENCY_BYTES = 2 * VEF_ROUTER_NAME_BYTES + 2 * VEF_PORT_NAME_BYTES + 256 };
void vef_deadlock_describe_dependency(const vef_routing *routing, const vef_dependency *dependency,
                                      char *text, size_t text_bytes);
/* The fault as a sentence without a full stop; "" if there is none. */
enum { VEF_DEADLOCK_BYTES = VEF_DEPENDENCY_BYTES + 256 };
void vef_deadlock_describe_verdict(const vef_routing *routing, const vef_deadlock *deadlock,
                                   char *text, size_t text_bytes);

#endif
