/* Morton: the Z-order curve, by the interleaved bits of the coordinates (G. M. Morton, "A Computer
 * Oriented Geodetic Data Base and a New Technique in File Sequencing", IBM, 1966). On sides that
 * are no powers of two, places outside the network are left out. */
#include "mappings/families.h"
#include "mappings/places/curve.h"

static void morton(const vef_topology *topology, const uint32_t *coordinates, uint32_t bits,
                   vef_curve_place *place) {
    vef_curve_interleave(place, coordinates, topology->dimensions, bits);
}

static vef_code assign(const vef_mapping_stage *stage, const vef_mapping_view *view,
                       uint32_t *endpoint, vef_error *error) {
    (void)stage;
    return vef_mapping_along(view, morton, endpoint, error);
}

const vef_mapping_family vef_mapping_morton = {
    .name = "morton",
    .aliases = "z-order zorder",
    .summary = "ranks along the Z-order curve through the routers",
    .samples = VEF_LIST("morton"),
    .assign = assign,
    .shares = true,
    .by_distance = true,
    .on_grid = true,
};
