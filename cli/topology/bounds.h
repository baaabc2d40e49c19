/* `vef topology --pattern`, `--trace`: the throughput bounds of a traffic on a network. */
#ifndef VEF_CLI_TOPOLOGY_BOUNDS_H
#define VEF_CLI_TOPOLOGY_BOUNDS_H

#include "common/report/report.h"
#include "netmodel/topology/topology.h"
#include "replay/replay.h"

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

#endif
