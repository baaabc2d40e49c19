/* Complete graph: a link between any two routers.
 *
 * Port p leads to the router p + 1 further on, cyclically. Any permutation of the routers is a
 * symmetry, so all ports are of one kind; any two halves are joined by as many links. */
#include "netmodel/topology/families.h"

typedef struct parameters {
    int64_t routers;
} parameters;

static const vef_param schema[] = {
    {VEF_KEY(INT, parameters, routers), .aliases = "nodes size n", .minimum = 2,
     .maximum = VEF_MAX_PORTS + 1, .help = "number of routers"},
    {.key = NULL},
};

static uint32_t distance(const vef_topology *topology, uint32_t from, uint32_t to) {
    (void)topology;
    return from != to;
}

static vef_code build(const void *given, vef_topology *topology, vef_error *error) {
    const uint32_t routers = (uint32_t)((const parameters *)given)->routers;
    topology->routers = routers;
    topology->ports = routers - 1;
    vef_code code = vef_topology_make_ports(topology, error);
    if (code != VEF_OK)
        return code;
    for (uint32_t router = 0; router < routers; router++)
        for (uint32_t port = 0; port < topology->ports; port++)
            vef_topology_join(topology, router, port, (router + port + 1) % routers,
                              topology->ports - 1 - port);
    topology->dimensions = 1;
    topology->sizes[0] = routers;
    topology->orbits = topology->translation_classes = 1;
    topology->distance = distance;
    return VEF_OK;
}

static void port_name(const vef_topology *topology, uint32_t port, char *text, size_t text_bytes) {
    (void)topology;
    snprintf(text, text_bytes, "+%u", port + 1);
}

static uint32_t port_kind(const vef_topology *topology, uint32_t router, uint32_t port) {
    (void)topology;
    (void)router;
    (void)port;
    return 0;
}

static const char *const samples[] = {"{routers: 16}", "{routers: 2}", "{routers: 3}", NULL};

const vef_topology_family vef_topology_complete = {
    .name = "complete",
    .aliases = "all-to-all fully-connected full-mesh clique",
    .summary = "complete graph: every router linked with every other",
    .schema = schema,
    .parameter_bytes = sizeof(parameters),
    .build = build,
    .port_name = port_name,
    .port_kind = port_kind,
    .samples = samples,
};
