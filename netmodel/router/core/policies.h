/* The seam between the core and the policies of a network: callbacks that a network installs when
 * it is built (policy/install.c). NULL: not installed.
 *
 * The loops of visits and events are compiled twice. The fast variant is for networks that install
 * none of `full`, whatever else they install; so whoever adds a callback that only the full variant
 * calls adds it there, and the fast variant excludes itself. docs/router.md shows the way. */
#ifndef VEF_NETMODEL_ROUTER_CORE_POLICIES_H
#define VEF_NETMODEL_ROUTER_CORE_POLICIES_H

#include "common/rng.h"
#include "netmodel/routing/routing.h"

#include <stdbool.h>

struct vef_network;
struct vef_offer;
struct vef_partition;
struct vef_router;

/* ---- allocation: which of the requests of an output is granted ---- */

/* What an arbiter compares. */
typedef enum vef_rank {
    VEF_RANK_NONE,
    VEF_RANK_ENTRY,   /* the time at which the front packet entered the network */
    VEF_RANK_FRONT,   /* the time since which the front packet may request */
    VEF_RANK_ARRIVAL, /* the time at which the front packet joined the queue */
    VEF_RANK_PACKETS  /* the number of packets in the queue */
} vef_rank;

typedef struct vef_contest {
    const uint64_t *asking; /* a bit for each input of the router */
    uint32_t words;         /* 64-bit words of `asking`, which has at least one set bit */
    const uint64_t *ranks;  /* by requesting input */
    vef_rng *rng;           /* the router's stream */
    uint16_t *pointer;      /* the output's own, 0 at the start */
} vef_contest;

enum { VEF_UNMATCHED = UINT16_MAX };

/* The requests of a router whose queues of an input port share one read port of the crossbar.
 * Queues of input port i are first[i] … first[i + 1] - 1. Pointers are the router's own and begin
 * at 0. */
typedef struct vef_matching {
    uint32_t input_ports, outputs;
    uint32_t transit_ports; /* the first so many input ports; the others are endpoints */
    bool transit_first;
    uint32_t iterations;
    const uint16_t *first;
    const uint16_t *port_of; /* by queue */
    const uint16_t *askers;  /* the requesting queues, in ascending order */
    uint32_t asker_count;
    const uint16_t *asked;     /* by requesting queue: the output */
    uint16_t *output_pointers; /* among input ports */
    uint16_t *queue_pointers;  /* of input ports, among their queues */
    uint16_t *port_pointers;   /* of input ports, among outputs */
    uint16_t *granted; /* by output: the queue; VEF_UNMATCHED: none. Output of the matching */
    uint16_t *room;    /* working memory, outputs + 2 x input_ports */
} vef_matching;

typedef struct vef_arbiter {
    bool uniform;     /* draws one of the requests, only if there are several */
    vef_rank rank;    /* what `ranks` has */
    bool remembers;   /* also informed of grants without contention */
    bool random_ties; /* equal candidates of a packet are drawn, else the first is taken */
    /* An input with a set bit, for one output. NULL: `match` is given. */
    uint32_t (*choose)(const vef_contest *contest);
    /* Grants of all outputs at once, one packet of an input port at a time. NULL: `choose` is
     * given. */
    void (*match)(const vef_matching *matching);
} vef_arbiter;

/* ---- packets at the front of queues ---- */

/* Routes by the state of queues, chosen at the source or at each hop (netmodel/MODEL.md), and the
 * times that the arbiter `fifo` compares. */
typedef struct vef_front_policy {
    /* A packet has come to the front of an input whose read port is free. Calls vef_front_begin,
     * now or in `chosen`. `hint` is as for vef_front_offer. NULL: vef_front_begin suffices. */
    void (*attend)(struct vef_network *network, struct vef_partition *part, uint32_t router,
                   struct vef_router *state, uint32_t input, uint32_t hint);
    /* The front packet of an input is granted an output. */
    void (*leave)(struct vef_network *network, uint32_t router, struct vef_router *state,
                  uint32_t input);
    /* Packets that came to the front of injection queues choose their routes, all by what they see
     * before any of them waits there. */
    void (*choose)(struct vef_network *network, struct vef_partition *part);
    /* Those packets may request: before the grants of the cycle. */
    void (*chosen)(struct vef_network *network, struct vef_partition *part);
} vef_front_policy;

/* ---- sources ---- */

/* Windows of pairs of source and destination. `message` and `packet` are numbers. */
typedef struct vef_window_policy {
    void (*take_part)(struct vef_network *network, struct vef_partition *part); /* its memory */
    /* A message of so many packets is injected, for now or later. May allocate. */
    void (*inject)(struct vef_network *network, struct vef_partition *part, uint32_t message,
                   uint64_t packets);
    /* The message joins its source's queue; false: it waits at its pair. */
    bool (*enqueue)(struct vef_network *network, struct vef_partition *part, uint32_t message);
    /* Whether the first message of a source's queue may send; parks those that may not. */
    bool (*ready)(struct vef_network *network, struct vef_partition *part, uint32_t endpoint);
    /* A packet of the message enters; message VEF_NONE: it is a copy, which has no window. */
    void (*enter)(struct vef_network *network, struct vef_partition *part, uint32_t message,
                  uint32_t packet);
    /* The message, no longer in its source's queue, is wholly in the network. */
    void (*leave)(struct vef_network *network, struct vef_partition *part, uint32_t message);
    /* A packet that takes `places` leaves by a link. Before the credits are taken. */
    void (*cross)(struct vef_network *network, uint64_t now_cycles, uint32_t router, uint32_t link,
                  uint32_t packet, uint32_t places, uint32_t hop_cycles);
    /* With pauses: its head arrives in a queue that now has `taken` packets, and pauses its sender
     * from `most` on. */
    void (*arrive)(struct vef_network *network, uint64_t now_cycles, uint32_t router,
                   uint32_t store, uint32_t packet, uint32_t taken, uint32_t most);
    void (*deliver)(struct vef_network *network, struct vef_partition *part, uint32_t packet);
    /* The acks of part->now_cycles. */
    void (*due)(struct vef_network *network, struct vef_partition *part);
    /* The time of the part's next acks; UINT64_MAX: none. */
    uint64_t (*next)(const struct vef_partition *part);
    /* After a window: releases pairs of no more use, and posts the acks of packets delivered in it
     * to the parts of their sources. */
    void (*settle)(struct vef_network *network, struct vef_partition *part);
    /* The earliest time of a list of posted acks; UINT64_MAX: it is empty. */
    uint64_t (*earliest)(const struct vef_network *network, uint32_t acks);
    /* Takes in a list of posted acks. */
    void (*receive)(const struct vef_network *network, struct vef_partition *part, uint32_t *acks);
    uint64_t (*bytes)(const struct vef_network *network);
    void (*destroy)(struct vef_network *network);
} vef_window_policy;

/* ---- broadcast ---- */

struct vef_message;
struct vef_net_message;

/* A broadcast packet at the front of its queue requests every output that still needs a copy, and
 * stays until the last copy has left; or it is a contribution to a reduction, of which one goes on
 * for all. Installed with the first broadcast message or group. */
typedef struct vef_broadcast_policy {
    /* Sets `spread` of a message of so many packets that will be injected, and how many deliveries
     * its packets have in all, or refuses it. May allocate. */
    vef_code (*prepare)(struct vef_network *network, struct vef_partition *part,
                        const struct vef_net_message *given, uint64_t packets,
                        struct vef_message *message, vef_error *error);
    /* The packet enters at a source of this router. */
    void (*enter)(struct vef_network *network, uint32_t router, uint32_t packet);
    /* The packet is at the front of a store. Its queue's offer is then vef_offers.copies. */
    void (*attend)(struct vef_network *network, uint32_t router, uint32_t store, uint32_t packet);
    /* Requests every output to which the front packet of `input` can send a copy now. */
    void (*request)(struct vef_network *network, struct vef_partition *part, uint32_t router,
                    struct vef_router *state, uint32_t input);
    /* The front packet of `input` is granted `output`. */
    void (*grant)(struct vef_network *network, struct vef_partition *part, uint32_t router,
                  struct vef_router *state, uint32_t input, uint32_t output);
    /* The tail of a copy of the packet has left. Returns whether that was the last, and the packet
     * is removed. */
    bool (*end)(struct vef_network *network, struct vef_partition *part, uint32_t packet);
    /* A packet of a message with a spread has reached an endpoint. Returns whether it was the last
     * there. */
    bool (*deliver)(const struct vef_network *network, const struct vef_message *message,
                    uint32_t endpoint);
    /* All packets of a message with a spread have been delivered. */
    void (*forget)(const struct vef_network *network, struct vef_message *message);
    uint64_t (*bytes)(const struct vef_network *network);
    void (*destroy)(struct vef_network *network);
} vef_broadcast_policy;

/* ---- links that differ ---- */

/* When the phits of a packet cross links of several speeds, or with token buckets. */
typedef struct vef_link_policy {
    void (*enter)(struct vef_network *network, uint32_t packet);
    /* Packet `copy` is where `packet` is. */
    void (*copy)(struct vef_network *network, uint32_t copy, uint32_t packet);
    /* The tail of a packet that is granted an output now has crossed it at the returned time. */
    uint64_t (*cross)(struct vef_network *network, uint64_t now_cycles, uint32_t router,
                      uint32_t output, uint32_t packet);
    /* After `cross`: when one phit has crossed. */
    uint64_t (*crossed)(const struct vef_network *network, uint64_t now_cycles, uint32_t router,
                        uint32_t output, uint32_t packet, uint32_t phit);
    /* After `cross`, if the output is a link. */
    void (*depart)(struct vef_network *network, uint32_t router, uint32_t port, uint32_t packet);
} vef_link_policy;

/* ---- pauses ---- */

/* Frames that pause and resume the senders of links, instead of credits. `store` is that of a link
 * into `router`. */
typedef struct vef_pause_policy {
    /* The head of a packet arrives; */
    void (*arrive)(struct vef_network *network, struct vef_partition *part, uint32_t router,
                   uint32_t store, uint32_t packet);
    /* the place of a packet is free. */
    void (*leave)(struct vef_network *network, struct vef_partition *part, uint32_t router,
                  uint32_t store);
} vef_pause_policy;

/* ---- all ---- */

/* Policies of which the fast variant knows nothing. */
typedef struct vef_full_policies {
    /* Grants of all outputs of a router at once. */
    void (*match)(const vef_matching *matching);
    /* The offer to the front packet of an input becomes the candidate of least cost, unless it has
     * been chosen before (VEF_SELECT_ONCE). */
    void (*commit)(struct vef_network *network, const struct vef_partition *part, uint32_t router,
                   struct vef_router *state, uint32_t input);
    /* The link that the front packet of an input requests, which has candidates; VEF_NONE: none
     * (VEF_SELECT_COST). */
    uint32_t (*ask)(struct vef_network *network, struct vef_partition *part, uint32_t router,
                    struct vef_router *state, uint32_t input);
    const vef_link_policy *links;
    const vef_pause_policy *pauses;
} vef_full_policies;

/* Policies that look at each packet that moves. */
typedef struct vef_moving_policies {
    const vef_front_policy *fronts;
    const vef_window_policy *windows;
    const vef_broadcast_policy *broadcast;
    const struct vef_net_watch *watcher; /* of links */
} vef_moving_policies;

typedef struct vef_policies {
    vef_full_policies full;
    vef_moving_policies moving;
    bool fast;       /* which variant of the loops: vef_network_settle */
    bool unobserved; /* nothing of `moving` is installed: vef_network_settle */
    /* One of several eligible exits. NULL: that with the most credits; ties are drawn. */
    uint32_t (*select)(const struct vef_network *network, struct vef_router *state, uint64_t exits);
    /* The link that a packet of `places` places requests, of candidates that no sets of exits
     * describe; VEF_NONE: none is eligible. Always installed. */
    uint32_t (*select_listed)(const struct vef_network *network, uint64_t now_cycles,
                              struct vef_router *state, const struct vef_offer *offer,
                              uint32_t places);
    vef_arbiter arbiter; /* always installed */
    /* The injection queue that the next packet of a message joins, which has room for it;
     * VEF_NO_QUEUE: it waits. NULL: the one with the most free places. */
    uint32_t (*join)(struct vef_network *network, uint32_t endpoint, uint32_t message,
                     uint32_t places);
    /* Whether endpoints of a router may inject now. */
    bool (*admit)(const struct vef_network *network, uint64_t now_cycles, uint32_t router);
    /* Installs moving.broadcast for the first broadcast message or group; refuses networks that do
     * not support it. Always installed. */
    vef_code (*allow_broadcast)(struct vef_network *network, vef_error *error);
    const vef_route_step *steps; /* of the routing; NULL: its `advance` changes routes */
    uint64_t preferred_inputs;   /* of narrow routers: others yield to their requests */
    bool commits;                /* VEF_SELECT_ONCE */
    bool chooses; /* packets choose their routes at the front of injection queues, not before they
                     enter */
    struct vef_admission *admissions; /* state of `admit` */
    struct vef_source_windows *pairs; /* state of moving.windows */
    struct vef_copies *copies;        /* state of moving.broadcast */
    struct vef_held *held;            /* state of full.pauses: [router * links + store] */
} vef_policies;

enum { VEF_NO_QUEUE = UINT32_MAX };

#endif
