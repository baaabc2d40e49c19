/* Legs on any topology: every shortest path, on channels that rise with the hops of the leg.
 *
 * Each phase is routed like graph/minimal.c, on channels of its own: as many as the greatest
 * distance between routers with endpoints, one for each hop, with spare ones for packets that have
 * fewer hops to go. The intermediate router is one with endpoints, drawn uniformly.
 *
 * Freedom from deadlock: channels rise along every route. Channels: 2 x diameter x `channels`: a
 * hop of class h may take `channels` channels of the same class.
 *
 * Example: in a Slim Fly (diameter 2) a packet over a router that is two hops away takes channels 0
 * and 1, then 2 and 3; a minimal route takes 2 and 3, and one of a single hop either. */
#include "netmodel/routing/graph/shortest_paths.h"
#include "netmodel/routing/two_phase/two_phase.h"

typedef struct graph_legs {
    vef_shortest_paths paths;
    uint32_t classes; /* of a phase: the diameter */
    uint32_t channels;
} graph_legs;

enum { LEG_WORDS = VEF_SHORTEST_PATHS_WORD + 1 };

static const graph_legs *legs_of(const vef_routing *routing) {
    return ((const vef_two_phase *)routing->state)->legs;
}

static vef_code create(vef_routing *routing, const vef_two_phase_request *request,
                       vef_two_phase *two_phase, vef_error *error) {
    const int64_t channels = request->channels;
    graph_legs *made = vef_arena_alloc(&routing->arena, 1, sizeof *made);
    vef_code code = vef_shortest_paths_fill(routing, &made->paths, error);
    if (code != VEF_OK)
        return code;
    made->classes = made->paths.hops.diameter > 0 ? made->paths.hops.diameter : 1;
    made->channels = (uint32_t)channels;
    const uint64_t needed = 2 * (uint64_t)made->classes * made->channels;
    if (needed > VEF_MAX_CHANNELS)
        return vef_fail(error, VEF_UNSUPPORTED,
                        "two phases of up to %u hops with channels: %lld need %llu virtual "
                        "channels: out of range: expected at most %d",
                        made->classes, (long long)channels, (unsigned long long)needed,
                        VEF_MAX_CHANNELS);
    two_phase->legs = made;
    two_phase->leg_words = LEG_WORDS;
    routing->channels = (uint32_t)needed;
    routing->most_candidates =
        vef_shortest_paths_most_rising(&made->paths, made->classes, made->channels);
    routing->least_queue_packets = 1;
    routing->uniform = true; /* distances do not change under symmetries */
    if (made->paths.hops.targets < routing->topology->routers)
        routing->legs = NULL; /* they may pass routers without endpoints */
    return vef_shortest_paths_check_candidates(routing, error);
}

static uint32_t draw_middle(const vef_routing *routing, const vef_travel *travel,
                            vef_draws *draws) {
    (void)travel;
    const vef_hops *hops = &legs_of(routing)->paths.hops;
    return hops->target[vef_draw_below(draws, hops->targets)];
}

static void begin(const vef_routing *routing, uint32_t from, uint32_t to, uint32_t variant,
                  vef_route *route) {
    (void)from, (void)variant;
    vef_route_set_uint32(route, VEF_SHORTEST_PATHS_TARGET_WORD,
                         legs_of(routing)->paths.hops.target_of[to]);
    route->words[VEF_SHORTEST_PATHS_WORD] = 0;
}

static bool ended(const vef_routing *routing, const vef_route *route, uint32_t router) {
    return legs_of(routing)->paths.hops.target[vef_shortest_paths_target(route)] == router;
}

/* The first class that the packet may still take in this leg is in the route. */
static uint32_t offer(const vef_routing *routing, uint32_t phase, const vef_route *route,
                      vef_place place, vef_candidate *offered) {
    const graph_legs *legs = legs_of(routing);
    const uint32_t target = vef_shortest_paths_target(route);
    const uint32_t here = vef_hops_to(&legs->paths.hops, target, place.router);
    const uint32_t first = (uint32_t)route->words[VEF_SHORTEST_PATHS_WORD];
    const uint32_t base = phase * legs->classes;
    return vef_shortest_paths_offer(
        &legs->paths, target, place.router, (base + first) * legs->channels,
        (base + legs->classes + 1 - here) * legs->channels, true, offered);
}

static void advance(const vef_routing *routing, vef_route *route, vef_place place, uint16_t port,
                    uint8_t channel) {
    (void)place, (void)port;
    const graph_legs *legs = legs_of(routing);
    route->words[VEF_SHORTEST_PATHS_WORD] = (int16_t)(channel / legs->channels % legs->classes + 1);
}

const vef_leg_kind vef_leg_kind_graph = {
    .name = "shortest paths",
    .supports = vef_shortest_paths_supports,
    .create = create,
    .draw_middle = draw_middle,
    .begin = begin,
    .ended = ended,
    .offer = offer,
    .advance = advance,
};
