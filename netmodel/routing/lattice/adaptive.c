/* Adaptive routing: fully adaptive minimal channels over an escape channel.
 *
 * Puente, Izu, Beivide, Gregorio, Vallejo, Prellezo: "The Adaptive Bubble Router", JPDC 2001, as in
 * Camara et al. (TPDS 2010, section 6.1). Channel 0 is the escape channel: dimension order under
 * bubble flow control (dimension_order.c). Channels 1 and up may be taken along any generator that
 * the packet's record still names. Paths are minimal. On diagonal networks this is the routing of
 * Stafford et al., section 3.2 (see dimension_order.c). Under router.flow_control:
 * virtual-channels on a network with wraps the escape has two channels, 0 and 1, by datelines
 * (rings.h), and the adaptive ones are 2 and up.
 *
 * Freedom from deadlock (Duato): the escape channel alone is free of it, and every packet may take
 * it from any position; its record's order of generators does not depend on the way so far. The
 * escape is taken only when no adaptive channel is eligible. A packet in the escape channel may
 * return to the adaptive ones (the routers of the Cantabrian group) or may not (return_to_adaptive:
 * false, the nDT paper of Andujar et al.).
 *
 * `selection` orders the eligible adaptive channels, which has no bearing on deadlock:
 *
 *   most-credits   the most credits (the rule of MODEL.md)
 *   random         any, drawn uniformly
 *   straight       those of the direction in which the packet came, by credits; others only when
 *                  none of these is eligible. Packets then turn less often, and occupy fewer queues
 *                  of other directions (the "smart" request mode of FSIN, Ridruejo and
 *                  Miguel-Alonso, "INSEE: an Interconnection Network Simulation and Evaluation
 *                  Environment", Euro-Par 2005)
 *   longest        those of the generator with the most hops to go, by credits, which keeps the
 *                  choice open for longest (Badr and Podar, "An Optimal Shortest-Path Routing
 *                  Policy for Network Computers with Regular Mesh-Connected Topologies", IEEE
 *                  Trans. Computers 1989)
 *   least-occupied those of the port with the fewest places taken in the queues of all its
 *                  channels, and by packets of this router that wait for it; of these the emptiest
 *                  queue (MAX-CREDIT of Vaidya, Sivasubramaniam and Das, "LAPSES: A Recipe
 *                  for High Performance Adaptive Router Design", HPCA 1999). Packets of other
 *                  channels share the link, so their queues count too
 *
 * Example: a packet came by x+ and has 1 hop to go by x+, 3 by y+. most-credits compares all four
 * channels; straight takes x+ while one of its two is eligible; longest takes y+. With 4, 0 and 1
 * places taken in channels 0, 1, 2 of x+, and 0, 1 and 1 of y+, most-credits takes channel 1 of x+,
 * least-occupied one of y+. */
#include "netmodel/routing/algorithms.h"
#include "netmodel/routing/lattice/record.h"
#include "netmodel/routing/view.h"

#include <assert.h>
#include <stdlib.h>

enum { MOST_CREDITS, RANDOM, STRAIGHT, LONGEST, LEAST_OCCUPIED };
static const char *const selections[] = {[MOST_CREDITS] = "most-credits",
                                         [RANDOM] = "random",
                                         [STRAIGHT] = "straight",
                                         [LONGEST] = "longest",
                                         [LEAST_OCCUPIED] = "least-occupied",
                                         NULL};

typedef struct parameters {
    int64_t adaptive_channels;
    bool return_to_adaptive;
    int selection;
} parameters;

static const vef_param schema[] = {
    {VEF_KEY(INT, parameters, adaptive_channels), .fallback = "2", .minimum = 1,
     .maximum = VEF_MAX_CHANNELS - 1,
     .help = "virtual channels per link in addition to the escape channel (with flow_control "
             "virtual-channels and wraps: to its two)"},
    {VEF_KEY(BOOL, parameters, return_to_adaptive), .fallback = "true",
     .help = "whether a packet in the escape channel may return to adaptive channels"},
    {VEF_KEY(CHOICE, parameters, selection), .fallback = "most-credits", .choices = selections,
     .help =
         "selection among the eligible adaptive channels: most credits, random, straight on, "
         "the direction with the most remaining hops, or the port with the fewest places taken"},
    {.key = NULL},
};

/* Maximum number of candidates of a packet: each adaptive channel along every generator, and the
 * escape. */
static uint32_t most_candidates(const vef_topology *topology, const parameters *given) {
    return topology->lattice->generators * (uint32_t)given->adaptive_channels + 1;
}

static vef_code create(vef_routing *routing, vef_error *error) {
    const parameters *given = routing->parameters;
    vef_rings *rings = vef_rings_create(routing);
    vef_code code = vef_rings_set_channels(routing, rings, 1, given->adaptive_channels, error);
    if (code != VEF_OK)
        return code;
    routing->state = rings;
    routing->most_candidates = most_candidates(routing->topology, given);
    static_assert(VEF_ROUTE_WORDS * (VEF_MAX_CHANNELS - 1) + 1 <= VEF_MAX_CANDIDATES,
                  "a route never has more");
    vef_record_set_signatures(routing, rings);
    if (given->selection == LONGEST)
        routing->signatures = 0; /* a record's signature does not compare its hops */
    if (given->selection == RANDOM)
        routing->selection = VEF_SELECT_ANY;
    if (given->selection == LEAST_OCCUPIED)
        routing->selection = VEF_SELECT_COST;
    routing->uniform = vef_rings_are_uniform(rings);
    routing->least_queue_packets = vef_record_least_queue_packets(routing);
    vef_record_set_steps(routing);
    return VEF_OK;
}

/* Offers the adaptive channels along generator `g`; returns how many. */
static inline uint32_t offer_generator(const vef_routing *routing, const vef_route *route,
                                       uint32_t g, uint8_t preference, vef_candidate *offered) {
    const vef_rings *rings = routing->state;
    uint32_t count = 0;
    for (uint32_t c = rings->classes; c < routing->channels; c++)
        offered[count++] = (vef_candidate){
            .port = (uint16_t)(2 * g + (route->words[g] < 0)),
            .channel = (uint8_t)c,
            .preference = preference,
            .slots_needed = 1,
        };
    return count;
}

/* The number of kinds of adaptive channels that the selection prefers to those along generator `g`.
 */
static uint8_t preference_of(int selection, const vef_route *route, uint32_t generators,
                             vef_place place, uint32_t g) {
    if (selection == STRAIGHT)
        return place.in_port != ((2 * g + (route->words[g] < 0)) ^ 1);
    uint8_t longer = 0;
    for (uint32_t other = 0; other < generators; other++)
        longer = (uint8_t)(longer + (abs(route->words[other]) > abs(route->words[g])));
    return longer;
}

/* Offers the adaptive channels in the order of their preference values, which are below `end`. */
static uint32_t offer_in_order(const vef_routing *routing, const vef_route *route, vef_place place,
                               uint8_t end, vef_candidate *offered) {
    const int selection = ((const parameters *)routing->parameters)->selection;
    const uint32_t generators = routing->topology->lattice->generators;
    uint32_t count = 0;
    for (uint8_t value = 0; value < end; value++)
        for (uint32_t g = 0; g < generators; g++)
            if (route->words[g] != 0 &&
                preference_of(selection, route, generators, place, g) == value)
                count += offer_generator(routing, route, g, value, offered + count);
    return count;
}

/* Above the preference values of all adaptive channels. */
static uint8_t escape_preference(int selection, uint32_t generators) {
    static const uint8_t preferences[] = {
        [MOST_CREDITS] = 1, [RANDOM] = 1, [STRAIGHT] = 2, [LEAST_OCCUPIED] = 1};
    return selection == LONGEST ? (uint8_t)generators : preferences[selection];
}

/* Whether a packet at `place` may take adaptive channels. */
static bool is_adaptive(const vef_routing *routing, vef_place place) {
    const vef_rings *rings = routing->state;
    const bool escaped = place.in_port != VEF_INJECTED && place.in_channel < rings->classes;
    return ((const parameters *)routing->parameters)->return_to_adaptive || !escaped;
}

static uint32_t input(const vef_routing *routing, const vef_route *route, vef_place place) {
    const uint16_t port = vef_record_next(routing->topology->lattice, route);
    return 2 * vef_record_input(routing, place, port, 0, 1) + is_adaptive(routing, place);
}

static uint32_t candidates(const vef_routing *routing, const vef_route *route, vef_place place,
                           vef_candidate *offered) {
    const parameters *given = routing->parameters;
    const vef_lattice *lattice = routing->topology->lattice;
    const vef_rings *rings = routing->state;
    const uint8_t last = escape_preference(given->selection, lattice->generators);
    const bool adaptive = is_adaptive(routing, place);
    const bool alike = given->selection != STRAIGHT && given->selection != LONGEST;
    uint32_t count = 0;
    uint16_t escape = VEF_NO_DIRECTION;
    for (uint32_t g = 0; g < lattice->generators; g++) {
        if (route->words[g] == 0)
            continue;
        if (escape == VEF_NO_DIRECTION)
            escape = (uint16_t)(2 * g + (route->words[g] < 0));
        if (adaptive && alike)
            count += offer_generator(routing, route, g, 0, offered + count);
    }
    if (escape == VEF_NO_DIRECTION)
        return 0;
    if (adaptive && !alike)
        count = offer_in_order(routing, route, place, last, offered);
    const uint8_t channel = (uint8_t)vef_record_class(rings, route, place.router, escape);
    offered[count] = vef_record_escape(routing, place, escape, channel);
    offered[count++].preference = last;
    return count;
}

static vef_candidate escape(const vef_routing *routing, vef_place place, uint16_t port,
                            uint32_t hops) {
    const uint8_t channel = (uint8_t)vef_rings_class(routing->state, place.router, port, hops);
    return vef_record_escape(routing, place, port, channel);
}

static uint8_t fold(const vef_routing *routing, const vef_routing *unrolled, uint32_t router,
                    uint16_t port, uint8_t name) {
    const parameters *given = routing->parameters;
    return vef_rings_fold(routing->state, unrolled->state, (uint32_t)given->adaptive_channels,
                          unrolled, router, port, name);
}

static const vef_straight straight = {vef_record_may_turn, escape};

const vef_routing_algorithm vef_routing_adaptive = {
    .name = "adaptive",
    .aliases = "duato fully-adaptive",
    .summary = "minimal fully adaptive over an escape channel in dimension order",
    VEF_PARAMETERS(schema, parameters),
    .supports = vef_record_supports,
    .create = create,
    .begin = vef_record_begin,
    .candidates = candidates,
    .weigh = vef_routing_weigh_occupied,
    .input = input,
    .signature = vef_record_signature,
    .advance = vef_record_advance,
    .fold = fold,
    .straight = &straight,
};
