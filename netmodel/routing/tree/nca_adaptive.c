/* Adaptive nearest common ancestor on generalized fat trees: up by any link, then down by any of
 * the parallel links to the one child.
 *
 * Petrini and Vanneschi ("k-ary n-trees: High Performance Networks for Massively Parallel
 * Architectures", IPPS 1997), on trees of Öhring et al. (xgft.c). At each switch the packet takes
 * the link whose queue has the most room, or another by `selection`. Packets of few phits that
 * compare room alone all request the same link in a cycle, unless ties are drawn.
 *
 * Bound, channels, freedom from deadlock: nca.h. Example: on XGFT(2; 4, 4; 1, 2) with two parallel
 * links a packet to another leaf has four candidates up and two down. */
#include "netmodel/routing/algorithms.h"
#include "netmodel/routing/tree/nca.h"

enum { MOST_CREDITS, RANDOM, LEAST_OCCUPIED };
static const char *const selections[] = {[MOST_CREDITS] = "most-credits",
                                         [RANDOM] = "random",
                                         [LEAST_OCCUPIED] = "least-occupied",
                                         NULL};

typedef struct parameters {
    vef_nca_parameters tree; /* first: of all routings on trees */
    int selection;
} parameters;

static const vef_param schema[] = {
    {VEF_KEY_AS("channels", INT, parameters, tree.channels), VEF_NCA_CHANNELS},
    {VEF_KEY(CHOICE, parameters, selection), .fallback = "most-credits", .choices = selections,
     .help = "selection among the eligible channels: most credits, random, or the port with the "
             "fewest places taken"},
    {.key = NULL},
};

static vef_code create(vef_routing *routing, vef_error *error) {
    const int selection = ((const parameters *)routing->parameters)->selection;
    if (selection == RANDOM)
        routing->selection = VEF_SELECT_ANY;
    if (selection == LEAST_OCCUPIED)
        routing->selection = VEF_SELECT_COST;
    routing->uniform = true; /* all links up are alike */
    const vef_xgft *tree = vef_xgft_of(routing->topology);
    if (!routing->topology->failures)
        routing->signatures = (tree->height + 1) * routing->topology->ports;
    return vef_nca_create(routing, vef_nca_most_ports(tree), error);
}

/* Sets the signature of a packet at a router: packets share their candidates at switches of one
 * level if they go on by the same links, of which it names the first. */
static void set_signature(const vef_routing *routing, uint32_t router, vef_route *route) {
    if (routing->state)
        return;
    const vef_nca_place here = vef_nca_at(routing, route, (vef_place){.router = router});
    uint32_t port = 0;
    if (!here.below)
        port = vef_xgft_up_port(here.tree, here.level, 0, 0);
    else if (here.level > 1)
        port = vef_xgft_down_port(here.tree, here.level,
                                  vef_xgft_child_towards(here.tree, here.level, here.terminal), 0);
    vef_route_set_uint32(route, VEF_NCA_KEY_WORD, here.level * routing->topology->ports + port);
}

static uint32_t signature(const vef_routing *routing, const vef_route *route) {
    (void)routing;
    return vef_route_uint32(route, VEF_NCA_KEY_WORD);
}

static void begin(const vef_routing *routing, const vef_travel *travel, vef_draws *draws,
                  vef_route *route) {
    (void)draws;
    vef_nca_set(routing, travel, 0, route);
    set_signature(routing, travel->from, route);
}

static void advance(const vef_routing *routing, vef_route *route, vef_place place, uint16_t port,
                    uint8_t channel) {
    (void)channel;
    const vef_topology *topology = routing->topology;
    set_signature(routing, vef_topology_next(topology, place.router, port), route);
}

static uint32_t candidates(const vef_routing *routing, const vef_route *route, vef_place place,
                           vef_candidate *offered) {
    if (routing->state)
        return vef_nca_candidates_around(routing, route, place, NULL, offered);
    const vef_nca_place here = vef_nca_at(routing, route, place);
    const vef_xgft *tree = here.tree;
    uint32_t count = 0;
    if (!here.below) {
        for (uint32_t up = 0; up < vef_xgft_up_ports(tree, here.level); up++)
            count +=
                vef_nca_offer(routing, vef_xgft_up_port(tree, here.level, up, 0), offered + count);
        return count;
    }
    if (here.level == 1)
        return 0;
    const uint32_t child = vef_xgft_child_towards(tree, here.level, here.terminal);
    for (uint32_t link = 0; link < tree->links[here.level]; link++)
        count += vef_nca_offer(routing, vef_xgft_down_port(tree, here.level, child, link),
                               offered + count);
    return count;
}

const vef_routing_algorithm vef_routing_nca_adaptive = {
    .name = "nca-adaptive",
    .aliases = "fat-tree nca",
    .summary = "adaptive on fat trees: up by any link, then down",
    VEF_NCA_HOOKS(schema, parameters, advance),
    .weigh = vef_routing_weigh_occupied,
    .supports = vef_nca_supports,
    .create = create,
    .begin = begin,
    .candidates = candidates,
    .signature = signature,
};
