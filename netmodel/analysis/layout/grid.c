/* The unfolded layout: routers at their coordinates. The baseline of the others; its wraps are as
 * long as the network. */
#include "netmodel/analysis/layout/layout.h"

static vef_code supports(const vef_topology *topology, vef_error *error) {
    if (topology->dimensions == 0)
        return vef_fail(error, VEF_UNSUPPORTED, "supports networks whose routers form a grid");
    return VEF_OK;
}

static void lay_out(const vef_topology *topology, vef_place_on_plane *place) {
    for (uint32_t router = 0; router < topology->routers; router++)
        place[router] = vef_layout_nested(topology, router, 0, false, false, NULL);
}

const vef_layout vef_layout_grid = {
    .name = "grid",
    .summary = "routers at their coordinates, as a baseline: wraps span the network",
    .supports = supports,
    .lay_out = lay_out,
};
