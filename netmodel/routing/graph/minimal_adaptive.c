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
 * any router.
 *
 * adaptive, on lattices with failures (adaptive.c is for whole ones): the same, with the keys of
 * that routing. Dimension order, its escape, ends at a link that is down, and so may every minimal
 * record; as in SurePath (Camarero, Cano, Martinez and Beivide, arXiv 2404.04315, 2024) packets
 * look for ways in the graph that is left, whatever its wraps and twists. */
#include "netmodel/routing/algorithms.h"
#include "netmodel/routing/graph/up_down_graph.h"

enum { MOST_CREDITS, RANDOM, LEAST_OCCUPIED };
typedef struct parameters {
    int64_t adaptive_channels, root;
    bool return_to_adaptive;
    int selection;
} parameters;

static const vef_param schema[] = {
    VEF_TOWARDS_ADAPTIVE_CHANNELS(parameters),
    VEF_LEGAL_ROOT(parameters),
    {.key = NULL},
};

static const vef_param schema_around[] = {
    VEF_TOWARDS_ADAPTIVE_CHANNELS(parameters),
    {VEF_KEY(BOOL, parameters, return_to_adaptive), .fallback = "false",
     .help = "false: packets stay in the escape channel"},
    {VEF_KEY(CHOICE, parameters, selection), .fallback = "most-credits",
     .choices = VEF_LIST([MOST_CREDITS] = "most-credits", [RANDOM] = "random",
                         [LEAST_OCCUPIED] = "least-occupied"),
     .help = "selection among the eligible adaptive channels: most credits, random, or the port "
             "with the fewest places taken"},
    VEF_LEGAL_ROOT(parameters),
    {.key = NULL},
};

static vef_code supports_around(const vef_topology *topology, vef_flow_control flow_control,
                                const void *given, vef_error *error) {
    if (topology->failures && vef_topology_whole(topology)->lattice)
        return vef_shortest_paths_supports(topology, flow_control, given, error);
    return vef_fail(error, VEF_UNSUPPORTED, "expected a lattice with failures");
}

static vef_code create(vef_routing *routing, vef_error *error) {
    const parameters *given = routing->parameters;
    if (given->return_to_adaptive)
        return vef_fail(error, VEF_INVALID,
                        "return_to_adaptive: not supported with failures, where packets that leave "
                        "the escape channel could go to and fro for ever: expected false");
    if (given->selection == RANDOM)
        routing->selection = VEF_SELECT_ANY;
    if (given->selection == LEAST_OCCUPIED)
        routing->selection = VEF_SELECT_COST;
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
    VEF_PARAMETERS(schema, parameters),
    .supports = vef_shortest_paths_supports,
    .create = create,
    .begin = vef_shortest_paths_begin,
    .candidates = candidates,
    .input = vef_routing_any_input,
    .advance = advance,
};

const vef_routing_algorithm vef_routing_adaptive_around = {
    .name = "adaptive",
    .summary = "with failures: every shortest path of a lattice, over an up*/down* escape channel",
    .around_failures = true,
    VEF_PARAMETERS(schema_around, parameters),
    .supports = supports_around,
    .create = create,
    .begin = vef_shortest_paths_begin,
    .candidates = candidates,
    .weigh = vef_routing_weigh_occupied,
    .input = vef_routing_any_input,
    .advance = advance,
};
