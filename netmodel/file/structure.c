/* Topology and routing from a network file. See structure.h. */
#include "netmodel/file/structure.h"
#include "common/limits.h"

#include "netmodel/file/buffers.h"
#include "netmodel/file/configuration.h"
#include "netmodel/file/links.h"
#include "netmodel/topology/failures/failures.h"

#include <assert.h>

/* Resolves `settings` for the topology. */
static vef_code build_topology(const vef_node *root, vef_network_settings *settings,
                               vef_topology **topology, vef_error *error) {
    const vef_node *node = vef_node_get(root, "topology");
    if (!node)
        return vef_node_fail(
            root, error,
            "network: missing key topology, such as topology: {family: torus, sizes: [8, 8]}");
    const vef_node *endpoints = vef_node_get(root, VEF_ENDPOINTS_KEY);
    vef_code code = vef_topology_create_beside(node, endpoints, settings->endpoints_per_router,
                                               topology, error);
    if (code != VEF_OK)
        return code;
    settings->endpoints_per_router = (*topology)->endpoints_asked;
    code = vef_topology_lay_rails(*topology, settings->rails, settings->pods, error);
    if (code != VEF_OK)
        vef_node_within(vef_node_get(root, "rails"), error);
    if (code == VEF_OK)
        code = vef_topology_order_endpoints(*topology, &settings->endpoint_order, error);
    if (code == VEF_OK)
        code = vef_links_read(vef_node_get(root, "link"), settings, *topology, error);
    if (code == VEF_OK) /* links are those of the network without failures */
        code = vef_failures_apply(vef_node_get(root, "failures"), topology, error);
    if (code == VEF_OK)
        code = vef_configuration_resolve(root, settings, *topology, error);
    if (code != VEF_OK) {
        vef_topology_destroy(*topology);
        *topology = NULL;
    }
    return code;
}

vef_code vef_structure_build(const vef_node *root, vef_network_settings *settings,
                             vef_topology **topology, vef_routing **routing, vef_error *error) {
    vef_code code = build_topology(root, settings, topology, error);
    if (code != VEF_OK)
        return code;
    const vef_node *node = vef_node_get(root, "routing");
    code = vef_routing_create(node, *topology, (vef_flow_control)settings->flow_control, routing,
                              error);
    if (code == VEF_OK &&
        vef_limit_check(VEF_LIMIT_QUEUES,
                        (uint64_t)(*topology)->routers * (*topology)->ports * (*routing)->channels,
                        error) != VEF_OK) {
        code = VEF_INVALID;
        node = NULL;
        vef_routing_destroy(*routing);
    }
    if (code != VEF_OK) {
        vef_topology_destroy(*topology);
        *topology = NULL;
        if (!node)
            vef_node_within(root, error);
    }
    return code;
}

vef_code vef_structure_create_topology(const vef_node *root, vef_topology **topology,
                                       uint64_t *bandwidth_bits_per_s, vef_error *error) {
    vef_arena scratch = {0};
    vef_network_settings settings;
    vef_code code = vef_configuration_read_links(root, &settings, &scratch, error);
    if (code == VEF_OK)
        code = build_topology(root, &settings, topology, error);
    *bandwidth_bits_per_s = settings.link.bandwidth_bits_per_s;
    vef_arena_release(&scratch);
    return code;
}

/* The queues as the network would have them; rules of links are in `scratch`. */
static vef_code plan_queues(const vef_node *router, const vef_network_settings *settings,
                            const vef_topology *topology, const vef_routing *routing,
                            vef_arena *scratch, vef_net_queues *queues, vef_error *error) {
    static_assert(sizeof queues->warning >= VEF_BUFFERS_WARNING_BYTES, "a warning fits");
    const vef_buffer_settings buffer = vef_buffer_settings_of(settings);
    vef_links links;
    vef_buffers buffers;
    vef_code code = vef_links_plan(settings, topology, scratch, &links, error);
    if (code == VEF_OK)
        code = vef_buffers_plan(&buffer, topology, routing, &links, &buffers, error);
    if (code != VEF_OK) {
        vef_node_within(router, error);
        return code;
    }
    queues->shortest_packets = buffers.least / buffers.largest_places;
    if (!vef_buffers_warn(&buffers, queues->warning))
        queues->warning[0] = '\0';
    return VEF_OK;
}

vef_code vef_structure_create_routing(const vef_node *root, vef_topology **topology,
                                      vef_routing **routing, vef_net_queues *queues,
                                      vef_error *error) {
    vef_arena scratch = {0};
    vef_network_settings settings;
    vef_code code = vef_configuration_read(root, &settings, &scratch, error);
    if (code == VEF_OK)
        code = vef_structure_build(root, &settings, topology, routing, error);
    if (code == VEF_OK)
        code = plan_queues(vef_node_get(root, "router"), &settings, *topology, *routing, &scratch,
                           queues, error);
    if (code != VEF_OK) {
        vef_routing_destroy(*routing);
        vef_topology_destroy(*topology);
        *routing = NULL;
        *topology = NULL;
    }
    vef_arena_release(&scratch);
    return code;
}
