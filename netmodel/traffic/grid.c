/* Grids of endpoints. See grid.h. */
#include "netmodel/traffic/grid.h"

#include <stdio.h>

char *vef_traffic_grid_text(char *text, const vef_traffic_grid *grid) {
    size_t used = 0;
    text[0] = '\0';
    for (uint32_t d = 0; d < grid->dimensions; d++)
        used += (size_t)snprintf(text + used, VEF_GRID_TEXT_BYTES - used, "%s%u", d ? "x" : "",
                                 grid->sizes[d]);
    return text;
}

static vef_code take_routers(const vef_topology *topology, vef_traffic_grid *grid,
                             vef_error *error) {
    if (topology->dimensions == 0)
        return vef_fail(error, VEF_UNSUPPORTED,
                        "topology %s has no grid of routers to go by; a logical one, of %u "
                        "endpoints, would do (grid: [...])",
                        topology->family->name, topology->endpoints);
    if (topology->endpoint_router)
        return vef_fail(error, VEF_UNSUPPORTED,
                        "topology %s does not hang as many endpoints on every router of its grid; "
                        "a logical grid of its %u endpoints would do (grid: [...])",
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

vef_code vef_traffic_grid_take(const vef_pattern *pattern, const vef_int_list *asked,
                               vef_traffic_grid *grid, vef_error *error) {
    *grid = (vef_traffic_grid){0};
    if (asked->count == 0)
        return take_routers(pattern->topology, grid, error);
    if (asked->count > VEF_MAX_DIMENSIONS)
        return vef_fail(error, VEF_INVALID, "a grid of %zu dimensions; at most %d would do",
                        asked->count, VEF_MAX_DIMENSIONS);
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
    char text[VEF_GRID_TEXT_BYTES];
    return vef_fail(error, VEF_INVALID,
                    "the grid %s has %s places than the network endpoints; sizes that multiply "
                    "to %u would do",
                    vef_traffic_grid_text(text, grid),
                    places < pattern->endpoints ? "fewer" : "more", pattern->endpoints);
}

vef_code vef_traffic_grid_check_neighbours(const vef_traffic_grid *grid, vef_error *error) {
    for (uint32_t d = 0; d < grid->dimensions; d++)
        if (grid->sizes[d] > 1)
            return VEF_OK;
    return vef_fail(error, VEF_UNSUPPORTED,
                    "nobody has a neighbour in a grid of one place; one of two or more would do");
}

static uint32_t step(const vef_traffic_grid *grid, uint32_t endpoint, uint32_t dimension,
                     bool forward) {
    const uint32_t size = grid->sizes[dimension], stride = grid->strides[dimension];
    const uint32_t at = vef_traffic_grid_at(grid, endpoint, dimension);
    if (forward)
        return at + 1 < size ? endpoint + stride : endpoint - at * stride;
    return at > 0 ? endpoint - stride : endpoint + (size - 1) * stride;
}

uint32_t vef_traffic_grid_neighbour(const vef_traffic_grid *grid, bool wraps, uint32_t endpoint,
                                    vef_rng *rng) {
    uint32_t there_are[2 * VEF_MAX_DIMENSIONS], count = 0;
    for (uint32_t d = 0; d < grid->dimensions; d++) {
        if (grid->sizes[d] < 2)
            continue;
        const uint32_t at = vef_traffic_grid_at(grid, endpoint, d);
        if (wraps || at + 1 < grid->sizes[d])
            there_are[count++] = 2 * d + 1;
        if (wraps || at > 0)
            there_are[count++] = 2 * d;
    }
    const uint32_t taken = there_are[vef_rng_below(rng, count)];
    return step(grid, endpoint, taken / 2, taken % 2);
}
