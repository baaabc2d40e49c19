/* Lattices of up to three dimensions in pictures: planes of x and y, one for each z. */
#ifndef VEF_CLI_PICTURES_LATTICE_H
#define VEF_CLI_PICTURES_LATTICE_H

#include "netmodel/topology/topology.h"

#include <stdio.h>

/* Whether the routers can be drawn at their coordinates, */
bool vef_lattice_has_places(const vef_topology *topology);
/* and the links too: all ports have directions of an axis. */
bool vef_lattice_has_links(const vef_topology *topology);

/* The place of a router, a unit from its neighbours in the plane. */
void vef_lattice_place(const vef_topology *topology, uint32_t router, double *x, double *y);
/* The height of the picture of all planes relative to its width. */
double vef_lattice_aspect(const vef_topology *topology);
/* Half a link out of a port; shorter and oblique along z. False: it has no direction of an axis. */
bool vef_lattice_direction(const vef_topology *topology, uint32_t port, double *dx, double *dy);

/* The data block $planes of gnuplot: where the name of each plane is, "z = 1"; without a third
 * dimension an empty name. */
void vef_lattice_write_planes(const vef_topology *topology, FILE *out);
/* Axes without numbers; x and y have the same scale, unless there is no y. Returns the pixels of a
 * unit, about, in a panel of that size. */
double vef_lattice_write_axes(const vef_topology *topology, int width_pixels, int height_pixels,
                              FILE *out);

#endif
