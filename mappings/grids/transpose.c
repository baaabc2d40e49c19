/* Transposition: f(x, y) = (y, x), from a grid m x n to one n x m; in more dimensions any two axes
 * are exchanged. Not in the paper, which draws every logical grid as wide as its network; MPI
 * programs that ask for 8 x 4 processes get a grid 4 wide and 8 high (the last dimension runs
 * fastest), and this turns it. */
#include "mappings/families.h"

static void exchange(const vef_mapping_stage *stage, uint32_t *numbers) {
    const uint32_t first = numbers[stage->axis[0]];
    numbers[stage->axis[0]] = numbers[stage->axis[1]];
    numbers[stage->axis[1]] = first;
}

static vef_code size(const vef_mapping_stage *stage, const vef_grid *from, vef_grid *to,
                     vef_error *error) {
    (void)error;
    *to = *from;
    exchange(stage, to->size);
    return VEF_OK;
}

static bool before(const vef_mapping_stage *stage, const vef_grid *to, vef_grid *from) {
    return size(stage, to, from, NULL) == VEF_OK;
}

static void move(const vef_mapping_stage *stage, const vef_grid *from, uint32_t *position) {
    (void)from;
    exchange(stage, position);
}

const vef_mapping_family vef_mapping_transpose = {
    .name = "transpose",
    .summary = "rows become columns: (y, x); (x, z): exchanges these axes",
    .takes = VEF_MAPPING_AXES,
    .axis = {0, 1},
    .parameter = "x, y",
    .samples = VEF_LIST("transpose", "transpose(x, z)"),
    .size = size,
    .before = before,
    .move = move,
};
