/* `vef topology --routes`: the path of each pair of endpoints. */
#ifndef VEF_CLI_TOPOLOGY_ROUTES_H
#define VEF_CLI_TOPOLOGY_ROUTES_H

#include "common/config/config.h"
#include "common/report/report.h"

/* Prints the links that packets from each endpoint to each other one cross. VEF_UNSUPPORTED if the
 * routing of the network leaves any pair a choice: of ports, by a draw, or by queues.
 * `bandwidth_bits_per_s` is that of links without their own. */
vef_code vef_topology_show_routes(const vef_node *root, uint64_t bandwidth_bits_per_s,
                                  const vef_report_format *format, vef_error *error);

#endif
