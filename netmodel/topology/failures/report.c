/* What is lost by failures, for people, documents and the resolved configuration. See failures.h.
 */
#include "common/report/result.h"
#include "netmodel/topology/failures/failures.h"

void vef_failures_put(const vef_topology *topology, vef_node *into) {
    if (topology->failures)
        vef_config_put_schema(vef_config_section(into, "failures"), vef_failure_schema,
                              &topology->failures->settings);
}

static uint32_t count_links(const vef_topology *topology) {
    const size_t ports = (size_t)topology->routers * topology->ports;
    uint32_t connected = 0;
    for (size_t port = 0; port < ports; port++)
        connected += topology->neighbour[port] != VEF_NO_ROUTER;
    return connected / 2;
}

char *vef_failures_text(const vef_topology *topology, char *text) {
    const vef_failures *failures = topology->failures;
    text[0] = '\0';
    if (failures)
        snprintf(text, VEF_FAILURES_TEXT_BYTES,
                 "%u of %u routers, %u of %u links, %u of %u endpoints", failures->routers,
                 topology->whole->routers, failures->links, count_links(topology->whole),
                 failures->endpoints, topology->whole->endpoints);
    return text;
}

bool vef_port_is_lost(const vef_topology *topology, size_t port) {
    const vef_topology *whole = topology->whole;
    const uint32_t router = topology->router_of_whole[port / whole->ports];
    return router == VEF_NO_ROUTER ||
           topology->neighbour[(size_t)router * whole->ports + port % whole->ports] ==
               VEF_NO_ROUTER;
}

static void list_links(const vef_topology *topology, vef_result *into) {
    const vef_topology *whole = topology->whole;
    const size_t ports = (size_t)whole->routers * whole->ports;
    vef_result *links_down = vef_put_list(into, "links_down");
    for (size_t port = 0; port < ports; port++) {
        if (whole->neighbour[port] == VEF_NO_ROUTER || port > vef_other_port(whole, port) ||
            !vef_port_is_lost(topology, port))
            continue;
        char name[VEF_ROUTER_NAME_BYTES], by[VEF_PORT_NAME_BYTES];
        vef_result *item = vef_put_group(links_down, NULL);
        vef_topology_router_name(whole, (uint32_t)(port / whole->ports), name, sizeof name);
        VEF_PUT(item, "from", name);
        vef_topology_port_name(whole, (uint32_t)(port % whole->ports), by, sizeof by);
        VEF_PUT(item, "port", by);
        vef_topology_router_name(whole, whole->neighbour[port], name, sizeof name);
        VEF_PUT(item, "to", name);
    }
}

static void list_routers(const vef_topology *topology, vef_result *into) {
    const vef_topology *whole = topology->whole;
    vef_result *routers_down = vef_put_list(into, "routers_down");
    for (uint32_t r = 0; r < whole->routers; r++) {
        if (topology->router_of_whole[r] != VEF_NO_ROUTER)
            continue;
        char name[VEF_ROUTER_NAME_BYTES];
        vef_topology_router_name(whole, r, name, sizeof name);
        VEF_PUT(routers_down, NULL, name);
    }
}

void vef_failures_put_result(const vef_topology *topology, bool names, vef_result *into) {
    if (!topology || !topology->failures) {
        VEF_PUT(into, "failures", VEF_NO_VALUE);
        return;
    }
    vef_result *failures_group = vef_put_group(into, "failures");
    VEF_PUT(failures_group, "routers_lost", topology->failures->routers);
    VEF_PUT(failures_group, "links_lost", topology->failures->links);
    VEF_PUT(failures_group, "endpoints_lost", topology->failures->endpoints);
    if (names) {
        list_routers(topology, failures_group);
        list_links(topology, failures_group);
    }
}
