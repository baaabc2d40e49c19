/* The flow model as a network model. Topology, routing, links, packets and the seed are those of
 * the file of a router network, whose other keys have no effect. See flow.h. */
#include "common/memory.h"
#include "netmodel/clock.h"
#include "netmodel/file/configuration.h"
#include "netmodel/file/resolved.h"
#include "netmodel/file/structure.h"
#include "netmodel/flow/flow.h"

#include <stdlib.h>

static const char *const source_choices[] = {
    [VEF_FLOW_ONE_BY_ONE] = "one-by-one", [VEF_FLOW_BY_DESTINATION] = "by-destination", NULL};

const vef_param vef_flow_schema[] = {
    {VEF_KEY(CHOICE, vef_flow_settings, sources), .fallback = "one-by-one",
     .choices = source_choices,
     .help = "messages of an endpoint; by-destination: those to different destinations at once, as "
             "connections and queue pairs do"},
    {VEF_KEY(COUNT, vef_flow_settings, paths), .fallback = "1", .minimum = 1,
     .maximum = VEF_MOST_PATHS,
     .help = "most paths among which a message of several packets is divided, where the routing "
             "has a choice"},
    {VEF_KEY(REAL, vef_flow_settings, tolerance), .fallback = "0.01", .minimum = 0, .maximum = 0.5,
     .help = "share of the bandwidth of a link by which its flows may use more, or less, than "
             "max-min fair rates do; 0: exact, and slower"},
    {.key = NULL},
};

static void describe(FILE *out) {
    fprintf(out,
            "the keys of model router; those of routers, except delay, injection_queues and "
            "ejection_ports, have no effect\n");
    fprintf(out, "flow:\n");
    vef_config_describe(out, 2, vef_flow_schema);
}

static void destroy(vef_netmodel *base) {
    vef_flow_network *flow = (vef_flow_network *)base;
    vef_shares_release(&flow->shares);
    vef_finishes_release(&flow->finishes);
    vef_pending_release(&flow->later);
    vef_pending_release(&flow->arriving);
    vef_routing_destroy(flow->routing);
    vef_topology_destroy(flow->topology);
    vef_arena_release(&flow->arena);
    vef_map64_free(&flow->traffic.pairs);
    free(flow->paths.resources);
    free(flow->traffic.messages);
    free(flow->traffic.parts);
    free(flow->handed);
    free(flow);
}

static void take_memory(vef_flow_network *flow) {
    const vef_topology *topology = flow->topology;
    const uint64_t links = (uint64_t)topology->routers * topology->ports;
    const uint32_t candidates = flow->routing->most_candidates;
#define TAKE(field, count) flow->field = vef_arena_alloc(&flow->arena, count, sizeof *flow->field)
    TAKE(traffic.sources, topology->endpoints);
    TAKE(queue_phits, links);
    TAKE(figures.link_phits, links);
    TAKE(figures.link_since, links);
    TAKE(figures.latency, 1);
    TAKE(figures.message_latency, 1);
    TAKE(paths.candidates, candidates);
    TAKE(paths.least_loaded, candidates);
    TAKE(paths.seen, links);
#undef TAKE
    if (flow->settings.burst_bytes)
        flow->buckets = vef_arena_alloc(&flow->arena, links + 2 * (size_t)topology->endpoints,
                                        sizeof *flow->buckets);
    vef_shares_create(&flow->shares, (uint32_t)links + 2 * topology->endpoints,
                      flow->parameters.tolerance);
}

static void set_capacities(vef_flow_network *flow) {
    const vef_topology *topology = flow->topology;
    vef_share_resource *resources = flow->shares.resources;
    for (uint32_t router = 0; router < topology->routers; router++)
        for (uint32_t port = 0; port < topology->ports; port++) {
            const size_t link = (size_t)router * topology->ports + port;
            if (topology->neighbour[link] != VEF_NO_ROUTER)
                resources[link].capacity =
                    1.0 / vef_links_rule(&flow->links, topology, router, port)->cycles_per_phit;
        }
    for (uint32_t e = 0; e < topology->endpoints; e++) {
        resources[flow->paths.first_injection + e].capacity = flow->settings.injection_queues;
        resources[flow->paths.first_ejection + e].capacity = flow->settings.ejection_ports;
    }
}

/* Queues of the length that they have in the router model. */
static vef_code set_queues(vef_flow_network *flow, vef_error *error) {
    const vef_topology *topology = flow->topology;
    const vef_buffer_settings settings = vef_buffer_settings_of(&flow->settings);
    vef_buffers *buffers = &flow->buffers;
    vef_code code =
        vef_buffers_plan(&settings, topology, flow->routing, &flow->links, buffers, error);
    if (code != VEF_OK)
        return code;
    for (uint32_t router = 0; router < topology->routers; router++)
        for (uint32_t port = 0; port < topology->ports; port++) {
            uint32_t places = 0;
            for (uint32_t channel = 0; channel < flow->routing->channels; channel++)
                places += vef_buffers_places(buffers, router, port, channel);
            flow->queue_phits[(size_t)router * topology->ports + port] =
                places * buffers->place_phits;
        }
    flow->paths.queue_places = buffers->least;
    return VEF_OK;
}

static void set_sources(vef_flow_network *flow) {
    for (uint32_t e = 0; e < flow->topology->endpoints; e++)
        flow->traffic.sources[e] = (vef_flow_source){
            .first_message = VEF_NO_FLOW,
            .router = vef_topology_router_of(flow->topology, e),
            .rng = vef_rng_make(flow->settings.seed, VEF_RNG_SOURCE, e),
        };
}

static void set_paths(vef_flow_network *flow) {
    const vef_topology *topology = flow->topology;
    flow->paths.topology = topology;
    flow->paths.routing = flow->routing;
    flow->paths.links = &flow->links;
    flow->paths.shares = &flow->shares;
    flow->paths.first_injection = topology->routers * topology->ports;
    flow->paths.first_ejection = flow->paths.first_injection + topology->endpoints;
}

static void set_base(vef_flow_network *flow) {
    const vef_network_settings *settings = &flow->settings;
    flow->base = (vef_netmodel){
        .kind = &vef_netmodel_flow,
        .endpoints = flow->topology->endpoints,
        .exact = true,
        .topology = flow->topology,
        .bandwidth_bits_per_s = flow->links.fastest_bits_per_s,
        .phit_bytes = (uint32_t)settings->phit_bytes,
        .packet_phits = settings->packet_phits,
        .payload_bytes = vef_settings_packets(settings).payload_bytes,
        .header_bytes = settings->header_bytes,
        .injection_phits = settings->injection_queues,
        .traffic_classes = flow->routing->traffic_classes,
        .seeded = true,
        .seed = settings->seed,
    };
}

static void set_timing(vef_flow_network *flow) {
    const vef_resolved resolved = {&flow->settings, flow->topology, &flow->links, &flow->buffers};
    flow->base.timing.cycle_ns = vef_netmodel_cycle_ns(&flow->base);
    flow->cycle_ps = vef_netmodel_cycle_ps(&flow->base);
    vef_resolved_timing(&resolved, &flow->arena, &flow->base.timing);
}

static vef_code build(vef_flow_network *flow, const vef_node *root, vef_error *error) {
    vef_code code =
        vef_structure_build(root, &flow->settings, &flow->topology, &flow->routing, error);
    if (code != VEF_OK)
        return code;
    code = vef_links_plan(&flow->settings, flow->topology, &flow->arena, &flow->links, error);
    if (code == VEF_OK) {
        take_memory(flow);
        code = set_queues(flow, error);
    }
    if (code != VEF_OK)
        return vef_node_within(root, error);
    set_base(flow);
    set_timing(flow);
    set_paths(flow);
    set_capacities(flow);
    for (uint32_t i = 0; flow->buckets && i < flow->shares.resource_count; i++)
        flow->buckets[i].phits = (double)flow->settings.burst_bytes / (double)flow->base.phit_bytes;
    set_sources(flow);
    return VEF_OK;
}

/* Flows have no packets to hold back: their shares of links are fair from the start. */
static vef_code refuse_control(const vef_network_settings *settings, const vef_node *root,
                               vef_error *error) {
    const bool pauses = settings->backpressure == VEF_PAUSE;
    if (!pauses && !settings->congestion.policy)
        return VEF_OK;
    return vef_node_fail(vef_node_get(root, pauses ? "router" : "congestion"), error,
                         "%s: not supported with model: %s: expected model: router",
                         pauses ? "router.backpressure: pause" : "congestion",
                         vef_netmodel_flow.name);
}

static vef_code create(const vef_node *root, vef_netmodel **made, vef_error *error) {
    vef_flow_network *flow = vef_calloc(1, sizeof *flow);
    flow->traffic.free_message = flow->traffic.free_part = VEF_NO_FLOW;
    vef_code code = vef_configuration_read(root, &flow->settings, &flow->arena, error);
    if (code == VEF_OK)
        code = refuse_control(&flow->settings, root, error);
    if (code == VEF_OK)
        code = vef_config_read(vef_node_get(root, "flow"), "flow", vef_flow_schema, NULL,
                               &flow->parameters, &flow->arena, error);
    if (code == VEF_OK)
        code = build(flow, root, error);
    flow->settings.model = vef_netmodel_flow.name;
    if (code == VEF_OK)
        *made = &flow->base;
    else
        destroy(&flow->base);
    return code;
}

static uint64_t now(const vef_netmodel *base) {
    return ((const vef_flow_network *)base)->now_ps;
}

static uint32_t waiting(const vef_netmodel *base, uint32_t endpoint) {
    return ((const vef_flow_network *)base)->traffic.sources[endpoint].waiting;
}

static void put_config(const vef_netmodel *base, vef_node *into) {
    const vef_flow_network *flow = (const vef_flow_network *)base;
    vef_configuration_put(&flow->settings, flow->topology, flow->routing, into);
    vef_config_put_schema(vef_config_section(into, "flow"), vef_flow_schema, &flow->parameters);
}

static void watch(vef_netmodel *base, const vef_net_watch *watching) {
    ((vef_flow_network *)base)->watch = watching;
}

const vef_netmodel_kind vef_netmodel_flow = {
    .name = "flow",
    .aliases = "fluid max-min simgrid flows",
    .summary = "messages share the bandwidth of links max-min fairly, without packets or queues",
    .describe = describe,
    .create = create,
    .create_topology = vef_structure_create_topology,
    .create_routing = vef_structure_create_routing,
    .destroy = destroy,
    .inject = vef_flow_inject,
    .advance = vef_flow_advance,
    .now = now,
    .statistics = vef_flow_statistics,
    .counts = vef_flow_counts,
    .begin_figures = vef_flow_begin_figures,
    .link_phits = vef_flow_link_phits,
    .watch = watch,
    .link_busy_cycles = vef_flow_link_busy_cycles,
    .waiting = waiting,
    .put_config = put_config,
};
