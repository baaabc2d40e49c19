/* The router network as a network model. Its keys are in configuration.c. */
#include "netmodel/router/configuration.h"
#include "netmodel/router/copies.h"

#include <assert.h>
#include <string.h>

/* Resolves `settings` for the topology. */
static vef_code build_topology(const vef_node *root, vef_router_settings *settings,
                               vef_topology **topology, vef_error *error) {
    const vef_node *node = vef_node_get(root, "topology");
    if (!node)
        return vef_node_fail(
            root, error,
            "network: missing key topology, such as topology: {family: torus, sizes: [8, 8]}");
    vef_code code = vef_topology_create(node, settings->endpoints_per_router, topology, error);
    if (code != VEF_OK)
        return code;
    vef_link_class *classes = NULL;
    code = vef_link_classes_read(vef_node_get(root, "link"), &settings->link, *topology, &classes,
                                 error);
    if (code == VEF_OK)
        code = vef_configuration_resolve(root, settings, *topology, classes, error);
    if (code != VEF_OK) {
        vef_topology_destroy(*topology);
        *topology = NULL;
    }
    return code;
}

static vef_code build_routing(const vef_node *root, vef_router_settings *settings,
                              vef_topology **topology, vef_routing **routing, vef_error *error) {
    vef_code code = build_topology(root, settings, topology, error);
    if (code != VEF_OK)
        return code;
    const vef_node *node = vef_node_get(root, "routing");
    code = vef_routing_create(node, *topology, (vef_flow_control)settings->flow_control, routing,
                              error);
    if (code != VEF_OK) {
        vef_topology_destroy(*topology);
        *topology = NULL;
        if (!node)
            vef_node_within(root, error);
    }
    return code;
}

static vef_code build(const vef_node *root, vef_router_settings *settings, vef_netmodel **model,
                      vef_error *error) {
    vef_topology *topology = NULL;
    vef_routing *routing = NULL;
    vef_code code = build_routing(root, settings, &topology, &routing, error);
    if (code != VEF_OK)
        return code;
    vef_network *network = NULL;
    code = vef_network_create(settings, topology, routing, &network, error);
    if (code != VEF_OK) {
        const vef_node *router = vef_node_get(root, "router");
        vef_node_within(router ? router : root, error);
        return code;
    }
    *model = &network->base;
    return VEF_OK;
}

static vef_code create(const vef_node *root, vef_netmodel **model, vef_error *error) {
    vef_arena scratch = {0};
    vef_router_settings settings;
    vef_code code = vef_configuration_read(root, &settings, &scratch, error);
    if (code == VEF_OK)
        code = build(root, &settings, model, error);
    vef_arena_release(&scratch);
    return code;
}

static vef_code create_topology(const vef_node *root, vef_topology **topology,
                                uint64_t *bandwidth_bits_per_s, vef_error *error) {
    vef_arena scratch = {0};
    vef_router_settings settings;
    vef_code code = vef_configuration_read_links(root, &settings, &scratch, error);
    if (code == VEF_OK)
        code = build_topology(root, &settings, topology, error);
    *bandwidth_bits_per_s = settings.link.bandwidth_bits_per_s;
    vef_arena_release(&scratch);
    return code;
}

/* The queues as the network would have them; rules of links are in `scratch`. */
static vef_code plan_queues(const vef_node *router, const vef_router_settings *settings,
                            const vef_topology *topology, const vef_routing *routing,
                            vef_arena *scratch, vef_net_queues *queues, vef_error *error) {
    static_assert(sizeof queues->warning >= VEF_BUFFERS_WARNING_BYTES, "a warning fits");
    const vef_buffer_settings buffer = vef_network_buffer_settings(settings);
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

static vef_code create_routing(const vef_node *root, vef_topology **topology, vef_routing **routing,
                               vef_net_queues *queues, vef_error *error) {
    vef_arena scratch = {0};
    vef_router_settings settings;
    vef_code code = vef_configuration_read(root, &settings, &scratch, error);
    if (code == VEF_OK)
        code = build_routing(root, &settings, topology, routing, error);
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

static void destroy(vef_netmodel *base) {
    vef_network_destroy((vef_network *)base);
}

static uint64_t now(const vef_netmodel *base) {
    return ((const vef_network *)base)->now_cycles;
}

static uint32_t waiting(const vef_netmodel *base, uint32_t endpoint) {
    return ((const vef_network *)base)->endpoints[endpoint].waiting;
}

static void write_config(const vef_netmodel *base, FILE *out) {
    vef_configuration_write((const vef_network *)base, out);
}

const vef_netmodel_kind vef_netmodel_router = {
    .name = "router",
    .aliases = "cycle cycle-accurate flit",
    .summary = "input-queued virtual cut-through routers, cycle-accurate",
    .describe = vef_configuration_describe,
    .example = vef_configuration_example,
    .create = create,
    .create_topology = create_topology,
    .create_routing = create_routing,
    .destroy = destroy,
    .split = vef_network_split,
    .inject = vef_network_inject,
    .can_broadcast = vef_network_can_broadcast,
    .advance = vef_network_advance,
    .now = now,
    .statistics = vef_network_statistics,
    .counts = vef_network_counts,
    .begin_figures = vef_network_begin_figures,
    .link_phits = vef_network_link_phits,
    .link_busy_cycles = vef_network_link_busy_cycles,
    .waiting = waiting,
    .deadlock = vef_network_deadlock,
    .write_config = write_config,
};
