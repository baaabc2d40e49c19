/* Dimension complement: coordinate x of a dimension of size S becomes S - 1 - x, in every dimension
 * (McDonald et al., "Practical and Efficient Incremental Adaptive Routing for HyperX Networks", SC
 * 2019; where sizes are powers of two, bit complement). Coordinates in the middle of odd sizes do
 * not change.
 *
 * With `reverse` the dimensions also change places, the first with the last and so on (dimension
 * complement reverse): in three dimensions (x, y, z) sends to (S - 1 - z, S - 1 - y, S - 1 - x).
 * Endpoints of which that is the own place are silent. */
#include "netmodel/traffic/grid.h"
#include "netmodel/traffic/kinds.h"
#include "netmodel/traffic/permute.h"

typedef struct parameters {
    vef_int_list grid;
    bool reverse;
} parameters;

static const vef_param schema[] = {
    VEF_GRID_PARAM(parameters),
    {VEF_KEY(BOOL, parameters, reverse), .fallback = "false",
     .help = "whether the dimensions also change places, the first with the last"},
    {.key = NULL},
};

/* The dimension whose coordinate the destination has in dimension `d`. */
static uint32_t origin_of(const vef_traffic_grid *grid, bool reverse, uint32_t d) {
    return reverse ? grid->dimensions - 1 - d : d;
}

static uint32_t complemented(const vef_traffic_grid *grid, bool reverse, uint32_t endpoint) {
    uint32_t to = endpoint;
    for (uint32_t d = 0; d < grid->dimensions; d++) {
        const uint32_t from = vef_traffic_grid_at(grid, endpoint, origin_of(grid, reverse, d));
        to = vef_traffic_grid_move(grid, to, d, grid->sizes[d] - 1 - from);
    }
    return to;
}

static vef_code create(vef_pattern *pattern, vef_error *error) {
    const parameters *given = pattern->parameters;
    vef_traffic_grid grid;
    vef_code code = vef_traffic_grid_take(pattern, &given->grid, &grid, error);
    if (code != VEF_OK)
        return code;
    char text[VEF_TRAFFIC_GRID_BYTES];
    if (grid.longer_count == 0)
        return vef_fail(error, VEF_UNSUPPORTED,
                        "no endpoint would send: the grid is %s, expected a size of 2 or more",
                        vef_traffic_grid_text(text, &grid));
    for (uint32_t d = 0; d < grid.dimensions; d++)
        if (grid.sizes[d] != grid.sizes[origin_of(&grid, given->reverse, d)])
            return vef_fail(error, VEF_UNSUPPORTED,
                            "reverse: not supported on the grid %s: expected sizes that are the "
                            "same backwards",
                            vef_traffic_grid_text(text, &grid));
    uint32_t *to = vef_permute_create(pattern);
    for (uint32_t e = 0; e < pattern->endpoints; e++)
        to[e] = complemented(&grid, given->reverse, e);
    return VEF_OK;
}

const vef_pattern_kind vef_pattern_dimension_complement = {
    .name = "dimension-complement",
    .aliases = "dim-complement dcr",
    .summary = "every coordinate x of a dimension of size S becomes S - 1 - x",
    VEF_PARAMETERS(schema, parameters),
    .create = create,
    VEF_PERMUTE_HOOKS,
    .samples = VEF_LIST("{}", "{reverse: true}", "{grid: [2, 32]}"),
};
