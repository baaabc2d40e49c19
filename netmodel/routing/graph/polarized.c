/* Polarized routing on any graph: away from the source and towards the destination, by the state of
 * queues.
 *
 * Camarero, Martinez and Beivide, "Polarized Routing: an Efficient and Versatile Algorithm for
 * Large Direct Networks" (Hot Interconnects 2021), and "Polarized Routing for Large Interconnection
 * Networks" (IEEE Micro 42(2), 2022). Let a be the distance from the source and b that to the
 * destination. A hop must not reduce a - b. One that leaves it unchanged must lead away from the
 * source as long as a < b, and towards the destination from then on. Among these hops a packet
 * takes the one of least cost: the places taken in the queues of the port, plus `penalty` for each
 * of the two by which the hop increases a - b less than it could.
 *
 * In some graphs a packet can come to a router without such a hop. From there on it goes minimally:
 * so does, in this implementation, a packet that has only as many channels left as hops to go.
 *
 * Bound: at most 4 x diameter - 3 hops, or `channels`. Channels: one for each hop, the hop's
 * number. Freedom from deadlock: channels rise along every route, whatever the graph, and whichever
 * of the candidates a packet keeps.
 *
 * Example: in the Petersen graph (diameter 2) from one router to a neighbour (a = 0, b = 1): the
 * direct hop increases a - b by 2; both others lead to a = 1, b = 2, which leaves it unchanged. */
#include "netmodel/routing/algorithms.h"
#include "netmodel/routing/graph/shortest_paths.h"
#include "netmodel/routing/view.h"

typedef struct parameters {
    int64_t channels, penalty;
} parameters;

static const vef_param schema[] = {
    {VEF_KEY(INT, parameters, channels), .fallback = "0", .minimum = 0, .maximum = VEF_MAX_CHANNELS,
     .help = "virtual channels per link, and the maximum number of hops, at least the diameter; 0: "
             "4 x diameter - 3, or 64 if that is more"},
    {VEF_KEY(INT, parameters, penalty), .fallback = "2", .minimum = 0, .maximum = 1 << 20,
     .help = "cost of a hop that leads away from the source or towards the destination, but not "
             "both, in places taken; twice as much for one that does neither"},
    {.key = NULL},
};

/* Words of the route: the destination (VEF_SHORTEST_PATHS_WORD before these), the hops so far, with
 * MINIMAL added from the router on where only minimal hops are left; and the source. */
enum { HOPS_WORD = VEF_SHORTEST_PATHS_WORD, SOURCE_WORD, WORDS = SOURCE_WORD + 2 };
enum { MINIMAL = 1 << 8 };

static vef_code create(vef_routing *routing, vef_error *error) {
    const int64_t given = ((const parameters *)routing->parameters)->channels;
    vef_shortest_paths *paths = NULL;
    vef_code code = vef_shortest_paths_create(routing, &paths, error);
    if (code != VEF_OK)
        return code;
    const uint32_t diameter = paths->hops.diameter > 0 ? paths->hops.diameter : 1;
    if (diameter > VEF_MAX_CHANNELS || (given > 0 && given < diameter))
        return vef_fail(error, VEF_UNSUPPORTED,
                        "paths of up to %u hops need as many virtual channels: out of range: "
                        "expected channels: %u to %d",
                        diameter, diameter, VEF_MAX_CHANNELS);
    const uint32_t longest = 4 * diameter - 3;
    routing->channels = given > 0                    ? (uint32_t)given
                        : longest < VEF_MAX_CHANNELS ? longest
                                                     : VEF_MAX_CHANNELS;
    routing->route_words = WORDS;
    routing->most_candidates = paths->most_links;
    routing->least_queue_packets = 1;
    routing->uniform = true; /* distances do not change under symmetries */
    routing->selection = VEF_SELECT_ONCE;
    return VEF_OK;
}

static void begin(const vef_routing *routing, const vef_travel *travel, vef_draws *draws,
                  vef_route *route) {
    const vef_shortest_paths *paths = routing->state;
    vef_shortest_paths_begin(routing, travel, draws, route);
    vef_route_set_uint32(route, SOURCE_WORD, paths->hops.target_of[travel->from]);
}

/* Distances of routers from the ends of the route. */
typedef struct ends {
    const vef_hops *hops;
    uint32_t source, target;
    uint32_t left; /* hops that the packet may still take */
    bool minimal;
    int a, b; /* of the router where the packet is */
} ends;

static ends ends_of(const vef_routing *routing, const vef_route *route, uint32_t router) {
    const vef_shortest_paths *paths = routing->state;
    const uint32_t word = (uint32_t)route->words[HOPS_WORD];
    ends found = {.hops = &paths->hops,
                  .source = vef_route_uint32(route, SOURCE_WORD),
                  .target = vef_shortest_paths_target(route),
                  .left = routing->channels - (word & ~(uint32_t)MINIMAL),
                  .minimal = (word & MINIMAL) != 0};
    found.a = (int)vef_hops_to(found.hops, found.source, router);
    found.b = (int)vef_hops_to(found.hops, found.target, router);
    return found;
}

/* By how much a hop to `next` increases a - b; negative: the packet may not take it. */
static int gain(const ends *pair, uint32_t next) {
    enum { NOT_ALLOWED = -1 };
    const int b = (int)vef_hops_to(pair->hops, pair->target, next);
    if ((uint32_t)b + 1 > pair->left)
        return NOT_ALLOWED;
    const int a = (int)vef_hops_to(pair->hops, pair->source, next);
    const int more = (a - b) - (pair->a - pair->b);
    const bool onwards = pair->a < pair->b ? a > pair->a : b < pair->b;
    return more > 0 || (more == 0 && onwards) ? more : NOT_ALLOWED;
}

/* Offers the hops that lead away from the source and towards the destination, or if there is none
 * (or `minimal`) the minimal ones. */
static uint32_t offer(const vef_routing *routing, const ends *pair, uint32_t router, bool minimal,
                      vef_candidate *offered) {
    const vef_topology *topology = routing->topology;
    const uint32_t *neighbours = topology->neighbour + (size_t)router * topology->ports;
    uint32_t count = 0;
    for (uint32_t port = 0; port < topology->ports; port++) {
        if (neighbours[port] == VEF_NO_ROUTER)
            continue;
        const bool fits =
            minimal ? (int)vef_hops_to(pair->hops, pair->target, neighbours[port]) < pair->b
                    : gain(pair, neighbours[port]) >= 0;
        if (fits)
            offered[count++] = (vef_candidate){.port = (uint16_t)port,
                                               .channel = (uint8_t)(routing->channels - pair->left),
                                               .slots_needed = 1,
                                               .escape = true};
    }
    return count;
}

static uint32_t candidates(const vef_routing *routing, const vef_route *route, vef_place place,
                           vef_candidate *offered) {
    const ends pair = ends_of(routing, route, place.router);
    if (pair.b == 0)
        return 0;
    const uint32_t count = pair.minimal ? 0 : offer(routing, &pair, place.router, false, offered);
    return count > 0 ? count : offer(routing, &pair, place.router, true, offered);
}

static uint64_t weigh(const vef_routing *routing, const vef_route *route, vef_place place,
                      vef_candidate candidate, const vef_view *view) {
    enum { MOST_GAIN = 2 };
    const parameters *given = routing->parameters;
    const vef_topology *topology = routing->topology;
    const ends pair = ends_of(routing, route, place.router);
    const int more =
        gain(&pair, topology->neighbour[(size_t)place.router * topology->ports + candidate.port]);
    const uint64_t missing = more < 0 ? 0 : (uint64_t)(MOST_GAIN - more);
    return vef_view_taken(view, place.router, candidate.port) + missing * (uint64_t)given->penalty;
}

static void advance(const vef_routing *routing, vef_route *route, vef_place place, uint16_t port,
                    uint8_t channel) {
    (void)channel;
    const vef_topology *topology = routing->topology;
    const ends pair = ends_of(routing, route, place.router);
    const uint32_t next = topology->neighbour[(size_t)place.router * topology->ports + port];
    if (gain(&pair, next) < 0)
        route->words[HOPS_WORD] |= MINIMAL;
    route->words[HOPS_WORD]++;
}

const vef_routing_algorithm vef_routing_polarized = {
    .name = "polarized",
    .summary = "adaptive on any graph: away from the source, towards the destination",
    .any_graph = true,
    .schema = schema,
    .parameter_bytes = sizeof(parameters),
    .supports = vef_shortest_paths_supports,
    .create = create,
    .begin = begin,
    .candidates = candidates,
    .weigh = weigh,
    .input = vef_routing_any_input,
    .advance = advance,
};
