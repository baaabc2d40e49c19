/* Routing for the reference: our own dimension order and our own minimal adaptive routing with a
 * bubble escape channel (Puente et al., "The Adaptive Bubble Router"; netmodel/MODEL.md, "Bubble
 * flow control"), or those of netmodel/routing/ behind the same three functions. */
#include "tests/netmodel/reference.h"

#include "netmodel/routing/broadcast/broadcast.h"

#include <stdlib.h>
#include <string.h>

/* A route of our own is the record still to go: words[g] steps along generator g. */
static void own_begin(const void *context, const vef_travel *travel, vef_rng *rng,
                      vef_route *route) {
    const reference_own_routing *own = context;
    int records[REFERENCE_RECORDS][REFERENCE_GENERATORS];
    const uint32_t count = reference_records(own->lattice, travel->from, travel->to, records);
    const uint32_t chosen = count > 1 ? vef_rng_below(rng, count) : 0;
    for (uint32_t g = 0; g < own->lattice->generators; g++)
        route->words[g] = (int16_t)records[chosen][g];
}

/* A generator makes rings when every dimension that it moves in wraps. */
static bool makes_rings(const reference_lattice *lattice, uint32_t generator) {
    for (uint32_t d = 0; d < lattice->dimensions; d++)
        if (lattice->generator[generator][d] != 0 && !lattice->wraps[d])
            return false;
    return true;
}

/* Places needed on a channel under the bubble: one along the ring, two into it. A packet that came
 * along the generator came in by the opposite port. */
static uint8_t places_needed(const reference_own_routing *own, vef_place place, uint32_t port,
                             uint32_t channel) {
    if (own->without_bubble || !makes_rings(own->lattice, port / 2))
        return 1;
    return place.in_port == (port ^ 1U) && place.in_channel == channel ? 1 : 2;
}

/* The preference value of a channel by `port`: how many kinds of channels come before it. */
static uint8_t preference_of(const reference_own_routing *own, const vef_route *route,
                             vef_place place, uint32_t port, bool escape) {
    const uint32_t generators = own->lattice->generators;
    if (own->selection == REFERENCE_BY_CREDITS || !own->adaptive)
        return own->adaptive && escape;
    if (own->selection == REFERENCE_STRAIGHT) {
        const bool straight = place.in_port != VEF_INJECTED && (place.in_port ^ 1U) == port;
        return escape ? 2 : straight ? 0 : 1;
    }
    uint32_t longer = 0;
    for (uint32_t g = 0; g < generators; g++)
        longer += abs(route->words[g]) > abs(route->words[port / 2]);
    return (uint8_t)(escape ? generators : longer);
}

static uint32_t own_candidates(const void *context, const vef_route *route, vef_place place,
                               vef_candidate *candidates) {
    const reference_own_routing *own = context;
    uint32_t count = 0;
    bool first = true;
    const bool trapped = own->adaptive && own->escape_is_final && place.in_port != VEF_INJECTED &&
                         place.in_channel == own->escape_channel;
    for (uint32_t g = 0; g < own->lattice->generators; g++) {
        if (route->words[g] == 0)
            continue;
        const uint16_t port = (uint16_t)(2 * g + (route->words[g] < 0));
        for (uint32_t c = 0; c < own->channels; c++) {
            const bool ordered = !own->adaptive || c == own->escape_channel;
            if (ordered ? !first : trapped)
                continue;
            candidates[count++] = (vef_candidate){
                .port = port,
                .channel = (uint8_t)c,
                .preference = preference_of(own, route, place, port, ordered),
                .slots_needed = ordered ? places_needed(own, place, port, c) : 1,
                .escape = ordered,
            };
        }
        first = false;
    }
    return count;
}

static void own_advance(const void *context, vef_route *route, vef_place place, uint16_t port,
                        uint8_t channel) {
    (void)context, (void)place, (void)channel;
    route->words[port / 2] = (int16_t)(route->words[port / 2] + (port % 2 == 0 ? -1 : 1));
}

reference_routing reference_route_alone(const reference_own_routing *own) {
    return (reference_routing){.context = own,
                               .channels = own->channels,
                               .begin = own_begin,
                               .candidates = own_candidates,
                               .advance = own_advance};
}

static void by_begin(const void *context, const vef_travel *travel, vef_rng *rng,
                     vef_route *route) {
    const vef_routing *routing = context;
    vef_draws draws = vef_draws_from(rng);
    vef_routing_begin(routing, travel, &draws, NULL, route);
}

static void by_begin_alternative(const void *context, const vef_travel *travel,
                                 uint32_t alternative, vef_rng *rng, vef_route *route) {
    const vef_routing *routing = context;
    vef_draws draws = vef_draws_from(rng);
    routing->algorithm->choice->begin(routing, travel, alternative, &draws, route);
}

static uint32_t by_choose(const void *context, const vef_travel *travel, const vef_route *routes,
                          const struct vef_view *view) {
    const vef_routing *routing = context;
    return routing->algorithm->choice->choose(routing, travel, routes, view);
}

static uint32_t by_candidates(const void *context, const vef_route *route, vef_place place,
                              vef_candidate *candidates) {
    const vef_routing *routing = context;
    return routing->algorithm->candidates(routing, route, place, candidates);
}

static void by_advance(const void *context, vef_route *route, vef_place place, uint16_t port,
                       uint8_t channel) {
    const vef_routing *routing = context;
    routing->algorithm->advance(routing, route, place, port, channel);
}

static bool by_leaves(const void *context, const vef_route *route) {
    const vef_routing *routing = context;
    return routing->algorithm->leaves(routing, route);
}

static uint64_t by_weigh(const void *context, const vef_route *route, vef_place place,
                         vef_candidate candidate, const struct vef_view *view) {
    const vef_routing *routing = context;
    return routing->algorithm->weigh(routing, route, place, candidate, view);
}

static vef_broadcast broadcast_of(const vef_routing *routing) {
    vef_broadcast broadcast;
    vef_error error = {0};
    if (vef_broadcast_set(&broadcast, routing->topology, &error) ||
        vef_broadcast_check(&broadcast, routing, &error))
        abort();
    return broadcast;
}

static void by_begin_to_all(const void *context, uint32_t from, vef_route *route) {
    const vef_broadcast broadcast = broadcast_of(context);
    vef_broadcast_begin(&broadcast, 0, from, UINT32_MAX, route);
}

static uint32_t by_branches(const void *context, const vef_route *route, vef_place place,
                            vef_candidate *candidates) {
    const vef_routing *routing = context;
    const vef_broadcast broadcast = broadcast_of(routing);
    vef_branch branches[VEF_MAX_BRANCHES];
    const uint32_t count = vef_broadcast_branches(&broadcast, route, place, branches);
    for (uint32_t i = 0; i < count; i++)
        candidates[i] = routing->algorithm->straight->escape(routing, place, branches[i].port,
                                                             branches[i].hops);
    return count;
}

static void by_advance_copy(const void *context, vef_route *route, uint16_t port) {
    const vef_broadcast broadcast = broadcast_of(context);
    vef_broadcast_advance(&broadcast, route, port);
}

reference_routing reference_route_by(const vef_routing *routing) {
    return (reference_routing){
        .context = routing,
        .channels = routing->channels,
        .least_queue_packets = routing->least_queue_packets,
        .patient = routing->patient,
        .selection = routing->selection,
        .port_channels = routing->port_channels,
        .begin = by_begin,
        .alternatives = routing->algorithm->choice ? routing->alternatives : 0,
        .begin_alternative = by_begin_alternative,
        .choose = strncmp(routing->algorithm->name, "ugal", 4) == 0 ? NULL : by_choose,
        .candidates = by_candidates,
        .advance = by_advance,
        .leaves = routing->passes ? by_leaves : NULL,
        .weigh = routing->algorithm->weigh ? by_weigh : NULL,
        .begin_to_all = by_begin_to_all,
        .branches = by_branches,
        .advance_copy = by_advance_copy};
}
