/* The picture of a comparison of mappings: for the first and the best one the tasks at their
 * routers, the traffic between endpoints, and the loads of links. */
#ifndef VEF_CLI_MAP_PICTURE_H
#define VEF_CLI_MAP_PICTURE_H

#include "cli/map/compare.h"
#include "common/pictures/picture.h"

/* `best` is of the comparison, whose network has a topology. */
vef_code vef_comparison_picture(const vef_comparison *comparison, const vef_compared *best,
                                const vef_plot *plot, vef_error *error);

#endif
