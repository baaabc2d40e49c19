/* Common functions of routings on generalized fat trees. See nca.h. */
#include "netmodel/routing/tree/nca.h"

#include "netmodel/routing/graph/up_down_graph.h"
#include "netmodel/topology/families.h"

#include <string.h>

const vef_param vef_nca_schema[] = {
    {VEF_KEY(INT, vef_nca_parameters, channels), VEF_NCA_CHANNELS},
    {.key = NULL},
};

const vef_xgft *vef_xgft_of(const vef_topology *topology) {
    const vef_topology_family *family = topology->family;
    return family == &vef_topology_xgft || family == &vef_topology_kary_ntree
               ? vef_topology_whole(topology)->details
               : NULL;
}

vef_code vef_nca_supports(const vef_topology *topology, vef_flow_control flow_control,
                          const void *parameters, vef_error *error) {
    (void)flow_control, (void)parameters;
    if (vef_xgft_of(topology))
        return VEF_OK;
    return vef_fail(error, VEF_UNSUPPORTED,
                    "it routes up and down the levels of a fat tree: expected topology %s, or %s "
                    "without T-switches, not %s",
                    vef_topology_xgft.name, vef_topology_kary_ntree.name, topology->family->name);
}

uint32_t vef_nca_most_ports(const vef_xgft *tree) {
    uint32_t most = 1;
    for (uint32_t level = 1; level <= tree->height; level++) {
        const uint32_t up = vef_xgft_up_ports(tree, level), down = tree->links[level];
        most = up > most ? up : most;
        most = level > 1 && down > most ? down : most;
    }
    return most;
}

/* ---- with failures ---- */

typedef struct around {
    vef_hops hops; /* the targets alone */
    vef_up_down_graph legal;
} around;

/* Names the endpoints of a pair without a way up and then down. */
static vef_code refuse_pair(const around *made, vef_error *error) {
    const vef_topology *topology = made->legal.topology;
    uint32_t endpoint[2], router[2];
    uint64_t pair = 0;
    do {
        endpoint[0] = (uint32_t)(pair % topology->endpoints);
        endpoint[1] = (uint32_t)(pair++ / topology->endpoints);
        for (int i = 0; i < 2; i++)
            router[i] = vef_topology_router_of(topology, endpoint[i]);
    } while (made->legal.may_rise[(size_t)made->hops.target_of[router[1]] * topology->routers +
                                  router[0]] != UINT16_MAX);
    char name[2][VEF_ROUTER_NAME_BYTES];
    for (int i = 0; i < 2; i++)
        vef_topology_router_name(topology, router[i], name[i], sizeof name[i]);
    return vef_fail(error, VEF_INVALID,
                    "not supported with these failures: packets from endpoint %u at %.80s to "
                    "endpoint %u at %.80s have no way up and then down: expected fewer failures, "
                    "or a routing for any graph, such as minimal-adaptive",
                    endpoint[0], name[0], endpoint[1], name[1]);
}

static vef_code create_around(vef_routing *routing, vef_error *error) {
    const vef_topology *topology = routing->topology;
    const vef_xgft *tree = vef_xgft_of(topology);
    around *made = vef_arena_alloc(&routing->arena, 1, sizeof *made);
    uint32_t *level = vef_arena_alloc(&routing->arena, topology->routers, sizeof *level);
    for (uint32_t r = 0; r < topology->routers; r++)
        level[r] = tree->height - vef_xgft_level(tree, topology->number_in_whole[r]);
    routing->state = made;
    vef_hops_find_targets(topology, &routing->arena, &made->hops);
    const vef_code code = vef_up_down_graph_create(topology, &made->hops, -1, level,
                                                   &routing->arena, &made->legal, error);
    return code == VEF_OK && made->legal.longest == UINT16_MAX ? refuse_pair(made, error) : code;
}

/* Offers the links on the shortest ways up and then down, a channel each, in the order of ports. */
static uint32_t offer_ways(const around *made, uint32_t target, uint32_t router,
                           vef_candidate *ways) {
    return vef_up_down_graph_offer(&made->legal, target, router, false, 0, 1, 0, ways);
}

/* Whether a way down is left from the router. */
static bool is_below(const around *made, uint32_t target, uint32_t router) {
    return made->legal.falling[(size_t)target * made->legal.topology->routers + router] !=
           UINT16_MAX;
}

uint32_t vef_nca_candidates_around(const vef_routing *routing, const vef_route *route,
                                   vef_place place, vef_nca_link_of link_of,
                                   vef_candidate *offered) {
    const around *made = routing->state;
    const vef_topology *topology = routing->topology;
    const vef_xgft *tree = vef_xgft_of(topology);
    const uint32_t leaf = vef_route_uint32(route, VEF_NCA_TERMINAL_WORD) / tree->m[1];
    const uint32_t target = made->hops.target_of[topology->router_of_whole[leaf]];
    const uint32_t level = vef_xgft_level(tree, topology->number_in_whole[place.router]);
    vef_candidate ways[VEF_MAX_PORTS];
    const uint32_t count = offer_ways(made, target, place.router, ways);
    uint32_t first = 0, end = count, offers = 0;
    if (link_of && count > 0) {
        const uint32_t key = vef_route_uint32(route, VEF_NCA_KEY_WORD);
        first = is_below(made, target, place.router)
                    ? link_of(tree, level - 1, key, vef_xgft_up_ports(tree, level - 1)) /
                          tree->w[level] % count
                    : link_of(tree, level, key, count);
        end = first + 1;
    }
    for (uint32_t way = first; way < end; way++)
        offers += vef_nca_offer(routing, ways[way].port, offered + offers);
    return offers;
}

uint32_t vef_nca_draw_around(const vef_routing *routing, const vef_travel *travel,
                             vef_draws *draws) {
    const around *made = routing->state;
    const vef_topology *topology = routing->topology;
    const vef_xgft *tree = vef_xgft_of(topology);
    const uint32_t target = made->hops.target_of[travel->to];
    vef_candidate ways[VEF_MAX_PORTS];
    uint32_t key = 0, weight = 1, router = travel->from;
    for (uint32_t level = 1; !is_below(made, target, router); level++) {
        const uint32_t drawn = vef_draw_below(draws, offer_ways(made, target, router, ways));
        key += weight * drawn;
        weight *= vef_xgft_up_ports(tree, level);
        router = vef_topology_next(topology, router, ways[drawn].port);
    }
    return key;
}

/* ---- all ---- */

vef_code vef_nca_create(vef_routing *routing, uint32_t ports, vef_error *error) {
    const vef_nca_parameters *given = routing->parameters;
    routing->channels = (uint32_t)given->channels;
    routing->most_candidates = ports * routing->channels;
    routing->least_queue_packets = 1;
    routing->route_words = VEF_NCA_WORDS;
    const vef_code code = vef_routing_check_candidates(routing->channels, ports, error);
    return code == VEF_OK && routing->topology->failures ? create_around(routing, error) : code;
}

void vef_nca_set(const vef_routing *routing, const vef_travel *travel, uint32_t key,
                 vef_route *route) {
    memset(route, 0, sizeof *route);
    vef_route_set_uint32(route, VEF_NCA_TERMINAL_WORD,
                         vef_xgft_terminal(routing->topology, travel->destination));
    vef_route_set_uint32(route, VEF_NCA_KEY_WORD, key);
}

vef_nca_place vef_nca_at(const vef_routing *routing, const vef_route *route, vef_place place) {
    const vef_xgft *tree = routing->topology->details;
    vef_nca_place here = {.tree = tree,
                          .level = vef_xgft_level(tree, place.router),
                          .terminal = vef_route_uint32(route, VEF_NCA_TERMINAL_WORD),
                          .key = vef_route_uint32(route, VEF_NCA_KEY_WORD)};
    here.position = vef_xgft_position(tree, here.level, place.router);
    here.below = vef_xgft_is_below(tree, here.level, here.position, here.terminal);
    return here;
}

uint32_t vef_nca_offer(const vef_routing *routing, uint32_t port, vef_candidate *offered) {
    return vef_offer_escapes(port, 0, routing->channels, offered);
}

static uint32_t modulo(const vef_xgft *tree, uint32_t level, uint32_t key, uint32_t links) {
    return key / tree->copies[level] % links;
}

uint32_t vef_nca_keyed_candidates(const vef_routing *routing, const vef_route *route,
                                  vef_place place, vef_nca_link_of link_of,
                                  vef_candidate *offered) {
    if (routing->state)
        return vef_nca_candidates_around(routing, route, place, link_of, offered);
    const vef_nca_place here = vef_nca_at(routing, route, place);
    if (!here.below) {
        const uint32_t links = vef_xgft_up_ports(here.tree, here.level);
        /* Links to parents, then the second ones to each, and so on: as ports are numbered. */
        const uint32_t up = link_of(here.tree, here.level, here.key, links);
        return vef_nca_offer(routing, vef_xgft_up_port(here.tree, here.level, up, 0), offered);
    }
    if (here.level == 1)
        return 0;
    const uint32_t links = vef_xgft_up_ports(here.tree, here.level - 1);
    const uint32_t link =
        link_of(here.tree, here.level - 1, here.key, links) / here.tree->w[here.level];
    const uint32_t child = vef_xgft_child_towards(here.tree, here.level, here.terminal);
    return vef_nca_offer(routing, vef_xgft_down_port(here.tree, here.level, child, link), offered);
}

uint32_t vef_nca_modulo_candidates(const vef_routing *routing, const vef_route *route,
                                   vef_place place, vef_candidate *offered) {
    return vef_nca_keyed_candidates(routing, route, place, modulo, offered);
}
