/* Routing: the outputs and virtual channels that a packet may take next.
 *
 * At each hop the algorithm offers candidates for the head packet of a queue. It sees the topology
 * and the packet's route; only the router knows free resources, and it chooses among candidates as
 * netmodel/MODEL.md defines. An algorithm whose routes depend on queues enumerates alternatives and
 * chooses one of them at the source by a view (vef_choice, view.h), or weighs its candidates at
 * each hop (vef_routing_algorithm.weigh). An algorithm is one file and one row of routings.def;
 * each file begins with its source, its bound on path length and its deadlock avoidance. */
#ifndef VEF_NETMODEL_ROUTING_ROUTING_H
#define VEF_NETMODEL_ROUTING_ROUTING_H

#include "netmodel/routing/draws.h"
#include "netmodel/topology/topology.h"

#include <string.h>

enum {
    VEF_MAX_CANDIDATES = 1024,
    VEF_MAX_CHANNELS = 64,
    VEF_ROUTE_WORDS = 16,
    VEF_MAX_ALTERNATIVES = 8
};

/* Source and destination: endpoints, and the routers to which they attach (possibly the same).
 * Packets from the endpoints of one router begin alike: routes do not depend on `source`, unless
 * the routing is by_source. */
typedef struct vef_travel {
    uint32_t source, destination;
    uint32_t from, to;
    uint8_t traffic_class; /* below the routing's traffic_classes */
} vef_travel;

/* Routing state of a packet, defined by the algorithm. The first vef_routing.route_words are used.
 */
typedef struct vef_route {
    int16_t words[VEF_ROUTE_WORDS];
} vef_route;

/* A number that takes two words of a route, from `word` on. */
static inline uint32_t vef_route_uint32(const vef_route *route, uint32_t word) {
    uint32_t value;
    memcpy(&value, &route->words[word], sizeof value);
    return value;
}

static inline void vef_route_set_uint32(vef_route *route, uint32_t word, uint32_t value) {
    memcpy(&route->words[word], &value, sizeof value);
}

/* A candidate is eligible when the next queue has `slots_needed` free places: 1, 2 to enter a
 * bubble ring, more where a routing wants only queues that are rather empty. The same port and
 * channel may be offered more than once, say first with many places needed and as a last resort
 * with one.
 *
 * `escape` marks the candidates on which the algorithm's deadlock freedom relies: in every state at
 * least one candidate is marked, and waiting for the marked ones alone cannot form a cycle, except
 * rings covered by bubble flow control. `vef verify` checks this on the given network. */
typedef struct vef_candidate {
    uint16_t port;
    uint8_t channel;
    uint8_t preference; /* lower is tried first; a higher one only when no lower one is eligible */
    uint8_t slots_needed;
    bool escape;
} vef_candidate;

/* Offers a candidate, and the same on the next channels, `channels` in all. Returns `channels`. */
static inline uint32_t vef_offer_channels(vef_candidate candidate, uint32_t channels,
                                          vef_candidate *offered) {
    for (uint32_t c = 0; c < channels; c++, candidate.channel++)
        offered[c] = candidate;
    return channels;
}

/* Offers channels `first` on of a port, `channels` in all: escapes that need one free place. */
static inline uint32_t vef_offer_escapes(uint32_t port, uint32_t first, uint32_t channels,
                                         vef_candidate *offered) {
    const vef_candidate candidate = {
        .port = (uint16_t)port, .channel = (uint8_t)first, .slots_needed = 1, .escape = true};
    return vef_offer_channels(candidate, channels, offered);
}

/* Position of the packet. An injected packet has in_port VEF_INJECTED. */
enum { VEF_INJECTED = 0xffff };
typedef struct vef_place {
    uint32_t router;
    uint16_t in_port;
    uint8_t in_channel;
} vef_place;

/* Where a packet is that leaves `place` by this port and channel. */
static inline vef_place vef_place_after(const vef_topology *topology, vef_place place,
                                        uint16_t port, uint8_t channel) {
    const size_t link = (size_t)place.router * topology->ports + port;
    return (vef_place){topology->neighbour[link], topology->reverse_port[link], channel};
}

/* The effect of a hop on the route, if it depends only on the port: the hop adds `change` to one
 * word. If the word is then 0, the hop reduces the packet's signature by `weight`. */
typedef struct vef_route_step {
    uint16_t word;
    int16_t change;
    uint16_t weight;
} vef_route_step;

/* Which of the eligible candidates of the least preference value a packet requests
 * (netmodel/MODEL.md, Requests, and Choice at each hop). */
typedef enum vef_routing_selection {
    VEF_SELECT_CREDITS, /* that with the most credits */
    VEF_SELECT_ANY,     /* any, drawn */
    VEF_SELECT_COST,    /* that of least cost (vef_routing_algorithm.weigh), anew in every cycle */
    VEF_SELECT_ONCE     /* that to which it commits in each queue, by cost */
} vef_routing_selection;

typedef enum vef_flow_control { VEF_FLOW_BUBBLE, VEF_FLOW_VIRTUAL_CHANNELS } vef_flow_control;

struct vef_view;

typedef struct vef_routing {
    const struct vef_routing_algorithm *algorithm;
    const vef_topology *topology;
    vef_flow_control flow_control;

    /* ---- set by create ---- */

    uint32_t channels;            /* virtual channels per link */
    const uint8_t *port_channels; /* [ports]: those of each port, at most `channels`, in the arena;
                                     NULL: all equal */
    uint32_t most_candidates;     /* maximum number of candidates */
    uint32_t signatures;          /* number of signatures; 0: none */
    uint32_t route_words;         /* that a packet's route uses. VEF_ROUTE_WORDS before create */
    const vef_route_step *steps;  /* [ports]: what `advance` does, in the arena; NULL: the router
                                     calls `advance`. NULL before create */
    uint32_t least_queue_packets; /* shortest queue without deadlock */
    uint32_t traffic_classes;     /* that messages may be of: 1 before create */
    uint32_t alternatives;        /* of vef_choice, at most VEF_MAX_ALTERNATIVES: 1 before create */
    bool sees_all;  /* its choices see queues of any router, which no real router can. False before
                       create */
    bool uniform;   /* translations, reflections and turns of the topology are symmetries of
                       the routing: they map the routes of a packet and its candidates onto those of
                       the packet between the images of its routers. `vef verify` may then visit one
                       destination of each class of routers; false before create */
    bool by_source; /* routes depend on vef_travel.source. False before create */
    bool passes;    /* packets may pass the router of their destination (vef_routing_arrived). False
                       before create */
    bool unrolled; /* this is the unrolled form of a routing (vef_routing_unroll), set before create
                    */
    bool rising;   /* channels rise hop by hop: the last used word of a route, 0 at the source, is
                      the first channel that the packet may still take, one more than that of its
                      last hop, and has no other effect; it never excludes all channels of a port.
                      Candidates do not depend on the input queue, and every router has endpoints.
                      `vef verify` may then visit routes without that word; false before create */
    bool patient;  /* a candidate is tried only if none of a lower preference value has free places
                      (VEF_SELECT_COST: nor one of the same value and less cost): packets wait for a
                      port that is merely busy with another packet. False before create */
    vef_routing_selection selection; /* VEF_SELECT_CREDITS before create */
    const struct vef_legs *legs; /* NULL: routes do not consist of two legs. NULL before create */
    const void *parameters;      /* as read by the schema */
    const vef_node *node;        /* that they were read from: during create; else NULL */
    struct vef_routing *part;    /* of the network of VEF_PART_KEY; owned. NULL: none */
    void *state;                 /* the algorithm's own, in the arena */
    void *library;               /* of an algorithm from a plug-in (common/plugin/); else NULL */
    vef_arena arena;
} vef_routing;

/* Escape channels for copies of a broadcast (broadcast.h): straight on along a direction, and from
 * one direction to another in a fixed order. */
typedef struct vef_straight {
    /* Whether turning from port `along` to `port` respects the order of directions of the routing's
     * own packets in escape channels. */
    bool (*may_turn)(const vef_routing *routing, uint16_t along, uint16_t port);
    /* The escape of a packet that leaves through `port` and takes `hops` hops in that direction,
     * including this one. */
    vef_candidate (*escape)(const vef_routing *routing, vef_place place, uint16_t port,
                            uint32_t hops);
} vef_straight;

/* Routes among which a packet chooses at the front of its injection queue by the state of queues.
 * The choice must be one of the alternatives, each with any outcome of its draws: `vef verify`
 * proves them all. */
typedef struct vef_choice {
    /* As vef_routing_algorithm.begin, of one alternative, below vef_routing.alternatives. */
    void (*begin)(const vef_routing *routing, const vef_travel *travel, uint32_t alternative,
                  vef_draws *draws, vef_route *route);
    /* The chosen route, one of each alternative. A pure function of its arguments; it may see
     * queues of travel->from, or with `sees_all` of every router. Source and destination are at
     * different routers. */
    uint32_t (*choose)(const vef_routing *routing, const vef_travel *travel,
                       const vef_route *routes, const struct vef_view *view);
} vef_choice;

/* Routes of two legs: towards a router drawn at the source (among all, or some), and from where
 * that leg ends to the destination. For the proof, which then visits legs instead of pairs of them.
 * A packet on its first leg moves as if the router drawn were its destination, but leaves at its
 * destination if it passes it, unless the routing `passes`; on the second as if injected where the
 * first leg ended with the second leg alone, except that it may be in another queue. The last hop
 * of a first leg is a first leg too, and every router has endpoints. */
typedef struct vef_legs {
    /* The route of leg 0 or 1 from travel->from to travel->to, which differ. A leg 0 may be empty:
     * the route is then on its second leg. */
    void (*begin)(const vef_routing *routing, const vef_travel *travel, uint32_t leg,
                  vef_draws *draws, vef_route *route);
    bool (*second)(const vef_routing *routing, const vef_route *route);
} vef_legs;

typedef struct vef_routing_algorithm {
    const char *name;
    const char *aliases; /* other words for it, for hints (vef_known); may be NULL */
    const char *summary; /* one line */
    bool any_graph;      /* works from the neighbours of routers alone, on whatever graph they form:
                            goes round links and routers that are down (topology.h, failures).
                            Networks with failures refuse others */
    bool around_failures; /* goes round links and routers that are down on its families' networks */
    bool climbs; /* on fat trees its packets take links up before links down, level by level, by any
                    channel: so may copies (broadcast/tree.h) */
    const vef_param *schema;
    size_t parameter_bytes; /* of the struct of the schema's fields; 0: it has none */
    /* Refuses (VEF_UNSUPPORTED) an unsupported topology or flow control, naming supported ones. */
    vef_code (*supports)(const vef_topology *topology, vef_flow_control flow_control,
                         const void *parameters, vef_error *error);
    /* Sets the fields marked above as set by create, and state. */
    vef_code (*create)(vef_routing *routing, vef_error *error);
    /* Fills in the route of a packet at its source; all randomness comes from `draws`. NULL if
     * there is a choice. Called by vef_routing_begin. */
    void (*begin)(const vef_routing *routing, const vef_travel *travel, vef_draws *draws,
                  vef_route *route);
    /* Offers candidates (at most `most_candidates`), none at the packet's destination. A pure
     * function of the route and the place: the router calls it once per stay of a packet, and never
     * where the packet has arrived (vef_routing_arrived). */
    uint32_t (*candidates)(const vef_routing *routing, const vef_route *route, vef_place place,
                           vef_candidate *candidates);
    /* The cost of a candidate by what the router sees of its own queues (view.h), a pure function
     * of its arguments. NULL: candidates have no cost. Called only if `create` sets `selection` to
     * one of these:
     *
     * VEF_SELECT_COST: in every cycle in which a packet can request, it takes the one of least cost
     * among the eligible candidates of the least preference value. So it can take an escape of a
     * higher preference value whenever nothing else is eligible, and other candidates need not be
     * escapes.
     *
     * VEF_SELECT_ONCE: when a packet comes to the front of a queue it commits to the candidate of
     * least cost, eligible or not, and requests no other as long as it is there. So every candidate
     * must be an escape, and preferences have no effect. */
    uint64_t (*weigh)(const vef_routing *routing, const vef_route *route, vef_place place,
                      vef_candidate candidate, const struct vef_view *view);
    /* Of routings that pass: whether a packet at its destination's router leaves there. */
    bool (*leaves)(const vef_routing *routing, const vef_route *route);
    /* A number for the input queue of the place: two queues of a router with equal numbers offer
     * packets of equal routes equal candidates, save for their preference values. NULL: depends on
     * the queue in a way of its own (vef_routing_own_input). */
    uint32_t (*input)(const vef_routing *routing, const vef_route *route, vef_place place);
    /* A number below `signatures`: packets of equal signature with the same input port and channel
     * have the same candidates, at every router (except the destination), so that a router may
     * cache them. NULL if there are none. */
    uint32_t (*signature)(const vef_routing *routing, const vef_route *route);
    /* The packet leaves `place` by this port and channel. Accesses no more than route_words. */
    void (*advance)(const vef_routing *routing, vef_route *route, vef_place place, uint16_t port,
                    uint8_t channel);
    /* The channel that channel `name` of the unrolled form stands for, on the link out of `router`
     * by `port`. NULL: there is no such form. */
    uint8_t (*fold)(const vef_routing *routing, const vef_routing *unrolled, uint32_t router,
                    uint16_t port, uint8_t name);
    const vef_choice *choice;     /* NULL: no route depends on queues */
    const vef_straight *straight; /* NULL: broadcasts cannot use its channels */
} vef_routing_algorithm;

/* Whether a packet to router `to` has arrived. */
static inline bool vef_routing_arrived(const vef_routing *routing, const vef_route *route,
                                       uint32_t router, uint32_t to) {
    return router == to && (!routing->passes || routing->algorithm->leaves(routing, route));
}

extern const vef_routing_algorithm *const vef_routings[]; /* terminated by NULL */
extern const struct vef_plugin_point vef_routing_point;   /* rows of plug-ins */

/* Builds the routing of `node` ({algorithm: adaptive, adaptive_channels: 2}); NULL, or without an
 * algorithm: the first of the table that supports the topology and the flow control. */
vef_code vef_routing_create(const vef_node *node, const vef_topology *topology,
                            vef_flow_control flow_control, vef_routing **routing, vef_error *error);
void vef_routing_destroy(vef_routing *routing); /* NULL is fine */

/* The unrolled form of a routing that is not uniform only since channels depend on where routers
 * lie, as with datelines: a uniform routing for the proof, with other names for channels. Its
 * packets have the same routes and, at the same places, the same candidates when each name is
 * replaced by the channel that it stands for there (vef_routing_algorithm.fold); no two names at
 * which a packet with one route can enter a router by one port stand for the same channel. Fails
 * (VEF_UNSUPPORTED) if there is none, or not with these parameters. `routing` must outlive it. */
vef_code vef_routing_unroll(const vef_routing *routing, vef_routing **unrolled, vef_error *error);

/* Fills in the route of a packet at its source. An algorithm with a choice uses `view`; with NULL
 * an alternative is drawn, before its own draws, so that enumeration covers all possible routes of
 * a packet. */
void vef_routing_begin(const vef_routing *routing, const vef_travel *travel, vef_draws *draws,
                       const struct vef_view *view, vef_route *route);

/* Refuses (VEF_UNSUPPORTED) so many channels for a packet that may be offered all of them on so
 * many ports: more than VEF_MAX_CANDIDATES. */
vef_code vef_routing_check_candidates(uint32_t channels, uint32_t ports, vef_error *error);

/* For vef_routing_algorithm.input: candidates that do not depend on the queue, and a number for
 * each queue. */
uint32_t vef_routing_any_input(const vef_routing *routing, const vef_route *route, vef_place place);
static inline uint32_t vef_routing_own_input(vef_place place) {
    return (uint32_t)place.in_port << 8 | place.in_channel;
}

/* For vef_routing_algorithm.weigh: the places that are taken at the port, or that packets of this
 * router wait for, then those of the queue alone. */
uint64_t vef_routing_weigh_occupied(const vef_routing *routing, const vef_route *route,
                                    vef_place place, vef_candidate candidate,
                                    const struct vef_view *view);

/* For vef_routing_algorithm.advance: hops do not change the route. */
void vef_routing_keep_route(const vef_routing *routing, vef_route *route, vef_place place,
                            uint16_t port, uint8_t channel);

void vef_routing_put(const vef_routing *routing, vef_node *into);

#endif
