/* Counting the paths that cross inner links. See inner_link.h.
 *
 * Twin torus (Andujar et al.: "Building 3D Torus Using Low-Profile Expansion Cards", section 5, and
 * "N-Dimensional Twin Torus Networks", sections 3.1 and 3.2, here for sizes that differ and are odd
 * or even): dimension-order routing through a node. A path that last moved in dimension i before
 * the node comes from any coordinate of the dimensions before i, from behind the node in i, and
 * from the node's own coordinates after i; a path that first moves in dimension j after it goes to
 * the node's own coordinates before j, ahead of it in j, and to any after j. In a ring of k nodes a
 * path moves in the direction + for k / 2 distances (ties go to +) and - for (k - 1) / 2. */
#include "netmodel/analysis/inner_link.h"

/* The greatest distance that a path moves along a ring in a direction (0: +, 1: -), which is also
 * to how many nodes, and from how many, it moves so. */
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
            /* Moving in the direction +, a path comes in by the port that leads back, -. */
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

vef_code vef_inner_use_count(const vef_topology *topology, vef_inner_use *use, vef_error *error) {
    const vef_twin_torus *twin = vef_twin_torus_of(topology);
    if (!twin)
        return vef_fail(error, VEF_UNSUPPORTED, "topology %s has no inner links; a %s has",
                        topology->family->name, "twin-torus");
    vef_inner_use_of_twin(twin, use);
    return VEF_OK;
}
