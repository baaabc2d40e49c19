/* Which policies a network installs. See install.h. */
#include "netmodel/router/policy/install.h"

vef_code vef_policies_install(vef_network *network, vef_error *error) {
    vef_arbiters_install(network);
    vef_selection_install(network);
    vef_code code = vef_injection_install(network, error);
    if (code == VEF_OK)
        code = vef_fronts_install(network, error);
    if (code == VEF_OK)
        code = vef_congestion_install(network, error);
    if (code == VEF_OK)
        code = vef_pauses_install(network, error);
    vef_links_install(network);
    vef_broadcast_install(network);
    vef_network_settle(network);
    return code;
}
