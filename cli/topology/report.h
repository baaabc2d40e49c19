/* What `vef topology` says of a network: for people (aligned, grouped), for spreadsheets (CSV) and
 * for programs (JSON). The figures themselves: netmodel/analysis/figures.h, docs/topology.md. */
#ifndef VEF_CLI_TOPOLOGY_REPORT_H
#define VEF_CLI_TOPOLOGY_REPORT_H

#include "netmodel/analysis/figures.h"

#include <stdio.h>

vef_code vef_topology_report_text(const vef_topology *topology, const vef_figures *figures,
                                  FILE *out, vef_error *error);
/* One row, the figures that are one number. */
vef_code vef_topology_report_csv(const vef_topology *topology, const vef_figures *figures,
                                 FILE *out, vef_error *error);
/* Every row of vef_figure_table under its key (null where there is none), and the rest. Keys that
 * others rely on: routers, endpoints, degree_min, degree_max, links, diameter, average_distance,
 * stddev_distance, distribution, axis_bisection_links, link_utilization, throughput_bound. */
void vef_topology_report_json(const vef_topology *topology, const vef_figures *figures, FILE *out);

/* The distribution of distances as a table, a row for each distance. */
vef_code vef_topology_report_distances(const vef_figures *figures, bool csv, FILE *out,
                                       vef_error *error);

/* Members family and parameters of the JSON object that is open. */
void vef_topology_write_family(vef_doc *doc, const vef_topology *topology);

/* Lists the figures by key, and the ways of sharing and the layouts to choose from. */
void vef_topology_describe(FILE *out);
void vef_topology_describe_sharings(FILE *out);

#endif
