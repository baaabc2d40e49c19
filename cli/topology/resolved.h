/* `vef topology --resolved`: what times, sizes and lengths of a network file become. */
#ifndef VEF_CLI_TOPOLOGY_RESOLVED_H
#define VEF_CLI_TOPOLOGY_RESOLVED_H

#include "common/report/report.h"
#include "netmodel/netmodel.h"

/* Builds the model of a network, which has links, and prints them on stdout. The table has a row
 * for each class of links and cable; the document has "resolved" and "warnings", as of vef load and
 * vef replay, and the configuration. */
vef_code vef_topology_show_resolved(const vef_node *root, const vef_report_format *format,
                                    vef_error *error);

#endif
