/* The state of a network of routers, in parts: policies, shape, links, queues, offers, pools, read
 * ports, partitions. See network.h.
 *
 * The data that a step needs of a router is in one block of whole cache lines per router, since
 * large networks spend most time waiting for memory. For the same reason events have all
 * information needed to find what they change, so that it can be prefetched. */
#ifndef VEF_NETMODEL_ROUTER_CORE_STATE_H
#define VEF_NETMODEL_ROUTER_CORE_STATE_H

#include "common/containers/blocks.h"
#include "netmodel/file/buffers.h"
#include "netmodel/file/links.h"
#include "netmodel/file/settings.h"
#include "netmodel/router/core/bits.h"
#include "netmodel/router/core/partition.h"
#include "netmodel/router/core/policies.h"
#include "netmodel/routing/routing.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

/* A packet; its block ends with the words of its route (vef_routing.route_words). */
typedef struct vef_packet {
    uint32_t next; /* behind it in its queue */
    uint32_t message;
    uint32_t router;         /* of its destination; VEF_NONE: broadcast */
    uint32_t entered_cycles; /* modulo 2^32: see vef_entered_cycles */
    uint16_t local;          /* the index of its endpoint at that router */
    uint16_t phits, hops;
    uint16_t signature; /* of its route, if offers are shared */
    vef_route route;
} vef_packet;

enum { VEF_CREDIT_LEVELS = 4, VEF_LINE_BYTES = 64 /* of a cache, typically */ };

/* Sets of a narrow router's exits: a bit for each link, then one for each endpoint. The exits that
 * a packet requests if one place is free there, and if two are. */
typedef struct vef_wants {
    uint64_t one, two;
} vef_wants;

enum { VEF_PORTS = 0xffff };

/* The candidates of a packet. Packets of equal signature and arrival share an offer, computed once;
 * without signatures each queue has one for its front packet (empty, with VEF_SELECT_ONCE,
 * until the packet first requests). The last offers have no candidates, one for each endpoint of a
 * router: packets at their destination. */
typedef struct vef_offer {
    vef_candidate *candidates;
    uint16_t count;
    uint16_t port; /* of all candidates; VEF_PORTS: several */
    uint16_t exit; /* of the only candidate, which needs one place; VEF_PORTS: there are others */
    bool wants_complete;
    _Atomic bool known; /* set last: several parts may share offers */
    /* Of narrow routers only; others have no memory for them (vef_offers.shift).
     * Masks of all candidates, and of those of the least and the two least preference values. They
     * are complete (`wants_complete`) if candidates were offered in the order of their preference
     * values, at most three, and for each in that of their links, and need at most two places. */
    vef_wants any, first, second;
} vef_offer;
enum { VEF_OFFER_SHIFT = 6, VEF_WIDE_OFFER_SHIFT = 4 };
static_assert(sizeof(vef_offer) == 1 << VEF_OFFER_SHIFT &&
                  offsetof(vef_offer, any) == 1 << VEF_WIDE_OFFER_SHIFT,
              "a request reads one cache line of an offer");

typedef struct vef_queue {
    uint32_t head, tail; /* packets; undefined while it is empty */
    uint32_t offer; /* to the front packet; VEF_NONE: its read port is busy with the one before */
} vef_queue;

typedef struct vef_router_output {
    uint64_t phits;        /* granted so far */
    uint64_t until_cycles; /* busy before this time */
} vef_router_output;

/* The other end of a port; behind the ports of a router, an endpoint with its injection queues. */
typedef struct vef_far_end {
    union {
        uint32_t router, endpoint; /* none: VEF_NO_ROUTER */
    };
    uint32_t hop_cycles; /* of a link: from the grant of a packet to the arrival of its head */
    uint16_t shift; /* from the number of a store to that of the same channel there, or of a queue
                       of the endpoint, modulo 2^16 */
} vef_far_end;

static inline uint16_t vef_far_link(const vef_far_end *far_end, uint32_t link) {
    return (uint16_t)(far_end->shift + link);
}

/* A router; then, at the offsets vef_router_shape.*_at, its far ends, ejection ports, queues,
 * outputs, if the arbiter remembers its pointers (by output), if it compares them the times of
 * fronts (by input), if counted the credits, and if listed the lists of waiting packets: the first
 * input of each exit, then the next of each input. A credit changes only the first cache line of a
 * narrow router; other events need the second beside it. */
typedef struct vef_router {
    /* Sets of exits, of narrow routers only: those with a free port (of an endpoint: an ejection
     * port), and those with at least 1, 2, … credits. */
    uint64_t open, at_least[VEF_CREDIT_LEVELS];
    /* Of narrow routers: the candidates of the front packets for which nothing was eligible when
     * they came to the front or requested last. They need not request before one of these is
     * eligible. */
    vef_wants wanted;
    bool watchful; /* packets wait whose requests neither `wanted` nor a list includes */
    vef_rng rng;
    /* Of inputs: those that hold packets; those whose read port is busy; those whose front packets
     * `wanted` or a list includes. If listed, of exits: those that have become free since the last
     * visit while packets were in their list. */
    uint64_t sets[];
} vef_router;
static_assert(offsetof(vef_router, rng) == 64, "what a credit changes is one cache line");

/* What vef_queue_state.begun of a source has: nothing; the route of its next packet; that of all
 * packets of a message, which nothing was drawn for. */
typedef enum vef_begun_for { VEF_BEGUN_NOT, VEF_BEGUN_PACKET, VEF_BEGUN_MESSAGE } vef_begun_for;

typedef struct vef_begun {
    vef_route route;
    uint32_t message;   /* VEF_BEGUN_MESSAGE: its packets have this route, */
    uint16_t signature; /* with this vef_packet.signature */
} vef_begun;

typedef struct vef_endpoint {
    uint32_t first_message, last_message; /* the source's queue */
    uint32_t router;
    uint32_t local;   /* its index in its router */
    uint32_t waiting; /* injected messages that are not yet wholly in an injection queue */
    bool filling;     /* in the list of endpoints to visit */
    uint8_t begun;    /* vef_begun_for */
    vef_rng rng;
} vef_endpoint;

typedef struct vef_message {
    uint64_t id, time_cycles, bytes;
    union {
        uint64_t bytes_left;        /* at its source: still to enter an injection queue */
        uint64_t packets_ungranted; /* with ranks, where only its destination is: without an
                                       ejection port so far */
    };
    uint64_t packets_out; /* not yet delivered */
    uint32_t source, destination;
    uint8_t traffic_class;
    bool confirmed; /* its delivery, to the part of its source, which is another one */
    uint32_t next;  /* behind it in its source's queue, or in the free list */
    union {
        struct vef_spread *spread; /* broadcast: state of moving.broadcast; NULL: it needs none */
        uint64_t packets_unconfirmed; /* without ranks, of one to be confirmed: not granted an
                                         ejection port yet */
        uint64_t serial; /* with ranks, of one of several packets, once one has left: ranks.c */
    };
} vef_message;

typedef struct vef_inputs {
    uint32_t first, end;
} vef_inputs;

/* What a packet has crossed so far: the delays of routers and links, and the slowest link. */
typedef struct vef_way {
    uint32_t path_cycles, cycles_per_phit;
} vef_way;

/* Deadlock detection (deadlock.c). */
typedef struct vef_watch {
    uint64_t next_cycles;               /* time of the next check */
    uint64_t last_cycles, last_packets; /* time of the last check, and deliveries by then */
    uint32_t dead_queue; /* an input whose front packet is deadlocked; VEF_NONE: none is known */
    uint8_t *marks;      /* scratch memory of deadlock.c: [queue] */
    uint32_t *revived;   /* scratch memory of deadlock.c: [router] */
} vef_watch;

/* Numbers of a router, which all routers have in common, and where the pieces of its block are. */
typedef struct vef_router_shape {
    uint32_t ports;
    uint32_t channels;
    uint32_t links; /* ports x channels */
    uint32_t inputs;
    uint32_t outputs;
    uint32_t stores;
    uint32_t queues_each;    /* queues of a store */
    uint32_t transit_inputs; /* inputs that are queues of links */
    uint32_t per_router;     /* maximum number of endpoints */
    uint32_t largest_places; /* places of the largest packet */
    uint32_t injection_queue_places;
    uint32_t input_words;  /* 64-bit words of a set of inputs */
    uint32_t output_words; /* 64-bit words of a set of outputs */
    uint32_t exits;        /* links, then endpoints */
    bool narrow;           /* inputs, outputs and exits all fit in 64 bits; places hold packets */
    bool counted;          /* credits are counted: the sets of narrow routers do not encode them */
    bool listed;  /* of wide routers: front packets with a vef_offer.exit wait in its list */
    bool fetches; /* whether to prefetch */
    size_t router_stride; /* bytes of a block */
    size_t far_ends_at, ejection_at, queues_at, outputs_at, pointers_at, fronts_at, credits_at,
        lists_at;
} vef_router_shape;

typedef struct vef_link_state {
    vef_links plan;                  /* speeds and lengths of links */
    uint32_t longest_passage_cycles; /* of a packet through an output */
    bool credits_travel;             /* from the end of a packet to its sender, which takes time */
    bool credits_wait;               /* credits are events: they travel, or pass between parts */
    uint16_t *in_port;    /* [store]: the port of its link; VEF_INJECTED: an injection queue */
    uint16_t *far_end;    /* [store]: that of a router from which packets come */
    uint8_t *in_channel;  /* [store] */
    uint64_t *port_links; /* [port]: the set of its links, of narrow routers */
    vef_way *ways;        /* [packet]; NULL: links are equal, so that the hops tell them */
    int64_t *lines;    /* [packet * pace_count + pace], see policy/links.c; NULL: all phits follow
                          each other at the only pace */
    uint64_t *buckets; /* [router * outputs + output]: when it is full again; NULL: none */
} vef_link_state;

typedef struct vef_queue_state {
    vef_buffers buffers;      /* places of the queues of links */
    unsigned char *routers;   /* [router]: vef_router_shape.router_stride bytes each */
    vef_endpoint *endpoints;  /* [endpoint] */
    uint32_t *endpoint_at;    /* [router * per_router + local]; VEF_NONE: none */
    uint16_t *injection_free; /* [endpoint * injection_queues + queue]: free places */
    uint64_t *joined_cycles;  /* [packet]: its queue; NULL: the arbiter does not compare it */
    vef_begun *begun;         /* [endpoint] */
    uint16_t *credit_lead;    /* [router * links + link]: see vef_credit_lead_of; NULL: all 0 */
    uint16_t
        *places; /* [router * links + link]: at its end; NULL: vef_places_taken is not called */
    uint32_t *waiting; /* [router * ports + port]: as vef_view_waiting; NULL: no packet sees it */
    uint16_t *bound;   /* [router * inputs + input]: the port of the front packet's last choice,
                          VEF_PORTS: none; NULL without VEF_SELECT_COST */
} vef_queue_state;

typedef struct vef_offers {
    unsigned char *items;      /* by signature and link of arrival, or by queue */
    uint32_t shift;            /* an offer has 2^shift bytes */
    vef_candidate *candidates; /* of all offers */
    uint64_t count;            /* without the last ones, of packets at their destination */
    bool shared;               /* packets of equal signature and arrival share an offer */
    uint32_t *rows;            /* [store]: the shared offer of signature 0 */
    uint32_t copies;           /* the offer of queues with a broadcast packet at the front */
} vef_offers;

/* Packets and messages by number. */
typedef struct vef_pools {
    unsigned char *packets; /* packet_stride bytes each */
    size_t packet_stride;
    uint64_t packets_needed; /* a packet for every place */
    uint32_t packet_room;
    vef_blocks messages;                /* vef_message */
    vef_unused_pool unused[VEF_POOLED]; /* that no part has */
    pthread_mutex_t lock; /* of `unused`, and for shared offers that are not yet known */
} vef_pools;

typedef struct vef_partitions {
    vef_partition *parts; /* in the order of their routers */
    uint32_t count;
    uint8_t *part_of;       /* [router]; NULL with one part */
    vef_mail *mail;         /* [(half * count + from) * count + to]; NULL with one part */
    uint32_t posting;       /* the half to which parts post; the other one may still be taken in */
    uint64_t window_cycles; /* that parts advance without the mail of each other, at most */
    int64_t unconfirmed;    /* of all parts, when they met last: on every rank the same */
    uint64_t confirming_cycles; /* the same as window_cycles while messages are under way that are
                                   to be confirmed */
    struct vef_pool *crew;      /* a thread for each part; NULL: one thread steps all parts */
    int64_t crew_packets;       /* one thread steps all while the network holds fewer packets */
    vef_arena arena;
    const vef_net_delivery *deliveries; /* of one time */
    size_t delivery_count;
    vef_net_delivery *gathered; /* deliveries of several parts */
} vef_partitions;

/* Read ports that the queues of an input port share, with an arbiter that matches them; else all
 * NULL. */
typedef struct vef_read_ports {
    uint16_t *pointers; /* [router * pointer_count] */
    uint32_t pointer_count;
    uint16_t *first_inputs; /* [input port], then the number of inputs */
    uint16_t *of_input;     /* [input]: its input port */
} vef_read_ports;

typedef struct vef_router_figures {
    uint64_t since_cycles;
    vef_latency *latency, *message_latency; /* of all parts, for statistics */
    uint64_t *link_phits; /* [router * ports + port]: of all ranks, then; NULL: no ranks */
} vef_router_figures;

typedef struct vef_network {
    vef_netmodel base;
    vef_topology *topology; /* owned */
    vef_routing *routing;   /* owned */
    vef_network_settings settings;
    vef_packets sizes; /* of packets */
    vef_policies policies;
    vef_router_shape shape;
    vef_link_state links;
    vef_queue_state queues;
    vef_offers offers;
    vef_pools pools;
    vef_read_ports read_ports;
    vef_partitions partitions;
    const vef_net_agent *agent; /* NULL: none */
    bool confirms; /* messages may have `confirmed` set, with the agent and several parts */
    bool begun;    /* vef_network_begin */
    struct vef_ranked *ranked; /* several processes simulate it (ranks.c); NULL: one does */
    uint64_t now_cycles;
    vef_watch watch;
    vef_router_figures figures;
    char warning[VEF_BUFFERS_WARNING_BYTES]; /* about short queues; else empty */
    const char *warnings[1];
    vef_arena arena;
} vef_network;

#endif
