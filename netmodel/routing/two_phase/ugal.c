/* UGAL (universal globally-adaptive load-balanced) routing: at its source each packet chooses
 * between a minimal route and routes over random intermediate routers, by what it sees of queues.
 *
 * Singh, "Load-Balanced Routing in Interconnection Networks", PhD thesis, Stanford 2005; Kim,
 * Dally, Scott and Abts, "Technology-Driven, Highly-Scalable Dragonfly Topology", ISCA 2008
 * (UGAL-L, UGAL-L_VC, UGAL-G); Besta and Hoefler, "Slim Fly", SC 2014 (several random routes;
 * UGAL-G as the sum over the way). The alternatives are one minimal route and `detours` of
 * Valiant's (valiant.c). Each has a cost, where q is the number of places taken in the queues at
 * the end of a link, and of those that packets take which wait for it at the front of the router's
 * queues (an output queue, in routers that have them):
 *
 *   ugal-l   view: local    q x H: q of the link by which the route leaves the source, H the hops
 *                           of the route, which estimates the time that it takes to wait H times in
 *                           such queues
 *   ugal-g   view: global   the sum of q over the links of the route at this very moment: an ideal,
 *                           which no router can know, to compare with
 *
 * Routing ugal has the view as a key. With `queues: channels` q counts the channels that the route
 * may take (UGAL-L_VC), with `port` all channels of the link (UGAL-L). Minimal routes have other
 * channels than detours, so the former distinguishes which of both load the link: it accepts more
 * of adversarial traffic, and past saturation less of uniform traffic.
 *
 * Minimal is taken unless its cost exceeds that of another route by more than `threshold`, then the
 * other of least cost, the first among equals. In an idle network packets go minimally; under
 * adversarial traffic the minimal queue grows until enough packets take a detour. The choice is
 * made when the packet is at the front of its injection queue (netmodel/MODEL.md, "Choice at the
 * source") and is final. Queues bound what can be seen: where all are full, the shorter way costs
 * less. Where a route may leave a router by several ports, q is that of the port where it is least,
 * and the hops after it are counted along that port.
 *
 * Bound on paths and freedom from deadlock: every alternative is a two-phase route (two_phase.h);
 * `vef verify` follows all of them, so the proof does not depend on the choice.
 *
 * Example: on a ring of 8 under tornado traffic (3 hops on) a packet finds 3 places taken by x+ and
 * 1 by x-; router 6 is drawn, 2 + 3 hops by x-. Minimal costs 3 x 3 = 9, the detour 1 x 5: the
 * packet leaves through x-. */
#include "netmodel/routing/algorithms.h"
#include "netmodel/routing/two_phase/cost.h"

enum { LOCAL, GLOBAL };
typedef struct parameters {
    int64_t channels, detours, threshold;
    int view, queues, intermediate;
    bool early_exit;
} parameters;

/* clang-format off */
#define COMMON_KEYS                                                                                \
    {VEF_KEY(INT, parameters, channels), .fallback = "1", .minimum = 1,                            \
     .maximum = VEF_TWO_PHASE_MOST_CHANNELS,                                                       \
     .help = VEF_TWO_PHASE_CHANNELS_HELP},                                                         \
    {VEF_KEY(INT, parameters, detours), .fallback = "1", .minimum = 1,                             \
     .maximum = VEF_MAX_ALTERNATIVES - 1,                                                          \
     .help = "number of routes over random routers that a packet compares with a minimal one"},    \
    {VEF_KEY(INT, parameters, threshold), .fallback = "0", .minimum = 0, .maximum = 1 << 30,       \
     .help = "how much the cost of the minimal route may exceed another's and still be "           \
             "preferred, in places x hops (global view: in places)"},                              \
    VEF_QUEUES_ROW(parameters), VEF_TWO_PHASE_MIDDLE_ROW(parameters),                              \
    VEF_TWO_PHASE_EARLY_ROW(parameters)
/* clang-format on */

static const vef_param schema[] = {COMMON_KEYS, {.key = NULL}};
static const vef_param schema_with_view[] = {
    COMMON_KEYS,
    {VEF_KEY(CHOICE, parameters, view), .fallback = "local",
     .choices = VEF_LIST([LOCAL] = "local", [GLOBAL] = "global"),
     .help = "cost of a route; local: occupied places at its first link x its hops; global "
             "(ideal): occupied places at all its links"},
    {.key = NULL},
};

static vef_code create(vef_routing *routing, vef_error *error) {
    const parameters *given = routing->parameters;
    routing->alternatives = (uint32_t)given->detours + 1;
    const vef_two_phase_request request = {
        .channels = given->channels, .middle = given->intermediate, .early = given->early_exit};
    return vef_two_phase_create(routing, &request, error);
}

static vef_code create_global(vef_routing *routing, vef_error *error) {
    routing->sees_all = true;
    return create(routing, error);
}

static vef_code create_by_view(vef_routing *routing, vef_error *error) {
    routing->sees_all = ((const parameters *)routing->parameters)->view == GLOBAL;
    return create(routing, error);
}

static uint32_t choose(const vef_routing *routing, const vef_travel *travel,
                       const vef_route *routes, const vef_view *view) {
    const int64_t threshold = ((const parameters *)routing->parameters)->threshold;
    const vef_route_cost cost = {
        .all_channels = ((const parameters *)routing->parameters)->queues == VEF_QUEUES_PORT,
        .sum = routing->sees_all,
    };
    uint64_t least = vef_two_phase_cost(routing, travel, routes[0], cost, view);
    uint32_t chosen = 0;
    for (uint32_t i = 1; i < routing->alternatives && least > 0; i++) {
        const uint64_t more =
            vef_two_phase_cost(routing, travel, routes[i], cost, view) + (uint64_t)threshold;
        if (more < least) {
            least = more;
            chosen = i;
        }
    }
    return chosen;
}

static const vef_choice choice = {vef_two_phase_begin_alternative, choose};

/* clang-format off */
#define UGAL(name_, aliases_, summary_, schema_, create_)                                          \
    {                                                                                              \
        .name = name_, .aliases = aliases_, .summary = summary_, .any_graph = true, .schema = schema_,                \
        .parameter_bytes = sizeof(parameters), .supports = vef_two_phase_supports,                 \
        .create = create_, .choice = &choice, .candidates = vef_two_phase_candidates,              \
        .leaves = vef_two_phase_leaves,                                                            \
        .input = vef_two_phase_input, .signature = vef_two_phase_signature,                        \
        .advance = vef_two_phase_advance, .fold = vef_two_phase_fold,                              \
    }
/* clang-format on */

const vef_routing_algorithm vef_routing_ugal =
    UGAL("ugal", NULL, "minimal or by Valiant's detour, by queue length and hops at the source",
         schema_with_view, create_by_view);
const vef_routing_algorithm vef_routing_ugal_l =
    UGAL("ugal-l", NULL, "UGAL by the queues of the source's router", schema, create);
const vef_routing_algorithm vef_routing_ugal_g = UGAL(
    "ugal-g", NULL, "UGAL by the queues of all routers on the way (ideal)", schema, create_global);
