/* Windows of pairs of source and destination, for congestion policies with by_pair (congestion/,
 * netmodel/MODEL.md, Congestion control).
 *
 * A pair exists while it has messages that are not wholly in the network, packets whose source does
 * not know of their delivery, or a window below the greatest. A source's queue has the messages of
 * pairs that may send, in the order of their injection, and behind the first of them any others; a
 * message that reaches the front and may not enter is parked at its pair. When the pair may send
 * again, the first of its parked messages returns to its place in the queue.
 *
 * A packet has an ack from its entry until its source knows of its delivery. The pair, and so the
 * ack, belongs to the part of the source. Memory for acks is taken at injection. */
#ifndef VEF_NETMODEL_ROUTER_WINDOWS_H
#define VEF_NETMODEL_ROUTER_WINDOWS_H

#include "common/map64.h"
#include "netmodel/router/network.h"

typedef struct vef_ack {
    uint64_t due_cycles, entered_cycles;
    uint32_t pair;
    uint32_t next;          /* unused, due, or on the way to the source's part */
    uint32_t travel_cycles; /* of the head, for the links crossed so far */
    bool marked;
    bool opens; /* the pair has waited between packets */
} vef_ack;

typedef struct vef_pair {
    uint32_t source, destination;
    uint32_t next;        /* unused: the next unused one */
    uint32_t messages;    /* not wholly in the network */
    uint64_t packets;     /* of these, not yet in the network */
    uint32_t outstanding; /* packets on their way, or not known to have arrived */
    uint32_t acks;        /* reserved for this pair */
    uint32_t parked, last_parked;
    uint32_t resumed; /* the message that returned from among the parked ones; or VEF_NONE */
    uint32_t next_idle;
    bool idle;   /* in its part's list of pairs that may be released */
    bool paused; /* waits between packets */
    double window;
    uint64_t decreased_cycles;                /* when the window was reduced last, */
    uint64_t acked_cycles, round_trip_cycles; /* and acks arrived; the longest way */
} vef_pair;

/* Of a message, beside vef_message. */
typedef struct vef_turn {
    uint64_t order; /* of its injection, among those of its source */
    uint32_t pair;  /* VEF_NONE: broadcast */
} vef_turn;

typedef struct vef_source_windows {
    vef_pair *pairs;
    size_t pair_room;
    uint32_t pairs_untouched, free_pair;
    vef_map64 pair_of; /* source and destination to the number of their pair */
    vef_ack *acks;
    size_t ack_room;
    uint32_t acks_untouched;
    vef_turn *turns; /* by message */
    size_t turn_room;
    uint64_t *orders; /* by endpoint: of its next message */
} vef_source_windows;

/* What a part has: acks that are due at its sources, in lists by their time modulo the number of
 * lists, which may hold acks of later rounds. */
typedef struct vef_part_windows {
    uint32_t due[VEF_NEAR_CYCLES];
    uint64_t occupied[VEF_NEAR_CYCLES / 64];
    uint32_t unused; /* acks, */
    uint32_t spare;  /* as many of which are reserved for no pair */
    uint32_t idle;   /* pairs that may be released */
    uint32_t *sent;  /* by part: acks of packets delivered here in this step */
} vef_part_windows;

void vef_windows_create(vef_network *network);
void vef_windows_destroy(vef_network *network); /* without windows is fine */
uint64_t vef_windows_bytes(const vef_network *network);
/* Takes the memory of a part. */
void vef_windows_take_part(vef_network *network, vef_partition *part);

/* Before a message of so many packets is given to its source: finds its pair, and takes memory. */
void vef_windows_reserve(vef_network *network, uint32_t message, uint64_t packets);
/* The message joins its source's queue. */
void vef_windows_enqueued(vef_network *network, uint32_t message);
/* Whether the first message of a source's queue may send; parks those that may not. */
bool vef_windows_ready(vef_network *network, uint32_t endpoint);
/* A packet of the message enters. */
void vef_windows_entered(vef_network *network, vef_partition *part, uint32_t message,
                         uint32_t packet);
/* The message, no longer in its source's queue, is wholly in the network. */
void vef_windows_left(vef_network *network, vef_partition *part, uint32_t message);
/* A packet that takes `places` leaves by a link: marks it. Before the credits are taken. */
void vef_windows_crosses(vef_network *network, uint32_t router, uint32_t link, uint32_t packet,
                         uint32_t places, uint32_t hop_cycles);
void vef_windows_delivered(vef_network *network, vef_partition *part, uint32_t packet);
/* The acks of part->now_cycles. */
void vef_windows_due(vef_network *network, vef_partition *part);
/* The time of the part's next acks; UINT64_MAX: none. */
uint64_t vef_windows_next(const vef_partition *part);
/* Releases pairs of no more use; between steps. */
void vef_windows_collect(vef_network *network);

/* Posts the acks of packets delivered in this cycle to the parts of their sources. */
void vef_windows_post(vef_network *network, vef_partition *part);
/* The earliest time of a list of posted acks; UINT64_MAX: empty. */
uint64_t vef_windows_earliest(const vef_network *network, uint32_t acks);
/* Takes in a list of posted acks. */
void vef_windows_receive(const vef_network *network, vef_partition *part, uint32_t *acks);

#endif
