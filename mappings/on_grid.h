/* Placing tasks by stages that move a grid. */
#ifndef VEF_MAPPINGS_ON_GRID_H
#define VEF_MAPPINGS_ON_GRID_H

#include "mappings/parse.h"

/* The size of a grid after all stages; VEF_UNSUPPORTED if one of them refuses it. */
vef_code vef_mapping_size_after(const vef_mapping_stages *stages, const vef_grid *grid,
                                vef_grid *after, vef_error *error);

/* Places the tasks of `mapping`, laid out on its grid, on the topology's grid of routers. `fixed`:
 * its grid was asked for; else one that fits replaces one that does not. VEF_UNSUPPORTED if the
 * grid does not fit, with one that would, or if the topology has no grid. */
vef_code vef_mapping_place_on_grid(const vef_mapping_stages *stages, bool fixed,
                                   const vef_topology *topology, vef_mapping *mapping,
                                   vef_error *error);

#endif
