/* `vef topology --pattern`: the throughput bounds of a traffic pattern. */
#ifndef VEF_CLI_TOPOLOGY_PATTERN_H
#define VEF_CLI_TOPOLOGY_PATTERN_H

#include "common/report/report.h"
#include "netmodel/topology/topology.h"

/* `text`: a pattern as of vef load; permutations and uniform. The bounds are within `precision` of
 * each other, or as close as 5,000 phases bring them. */
vef_code vef_topology_show_pattern(const vef_topology *topology, const char *text, double precision,
                                   const vef_report_format *format, vef_error *error);

#endif
