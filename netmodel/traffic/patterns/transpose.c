/* Transpose: (x, y) sends to (y, x) on a square grid, as in Stafford et al. (king networks, section
 * 4.2). The diagonal is silent.
 *
 * Where the routers form no square and no grid is given, 2^b endpoints with an even b are
 * transposed as a square matrix of themselves, that is, the halves of the bits of their numbers are
 * exchanged (Dally, Towles: "Principles and Practices of Interconnection Networks", section 3.2);
 * on a square grid of that many single endpoints both are the same. */
#include "netmodel/traffic/grid.h"
#include "netmodel/traffic/kinds.h"
#include "netmodel/traffic/permute.h"

typedef struct parameters {
    vef_int_list grid;
} parameters;

static const vef_param schema[] = {
    VEF_GRID_PARAM(parameters),
    {.key = NULL},
};

static bool is_square(const vef_traffic_grid *grid) {
    return grid->dimensions == 2 && grid->sizes[0] == grid->sizes[1];
}

/* The endpoints themselves as a square whose sides are a power of two; false where they are none.
 */
static bool take_bits(const vef_pattern *pattern, vef_traffic_grid *grid) {
    uint32_t bits;
    if (vef_permute_bits(pattern, &bits, NULL) != VEF_OK || bits % 2 != 0)
        return false;
    const uint32_t side = UINT32_C(1) << bits / 2;
    *grid = (vef_traffic_grid){.dimensions = 2, .sizes = {side, side}, .strides = {1, side}};
    return true;
}

static vef_code choose_grid(const vef_pattern *pattern, vef_traffic_grid *grid, vef_error *error) {
    const parameters *given = pattern->parameters;
    const vef_code code = vef_traffic_grid_take(pattern, &given->grid, grid, error);
    const bool asked = given->grid.count > 0;
    if ((code == VEF_OK && is_square(grid)) || (asked && code != VEF_OK))
        return code;
    if (!asked && take_bits(pattern, grid))
        return VEF_OK;
    char text[VEF_TRAFFIC_GRID_BYTES];
    if (asked)
        return vef_fail(error, VEF_UNSUPPORTED,
                        "the grid %s is not square: expected two equal sizes whose product is %u",
                        vef_traffic_grid_text(text, grid), pattern->endpoints);
    return vef_fail(
        error, VEF_UNSUPPORTED,
        "the %u endpoints of %s%s%s are neither on a square of routers nor an even power of two, "
        "such as 64 or 256: expected a logical grid of two equal sizes (grid: [...])",
        pattern->endpoints, pattern->topology->family->name, grid->dimensions ? " " : "",
        vef_traffic_grid_text(text, grid));
}

static vef_code create(vef_pattern *pattern, vef_error *error) {
    vef_traffic_grid grid;
    vef_code code = choose_grid(pattern, &grid, error);
    if (code != VEF_OK)
        return code;
    uint32_t *to = vef_permute_create(pattern);
    for (uint32_t e = 0; e < pattern->endpoints; e++) {
        const uint32_t x = vef_traffic_grid_at(&grid, e, 0), y = vef_traffic_grid_at(&grid, e, 1);
        to[e] = vef_traffic_grid_move(&grid, vef_traffic_grid_move(&grid, e, 0, y), 1, x);
    }
    return VEF_OK;
}

static const char *const samples[] = {"{}", "{grid: [8, 8]}", NULL};

const vef_pattern_kind vef_pattern_transpose = {
    .name = "transpose",
    .summary = "(x, y) to (y, x); a square of routers, or 2^b endpoints with an even b",
    .schema = schema,
    .parameter_bytes = sizeof(parameters),
    .create = create,
    .destination = vef_permute_destination,
    .permutation = true,
    .samples = samples,
};
