/* OmniWAR: the dimensions of HyperX networks in any order, by a limited number of deroutes.
 *
 * McDonald, Isaev, Flores, Davis and Kim, "Practical and Efficient Incremental Adaptive Routing for
 * HyperX Networks", SC 2019 (omni-dimensional weighted adaptive routing). At each router the packet
 * moves in any dimension left, minimally or, as long as it has deroutes left, to any other router
 * along that dimension, by the least weight (weighted.h). It may take all its deroutes in one
 * dimension.
 *
 * Bound: the distance plus `deroutes` M. Channels: a class for each hop, the hop's number, which
 * are D + M for D dimensions. Freedom from deadlock: classes rise along every path.
 *
 * The paper leaves M to the network's designer; the default here is D, as many as dal may take. In
 * SuperSim, the simulator of the authors, a packet may deroute as long as there are more classes
 * left than hops: packets with less than D hops to go have more deroutes there.
 *
 * Example: on 4 x 4 routers with M = 1 from (0, 1) to (2, 3): y+2 on channel 0, x+3 (a deroute) on
 * channel 1, x+3 on channel 2. */
#include "netmodel/routing/algorithms.h"
#include "netmodel/routing/hyperx/weighted.h"

typedef struct parameters {
    vef_weighted_parameters weighted; /* first */
    int64_t deroutes;
} parameters;

static const vef_param schema[] = {
    VEF_WEIGHTED_KEYS,
    {VEF_KEY(INT, parameters, deroutes), .fallback = "-1", .minimum = -1,
     .maximum = VEF_MAX_CHANNELS,
     .help = "maximum number of deroutes of a packet (M); -1: as many as dimensions"},
    {.key = NULL},
};

enum { HOPS_WORD = VEF_WEIGHTED_OWN_WORD, DEROUTES_WORD, OWN_WORDS = 2 };

static uint32_t most_deroutes(const vef_routing *routing) {
    const int64_t given = ((const parameters *)routing->parameters)->deroutes;
    return given < 0 ? routing->topology->dimensions : (uint32_t)given;
}

static vef_code create(vef_routing *routing, vef_error *error) {
    const uint32_t classes = routing->topology->dimensions + most_deroutes(routing);
    return vef_weighted_create(routing, classes, OWN_WORDS, true, error);
}

static uint32_t candidates(const vef_routing *routing, const vef_route *route, vef_place place,
                           vef_candidate *offered) {
    const uint32_t hops = (uint32_t)route->words[HOPS_WORD];
    const bool deroutes = (uint32_t)route->words[DEROUTES_WORD] < most_deroutes(routing);
    uint32_t count = 0;
    for (uint32_t d = 0; d < routing->topology->dimensions; d++)
        count +=
            vef_weighted_offer(routing, route, place.router, d, deroutes, hops, offered + count);
    return count;
}

static void advance(const vef_routing *routing, vef_route *route, vef_place place, uint16_t port,
                    uint8_t channel) {
    (void)channel;
    route->words[HOPS_WORD]++;
    if (vef_weighted_advance(routing, route, place.router, port))
        route->words[DEROUTES_WORD]++;
}

const vef_routing_algorithm vef_routing_omniwar = {
    .name = "omniwar",
    .aliases = "omni-war omnidimensional",
    .summary = "adaptive on HyperX: dimensions in any order, minimal or by a deroute",
    VEF_PARAMETERS(schema, parameters),
    VEF_WEIGHTED_HOOKS,
    .create = create,
    .candidates = candidates,
    .advance = advance,
};
