/* DimWAR: dimension order on HyperX networks, by at most one deroute in each dimension.
 *
 * McDonald, Isaev, Flores, Davis and Kim, "Practical and Efficient Incremental Adaptive Routing for
 * HyperX Networks", SC 2019 (dimensionally-ordered weighted adaptive routing). At each router the
 * packet moves in the first dimension left: minimally or, unless its last hop was a deroute in this
 * dimension, to any other router along it, by the least weight (weighted.h).
 *
 * Bound: two hops in each dimension that the packet has to change. Channels: two classes. Minimal
 * hops after a deroute are on the second, all others on the first. Freedom from deadlock: packets
 * wait from the first class of a dimension for the second of the same, and from either for both of
 * later dimensions.
 *
 * Example: on 4 x 4 routers from (0, 1) to (2, 3), with link x+2 crowded: x+1 on channel 0, x+1 on
 * channel 1, then y+2 on channel 0. */
#include "netmodel/routing/algorithms.h"
#include "netmodel/routing/hyperx/weighted.h"

/* Whether the last hop was a deroute. */
enum { DEROUTED_WORD = VEF_WEIGHTED_OWN_WORD, OWN_WORDS = 1 };

static vef_code create(vef_routing *routing, vef_error *error) {
    return vef_weighted_create(routing, 2, OWN_WORDS, false, error);
}

static uint32_t candidates(const vef_routing *routing, const vef_route *route, vef_place place,
                           vef_candidate *offered) {
    const bool derouted = route->words[DEROUTED_WORD] != 0;
    uint32_t count = 0;
    for (uint32_t d = 0; d < routing->topology->dimensions && count == 0; d++)
        count = vef_weighted_offer(routing, route, place.router, d, !derouted, derouted, offered);
    return count;
}

static void advance(const vef_routing *routing, vef_route *route, vef_place place, uint16_t port,
                    uint8_t channel) {
    (void)channel;
    route->words[DEROUTED_WORD] = vef_weighted_advance(routing, route, place.router, port);
}

const vef_routing_algorithm vef_routing_dimwar = {
    .name = "dimwar",
    .aliases = "doal dim-war",
    .summary = "adaptive on HyperX: dimension order, minimal or by one deroute in each dimension",
    VEF_PARAMETERS(vef_weighted_schema, vef_weighted_parameters),
    VEF_WEIGHTED_HOOKS,
    .create = create,
    .candidates = candidates,
    .advance = advance,
};
