/* `vef topology --between A:B`: paths between two routers. */
#ifndef VEF_CLI_TOPOLOGY_BETWEEN_H
#define VEF_CLI_TOPOLOGY_BETWEEN_H

#include "common/report/report.h"
#include "netmodel/topology/topology.h"

/* Prints the distance between the two routers in `text`, the number of minimal paths, and on
 * lattices every minimal routing record. A router is a number or coordinates; "17:40", "3,4:7,1",
 * "(3, 4) (7, 1)" and "17,40" are accepted. */
vef_code vef_topology_show_between(const vef_topology *topology, const char *text,
                                   const vef_report_format *format, vef_error *error);

#endif
