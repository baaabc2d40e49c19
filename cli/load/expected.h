/* What the model of local and global traffic (mappings/model.h) expects of the pattern `local`. */
#ifndef VEF_CLI_LOAD_EXPECTED_H
#define VEF_CLI_LOAD_EXPECTED_H

#include "mappings/mapping.h"
#include "netmodel/traffic/traffic.h"

typedef struct vef_expected_load {
    bool given;  /* false: the model does not cover the traffic */
    double load; /* phits per cycle and endpoint at which the first link is full; may be infinite */
    double hops; /* of a mean message */
} vef_expected_load;

/* The model covers `local` on a two-dimensional grid of all endpoints, of at most
 * VEF_MOST_MODEL_TASKS, in a network with a topology. `mapping`: of the endpoints; NULL: each at
 * its own place. */
vef_code vef_expected_load_find(const vef_topology *topology, const vef_pattern *pattern,
                                const vef_mapping *mapping, vef_expected_load *expected,
                                vef_error *error);

#endif
