/* The topology and the routing that the file of a network of routers describes, without routers. */
#ifndef VEF_NETMODEL_FILE_STRUCTURE_H
#define VEF_NETMODEL_FILE_STRUCTURE_H

#include "netmodel/file/settings.h"
#include "netmodel/netmodel.h"
#include "netmodel/routing/routing.h"

/* Builds both, owned by the caller, and resolves `settings` for the topology. */
vef_code vef_structure_build(const vef_node *root, vef_network_settings *settings,
                             vef_topology **topology, vef_routing **routing, vef_error *error);

/* vef_netmodel_kind.create_topology and create_routing. */
vef_code vef_structure_create_topology(const vef_node *root, vef_topology **topology,
                                       uint64_t *bandwidth_bits_per_s, vef_error *error);
vef_code vef_structure_create_routing(const vef_node *root, vef_topology **topology,
                                      vef_routing **routing, vef_net_queues *queues,
                                      vef_error *error);

#endif
