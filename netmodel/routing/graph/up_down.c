/* Up-down routing (up*, down*) on any graph: the shortest legal ways.
 *
 * Schroeder et al. ("Autonet: A High-Speed, Self-Configuring Local Area Network Using
 * Point-to-Point Links", IEEE JSAC 1991, section on routing); up_down_graph.h for the directions of
 * links. Every link on a shortest legal way may be taken.
 *
 * Bound: a way goes up and down again, at most twice the hops from the root to the farthest router;
 * it need not be minimal in the graph. Channels: one is enough; with more, any is taken at each
 * hop. Freedom from deadlock: no packet goes up after it went down, and both directions are without
 * cycles, on any graph. Example: on a ring of six with root 0, a packet from 2 to 4 goes up to 1
 * and 0 and down to 5 and 4, since going down to 3 and up to 4 is not allowed (3 is the lowest). */
#include "netmodel/routing/algorithms.h"
#include "netmodel/routing/graph/up_down_graph.h"

typedef struct parameters {
    int64_t channels, root;
} parameters;

typedef struct state {
    vef_hops hops; /* the targets alone */
    vef_up_down_graph legal;
} state;

static const vef_param schema[] = {
    {VEF_KEY(INT, parameters, channels), .fallback = "1", .minimum = 1, .maximum = VEF_MAX_CHANNELS,
     .help = "virtual channels per link"},
    VEF_LEGAL_ROOT(parameters),
    {.key = NULL},
};

static vef_code create(vef_routing *routing, vef_error *error) {
    const parameters *given = routing->parameters;
    state *made = vef_arena_alloc(&routing->arena, 1, sizeof *made);
    routing->state = made;
    routing->channels = (uint32_t)given->channels;
    routing->least_queue_packets = 1;
    routing->most_candidates = vef_shortest_paths_most_links(routing->topology) * routing->channels;
    vef_code code = vef_shortest_paths_check_candidates(routing, error);
    if (code != VEF_OK)
        return code;
    vef_hops_find_targets(routing->topology, &routing->arena, &made->hops);
    return vef_up_down_graph_create(routing->topology, &made->hops, given->root, NULL,
                                    &routing->arena, &made->legal, error);
}

/* The routing-specific word of the route: whether the packet went down. */
static void begin(const vef_routing *routing, const vef_travel *travel, vef_draws *draws,
                  vef_route *route) {
    (void)draws;
    const state *made = routing->state;
    vef_shortest_paths_set_target(route, made->hops.target_of[travel->to]);
}

static uint32_t candidates(const vef_routing *routing, const vef_route *route, vef_place place,
                           vef_candidate *offered) {
    const state *made = routing->state;
    return vef_up_down_graph_offer(&made->legal, vef_shortest_paths_target(route), place.router,
                                   route->words[VEF_SHORTEST_PATHS_WORD] != 0, 0, routing->channels,
                                   0, offered);
}

static void advance(const vef_routing *routing, vef_route *route, vef_place place, uint16_t port,
                    uint8_t channel) {
    (void)channel;
    const state *made = routing->state;
    route->words[VEF_SHORTEST_PATHS_WORD] =
        !vef_up_down_graph_rises(&made->legal, place.router, port);
}

const vef_routing_algorithm vef_routing_up_down = {
    .name = "up-down",
    .summary = "up*/down* on any graph: towards a root, then away from it",
    .any_graph = true,
    VEF_PARAMETERS(schema, parameters),
    .supports = vef_shortest_paths_supports,
    .create = create,
    .begin = begin,
    .candidates = candidates,
    .input = vef_routing_any_input,
    .advance = advance,
};
