/* Minimal routing on any graph: every shortest path, on virtual channels that rise with the hops.
 *
 * Merlin and Schweitzer ("Deadlock avoidance in store-and-forward networks", IEEE Trans. Commun.
 * 1980), Gopal ("Prevention of store-and-forward deadlock in computer networks", 1985: classes that
 * count hops). At each hop the channel is a higher one than the last; where h hops are left after
 * this one, the h highest channels are kept for them. So a packet with few hops to go may choose
 * among many channels (the bonus cards of the literature), and one that goes all the way across the
 * network has exactly one for each hop.
 *
 * Bound: paths are minimal. Channels: as many as the greatest distance between routers with
 * endpoints (the default), or more. Freedom from deadlock: channels rise along every path, whatever
 * the graph. Example: in a de Bruijn network of diameter 3 a packet with 2 hops to go is offered
 * channels 0 and 1 on every link that leads nearer; having taken 1, channel 2 is left for the last.
 *
 * The distances are a table, or the family's formula where the table would be large (hops.h). */
#include "netmodel/routing/algorithms.h"
#include "netmodel/routing/graph/shortest_paths.h"

typedef struct parameters {
    int64_t channels;
} parameters;

static const vef_param schema[] = {
    {VEF_KEY(INT, parameters, channels), .fallback = "0", .minimum = 0, .maximum = VEF_MAX_CHANNELS,
     .help = "virtual channels per link, at least the diameter; 0: the diameter"},
    {.key = NULL},
};

static vef_code create(vef_routing *routing, vef_error *error) {
    const int64_t given = ((const parameters *)routing->parameters)->channels;
    vef_shortest_paths *paths = NULL;
    vef_code code = vef_shortest_paths_create(routing, &paths, error);
    if (code != VEF_OK)
        return code;
    const uint32_t needed = paths->hops.diameter > 0 ? paths->hops.diameter : 1;
    if (needed > VEF_MAX_CHANNELS)
        return vef_fail(error, VEF_UNSUPPORTED,
                        "paths of up to %u hops need as many virtual channels: out of range: at "
                        "most %d: expected minimal-adaptive or up-down, which need fewer",
                        needed, VEF_MAX_CHANNELS);
    if (given > 0 && given < needed)
        return vef_fail(error, VEF_UNSUPPORTED,
                        "channels: %lld is out of range: paths of up to %u hops need %u: expected "
                        "at least that, or 0 for exactly that",
                        (long long)given, needed, needed);
    routing->channels = given > 0 ? (uint32_t)given : needed;
    routing->most_candidates = vef_shortest_paths_most_rising(paths, routing->channels, 1);
    routing->least_queue_packets = 1;
    routing->uniform = true; /* distances do not change under symmetries */
    routing->rising = paths->hops.targets == routing->topology->routers;
    return vef_shortest_paths_check_candidates(routing, error);
}

/* The first channel that the packet may still take is in the route's routing-specific word. */
static uint32_t candidates(const vef_routing *routing, const vef_route *route, vef_place place,
                           vef_candidate *offered) {
    const vef_shortest_paths *paths = routing->state;
    const uint32_t target = vef_shortest_paths_target(route);
    const uint32_t here = vef_hops_to(&paths->hops, target, place.router);
    return vef_shortest_paths_offer(paths, target, place.router,
                                    (uint32_t)route->words[VEF_SHORTEST_PATHS_WORD],
                                    routing->channels + 1 - here, true, offered);
}

static void advance(const vef_routing *routing, vef_route *route, vef_place place, uint16_t port,
                    uint8_t channel) {
    (void)routing, (void)place, (void)port;
    route->words[VEF_SHORTEST_PATHS_WORD] = (int16_t)(channel + 1);
}

const vef_routing_algorithm vef_routing_minimal = {
    .name = "minimal",
    .aliases = "shortest-path shortest ecmp",
    .summary = "every shortest path of any graph, on channels that rise with the hops",
    .any_graph = true,
    VEF_PARAMETERS(schema, parameters),
    .supports = vef_shortest_paths_supports,
    .create = create,
    .begin = vef_shortest_paths_begin,
    .candidates = candidates,
    .input = vef_routing_any_input,
    .advance = advance,
};
