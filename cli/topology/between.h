/* `vef topology --between A:B`: paths between two routers; `--routes`: those of all endpoints. */
#ifndef VEF_CLI_TOPOLOGY_BETWEEN_H
#define VEF_CLI_TOPOLOGY_BETWEEN_H

#include "common/config/config.h"
#include "common/report/report.h"
#include "netmodel/topology/topology.h"

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

#endif
