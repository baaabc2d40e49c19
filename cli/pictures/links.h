/* A panel of a picture by gnuplot: a number for each link of a network (its load, or the share of
 * time in which it is busy) as a heat map of the network.
 *
 * - Lattices of up to three dimensions: routers at their coordinates; a link is two halves, each in
 *   the colour of what leaves its router; links around the edge, and along z, are stubs.
 * - Trees, and other networks with routers without endpoints: a row for each level (hops from the
 *   routers with endpoints) and direction, a column for each router: the greatest of its links.
 * - Networks with global links: groups by groups: the greatest over the links from one to the
 *   other, in the diagonal those within.
 * - Other networks of few routers: routers by routers.
 * - Others: all links, the greatest number first. */
#ifndef VEF_CLI_PICTURES_LINKS_H
#define VEF_CLI_PICTURES_LINKS_H

#include "netmodel/topology/topology.h"

#include <stdio.h>

typedef struct vef_link_panel {
    const vef_topology *topology;
    int number;       /* of the panel in its picture */
    const char *unit; /* of the numbers, after a prefix: "B" */
    double most;      /* end of the scale of colours, which begins at 0 */
    int width_pixels, height_pixels;
} vef_link_panel;

/* VEF_INVALID: gnuplot would take too long for that many links. */
vef_code vef_link_panel_check(const vef_topology *topology, vef_error *error);

/* Writes the data block of the panel. `load`: [router * ports + port]. */
void vef_link_panel_write(const vef_link_panel *panel, const double *load, FILE *out);
/* Plots it; titles are set before, and the palette. Needs vef_lattice_write_planes once in the
 * picture. */
void vef_link_panel_draw(const vef_link_panel *panel, FILE *out);

/* The height of a panel of that width, without a title, that leaves no room empty. */
int vef_link_panel_height(const vef_topology *topology, int width_pixels);

/* Colours from 0, light, to the most, dark: Viridis, which the colour-blind can read. */
extern const char vef_link_palette[];

#endif
