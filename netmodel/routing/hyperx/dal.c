/* DAL: the dimensions of HyperX networks in any order, by at most one deroute in each.
 *
 * Ahn, Binkert, Davis, McLaren and Schreiber, "HyperX: Topology, Routing, and Packaging of
 * Efficient Large-Scale Networks", SC 2009 (dimensionally-adaptive, load-balanced). At each router
 * the packet moves in any dimension left, minimally or, if it has not derouted in that dimension,
 * to any other router along it. Here the choice is that by the least weight (weighted.h), and
 * channels are those of SuperSim's dal (McDonald et al., see dimwar.c): one class for each hop.
 *
 * Bound: two hops in each dimension that the packet has to change, one where it has two routers.
 * Channels: a class for each hop, the hop's number: 2 D for D dimensions of three or more routers.
 * Freedom from deadlock: classes rise along every path.
 *
 * Example: on 4 x 4 routers from (0, 1) to (2, 3): x+1 (a deroute) on channel 0, y+1 (a deroute) on
 * channel 1, x+1 on channel 2, y+1 on channel 3. */
#include "netmodel/routing/algorithms.h"
#include "netmodel/routing/hyperx/weighted.h"

/* The hops so far, and the dimensions of deroutes, a bit for each. */
enum { HOPS_WORD = VEF_WEIGHTED_OWN_WORD, DEROUTED_WORD, OWN_WORDS = 3 };
static_assert(VEF_MAX_DIMENSIONS <= 32, "the bits of two words");

static vef_code create(vef_routing *routing, vef_error *error) {
    const vef_hyperx *hyperx = vef_hyperx_of(routing->topology);
    uint32_t classes = 0;
    for (uint32_t d = 0; d < hyperx->dimensions; d++)
        classes += hyperx->sizes[d] > 2 ? 2 : 1;
    return vef_weighted_create(routing, classes, OWN_WORDS, true, error);
}

static uint32_t candidates(const vef_routing *routing, const vef_route *route, vef_place place,
                           vef_candidate *offered) {
    const uint32_t hops = (uint32_t)route->words[HOPS_WORD];
    const uint32_t derouted = vef_route_uint32(route, DEROUTED_WORD);
    uint32_t count = 0;
    for (uint32_t d = 0; d < routing->topology->dimensions; d++)
        count += vef_weighted_offer(routing, route, place.router, d, !(derouted >> d & 1), hops,
                                    offered + count);
    return count;
}

static void advance(const vef_routing *routing, vef_route *route, vef_place place, uint16_t port,
                    uint8_t channel) {
    (void)channel;
    route->words[HOPS_WORD]++;
    if (!vef_weighted_advance(routing, route, place.router, port))
        return;
    const uint32_t dimension = vef_hyperx_dimension_of(vef_hyperx_of(routing->topology), port);
    const uint32_t derouted = vef_route_uint32(route, DEROUTED_WORD);
    vef_route_set_uint32(route, DEROUTED_WORD, derouted | UINT32_C(1) << dimension);
}

const vef_routing_algorithm vef_routing_dal = {
    .name = "dal",
    .summary = "adaptive on HyperX: dimensions in any order, one deroute in each",
    VEF_PARAMETERS(vef_weighted_schema, vef_weighted_parameters),
    VEF_WEIGHTED_HOOKS,
    .create = create,
    .candidates = candidates,
    .advance = advance,
};
