/* PAR (progressive adaptive routing) on dragonflies: as long as a packet is in its source's group,
 * it may still leave the minimal route for a detour.
 *
 * Jiang, Kim and Dally, "Indirect Adaptive Routing on Large Scale Interconnection Networks" (ISCA
 * 2009); the ladder of channels as in García et al., "On-the-Fly Adaptive Routing in High-Radix
 * Hierarchical Networks" (ICPP 2012). A packet draws an intermediate group (or router) at its
 * source. There, and again behind a local hop of its minimal route, it compares both continuations
 * by
 *
 *   q x H      places taken in the queues of the port and of packets that wait for it, times the
 *              hops that would be left,
 *
 * and goes on minimally unless that costs more by over `threshold`. A global hop, or the first hop
 * of the detour, is final. Costs are compared when the packet is at the front of its queue
 * (netmodel/MODEL.md, "Choice at each hop").
 *
 * Bound: 1 + 5 hops over a group, 1 + 6 over a router. Channels, for each class `channels`, of
 * local / global links: 4 / 2 over a group, 5 / 2 over a router.
 *
 * Freedom from deadlock: local hops of packets that have not decided are of a class below all
 * others; from the decision on the classes are those of legs.c. So classes rise with every hop,
 * whichever candidate a packet keeps.
 *
 * Example: h = 2, from router 0 of group 0 to group 3, whose link is at router 2. A packet that
 * finds 4 places taken on the local port to router 2 (3 hops left) and 1 on the port of its detour
 * (5 hops left) takes the detour; with 1 place taken it goes to router 2, and compares again there.
 */
#include "netmodel/routing/algorithms.h"
#include "netmodel/routing/dragonfly/legs.h"
#include "netmodel/routing/two_phase/cost.h"

#include <string.h>

typedef struct parameters {
    int64_t channels, threshold;
    int queues, intermediate;
} parameters;

static const vef_param schema[] = {
    {VEF_KEY(INT, parameters, channels), .fallback = "1", .minimum = 1,
     .maximum = VEF_TWO_PHASE_MOST_CHANNELS, .help = "virtual channels of each class"},
    {VEF_KEY(INT, parameters, threshold), .fallback = "0", .minimum = 0, .maximum = 1 << 30,
     .help = "how much the cost of the minimal route may exceed the detour's and still be "
             "preferred, in places x hops"},
    VEF_QUEUES_ROW(parameters),
    VEF_TWO_PHASE_MIDDLE_ROW(parameters),
    {.key = NULL},
};

/* Words of the route behind those of two_phase.h: whether the packet has not decided yet, and the
 * intermediate router. */
enum { UNDECIDED_WORD, MIDDLE_WORD, MORE_WORDS = MIDDLE_WORD + 2 };
enum { UNDECIDED_CLASS = 0 };

static vef_code create(vef_routing *routing, vef_error *error) {
    const parameters *given = routing->parameters;
    const vef_two_phase_request request = {.channels = given->channels,
                                           .middle = given->intermediate,
                                           .undecided = true,
                                           .early = true};
    vef_code code = vef_two_phase_create(routing, &request, error);
    routing->legs = NULL; /* the first hops of minimal routes and of detours mingle */
    routing->route_words += MORE_WORDS;
    routing->selection = VEF_SELECT_ONCE;
    return code;
}

/* The first of the words of the route that are not the legs'. */
static uint32_t first_word(const vef_routing *routing) {
    return routing->route_words - MORE_WORDS;
}

static bool is_undecided(const vef_routing *routing, const vef_route *route) {
    return route->words[first_word(routing) + UNDECIDED_WORD] != 0;
}

static uint32_t middle_of(const vef_routing *routing, const vef_route *route) {
    return vef_route_uint32(route, first_word(routing) + MIDDLE_WORD);
}

static bool ends_detour(const vef_dragonfly_legs *legs, uint32_t router, uint32_t middle) {
    const vef_dragonfly *dragonfly = legs->dragonfly;
    return legs->by_group
               ? vef_dragonfly_group(dragonfly, router) == vef_dragonfly_group(dragonfly, middle)
               : router == middle;
}

/* A packet whose detour is none has decided. */
static void begin(const vef_routing *routing, const vef_travel *travel, vef_draws *draws,
                  vef_route *route) {
    const vef_dragonfly_legs *legs = vef_dragonfly_legs_of(routing);
    vef_two_phase_begin_minimal(routing, travel, draws, route);
    if (travel->from == travel->to)
        return;
    const uint32_t middle = vef_leg_kind_dragonfly.draw_middle(routing, travel, draws);
    if (middle == travel->to || ends_detour(legs, travel->from, middle))
        return;
    route->words[first_word(routing) + UNDECIDED_WORD] = 1;
    vef_route_set_uint32(route, first_word(routing) + MIDDLE_WORD, middle);
}

/* The minimal continuation of an undecided packet: on to a global link without a decision, or over
 * it. */
static uint32_t offer_minimal(const vef_routing *routing, const vef_route *route, vef_place place,
                              vef_candidate *offered) {
    const vef_dragonfly_legs *legs = vef_dragonfly_legs_of(routing);
    const uint32_t count = vef_two_phase_candidates(routing, route, place, offered);
    for (uint32_t i = 0; i < count; i++)
        if (!vef_dragonfly_is_global(legs->dragonfly, offered[i].port))
            offered[i].channel =
                (uint8_t)(UNDECIDED_CLASS * legs->channels + offered[i].channel % legs->channels);
    return count;
}

/* The route of the packet if it takes the detour from `router`. */
static vef_route detour_of(const vef_routing *routing, const vef_route *route, uint32_t router) {
    vef_route over = *route;
    vef_two_phase_go_over(routing, &over, router, middle_of(routing, route));
    over.words[first_word(routing) + UNDECIDED_WORD] = 0;
    return over;
}

static uint32_t candidates(const vef_routing *routing, const vef_route *route, vef_place place,
                           vef_candidate *offered) {
    if (!is_undecided(routing, route))
        return vef_two_phase_candidates(routing, route, place, offered);
    const vef_route over = detour_of(routing, route, place.router);
    const uint32_t count = offer_minimal(routing, route, place, offered);
    return count + vef_two_phase_candidates(routing, &over, place, offered + count);
}

/* Channels tell the continuations apart: those of the first leg of a detour are its own. */
static bool is_detour(const vef_routing *routing, uint16_t port, uint8_t channel) {
    const vef_dragonfly_legs *legs = vef_dragonfly_legs_of(routing);
    const uint32_t class = channel / legs->channels;
    return class == (vef_dragonfly_is_global(legs->dragonfly, port) ? legs->global_class[0]
                                                                    : legs->local_class[0]);
}

/* The hops of a decided route from `place`. */
static uint64_t hops_left(const vef_routing *routing, vef_route route, vef_place place) {
    const uint32_t to = vef_two_phase_destination(routing, &route);
    uint64_t hops = 0;
    for (; place.router != to; hops++) {
        vef_candidate offered[VEF_MAX_CANDIDATES];
        vef_two_phase_candidates(routing, &route, place, offered);
        const vef_candidate by = offered[0];
        vef_two_phase_advance(routing, &route, place, by.port, by.channel);
        place = vef_place_after(routing->topology, place, by.port, by.channel);
    }
    return hops;
}

static uint64_t weigh(const vef_routing *routing, const vef_route *route, vef_place place,
                      vef_candidate candidate, const vef_view *view) {
    const parameters *given = routing->parameters;
    const vef_dragonfly_legs *legs = vef_dragonfly_legs_of(routing);
    const bool detour =
        is_undecided(routing, route) && is_detour(routing, candidate.port, candidate.channel);
    const uint32_t first = candidate.channel / legs->channels * legs->channels;
    const uint64_t taken =
        given->queues == VEF_QUEUES_PORT
            ? vef_view_taken(view, place.router, candidate.port)
            : vef_view_taken_of(view, place.router, candidate.port, first, legs->channels);
    const vef_route taken_route = detour ? detour_of(routing, route, place.router) : *route;
    return (taken + vef_view_waiting(view, place.router, candidate.port)) *
               hops_left(routing, taken_route, place) +
           (detour ? (uint64_t)given->threshold : 0);
}

static void advance(const vef_routing *routing, vef_route *route, vef_place place, uint16_t port,
                    uint8_t channel) {
    const vef_dragonfly_legs *legs = vef_dragonfly_legs_of(routing);
    if (is_undecided(routing, route)) {
        if (is_detour(routing, port, channel))
            vef_two_phase_go_over(routing, route, place.router, middle_of(routing, route));
        if (is_detour(routing, port, channel) || vef_dragonfly_is_global(legs->dragonfly, port))
            memset(&route->words[first_word(routing)], 0, MORE_WORDS * sizeof *route->words);
    }
    vef_two_phase_advance(routing, route, place, port, channel);
}

const vef_routing_algorithm vef_routing_par = {
    .name = "par",
    .aliases = "progressive-adaptive",
    .summary =
        "progressive adaptive on dragonflies: minimal or a detour, decided in the source's "
        "group",
    VEF_PARAMETERS(schema, parameters),
    .supports = vef_dragonfly_supports,
    .create = create,
    .begin = begin,
    .candidates = candidates,
    .weigh = weigh,
    .input = vef_routing_any_input,
    .advance = advance,
};
