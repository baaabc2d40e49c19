/* The panel of a picture that shows a mapping: the numbers of the tasks at the places of their
 * routers, where the network is a lattice (lattice.h); else the router of each task. */
#ifndef VEF_CLI_MAP_TASKS_H
#define VEF_CLI_MAP_TASKS_H

#include "mappings/mapping.h"

/* Writes the data blocks of gnuplot with that number. */
void vef_tasks_write(const vef_mapping *mapping, const vef_topology *topology, int number,
                     FILE *out);
/* Draws them in a panel of that size. */
void vef_tasks_draw(const vef_mapping *mapping, const vef_topology *topology, int number,
                    int width_pixels, int height_pixels, FILE *out);

#endif
