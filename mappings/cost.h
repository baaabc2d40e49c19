/* What a mapping costs: distances and loads of links under the traffic of a program.
 *
 * Links: each message is divided at each router evenly among the ports from which its destination
 * is nearer, as packets of a minimal adaptive routing are that find all of them free. Directions of
 * a link count separately. */
#ifndef VEF_MAPPINGS_COST_H
#define VEF_MAPPINGS_COST_H

#include "mappings/mapping.h"

typedef struct vef_mapping_cost {
    double bytes;       /* of all messages between different tasks */
    double local_bytes; /* of these, inside a node */
    double hop_bytes;   /* sum of bytes x hops between routers */
    double
        dilation_mean; /* hops between two tasks, mean over ordered pairs that exchange messages */
    uint32_t dilation_max;
    double link_load_max, link_load_mean; /* bytes, over all links of the network */
    uint32_t busiest_router, busiest_port;
} vef_mapping_cost;

/* `nics`: endpoints of a node, at least 1. `load` receives the bytes over the link out of each
 * router and port ([routers * ports]); NULL: not wanted. Time: routers with tasks x links.
 * VEF_UNSUPPORTED if two tasks that exchange messages are not connected. */
vef_code vef_mapping_cost_measure(const vef_mapping *mapping, const vef_traffic_matrix *traffic,
                                  const vef_topology *topology, uint32_t nics, double *load,
                                  vef_mapping_cost *cost, vef_error *error);

#endif
