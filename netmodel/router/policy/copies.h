/* Packets that routers copy, and combine: what copying.c, reduction.c and broadcast.c share. Each
 * uses those before it. */
#ifndef VEF_NETMODEL_ROUTER_POLICY_COPIES_H
#define VEF_NETMODEL_ROUTER_POLICY_COPIES_H

#include "netmodel/router/policy/install.h"
#include "netmodel/routing/broadcast/broadcast.h"

/* A broadcast packet that has reached the front of its queue. */
typedef struct vef_copying {
    uint32_t waiting;   /* copies that have not been granted */
    uint32_t under_way; /* copies granted whose tails have not left */
    uint32_t router;
    uint32_t next; /* in the free list */
    bool combines; /* a contribution that has not been combined with the others here */
    /* A bit for each port, then one for each endpoint of the router: copies to be granted. Then the
     * candidates of links, by port. */
    uint64_t left[];
} vef_copying;

/* What a broadcast packet has besides its vef_packet. */
typedef struct vef_copies_packet {
    vef_route route;
    uint32_t copying; /* undefined until it is at the front of its queue */
} vef_copies_packet;

/* A reduction that is not complete. */
typedef struct vef_reduction {
    struct vef_reduction *next; /* of all */
    uint64_t id;
    uint32_t group, packets;
    uint32_t receiver; /* an endpoint, or VEF_TO_ALL */
    uint32_t result;   /* the message of its result */
    uint32_t *left;    /* [node * packets + packet]: contributions to come */
    int64_t *lines; /* with vef_link_state.lines, [(node * packets + packet) * pace_count + pace]:
                       the latest of those that have come */
} vef_reduction;

/* vef_message.spread of a message of several packets, or of a group, or of a result. */
typedef struct vef_spread {
    uint32_t group;
    vef_reduction *reduction; /* a contribution, or its result; else NULL */
    uint32_t missing[];       /* packets, by member; contributions have none */
} vef_spread;

typedef struct vef_copies {
    vef_broadcast broadcast;
    vef_copies_packet *packets; /* by packet; undefined for other packets */
    unsigned char *pool; /* one for each queue of the network, in the order of their first use, */
    size_t stride;       /* of so many bytes each */
    uint32_t words;      /* of vef_copying.left */
    uint32_t untouched, free;
    vef_reduction *reductions;
    uint32_t *open_packets; /* [group]: of its reductions */
    uint32_t *slots_taken;  /* [router]: by groups; NULL: none so far */
} vef_copies;

static inline vef_copying *vef_copying_at(const vef_copies *copies, uint32_t number) {
    return (vef_copying *)(void *)(copies->pool + number * copies->stride);
}

static inline vef_candidate *vef_copying_candidates(const vef_copies *copies,
                                                    vef_copying *copying) {
    return (vef_candidate *)(copying->left + copies->words);
}

/* Of a packet that has been at the front of its queue. */
static inline vef_copying *vef_copying_of(const vef_network *network, uint32_t number) {
    const vef_copies *copies = network->policies.copies;
    return vef_copying_at(copies, copies->packets[number].copying);
}

/* ---- copying.c ---- */

/* Lists the copies of a packet that a router makes. */
void vef_copying_list(vef_network *network, vef_copying *copying, uint32_t store, uint32_t number);
/* The front packet of an input leaves its queue. */
void vef_copying_leave(vef_network *network, vef_router *state, uint32_t input);
/* The end of a copy of a packet, by an output, or of nothing (VEF_UNMATCHED), at a time. */
void vef_copying_end_later(vef_network *network, vef_partition *part, vef_router *state,
                           uint32_t router, uint32_t input, uint32_t output, uint32_t number,
                           uint64_t time_cycles);

/* ---- reduction.c ---- */

vef_code vef_network_add_group(vef_netmodel *base, const uint32_t *endpoints, uint32_t count,
                               bool reduces, uint32_t *group, vef_error *error);
/* Sets spread and packets_out of a message that is a contribution. */
vef_code vef_reduction_prepare(vef_network *network, vef_partition *part,
                               const vef_net_message *given, uint32_t packets, vef_message *message,
                               vef_error *error);
/* Combines the contribution at the front of an input with the others at its router. Returns whether
 * it moves on now, for all. */
bool vef_reduction_combine(vef_network *network, vef_partition *part, uint32_t router,
                           vef_router *state, uint32_t input, vef_copying *copying);
void vef_reduction_end(vef_copies *copies, vef_reduction *reduction);
void vef_reductions_release(vef_copies *copies);

#endif
