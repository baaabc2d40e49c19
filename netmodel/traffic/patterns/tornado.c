/* Tornado: each coordinate advances by ceil(k/2) - 1 modulo its size k, as far as a torus can send
 * in one direction along minimal paths (Dally, Towles: "Principles and Practices of Interconnection
 * Networks", section 3.2). Sizes of 1 and 2 do not advance; if no size does, every endpoint is
 * silent, which is refused.
 *
 * Stafford et al. (king networks, section 4.2) say of their tornado that its packets move along the
 * orthogonal directions, so that diagonals bring no packet nearer, which holds for an advance along
 * one dimension alone, and also that one of two diagonals carries it well, which holds for both:
 * `dimensions` gives either. */
#include "netmodel/traffic/grid.h"
#include "netmodel/traffic/kinds.h"
#include "netmodel/traffic/permute.h"

typedef struct parameters {
    vef_int_list grid;
    int64_t dimensions;
} parameters;

static const vef_param schema[] = {
    VEF_GRID_PARAM(parameters),
    {VEF_KEY(INT, parameters, dimensions), .fallback = "0", .minimum = 0,
     .maximum = VEF_MAX_DIMENSIONS,
     .help = "number of dimensions to advance along, from the first; 0: all"},
    {.key = NULL},
};

static uint32_t advanced(const vef_traffic_grid *grid, uint32_t dimensions, uint32_t endpoint) {
    uint32_t to = endpoint;
    for (uint32_t d = 0; d < dimensions; d++) {
        const uint32_t size = grid->sizes[d], coordinate = vef_traffic_grid_at(grid, endpoint, d);
        to = vef_traffic_grid_move(grid, to, d,
                                   (uint32_t)((coordinate + (size - 1) / UINT64_C(2)) % size));
    }
    return to;
}

static vef_code create(vef_pattern *pattern, vef_error *error) {
    const parameters *given = pattern->parameters;
    vef_traffic_grid grid;
    vef_code code = vef_traffic_grid_take(pattern, &given->grid, &grid, error);
    if (code != VEF_OK)
        return code;
    const uint32_t dimensions = given->dimensions ? (uint32_t)given->dimensions : grid.dimensions;
    if (dimensions > grid.dimensions)
        return vef_fail(error, VEF_INVALID,
                        "dimensions: %u of a grid of %u: out of range: expected 1 to %u",
                        dimensions, grid.dimensions, grid.dimensions);
    bool moves = false;
    for (uint32_t d = 0; d < dimensions; d++)
        moves |= grid.sizes[d] > 2;
    char text[VEF_TRAFFIC_GRID_BYTES];
    if (!moves)
        return vef_fail(
            error, VEF_UNSUPPORTED,
            "no endpoint would send: tornado does not advance along dimensions of size 1 "
            "or 2; the grid is %s, expected a size of 3 or more",
            vef_traffic_grid_text(text, &grid));
    uint32_t *to = vef_permute_create(pattern);
    for (uint32_t e = 0; e < pattern->endpoints; e++)
        to[e] = advanced(&grid, dimensions, e);
    return VEF_OK;
}

const vef_pattern_kind vef_pattern_tornado = {
    .name = "tornado",
    .summary = "every coordinate advances by ceil(k/2) - 1 modulo its size k",
    VEF_PARAMETERS(schema, parameters),
    .create = create,
    VEF_PERMUTE_HOOKS,
    .samples = VEF_LIST("{}", "{dimensions: 1}", "{grid: [4, 16]}"),
};
