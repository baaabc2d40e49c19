/* Routers by number, row by row in a square: for networks whose routers form no grid, as racks are
 * filled where nothing better is known. The last row may be shorter. */
#include "netmodel/analysis/layout/layout.h"

static vef_code supports(const vef_topology *topology, vef_error *error) {
    if (topology->routers > 1)
        return VEF_OK;
    return vef_fail(error, VEF_UNSUPPORTED, "supports networks of two routers or more");
}

static void lay_out(const vef_topology *topology, vef_place_on_plane *place) {
    uint32_t columns = 1;
    while (columns * columns < topology->routers)
        columns++;
    for (uint32_t router = 0; router < topology->routers; router++)
        place[router] =
            (vef_place_on_plane){(int32_t)(router % columns), (int32_t)(router / columns)};
}

const vef_layout vef_layout_square = {
    .name = "square",
    .summary = "routers by number in the rows of a square: supports every network of two or more",
    .supports = supports,
    .lay_out = lay_out,
};
