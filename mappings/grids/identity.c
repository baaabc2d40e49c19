/* Identity: id(x, y) = (x, y) (Camarero et al., section 3). Keeps the neighbours of a logical mesh
 * adjacent on any grid of routers, and those of a logical torus on a torus. */
#include "mappings/families.h"

vef_code vef_mapping_same_size(const vef_mapping_stage *stage, const vef_grid *from, vef_grid *to,
                               vef_error *error) {
    (void)stage, (void)error;
    *to = *from;
    return VEF_OK;
}

bool vef_mapping_same_before(const vef_mapping_stage *stage, const vef_grid *to, vef_grid *from) {
    (void)stage;
    *from = *to;
    return true;
}

static void move(const vef_mapping_stage *stage, const vef_grid *from, uint32_t *position) {
    (void)stage, (void)from, (void)position;
}

const vef_mapping_family vef_mapping_identity = {
    .name = "identity",
    .aliases = "linear sequential consecutive default none",
    .summary = "every task stays at its place: (x, y)",
    .samples = VEF_LIST("identity"),
    .size = vef_mapping_same_size,
    .before = vef_mapping_same_before,
    .move = move,
};
