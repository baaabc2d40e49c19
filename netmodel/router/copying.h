/* State of broadcast packets in the core (netmodel/MODEL.md, "Broadcast"). */
#ifndef VEF_NETMODEL_ROUTER_COPYING_H
#define VEF_NETMODEL_ROUTER_COPYING_H

#include "netmodel/routing/broadcast/broadcast.h"

enum {
    VEF_MOST_COPY_ENDPOINTS = 64, /* of a router */
    VEF_COPY_ENDS = 1 << 15,      /* in vef_calendar_entry.input: a copy ends, the packet stays */
};

/* A broadcast packet that has reached the front of its queue. */
typedef struct vef_copying {
    uint64_t endpoints; /* of its router, that still need a copy: a bit for each */
    uint32_t branches;  /* likewise of `to` */
    uint32_t under_way; /* copies granted whose tails have not left */
    uint32_t router;
    uint32_t next; /* in the free list */
    vef_candidate to[VEF_MAX_BRANCHES];
} vef_copying;

/* What a broadcast packet has besides its vef_packet. */
typedef struct vef_copies_packet {
    vef_route route;
    uint32_t copying; /* undefined until it is at the front of its queue */
} vef_copies_packet;

typedef struct vef_copies {
    vef_broadcast broadcast;
    vef_copies_packet *packets; /* by packet; undefined for other packets */
    vef_copying *pool; /* one for each queue of the network, in the order of their first use */
    uint32_t untouched, free;
} vef_copies;

#endif
