/* What `vef topology` reports of a network. The figures themselves: netmodel/analysis/figures.h,
 * docs/topology.md. */
#ifndef VEF_CLI_TOPOLOGY_REPORT_H
#define VEF_CLI_TOPOLOGY_REPORT_H

#include "common/report/report.h"
#include "netmodel/analysis/figures.h"

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

#endif
