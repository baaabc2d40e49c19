/* The router network as a network model: its keys in a network file, their defaults and checks. */
#include "netmodel/router/network.h"

#include <string.h>

typedef struct root_parameters {
    const char *model;
    int64_t endpoints_per_router, seed;
} root_parameters;

typedef struct router_parameters {
    int switching, flow_control;
    int64_t queue_packets, injection_queues, injection_queue_packets, ejection_ports;
    const char *arbiter;
    int64_t iterations;
    bool transit_first, virtual_output_queues;
    int64_t delay_cycles;
} router_parameters;

typedef struct buffer_parameters {
    int64_t unit_phits, per_port_phits, per_router_phits;
} buffer_parameters;

typedef struct link_parameters {
    uint64_t bandwidth, phit;
    int64_t delay_cycles, credit_delay_cycles;
} link_parameters;

typedef struct packet_parameters {
    int64_t phits;
} packet_parameters;

static const char *const switchings[] = {"virtual-cut-through", NULL};
static const char *const flow_controls[] = {
    [VEF_FLOW_BUBBLE] = "bubble", [VEF_FLOW_VIRTUAL_CHANNELS] = "virtual-channels", NULL};

/* clang-format off */
#define ROW(type, name, kind_of, default_, min, max, text)                                         \
    {.key = #name, .kind = kind_of, .offset = offsetof(type, name), .fallback = default_,          \
     .minimum = min, .maximum = max, .help = text}

static const vef_param root_schema[] = {
    ROW(root_parameters, model, VEF_PARAM_STRING, "router", 0, 0, "the kind of network model"),
    {.key = "topology", .kind = VEF_PARAM_SECTION,
     .help = "family and its parameters; needed"},
    ROW(root_parameters, endpoints_per_router, VEF_PARAM_INT, "1", 1, VEF_MOST_INPUTS,
        "concentration"),
    {.key = "routing", .kind = VEF_PARAM_SECTION,
     .help = "algorithm (default: the first below that fits) and its parameters"},
    {.key = "router", .kind = VEF_PARAM_SECTION, .help = "queues, arbitration, delay"},
    {.key = "link", .kind = VEF_PARAM_SECTION, .help = "bandwidth, phit, delays"},
    {.key = "packet", .kind = VEF_PARAM_SECTION, .help = "the largest packet"},
    ROW(root_parameters, seed, VEF_PARAM_INT, "1", 0, 9e18, "of all random draws"),
    {.key = NULL},
};

static const vef_param router_schema[] = {
    {.key = "switching", .kind = VEF_PARAM_CHOICE, .offset = offsetof(router_parameters, switching),
     .fallback = "virtual-cut-through", .choices = switchings, .help = "how packets are forwarded"},
    {.key = "flow_control", .kind = VEF_PARAM_CHOICE,
     .offset = offsetof(router_parameters, flow_control), .fallback = "bubble",
     .choices = flow_controls, .help = "what keeps rings free of deadlock"},
    ROW(router_parameters, queue_packets, VEF_PARAM_INT, "4", 1, VEF_MOST_PLACES,
        "places of a virtual channel's queue, in packets"),
    ROW(router_parameters, injection_queues, VEF_PARAM_INT, "1", 1, VEF_MOST_INPUTS,
        "per endpoint"),
    ROW(router_parameters, injection_queue_packets, VEF_PARAM_INT, "8", 1, VEF_MOST_PLACES,
        "places of an injection queue, in packets"),
    ROW(router_parameters, ejection_ports, VEF_PARAM_INT, "1", 1, VEF_MOST_EJECTION_PORTS,
        "per endpoint"),
    ROW(router_parameters, arbiter, VEF_PARAM_STRING, "random", 0, 0,
        "which of the queues that ask is granted; see below"),
    ROW(router_parameters, iterations, VEF_PARAM_INT, "1", 1, VEF_MOST_ITERATIONS,
        "of the arbiter islip in a cycle"),
    ROW(router_parameters, transit_first, VEF_PARAM_BOOL, "true", 0, 0,
        "in-transit packets before new injections"),
    ROW(router_parameters, virtual_output_queues, VEF_PARAM_BOOL, "false", 0, 0,
        "packets that want different outputs do not wait behind each other"),
    ROW(router_parameters, delay_cycles, VEF_PARAM_INT, "0", 0, VEF_LONGEST_DELAY,
        "cycles from grant to link, beside the link's delay"),
    {.key = "buffer", .kind = VEF_PARAM_SECTION, .help = "what a place is, and room shared out"},
    {.key = NULL},
};

static const vef_param buffer_schema[] = {
    ROW(buffer_parameters, unit_phits, VEF_PARAM_INT, "0", 0, VEF_MOST_PLACES,
        "phits that a place holds; a packet takes as many places as it needs, and gives them back "
        "one by one (0: a place holds a packet of any length)"),
    ROW(buffer_parameters, per_port_phits, VEF_PARAM_INT, "0", 0, UINT32_MAX,
        "room of a link's port, shared out evenly among its queues instead of queue_packets for "
        "each (0: not)"),
    ROW(buffer_parameters, per_router_phits, VEF_PARAM_INT, "0", 0, UINT32_MAX,
        "room of a router, shared out evenly among the queues of its links (0: not)"),
    {.key = NULL},
};

static const vef_param link_schema[] = {
    ROW(link_parameters, bandwidth, VEF_PARAM_BANDWIDTH, "1 Gbit/s", 1, 1e18, "of a link"),
    ROW(link_parameters, phit, VEF_PARAM_BYTES, "4 B", 1, 1 << 20,
        "what a link carries in a cycle"),
    ROW(link_parameters, delay_cycles, VEF_PARAM_INT, "1", 0, VEF_LONGEST_DELAY,
        "cycles that a phit is under way"),
    ROW(link_parameters, credit_delay_cycles, VEF_PARAM_INT, "0", 0, VEF_LONGEST_DELAY,
        "cycles that a credit is under way"),
    {.key = "classes", .kind = VEF_PARAM_SECTION,
     .help = "classes of links with a bandwidth and delays of their own; see below"},
    {.key = NULL},
};

static const vef_param packet_schema[] = {
    ROW(packet_parameters, phits, VEF_PARAM_INT, "16", 1, VEF_MOST_PLACES,
        "of the largest packet"),
    {.key = NULL},
};
/* clang-format on */

typedef struct configuration {
    root_parameters root;
    router_parameters router;
    buffer_parameters buffer;
    link_parameters link;
    packet_parameters packet;
    const vef_arbiter *arbiter;
} configuration;

static vef_code read_arbiter(const vef_node *router, configuration *read, vef_error *error) {
    read->arbiter = vef_arbiter_find(read->router.arbiter);
    if (read->arbiter)
        return VEF_OK;
    const char *names[32];
    size_t count = 0;
    for (; vef_arbiters[count] && count < 32; count++)
        names[count] = vef_arbiters[count]->name;
    vef_fail_unknown(error, "router.arbiter", read->router.arbiter, names, count);
    return vef_node_within(vef_node_get(router, "arbiter"), error);
}

static vef_code read_sections(const vef_node *root, configuration *read, vef_arena *arena,
                              vef_error *error) {
    const vef_node *router = vef_node_get(root, "router");
    vef_code code = vef_config_read(root, "network", root_schema, NULL, &read->root, arena, error);
    if (code == VEF_OK)
        code = vef_config_read(router, "router", router_schema, NULL, &read->router, arena, error);
    if (code == VEF_OK)
        code = read_arbiter(router, read, error);
    if (code == VEF_OK)
        code = vef_config_read(vef_node_get(router, "buffer"), "router.buffer", buffer_schema, NULL,
                               &read->buffer, arena, error);
    if (code == VEF_OK)
        code = vef_config_read(vef_node_get(root, "link"), "link", link_schema, NULL, &read->link,
                               arena, error);
    if (code == VEF_OK)
        code = vef_config_read(vef_node_get(root, "packet"), "packet", packet_schema, NULL,
                               &read->packet, arena, error);
    return code;
}

static vef_router_settings settings_of(const configuration *read) {
    return (vef_router_settings){
        .queue_packets = (uint32_t)read->router.queue_packets,
        .injection_queues = (uint32_t)read->router.injection_queues,
        .injection_queue_packets = (uint32_t)read->router.injection_queue_packets,
        .ejection_ports = (uint32_t)read->router.ejection_ports,
        .arbiter = read->arbiter,
        .iterations = (uint32_t)read->router.iterations,
        .transit_first = read->router.transit_first,
        .virtual_output_queues = read->router.virtual_output_queues,
        .unit_phits = (uint32_t)read->buffer.unit_phits,
        .per_port_phits = (uint32_t)read->buffer.per_port_phits,
        .per_router_phits = (uint32_t)read->buffer.per_router_phits,
        .router_delay_cycles = (uint32_t)read->router.delay_cycles,
        .link_delay_cycles = (uint32_t)read->link.delay_cycles,
        .credit_delay_cycles = (uint32_t)read->link.credit_delay_cycles,
        .packet_phits = (uint32_t)read->packet.phits,
        .phit_bytes = (uint32_t)read->link.phit,
        .bandwidth_bits_per_s = read->link.bandwidth,
        .seed = (uint64_t)read->root.seed,
    };
}

/* `classes` are the topology's, as link.classes says. */
static vef_code build_topology(const vef_node *root, const root_parameters *read,
                               const link_parameters *link, vef_topology **topology,
                               vef_link_class **classes, vef_error *error) {
    const vef_node *node = vef_node_get(root, "topology");
    if (!node)
        return vef_node_fail(root, error,
                             "network: the key topology is missing, such as topology: {family: "
                             "torus, sizes: [8, 8]}");
    vef_code code =
        vef_topology_create(node, (uint32_t)read->endpoints_per_router, topology, error);
    if (code != VEF_OK)
        return code;
    const vef_link_parameters others = {link->bandwidth, link->delay_cycles,
                                        link->credit_delay_cycles};
    code = vef_link_classes_read(vef_node_get(root, "link"), &others, *topology, classes, error);
    if (code != VEF_OK) {
        vef_topology_destroy(*topology);
        *topology = NULL;
    }
    return code;
}

static vef_code build_routing(const vef_node *root, const configuration *read,
                              vef_topology **topology, vef_routing **routing,
                              vef_link_class **classes, vef_error *error) {
    vef_code code = build_topology(root, &read->root, &read->link, topology, classes, error);
    if (code != VEF_OK)
        return code;
    const vef_node *node = vef_node_get(root, "routing");
    code = vef_routing_create(node, *topology, (vef_flow_control)read->router.flow_control, routing,
                              error);
    if (code != VEF_OK) {
        vef_topology_destroy(*topology);
        *topology = NULL;
        if (!node)
            vef_node_within(root, error);
    }
    return code;
}

static vef_code build(const vef_node *root, const configuration *read, vef_netmodel **model,
                      vef_error *error) {
    vef_topology *topology = NULL;
    vef_routing *routing = NULL;
    vef_link_class *classes = NULL;
    vef_code code = build_routing(root, read, &topology, &routing, &classes, error);
    if (code != VEF_OK)
        return code;
    vef_router_settings settings = settings_of(read);
    settings.link_classes = classes;
    vef_network *network = NULL;
    code = vef_network_create(&settings, topology, routing, &network, error);
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
    configuration read = {0};
    vef_code code = read_sections(root, &read, &scratch, error);
    if (code == VEF_OK)
        code = build(root, &read, model, error);
    vef_arena_release(&scratch);
    return code;
}

static vef_code create_topology(const vef_node *root, vef_topology **topology,
                                uint64_t *bandwidth_bits_per_s, vef_error *error) {
    vef_arena scratch = {0};
    root_parameters read = {0};
    link_parameters link = {0};
    vef_link_class *classes;
    vef_code code = vef_config_read(root, "network", root_schema, NULL, &read, &scratch, error);
    if (code == VEF_OK)
        code = vef_config_read(vef_node_get(root, "link"), "link", link_schema, NULL, &link,
                               &scratch, error);
    if (code == VEF_OK)
        code = build_topology(root, &read, &link, topology, &classes, error);
    *bandwidth_bits_per_s = link.bandwidth;
    vef_arena_release(&scratch);
    return code;
}

/* In packets of the largest size. */
static vef_code shortest_queue(const vef_node *router, const configuration *read,
                               const vef_topology *topology, const vef_routing *routing,
                               uint32_t *packets, vef_error *error) {
    const vef_router_settings settings = settings_of(read);
    const vef_buffer_settings buffer = vef_network_buffer_settings(&settings);
    vef_buffers buffers;
    vef_code code = vef_buffers_plan(&buffer, topology, routing, &buffers, error);
    if (code == VEF_OK)
        *packets = buffers.least / buffers.largest_places;
    else
        vef_node_within(router, error);
    return code;
}

static vef_code create_routing(const vef_node *root, vef_topology **topology, vef_routing **routing,
                               uint32_t *queue_packets, vef_error *error) {
    vef_arena scratch = {0};
    configuration read = {0};
    vef_link_class *classes;
    vef_code code = read_sections(root, &read, &scratch, error);
    if (code == VEF_OK)
        code = build_routing(root, &read, topology, routing, &classes, error);
    if (code == VEF_OK)
        code = shortest_queue(vef_node_get(root, "router"), &read, *topology, *routing,
                              queue_packets, error);
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

/* Nothing is set for it; where it is there, and with which routings. */
static void describe_broadcast(FILE *out) {
    fprintf(out, "broadcast in the network, by routers that send copies on, is there on\n");
    for (size_t i = 0; vef_broadcast_rules[i]; i++)
        fprintf(out, "  %s (rule %s)\n", vef_broadcast_rules[i]->summary,
                vef_broadcast_rules[i]->name);
    fprintf(out, "  in the escape channels of");
    const char *separator = " ";
    for (size_t i = 0; vef_routings[i]; i++)
        if (vef_routings[i]->straight) {
            fprintf(out, "%s%s", separator, vef_routings[i]->name);
            separator = ", ";
        }
    fprintf(out, "\n");
}

static void describe(FILE *out) {
    vef_config_describe(out, 0, root_schema);
    for (size_t i = 0; vef_topology_families[i]; i++) {
        const vef_topology_family *family = vef_topology_families[i];
        fprintf(out, "topology: family: %s (%s)\n", family->name, family->summary);
        vef_config_describe(out, 2, family->schema);
        fprintf(out, "  example: {family: %s, %s\n", family->name, family->samples[0] + 1);
    }
    for (size_t i = 0; vef_routings[i]; i++) {
        fprintf(out, "routing: algorithm: %s (%s)\n", vef_routings[i]->name,
                vef_routings[i]->summary);
        vef_config_describe(out, 2, vef_routings[i]->schema);
    }
    describe_broadcast(out);
    fprintf(out, "router:\n");
    vef_config_describe(out, 2, router_schema);
    fprintf(out, "  buffer:\n");
    vef_config_describe(out, 4, buffer_schema);
    for (size_t i = 0; vef_arbiters[i]; i++)
        fprintf(out, "  arbiter: %s (%s)\n", vef_arbiters[i]->name, vef_arbiters[i]->summary);
    fprintf(out, "link:\n");
    vef_config_describe(out, 2, link_schema);
    vef_link_classes_describe(out, 2);
    fprintf(out, "packet:\n");
    vef_config_describe(out, 2, packet_schema);
}

static void write_config(const vef_netmodel *base, FILE *out) {
    const vef_network *network = (const vef_network *)base;
    const vef_router_settings *settings = &network->settings;
    root_parameters root = {"router", network->topology->endpoints_asked, (int64_t)settings->seed};
    router_parameters router = {
        .flow_control = (int)network->routing->flow_control,
        .queue_packets = settings->queue_packets,
        .injection_queues = settings->injection_queues,
        .injection_queue_packets = settings->injection_queue_packets,
        .ejection_ports = settings->ejection_ports,
        .arbiter = settings->arbiter->name,
        .iterations = settings->iterations,
        .transit_first = settings->transit_first,
        .virtual_output_queues = settings->virtual_output_queues,
        .delay_cycles = settings->router_delay_cycles,
    };
    buffer_parameters buffer = {settings->unit_phits, settings->per_port_phits,
                                settings->per_router_phits};
    link_parameters link = {settings->bandwidth_bits_per_s, settings->phit_bytes,
                            settings->link_delay_cycles, settings->credit_delay_cycles};
    packet_parameters packet = {settings->packet_phits};
    vef_config_write(out, 0, root_schema, &root);
    vef_topology_write(network->topology, out, 0);
    vef_routing_write(network->routing, out, 0);
    fprintf(out, "router:\n");
    vef_config_write(out, 2, router_schema, &router);
    fprintf(out, "  buffer:\n");
    vef_config_write(out, 4, buffer_schema, &buffer);
    fprintf(out, "link:\n");
    vef_config_write(out, 2, link_schema, &link);
    vef_link_classes_write(network->topology, settings->link_classes, out);
    fprintf(out, "packet:\n");
    vef_config_write(out, 2, packet_schema, &packet);
}

const vef_netmodel_kind vef_netmodel_router = {
    .name = "router",
    .summary = "input-queued virtual cut-through routers, cycle-accurate",
    .describe = describe,
    .create = create,
    .create_topology = create_topology,
    .create_routing = create_routing,
    .destroy = destroy,
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
