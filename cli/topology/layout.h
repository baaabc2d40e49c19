/* Layouts and pictures for `vef topology`. */
#ifndef VEF_CLI_TOPOLOGY_LAYOUT_H
#define VEF_CLI_TOPOLOGY_LAYOUT_H

#include "common/status.h"
#include "netmodel/analysis/layout/layout.h"
#include "netmodel/topology/topology.h"

#include <stdbool.h>
#include <stdio.h>

/* Prints on stdout where the layout of that name puts each router, and the lengths of the links:
 * as text, as JSON, or the places alone as CSV. With `svg` (NULL: none) the picture is written to
 * that file first. */
vef_code vef_topology_show_layout(const vef_topology *topology, const char *layout, const char *svg,
                                  bool json, bool csv, vef_error *error);

/* One line per layout, for `vef topology --help`. */
void vef_topology_describe_layouts(FILE *out);

/* Writes the network as an undirected graph for Graphviz, each link once, parallel links apart.
 * With a layout, or without one (NULL) where the routers form a grid of two dimensions, routers
 * have positions and links are curves beside the routers that stand between their ends: `neato
 * -n2` draws them so. With a layout, the longest links are red and one of them thick, and the title
 * says the lengths. */
vef_code vef_topology_write_dot(const vef_topology *topology, const char *layout, FILE *out,
                                vef_error *error);

/* The same for routers whose places are known. */
void vef_topology_draw(const vef_topology *topology, const vef_layout *layout,
                       const vef_place_on_plane *place, const vef_layout_lengths *lengths,
                       FILE *out);

/* Writes that picture as SVG to the file `svg`, by Graphviz' neato. Refuses (VEF_UNSUPPORTED) where
 * there is no neato. */
vef_code vef_topology_write_svg(const vef_topology *topology, const vef_layout *layout,
                                const vef_place_on_plane *place, const vef_layout_lengths *lengths,
                                const char *svg, vef_error *error);

/* "2", "sqrt(5)", "1 to sqrt(5)": lengths whose squares are given. */
enum { VEF_LENGTHS_BYTES = 64 };
void vef_topology_lengths_text(uint64_t least_squared, uint64_t greatest_squared, char *text,
                               size_t text_bytes);

#endif
