/* Networks of routers, for tests that build one without a file. */
#ifndef VEF_NETMODEL_ROUTER_MODEL_H
#define VEF_NETMODEL_ROUTER_MODEL_H

#include "netmodel/router/core/network.h"

/* Takes ownership of topology and routing, even on failure. */
vef_code vef_network_create(const vef_network_settings *settings, vef_topology *topology,
                            vef_routing *routing, vef_network **network, vef_error *error);

#endif
