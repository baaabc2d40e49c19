/* The cycle-accurate core: state of all routers, and the steps of a cycle (netmodel/MODEL.md).
 *
 * A packet that has been granted an output never stops, so one grant fixes when each of its phits
 * moves. The core therefore simulates grants, arrivals of heads and ends of packets, not phits, and
 * looks only at routers where something became due: work is proportional to packet-hops.
 *
 * Numbers: a router's inputs and outputs are numbered as in MODEL.md. A queue is router * inputs +
 * input, an output router * outputs + output, a link router * links + port * channels + channel
 * ("link" in this sense is one virtual channel of one port).
 *
 *   network.c    building and freeing          model.c      as a row of the table of models
 *   source.c     messages into packets         statistics.c figures
 *   cycle.c      the course of time            deadlock.c   why nothing moves
 *   grant.c      requests, grants, movement */
#ifndef VEF_NETMODEL_ROUTER_NETWORK_H
#define VEF_NETMODEL_ROUTER_NETWORK_H

#include "netmodel/kinds.h"
#include "netmodel/pending.h"
#include "netmodel/router/arbiter.h"
#include "netmodel/router/bits.h"
#include "netmodel/router/calendar.h"
#include "netmodel/router/latency.h"
#include "netmodel/routing/routing.h"

#define VEF_NONE UINT32_MAX

typedef struct vef_router_settings {
    uint32_t queue_packets, injection_queues, injection_queue_packets, ejection_ports;
    const vef_arbiter *arbiter;
    bool transit_first;
    uint32_t router_delay_cycles, link_delay_cycles, credit_delay_cycles;
    uint32_t packet_phits, phit_bytes;
    uint64_t bandwidth_bits_per_s, seed;
} vef_router_settings;

/* Where the limits of the core lie; the configuration is refused beyond them. */
enum {
    VEF_MOST_INPUTS = 4096,       /* queues of one router */
    VEF_MOST_PLACES = UINT16_MAX, /* of one queue, and phits of a packet */
    VEF_MOST_EJECTION_PORTS = 32,
    VEF_LONGEST_DELAY = 1 << 20,
};

typedef struct vef_packet {
    uint64_t entered_cycles;
    uint32_t message;
    uint32_t router, endpoint; /* its destination */
    uint32_t queue;            /* where it stands or is going */
    uint32_t next;             /* behind it in its queue */
    uint16_t phits, hops;
    vef_route route;
} vef_packet;

/* Which of the first 64 links of a router the candidates of one preference value name: those that
 * need one place there, and those that need two. */
typedef struct vef_wants {
    uint64_t one, two;
} vef_wants;

/* What the routing offers a packet. Packets of equal signature that came in alike share one, found
 * out once; where the routing has no signatures each queue has its own, for its front packet. */
typedef struct vef_offer {
    bool known;
    /* The candidates are said by `first` (least preference value) and `second` (the other value, if
     * any) alone: they were offered in the order of their links, and need at most two places. */
    bool said_by_wants;
    uint16_t count;
    vef_wants first, second;
    vef_candidate candidates[];
} vef_offer;

typedef struct vef_queue {
    uint32_t head, tail; /* packets */
    uint32_t offer;      /* of the front packet; VEF_NONE: not asked for yet, VEF_EJECT */
    uint32_t router;
    uint32_t upstream_router; /* that gets the credit; injection queues: the endpoint, or VEF_NONE
                                 where the router has fewer than others */
    uint32_t upstream_link;
    bool reading; /* its read port is busy */
} vef_queue;
#define VEF_EJECT (UINT32_MAX - 1) /* as an offer: the packet is at its destination */

typedef struct vef_output {
    uint64_t phits;        /* granted so far */
    uint64_t until_cycles; /* busy before this time */
    uint32_t queue;        /* granted last */
    uint32_t packet;       /* the same, at an ejection port */
    uint16_t pointer;      /* the arbiter's */
    uint16_t unused[3];
} vef_output;

enum { VEF_CREDIT_LEVELS = 4 };

/* A router, followed by the credits of its links. */
typedef struct vef_router {
    /* Of the first 64 links: those whose port is free, and those with at least 1, 2, … credits. */
    uint64_t open, at_least[VEF_CREDIT_LEVELS];
    vef_rng rng;
    bool awake;
    uint64_t waiting[]; /* inputs with a packet in front and their read port free; then credits */
} vef_router;

typedef struct vef_endpoint {
    uint32_t first_message, last_message; /* the source's queue */
    uint32_t router;
    uint32_t local;         /* which of its router's endpoints it is */
    uint32_t ejection_free; /* a bit for each ejection port */
    uint32_t waiting;       /* messages injected that are not wholly in an injection queue */
    bool filling;           /* in the list of endpoints to look at */
    vef_rng rng;
} vef_endpoint;

typedef struct vef_message {
    uint64_t id, time_cycles;
    uint64_t bytes_left, packets_left; /* still to enter an injection queue */
    uint64_t packets_out;              /* not yet delivered */
    uint32_t source, destination;
    uint8_t traffic_class;
    uint32_t next; /* behind it in its source's queue, or in the list of free ones */
} vef_message;

typedef struct vef_list {
    uint32_t *items;
    uint32_t count;
} vef_list;

typedef struct vef_network {
    vef_netmodel base;
    vef_topology *topology; /* owned, as is the routing */
    vef_routing *routing;
    vef_router_settings settings;

    /* shape, per router */
    uint32_t ports, channels, links, inputs, outputs;
    uint32_t per_router;                /* endpoints, at most */
    uint32_t input_words, output_words; /* 64-bit words of a mask of them */
    bool narrow;                        /* all links fit in 64 bits */
    uint32_t hop_cycles;                /* router and link delay */

    /* state: by router */
    unsigned char *routers; /* router_stride bytes each */
    size_t router_stride;
    /* by output, by port, by endpoint, by injection queue */
    vef_output *outputs_state;
    uint32_t *downstream; /* [router * ports + port]: the queue of channel 0 at the other end */
    vef_endpoint *endpoints;
    uint32_t *endpoint_at; /* [router * per_router + local]; VEF_NONE: there is none */
    uint16_t *injection_free;
    vef_queue *queues;
    /* by signature and link of arrival (or by queue): offer_stride bytes each */
    unsigned char *offers;
    size_t offer_stride;
    uint64_t offer_count;
    bool shared_offers;
    uint64_t *port_links; /* by port: its links, of the first 64 */
    /* of an input, and so of a link: */
    uint16_t *in_port;
    uint8_t *in_channel;

    vef_packet *packets;
    uint32_t packet_room, packets_untouched, free_packet, packets_inside;
    vef_message *messages;
    uint32_t message_room, messages_untouched, free_message;
    vef_pending later; /* messages of later times */

    vef_calendar arrivals;     /* packets whose head reaches their queue */
    vef_calendar ends;         /* outputs whose packet has passed */
    vef_calendar credits_back; /* queues whose sender gets a credit back */

    uint64_t now_cycles;
    bool due_done;     /* what is due at now_cycles has been done, its cycle not yet */
    vef_list up, next; /* routers to look at in this cycle, in the next */
    vef_list filling;  /* endpoints whose source or injection queues changed */

    /* scratch of one router's requests */
    uint64_t *asking; /* [output * input_words] */
    uint64_t *outputs_asked;
    uint64_t *entered; /* by input */
    uint16_t *chosen;  /* by input: the link asked for */

    vef_net_delivery *deliveries;
    size_t delivery_count;

    /* since the figures began; `latency` counts the packets, `message_latency` the messages */
    uint64_t figures_since_cycles;
    vef_latency *latency, *message_latency;
    uint64_t delivered_hops, delivered_phits;
    vef_arena arena;
} vef_network;

/* Builds the core. Takes over topology and routing, also when it fails. */
vef_code vef_network_create(const vef_router_settings *settings, vef_topology *topology,
                            vef_routing *routing, vef_network **network, vef_error *error);
void vef_network_destroy(vef_network *network); /* NULL is fine */

vef_code vef_network_inject(vef_netmodel *base, const vef_net_message *message, vef_error *error);
vef_code vef_network_advance(vef_netmodel *base, uint64_t limit_cycles,
                             const vef_net_delivery **deliveries, size_t *count, vef_error *error);
void vef_network_statistics(const vef_netmodel *base, vef_net_statistics *statistics);
void vef_network_counts(const vef_netmodel *base, vef_net_counts *counts);
void vef_network_begin_figures(vef_netmodel *base);
uint64_t vef_network_link_phits(const vef_netmodel *base, uint32_t router, uint32_t port);
bool vef_network_deadlock(const vef_netmodel *base, char *text, size_t text_bytes);

/* ---- steps, for each other ---- */

/* A message whose time has come joins its source's queue. */
void vef_network_enqueue(vef_network *network, uint32_t message);
/* Moves packets from the source of an endpoint into its injection queues. */
void vef_network_fill(vef_network *network, uint32_t endpoint);
void vef_network_free_message(vef_network *network, uint32_t message);
/* Requests and grants of one router in the cycle now. */
void vef_network_grant(vef_network *network, uint32_t router);

static inline vef_queue *vef_queue_at(const vef_network *network, uint32_t queue) {
    return &network->queues[queue];
}

static inline vef_offer *vef_offer_at(const vef_network *network, uint32_t offer) {
    return (vef_offer *)(void *)(network->offers + offer * network->offer_stride);
}

static inline vef_router *vef_router_at(const vef_network *network, uint32_t router) {
    return (vef_router *)(void *)(network->routers + router * network->router_stride);
}

static inline uint16_t *vef_credits_of(const vef_network *network, vef_router *router) {
    return (uint16_t *)(void *)(router->waiting + network->input_words);
}

static inline void vef_network_wake(vef_network *network, vef_router *state, uint32_t router) {
    if (state->awake)
        return;
    state->awake = true;
    network->next.items[network->next.count++] = router;
}

/* Wakes a router where something became free, if a packet waits there. */
static inline void vef_network_stir(vef_network *network, vef_router *state, uint32_t router) {
    for (uint32_t w = 0; w < network->input_words; w++)
        if (state->waiting[w] != 0) {
            vef_network_wake(network, state, router);
            return;
        }
}

static inline void vef_network_refill(vef_network *network, uint32_t endpoint) {
    if (network->endpoints[endpoint].filling)
        return;
    network->endpoints[endpoint].filling = true;
    network->filling.items[network->filling.count++] = endpoint;
}

/* A packet joins the end of a queue; its router wakes when the packet may ask at once. */
static inline void vef_network_join(vef_network *network, uint32_t number, uint32_t packet) {
    vef_queue *queue = vef_queue_at(network, number);
    network->packets[packet].next = VEF_NONE;
    if (queue->head != VEF_NONE) {
        network->packets[queue->tail].next = packet;
        queue->tail = packet;
        return;
    }
    queue->head = queue->tail = packet;
    queue->offer = VEF_NONE;
    if (queue->reading)
        return;
    uint32_t input = number - queue->router * network->inputs;
    vef_router *state = vef_router_at(network, queue->router);
    state->waiting[input / 64] |= UINT64_C(1) << (input % 64);
    vef_network_wake(network, state, queue->router);
}

#endif
