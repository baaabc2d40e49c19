/* Routings that plug-ins add (vef/plugin.h). */
#ifndef VEF_NETMODEL_ROUTING_ADDED_H
#define VEF_NETMODEL_ROUTING_ADDED_H

#include "netmodel/routing/routing.h"

/* The algorithm called `name` of a plug-in of the file that `node` belongs to, made in `arena`;
 * NULL: none has it. The caller closes `*library` when no routing of it is left. */
vef_code vef_routing_find_added(const vef_node *node, const char *name, vef_arena *arena,
                                void **library, const vef_routing_algorithm **algorithm,
                                vef_error *error);

#endif
