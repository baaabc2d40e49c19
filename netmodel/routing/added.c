/* Routings that plug-ins add. See added.h.
 *
 * Whether a plug-in keeps its word is tried when the routing is made: packets between some pairs of
 * routers are followed to their destination, by their escape candidates. Later a candidate that is
 * no link, or a channel that there is not, is left out; `vef verify` looks at all of them. */
#include "netmodel/routing/added.h"

#include "common/plugin/library.h"
#include "common/plugin/parameters.h"
#include "netmodel/topology/added.h"

enum { TRIED_PAIRS = 4096 };

typedef struct added_algorithm {
    vef_routing_algorithm algorithm; /* first: its address is that of the whole */
    const vef_plugin_routing *plugin;
    const void *library; /* of the plug-in */
} added_algorithm;

typedef struct added_routing {
    const vef_plugin_routing *plugin;
    const void *data;
    vef_plugin_graph graph;
} added_routing;

static const added_routing *added_of(const vef_routing *routing) {
    return routing->state;
}

/* The random numbers of a packet, for a plug-in. */
typedef struct packet_draws {
    vef_plugin_draws draws; /* first: its address is that of the whole */
    vef_draws *from;
} packet_draws;

static uint32_t draw_below(vef_plugin_draws *draws, uint32_t bound) {
    vef_draws *from = ((packet_draws *)draws)->from;
    /* Asks that no enumeration can answer: none, too many, or other ones than before. */
    const bool enumerated = !from->rng;
    if (bound < 2 || (enumerated && from->used == VEF_MAX_DRAWS))
        return 0;
    if (enumerated && from->used < from->count && from->bounds[from->used] != bound)
        return 0;
    return vef_draw_below(from, bound);
}

static void begin(const vef_routing *routing, const vef_travel *travel, vef_draws *draws,
                  vef_route *route) {
    const added_routing *added = added_of(routing);
    const vef_plugin_travel given = {travel->source, travel->destination, travel->from, travel->to};
    packet_draws random = {.draws = {.below = draw_below}, .from = draws};
    memset(route, 0, sizeof *route);
    added->plugin->begin(added->data, &given, &random.draws, route->words);
}

static vef_plugin_place place_of(vef_place place) {
    return (vef_plugin_place){place.router, place.in_port, place.in_channel};
}

static bool is_sound(const vef_routing *routing, uint32_t router, vef_plugin_candidate candidate) {
    const vef_topology *topology = routing->topology;
    return candidate.port < topology->ports && candidate.channel < routing->channels &&
           topology->neighbour[(size_t)router * topology->ports + candidate.port] != VEF_NO_ROUTER;
}

static uint32_t ask(const vef_routing *routing, const vef_route *route, vef_place place,
                    vef_plugin_candidate *told) {
    const added_routing *added = added_of(routing);
    const uint32_t count =
        added->plugin->candidates(added->data, route->words, place_of(place), told);
    return count < routing->most_candidates ? count : routing->most_candidates;
}

static uint32_t candidates(const vef_routing *routing, const vef_route *route, vef_place place,
                           vef_candidate *offered) {
    vef_plugin_candidate told[VEF_MAX_CANDIDATES];
    const uint32_t count = ask(routing, route, place, told);
    uint32_t sound = 0;
    for (uint32_t i = 0; i < count; i++)
        if (is_sound(routing, place.router, told[i]))
            offered[sound++] = (vef_candidate){.port = told[i].port,
                                               .channel = told[i].channel,
                                               .preference = told[i].preference,
                                               .slots_needed = 1,
                                               .escape = told[i].escape != 0};
    return sound;
}

static void advance(const vef_routing *routing, vef_route *route, vef_place place, uint16_t port,
                    uint8_t channel) {
    const added_routing *added = added_of(routing);
    if (added->plugin->advance)
        added->plugin->advance(added->data, route->words, place_of(place), port, channel);
}

/* ---- trying it ---- */

/* The candidate that a packet is followed by: the first escape. */
static vef_code choose(const vef_routing *routing, const vef_route *route, vef_place place,
                       vef_plugin_candidate *chosen, vef_error *error) {
    vef_plugin_candidate told[VEF_MAX_CANDIDATES];
    const uint32_t count = ask(routing, route, place, told);
    for (uint32_t i = 0; i < count; i++)
        if (!is_sound(routing, place.router, told[i]))
            return vef_fail(error, VEF_INVALID,
                            "plug-in: at router %u it offers port %u, channel %u: expected a port "
                            "with a link and a channel below %u",
                            place.router, told[i].port, told[i].channel, routing->channels);
    for (uint32_t i = 0; i < count; i++)
        if (told[i].escape) {
            *chosen = told[i];
            return VEF_OK;
        }
    return vef_fail(error, VEF_INVALID,
                    "plug-in: at router %u it offers %u candidates, none of them an escape",
                    place.router, count);
}

static vef_code follow(const vef_routing *routing, const vef_travel *travel, vef_error *error) {
    const vef_topology *topology = routing->topology;
    const uint64_t most_hops = UINT64_C(4) * topology->routers + 64;
    vef_draws draws = {0};
    vef_route route = {{0}};
    vef_place place = {.router = travel->from, .in_port = VEF_INJECTED};
    begin(routing, travel, &draws, &route);
    for (uint64_t hops = 0; place.router != travel->to; hops++) {
        vef_plugin_candidate next;
        vef_code code = hops < most_hops ? choose(routing, &route, place, &next, error)
                                         : vef_fail(error, VEF_INVALID,
                                                    "plug-in: after %llu hops it has not arrived",
                                                    (unsigned long long)hops);
        if (code != VEF_OK) {
            vef_fail_within(error, "a packet from router %u to router %u", travel->from,
                            travel->to);
            return code;
        }
        advance(routing, &route, place, next.port, next.channel);
        const size_t link = (size_t)place.router * topology->ports + next.port;
        place = (vef_place){topology->neighbour[link], topology->reverse_port[link], next.channel};
    }
    return VEF_OK;
}

/* All pairs of endpoints, or so many of them, spread evenly. */
static vef_code try_pairs(const vef_routing *routing, vef_error *error) {
    const vef_topology *topology = routing->topology;
    const uint64_t pairs = (uint64_t)topology->endpoints * topology->endpoints;
    const uint64_t step = pairs > TRIED_PAIRS ? pairs / TRIED_PAIRS | 1 : 1;
    vef_code code = VEF_OK;
    for (uint64_t pair = 0; code == VEF_OK && pair < pairs; pair += step) {
        vef_travel travel = {.source = (uint32_t)(pair / topology->endpoints),
                             .destination = (uint32_t)(pair % topology->endpoints)};
        travel.from = vef_topology_router_of(topology, travel.source);
        travel.to = vef_topology_router_of(topology, travel.destination);
        if (travel.from != travel.to)
            code = follow(routing, &travel, error);
    }
    return code;
}

/* ---- making it ---- */

static vef_code supports(const vef_topology *topology, vef_flow_control flow_control,
                         const void *parameters, vef_error *error) {
    (void)topology;
    (void)flow_control;
    (void)parameters;
    (void)error;
    return VEF_OK; /* create asks the plug-in */
}

static vef_code create(vef_routing *routing, vef_error *error) {
    const added_algorithm *algorithm = (const added_algorithm *)routing->algorithm;
    const vef_plugin_routing *plugin = algorithm->plugin;
    added_routing *added = vef_arena_alloc(&routing->arena, 1, sizeof *added);
    added->plugin = plugin;
    routing->state = added;
    vef_topology_graph(routing->topology, algorithm->library, &routing->arena, &added->graph);
    vef_plugin_making making = vef_plugin_make(&routing->arena);
    vef_plugin_channels channels = {0};
    void *data = NULL;
    if (plugin->create(&making.context, &added->graph, routing->parameters, &channels, &data) != 0)
        return vef_plugin_refused(&making, error);
    added->data = data;
    if (channels.channels < 1 || channels.channels > VEF_MAX_CHANNELS ||
        channels.most_candidates < 1 || channels.most_candidates > VEF_MAX_CANDIDATES ||
        channels.route_words > VEF_ROUTE_WORDS)
        return vef_fail(error, VEF_INVALID,
                        "plug-in: %u channels, %u candidates, %u words: expected 1 to %d, 1 to %d, "
                        "0 to %d",
                        channels.channels, channels.most_candidates, channels.route_words,
                        VEF_MAX_CHANNELS, VEF_MAX_CANDIDATES, VEF_ROUTE_WORDS);
    routing->channels = channels.channels;
    routing->most_candidates = channels.most_candidates;
    routing->route_words = channels.route_words > 0 ? channels.route_words : 1;
    routing->least_queue_packets = 1;
    return try_pairs(routing, error);
}

vef_code vef_routing_find_added(const vef_node *node, const char *name, vef_arena *arena,
                                void **library, const vef_routing_algorithm **algorithm,
                                vef_error *error) {
    const void *found = NULL;
    *algorithm = NULL;
    vef_code code = vef_library_find(vef_library_list(node), VEF_PLUGIN_PART_ROUTING, name, library,
                                     &found, error);
    if (code != VEF_OK || !found)
        return code;
    const vef_plugin_routing *plugin = found;
    added_algorithm *made = vef_arena_alloc(arena, 1, sizeof *made);
    made->plugin = plugin;
    made->library = *library;
    made->algorithm = (vef_routing_algorithm){.name = plugin->name,
                                              .summary = plugin->summary,
                                              .supports = supports,
                                              .create = create,
                                              .begin = begin,
                                              .candidates = candidates,
                                              .advance = advance};
    code = vef_plugin_schema(plugin->name, plugin->parameters, arena, &made->algorithm.schema,
                             &made->algorithm.parameter_bytes, error);
    *algorithm = code == VEF_OK ? &made->algorithm : NULL;
    return code;
}
