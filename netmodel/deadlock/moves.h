/* The moves of packets, by queue: for each queue of the network, to which links of its router its
 * packets may move, and how. The queues of a router are numbered as its links, port x channels +
 * channel, from the receiving router's view; injection is one more. */
#ifndef VEF_NETMODEL_DEADLOCK_MOVES_H
#define VEF_NETMODEL_DEADLOCK_MOVES_H

#include "netmodel/deadlock/deadlock.h"

#include <stdatomic.h>

enum {
    VEF_MOVE_ONE = 1,    /* by some candidate that needs one place */
    VEF_MOVE_MORE = 2,   /* … more than one */
    VEF_ESCAPE_ONE = 4,  /* by an escape that needs one place */
    VEF_ESCAPE_MORE = 8, /* … more than one */
    VEF_ESCAPE = VEF_ESCAPE_ONE | VEF_ESCAPE_MORE,
};
#define VEF_NO_QUEUE UINT32_MAX

typedef struct vef_moves {
    const vef_topology *topology;
    uint32_t channels, links; /* queues of a link, and of all links of a router */
    uint32_t routing_channels;
    const uint8_t *queue_of; /* vef_deadlock_request */
    uint32_t words;          /* 64-bit words of a row, which has a byte for each link */
    bool uniform;            /* the routers of a class share their rows */
    bool turned;             /* the classes are orbits, by turns of the topology */
    uint32_t reflections;    /* of the topology and the routing (reflections.h) */
    uint32_t classes;        /* of routers: translation classes, orbits, or one for each */
    uint32_t *first;         /* [classes]: the first router */
    /* [(class * (links + 1) + from) * words + link / 8], from `links`: injection. */
    _Atomic uint64_t *how;
    /* With routes of two legs: [class * arrival_queues + queue], whether a first leg that ends at
     * the router can end in that queue, port x channels of the routing + channel: VEF_ARRIVES …,
     * or 0. */
    uint8_t *arrivals;
    uint32_t arrival_queues;
    uint32_t *endpoint; /* [routers], with routes of two legs: the first endpoint of each */
} vef_moves;

enum {
    VEF_ARRIVES = 1,
    VEF_ARRIVES_FROM_FAR = 2, /* also one that began before the neighbour at that port */
};

static inline uint32_t vef_moves_class(const vef_moves *moves, uint32_t router) {
    if (!moves->uniform)
        return router;
    return moves->turned ? vef_topology_orbit(moves->topology, router)
                         : vef_topology_translation_class(moves->topology, router);
}

static inline uint8_t *vef_moves_arrivals(const vef_moves *moves, uint32_t router) {
    return moves->arrivals + (size_t)vef_moves_class(moves, router) * moves->arrival_queues;
}

static inline _Atomic uint64_t *vef_moves_words(const vef_moves *moves, uint32_t router,
                                                uint32_t from) {
    const size_t row = (size_t)vef_moves_class(moves, router) * (moves->links + 1) + from;
    return moves->how + row * moves->words;
}

/* Adds moves to a word of a row, or to a row. Several threads may. */
static inline void vef_moves_add(_Atomic uint64_t *word, uint64_t more) {
    if ((atomic_load_explicit(word, memory_order_relaxed) & more) != more)
        atomic_fetch_or_explicit(word, more, memory_order_relaxed);
}

static inline void vef_moves_add_all(const vef_moves *moves, _Atomic uint64_t *words,
                                     const uint64_t *row) {
    for (uint32_t i = 0; i < moves->words; i++)
        vef_moves_add(words + i, row[i]);
}

/* The row by links, while no thread adds to it. */
static inline uint8_t *vef_moves_from(const vef_moves *moves, uint32_t router, uint32_t from) {
    return (uint8_t *)vef_moves_words(moves, router, from);
}

/* The queue of a channel of a link by `port`, among those of the link. */
static inline uint32_t vef_moves_channel(const vef_moves *moves, uint32_t port, uint32_t channel) {
    return moves->queue_of ? moves->queue_of[port * moves->routing_channels + channel]
                           : channel % moves->channels;
}

/* The row of a place in its router. */
static inline uint32_t vef_moves_place(const vef_moves *moves, vef_place place) {
    return place.in_port == VEF_INJECTED
               ? moves->links
               : place.in_port * moves->channels +
                     vef_moves_channel(moves, place.in_port, place.in_channel);
}

static inline uint32_t vef_moves_link(const vef_moves *moves, vef_candidate candidate) {
    return candidate.port * moves->channels +
           vef_moves_channel(moves, candidate.port, candidate.channel);
}

/* The queue at the other end of a link: router * links + link there. VEF_NO_QUEUE: the port is not
 * connected. */
static inline uint32_t vef_moves_queue(const vef_moves *moves, uint32_t router, uint32_t link) {
    const size_t port = (size_t)router * moves->topology->ports + link / moves->channels;
    const uint32_t other = moves->topology->neighbour[port];
    if (other == VEF_NO_ROUTER)
        return VEF_NO_QUEUE;
    return other * moves->links + moves->topology->reverse_port[port] * moves->channels +
           link % moves->channels;
}

/* ---- components.c ---- */

/* Looks for cycles of escapes. Sets the fields of `deadlock` about queues and, for a cycle that is
 * not covered, its places, candidates and needed places, but no packets yet. */
void vef_components_judge(const vef_moves *moves, vef_deadlock *deadlock);

#endif
