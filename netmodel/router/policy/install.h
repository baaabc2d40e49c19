/* Installs the policies of a network: after vef_network_plan, before vef_network_build. */
#ifndef VEF_NETMODEL_ROUTER_POLICY_INSTALL_H
#define VEF_NETMODEL_ROUTER_POLICY_INSTALL_H

#include "netmodel/router/core/network.h"

/* Refuses policies that do not go together, or not with the routing. */
vef_code vef_policies_install(vef_network *network, vef_error *error);

/* Refuses (VEF_UNSUPPORTED) a network that does not support broadcast. */
vef_code vef_network_can_broadcast(const vef_netmodel *base, vef_error *error);

/* ---- the parts, a file each; in this order ---- */

void vef_arbiters_install(vef_network *network);
void vef_selection_install(vef_network *network);
vef_code vef_injection_install(vef_network *network, vef_error *error);
vef_code vef_fronts_install(vef_network *network, vef_error *error);
vef_code vef_congestion_install(vef_network *network, vef_error *error);
void vef_windows_install(vef_network *network); /* of vef_congestion_install */
void vef_links_install(vef_network *network);
void vef_broadcast_install(vef_network *network);

#endif
