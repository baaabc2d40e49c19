/* Topologies that plug-ins add (vef/plugin.h). */
#ifndef VEF_NETMODEL_TOPOLOGY_ADDED_H
#define VEF_NETMODEL_TOPOLOGY_ADDED_H

#include "netmodel/topology/topology.h"

#include <vef/plugin.h>

/* The family called `name` of a plug-in of the file that `node` belongs to, made in `arena`; NULL:
 * none has it. The caller closes `*library` when no topology of it is left. */
vef_code vef_topology_find_added(const vef_node *node, const char *name, vef_arena *arena,
                                 void **library, const vef_topology_family **family,
                                 vef_error *error);

/* The network as plug-ins see it; `library`: theirs. Tables are in `arena`. */
void vef_topology_graph(const vef_topology *topology, const void *library, vef_arena *arena,
                        vef_plugin_graph *graph);

#endif
