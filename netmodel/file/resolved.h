/* A network's links, queues and delays in cycles and phits, as the configuration resolved them, for
 * reports (vef_net_timing). */
#ifndef VEF_NETMODEL_FILE_RESOLVED_H
#define VEF_NETMODEL_FILE_RESOLVED_H

#include "netmodel/file/buffers.h"
#include "netmodel/netmodel.h"

typedef struct vef_resolved {
    const vef_network_settings *settings;
    const vef_topology *topology;
    const vef_links *links;
    const vef_buffers *buffers;
} vef_resolved;

/* Fills in all of `timing` but the length of a cycle; what it refers to is in `arena`. */
void vef_resolved_timing(const vef_resolved *resolved, vef_arena *arena, vef_net_timing *timing);

#endif
