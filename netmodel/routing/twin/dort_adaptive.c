/* Adaptive routing on twin tori: minimal fully adaptive channels over DORT as the escape.
 *
 * Andujar, Villar, Sanchez, Alfaro, Duato: paper on adaptive routing for nDT tori, section 3,
 * algorithm 1. A packet may take adaptive channels of every port of its card that leads nearer to
 * its node (both in a tie), and those of the inner link if DORT would take it; otherwise the
 * escape, DORT with its own channels (dort.c). It then stays in the escape.
 *
 * Channels: those of DORT are the first of every link, followed by `adaptive_channels` on external
 * links and `inner_adaptive_channels` on inner ones: 4 and 8 by default with virtual channels, as
 * in the paper's table 3, 3 and 7 with bubble.
 *
 * `selection` is the paper's selection function (section 3.2). The occupancy of a channel is low if
 * at least `low_places` places are free, else high; low ones are preferred:
 *   round-robin: all adaptive channels are equal;
 *   no-internal: no adaptive channels of inner links;
 *   2-priority: inner links after all others, low and high;
 *   3-priority: dimensions with both ports on one card, then split ones, then inner links.
 * The escape is last. Differences from the paper: it does not define where the low range ends (here
 * a parameter), and it selects among equal channels round robin, whereas this router takes the one
 * with the most free places and then, by router.arbiter (MODEL.md), a random one or the first. With
 * the first, external links precede inner ones and round-robin is almost 2-priority; the arbiter
 * random is nearer to the paper.
 *
 * Bound: as many external links as the distance of the nodes in the torus, and at most one crossing
 * per node on the path, since after a crossing DORT never requests another there.
 *
 * Freedom from deadlock (Duato): the escape alone is deadlock-free from any card of any node where
 * a packet may be; every packet may take it from any position, and packets in it wait for nothing
 * else. With bubble, entering a ring from an adaptive channel takes two places.
 *
 * Example: in a twin torus with x+, x-, y- on card 0, from card 1 of (0, 0, 0) to (1, 0, 1): z+
 * and the inner link are offered, z+ first by 2-priority and 3-priority, alone by no-internal. */
#include "netmodel/routing/algorithms.h"
#include "netmodel/routing/twin/twin.h"

typedef enum selection { ROUND_ROBIN, NO_INTERNAL, TWO_PRIORITY, THREE_PRIORITY } selection;

/* The rank of adaptive channels of external links in dimensions with both ports on one card, of
 * those in split ones, and of inner links. A rank has two preference values, low and high. */
static const uint8_t ranks[][3] = {[ROUND_ROBIN] = {0, 0, 0},
                                   [NO_INTERNAL] = {0, 0, 0},
                                   [TWO_PRIORITY] = {0, 0, 1},
                                   [THREE_PRIORITY] = {0, 1, 2}};
enum { WHOLE, SPLIT, INNER, LAST_PREFERENCE = 2 * 3 };

typedef struct parameters {
    int64_t adaptive_channels, inner_adaptive_channels, low_places;
    int selection;
} parameters;

static const vef_param schema[] = {
    {VEF_KEY(CHOICE, parameters, selection), .fallback = "3-priority",
     .choices = VEF_LIST([ROUND_ROBIN] = "round-robin", [NO_INTERNAL] = "no-internal",
                         [TWO_PRIORITY] = "2-priority", [THREE_PRIORITY] = "3-priority"),
     .help = "adaptive channels to prefer"},
    {VEF_KEY(INT, parameters, adaptive_channels), .fallback = "2", .minimum = 1,
     .maximum = VEF_MAX_CHANNELS - 1,
     .help = "virtual channels of external links in addition to those of DORT"},
    {VEF_KEY(INT, parameters, inner_adaptive_channels), .fallback = "4", .minimum = 0,
     .maximum = VEF_MAX_CHANNELS - 1,
     .help = "virtual channels of inner links in addition to those of DORT"},
    {VEF_KEY(INT, parameters, low_places), .fallback = "2", .minimum = 1, .maximum = UINT8_MAX,
     .help = "number of free places from which a queue counts as lightly loaded"},
    {.key = NULL},
};

static vef_code create(vef_routing *routing, vef_error *error) {
    const parameters *given = routing->parameters;
    vef_twin_plan *plan = vef_twin_plan_create(routing);
    const uint32_t each = (uint32_t)given->adaptive_channels;
    const uint32_t inner = (uint32_t)given->inner_adaptive_channels;
    /* A card has one external port per dimension; each channel in two ranges. */
    const uint32_t most = 2 * (plan->twin->dimensions * each + inner) + 1;
    if (most > VEF_MAX_CANDIDATES)
        return vef_fail(error, VEF_UNSUPPORTED,
                        "adaptive_channels: %u on each of %u ports of a card give a packet too "
                        "many candidates: expected at most %u",
                        each, plan->twin->dimensions,
                        (VEF_MAX_CANDIDATES / 2 - VEF_MAX_CHANNELS) / plan->twin->dimensions);
    routing->state = plan;
    routing->most_candidates = most;
    routing->uniform = plan->bubble; /* upper and lower channels compare coordinates */
    return vef_twin_set_channels(routing, plan->external + each, plan->inner + inner, error);
}

typedef struct offer {
    const parameters *given;
    vef_candidate *offered;
    uint32_t count;
} offer;

/* Offers the adaptive channels of a port, the low range first. */
static void add(offer *to, uint32_t port, uint32_t first, int64_t channels, uint8_t rank) {
    const bool ranges = to->given->low_places > 1;
    for (uint32_t high = ranges ? 0 : 1; high < 2; high++)
        for (uint32_t c = first; c < first + (uint32_t)channels; c++)
            to->offered[to->count++] = (vef_candidate){
                .port = (uint16_t)port,
                .channel = (uint8_t)c,
                .preference = (uint8_t)(2 * rank + high),
                .slots_needed = high ? 1 : (uint8_t)to->given->low_places,
            };
}

static void add_external(const vef_twin_plan *plan, uint32_t router, uint32_t target, offer *to) {
    const vef_twin_torus *twin = plan->twin;
    const uint32_t *here = vef_twin_at(plan, router), *there = vef_twin_at(plan, target);
    const uint8_t *rank = ranks[to->given->selection];
    for (uint32_t d = 0; d < twin->dimensions; d++) {
        if (here[d] == there[d])
            continue;
        const vef_twin_dimension *dimension = &plan->dimension[d];
        const uint32_t ahead = vef_twin_ahead(plan, d, here, there);
        for (uint32_t minus = 0; minus < 2; minus++) {
            const uint32_t way = minus ? dimension->size - ahead : ahead;
            if (2 * way <= dimension->size &&
                vef_twin_card_of_port(twin, 2 * d + minus) == vef_twin_card(router))
                add(to, 2 * d + minus, plan->external, to->given->adaptive_channels,
                    rank[dimension->split ? SPLIT : WHOLE]);
        }
    }
}

/* Whether the packet is in a channel of DORT, where it stays. */
static bool escaped(const vef_twin_plan *plan, vef_place place) {
    const bool inner = place.in_port == vef_twin_inner_port(plan->twin);
    return place.in_port != VEF_INJECTED &&
           place.in_channel < (inner ? plan->inner : plan->external);
}

static uint32_t input(const vef_routing *routing, const vef_route *route, vef_place place) {
    (void)route;
    const vef_twin_plan *plan = routing->state;
    return plan->bubble ? vef_routing_own_input(place) : escaped(plan, place);
}

static uint32_t candidates(const vef_routing *routing, const vef_route *route, vef_place place,
                           vef_candidate *offered) {
    const vef_twin_plan *plan = routing->state;
    const uint32_t target = vef_twin_target(route);
    const uint32_t inner_port = vef_twin_inner_port(plan->twin);
    offer to = {routing->parameters, offered, 0};
    if (place.router == target)
        return 0;
    vef_candidate escape = vef_twin_dort(plan, place, target);
    escape.preference = LAST_PREFERENCE;
    if (!escaped(plan, place)) {
        add_external(plan, place.router, target, &to);
        if (escape.port == inner_port && to.given->selection != NO_INTERNAL)
            add(&to, inner_port, plan->inner, to.given->inner_adaptive_channels,
                ranks[to.given->selection][INNER]);
    }
    offered[to.count] = escape;
    return to.count + 1;
}

const vef_routing_algorithm vef_routing_dort_adaptive = {
    .name = "dort-adaptive",
    .summary = "minimal fully adaptive on twin tori, over DORT as the escape",
    VEF_PARAMETERS(schema, parameters),
    .supports = vef_twin_supports,
    .create = create,
    .begin = vef_twin_begin,
    .candidates = candidates,
    .input = input,
    .advance = vef_routing_keep_route,
};
