/* Complete graph: a link between any two routers. A HyperX network of one dimension, named by the
 * number of its routers (hyperx.h): port p leads to the router p + 1 further on, cyclically. */
#include "netmodel/topology/families.h"
#include "netmodel/topology/hyperx.h"

typedef struct parameters {
    int64_t routers;
} parameters;

static const vef_param schema[] = {
    {VEF_KEY(INT, parameters, routers), .aliases = "nodes size n", .minimum = 2,
     .maximum = VEF_MAX_PORTS + 1, .help = "number of routers"},
    {.key = NULL},
};

static vef_code build(const void *given, vef_topology *topology, vef_error *error) {
    int64_t routers = ((const parameters *)given)->routers;
    const vef_int_list sizes = {.count = 1, .values = &routers};
    vef_hyperx *hyperx = vef_arena_alloc(&topology->arena, 1, sizeof *hyperx);
    return vef_hyperx_build(&sizes, NULL, hyperx, topology, error);
}

static void port_name(const vef_topology *topology, uint32_t port, char *text, size_t text_bytes) {
    (void)topology;
    snprintf(text, text_bytes, "+%u", port + 1);
}

static uint32_t port_kind(const vef_topology *topology, uint32_t router, uint32_t port) {
    (void)topology, (void)router, (void)port;
    return 0;
}

const vef_topology_family vef_topology_complete = {
    .name = "complete",
    .aliases = "all-to-all fully-connected full-mesh clique",
    .summary = "complete graph: every router linked with every other",
    VEF_PARAMETERS(schema, parameters),
    .build = build,
    .port_name = port_name,
    .port_kind = port_kind,
    .samples = VEF_LIST("{routers: 16}", "{routers: 2}", "{routers: 3}"),
    .larger = "{routers: 128}",
};
