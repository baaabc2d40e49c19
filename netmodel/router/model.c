/* The router network as a network model. Its keys are in configuration.c. */
#include "netmodel/router/model.h"
#include "netmodel/file/configuration.h"
#include "netmodel/file/structure.h"
#include "netmodel/kinds.h"
#include "netmodel/router/policy/copies.h"

vef_code vef_network_create(const vef_network_settings *settings, vef_topology *topology,
                            vef_routing *routing, vef_network **network, vef_error *error) {
    vef_code code = vef_network_plan(settings, topology, routing, network, error);
    if (code == VEF_OK)
        code = vef_policies_install(*network, error);
    if (code == VEF_OK) {
        (*network)->base.kind = &vef_netmodel_router;
        vef_network_build(*network);
        return VEF_OK;
    }
    vef_network_destroy(*network);
    *network = NULL;
    return code;
}

static vef_code build(const vef_node *root, vef_network_settings *settings, vef_netmodel **model,
                      vef_error *error) {
    vef_topology *topology = NULL;
    vef_routing *routing = NULL;
    vef_code code = vef_structure_build(root, settings, &topology, &routing, error);
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
    vef_network_settings settings;
    vef_code code = vef_configuration_read(root, &settings, &scratch, error);
    if (code == VEF_OK)
        code = build(root, &settings, model, error);
    vef_arena_release(&scratch);
    return code;
}

static void destroy(vef_netmodel *base) {
    vef_network_destroy((vef_network *)base);
}

static uint64_t now(const vef_netmodel *base) {
    return ((const vef_network *)base)->now_cycles;
}

static void watch(vef_netmodel *base, const vef_net_watch *watching) {
    vef_network *network = (vef_network *)base;
    network->policies.moving.watcher = watching;
    vef_network_settle(network);
}

static uint32_t waiting(const vef_netmodel *base, uint32_t endpoint) {
    return ((const vef_network *)base)->queues.endpoints[endpoint].waiting;
}

/* The default length of queues as a number, if one number describes it: the resulting length. */
static uint32_t queue_packets_of(const vef_network *network) {
    const vef_buffers *buffers = &network->queues.buffers;
    if (network->settings.queue_packets > 0 || buffers->least != buffers->most ||
        buffers->settings.per_port_phits > 0 || buffers->settings.per_router_phits > 0)
        return network->settings.queue_packets;
    return buffers->least / buffers->largest_places;
}

static void put_config(const vef_netmodel *base, vef_node *into) {
    const vef_network *network = (const vef_network *)base;
    vef_network_settings settings = network->settings;
    settings.queue_packets = queue_packets_of(network);
    if (settings.backpressure == VEF_PAUSE && !network->links.plan.rules) {
        const vef_pause pause =
            vef_buffers_pause(&network->queues.buffers, &network->links.plan.alike);
        settings.pause_at_packets = (uint32_t)pause.at_packets;
        settings.pause_resume_packets = (uint32_t)pause.resume_packets;
    }
    vef_configuration_put(&settings, network->topology, network->routing, into);
}

const vef_netmodel_kind vef_netmodel_router = {
    .name = "router",
    .aliases = "cycle cycle-accurate flit",
    .summary = "input-queued virtual cut-through routers, cycle-accurate",
    .describe = vef_configuration_describe,
    .example = vef_configuration_example,
    .create = create,
    .create_topology = vef_structure_create_topology,
    .create_routing = vef_structure_create_routing,
    .destroy = destroy,
    .split = vef_network_split,
    .spread = vef_network_spread,
    .parts = vef_network_list_parts,
    .attend = vef_network_attend,
    .dismiss = vef_network_dismiss,
    .inject = vef_network_inject,
    .can_broadcast = vef_network_can_broadcast,
    .add_group = vef_network_add_group,
    .advance = vef_network_advance,
    .now = now,
    .statistics = vef_network_statistics,
    .counts = vef_network_counts,
    .begin_figures = vef_network_begin_figures,
    .link_phits = vef_network_link_phits,
    .link_busy_cycles = vef_network_link_busy_cycles,
    .watch = watch,
    .waiting = waiting,
    .deadlock = vef_network_deadlock,
    .put_config = put_config,
};
