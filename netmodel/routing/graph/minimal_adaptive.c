/* Minimal adaptive routing on any graph, over an up-down escape channel.
 *
 * Silla and Duato ("High-Performance Routing in Networks of Workstations with Irregular Topology",
 * IEEE TPDS 2000): channels 1 and up may be taken along every shortest path; when none is free, the
 * escape channel 0 along a shortest legal way of up-down routing (up_down_graph.h). A packet that
 * took the escape stays in it, or it could go to and fro for ever.
 *
 * Bound: the hops to the destination, while it stays out of the escape; from where it enters it,
 * the shortest legal way. Channels: two or more. Freedom from deadlock (Duato): the escape is
 * without cycles, whatever the graph, and a packet in an adaptive channel may begin a legal way at
 * any router. */
#include "netmodel/routing/algorithms.h"
#include "netmodel/routing/graph/up_down_graph.h"

typedef struct parameters {
    int64_t adaptive_channels, root;
} parameters;

typedef struct state {
    vef_shortest_paths paths; /* first: shared with vef_shortest_paths_begin */
    vef_up_down_graph legal;
} state;

/* The routing-specific word of the route: in the adaptive channels, or in the escape. */
enum { ADAPTIVE, RISING, FALLING };
enum { ESCAPE_CHANNEL = 0 };

static const vef_param schema[] = {
    VEF_TOWARDS_ADAPTIVE_CHANNELS(parameters),
    VEF_LEGAL_ROOT(parameters),
    {.key = NULL},
};

static vef_code create(vef_routing *routing, vef_error *error) {
    const parameters *given = routing->parameters;
    state *made = vef_arena_alloc(&routing->arena, 1, sizeof *made);
    routing->state = made;
    routing->channels = (uint32_t)given->adaptive_channels + 1;
    routing->least_queue_packets = 1;
    vef_code code = vef_shortest_paths_fill(routing, &made->paths, error);
    if (code != VEF_OK)
        return code;
    routing->most_candidates =
        made->paths.most_links + vef_shortest_paths_most(&made->paths, routing->channels - 1);
    code = vef_shortest_paths_check_candidates(routing, error);
    if (code != VEF_OK)
        return code;
    return vef_up_down_graph_create(routing->topology, &made->paths.hops, given->root,
                                    &routing->arena, &made->legal, error);
}

static uint32_t candidates(const vef_routing *routing, const vef_route *route, vef_place place,
                           vef_candidate *offered) {
    const state *made = routing->state;
    const uint32_t target = vef_shortest_paths_target(route);
    const int16_t phase = route->words[VEF_SHORTEST_PATHS_WORD];
    uint32_t count = 0;
    if (phase == ADAPTIVE)
        count = vef_shortest_paths_offer(&made->paths, target, place.router, 1, routing->channels,
                                         false, offered);
    return count + vef_up_down_graph_offer(&made->legal, target, place.router, phase == FALLING,
                                           ESCAPE_CHANNEL, 1, 1, offered + count);
}

static void advance(const vef_routing *routing, vef_route *route, vef_place place, uint16_t port,
                    uint8_t channel) {
    const state *made = routing->state;
    if (channel == ESCAPE_CHANNEL)
        route->words[VEF_SHORTEST_PATHS_WORD] =
            vef_up_down_graph_rises(&made->legal, place.router, port) ? RISING : FALLING;
}

const vef_routing_algorithm vef_routing_minimal_adaptive = {
    .name = "minimal-adaptive",
    .summary = "every shortest path of any graph, over an up*/down* escape channel",
    .any_graph = true,
    .schema = schema,
    .parameter_bytes = sizeof(parameters),
    .supports = vef_shortest_paths_supports,
    .create = create,
    .begin = vef_shortest_paths_begin,
    .candidates = candidates,
    .input = vef_routing_any_input,
    .advance = advance,
};
