/* Routing between nodes on one or several planes: a packet chooses its plane and its interfaces at
 * the source, and any routing of the plane's network brings it to the router of the interface at
 * its destination.
 *
 * Rails: Wang et al., "Rail-only", arXiv 2307.12169, 2023: by the rail of its source (`source`) a
 * message crosses the domain of its destination, by that of its destination (`destination`) the
 * domain of its source, as PXN of NCCL does. The same holds of interfaces, of which a packet by
 * default (`own`) takes those of the accelerators at both ends, over the network between the rails.
 * With `source`, `host.nics` and `host.nic: in-turn` the messages of a node go by all planes in
 * turn.
 *
 * Bound: two hops more than the routing of the plane, four with full meshes, of which only one end
 * has a hop inside if each accelerator has an interface. Channels: those of that routing, on all
 * links. Freedom from deadlock: that of the plane; nodes only inject into planes and take out of
 * them. A link of a full mesh has packets that leave the node or packets that have entered it, not
 * both: the former go to an accelerator with an interface, and with `own` and `source` from one
 * without, the latter come from one with an interface, and with `destination` go to one without.
 * Packets within the node wait for nothing but endpoints. */
#include "netmodel/topology/accelerators/planes.h"
#include "common/rng.h"
#include "netmodel/routing/algorithms.h"

enum { BY_CREDITS, BY_DRAW, BY_HASH, BY_SOURCE, BY_DESTINATION };
enum { ANY_PLANE = -1 };
enum { NIC_OWN, NIC_OF_SOURCE, NIC_OF_DESTINATION };

/* Words of a route, behind those of the plane's routing: the router of the destination, in two; the
 * plane; the interfaces of source and destination. */
enum { DESTINATION_WORD, PLANE_WORD = 2, LEAVING_WORD, ENTERING_WORD, MORE_WORDS };

typedef struct parameters {
    int plane, nic;
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
    {VEF_KEY(CHOICE, parameters, nic), .fallback = "own",
     .choices = VEF_LIST([NIC_OWN] = "own", [NIC_OF_SOURCE] = "source",
                         [NIC_OF_DESTINATION] = "destination"),
     .aliases = "rail interface pxn",
     .help = "the interfaces of a packet where a node has several: of its accelerators at both "
             "ends; or by the number of that of its source or destination, its rail, and within "
             "the other node to or from its accelerator"},
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
    return vef_fail(error, VEF_UNSUPPORTED, "expected topology planes, rail-only or nodes, not %s",
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
    const parameters *keys = routing->parameters;
    const int choice = keys->plane;
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
    routing->most_candidates = routing->channels * planes;
    if (routing->most_candidates < part->most_candidates)
        routing->most_candidates = part->most_candidates;
    routing->route_words = made->words + MORE_WORDS;
    routing->least_queue_packets = part->least_queue_packets;
    routing->traffic_classes = part->traffic_classes;
    routing->by_source = part->by_source || choice == BY_SOURCE || choice == BY_HASH ||
                         (made->planes->nics > 1 && made->planes->routers_each == 1 &&
                          keys->nic != NIC_OF_DESTINATION);
    routing->patient = part->patient;
    routing->selection = part->selection;
    return vef_routing_check_candidates(routing->channels, planes, error);
}

/* The place of an endpoint's accelerator on its node. */
static uint32_t place_of(const state *made, uint32_t endpoint) {
    return vef_topology_family_endpoint(made->topology, endpoint) / made->planes->endpoints_each %
           made->planes->accelerators;
}

/* The plane of an endpoint by its place. */
static int16_t plane_of(const state *made, uint32_t endpoint) {
    return (int16_t)(place_of(made, endpoint) % made->planes->count);
}

static uint32_t nic_of(const state *made, uint32_t endpoint) {
    const uint32_t shared = made->planes->accelerators / made->planes->nics;
    return made->planes->nics > 1 ? place_of(made, endpoint) / shared : 0;
}

/* The endpoint of the plane that is an interface of the node of a router. */
static uint32_t interface_of(const state *made, uint32_t router, uint32_t nic) {
    return router / made->planes->routers_each * made->planes->nics + nic;
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
    const int choice = ((const parameters *)routing->parameters)->nic;
    const uint32_t leaving =
        nic_of(made, choice == NIC_OF_DESTINATION ? travel->destination : travel->source);
    const uint32_t entering =
        nic_of(made, choice == NIC_OF_SOURCE ? travel->source : travel->destination);
    const uint32_t from = interface_of(made, travel->from, leaving);
    const uint32_t to = interface_of(made, travel->to, entering);
    const vef_travel in_plane = {.source = from,
                                 .destination = to,
                                 .from = vef_topology_router_of(made->part, from),
                                 .to = vef_topology_router_of(made->part, to),
                                 .traffic_class = travel->traffic_class};
    const int16_t plane = choose(routing, travel, draws);
    routing->part->algorithm->begin(routing->part, &in_plane, draws, route);
    vef_route_set_uint32(route, made->words + DESTINATION_WORD, travel->to);
    route->words[made->words + PLANE_WORD] = plane;
    route->words[made->words + LEAVING_WORD] = (int16_t)leaving;
    route->words[made->words + ENTERING_WORD] = (int16_t)entering;
}

/* As the plane's routing sees a place: packets from a node are injected. */
static vef_place inner_place(const state *made, vef_place place) {
    return (vef_place){.router = vef_planes_inner(made->topology, place.router),
                       .in_port = place.in_port < made->part->ports ? place.in_port : VEF_INJECTED,
                       .in_channel = place.in_port < made->part->ports ? place.in_channel : 0};
}

/* At a node: to the accelerator of the destination, to that of the interface, or into a plane. */
static uint32_t leave_node(const vef_routing *routing, const vef_route *route, vef_place place,
                           uint32_t to, vef_candidate *offered) {
    const state *made = routing->state;
    const vef_planes *planes = made->planes;
    const uint32_t each = planes->routers_each;
    const int16_t plane = route->words[made->words + PLANE_WORD];
    const uint32_t nic = (uint32_t)route->words[made->words + LEAVING_WORD];
    uint32_t count = 0;
    if (place.router / each == to / each)
        return vef_offer_escapes(to % each, 0, routing->channels, offered);
    if (place.router % each != vef_planes_nic_router(planes, nic))
        return vef_offer_escapes(vef_planes_nic_router(planes, nic), 0, routing->channels, offered);
    for (uint32_t k = 0; k < planes->count; k++)
        if (plane == ANY_PLANE || (uint32_t)plane == k)
            count += vef_offer_escapes(vef_planes_nic_port(planes, k, nic), 0, routing->channels,
                                       offered + count);
    return count;
}

static uint32_t candidates(const vef_routing *routing, const vef_route *route, vef_place place,
                           vef_candidate *offered) {
    const state *made = routing->state;
    const uint32_t to = vef_route_uint32(route, made->words + DESTINATION_WORD);
    if (place.router < made->topology->node_routers)
        return leave_node(routing, route, place, to, offered);
    const uint32_t entered =
        interface_of(made, to, (uint32_t)route->words[made->words + ENTERING_WORD]);
    const vef_place inner = inner_place(made, place);
    if (vef_routing_arrived(routing->part, route, inner.router,
                            vef_topology_router_of(made->part, entered)))
        return vef_offer_escapes(made->planes->port[entered], 0, routing->channels, offered);
    return routing->part->algorithm->candidates(routing->part, route, inner, offered);
}

static uint32_t input(const vef_routing *routing, const vef_route *route, vef_place place) {
    const state *made = routing->state;
    const vef_routing_algorithm *algorithm = routing->part->algorithm;
    if (place.router < made->topology->node_routers)
        return 0;
    const vef_place inner = inner_place(made, place);
    return algorithm->input ? algorithm->input(routing->part, route, inner)
                            : vef_routing_own_input(inner);
}

static void advance(const vef_routing *routing, vef_route *route, vef_place place, uint16_t port,
                    uint8_t channel) {
    const state *made = routing->state;
    if (place.router >= made->topology->node_routers && port < made->part->ports)
        routing->part->algorithm->advance(routing->part, route, inner_place(made, place), port,
                                          channel);
}

const vef_routing_algorithm vef_routing_planes = {
    .name = "planes",
    .aliases = "multi-plane multi-rail rail-only pxn",
    .summary =
        "plane and interfaces chosen at the source, then a routing of the network of a plane",
    VEF_PARAMETERS(schema, parameters),
    .supports = supports,
    .create = create,
    .begin = begin,
    .candidates = candidates,
    .input = input,
    .advance = advance,
};
