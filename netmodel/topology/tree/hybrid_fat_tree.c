/* Hybrid fat tree: a tree whose nodes are all routers with endpoints, and each of whose subtrees
 * has two roots.
 *
 * Harwood, Shen: "A Low Cost Hybrid Fat-tree Interconnection Network", PDPTA 1998. The text of that
 * paper was not available; the network is reconstructed from what Zhang, Powell, Deng print for
 * 2^15 routers in Table 1 of "Interlacing Bypass Rings …", and meets all of it: degrees from 2 to
 * 29 and 4 on average, average distance 9.3334, deviation 1.6922, diameter 15, bisection 3.
 *
 * H(1) is a link between routers 0 and 1; the roots are both. H(n) is two copies of H(n - 1),
 * routers from 0 and from 2^(n-1) on, whose first roots are the roots of H(n). They are linked, and
 * each is linked with the second root of the other copy: 3 links, so that there are 2^(n+1) - 3 in
 * all, and a first root has 2 more than in the copy.
 *
 * In other words, router i with k trailing zeros in binary, k < n - 1, is the second root of the
 * subtree of the 2^(k+1) routers around it, and linked with both roots of the next larger subtree:
 * with its own parent, i - 2^k, and with the root of the other half. Routers 0 and 2^(n-1) are
 * linked.
 *
 * Exchanging the two copies that H(n) consists of is a symmetry, which preserves ports. */
#include "netmodel/topology/families.h"

typedef struct parameters {
    int64_t levels;
} parameters;

enum { MOST_LEVELS = 19 };

static const vef_param schema[] = {
    {VEF_KEY(INT, parameters, levels), .aliases = "n bits stages height", .minimum = 2,
     .maximum = MOST_LEVELS, .help = "n: there are 2^n routers"},
    {.key = NULL},
};

/* Ports: to the parent (of 0 and 2^(n-1): each other), to the other root, then a pair for each
 * level of children, in the own half and in the other. */
enum { PARENT, OTHER_ROOT, CHILDREN };

static uint32_t levels_of(const vef_topology *topology) {
    return (uint32_t)((const parameters *)topology->parameters)->levels;
}

static uint32_t level_of(const vef_topology *topology, uint32_t router) {
    return router == 0 ? levels_of(topology) - 1 : (uint32_t)__builtin_ctz(router);
}

static vef_code build(const void *given, vef_topology *topology, vef_error *error) {
    const uint32_t n = (uint32_t)((const parameters *)given)->levels;
    topology->routers = 1u << n;
    topology->ports = 2 * n;
    vef_code code = vef_topology_make_ports(topology, error);
    if (code != VEF_OK)
        return code;
    vef_topology_join(topology, 0, PARENT, 1u << (n - 1), PARENT);
    for (uint32_t router = 1; router < topology->routers; router++) {
        const uint32_t level = level_of(topology, router), half = 2u << level;
        if (level == n - 1)
            continue;
        const uint32_t parent = router - (1u << level), child = CHILDREN + 2 * level;
        vef_topology_join(topology, router, PARENT, parent, child);
        vef_topology_join(topology, router, OTHER_ROOT, parent ^ half, child + 1);
    }
    topology->dimensions = 1;
    topology->sizes[0] = topology->routers;
    topology->link_classes = n;
    topology->orbits = topology->translation_classes = topology->routers / 2;
    return VEF_OK;
}

static uint32_t place_in_half(const vef_topology *topology, uint32_t router) {
    return router % (topology->routers / 2);
}

static void port_name(const vef_topology *topology, uint32_t port, char *text, size_t text_bytes) {
    (void)topology;
    if (port < CHILDREN)
        snprintf(text, text_bytes, "%s", port == PARENT ? "parent" : "other root");
    else
        snprintf(text, text_bytes, "level %u %s", (port - CHILDREN) / 2,
                 port % 2 == 0 ? "child" : "other");
}

/* The level of the lower end. */
static uint32_t link_class(const vef_topology *topology, uint32_t router, uint32_t port) {
    return port < CHILDREN ? level_of(topology, router) : (port - CHILDREN) / 2;
}

static void link_class_name(const vef_topology *topology, uint32_t link_class, char *text,
                            size_t text_bytes) {
    (void)topology;
    snprintf(text, text_bytes, "level %u", link_class);
}

const vef_topology_family vef_topology_hybrid_fat_tree = {
    .name = "hybrid-fat-tree",
    .aliases = "hft",
    .summary = "a tree of routers whose subtrees have two roots",
    VEF_PARAMETERS(schema, parameters),
    .build = build,
    .port_name = port_name,
    .link_class = link_class,
    .link_class_name = link_class_name,
    .orbit = place_in_half,
    .translation_class = place_in_half,
    .samples = VEF_LIST("{levels: 5}", "{levels: 2}", "{levels: 3}", "{levels: 7}"),
    .larger = "{levels: 10}",
};
