/* Uniform bisection: all traffic crosses the middle of one dimension. Coordinate x of that
 * dimension, of an even size S, becomes S - 1 - x, and all other coordinates are drawn uniformly
 * (URBx, URBy and URBz of McDonald et al., "Practical and Efficient Incremental Adaptive Routing
 * for HyperX Networks", SC 2019). The traffic is balanced but for one dimension, where each router
 * has one other as its destination. */
#include "netmodel/traffic/grid.h"
#include "netmodel/traffic/kinds.h"

typedef struct parameters {
    vef_int_list grid;
    int64_t dimension;
} parameters;

static const vef_param schema[] = {
    VEF_GRID_PARAM(parameters),
    {VEF_KEY(INT, parameters, dimension), .fallback = "0", .minimum = 0,
     .maximum = VEF_MAX_DIMENSIONS - 1, .help = "that whose middle all traffic crosses, from 0"},
    {.key = NULL},
};

static vef_code create(vef_pattern *pattern, vef_error *error) {
    const parameters *given = pattern->parameters;
    const vef_traffic_grid *grid;
    const vef_code code = vef_traffic_grid_create(pattern, &given->grid, &grid, error);
    if (code != VEF_OK)
        return code;
    char text[VEF_TRAFFIC_GRID_BYTES];
    if (given->dimension >= grid->dimensions)
        return vef_fail(
            error, VEF_INVALID, "dimension: %lld of the grid %s: out of range: expected 0 to %u",
            (long long)given->dimension, vef_traffic_grid_text(text, grid), grid->dimensions - 1);
    if (grid->sizes[given->dimension] % 2 != 0)
        return vef_fail(error, VEF_UNSUPPORTED,
                        "dimension: %lld of the grid %s has an odd size: expected an even one",
                        (long long)given->dimension, vef_traffic_grid_text(text, grid));
    return VEF_OK;
}

static uint32_t destination(const vef_pattern *pattern, uint32_t source, vef_rng *rng) {
    const vef_traffic_grid *grid = pattern->state;
    const uint32_t dimension = (uint32_t)((const parameters *)pattern->parameters)->dimension;
    uint32_t to = source;
    for (uint32_t d = 0; d < grid->dimensions; d++) {
        const uint32_t size = grid->sizes[d], coordinate = vef_traffic_grid_at(grid, source, d);
        const uint32_t after = d == dimension ? size - 1 - coordinate : vef_rng_below(rng, size);
        to = vef_traffic_grid_move(grid, to, d, after);
    }
    return to;
}

static void shares(const vef_pattern *pattern, uint32_t source, double *share) {
    const vef_traffic_grid *grid = pattern->state;
    const uint32_t dimension = (uint32_t)((const parameters *)pattern->parameters)->dimension;
    uint32_t first = source, count = 1; /* the destination with the least coordinates */
    for (uint32_t d = 0; d < grid->dimensions; d++) {
        const uint32_t coordinate = vef_traffic_grid_at(grid, source, d);
        first -= coordinate * grid->strides[d];
        if (d == dimension)
            first += (grid->sizes[d] - 1 - coordinate) * grid->strides[d];
        else
            count *= grid->sizes[d];
    }
    for (uint32_t i = 0; i < count; i++) {
        uint32_t to = first, rest = i;
        for (uint32_t d = 0; d < grid->dimensions; d++) {
            if (d == dimension)
                continue;
            to += rest % grid->sizes[d] * grid->strides[d];
            rest /= grid->sizes[d];
        }
        share[to] += 1.0 / count;
    }
}

const vef_pattern_kind vef_pattern_uniform_bisection = {
    .name = "uniform-bisection",
    .aliases = "urb uniform-random-bisection",
    .summary = "across the middle of one dimension, the other coordinates with equal probability",
    VEF_PARAMETERS(schema, parameters),
    .create = create,
    .destination = destination,
    .shares = shares,
    .samples = VEF_LIST("{}", "{grid: [4, 4, 4], dimension: 2}"),
};
