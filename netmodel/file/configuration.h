/* The keys of a router network's file: read, checked, and turned into settings in cycles. */
#ifndef VEF_NETMODEL_FILE_CONFIGURATION_H
#define VEF_NETMODEL_FILE_CONFIGURATION_H

#include "netmodel/file/settings.h"
#include "netmodel/routing/routing.h"

/* Reads all sections but topology, routing and those of links that differ (vef_links_read). Texts
 * are in `arena`; looks up the arbiter by name. */
vef_code vef_configuration_read(const vef_node *root, vef_network_settings *settings,
                                vef_arena *arena, vef_error *error);
/* Reads only the root's keys, `link` and `packet`, for callers that need only the topology; ignores
 * delays elsewhere. */
vef_code vef_configuration_read_links(const vef_node *root, vef_network_settings *settings,
                                      vef_arena *arena, vef_error *error);

/* Chooses the phit if none is given, and converts all sizes to phits and all times to cycles: on
 * `topology` a cycle is the time of its fastest link for a phit. `root` provides places for
 * messages. */
vef_code vef_configuration_resolve(const vef_node *root, vef_network_settings *settings,
                                   const vef_topology *topology, vef_error *error);

/* The keys of the whole file, with the sections that vef_param.section names. Apart from these:
 * topologies, routings, policies of congestion control, link.layout, link.cables, link.classes. */
extern const vef_param vef_network_schema[];

/* All keys for help, including those of topology and routing. */
void vef_configuration_describe(FILE *out);
/* Of these, the families of topologies with their parameters and an example of each. */
void vef_topologies_describe(FILE *out);
/* A network file with every key of the router model and its default. */
void vef_configuration_example(FILE *out);
/* Adds the resolved settings of a network. */
void vef_configuration_put(const vef_network_settings *settings, const vef_topology *topology,
                           const vef_routing *routing, vef_node *into);

#endif
