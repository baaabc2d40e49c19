/* `vef topology --resolved`: what times, sizes and lengths of a network file become. */
#ifndef VEF_CLI_TOPOLOGY_RESOLVED_H
#define VEF_CLI_TOPOLOGY_RESOLVED_H

#include "common/report/report.h"
#include "netmodel/netmodel.h"

/* Of a vef_netmodel with links. The table has a row for each class of links and cable; the document
 * has "resolved" and "warnings", as of vef load and vef replay, and the configuration. */
extern const vef_report_parts vef_topology_resolved_parts;

/* Builds the model of a network and prints these on stdout. */
vef_code vef_topology_show_resolved(const vef_node *root, const vef_report_format *format,
                                    vef_error *error);

#endif
