/* Lattices of up to three dimensions in pictures: planes of x and y, one for each z. */
#ifndef VEF_CLI_PICTURES_LATTICE_H
#define VEF_CLI_PICTURES_LATTICE_H

#include "common/pictures/picture.h"
#include "netmodel/topology/topology.h"

/* Whether the routers can be drawn at their coordinates, */
bool vef_lattice_has_places(const vef_topology *topology);
/* and the links too: all ports have directions of an axis. */
bool vef_lattice_has_links(const vef_topology *topology);

/* The place of a router, a unit from its neighbours in the plane. */
void vef_lattice_place(const vef_topology *topology, uint32_t router, double *x, double *y);
/* Half a link out of a port; shorter and oblique along z. False: it has no direction of an axis. */
bool vef_lattice_direction(const vef_topology *topology, uint32_t port, double *dx, double *dy);

/* Sets the axes of a panel, without numbers, and adds the names of the planes. */
void vef_lattice_set_axes(const vef_topology *topology, vef_panel *panel);

#endif
