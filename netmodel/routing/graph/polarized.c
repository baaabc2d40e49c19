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
 * In some graphs a packet can come to a router without such a hop. From there on it goes minimally.
 *
 * polarized: the packet keeps the hop of least cost when it comes to the front of a queue. Bound:
 * at most 4 x diameter - 3 hops, or `channels`; a packet that has only as many channels left as
 * hops to go is minimal from there on. Channels: one for each hop, the hop's number. Freedom from
 * deadlock: channels rise along every route, whatever the graph, and whichever of the candidates a
 * packet keeps.
 *
 * polarized-adaptive: the packet chooses in every cycle among the hops whose queues have room, on
 * any of the adaptive channels, and waits for the best of them if its link is busy. If none has
 * room, it takes an up-down escape (up_down_graph.h), in which it stays. That is SurePath with
 * Polarized routes (Camarero, Cano, Martinez and Beivide, "Achieving High-Performance
 * Fault-Tolerant Routing in HyperX Interconnection Networks", arXiv 2404.04315, 2024), without the
 * shortcuts of the paper's escape. The cost includes the places of packets that wait for the port
 * in this router: they take the part of output queues.
 * Bound: 2 d + 2 D - 1 hops from a distance of d, with diameter D (a - b rises from -d to d; hops
 * that do not change it raise a, which is then less than D, or lower b), and D more where it goes
 * minimally; from where the packet enters the escape the shortest legal way. Channels: two or more,
 * whatever the graph. Freedom from deadlock (Duato): as minimal-adaptive.
 *
 * Example: in the Petersen graph (diameter 2) from one router to a neighbour (a = 0, b = 1): the
 * direct hop increases a - b by 2; both others lead to a = 1, b = 2, which leaves it unchanged. */
#include "netmodel/routing/algorithms.h"
#include "netmodel/routing/graph/up_down_graph.h"
#include "netmodel/routing/view.h"

typedef struct parameters {
    int64_t channels, penalty;
} parameters;

/* clang-format off */
#define PENALTY_ROW(type)                                                                          \
    {VEF_KEY(INT, type, penalty), .fallback = "2", .minimum = 0, .maximum = 1 << 20,               \
     .help = "cost of a hop that leads away from the source or towards the destination, but not "  \
             "both, in places taken; twice as much for one that does neither"}
/* clang-format on */

static const vef_param schema[] = {
    {VEF_KEY(INT, parameters, channels), .fallback = "0", .minimum = 0, .maximum = VEF_MAX_CHANNELS,
     .help = "virtual channels per link, and the maximum number of hops, at least the diameter; 0: "
             "4 x diameter - 3, or 64 if that is more"},
    PENALTY_ROW(parameters),
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

static ends ends_from(const vef_routing *routing, const vef_route *route, uint32_t router) {
    const vef_shortest_paths *paths = routing->state;
    ends found = {.hops = &paths->hops,
                  .source = vef_route_uint32(route, SOURCE_WORD),
                  .target = vef_shortest_paths_target(route),
                  .left = UINT32_MAX};
    found.a = (int)vef_hops_to(found.hops, found.source, router);
    found.b = (int)vef_hops_to(found.hops, found.target, router);
    return found;
}

static ends ends_of(const vef_routing *routing, const vef_route *route, uint32_t router) {
    const uint32_t word = (uint32_t)route->words[HOPS_WORD];
    ends found = ends_from(routing, route, router);
    found.left = routing->channels - (word & ~(uint32_t)MINIMAL);
    found.minimal = (word & MINIMAL) != 0;
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

/* Offers the hops that lead away from the source and towards the destination, or the minimal ones
 * (`minimal`), each as `hop` and on the following channels, `channels` in all. */
static uint32_t offer_hops(const vef_routing *routing, const ends *pair, uint32_t router,
                           bool minimal, vef_candidate hop, uint32_t channels,
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
        hop.port = (uint16_t)port;
        if (fits)
            count += vef_offer_channels(hop, channels, offered + count);
    }
    return count;
}

/* The same; the minimal ones also if there are no others. */
static uint32_t offer(const vef_routing *routing, const ends *pair, uint32_t router,
                      vef_candidate hop, uint32_t channels, vef_candidate *offered) {
    const uint32_t count =
        pair->minimal ? 0 : offer_hops(routing, pair, router, false, hop, channels, offered);
    return count > 0 ? count : offer_hops(routing, pair, router, true, hop, channels, offered);
}

/* ---- polarized ---- */

static uint32_t candidates(const vef_routing *routing, const vef_route *route, vef_place place,
                           vef_candidate *offered) {
    const ends pair = ends_of(routing, route, place.router);
    const vef_candidate hop = {
        .channel = (uint8_t)(routing->channels - pair.left), .slots_needed = 1, .escape = true};
    return pair.b == 0 ? 0 : offer(routing, &pair, place.router, hop, 1, offered);
}

/* The cost of a hop, in places. */
static uint64_t cost_of(const vef_routing *routing, const ends *pair, uint32_t router,
                        uint16_t port, int64_t penalty, const vef_view *view) {
    enum { MOST_GAIN = 2 };
    const vef_topology *topology = routing->topology;
    const int more = gain(pair, vef_topology_next(topology, router, port));
    const uint64_t missing = more < 0 ? 0 : (uint64_t)(MOST_GAIN - more);
    return vef_view_taken(view, router, port) + missing * (uint64_t)penalty;
}

static uint64_t weigh(const vef_routing *routing, const vef_route *route, vef_place place,
                      vef_candidate candidate, const vef_view *view) {
    const parameters *given = routing->parameters;
    const ends pair = ends_of(routing, route, place.router);
    return cost_of(routing, &pair, place.router, candidate.port, given->penalty, view);
}

static void advance(const vef_routing *routing, vef_route *route, vef_place place, uint16_t port,
                    uint8_t channel) {
    (void)channel;
    const vef_topology *topology = routing->topology;
    const ends pair = ends_of(routing, route, place.router);
    const uint32_t next = vef_topology_next(topology, place.router, port);
    if (gain(&pair, next) < 0)
        route->words[HOPS_WORD] |= MINIMAL;
    route->words[HOPS_WORD]++;
}

const vef_routing_algorithm vef_routing_polarized = {
    .name = "polarized",
    .summary = "adaptive on any graph: away from the source, towards the destination",
    .any_graph = true,
    VEF_PARAMETERS(schema, parameters),
    .supports = vef_shortest_paths_supports,
    .create = create,
    .begin = begin,
    .candidates = candidates,
    .weigh = weigh,
    .input = vef_routing_any_input,
    .advance = advance,
};

/* ---- polarized-adaptive ---- */

typedef struct adaptive_parameters {
    int64_t adaptive_channels, penalty, root;
} adaptive_parameters;

static const vef_param adaptive_schema[] = {
    VEF_TOWARDS_ADAPTIVE_CHANNELS(adaptive_parameters),
    PENALTY_ROW(adaptive_parameters),
    VEF_LEGAL_ROOT(adaptive_parameters),
    {.key = NULL},
};

/* A value of VEF_SHORTEST_PATHS_WORD: in adaptive channels, and only minimal hops are left. */
enum { ONLY_MINIMAL = VEF_OVER_MORE };

static vef_code adaptive_create(vef_routing *routing, vef_error *error) {
    const adaptive_parameters *given = routing->parameters;
    const vef_code code =
        vef_over_up_down_create(routing, given->adaptive_channels, given->root, true, error);
    routing->route_words = WORDS;
    routing->selection = VEF_SELECT_COST;
    routing->patient = true;
    return code;
}

static ends adaptive_ends(const vef_routing *routing, const vef_route *route, uint32_t router) {
    ends found = ends_from(routing, route, router);
    found.minimal = route->words[VEF_SHORTEST_PATHS_WORD] != VEF_OVER_ADAPTIVE;
    return found;
}

static uint32_t adaptive_candidates(const vef_routing *routing, const vef_route *route,
                                    vef_place place, vef_candidate *offered) {
    const ends pair = adaptive_ends(routing, route, place.router);
    const vef_candidate hop = {.channel = VEF_OVER_ADAPTIVE_CHANNEL, .slots_needed = 1};
    if (pair.b == 0)
        return 0;
    const uint32_t count =
        vef_over_up_down_escaped(route)
            ? 0
            : offer(routing, &pair, place.router, hop, routing->channels - 1, offered);
    return count + vef_over_up_down_offer(routing, route, place.router, offered + count);
}

/* Of equal hops the emptiest queue. */
static uint64_t adaptive_weigh(const vef_routing *routing, const vef_route *route, vef_place place,
                               vef_candidate candidate, const vef_view *view) {
    enum { QUEUE_BITS = 16 };
    const adaptive_parameters *given = routing->parameters;
    const ends pair = adaptive_ends(routing, route, place.router);
    const int64_t penalty = pair.minimal ? 0 : given->penalty;
    const uint64_t places = cost_of(routing, &pair, place.router, candidate.port, penalty, view) +
                            vef_view_waiting(view, place.router, candidate.port);
    return places << QUEUE_BITS |
           vef_view_queue(view, place.router, candidate.port, candidate.channel).taken;
}

/* The source has no effect on packets that go minimally, or in the escape. */
static void adaptive_advance(const vef_routing *routing, vef_route *route, vef_place place,
                             uint16_t port, uint8_t channel) {
    const vef_topology *topology = routing->topology;
    const uint32_t next = vef_topology_next(topology, place.router, port);
    const ends pair = adaptive_ends(routing, route, place.router);
    if (channel == VEF_OVER_ESCAPE_CHANNEL)
        vef_over_up_down_advance(routing, route, place.router, port);
    else if (!pair.minimal && gain(&pair, next) >= 0)
        return;
    else
        route->words[VEF_SHORTEST_PATHS_WORD] = ONLY_MINIMAL;
    vef_route_set_uint32(route, SOURCE_WORD, 0);
}

const vef_routing_algorithm vef_routing_polarized_adaptive = {
    .name = "polarized-adaptive",
    .aliases = "surepath",
    .summary = "adaptive on any graph: polarized hops over an up*/down* escape channel",
    .any_graph = true,
    VEF_PARAMETERS(adaptive_schema, adaptive_parameters),
    .supports = vef_shortest_paths_supports,
    .create = adaptive_create,
    .begin = begin,
    .candidates = adaptive_candidates,
    .weigh = adaptive_weigh,
    .input = vef_routing_any_input,
    .advance = adaptive_advance,
};
