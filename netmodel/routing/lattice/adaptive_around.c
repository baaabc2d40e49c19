/* Adaptive routing on lattices with failures: every shortest path that is left, over an up*-down*
 * escape channel.
 *
 * Dimension order, the escape of adaptive.c, ends at a link that is down, and so may every minimal
 * record. As in SurePath (Camarero, Cano, Martinez and Beivide, "Achieving High-Performance
 * Fault-Tolerant Routing in HyperX Interconnection Networks", arXiv 2404.04315, 2024), packets look
 * for ways in the graph that is left: in the adaptive channels along any shortest one, chosen hop
 * by hop, and if none has room in the escape channel along up*-down* routing (up_down_graph.h), in
 * which they stay: its ways are not minimal, and who left it could go to and fro for ever. These
 * are the candidates of minimal_adaptive.c, with the keys of adaptive.c.
 *
 * Bound, channels, freedom from deadlock (Duato): as minimal-adaptive, with any wraps and twists.
 */
#include "netmodel/routing/algorithms.h"
#include "netmodel/routing/graph/up_down_graph.h"
#include "netmodel/routing/lattice/record.h"
#include "netmodel/routing/view.h"

enum { MOST_CREDITS, RANDOM, LEAST_OCCUPIED };
static const char *const selections[] = {[MOST_CREDITS] = "most-credits",
                                         [RANDOM] = "random",
                                         [LEAST_OCCUPIED] = "least-occupied",
                                         NULL};

typedef struct parameters {
    int64_t adaptive_channels, root;
    bool return_to_adaptive;
    int selection;
} parameters;

static const vef_param schema[] = {
    VEF_TOWARDS_ADAPTIVE_CHANNELS(parameters),
    {VEF_KEY(BOOL, parameters, return_to_adaptive), .fallback = "false",
     .help = "false: packets stay in the escape channel"},
    {VEF_KEY(CHOICE, parameters, selection), .fallback = "most-credits", .choices = selections,
     .help = "selection among the eligible adaptive channels: most credits, random, or the port "
             "with the fewest places taken"},
    VEF_LEGAL_ROOT(parameters),
    {.key = NULL},
};

static vef_code supports(const vef_topology *topology, vef_flow_control flow_control,
                         const void *given, vef_error *error) {
    (void)flow_control;
    (void)given;
    if (!topology->failures)
        return vef_fail(error, VEF_UNSUPPORTED, "expected failures");
    return vef_record_supports(vef_topology_whole(topology), error);
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

const vef_routing_algorithm vef_routing_adaptive_around = {
    .name = "adaptive",
    .summary = "with failures: every shortest path of a lattice, over an up*/down* escape channel",
    .around_failures = true,
    .schema = schema,
    .parameter_bytes = sizeof(parameters),
    .supports = supports,
    .create = create,
    .begin = vef_shortest_paths_begin,
    .candidates = vef_minimal_over_up_down_candidates,
    .weigh = vef_routing_weigh_occupied,
    .input = vef_routing_any_input,
    .advance = vef_minimal_over_up_down_advance,
};
