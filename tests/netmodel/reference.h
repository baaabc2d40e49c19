/* The reference: a slow and obvious simulator of the network that netmodel/MODEL.md describes.
 *
 * Every phit is moved in every cycle, every queue holds phits, every credit travels, every router
 * is visited whether or not it has work. It was written from MODEL.md alone and shares no code with
 * netmodel/router/; it computes neighbours and minimal routes from the definition of the lattice,
 * or where the shape is none takes neighbours from the table of the topology. Where it and the core
 * disagree about the delivery of one packet, one of them (or MODEL.md) is wrong. Memory that runs
 * out ends the test program. */
#ifndef VEF_TESTS_NETMODEL_REFERENCE_H
#define VEF_TESTS_NETMODEL_REFERENCE_H

#include "common/rng.h"
#include "netmodel/netmodel.h"
#include "netmodel/routing/routing.h"

#include <stdbool.h>
#include <stdint.h>

/* ---- the network's shape (reference_lattice.c) ---- */

enum { REFERENCE_DIMENSIONS = 4, REFERENCE_GENERATORS = 6, REFERENCE_RECORDS = 256 };

typedef struct reference_lattice {
    uint32_t dimensions, generators;
    int size[REFERENCE_DIMENSIONS];
    bool wraps[REFERENCE_DIMENSIONS];
    int shift[REFERENCE_DIMENSIONS][REFERENCE_DIMENSIONS]; /* [d][e]: of e when d wraps */
    int generator[REFERENCE_GENERATORS][REFERENCE_DIMENSIONS];
} reference_lattice;

/* Unit generators; sizes ended by the count. */
reference_lattice reference_torus(uint32_t dimensions, const int *sizes);
reference_lattice reference_mesh(uint32_t dimensions, const int *sizes);
reference_lattice reference_rt(int a);
reference_lattice reference_rtt(int a);

uint32_t reference_routers(const reference_lattice *lattice);
/* The router at the other end of port 2g (plus generator g) or 2g + 1 (minus), or VEF_NO_ROUTER. */
uint32_t reference_neighbour(const reference_lattice *lattice, uint32_t router, uint32_t port);
/* Every record of least length from source to destination, in no promised order: how often to go
 * along each generator, negative backwards. Returns how many. */
uint32_t reference_records(const reference_lattice *lattice, uint32_t source, uint32_t destination,
                           int records[REFERENCE_RECORDS][REFERENCE_GENERATORS]);

/* ---- routing (reference_routing.c) ---- */

/* What the simulator asks of a routing. */
typedef struct reference_routing {
    const void *context;
    uint32_t channels;
    uint32_t least_queue_packets;    /* as vef_routing.least_queue_packets */
    bool patient;                    /* as vef_routing.patient */
    vef_routing_selection selection; /* as vef_routing.selection */
    const uint8_t *port_channels;    /* of each port; NULL: all alike */
    void (*begin)(const void *context, const vef_travel *travel, vef_rng *rng, vef_route *route);
    /* Where packets choose among routes (as vef_routing.alternatives), in place of begin. */
    uint32_t alternatives; /* else 0 */
    void (*begin_alternative)(const void *context, const vef_travel *travel, uint32_t alternative,
                              vef_rng *rng, vef_route *route);
    /* The alternative that a packet takes, as vef_choice.choose; NULL: by the rule of UGAL. */
    uint32_t (*choose)(const void *context, const vef_travel *travel, const vef_route *routes,
                       const struct vef_view *view);
    uint32_t (*candidates)(const void *context, const vef_route *route, vef_place place,
                           vef_candidate *candidates);
    void (*advance)(const void *context, vef_route *route, vef_place place, uint16_t port,
                    uint8_t channel);
    /* Whether a packet at its destination leaves there; NULL: it does. */
    bool (*leaves)(const void *context, const vef_route *route);
    /* As vef_routing_algorithm.weigh, or NULL. */
    uint64_t (*weigh)(const void *context, const vef_route *route, vef_place place,
                      vef_candidate candidate, const struct vef_view *view);
    /* Of packets to all; NULL where there are none. */
    void (*begin_to_all)(const void *context, uint32_t from, vef_route *route);
    uint32_t (*branches)(const void *context, const vef_route *route, vef_place place,
                         vef_candidate *candidates);
    void (*advance_copy)(const void *context, vef_route *route, uint16_t port);
} reference_routing;

/* Which adaptive channels come first. */
typedef enum reference_selection {
    REFERENCE_BY_CREDITS, /* all alike */
    REFERENCE_STRAIGHT,   /* on in the direction in which the packet came */
    REFERENCE_LONGEST,    /* along the generators with the most hops to go */
} reference_selection;

/* Our own routing, from the definitions alone. */
typedef struct reference_own_routing {
    const reference_lattice *lattice;
    uint32_t channels;       /* of dimension order: all alike; adaptive: escape included */
    bool adaptive;           /* minimal fully adaptive with an escape channel */
    uint32_t escape_channel; /* adaptive: its number */
    bool escape_is_final;    /* adaptive: packets cannot return from the escape */
    reference_selection selection;
    bool without_bubble; /* one place is always enough: the fault that the bubble prevents */
} reference_own_routing;
reference_routing reference_route_alone(const reference_own_routing *own);

/* The routing and the broadcast of netmodel/routing/, so that both simulators choose among the same
 * candidates. */
reference_routing reference_route_by(const vef_routing *routing);

/* ---- the simulator (reference.c and its parts, see reference_state.h) ---- */

typedef enum reference_arbiter {
    REFERENCE_RANDOM,
    REFERENCE_ROUND_ROBIN,
    REFERENCE_OLDEST,
    REFERENCE_FIFO,
    REFERENCE_ARRIVAL,
    REFERENCE_LONGEST_QUEUE,
    REFERENCE_BY_OUTPUT, /* how many there are that grant each output alone */
    REFERENCE_TWO_STAGE = REFERENCE_BY_OUTPUT,
    REFERENCE_ISLIP,
    REFERENCE_ARBITERS
} reference_arbiter;

typedef enum reference_injection_policy {
    REFERENCE_MOST_FREE,
    REFERENCE_DIMENSION_ORDER,
    REFERENCE_DIMENSION_ORDER_FIRST,
    REFERENCE_SHORTEST_PROFITABLE,
    REFERENCE_BY_ANY_ROUTE, /* how many need no record */
    REFERENCE_LONGEST_PATH = REFERENCE_BY_ANY_ROUTE,
    REFERENCE_POLICIES
} reference_injection_policy;

/* What MODEL.md says of a link, where links differ. */
typedef struct reference_link {
    uint32_t cycles_per_phit, delay_cycles, credit_delay_cycles;
} reference_link;

typedef enum reference_congestion {
    REFERENCE_NO_CONTROL,
    REFERENCE_THROTTLE,
    REFERENCE_WINDOW,
    REFERENCE_ECN,
    REFERENCE_DCQCN,
    REFERENCE_CONTROLS
} reference_congestion;

typedef struct reference_config {
    reference_lattice lattice;    /* of no meaning where there is */
    const vef_topology *topology; /* a shape that is no lattice, or NULL */
    const reference_link *links;  /* [router * ports + port], or NULL: all as below */
    uint32_t endpoints_per_router;
    uint32_t queue_packets; /* 0: by each link's round trip */
    uint32_t injection_queues, injection_queue_packets, ejection_ports;
    reference_injection_policy injection;
    reference_arbiter arbiter;
    uint32_t iterations; /* of iSLIP */
    bool transit_first, virtual_output_queues;
    uint32_t burst_phits; /* of the token bucket of each output; with links that are alike */
    uint32_t unit_phits;  /* 0: a place holds a packet of any length */
    uint32_t per_port_phits, per_router_phits; /* shared out; 0: as queue_packets says */
    bool pauses;                               /* queues pause their senders; else credits */
    uint32_t pause_at, pause_resume;           /* in packets; 0: by each link's round trip */
    uint32_t router_delay_cycles, link_delay_cycles, credit_delay_cycles;
    uint32_t packet_phits, phit_bytes;
    uint32_t header_bytes;   /* of each packet */
    uint32_t mtu_bytes;      /* payload of the largest packet; 0: all that the header leaves */
    uint32_t ugal_threshold; /* of routing ugal, as */
    bool ugal_global, ugal_port;
    reference_congestion congestion;
    double
        queue_share; /* throttle: above which nothing enters; ecn: above which packets are marked */
    uint32_t window_packets, ack_delay_cycles; /* the latter 0: by the packet's way */
    uint32_t reorder_packets;                  /* 0: any */
    bool takes_turns;
    double least_window_packets, decrease, increase_packets;
    double most_share, most_marks, gain, least_share, increase_share, hyper_share;
    uint32_t recovery_steps, increase_bytes, increase_cycles, alpha_cycles, notice_cycles;
    bool trees; /* packets to all, and of groups, take trees of links up and down */
    uint64_t seed;
} reference_config;

/* The most payload of a packet. */
uint64_t reference_payload(const reference_config *config);

/* The phits that a header and that much payload fill. */
uint32_t reference_phits_with(const reference_config *config, uint64_t payload);

typedef struct reference_message {
    uint32_t source, destination;
    uint64_t bytes, time_cycles;
    uint8_t traffic_class;
    uint32_t packets;          /* that it was cut into */
    uint64_t bytes_sent;       /* in packets that have entered, */
    uint32_t packets_sent;     /* of this number */
    uint64_t turn;             /* with turns: the lowest is next; 0: it has none yet */
    uint32_t delivered;        /* of them; to all: endpoints that have it */
    uint64_t delivered_cycles; /* time of the last packet's delivery */
    uint32_t group;            /* of one to all: 0 all endpoints, else as below */
    uint32_t receivers;        /* to all: how many endpoints are to have it */
    bool contribution;         /* to the reduction whose result is */
    uint32_t result;           /* this message */
    bool is_result;            /* of this */
    uint64_t reduction;        /* of the group, */
    uint32_t receiver;         /* for this endpoint or VEF_TO_ALL */
    /* To all: by endpoint, the packets that it has and when it had all of them; else NULL. */
    uint32_t *copy_packets;
    uint64_t *copy_cycles;
} reference_message;

typedef struct reference reference;

reference *reference_new(const reference_config *config, const reference_routing *routing);
void reference_free(reference *network);
/* Messages are numbered from 0 in the order of the calls; time_cycles must not be past. The
 * destination may be VEF_TO_ALL. */
uint32_t reference_inject(reference *network, uint32_t source, uint32_t destination, uint64_t bytes,
                          uint64_t time_cycles);
/* With trees: a group of endpoints, numbered from 1; a message to its members; and a contribution
 * to its reduction of a number, for one member or all. Returns the number of the message, of a
 * contribution that of its result. */
void reference_add_group(reference *network, const bool *members);
uint32_t reference_inject_to_group(reference *network, uint32_t source, uint32_t group,
                                   uint64_t bytes, uint64_t time_cycles);
uint32_t reference_contribute(reference *network, uint32_t source, uint32_t group,
                              uint64_t reduction, uint32_t receiver, uint64_t bytes,
                              uint64_t time_cycles);
/* The traffic class of a message that has not begun to enter an injection queue; 0 before. */
void reference_set_class(reference *network, uint32_t message, uint8_t traffic_class);
/* One cycle; the time is then one more. Returns the number of phits that moved. */
uint32_t reference_cycle(reference *network);
uint64_t reference_now(const reference *network);
/* Messages injected and not yet delivered. */
uint32_t reference_pending(const reference *network);
const reference_message *reference_get(const reference *network, uint32_t message);

/* Delivered so far: packets, links crossed by them, and the sum of their network latencies. */
typedef struct reference_counts {
    uint64_t packets, packet_hops, phits, latency_cycles;
} reference_counts;
reference_counts reference_count(const reference *network);

/* In how many cycles so far phits crossed the link at a port. */
uint64_t reference_busy_cycles(const reference *network, uint32_t router, uint32_t port);
/* Phits in the network: in queues and on wires (not those waiting in sources). */
uint64_t reference_phits_inside(const reference *network);
/* The most packets that the queue into a router by a port and channel held at once. */
uint32_t reference_most_held(const reference *network, uint32_t router, uint32_t port,
                             uint32_t channel);
/* Checks that credits, those on their way back and places taken add up for every queue, and that no
 * queue holds more packets than it has places. */
bool reference_is_consistent(const reference *network);

#endif
