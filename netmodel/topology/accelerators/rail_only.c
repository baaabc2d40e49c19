/* Rail-only networks: domains of accelerators, and a rail for the accelerators of each number.
 *
 * Wang, Ghobadi, Shakeri, Zhang, Hasani: "Rail-only: A Low-Cost High-Performance Network for
 * Training LLMs with Trillion Parameters", arXiv 2307.12169, 2023, section III: a domain of K
 * accelerators with a fast network of its own; accelerator i of every domain is on rail i, one
 * switch or a tree of full bandwidth, and no switch joins two rails. Between accelerators of
 * different numbers a message crosses the domain of its source or of its destination.
 *
 * These are K planes (planes.c) whose nodes are the switches of domains, with K endpoints each.
 *
 * Closed forms, for N = K D accelerators and switches of k ports: with one switch a rail (D <= k) K
 * switches and N cables; with leaves and spines 3 N / k switches and 2 N cables. A transceiver is
 * at either end of a cable. A Clos network of full bandwidth for N accelerators has 3 N / k
 * switches and 2 N cables with two levels (N <= k^2 / 2), 5 N / k and 3 N with three (N <= k^3 /
 * 4). */
#include "netmodel/topology/accelerators/planes.h"
#include "netmodel/topology/families.h"

typedef struct parameters {
    int64_t rails, domains;
    uint32_t leaf_domains, spines;
} parameters;

static const vef_param schema[] = {
    {VEF_KEY(INT, parameters, rails), .aliases = "k domain accelerators gpus", .minimum = 2,
     .maximum = VEF_MAX_PORTS,
     .help = "accelerators of a domain, each with endpoints_per_router endpoints (K)"},
    {VEF_KEY(INT, parameters, domains), .aliases = "d nodes", .minimum = 2,
     .maximum = VEF_MAX_ENDPOINTS_PER_ROUTER, .help = "domains (D)"},
    {VEF_KEY(COUNT, parameters, leaf_domains), .fallback = "auto", .word = "auto", .minimum = 1,
     .maximum = VEF_MAX_PORTS,
     .help = "domains on a leaf switch of a rail; auto: all, on one switch without spines"},
    {VEF_KEY(COUNT, parameters, spines), .fallback = "1", .minimum = 1, .maximum = VEF_MAX_PORTS,
     .help =
         "spine switches of a rail with leaves: a divisor of leaf_domains, for as many links up "
         "as to domains"},
    {.key = NULL},
};

/* The network of a rail. */
static vef_code write_rail(const parameters *keys, char *text, size_t text_bytes,
                           vef_error *error) {
    const uint32_t domains = (uint32_t)keys->domains, leaf = keys->leaf_domains;
    if (leaf == 0 || leaf >= domains) {
        snprintf(text, text_bytes, "{family: star, endpoints: %u}", domains);
        return VEF_OK;
    }
    if (domains % leaf != 0 || leaf % keys->spines != 0)
        return vef_fail(error, VEF_INVALID,
                        "leaf_domains: %u, spines: %u, of %u domains: expected a divisor of the "
                        "domains, and a divisor of that",
                        leaf, keys->spines, domains);
    snprintf(text, text_bytes, "{family: xgft, m: [%u, %u], w: [1, %u], links: [1, %u]}", leaf,
             domains / leaf, keys->spines, leaf / keys->spines);
    return VEF_OK;
}

static vef_code build(const void *given, vef_topology *topology, vef_error *error) {
    const parameters *keys = given;
    const uint32_t rails = (uint32_t)keys->rails;
    vef_planes *planes = vef_arena_alloc(&topology->arena, 1, sizeof *planes);
    vef_node *rail = NULL;
    char text[128];
    *planes = (vef_planes){.count = rails,
                           .nics = 1,
                           .accelerators = rails,
                           .routers_each = 1,
                           .endpoints_each = topology->endpoints_asked,
                           .names = {"domain", "rail"}};
    if (topology->endpoints_asked > VEF_MAX_ENDPOINTS_PER_ROUTER / rails)
        return vef_fail(error, VEF_INVALID,
                        "endpoints_per_router: %u at each of %u accelerators: out of range: "
                        "expected 1 to %u",
                        topology->endpoints_asked, rails, VEF_MAX_ENDPOINTS_PER_ROUTER / rails);
    vef_code code = write_rail(keys, text, sizeof text, error);
    if (code == VEF_OK)
        code = vef_config_parse(text, "rail", &topology->arena, &rail, error);
    if (code == VEF_OK)
        code = vef_topology_create(rail, 1, &topology->part, error);
    return code == VEF_OK ? vef_planes_build(topology, planes, error) : code;
}

const vef_topology_family vef_topology_rail_only = {
    .name = "rail-only",
    .aliases = "rails rail-optimized",
    .summary = "domains of accelerators, and a switch or tree for the accelerators of each number",
    VEF_PARAMETERS(schema, parameters),
    .build = build,
    VEF_PLANES_FUNCTIONS,
    .samples = VEF_LIST("{rails: 4, domains: 8}", "{rails: 3, domains: 8, leaf_domains: 2}",
                        "{rails: 2, domains: 12, leaf_domains: 4, spines: 2}"),
    .larger = "{rails: 8, domains: 64, leaf_domains: 16, spines: 4}",
};
