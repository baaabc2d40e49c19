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

static const vef_param schema[] = {
    VEF_TOWARDS_ADAPTIVE_CHANNELS(parameters),
    VEF_LEGAL_ROOT(parameters),
    {.key = NULL},
};

static vef_code create(vef_routing *routing, vef_error *error) {
    const parameters *given = routing->parameters;
    return vef_over_up_down_create(routing, given->adaptive_channels, given->root, false, error);
}

static uint32_t candidates(const vef_routing *routing, const vef_route *route, vef_place place,
                           vef_candidate *offered) {
    const vef_over_up_down *made = routing->state;
    const uint32_t target = vef_shortest_paths_target(route);
    uint32_t count = 0;
    if (!vef_over_up_down_escaped(route))
        count =
            vef_shortest_paths_offer(&made->paths, target, place.router, VEF_OVER_ADAPTIVE_CHANNEL,
                                     routing->channels, false, offered);
    return count + vef_over_up_down_offer(routing, route, place.router, offered + count);
}

static void advance(const vef_routing *routing, vef_route *route, vef_place place, uint16_t port,
                    uint8_t channel) {
    if (channel == VEF_OVER_ESCAPE_CHANNEL)
        vef_over_up_down_advance(routing, route, place.router, port);
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
