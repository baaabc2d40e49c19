/* Routings on k-ary n-trees: up to a switch above the destination, then down the unique path,
 * crossing between the inner switches of a T-switch if the port is on the other one.
 *
 * tree-adaptive goes up by any link: Petrini and Vanneschi ("k-ary n-trees: High Performance
 * Networks for Massively Parallel Architectures", IPPS 1997). On T-switches a packet goes up by the
 * links of the inner switch that it is on, and crosses to the other where there are none.
 *
 * DESTRO is deterministic and spreads destinations over the links up: Gomez, Gilabert, Gomez,
 * Lopez, Duato ("Deterministic versus Adaptive Routing in Fat-Trees", IPDPS 2007), as the thesis of
 * Andujar uses it on its BMINs: at stage s, digit s of the destination names the port, up where the
 * destination is not below the switch, down where it is. Packets to one destination share their way
 * from where it begins to rise together, and all destinations that a link down serves are different
 * from those of the others.
 *
 * Bound: up to the first stage that has source and destination below it, and down again, which is
 * minimal; on T-switches at most one crossing of an inner link more in each switch. Freedom from
 * deadlock: links up, stage by stage, then links down, stage by stage, are without cycles. The
 * inner links of T-switches (Andujar, thesis on twin networks, chapter on k-ary n-trees:
 * "C-switches", BMIN) join in on two sets of channels: a packet that came from below crosses on the
 * first (it goes on up, or turns), one that came from above on the second. On a single set, packets
 * on their way up could wait for those that turned above and come down again by the same inner
 * link. So external ports have `channels` virtual channels, inner ones twice as many.
 *
 * Example: in a 4-ary 3-tree from terminal 000 to 213 (base 4): up by any of four ports at stage 0
 * and again at stage 1, or with DESTRO by port 3 and port 1; down by 2, 1 and 3. */
#include "netmodel/topology/tree/kary_ntree.h"
#include "netmodel/routing/algorithms.h"
#include "netmodel/topology/families.h"

#include <string.h>

typedef struct parameters {
    int64_t channels;
} parameters;

static const vef_param schema[] = {
    {VEF_KEY(INT, parameters, channels), .fallback = "1", .minimum = 1,
     .maximum = VEF_MAX_CHANNELS / 2,
     .help = "virtual channels per link; inner links of T-switches have twice as many"},
    {.key = NULL},
};

enum { TERMINAL_WORD, WORDS = 2 }; /* of a route */

static vef_code supports(const vef_topology *topology, vef_flow_control flow_control,
                         const void *given, vef_error *error) {
    (void)flow_control, (void)given;
    if (vef_kary_ntree_of(topology))
        return VEF_OK;
    return vef_fail(error, VEF_UNSUPPORTED,
                    "it routes up and down the stages of a tree: expected topology %s, not %s",
                    vef_topology_kary_ntree.name, topology->family->name);
}

static vef_code create(vef_routing *routing, vef_error *error) {
    const vef_kary_ntree *tree = vef_kary_ntree_of(routing->topology);
    const parameters *given = routing->parameters;
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

static void begin(const vef_routing *routing, const vef_travel *travel, vef_draws *draws,
                  vef_route *route) {
    (void)draws;
    memset(route, 0, sizeof *route);
    vef_route_set_uint32(route, TERMINAL_WORD,
                         vef_kary_terminal(routing->topology, travel->destination));
}

static bool from_above(const vef_kary_ntree *tree, vef_place place) {
    return place.in_port >= tree->k && place.in_port < 2 * tree->k;
}

static uint32_t input(const vef_routing *routing, const vef_route *route, vef_place place) {
    (void)route;
    const vef_kary_ntree *tree = routing->topology->parameters;
    return tree->chips == 2 && from_above(tree, place);
}

/* The position of a packet relative to its terminal. */
typedef struct tree_place {
    const vef_kary_ntree *tree;
    uint32_t stage, position, chip, terminal;
    bool below; /* the terminal is below this switch */
    bool there; /* the terminal is at this switch */
} tree_place;

static tree_place locate(const vef_routing *routing, const vef_route *route, vef_place place) {
    const vef_kary_ntree *tree = routing->topology->parameters;
    tree_place here = {
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

/* Offers external port `port` of the switch on all its channels, or the inner links if the port is
 * on the other inner switch. Returns the number of candidates. */
static uint32_t offer(const vef_routing *routing, const tree_place *here, vef_place place,
                      uint32_t port, vef_candidate *offered) {
    const vef_kary_ntree *tree = here->tree;
    const uint32_t each = (uint32_t)((const parameters *)routing->parameters)->channels;
    const bool across = vef_kary_chip_of_port(tree, here->stage, port) != here->chip;
    const uint32_t first_port = across ? 2 * tree->k : port;
    const uint32_t ports = across ? tree->inner_links : 1;
    const uint32_t first_channel = across && from_above(tree, place) ? each : 0;
    uint32_t count = 0;
    for (uint32_t p = first_port; p < first_port + ports; p++)
        count += vef_offer_escapes(p, first_channel, each, offered + count);
    return count;
}

static uint32_t destro(const vef_routing *routing, const vef_route *route, vef_place place,
                       vef_candidate *offered) {
    const tree_place here = locate(routing, route, place);
    if (here.there)
        return 0;
    const uint32_t port = vef_kary_destro_port(here.tree, here.stage, here.position, here.terminal);
    return offer(routing, &here, place, port, offered);
}

static uint32_t adaptive(const vef_routing *routing, const vef_route *route, vef_place place,
                         vef_candidate *offered) {
    const tree_place here = locate(routing, route, place);
    if (here.there)
        return 0;
    if (here.below)
        return offer(routing, &here, place, vef_kary_digit(here.tree, here.terminal, here.stage),
                     offered);
    const uint32_t k = here.tree->k;
    uint32_t count = 0;
    for (uint32_t port = k; port < 2 * k; port++)
        if (vef_kary_chip_of_port(here.tree, here.stage, port) == here.chip)
            count += offer(routing, &here, place, port, offered + count);
    /* No link up here: then all are on the other inner switch. */
    return count > 0 ? count : offer(routing, &here, place, k, offered);
}

#define ON_TREES                                                                                   \
    VEF_PARAMETERS(schema, parameters), .climbs = true, .supports = supports, .create = create,    \
                                        .begin = begin, .input = input,                            \
                                        .advance = vef_routing_keep_route

const vef_routing_algorithm vef_routing_destro = {
    .name = "destro",
    .summary = "deterministic on k-ary n-trees: digits of the destination, up and down",
    .candidates = destro,
    ON_TREES,
};

const vef_routing_algorithm vef_routing_tree_adaptive = {
    .name = "tree-adaptive",
    .summary = "adaptive on k-ary n-trees: up by any link, then down",
    .candidates = adaptive,
    ON_TREES,
};
