/* Transpose: (x, y) sends to (y, x) on a square grid, as in Stafford et al. (king networks, section
 * 4.2); the diagonal is silent. In 2n dimensions whose halves have equal sizes, (a_1 … a_n, b_1 …
 * b_n) sends to (b_1 … b_n, a_1 … a_n).
 *
 * Where the routers form no square and no grid is given, a square number of endpoints is transposed
 * as a square matrix of themselves: for 2^b endpoints the halves of the bits of their numbers are
 * exchanged, d_i = s_((i + b/2) mod b) (Dally, Towles: "Principles and Practices of Interconnection
 * Networks", section 3.2). With an endpoint on each router of such a grid all of these are the
 * same.
 */
#include "netmodel/traffic/grid.h"
#include "netmodel/traffic/kinds.h"
#include "netmodel/traffic/permute.h"

#include <math.h>

typedef struct parameters {
    vef_int_list grid;
} parameters;

static const vef_param schema[] = {
    VEF_GRID_PARAM(parameters),
    {.key = NULL},
};

/* Whether the halves of the dimensions have equal sizes. */
static bool has_halves(const vef_traffic_grid *grid) {
    const uint32_t half = grid->dimensions / 2;
    bool equal = half > 0 && grid->dimensions % 2 == 0;
    for (uint32_t d = 0; equal && d < half; d++)
        equal = grid->sizes[d] == grid->sizes[d + half];
    return equal;
}

static vef_code refuse(const vef_pattern *pattern, bool asked, const vef_traffic_grid *grid,
                       vef_error *error) {
    char text[VEF_TRAFFIC_GRID_BYTES];
    const uint64_t root = (uint64_t)sqrt(pattern->endpoints);
    if (asked)
        return vef_fail(error, VEF_UNSUPPORTED,
                        "the grid %s does not have two halves of equal sizes: expected for example "
                        "[8, 8] or [4, 2, 4, 2], with a product of %u",
                        vef_traffic_grid_text(text, grid), pattern->endpoints);
    return vef_fail(
        error, VEF_UNSUPPORTED,
        "the %u endpoints of %s%s%s are neither on a grid of routers whose halves have "
        "equal sizes, such as 8x8 or 4x2x4x2, nor a square number, such as %llu or %llu",
        pattern->endpoints, pattern->topology->family->name, grid->dimensions ? " " : "",
        vef_traffic_grid_text(text, grid), (unsigned long long)((root + 1) * (root + 1)),
        (unsigned long long)((root + 2) * (root + 2)));
}

static vef_code choose_grid(const vef_pattern *pattern, vef_traffic_grid *grid, vef_error *error) {
    const parameters *given = pattern->parameters;
    const bool asked = given->grid.count > 0;
    const vef_code code = vef_traffic_grid_take(pattern, &given->grid, grid, error);
    if (asked && code != VEF_OK)
        return code;
    const bool halves = code == VEF_OK && has_halves(grid);
    const uint32_t side = (uint32_t)sqrt(pattern->endpoints);
    if (halves && (asked || grid->dimensions == 2))
        return VEF_OK;
    if (!asked && side > 1 && side * side == pattern->endpoints)
        *grid = (vef_traffic_grid){.dimensions = 2, .sizes = {side, side}, .strides = {1, side}};
    else if (!halves)
        return refuse(pattern, asked, grid, error);
    return VEF_OK;
}

static vef_code create(vef_pattern *pattern, vef_error *error) {
    vef_traffic_grid grid;
    vef_code code = choose_grid(pattern, &grid, error);
    if (code != VEF_OK)
        return code;
    uint32_t *to = vef_permute_create(pattern);
    const uint32_t half = grid.dimensions / 2;
    for (uint32_t e = 0; e < pattern->endpoints; e++)
        for (uint32_t d = 0; d < grid.dimensions; d++) {
            const uint32_t other = d < half ? d + half : d - half;
            to[e] = vef_traffic_grid_move(&grid, to[e], d, vef_traffic_grid_at(&grid, e, other));
        }
    return VEF_OK;
}

const vef_pattern_kind vef_pattern_transpose = {
    .name = "transpose",
    .summary =
        "(x, y) to (y, x), half for half of the coordinates; or a square number of endpoints",
    VEF_PARAMETERS(schema, parameters),
    .create = create,
    VEF_PERMUTE_HOOKS,
    .samples = VEF_LIST("{}", "{grid: [8, 8]}", "{grid: [4, 2, 4, 2]}"),
};
