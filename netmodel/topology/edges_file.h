/* Files that list the links of a network (docs/edges.md): their lines, read and checked one by one.
 * The family, edges.c, checks the lines together (gaps, connectedness, duplicate links). */
#ifndef VEF_NETMODEL_TOPOLOGY_EDGES_FILE_H
#define VEF_NETMODEL_TOPOLOGY_EDGES_FILE_H

#include "common/status.h"

#include <stddef.h>
#include <stdint.h>

typedef struct vef_edge {
    uint32_t routers[2];           /* different, below VEF_MAX_ROUTERS */
    uint32_t line;                 /* from 1 */
    uint64_t bandwidth_bits_per_s; /* 0: not given */
    double delay_ns, length_m;     /* 0: not given */
} vef_edge;

/* `endpoints FIRST-LAST COUNT`: that many on each of these routers. */
typedef struct vef_edge_endpoints {
    uint32_t first, last; /* first <= last < VEF_MAX_ROUTERS */
    uint32_t count;
    uint32_t line;
} vef_edge_endpoints;

typedef struct vef_edges {
    vef_edge *links; /* in the order of the lines */
    size_t count;
    vef_edge_endpoints *endpoints;
    size_t endpoint_lines;
} vef_edges;

/* Reads a file; the caller releases the result. On failure (VEF_IO, or VEF_INVALID with "path:line:
 * ") nothing is held. */
vef_code vef_edges_read(const char *path, vef_edges *edges, vef_error *error);
void vef_edges_release(vef_edges *edges);

#endif
