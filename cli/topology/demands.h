/* The demands of a traffic pattern, or of a program, between the routers of a network. */
#ifndef VEF_CLI_TOPOLOGY_DEMANDS_H
#define VEF_CLI_TOPOLOGY_DEMANDS_H

#include "common/config/config.h"
#include "netmodel/analysis/loads/concurrent.h"
#include "replay/replay.h"

typedef struct vef_demands {
    vef_demand *list; /* between different routers; from malloc */
    size_t count;
    uint32_t senders; /* endpoints, or tasks, that send */
    double total;     /* of all that is sent, also inside routers */
} vef_demands;        /* zero-initialised is empty */

/* Of a pattern as of vef load, exactly: a phit per cycle and sender. */
vef_code vef_demands_of_pattern(const vef_topology *topology, const vef_node *root,
                                const char *text, vef_demands *demands, vef_error *error);

/* Of a trace, with its collectives: in bytes. `map`: a mapping, NULL: identity. `machine`: of the
 * network's file. */
vef_code vef_demands_of_trace(const vef_topology *topology, const vef_node *root, const char *path,
                              const char *map, const vef_replay_options *machine,
                              vef_demands *demands, vef_error *error);

#endif
