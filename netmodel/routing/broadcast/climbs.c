/* Rules of climbing (tree.h): the single router of a star, and generalized fat trees.
 *
 * On a fat tree the choice has a digit for each level, the first one that of level 1, to the base
 * of a switch's links up: number 5 takes, in a 4-ary 3-tree, link 1 up from level 1 and link 1 from
 * level 2. Parents come before parallel links, as in nca-random. */
#include "netmodel/routing/broadcast/tree.h"
#include "netmodel/topology/families.h"
#include "netmodel/topology/tree/xgft.h"

/* clang-format off */
const vef_climb *const vef_climbs[] = {
    &vef_climb_star,
    &vef_climb_fat_tree,
    NULL,
};
/* clang-format on */

static bool star_fits(const vef_topology *topology) {
    return vef_topology_is(topology, &vef_topology_star);
}

static uint16_t no_way_up(const vef_topology *topology, uint32_t router, uint32_t number) {
    (void)topology, (void)router, (void)number;
    return 0; /* never taken: all members are at the router */
}

const vef_climb vef_climb_star = {
    .name = "star",
    .summary = "a star: in its switch",
    .fits = star_fits,
    .up = no_way_up, /* and its ports are unconnected */
};

/* NULL for a topology that is not a fat tree, or has failures or T-switches. */
static const vef_xgft *tree_of(const vef_topology *topology) {
    const bool tree = vef_topology_is(topology, &vef_topology_xgft) ||
                      vef_topology_is(topology, &vef_topology_kary_ntree);
    return tree ? topology->details : NULL;
}

static bool tree_fits(const vef_topology *topology) {
    return tree_of(topology) != NULL;
}

static uint16_t way_up(const vef_topology *topology, uint32_t router, uint32_t number) {
    const vef_xgft *tree = tree_of(topology);
    const uint32_t level = vef_xgft_level(tree, router);
    for (uint32_t below = 1; below < level; below++)
        number /= vef_xgft_up_ports(tree, below);
    const uint32_t link = number % vef_xgft_up_ports(tree, level), parents = tree->w[level + 1];
    return (uint16_t)vef_xgft_up_port(tree, level, link % parents, link / parents);
}

static bool leads_up(const vef_topology *topology, uint32_t port) {
    return vef_xgft_is_up(tree_of(topology), port);
}

const vef_climb vef_climb_fat_tree = {
    .name = "fat-tree",
    .summary = "fat trees without failures: up to the nearest common ancestor, and down",
    .fits = tree_fits,
    .links = true,
    .up = way_up,
    .is_up = leads_up,
};
