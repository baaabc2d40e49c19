/* Packets to all in the core (netmodel/MODEL.md, "Broadcast"): at the front of its queue such a
 * packet asks for every output that it has still to send a copy to, and stays until the last copy
 * has left. */
#ifndef VEF_NETMODEL_ROUTER_COPIES_H
#define VEF_NETMODEL_ROUTER_COPIES_H

#include "netmodel/netmodel.h"
#include "netmodel/routing/broadcast.h"

struct vef_network;
struct vef_router;

enum {
    VEF_MOST_COPY_ENDPOINTS = 64, /* of a router */
    VEF_COPY_ENDS = 1 << 15,      /* in vef_event.input: what ends is a copy, the packet stays */
};

/* A packet to all that has come to the front of its queue. */
typedef struct vef_copying {
    uint64_t endpoints; /* of its router, that are to get a copy yet: a bit for each */
    uint32_t branches;  /* likewise of `to` */
    uint32_t under_way; /* copies granted whose tails have not left */
    uint32_t router;
    uint32_t next; /* in the list of free ones */
    vef_candidate to[VEF_MAX_BRANCHES];
} vef_copying;

typedef struct vef_copies {
    vef_broadcast broadcast;
    vef_copying *pool; /* one for each queue of the network, in the order of their first use */
    uint32_t untouched, free;
} vef_copies;

/* Refuses (VEF_UNSUPPORTED) where the network at hand has no broadcast. */
vef_code vef_network_can_broadcast(const vef_netmodel *base, vef_error *error);

/* Takes what packets to all need, if it has not been yet. */
vef_code vef_copies_create(struct vef_network *network, vef_error *error);
void vef_copies_destroy(struct vef_network *network);
uint64_t vef_copies_bytes(const struct vef_network *network);

/* Packet `number`, to all, is at the front of `input`. Its queue's offer is then
 * network->copies_offer. */
void vef_copies_begin(struct vef_network *network, uint32_t router, uint32_t input,
                      uint32_t number);
/* Asks for every output that the front packet of `input` can send a copy to now. */
void vef_copies_request(struct vef_network *network, struct vef_router *state, uint32_t input);
/* The front packet of `input` is granted `output`. */
void vef_copies_move(struct vef_network *network, uint32_t router, struct vef_router *state,
                     uint32_t input, uint32_t output);
/* The tail of a copy of packet `number` has left. Returns whether that was the last, and the packet
 * is gone. */
bool vef_copies_end(struct vef_network *network, uint32_t number);

#endif
