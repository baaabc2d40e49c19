/* Transposition: f(x, y) = (y, x), from a grid m x n to one n x m. Not in the paper, which draws
 * every logical grid as wide as its network; MPI programs that ask for 8 x 4 processes get a grid 4
 * wide and 8 high (the last dimension runs fastest), and this turns it. */
#include "mappings/families.h"

static vef_code size(const vef_mapping_stage *stage, vef_grid from, vef_grid *to,
                     vef_error *error) {
    (void)stage, (void)error;
    *to = (vef_grid){from.height, from.width};
    return VEF_OK;
}

static vef_point move(const vef_mapping_stage *stage, vef_grid from, vef_point point) {
    (void)stage, (void)from;
    return (vef_point){point.y, point.x};
}

static const char *const samples[] = {"transpose", NULL};

const vef_mapping_family vef_mapping_transpose = {
    .name = "transpose",
    .summary = "rows become columns: (y, x)",
    .samples = samples,
    .size = size,
    .move = move,
};
