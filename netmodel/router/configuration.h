/* The keys of a router network's file: read, checked, and turned into settings in cycles. */
#ifndef VEF_NETMODEL_ROUTER_CONFIGURATION_H
#define VEF_NETMODEL_ROUTER_CONFIGURATION_H

#include "netmodel/router/network.h"

/* Reads all sections but topology, routing and link.classes. Texts are in `arena`, the arbiter is
 * the one of its name. */
vef_code vef_configuration_read(const vef_node *root, vef_router_settings *settings,
                                vef_arena *arena, vef_error *error);
/* Reads the root's own keys and `link` alone, for those who want only the topology; what the rest
 * says has no delay. */
vef_code vef_configuration_read_links(const vef_node *root, vef_router_settings *settings,
                                      vef_arena *arena, vef_error *error);

/* Takes over `classes` (may be NULL) and turns all times into cycles, theirs too: on `topology` a
 * cycle is what its fastest link needs for a phit. `root` gives places for messages. */
vef_code vef_configuration_resolve(const vef_node *root, vef_router_settings *settings,
                                   const vef_topology *topology, vef_link_class *classes,
                                   vef_error *error);

/* All keys, for help, those of topology and routing too. */
void vef_configuration_describe(FILE *out);
/* A network file with every key of the router's, and its default. */
void vef_configuration_example(FILE *out);
/* The resolved configuration of a network as YAML. */
void vef_configuration_write(const vef_network *network, FILE *out);

#endif
