/* Networks in pictures: routers at their places, and a number for each link (its load, or the share
 * of time in which it is busy):
 *
 * - Lattices of up to three dimensions: routers at their coordinates; a link is two halves, each in
 *   the colour of what leaves its router; links around the edge, and along z, are stubs.
 * - Trees, and other networks with routers without endpoints: a row for each level (hops from the
 *   routers with endpoints) and direction, a column for each router: the greatest of its links.
 * - Networks with global links: groups by groups: the greatest over the links from one to the
 *   other, in the diagonal those within.
 * - Other networks of few routers: routers by routers.
 * - Others: all links, the greatest number first. */
#ifndef VEF_CLI_PICTURES_NETWORK_H
#define VEF_CLI_PICTURES_NETWORK_H

#include "common/pictures/picture.h"
#include "netmodel/sampling.h"

/* Whether the routers can be drawn at their coordinates: lattices of up to three dimensions, as
 * planes of x and y, one for each z. */
bool vef_lattice_has_places(const vef_topology *topology);
/* The place of a router, a unit from its neighbours in the plane. */
void vef_lattice_place(const vef_topology *topology, uint32_t router, double *x, double *y);
/* Sets the axes of a panel, without numbers, and adds the names of the planes. */
void vef_lattice_set_axes(const vef_topology *topology, vef_panel *panel);

/* Draws a number for each link, load[router * ports + port]. `numbers`: label, unit and limits of
 * their scale. */
void vef_panel_add_links(vef_panel *panel, const vef_topology *topology, const double *load,
                         const vef_axis *numbers);

/* Refuses what vef_picture_check refuses, and networks without links, before the simulation. */
vef_code vef_busy_links_check(const vef_netmodel *network, const char *option, const vef_plot *plot,
                              vef_error *error);
/* The interval of the option --sample in whole cycles, at least one. */
vef_code vef_busy_links_interval(const vef_netmodel *network, double sample_ns, uint64_t *cycles,
                                 vef_error *error);
/* Draws the utilization of links, [router * ports + port]. `title`: what was simulated, NULL: none.
 */
vef_picture *vef_busy_links_draw(const vef_topology *topology, const double *utilization,
                                 const char *title);
/* Writes that picture to a file, and below it the utilization over time (`samples` NULL: not). */
vef_code vef_busy_links_save(const vef_netmodel *network, const double *utilization,
                             const vef_link_samples *samples, const char *title,
                             const vef_plot *plot, vef_error *error);

#endif
