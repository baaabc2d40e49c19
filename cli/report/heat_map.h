/* The heat map of links for the report of a replay or a load whose document has the utilisation of
 * every link (--per-link). */
#ifndef VEF_CLI_REPORT_HEAT_MAP_H
#define VEF_CLI_REPORT_HEAT_MAP_H

#include "common/config/config.h"

/* The members of a document that the picture needs; ended by NULL. */
extern const char *const vef_heat_map_members[];

/* NULL: none. Free both with free(). */
typedef struct vef_heat_map {
    char *svg;
    char *samples; /* its colours over time, as JSON (vef_picture_put_shapes): `values` has those of
                      each sample */
} vef_heat_map;

/* Draws the heat map of a document: of its `per_link`, or that of the point with the greatest rate;
 * and of its samples, if it has those of each link. A failure concerns the picture alone: the
 * document does not fit the network of its `configuration`. */
vef_code vef_report_heat_map(const vef_node *root, vef_heat_map *map, vef_error *error);

#endif
