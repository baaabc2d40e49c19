/* Adaptive nearest common ancestor on generalized fat trees: up by any link, then down by any of
 * the parallel links to the one child.
 *
 * Petrini and Vanneschi ("k-ary n-trees: High Performance Networks for Massively Parallel
 * Architectures", IPPS 1997), on trees of Öhring et al. (xgft.c). At each switch the packet takes
 * the link whose queue has the most room.
 *
 * Bound, channels, freedom from deadlock: nca.h. Example: on XGFT(2; 4, 4; 1, 2) with two parallel
 * links a packet to another leaf has four candidates up and two down. */
#include "netmodel/routing/algorithms.h"
#include "netmodel/routing/tree/nca.h"

static vef_code create(vef_routing *routing, vef_error *error) {
    return vef_nca_create(routing, vef_nca_most_ports(vef_xgft_of(routing->topology)), error);
}

static void begin(const vef_routing *routing, const vef_travel *travel, vef_draws *draws,
                  vef_route *route) {
    (void)draws;
    vef_nca_set(routing, travel, 0, route);
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
    VEF_NCA_HOOKS,
    .supports = vef_nca_supports,
    .create = create,
    .begin = begin,
    .candidates = candidates,
};
