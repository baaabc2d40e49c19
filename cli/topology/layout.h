/* Layouts and pictures for `vef topology`. */
#ifndef VEF_CLI_TOPOLOGY_LAYOUT_H
#define VEF_CLI_TOPOLOGY_LAYOUT_H

#include "common/pictures/picture.h"
#include "common/report/report.h"
#include "netmodel/analysis/layout/layout.h"
#include "netmodel/topology/topology.h"

/* Prints on stdout the places of routers in the layout of that name, and, except in a format of
 * tables, the lengths of the links. The picture, if any, is first written to its file. */
vef_code vef_topology_show_layout(const vef_topology *topology, const char *layout,
                                  const vef_plot *svg, const vef_report_format *format,
                                  vef_error *error);

/* One line per layout, for `vef topology --help`. */
void vef_topology_describe_layouts(FILE *out);

/* Writes the network as an undirected graph for Graphviz, each link once, parallel links
 * separately. With a layout, or without one (NULL) if the routers form a grid of two dimensions,
 * routers have positions, which `neato -n2` preserves. */
vef_code vef_topology_write_dot(const vef_topology *topology, const char *layout, FILE *out,
                                vef_error *error);

/* The same for routers at given places; NULL: none. */
void vef_topology_write_graph(const vef_topology *topology, const vef_place_on_plane *place,
                              FILE *out);

/* Draws the network as vef_picture_write_file does: routers as circles, links as curves that avoid
 * the routers between their ends, the longest in red and one of them thick. */
vef_code vef_topology_write_picture(const vef_topology *topology, const vef_layout *layout,
                                    const vef_place_on_plane *place,
                                    const vef_layout_lengths *lengths, const vef_plot *plot,
                                    vef_error *error);

/* "2", "sqrt(5)", "1 to sqrt(5)": lengths with the given squares. */
enum { VEF_LENGTHS_BYTES = 64 };
void vef_topology_lengths_text(uint64_t least_squared, uint64_t greatest_squared, char *text,
                               size_t text_bytes);

#endif
