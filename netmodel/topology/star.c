/* Star: a single switch (a crossbar) with all endpoints, and no links between routers.
 *
 * Every message passes the one switch, at distance 0. What limits it are the links of the endpoints
 * and the queues at the inputs: with one queue each, the head of the line blocks what could go on
 * (Karol, Hluchyj and Morgan, "Input Versus Output Queueing on a Space-Division Packet Switch",
 * IEEE Trans. Communications 1987). */
#include "netmodel/topology/families.h"

typedef struct parameters {
    int64_t endpoints;
} parameters;

static const vef_param schema[] = {
    {VEF_KEY(INT, parameters, endpoints), .aliases = "ports hosts nodes n size leaves terminals",
     .minimum = 2, .maximum = VEF_MAX_ENDPOINTS_PER_ROUTER,
     .help = "ports of the switch, each with endpoints_per_router endpoints"},
    {.key = NULL},
};

static vef_code build(const void *given, vef_topology *topology, vef_error *error) {
    const uint32_t places = (uint32_t)((const parameters *)given)->endpoints;
    if (topology->endpoints_asked > VEF_MAX_ENDPOINTS_PER_ROUTER / places)
        return vef_fail(error, VEF_INVALID,
                        "endpoints_per_router: %u at each of %u ports: out of range: expected 1 to "
                        "%u",
                        topology->endpoints_asked, places, VEF_MAX_ENDPOINTS_PER_ROUTER / places);
    topology->routers = 1;
    topology->ports = 1; /* unconnected */
    topology->orbits = 1;
    topology->translation_classes = 1;
    topology->endpoints = topology->endpoints_per_router = places * topology->endpoints_asked;
    topology->endpoint_router = vef_arena_alloc(&topology->arena, topology->endpoints,
                                                sizeof *topology->endpoint_router); /* router 0 */
    return vef_topology_make_ports(topology, error);
}

const vef_topology_family vef_topology_star = {
    .name = "star",
    .aliases = "switch single-switch crossbar hub",
    .summary = "a single switch with all endpoints",
    VEF_PARAMETERS(schema, parameters),
    .build = build,
    .samples = VEF_LIST("{endpoints: 16}", "{endpoints: 2}"),
};
