/* Grid: the logical grid on which this mapping lays out the tasks, as its rightmost stage
 * (create.c takes it); as a stage the identity. So mappings that need different grids can be
 * compared with each other. */
#include "mappings/families.h"

static void move(const vef_mapping_stage *stage, const vef_grid *from, uint32_t *position) {
    (void)stage, (void)from, (void)position;
}

const vef_mapping_family vef_mapping_grid = {
    .name = "grid",
    .aliases = "layout logical-grid shape",
    .summary = "as the rightmost stage: the logical grid of this mapping, instead of --grid",
    .needs = VEF_MAPPING_GRID,
    .parameter = "16x8",
    .samples = VEF_LIST("grid(8x4)"),
    .size = vef_mapping_same_size,
    .before = vef_mapping_same_before,
    .move = move,
};
