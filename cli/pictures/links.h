/* A panel of a picture: a number for each link of a network (its load, or the share of time in
 * which it is busy).
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

#include "common/pictures/picture.h"
#include "netmodel/topology/topology.h"

/* Draws the numbers, [router * ports + port], on the axis `numbers`, mostly one of colours. */
void vef_panel_add_links(vef_panel *panel, const vef_topology *topology, const double *load,
                         const vef_axis *numbers);

#endif
