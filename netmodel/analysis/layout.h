/* Layouts: where the routers of a network stand on a plane, so that no link is long. A layout is
 * one file and one row of vef_layouts (layout_*.c). */
#ifndef VEF_NETMODEL_ANALYSIS_LAYOUT_H
#define VEF_NETMODEL_ANALYSIS_LAYOUT_H

#include "netmodel/topology/topology.h"

typedef struct vef_place_on_plane {
    int32_t x, y; /* columns and rows, from 0; no two routers share a place */
} vef_place_on_plane;

typedef struct vef_layout {
    const char *name;
    const char *summary; /* one line, with the longest link */
    /* Refuses (VEF_UNSUPPORTED) a topology that it cannot lay out, naming those that it can. */
    vef_code (*supports)(const vef_topology *topology, vef_error *error);
    /* Fills in place[routers]. */
    vef_code (*lay_out)(const vef_topology *topology, vef_place_on_plane *place, vef_error *error);
} vef_layout;

extern const vef_layout *const vef_layouts[]; /* ended by NULL */

typedef struct vef_layout_lengths {
    double least, greatest, mean; /* of a link, in places */
    uint32_t router, port;        /* of a longest one */
    uint32_t columns, rows;
} vef_layout_lengths;

void vef_layout_measure(const vef_topology *topology, const vef_place_on_plane *place,
                        vef_layout_lengths *lengths);

#endif
