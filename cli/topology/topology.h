/* What `vef topology` shows of a network: a file each. docs/topology.md defines the figures. */
#ifndef VEF_CLI_TOPOLOGY_TOPOLOGY_H
#define VEF_CLI_TOPOLOGY_TOPOLOGY_H

#include "common/config/config.h"
#include "common/pictures/picture.h"
#include "common/report/report.h"
#include "netmodel/analysis/figures.h"
#include "netmodel/analysis/layout/layout.h"
#include "netmodel/netmodel.h"
#include "netmodel/topology/topology.h"
#include "replay/replay.h"

/* ---- report.c ---- */

typedef struct vef_topology_report {
    const vef_topology *topology;
    const vef_figures *figures;
    const vef_prices *prices;
} vef_topology_report;

/* Both of a vef_topology_report. The table has one row, the figures that are one number. The
 * document has every row of vef_figure_table under its key (null where there is none), and the
 * rest; keys that others rely on: routers, endpoints, degree_min, degree_max, links, diameter,
 * average_distance, stddev_distance, distribution, axis_bisection_links, link_utilization,
 * throughput_bound. */
vef_report_build vef_topology_report_build;
/* The same document; for people and as a table, the distribution of distances. */
vef_report_build vef_topology_distances_build;

/* Lists the figures by key, and the ways of sharing and the layouts to choose from. */
void vef_topology_describe(FILE *out);
void vef_topology_describe_sharings(FILE *out);

/* ---- between.c, routes.c ---- */

/* Prints the distance between the two routers in `text`, the number of minimal paths, and on
 * lattices every minimal routing record. A router is a number or coordinates; "17:40", "3,4:7,1",
 * "(3, 4) (7, 1)" and "17,40" are accepted. */
vef_code vef_topology_show_between(const vef_topology *topology, const char *text,
                                   const vef_report_format *format, vef_error *error);

/* Prints the links that packets from each endpoint to each other one cross. VEF_UNSUPPORTED if the
 * routing of the network leaves any pair a choice: of ports, by a draw, or by queues.
 * `bandwidth_bits_per_s` is that of links without their own. */
vef_code vef_topology_show_routes(const vef_node *root, uint64_t bandwidth_bits_per_s,
                                  const vef_report_format *format, vef_error *error);

/* ---- bounds.c ---- */

typedef struct vef_bounds_request {
    const vef_node *root;    /* of the network file */
    const char *pattern;     /* as of vef load; NULL: */
    const char *trace, *map; /* a program, and its mapping or NULL */
    const vef_replay_options *machine;
    uint64_t bandwidth_bits_per_s; /* of a link */
    double precision; /* of the bounds, relative; 5,000 phases may not suffice for it */
    bool all_paths;   /* divide among all paths, not only minimal ones */
} vef_bounds_request;

vef_code vef_topology_show_bounds(const vef_topology *topology, const vef_bounds_request *request,
                                  const vef_report_format *format, vef_error *error);

/* ---- layout.c, picture.c ---- */

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

/* ---- resolved.c ---- */

/* Builds the model of a network, which has links, and prints them on stdout. The table has a row
 * for each class of links and cable; the document has "resolved" and "warnings", as of vef load and
 * vef replay, and the configuration. */
vef_code vef_topology_show_resolved(const vef_node *root, const vef_report_format *format,
                                    vef_error *error);

/* ---- best.c ---- */

/* Searches as `text` requests ("ibt sizes=30x30x36 L=3", netmodel/analysis/search/request.h) and
 * prints the first `top` rows of the ranking (0: all) on stdout, as text with a summary. `by` is a
 * vef_rank_by, or negative for the family's default figure. Shows progress on stderr if that is a
 * terminal. */
vef_code vef_topology_show_best(const char *text, int by, int64_t top,
                                const vef_report_format *format, vef_error *error);

#endif
