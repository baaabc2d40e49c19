/* Sizes of grids of tasks. No side is 0 but where a function says so. */
#ifndef VEF_MAPPINGS_GRID_H
#define VEF_MAPPINGS_GRID_H

#include "mappings/mapping.h"

enum { VEF_GRID_TEXT_BYTES = 12 * VEF_MAX_DIMENSIONS, VEF_GRID_SIDE_BYTES = 32 };

static inline bool vef_grid_is_given(const vef_grid *grid) {
    return grid->size[0] != 0;
}

/* The same with 1 for each side of 0. */
vef_grid vef_grid_complete(vef_grid grid);

bool vef_grid_is_same(const vef_grid *a, const vef_grid *b);

/* The number of points; at least 2^32 if there are that many. */
uint64_t vef_grid_places(const vef_grid *grid);

/* "16x8", "8x4x4": at least two sides, and no more of 1 at the end. Returns `text`. */
char *vef_grid_write(const vef_grid *grid, char text[VEF_GRID_TEXT_BYTES]);
/* The number of those sides. */
uint32_t vef_grid_dimensions(const vef_grid *grid);

/* The coordinates of point number `point`, x running fastest; all of `position` is set. */
void vef_grid_locate(const vef_grid *grid, uint64_t point, uint32_t position[VEF_MAX_DIMENSIONS]);

/* The name of an axis: "x", "y", "z", then "d3", … */
void vef_grid_axis_name(uint32_t axis, char text[16]);
/* That of the side along it: "width", "height", "depth", then "side along d3", … Returns `text`. */
char *vef_grid_side_name(uint32_t axis, char text[VEF_GRID_SIDE_BYTES]);

#endif
