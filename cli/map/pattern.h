/* The traffic of a pattern, as that of a program with a task for each endpoint. */
#ifndef VEF_CLI_MAP_PATTERN_H
#define VEF_CLI_MAP_PATTERN_H

#include "netmodel/topology/topology.h"
#include "traces/file/traffic.h"

/* `text`: a pattern as of vef load. Every task sends 1 MiB: in one message if its destination is
 * always the same, else in about 1,024. These are divided by the probabilities of the destinations
 * or, if there are more of them than messages, drawn with a fixed seed. On failure nothing is held.
 */
vef_code vef_pattern_traffic(const char *text, const vef_node *root, const vef_topology *topology,
                             vef_traffic_matrix *traffic, vef_error *error);

#endif
