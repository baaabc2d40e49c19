/* Snake: along the first dimension and back in the next row, in all dimensions, so that ranks that
 * follow each other are neighbours (a boustrophedon order). */
#include "mappings/families.h"
#include "mappings/places/curve.h"

static void snake(const vef_topology *topology, const uint32_t *coordinates, uint32_t bits,
                  vef_curve_place *place) {
    uint64_t position = 0;
    (void)bits;
    for (uint32_t d = topology->dimensions; d-- > 0;) {
        const uint32_t size = topology->sizes[d];
        const uint32_t step = position % 2 ? size - 1 - coordinates[d] : coordinates[d];
        position = position * size + step;
    }
    place->word[0] = position;
}

static vef_code assign(const vef_mapping_stage *stage, const vef_mapping_view *view,
                       uint32_t *endpoint, vef_error *error) {
    (void)stage;
    return vef_mapping_along(view, snake, endpoint, error);
}

const vef_mapping_family vef_mapping_snake = {
    .name = "snake",
    .aliases = "boustrophedon serpentine",
    .summary = "ranks along the rows of routers, forwards and backwards in turn",
    .samples = VEF_LIST("snake"),
    .assign = assign,
    .shares = true,
    .by_distance = true,
    .on_grid = true,
};
