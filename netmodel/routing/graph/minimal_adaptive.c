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

const vef_routing_algorithm vef_routing_minimal_adaptive = {
    .name = "minimal-adaptive",
    .summary = "every shortest path of any graph, over an up*/down* escape channel",
    .any_graph = true,
    .schema = schema,
    .parameter_bytes = sizeof(parameters),
    .supports = vef_shortest_paths_supports,
    .create = create,
    .begin = vef_shortest_paths_begin,
    .candidates = vef_minimal_over_up_down_candidates,
    .input = vef_routing_any_input,
    .advance = vef_minimal_over_up_down_advance,
};
