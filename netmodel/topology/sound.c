/* Checks of topologies that plug-ins built. See families.h. */
#include "netmodel/topology/families.h"

static vef_code check_tables(const vef_topology *topology, vef_error *error) {
    if (topology->routers < 1 || topology->routers > VEF_MAX_ROUTERS || topology->ports < 1 ||
        topology->ports > VEF_MAX_PORTS || !topology->neighbour || !topology->reverse_port)
        return vef_fail(error, VEF_INVALID,
                        "plug-in: %u routers of %u ports: expected 1 to %d of 1 to %d, and tables "
                        "of links (vef_topology_make_ports)",
                        topology->routers, topology->ports, VEF_MAX_ROUTERS, VEF_MAX_PORTS);
    if (topology->link_classes > VEF_MAX_LINK_CLASSES ||
        (topology->link_classes > 1 && !topology->family->link_class))
        return vef_fail(error, VEF_INVALID,
                        "plug-in: %u classes of links: expected at most %d, and link_class",
                        topology->link_classes, VEF_MAX_LINK_CLASSES);
    return VEF_OK;
}

static vef_code check_link(const vef_topology *topology, uint32_t router, uint32_t port,
                           vef_error *error) {
    const size_t link = (size_t)router * topology->ports + port;
    const uint32_t other = topology->neighbour[link], other_port = topology->reverse_port[link];
    if (other == VEF_NO_ROUTER)
        return VEF_OK;
    if (other >= topology->routers || other_port >= topology->ports)
        return vef_fail(error, VEF_INVALID,
                        "plug-in: router %u, port %u leads to router %u, port %u: out of range: "
                        "expected a router below %u and a port below %u",
                        router, port, other, other_port, topology->routers, topology->ports);
    if (other == router)
        return vef_fail(error, VEF_INVALID, "plug-in: router %u, port %u leads to itself", router,
                        port);
    const size_t back = (size_t)other * topology->ports + other_port;
    if (topology->neighbour[back] != router || topology->reverse_port[back] != port)
        return vef_fail(error, VEF_INVALID,
                        "plug-in: router %u, port %u leads to router %u, port %u, which does not "
                        "lead back",
                        router, port, other, other_port);
    const uint32_t class = vef_topology_link_class(topology, router, port);
    const uint32_t classes = topology->link_classes ? topology->link_classes : 1;
    if (class >= classes || class != vef_topology_link_class(topology, other, other_port))
        return vef_fail(error, VEF_INVALID,
                        "plug-in: router %u, port %u: class %u of its link: expected one below %u, "
                        "the same from both ends",
                        router, port, class, classes);
    return VEF_OK;
}

static vef_code check_endpoints(const vef_topology *topology, vef_error *error) {
    const uint32_t *at_router = topology->endpoint_router;
    uint32_t run = 0, most = 0;
    if (topology->endpoints_per_router == 0 && !at_router)
        return VEF_OK; /* attached later */
    for (uint32_t e = 0; at_router && e < topology->endpoints; e++) {
        if (at_router[e] >= topology->routers || (e > 0 && at_router[e] < at_router[e - 1]))
            return vef_fail(error, VEF_INVALID,
                            "plug-in: endpoint %u is at router %u: expected routers below %u, in "
                            "ascending order",
                            e, at_router[e], topology->routers);
        run = e > 0 && at_router[e] == at_router[e - 1] ? run + 1 : 1;
        most = run > most ? run : most;
    }
    if (!at_router || most != topology->endpoints_per_router || most < 1 ||
        most > VEF_MAX_ENDPOINTS_PER_ROUTER)
        return vef_fail(error, VEF_INVALID,
                        "plug-in: %u endpoints, at most %u on a router, and endpoints_per_router "
                        "%u: expected the same number, 1 to %d",
                        topology->endpoints, most, topology->endpoints_per_router,
                        VEF_MAX_ENDPOINTS_PER_ROUTER);
    return VEF_OK;
}

static vef_code check_grid(const vef_topology *topology, vef_error *error) {
    uint64_t places = 1;
    if (topology->dimensions > VEF_MAX_DIMENSIONS)
        return vef_fail(error, VEF_INVALID, "plug-in: %u dimensions: expected at most %d",
                        topology->dimensions, VEF_MAX_DIMENSIONS);
    for (uint32_t d = 0; d < topology->dimensions && places <= topology->routers; d++)
        places *= topology->sizes[d];
    if (topology->dimensions > 0 && places != topology->routers)
        return vef_fail(error, VEF_INVALID,
                        "plug-in: sizes of a grid: expected a product of %u, the number of routers",
                        topology->routers);
    if (topology->axes > topology->dimensions && !topology->family->far_side)
        return vef_fail(error, VEF_INVALID,
                        "plug-in: %u axes of %u dimensions: expected far_side for the others",
                        topology->axes, topology->dimensions);
    return VEF_OK;
}

static vef_code check_classes(const vef_topology *topology, vef_error *error) {
    const vef_topology_family *family = topology->family;
    if ((topology->orbits > 1 && !family->orbit) ||
        (topology->translation_classes > 1 && !family->translation_class) ||
        (topology->reflections > 0 && !family->reflect) ||
        (topology->turns > 0 && (!family->turn || topology->orbits == 0)))
        return vef_fail(error, VEF_INVALID,
                        "plug-in: symmetries without their functions: expected orbit, "
                        "translation_class, reflect, turn");
    for (uint32_t router = 0; router < topology->routers; router++)
        if ((topology->orbits > 1 && family->orbit(topology, router) >= topology->orbits) ||
            (topology->translation_classes > 1 &&
             family->translation_class(topology, router) >= topology->translation_classes))
            return vef_fail(error, VEF_INVALID,
                            "plug-in: orbit or translation class of router %u: out of range: "
                            "expected below %u and %u",
                            router, topology->orbits, topology->translation_classes);
    return VEF_OK;
}

vef_code vef_topology_check_sound(const vef_topology *topology, vef_error *error) {
    vef_code code = check_tables(topology, error);
    for (uint32_t router = 0; code == VEF_OK && router < topology->routers; router++)
        for (uint32_t port = 0; code == VEF_OK && port < topology->ports; port++)
            code = check_link(topology, router, port, error);
    if (code == VEF_OK)
        code = check_endpoints(topology, error);
    if (code == VEF_OK)
        code = check_grid(topology, error);
    return code == VEF_OK ? check_classes(topology, error) : code;
}
