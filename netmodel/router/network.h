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

/* A queue and what its front packet asks for, followed by room for the routing's candidates. */
typedef struct vef_queue {
    uint32_t head, tail; /* packets */
    uint32_t router;
    uint32_t upstream_router; /* that gets the credit; injection queues: the endpoint */
    uint32_t upstream_link;
    bool reading;            /* its read port is busy */
    bool asked;              /* wants and candidates are those of the front packet */
    uint8_t candidate_count; /* 0: at its destination */
    uint8_t unused;
    /* Bits of the router's links (the first 64) that would do with one place, and with two or more:
     * whether any candidate may be eligible is two ANDs. */
    uint64_t wants_one, wants_two;
    vef_candidate candidates[];
} vef_queue;

typedef struct vef_output {
    uint64_t phits;        /* granted so far */
    uint64_t until_cycles; /* busy before this time */
    uint32_t queue;        /* granted last */
    uint32_t packet;       /* the same, at an ejection port */
    uint16_t pointer;      /* the arbiter's */
    uint16_t unused[3];
} vef_output;

/* Of the first 64 links of a router: those whose port is free, those with a credit, with two. */
typedef struct vef_router_state {
    uint64_t open, has_one, has_two;
    vef_rng rng;
} vef_router_state;

typedef struct vef_endpoint {
    uint32_t first_message, last_message; /* the source's queue */
    uint32_t ejection_free;               /* a bit for each ejection port */
    bool filling;                         /* in the list of endpoints to look at */
    vef_rng rng;
} vef_endpoint;

typedef struct vef_message {
    uint64_t id, time_cycles;
    uint64_t bytes_left, packets_left; /* still to enter an injection queue */
    uint64_t packets_out;              /* not yet delivered */
    uint32_t source, destination;
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
    uint32_t ports, channels, links, inputs, outputs, per_router;
    uint32_t input_words, output_words; /* 64-bit words of a mask of them */
    bool narrow;                        /* all links fit in 64 bits */
    uint32_t hop_cycles;                /* router and link delay */

    /* state: by router */
    vef_router_state *routers;
    uint64_t *waiting; /* inputs with a packet in front and their read port free */
    bool *awake;
    /* by link, by output, by port, by endpoint, by injection queue */
    uint16_t *credits;
    vef_output *outputs_state;
    uint32_t *downstream; /* [router * ports + port]: the queue of channel 0 at the other end */
    vef_endpoint *endpoints;
    uint16_t *injection_free;
    /* by queue: queue_stride bytes each */
    unsigned char *queues;
    size_t queue_stride;
    /* of an input: */
    uint8_t *in_port, *in_channel;

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
    vef_candidate *chosen;

    vef_net_delivery *deliveries;
    size_t delivery_count;

    vef_latency *latency;
    uint64_t delivered_messages, delivered_packets, delivered_hops, delivered_phits;
    uint64_t message_latency_sum;
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
    return (vef_queue *)(void *)(network->queues + queue * network->queue_stride);
}

static inline void vef_network_wake(vef_network *network, uint32_t router) {
    if (network->awake[router])
        return;
    network->awake[router] = true;
    network->next.items[network->next.count++] = router;
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
    queue->asked = false;
    if (queue->reading)
        return;
    uint32_t input = number - queue->router * network->inputs;
    network->waiting[(size_t)queue->router * network->input_words + input / 64] |= UINT64_C(1)
                                                                                   << (input % 64);
    vef_network_wake(network, queue->router);
}

#endif
