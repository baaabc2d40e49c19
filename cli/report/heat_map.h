/* The heat map of links for the report of a replay or a load whose document has the utilisation of
 * every link (--per-link). */
#ifndef VEF_CLI_REPORT_HEAT_MAP_H
#define VEF_CLI_REPORT_HEAT_MAP_H

#include "common/config/config.h"

/* The members of a document that the picture needs; ended by NULL. */
extern const char *const vef_heat_map_members[];

/* Draws the heat map of a document: of its `per_link`, or that of the point with the greatest rate.
 * NULL if it has none. Free with free(). A failure concerns the picture alone: the document does
 * not fit the network of its `configuration`. */
vef_code vef_report_heat_map(const vef_node *root, char **svg, vef_error *error);

#endif
