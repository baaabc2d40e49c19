/* Local traffic: with the probability alpha one of the logical neighbours (four in two dimensions),
 * all equally likely, otherwise a random endpoint, "not necessarily one of the four neighbors"
 * (Camarero, Vallejo, Martinez, Moreto, Beivide: "Task Mapping in Rectangular Twisted Tori",
 * section 5.1). alpha 1 is the pattern neighbour, alpha 0 uniform. */
#include "netmodel/traffic/patterns/local.h"

#include "netmodel/traffic/kinds.h"
#include "netmodel/traffic/uniform.h"

static const vef_param schema[] = {
    {VEF_KEY(REAL, vef_local_parameters, alpha), .fallback = "0.5", .minimum = 0, .maximum = 1,
     .help = "share of the messages that go to a neighbour"},
    VEF_GRID_PARAM(vef_local_parameters),
    {VEF_KEY(BOOL, vef_local_parameters, wrap), .fallback = "true",
     .help = "whether the first and the last endpoint of a row are neighbours"},
    VEF_SELF_PARAM(vef_local_parameters),
    {.key = NULL},
};

static vef_code create(vef_pattern *pattern, vef_error *error) {
    const vef_local_parameters *given = pattern->parameters;
    const vef_traffic_grid *grid;
    vef_code code = vef_traffic_grid_create(pattern, &given->grid, &grid, error);
    if (code == VEF_OK)
        code = vef_traffic_grid_check_neighbours(grid, error);
    return code == VEF_OK ? vef_uniform_check(pattern, given->self, error) : code;
}

static uint32_t destination(const vef_pattern *pattern, uint32_t source, vef_rng *rng) {
    const vef_local_parameters *given = pattern->parameters;
    if (vef_rng_unit(rng) < given->alpha)
        return vef_traffic_grid_neighbour(pattern->state, given->wrap, source, rng);
    return vef_uniform_draw(pattern->endpoints, source, given->self, rng);
}

static void shares(const vef_pattern *pattern, uint32_t source, double *share) {
    const vef_local_parameters *given = pattern->parameters;
    vef_traffic_grid_add_neighbours(pattern->state, given->wrap, source, given->alpha, share);
    vef_uniform_add(pattern->endpoints, source, given->self, 1 - given->alpha, share);
}

const vef_pattern_kind vef_pattern_local = {
    .name = "local",
    .summary = "a neighbour in a grid with the probability alpha, otherwise uniform",
    VEF_PARAMETERS(schema, vef_local_parameters),
    .create = create,
    .destination = destination,
    .shares = shares,
    .samples = VEF_LIST("{}", "{alpha: 0.9, grid: [16, 4], self: true}"),
};
