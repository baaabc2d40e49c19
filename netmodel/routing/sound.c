/* Checks of routings that plug-ins made. See algorithms.h. */
#include "netmodel/routing/algorithms.h"

#include "common/memory.h"

#include <stdlib.h>

enum { TRIED_PAIRS = 4096 };

static vef_code check_fields(const vef_routing *routing, vef_error *error) {
    if (routing->channels < 1 || routing->channels > VEF_MAX_CHANNELS ||
        routing->most_candidates < 1 || routing->most_candidates > VEF_MAX_CANDIDATES ||
        routing->route_words < 1 || routing->route_words > VEF_ROUTE_WORDS)
        return vef_fail(error, VEF_INVALID,
                        "plug-in: %u channels, %u candidates, %u words: expected 1 to %d, 1 to %d, "
                        "1 to %d",
                        routing->channels, routing->most_candidates, routing->route_words,
                        VEF_MAX_CHANNELS, VEF_MAX_CANDIDATES, VEF_ROUTE_WORDS);
    if (routing->alternatives < 1 || routing->alternatives > VEF_MAX_ALTERNATIVES ||
        (routing->alternatives > 1 && !routing->algorithm->choice) ||
        routing->traffic_classes < 1 || routing->traffic_classes > UINT8_MAX + 1 ||
        routing->least_queue_packets < 1)
        return vef_fail(error, VEF_INVALID,
                        "plug-in: %u alternatives, %u traffic classes, queues of %u packets: "
                        "expected 1 to %d (1 without a choice), 1 to %d, at least 1",
                        routing->alternatives, routing->traffic_classes,
                        routing->least_queue_packets, VEF_MAX_ALTERNATIVES, UINT8_MAX + 1);
    const bool weighs =
        routing->selection == VEF_SELECT_COST || routing->selection == VEF_SELECT_ONCE;
    if ((routing->passes && !routing->algorithm->leaves) ||
        (routing->signatures > 0 && !routing->algorithm->signature) ||
        (weighs && !routing->algorithm->weigh))
        return vef_fail(error, VEF_INVALID,
                        "plug-in: expected `leaves` where packets pass, `signature` where there "
                        "are signatures, and `weigh` for a selection by cost");
    return VEF_OK;
}

static bool exists(const vef_routing *routing, uint32_t router, vef_candidate candidate) {
    const vef_topology *topology = routing->topology;
    return candidate.port < topology->ports &&
           candidate.channel < (routing->port_channels ? routing->port_channels[candidate.port]
                                                       : routing->channels) &&
           candidate.slots_needed >= 1 &&
           vef_topology_next(topology, router, candidate.port) != VEF_NO_ROUTER;
}

/* The candidate by which a packet is followed: the first escape. `offered` has room for
 * most_candidates. */
static vef_code choose(const vef_routing *routing, const vef_route *route, vef_place place,
                       vef_candidate *offered, vef_candidate *chosen, vef_error *error) {
    const uint32_t count = routing->algorithm->candidates(routing, route, place, offered);
    if (count > routing->most_candidates)
        return vef_fail(error, VEF_INVALID,
                        "plug-in: at router %u it offers %u candidates: expected at most %u",
                        place.router, count, routing->most_candidates);
    if (routing->signatures > 0 &&
        routing->algorithm->signature(routing, route) >= routing->signatures)
        return vef_fail(error, VEF_INVALID,
                        "plug-in: at router %u a signature is out of range: expected below %u",
                        place.router, routing->signatures);
    for (uint32_t i = 0; i < count; i++)
        if (!exists(routing, place.router, offered[i]))
            return vef_fail(error, VEF_INVALID,
                            "plug-in: at router %u it offers port %u, channel %u, %u places: "
                            "expected a port with a link, a channel below %u, and a place",
                            place.router, offered[i].port, offered[i].channel,
                            offered[i].slots_needed, routing->channels);
    for (uint32_t i = 0; i < count; i++)
        if (offered[i].escape) {
            *chosen = offered[i];
            return VEF_OK;
        }
    return vef_fail(error, VEF_INVALID,
                    "plug-in: at router %u it offers %u candidates, none of them an escape",
                    place.router, count);
}

/* The hop's effect on the route, which must be that of `steps`, and stay within route_words. */
static vef_code advance(const vef_routing *routing, vef_route *route, vef_place place,
                        vef_candidate next, vef_error *error) {
    vef_route stepped = *route;
    routing->algorithm->advance(routing, route, place, next.port, next.channel);
    for (uint32_t word = routing->route_words; word < VEF_ROUTE_WORDS; word++)
        if (route->words[word] != stepped.words[word])
            return vef_fail(error, VEF_INVALID,
                            "plug-in: a hop changes word %u of a route: expected one below "
                            "route_words, %u",
                            word, routing->route_words);
    if (!routing->steps)
        return VEF_OK;
    const vef_route_step step = routing->steps[next.port];
    if (step.word < routing->route_words)
        stepped.words[step.word] = (int16_t)(stepped.words[step.word] + step.change);
    if (step.word >= routing->route_words || memcmp(&stepped, route, sizeof stepped) != 0)
        return vef_fail(error, VEF_INVALID,
                        "plug-in: a hop by port %u: `steps` and `advance` differ", next.port);
    return VEF_OK;
}

static vef_code follow(const vef_routing *routing, const vef_travel *travel, vef_route route,
                       vef_candidate *offered, vef_error *error) {
    const vef_topology *topology = routing->topology;
    const uint64_t most_hops = UINT64_C(4) * topology->routers + 64;
    vef_place place = {.router = travel->from, .in_port = VEF_INJECTED};
    vef_code code = VEF_OK;
    for (uint64_t hops = 0;
         code == VEF_OK && !vef_routing_arrived(routing, &route, place.router, travel->to);
         hops++) {
        vef_candidate next = {0};
        if (hops == most_hops)
            return vef_fail(error, VEF_INVALID, "plug-in: after %llu hops it has not arrived",
                            (unsigned long long)hops);
        code = choose(routing, &route, place, offered, &next, error);
        if (code == VEF_OK)
            code = advance(routing, &route, place, next, error);
        place = vef_place_after(topology, place, next.port, next.channel);
    }
    return code;
}

/* A packet of each alternative. */
static vef_code try_pair(const vef_routing *routing, const vef_travel *travel,
                         vef_candidate *offered, vef_error *error) {
    const vef_choice *choice = routing->algorithm->choice;
    vef_code code = VEF_OK;
    for (uint32_t i = 0; code == VEF_OK && i < routing->alternatives; i++) {
        vef_draws draws = {0};
        vef_route route = {{0}};
        if (choice)
            choice->begin(routing, travel, i, &draws, &route);
        else
            routing->algorithm->begin(routing, travel, &draws, &route);
        code = follow(routing, travel, route, offered, error);
    }
    if (code != VEF_OK)
        vef_fail_within(error, "a packet from router %u to router %u", travel->from, travel->to);
    return code;
}

vef_code vef_routing_check_sound(const vef_routing *routing, vef_error *error) {
    const vef_topology *topology = routing->topology;
    const uint64_t pairs = (uint64_t)topology->endpoints * topology->endpoints;
    const uint64_t step = pairs > TRIED_PAIRS ? pairs / TRIED_PAIRS | 1 : 1;
    vef_code code = check_fields(routing, error);
    if (code != VEF_OK)
        return code;
    /* Room for those that it may not offer, too. */
    vef_candidate *offered = vef_malloc(VEF_MAX_CANDIDATES * sizeof *offered);
    for (uint64_t pair = 0; code == VEF_OK && pair < pairs; pair += step) {
        vef_travel travel = {.source = (uint32_t)(pair / topology->endpoints),
                             .destination = (uint32_t)(pair % topology->endpoints)};
        travel.from = vef_topology_router_of(topology, travel.source);
        travel.to = vef_topology_router_of(topology, travel.destination);
        if (travel.from != travel.to)
            code = try_pair(routing, &travel, offered, error);
    }
    free(offered);
    return code;
}
