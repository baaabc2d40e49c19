/* Common functions of routings on generalized fat trees. See nca.h. */
#include "netmodel/routing/tree/nca.h"

#include "netmodel/topology/families.h"

#include <string.h>

const vef_param vef_nca_schema[] = {
    {VEF_KEY(INT, vef_nca_parameters, channels), .fallback = "1", .minimum = 1,
     .maximum = VEF_MAX_CHANNELS, .help = "virtual channels per link"},
    {.key = NULL},
};

const vef_xgft *vef_xgft_of(const vef_topology *topology) {
    const vef_topology_family *family = topology->family;
    return family == &vef_topology_xgft || family == &vef_topology_kary_ntree ? topology->details
                                                                              : NULL;
}

vef_code vef_nca_supports(const vef_topology *topology, vef_flow_control flow_control,
                          const void *parameters, vef_error *error) {
    (void)flow_control;
    (void)parameters;
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

vef_code vef_nca_create(vef_routing *routing, uint32_t ports, vef_error *error) {
    const vef_nca_parameters *given = routing->parameters;
    routing->channels = (uint32_t)given->channels;
    routing->most_candidates = ports * routing->channels;
    routing->least_queue_packets = 1;
    routing->route_words = VEF_NCA_WORDS;
    return vef_routing_check_candidates(routing->channels, ports, error);
}

void vef_nca_set(const vef_routing *routing, const vef_travel *travel, uint32_t key,
                 vef_route *route) {
    memset(route, 0, sizeof *route);
    vef_route_set_uint32(route, VEF_NCA_TERMINAL_WORD,
                         vef_xgft_terminal(routing->topology, travel->destination));
    vef_route_set_uint32(route, VEF_NCA_KEY_WORD, key);
}

vef_nca_place vef_nca_at(const vef_routing *routing, const vef_route *route, vef_place place) {
    const vef_xgft *tree = vef_xgft_of(routing->topology);
    vef_nca_place here = {.tree = tree,
                          .level = vef_xgft_level(tree, place.router),
                          .terminal = vef_route_uint32(route, VEF_NCA_TERMINAL_WORD),
                          .key = vef_route_uint32(route, VEF_NCA_KEY_WORD)};
    here.position = vef_xgft_position(tree, here.level, place.router);
    here.below = vef_xgft_is_below(tree, here.level, here.position, here.terminal);
    return here;
}

uint32_t vef_nca_offer(const vef_routing *routing, uint32_t port, vef_candidate *offered) {
    const vef_candidate first = {.port = (uint16_t)port, .slots_needed = 1, .escape = true};
    return vef_offer_channels(first, routing->channels, offered);
}

uint32_t vef_nca_modulo(const vef_xgft *tree, uint32_t level, uint32_t key) {
    return key / tree->copies[level] % vef_xgft_up_ports(tree, level);
}

uint32_t vef_nca_keyed_candidates(const vef_routing *routing, const vef_route *route,
                                  vef_place place, vef_nca_link_of link_of,
                                  vef_candidate *offered) {
    const vef_nca_place here = vef_nca_at(routing, route, place);
    if (!here.below) {
        /* Links to parents, then the second ones to each, and so on: as ports are numbered. */
        const uint32_t up = link_of(here.tree, here.level, here.key);
        return vef_nca_offer(routing, vef_xgft_up_port(here.tree, here.level, up, 0), offered);
    }
    if (here.level == 1)
        return 0;
    const uint32_t link = link_of(here.tree, here.level - 1, here.key) / here.tree->w[here.level];
    const uint32_t child = vef_xgft_child_towards(here.tree, here.level, here.terminal);
    return vef_nca_offer(routing, vef_xgft_down_port(here.tree, here.level, child, link), offered);
}

uint32_t vef_nca_modulo_candidates(const vef_routing *routing, const vef_route *route,
                                   vef_place place, vef_candidate *offered) {
    return vef_nca_keyed_candidates(routing, route, place, vef_nca_modulo, offered);
}
