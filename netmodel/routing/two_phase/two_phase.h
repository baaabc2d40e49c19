/* Two-phase routes (valiant.c, ugal.c): minimally to an intermediate router, then minimally to the
 * destination, each phase on channels of its own. A minimal route is one whose first phase is
 * empty.
 *
 * What "minimally" means depends on the topology. A kind of legs is one file here and one row of
 * legs.def; the first kind that supports the topology is used:
 *
 *   lattice_legs.c                dimension order on lattices
 *   ../dragonfly/legs.c           a local, a global and a local hop
 *   ../dragonfly/megafly_legs.c   up, over a global link, down
 *   ../hyperx/legs.c              dimension order on HyperX networks
 *   graph_legs.c                  every shortest path, on any topology
 *
 * On dragonflies and megaflies the intermediate router is by default any of a group: the first
 * phase ends where it enters the group.
 *
 * Bound: twice the longest leg. A packet that meets its destination in the first phase passes it,
 * as in the textbook (Dally and Towles, section 9.1: each phase is uniform traffic whatever the
 * pattern, so channels carry twice the load of uniform traffic, and no pattern gets more than half
 * of the capacity). With `early_exit: true` it leaves there; both are in use.
 *
 * Freedom from deadlock: each kind's legs are free of it on their channels, and packets wait from
 * channels of the first phase for those of the second, never back.
 *
 * Example: on a mesh of 4 by 4 a packet from (0, 0) to (1, 0) over (2, 1) goes x+, passing its
 * destination, x+, y+ on channel 0, then x-, y- on channel 1; over (0, 2) it goes y+, y+ on channel
 * 0, then x+, y-, y- on channel 1. */
#ifndef VEF_NETMODEL_ROUTING_TWO_PHASE_TWO_PHASE_H
#define VEF_NETMODEL_ROUTING_TWO_PHASE_TWO_PHASE_H

#include "netmodel/routing/routing.h"

enum { VEF_TWO_PHASE_MOST_CHANNELS = VEF_MAX_CHANNELS / 2 };

struct vef_two_phase;

/* Where first phases end: at a router, or at any router of a group. */
typedef enum vef_two_phase_middle {
    VEF_MIDDLE_AUTO, /* a group, where there are groups */
    VEF_MIDDLE_GROUP,
    VEF_MIDDLE_ROUTER,
} vef_two_phase_middle;
extern const char *const vef_two_phase_middles[]; /* their words, terminated by NULL */

typedef struct vef_two_phase_request {
    int64_t channels; /* of each class of channels, for each phase */
    int middle;
    bool one;       /* there is no first phase */
    bool early;     /* a packet that meets its destination in the first phase leaves there */
    bool undecided; /* for legs with groups: one class more of local channels, before all others,
                       for packets that have not chosen their route (par.c) */
} vef_two_phase_request;

/* Legs. Functions see the first `leg_words` words of a route, which are 0 before a leg begins.
 * `phase` is 0 or 1. */
typedef struct vef_leg_kind {
    const char *name;
    /* As vef_routing_algorithm.supports, with flow control by virtual channels and without
     * parameters: refuses topologies without such legs. */
    vef_code (*supports)(const vef_topology *topology, vef_flow_control flow_control,
                         const void *parameters, vef_error *error);
    bool groups; /* intermediate groups are supported, and routing `minimal` uses these legs */
    /* Sets what vef_routing_algorithm.create has to, except for the fields that
     * vef_two_phase_create sets; and leg_words and legs of `made`. */
    vef_code (*create)(vef_routing *routing, const vef_two_phase_request *request,
                       struct vef_two_phase *made, vef_error *error);
    /* The intermediate router, or any of the intermediate group. NULL: uniform among all. */
    uint32_t (*draw_middle)(const vef_routing *routing, const vef_travel *travel, vef_draws *draws);
    /* The number of legs between two different routers among which a packet draws one at its
     * source, at most INT16_MAX; NULL: 1. And a leg, of that number. */
    uint32_t (*variants)(const vef_routing *routing, uint32_t from, uint32_t to);
    void (*begin)(const vef_routing *routing, uint32_t from, uint32_t to, uint32_t variant,
                  vef_route *route);
    /* Whether the leg has led to its end, `router`. */
    bool (*ended)(const vef_routing *routing, const vef_route *route, uint32_t router);
    /* As in vef_routing_algorithm. Candidates are offered in the order of ports. `input` NULL: they
     * do not depend on the queue. */
    uint32_t (*offer)(const vef_routing *routing, uint32_t phase, const vef_route *route,
                      vef_place place, vef_candidate *offered);
    uint32_t (*input)(const vef_routing *routing, uint32_t phase, const vef_route *route,
                      vef_place place);
    void (*advance)(const vef_routing *routing, vef_route *route, vef_place place, uint16_t port,
                    uint8_t channel);
    /* Of a phase; NULL: there are none. create sets the number of both phases. */
    uint32_t (*signature)(const vef_routing *routing, const vef_route *route);
    /* NULL: create refuses the unrolled form. */
    uint8_t (*fold)(const vef_routing *routing, const vef_routing *unrolled, uint32_t router,
                    uint16_t port, uint8_t name);
} vef_leg_kind;

extern const vef_leg_kind *const vef_leg_kinds[]; /* terminated by NULL */

/* The state of a routing of two phases. */
typedef struct vef_two_phase {
    const vef_leg_kind *kind;
    const void *legs;   /* the kind's own */
    uint32_t leg_words; /* at most VEF_TWO_PHASE_LEG_WORDS */
} vef_two_phase;

/* The other words of a route: the phase, and the destination. */
enum { VEF_TWO_PHASE_LEG_WORDS = VEF_ROUTE_WORDS - 3 };

/* clang-format off */
#define VEF_TWO_PHASE_CHANNELS_HELP                                                                \
    "virtual channels of each class of channels. A phase has one class on lattices (with "         \
    "flow_control virtual-channels and wraps: two) and on HyperX networks, one for each "          \
    "local and global hop on dragonflies, and as many as the diameter on other networks"
#define VEF_TWO_PHASE_MIDDLE_ROW(type)                                                             \
    {VEF_KEY(CHOICE, type, intermediate), .fallback = "auto", .choices = vef_two_phase_middles,    \
     .help = "what a detour leads over: a router drawn among all, or any router of a group drawn " \
             "among the others (auto: a group, on dragonflies and megaflies)"}
/* clang-format on */

/* clang-format off */
#define VEF_TWO_PHASE_EARLY_ROW(type)                                                              \
    {VEF_KEY(BOOL, type, early_exit), .fallback = "false",                                         \
     .help = "a packet that meets its destination on the way to the intermediate place leaves "    \
             "there, instead of passing it"}
/* clang-format on */

/* As vef_routing_algorithm has them. */
vef_code vef_two_phase_supports(const vef_topology *topology, vef_flow_control flow_control,
                                const void *parameters, vef_error *error);
uint32_t vef_two_phase_input(const vef_routing *routing, const vef_route *route, vef_place place);
uint32_t vef_two_phase_candidates(const vef_routing *routing, const vef_route *route,
                                  vef_place place, vef_candidate *offered);
bool vef_two_phase_leaves(const vef_routing *routing, const vef_route *route);
uint8_t vef_two_phase_fold(const vef_routing *routing, const vef_routing *unrolled, uint32_t router,
                           uint16_t port, uint8_t name);
uint32_t vef_two_phase_signature(const vef_routing *routing, const vef_route *route);
void vef_two_phase_advance(const vef_routing *routing, vef_route *route, vef_place place,
                           uint16_t port, uint8_t channel);

/* Sets all of the routing that its create has to. */
vef_code vef_two_phase_create(vef_routing *routing, const vef_two_phase_request *request,
                              vef_error *error);

uint32_t vef_two_phase_destination(const vef_routing *routing, const vef_route *route);

/* A packet at `router` on its second phase, or a minimal route, goes over a router first. */
void vef_two_phase_go_over(const vef_routing *routing, vef_route *route, uint32_t router,
                           uint32_t middle);

/* The legs that a topology has; NULL: none. */
const vef_leg_kind *vef_two_phase_kind(const vef_topology *topology);

/* A minimal route, and one over an intermediate router, which may be the source or the destination
 * too. Of each leg one of its variants is drawn. */
void vef_two_phase_begin_minimal(const vef_routing *routing, const vef_travel *travel,
                                 vef_draws *draws, vef_route *route);
void vef_two_phase_begin_over(const vef_routing *routing, const vef_travel *travel,
                              vef_draws *draws, vef_route *route);

#endif
