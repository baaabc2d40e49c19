/* Grids of endpoints. See grid.h. */
#include "netmodel/traffic/grid.h"

char *vef_traffic_grid_text(char *text, const vef_traffic_grid *grid) {
    text[0] = '\0';
    for (uint32_t d = 0; d < grid->dimensions; d++)
        vef_append(text, VEF_TRAFFIC_GRID_BYTES, "%s%u", d ? "x" : "", grid->sizes[d]);
    return text;
}

static vef_code take_routers(const vef_topology *topology, vef_traffic_grid *grid,
                             vef_error *error) {
    if (topology->dimensions == 0)
        return vef_fail(
            error, VEF_UNSUPPORTED,
            "topology %s has no grid of routers: expected a logical grid of %u endpoints "
            "(grid: [...])",
            topology->family->name, topology->endpoints);
    if (topology->endpoint_router)
        return vef_fail(
            error, VEF_UNSUPPORTED,
            "topology %s has different numbers of endpoints on the routers of its grid: "
            "expected a logical grid of its %u endpoints (grid: [...])",
            topology->family->name, topology->endpoints);
    uint32_t stride = topology->endpoints_per_router;
    grid->dimensions = topology->dimensions;
    for (uint32_t d = 0; d < topology->dimensions; d++) {
        grid->sizes[d] = topology->sizes[d];
        grid->strides[d] = stride;
        stride *= topology->sizes[d];
    }
    return VEF_OK;
}

static vef_code take_asked(const vef_pattern *pattern, const vef_int_list *asked,
                           vef_traffic_grid *grid, vef_error *error) {
    if (asked->count > VEF_MAX_DIMENSIONS)
        return vef_fail(error, VEF_INVALID,
                        "a grid of %zu dimensions: out of range: expected at most %d", asked->count,
                        VEF_MAX_DIMENSIONS);
    uint64_t places = 1;
    grid->dimensions = (uint32_t)asked->count;
    for (uint32_t d = 0; d < grid->dimensions; d++) {
        grid->sizes[d] = (uint32_t)asked->values[d];
        grid->strides[d] = (uint32_t)places;
        if (places <= pattern->endpoints)
            places *= grid->sizes[d]; /* below 2^64: both are below 2^32 */
    }
    if (places == pattern->endpoints)
        return VEF_OK;
    char text[VEF_TRAFFIC_GRID_BYTES];
    return vef_fail(
        error, VEF_INVALID,
        "the grid %s has %s places than the network endpoints: expected sizes whose product is %u",
        vef_traffic_grid_text(text, grid), places < pattern->endpoints ? "fewer" : "more",
        pattern->endpoints);
}

vef_code vef_traffic_grid_take(const vef_pattern *pattern, const vef_int_list *asked,
                               vef_traffic_grid *grid, vef_error *error) {
    *grid = (vef_traffic_grid){0};
    const vef_code code = asked->count == 0 ? take_routers(pattern->topology, grid, error)
                                            : take_asked(pattern, asked, grid, error);
    for (uint32_t d = 0; d < grid->dimensions; d++)
        if (grid->sizes[d] > 1)
            grid->longer[grid->longer_count++] = d;
    return code;
}

vef_code vef_traffic_grid_create(vef_pattern *pattern, const vef_int_list *asked,
                                 const vef_traffic_grid **grid, vef_error *error) {
    vef_traffic_grid *made = vef_arena_alloc(&pattern->arena, 1, sizeof *made);
    pattern->state = made;
    *grid = made;
    return vef_traffic_grid_take(pattern, asked, made, error);
}

vef_code vef_traffic_grid_check_neighbours(const vef_traffic_grid *grid, vef_error *error) {
    if (grid->longer_count > 0)
        return VEF_OK;
    return vef_fail(error, VEF_UNSUPPORTED,
                    "a grid of one place has no neighbours: expected two places or more");
}

/* The neighbour of an endpoint forwards or backwards along a dimension; VEF_SILENT: there is none.
 */
static uint32_t neighbour(const vef_traffic_grid *grid, bool wraps, uint32_t endpoint, uint32_t d,
                          bool forward) {
    const uint32_t size = grid->sizes[d], stride = grid->strides[d];
    const uint32_t coordinate = vef_traffic_grid_at(grid, endpoint, d);
    if (coordinate != (forward ? size - 1 : 0))
        return forward ? endpoint + stride : endpoint - stride;
    if (!wraps)
        return VEF_SILENT;
    return forward ? endpoint - coordinate * stride : endpoint + (size - 1) * stride;
}

uint32_t vef_traffic_grid_neighbour(const vef_traffic_grid *grid, bool wraps, uint32_t endpoint,
                                    vef_rng *rng) {
    for (;;) {
        const uint32_t drawn = vef_rng_below(rng, 2 * grid->longer_count);
        const uint32_t to = neighbour(grid, wraps, endpoint, grid->longer[drawn / 2], drawn % 2);
        if (to != VEF_SILENT)
            return to;
        /* beyond the border: all that are there stay equally likely when another is drawn */
    }
}

void vef_traffic_grid_add_neighbours(const vef_traffic_grid *grid, bool wraps, uint32_t endpoint,
                                     double part, double *share) {
    uint32_t near[2 * VEF_MAX_DIMENSIONS], count = 0;
    for (uint32_t i = 0; i < 2 * grid->longer_count; i++) {
        const uint32_t to = neighbour(grid, wraps, endpoint, grid->longer[i / 2], i % 2);
        if (to != VEF_SILENT)
            near[count++] = to;
    }
    for (uint32_t i = 0; i < count; i++)
        share[near[i]] += part / count;
}
