/* Common functions of routings on k-ary n-trees. See tree.h. */
#include "netmodel/routing/tree/tree.h"

#include "netmodel/topology/families.h"

#include <string.h>

const vef_param vef_tree_schema[] = {
    {VEF_KEY(INT, vef_tree_parameters, channels), .fallback = "1", .minimum = 1,
     .maximum = VEF_MAX_CHANNELS / 2,
     .help = "virtual channels per link; inner links of T-switches have twice as many"},
    {.key = NULL},
};

enum { TERMINAL_WORD, WORDS = 2 };

vef_code vef_tree_supports(const vef_topology *topology, vef_flow_control flow_control,
                           const void *parameters, vef_error *error) {
    (void)flow_control;
    (void)parameters;
    if (vef_kary_ntree_of(topology))
        return VEF_OK;
    return vef_fail(error, VEF_UNSUPPORTED,
                    "it routes up and down the stages of a tree: expected topology %s, not %s",
                    vef_topology_kary_ntree.name, topology->family->name);
}

vef_code vef_tree_create(vef_routing *routing, vef_error *error) {
    const vef_kary_ntree *tree = vef_kary_ntree_of(routing->topology);
    const vef_tree_parameters *given = routing->parameters;
    const uint32_t each = (uint32_t)given->channels;
    const uint32_t ports = routing->topology->ports;
    routing->channels = tree->chips == 2 ? 2 * each : each;
    /* Up ports, or one external port, or the inner links. */
    const uint32_t most_ports = tree->k + tree->inner_links;
    routing->most_candidates = most_ports * each;
    routing->least_queue_packets = 1;
    routing->route_words = WORDS;
    const vef_code code = vef_routing_check_candidates(each, most_ports, error);
    if (code != VEF_OK)
        return code;
    uint8_t *channels = vef_arena_alloc(&routing->arena, ports, sizeof *channels);
    memset(channels, (int)each, ports);
    memset(channels + 2 * tree->k, (int)routing->channels, tree->inner_links);
    routing->port_channels = channels;
    return VEF_OK;
}

void vef_tree_begin(const vef_routing *routing, const vef_travel *travel, vef_draws *draws,
                    vef_route *route) {
    (void)draws;
    memset(route, 0, sizeof *route);
    vef_route_set_uint32(route, TERMINAL_WORD,
                         vef_kary_terminal(routing->topology, travel->destination));
}

static bool from_above(const vef_kary_ntree *tree, vef_place place) {
    return place.in_port >= tree->k && place.in_port < 2 * tree->k;
}

uint32_t vef_tree_input(const vef_routing *routing, const vef_route *route, vef_place place) {
    (void)route;
    const vef_kary_ntree *tree = routing->topology->parameters;
    return tree->chips == 2 && from_above(tree, place);
}

vef_tree_place vef_tree_at(const vef_routing *routing, const vef_route *route, vef_place place) {
    const vef_kary_ntree *tree = routing->topology->parameters;
    vef_tree_place here = {
        .tree = tree,
        .stage = vef_kary_stage(tree, place.router),
        .position = vef_kary_position(tree, place.router),
        .chip = vef_kary_chip(tree, place.router),
        .terminal = vef_route_uint32(route, TERMINAL_WORD),
    };
    here.below =
        here.position / tree->power[here.stage] == here.terminal / tree->power[here.stage + 1];
    here.there = here.below && here.stage == 0 &&
                 vef_kary_chip_of_port(tree, 0, here.terminal % tree->k) == here.chip;
    return here;
}

uint32_t vef_tree_offer(const vef_routing *routing, const vef_tree_place *here, vef_place place,
                        uint32_t port, vef_candidate *offered) {
    const vef_kary_ntree *tree = here->tree;
    const uint32_t each = (uint32_t)((const vef_tree_parameters *)routing->parameters)->channels;
    const bool across = vef_kary_chip_of_port(tree, here->stage, port) != here->chip;
    const uint32_t first_port = across ? 2 * tree->k : port;
    const uint32_t ports = across ? tree->inner_links : 1;
    const uint32_t first_channel = across && from_above(tree, place) ? each : 0;
    uint32_t count = 0;
    for (uint32_t p = first_port; p < first_port + ports; p++) {
        const vef_candidate first = {.port = (uint16_t)p,
                                     .channel = (uint8_t)first_channel,
                                     .slots_needed = 1,
                                     .escape = true};
        count += vef_offer_channels(first, each, offered + count);
    }
    return count;
}
