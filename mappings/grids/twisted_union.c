/* Twisted union: f(x, y) = (x + floor(y / n) m / 2 mod m, y - floor(y / n) n), from a grid m x cn
 * to one m x n (Camarero et al., section 3). Lays c slices of the grid over each other, every
 * second one shifted by half the width: no neighbours come together, but those of a logical torus
 * 2a x 2a stay adjacent on RTT(a), whose wrap shifts by the same half. The width must be even for c
 * > 1, since the definition halves it. */
#include "mappings/families.h"

static vef_code size(const vef_mapping_stage *stage, vef_grid from, vef_grid *to,
                     vef_error *error) {
    const unsigned long long c = stage->number;
    if (from.height % c != 0)
        return vef_fail(
            error, VEF_UNSUPPORTED,
            "twisted-union(%llu): the height of the grid %ux%u is not a multiple of %llu", c,
            from.width, from.height, c);
    if (c > 1 && from.width % 2 != 0)
        return vef_fail(error, VEF_UNSUPPORTED,
                        "twisted-union(%llu): the grid %ux%u has an odd width: expected an even "
                        "one, to shift by half of it",
                        c, from.width, from.height);
    *to = (vef_grid){from.width, from.height / (uint32_t)c};
    return VEF_OK;
}

static vef_point move(const vef_mapping_stage *stage, vef_grid from, vef_point point) {
    const uint32_t n = from.height / (uint32_t)stage->number;
    const uint32_t slice = point.y / n;
    const uint32_t shift = slice % 2 == 0 ? 0 : from.width / 2;
    return (vef_point){(uint32_t)(((uint64_t)point.x + shift) % from.width), point.y - slice * n};
}

static const char *const samples[] = {"twisted-union(1)", "twisted-union(2)", "twisted-union(4)",
                                      NULL};

const vef_mapping_family vef_mapping_twisted_union = {
    .name = "twisted-union",
    .summary =
        "c slices of n rows share routers, every second slice shifted by half the width m: (x + "
        "floor(y / n) m/2 mod m, y mod n)",
    .argument = VEF_MAPPING_COUNT,
    .parameter = "c",
    .samples = samples,
    .size = size,
    .move = move,
};
