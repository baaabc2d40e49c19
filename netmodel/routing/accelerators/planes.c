/* Routing on several planes: a packet chooses its plane at the source, and any routing of the
 * plane's network brings it to the router of its destination.
 *
 * Rails: Wang et al., "Rail-only", arXiv 2307.12169, 2023: by the rail of its source (`source`) a
 * message crosses the domain of its destination, by that of its destination (`destination`) the
 * domain of its source, as PXN of NCCL does. With `source`, `host.nics` and `host.nic: in-turn` the
 * messages of a node go by all planes in turn.
 *
 * Bound: two hops more than the routing of the plane. Channels: those of that routing, on all
 * links. Freedom from deadlock: that of the plane; nodes only inject into planes and take out of
 * them. */
#include "netmodel/topology/accelerators/planes.h"
#include "common/rng.h"
#include "netmodel/routing/algorithms.h"

enum { BY_CREDITS, BY_DRAW, BY_HASH, BY_SOURCE, BY_DESTINATION };
enum { ANY_PLANE = -1 };

/* Words of a route, behind those of the plane's routing; the destination takes two. */
enum { DESTINATION_WORD, PLANE_WORD = 2, MORE_WORDS };

typedef struct parameters {
    int plane;
} parameters;

typedef struct state {
    const vef_planes *planes;
    const vef_topology *topology, *part; /* all planes, and one */
    uint32_t words;                      /* of the plane's routing */
} state;

static const vef_param schema[] = {
    {VEF_KEY(CHOICE, parameters, plane), .fallback = "most-credits",
     .choices = VEF_LIST([BY_CREDITS] = "most-credits", [BY_DRAW] = "random", [BY_HASH] = "hash",
                         [BY_SOURCE] = "source", [BY_DESTINATION] = "destination"),
     .aliases = "rail selection",
     .help =
         "the plane of a packet: that with the most credits; random; by a hash of source and "
         "destination; or endpoint i of a node, source or destination, has plane i modulo their "
         "number"},
    {.key = VEF_PART_KEY,
     .kind = VEF_PARAM_SECTION,
     .aliases = "algorithm routing",
     .help =
         "the routing in a plane: algorithm and its parameters (default: the first that supports "
         "it)"},
    {.key = NULL},
};

static vef_code supports(const vef_topology *topology, vef_flow_control flow_control,
                         const void *given, vef_error *error) {
    (void)flow_control, (void)given;
    if (vef_planes_of(topology))
        return VEF_OK;
    return vef_fail(error, VEF_UNSUPPORTED, "expected topology planes or rail-only, not %s",
                    topology->family->name);
}

static vef_code check_part(const vef_routing *part, vef_error *error) {
    if (part->algorithm->choice || part->selection == VEF_SELECT_COST ||
        part->selection == VEF_SELECT_ONCE)
        return vef_fail(error, VEF_UNSUPPORTED,
                        VEF_PART_KEY ": %s compares queues: not supported in a plane",
                        part->algorithm->name);
    if (part->route_words + MORE_WORDS > VEF_ROUTE_WORDS)
        return vef_fail(error, VEF_UNSUPPORTED,
                        VEF_PART_KEY
                        ": %s keeps %u words in a packet: out of range: expected at most %d",
                        part->algorithm->name, part->route_words, VEF_ROUTE_WORDS - MORE_WORDS);
    return VEF_OK;
}

static vef_code create(vef_routing *routing, vef_error *error) {
    const vef_topology *topology = routing->topology;
    const int choice = ((const parameters *)routing->parameters)->plane;
    state *made = vef_arena_alloc(&routing->arena, 1, sizeof *made);
    routing->state = made;
    vef_code code = vef_routing_create(vef_node_get(routing->node, VEF_PART_KEY), topology->part,
                                       routing->flow_control, &routing->part, error);
    if (code == VEF_OK)
        code = check_part(routing->part, error);
    if (code != VEF_OK)
        return code;
    const vef_routing *part = routing->part;
    *made = (state){vef_planes_of(topology), topology, topology->part, part->route_words};
    const uint32_t planes = choice == BY_CREDITS ? made->planes->count : 1;
    routing->channels = part->channels;
    routing->most_candidates = part->channels * planes;
    if (routing->most_candidates < part->most_candidates)
        routing->most_candidates = part->most_candidates;
    routing->route_words = made->words + MORE_WORDS;
    routing->least_queue_packets = part->least_queue_packets;
    routing->traffic_classes = part->traffic_classes;
    routing->by_source = part->by_source || choice == BY_SOURCE || choice == BY_HASH;
    routing->patient = part->patient;
    routing->selection = part->selection;
    return vef_routing_check_candidates(part->channels, planes, error);
}

/* The plane of an endpoint by its place on its node. */
static int16_t plane_of(const state *made, uint32_t endpoint) {
    const uint32_t place = vef_topology_family_endpoint(made->topology, endpoint) %
                           made->topology->endpoints_per_router;
    return (int16_t)(place / made->planes->endpoints_each % made->planes->count);
}

static int16_t choose(const vef_routing *routing, const vef_travel *travel, vef_draws *draws) {
    const state *made = routing->state;
    const uint32_t planes = made->planes->count;
    switch (((const parameters *)routing->parameters)->plane) {
    case BY_DRAW:
        return (int16_t)vef_draw_below(draws, planes);
    case BY_HASH:
        return (int16_t)(vef_rng_mix((uint64_t)travel->source << 32 | travel->destination) %
                         planes);
    case BY_SOURCE:
        return plane_of(made, travel->source);
    case BY_DESTINATION:
        return plane_of(made, travel->destination);
    default:
        return ANY_PLANE;
    }
}

static void begin(const vef_routing *routing, const vef_travel *travel, vef_draws *draws,
                  vef_route *route) {
    const state *made = routing->state;
    const vef_travel in_plane = {.source = travel->from,
                                 .destination = travel->to,
                                 .from = vef_topology_router_of(made->part, travel->from),
                                 .to = vef_topology_router_of(made->part, travel->to),
                                 .traffic_class = travel->traffic_class};
    const int16_t plane = choose(routing, travel, draws);
    routing->part->algorithm->begin(routing->part, &in_plane, draws, route);
    vef_route_set_uint32(route, made->words + DESTINATION_WORD, travel->to);
    route->words[made->words + PLANE_WORD] = plane;
}

/* As the plane's routing sees a place: packets from a node are injected. */
static vef_place inner_place(const state *made, vef_place place) {
    return (vef_place){.router = vef_planes_inner(made->topology, made->planes, place.router),
                       .in_port = place.in_port < made->part->ports ? place.in_port : VEF_INJECTED,
                       .in_channel = place.in_port < made->part->ports ? place.in_channel : 0};
}

static uint32_t candidates(const vef_routing *routing, const vef_route *route, vef_place place,
                           vef_candidate *offered) {
    const state *made = routing->state;
    const int16_t plane = route->words[made->words + PLANE_WORD];
    uint32_t count = 0;
    if (place.router < made->planes->nodes) {
        for (uint32_t k = 0; k < made->planes->count; k++)
            if (plane == ANY_PLANE || (uint32_t)plane == k)
                count += vef_offer_escapes(k, 0, routing->channels, offered + count);
        return count;
    }
    const uint32_t to = vef_route_uint32(route, made->words + DESTINATION_WORD);
    const vef_place inner = inner_place(made, place);
    if (vef_routing_arrived(routing->part, route, inner.router,
                            vef_topology_router_of(made->part, to)))
        return vef_offer_escapes(made->planes->port[to], 0, routing->channels, offered);
    return routing->part->algorithm->candidates(routing->part, route, inner, offered);
}

static uint32_t input(const vef_routing *routing, const vef_route *route, vef_place place) {
    const state *made = routing->state;
    const vef_routing_algorithm *algorithm = routing->part->algorithm;
    if (place.router < made->planes->nodes)
        return 0;
    const vef_place inner = inner_place(made, place);
    return algorithm->input ? algorithm->input(routing->part, route, inner)
                            : vef_routing_own_input(inner);
}

static void advance(const vef_routing *routing, vef_route *route, vef_place place, uint16_t port,
                    uint8_t channel) {
    const state *made = routing->state;
    if (place.router >= made->planes->nodes && port < made->part->ports)
        routing->part->algorithm->advance(routing->part, route, inner_place(made, place), port,
                                          channel);
}

const vef_routing_algorithm vef_routing_planes = {
    .name = "planes",
    .aliases = "multi-plane multi-rail rail-only pxn",
    .summary = "a plane chosen at the source, then a routing of the network of a plane",
    VEF_PARAMETERS(schema, parameters),
    .supports = supports,
    .create = create,
    .begin = begin,
    .candidates = candidates,
    .input = input,
    .advance = advance,
};
