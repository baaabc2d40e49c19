/* Hilbert: the Hilbert curve in any number of dimensions, by the transformation of J. Skilling
 * ("Programming the Hilbert curve", AIP Conference Proceedings 707, 2004): the coordinates become
 * those of a Gray code whose interleaved bits are the place on the curve. Ranks that follow each
 * other are neighbours if all sides are the same power of two; else places outside the network are
 * left out of the curve through the next greater cube. */
#include "mappings/families.h"
#include "mappings/places/curve.h"

#include <string.h>

/* Reflects or exchanges the lower bits of dimension `d` and the last one, which varies slowest. */
static void untwist(uint32_t *x, uint32_t last, uint32_t d, uint32_t bit) {
    const uint32_t lower = bit - 1;
    if (x[d] & bit) {
        x[last] ^= lower;
    } else {
        const uint32_t changed = (x[last] ^ x[d]) & lower;
        x[last] ^= changed;
        x[d] ^= changed;
    }
}

static void hilbert(const vef_topology *topology, const uint32_t *coordinates, uint32_t bits,
                    vef_curve_place *place) {
    const uint32_t n = topology->dimensions;
    uint32_t x[VEF_MAX_DIMENSIONS], flips = 0;
    memcpy(x, coordinates, n * sizeof *x);
    for (uint32_t bit = bits ? 1u << (bits - 1) : 0; bit > 1; bit >>= 1)
        for (uint32_t d = n; d-- > 0;)
            untwist(x, n - 1, d, bit);
    for (uint32_t d = n - 1; d-- > 0;) /* Gray code */
        x[d] ^= x[d + 1];
    for (uint32_t bit = bits ? 1u << (bits - 1) : 0; bit > 1; bit >>= 1)
        if (x[0] & bit)
            flips ^= bit - 1;
    for (uint32_t d = 0; d < n; d++)
        x[d] ^= flips;
    vef_curve_interleave(place, x, n, bits);
}

static vef_code assign(const vef_mapping_stage *stage, const vef_mapping_view *view,
                       uint32_t *endpoint, vef_error *error) {
    (void)stage;
    return vef_mapping_along(view, hilbert, endpoint, error);
}

const vef_mapping_family vef_mapping_hilbert = {
    .name = "hilbert",
    .summary = "ranks along the Hilbert curve through the routers",
    .samples = VEF_LIST("hilbert"),
    .assign = assign,
    .shares = true,
    .by_distance = true,
    .on_grid = true,
};
