/* Adaptive routing on k-ary n-trees: up by any link, then down the one way there is.
 *
 * Petrini and Vanneschi ("k-ary n-trees: High Performance Networks for Massively Parallel
 * Architectures", IPPS 1997). On T-switches a packet goes up by the links of the inner switch that
 * it is on, and crosses to the other where there are none.
 *
 * Bound: up to the first stage that has source and destination below it, and down again, which is
 * minimal; on T-switches at most one crossing of an inner link more in each switch. Channels and
 * freedom from deadlock: tree.h. Example: in a 4-ary 3-tree from terminal 000 to 213 (base 4): up
 * by any of four ports at stage 0 and again at stage 1, down by 2, 1 and 3. */
#include "netmodel/routing/algorithms.h"
#include "netmodel/routing/tree/tree.h"

static uint32_t candidates(const vef_routing *routing, const vef_route *route, vef_place place,
                           vef_candidate *offered) {
    const vef_tree_place here = vef_tree_at(routing, route, place);
    if (here.there)
        return 0;
    if (here.below)
        return vef_tree_offer(routing, &here, place,
                              vef_kary_digit(here.tree, here.terminal, here.stage), offered);
    const uint32_t k = here.tree->k;
    uint32_t count = 0;
    for (uint32_t port = k; port < 2 * k; port++)
        if (vef_kary_chip_of_port(here.tree, here.stage, port) == here.chip)
            count += vef_tree_offer(routing, &here, place, port, offered + count);
    /* No link up here: then all are on the other inner switch. */
    return count > 0 ? count : vef_tree_offer(routing, &here, place, k, offered);
}

const vef_routing_algorithm vef_routing_tree_adaptive = {
    .name = "tree-adaptive",
    .summary = "adaptive on k-ary n-trees: up by any link, then down",
    .schema = vef_tree_schema,
    .parameter_bytes = sizeof(vef_tree_parameters),
    .supports = vef_tree_supports,
    .create = vef_tree_create,
    .begin = vef_tree_begin,
    .candidates = candidates,
    .input = vef_tree_input,
    .advance = vef_routing_keep_route,
};
