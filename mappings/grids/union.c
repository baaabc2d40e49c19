/* Union: f(…, z, …) = (…, floor(z / c), …) along one axis: brings c neighbours to one router, from
 * a grid with a side of cn to one with a side of n. The horizontal and vertical unions of Camarero
 * et al., section 3, are those along x and y. */
#include "mappings/families.h"
#include "mappings/grid.h"

vef_code vef_mapping_union_size(const vef_mapping_stage *stage, const vef_grid *from, vef_grid *to,
                                vef_error *error) {
    const uint32_t axis = stage->axis[0], c = (uint32_t)stage->number;
    char grid[VEF_GRID_TEXT_BYTES], side[VEF_GRID_SIDE_BYTES];
    *to = *from;
    to->size[axis] = from->size[axis] / c;
    if (from->size[axis] % c == 0)
        return VEF_OK;
    return vef_fail(error, VEF_UNSUPPORTED, "%s(%u): the %s of the grid %s is not a multiple of %u",
                    stage->family->name, c, vef_grid_side_name(axis, side),
                    vef_grid_write(from, grid), c);
}

bool vef_mapping_union_before(const vef_mapping_stage *stage, const vef_grid *to, vef_grid *from) {
    const uint64_t side = to->size[stage->axis[0]] * stage->number;
    *from = *to;
    from->size[stage->axis[0]] = (uint32_t)side;
    return side <= UINT32_MAX;
}

void vef_mapping_union_move(const vef_mapping_stage *stage, const vef_grid *from,
                            uint32_t *position) {
    (void)from;
    position[stage->axis[0]] /= (uint32_t)stage->number;
}

const vef_mapping_family vef_mapping_union = {
    .name = "union",
    .aliases = "merge join axis-union depth-union",
    .summary = "c neighbours along an axis (x, y, z; d0, d1, …) share a router",
    .needs = VEF_MAPPING_COUNT | VEF_MAPPING_AXIS,
    .parameter = "c, axis",
    .samples = VEF_LIST("union(1, x)", "union(2, y)", "union(3, z)"),
    .size = vef_mapping_union_size,
    .before = vef_mapping_union_before,
    .move = vef_mapping_union_move,
};
