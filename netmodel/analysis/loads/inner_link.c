/* Counting the paths that cross inner links. See inner_link.h.
 *
 * Twin torus (Andujar et al.: "Building 3D Torus Using Low-Profile Expansion Cards", section 5, and
 * "N-Dimensional Twin Torus Networks", sections 3.1 and 3.2, here for sizes that differ and are odd
 * or even): dimension-order routing through a node. A path that last moved in dimension i before
 * the node comes from any coordinate of the dimensions before i, from behind the node in i, and
 * from the node's own coordinates after i; a path that first moves in dimension j after it goes to
 * the node's own coordinates before j, ahead of it in j, and to any after j. In a ring of k nodes a
 * path moves in the direction + for k / 2 distances (ties go to +) and - for (k - 1) / 2.
 *
 * T-switches (Villar et al.: "Formalization and configuration methodology for high-radix combined
 * switches", table 2): DESTRO paths through one switch of stage s of a k-ary n-tree. Of those from
 * down port l, whose k^s terminals are the sources, k^(n-1) - k^s go up by each up port, and k^s
 * turn round to each other down port; those that come down by up port k + l, from the
 * k^n - k^(s+1) terminals that are not below, all leave by down port l. */
#include "netmodel/analysis/loads/inner_link.h"

#include "netmodel/topology/tree/kary_ntree.h"

/* The greatest distance of a path along a ring in a direction (0: +, 1: -), which is also the
 * number of its destinations and of its sources. */
static uint64_t reach(uint32_t size, uint32_t direction) {
    return direction == 0 ? size / 2 : (size - 1) / 2;
}

static void add(const vef_twin_torus *twin, uint32_t in, uint32_t out, uint64_t paths,
                vef_inner_use *use) {
    use->paths += paths;
    if (vef_twin_card_of_port(twin, in) != vef_twin_card_of_port(twin, out))
        use->crossing += paths;
}

void vef_inner_use_of_twin(const vef_twin_torus *twin, vef_inner_use *use) {
    *use = (vef_inner_use){0};
    uint64_t before = 1, nodes = 1; /* coordinates of the dimensions before i; of all */
    for (uint32_t d = 0; d < twin->dimensions; d++)
        nodes *= twin->sizes[d];
    for (uint32_t i = 0; i < twin->dimensions; i++) {
        for (uint32_t a = 0; a < 2; a++) {
            /* A path that moves in the direction + arrives by the port -. */
            const uint32_t in = 2 * i + 1 - a;
            const uint64_t behind = reach(twin->sizes[i], a);
            /* Straight on: b behind and c ahead, b, c >= 1 and b + c within reach. */
            add(twin, in, 2 * i + a, behind * (behind - 1) / 2 * (nodes / twin->sizes[i]), use);
            uint64_t after = nodes / before / twin->sizes[i];
            for (uint32_t j = i + 1; j < twin->dimensions; j++) {
                after /= twin->sizes[j];
                for (uint32_t c = 0; c < 2; c++)
                    add(twin, in, 2 * j + c, behind * before * reach(twin->sizes[j], c) * after,
                        use);
            }
        }
        before *= twin->sizes[i];
    }
}

void vef_inner_use_of_stage(const vef_kary_ntree *tree, uint32_t stage, vef_inner_use *use) {
    const uint32_t k = tree->k;
    const uint64_t terminals = tree->power[tree->n], below = tree->power[stage];
    /* By every pair of ports; in the last stage the first and the last are none. */
    const uint64_t ascending = tree->power[tree->n - 1] - below;
    const uint64_t turning = below, descending = terminals - below * k;
    uint64_t down_on[2] = {0}, up_on[2] = {0}, apart = 0; /* apart: pairs l and k + l */
    for (uint32_t l = 0; l < k; l++) {
        const uint32_t down = vef_kary_chip_of_port(tree, stage, l);
        const uint32_t up = vef_kary_chip_of_port(tree, stage, k + l);
        down_on[down]++;
        up_on[up]++;
        apart += down != up;
    }
    use->paths = ascending * k * k + turning * k * (k - 1) + descending * k;
    use->crossing = ascending * (down_on[0] * up_on[1] + down_on[1] * up_on[0]) +
                    turning * 2 * down_on[0] * down_on[1] + descending * apart;
}

static void count_in_tree(const vef_kary_ntree *tree, vef_inner_use *use) {
    *use = (vef_inner_use){0};
    for (uint32_t stage = 0; stage < tree->n; stage++) {
        vef_inner_use here;
        vef_inner_use_of_stage(tree, stage, &here);
        if (stage == 0 || here.crossing > use->crossing)
            *use = here;
    }
}

vef_code vef_inner_use_count(const vef_topology *topology, vef_inner_use *use, vef_error *error) {
    const vef_twin_torus *twin = vef_twin_torus_of(topology);
    const vef_kary_ntree *tree = vef_kary_ntree_of(topology);
    if (twin)
        vef_inner_use_of_twin(twin, use);
    else if (tree && tree->inner_links > 0)
        count_in_tree(tree, use);
    else
        return vef_fail(error, VEF_UNSUPPORTED,
                        "topology %s has no inner links%s: expected a twin-torus, or a kary-ntree "
                        "with inner_links",
                        topology->family->name, tree ? " here" : "");
    return VEF_OK;
}
