/* Dimension order on HyperX networks: one hop in each dimension in which source and destination
 * differ, dimension 0 first.
 *
 * Ahn, Binkert, Davis, McLaren and Schreiber, "HyperX: Topology, Routing, and Packaging of
 * Efficient Large-Scale Networks", SC 2009. Where links are parallel, a packet may take any of
 * them.
 *
 * Bound: minimal. Channels: one or more. Freedom from deadlock: packets wait from links of a
 * dimension for links of later dimensions only.
 *
 * Example: on 4 x 4 routers from (0, 1) to (2, 3): x+2, then y+2. */
#include "netmodel/routing/algorithms.h"
#include "netmodel/routing/hyperx/order.h"

typedef struct parameters {
    int64_t channels;
} parameters;

static const vef_param schema[] = {
    {VEF_KEY(INT, parameters, channels), .fallback = "1", .minimum = 1, .maximum = VEF_MAX_CHANNELS,
     .help = "virtual channels per link"},
    {.key = NULL},
};

static vef_code create(vef_routing *routing, vef_error *error) {
    const parameters *given = routing->parameters;
    const uint32_t links = vef_order_most_links(vef_hyperx_of(routing->topology));
    routing->channels = (uint32_t)given->channels;
    routing->most_candidates = routing->channels * links;
    routing->signatures = routing->topology->ports;
    routing->route_words = VEF_ORDER_WORDS;
    routing->least_queue_packets = 1;
    routing->uniform = true;
    return vef_routing_check_candidates(routing->channels, links, error);
}

static void begin(const vef_routing *routing, const vef_travel *travel, vef_draws *draws,
                  vef_route *route) {
    (void)draws;
    memset(route, 0, sizeof *route);
    vef_order_begin(vef_hyperx_of(routing->topology), travel->from, travel->to, route);
}

static uint32_t candidates(const vef_routing *routing, const vef_route *route, vef_place place,
                           vef_candidate *offered) {
    (void)place;
    return vef_order_offer(vef_hyperx_of(routing->topology), route, 0, routing->channels, offered);
}

const vef_routing_algorithm vef_routing_dor_hyperx = {
    .name = "dor",
    .aliases = "dimension-order xy xyz e-cube deterministic",
    .summary = "dimension order on HyperX, by any of the parallel links",
    VEF_PARAMETERS(schema, parameters),
    .supports = vef_hyperx_supports,
    .create = create,
    .begin = begin,
    .candidates = candidates,
    .input = vef_routing_any_input,
    .signature = vef_order_signature,
    .advance = vef_order_advance,
};
