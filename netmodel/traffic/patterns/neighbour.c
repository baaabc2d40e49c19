/* Nearest neighbour: one of the neighbours in the grid, one step along one dimension, all equally
 * likely (Camara et al., TPDS 2010, section 7.4; Camarero et al.: "Task Mapping in Rectangular
 * Twisted Tori", section 4.1). The grid is a torus, as in the papers, unless `wrap` says that it is
 * not: it is that of the programs, and twisted networks do not have all of its wraps. */
#include "netmodel/traffic/grid.h"
#include "netmodel/traffic/kinds.h"

typedef struct parameters {
    vef_int_list grid;
    bool wrap;
} parameters;

static const vef_param schema[] = {
    VEF_GRID_PARAM(parameters),
    {VEF_KEY(BOOL, parameters, wrap), .fallback = "true",
     .help = "whether the first and the last endpoint of a row are neighbours"},
    {.key = NULL},
};

static vef_code create(vef_pattern *pattern, vef_error *error) {
    const parameters *given = pattern->parameters;
    const vef_traffic_grid *grid;
    const vef_code code = vef_traffic_grid_create(pattern, &given->grid, &grid, error);
    return code == VEF_OK ? vef_traffic_grid_check_neighbours(grid, error) : code;
}

static uint32_t destination(const vef_pattern *pattern, uint32_t source, vef_rng *rng) {
    const parameters *given = pattern->parameters;
    return vef_traffic_grid_neighbour(pattern->state, given->wrap, source, rng);
}

static void shares(const vef_pattern *pattern, uint32_t source, double *share) {
    const parameters *given = pattern->parameters;
    vef_traffic_grid_add_neighbours(pattern->state, given->wrap, source, 1, share);
}

const vef_pattern_kind vef_pattern_neighbour = {
    .name = "neighbour",
    .aliases = "nearest-neighbor neighbor",
    .summary = "the neighbours in a grid with equal probability",
    VEF_PARAMETERS(schema, parameters),
    .create = create,
    .destination = destination,
    .shares = shares,
    .samples = VEF_LIST("{}", "{grid: [4, 4, 4], wrap: false}"),
};
