/* Barrel shifter: 2^b routers in a ring, each with links to those 1, 2, 4, … 2^(b-1) away both
 * ways.
 *
 * Compared with in Zhang, Powell, Deng: "Interlacing Bypass Rings to Torus Networks for More
 * Efficient Networks", Table 1 (after Chaki et al., LCN 2003). The two links to the router 2^(b-1)
 * away are one: 2b - 1 links. A circulant graph, so vertex-symmetric, and its mirror image
 * exchanges + and -. The ring cut in halves crosses 3 * 2^(b-1) - 2 links.
 *
 * The distance is the least number of powers of two, with signs, that add up to the difference
 * modulo 2^b. For an integer the non-adjacent form has the fewest (Reitwiesner, "Binary
 * Arithmetic", Advances in Computers 1, 1960); its digits other than 0 are where x and 3x differ.
 * Digits from 2^b on can be left out, and what is left is less than 2^b either way, so the
 * difference x and x - 2^b are the only integers to look at. */
#include "netmodel/topology/families.h"

typedef struct parameters {
    int64_t bits;
} parameters;

static const vef_param schema[] = {
    {VEF_KEY(INT, parameters, bits), .minimum = 1, .maximum = 24,
     .help = "b: there are 2^b routers"},
    {.key = NULL},
};

static uint32_t signed_bits(uint32_t number) {
    uint64_t x = number;
    return (uint32_t)__builtin_popcountll(x ^ 3 * x);
}

static uint32_t distance(const vef_topology *topology, uint32_t from, uint32_t to) {
    const uint32_t difference = (to - from) & (topology->routers - 1);
    const uint32_t forth = signed_bits(difference);
    const uint32_t back = signed_bits(topology->routers - difference);
    return difference == 0 ? 0 : forth < back ? forth : back;
}

static vef_code build(const void *given, vef_topology *topology, vef_error *error) {
    const uint32_t bits = (uint32_t)((const parameters *)given)->bits;
    topology->routers = 1u << bits;
    topology->ports = 2 * bits - 1;
    vef_code code = vef_topology_make_ports(topology, error);
    if (code != VEF_OK)
        return code;
    for (uint32_t router = 0; router < topology->routers; router++)
        for (uint32_t i = 0; i < bits; i++)
            vef_topology_join(topology, router, 2 * i,
                              (router + (1u << i)) & (topology->routers - 1),
                              i == bits - 1 ? 2 * i : 2 * i + 1);
    topology->dimensions = 1;
    topology->sizes[0] = topology->routers;
    topology->link_classes = bits;
    topology->orbits = topology->translation_classes = 1;
    topology->distance = distance;
    return VEF_OK;
}

static void port_name(const vef_topology *topology, uint32_t port, char *text, size_t text_bytes) {
    const char *sign = port + 1 == topology->ports ? "+-" : port % 2 == 0 ? "+" : "-";
    snprintf(text, text_bytes, "%s%u", sign, 1u << port / 2);
}

static uint32_t link_class(const vef_topology *topology, uint32_t router, uint32_t port) {
    (void)topology, (void)router;
    return port / 2;
}

static void link_class_name(const vef_topology *topology, uint32_t link_class, char *text,
                            size_t text_bytes) {
    (void)topology;
    snprintf(text, text_bytes, "step %u", 1u << link_class);
}

const vef_topology_family vef_topology_barrel_shifter = {
    .name = "barrel-shifter",
    .summary = "2^b routers in a ring, each linked with those at distances 1, 2, 4, ...",
    VEF_PARAMETERS(schema, parameters),
    .build = build,
    .port_name = port_name,
    .link_class = link_class,
    .link_class_name = link_class_name,
    .port_kind = link_class,
    .samples = VEF_LIST("{bits: 5}", "{bits: 1}", "{bits: 2}", "{bits: 3}", "{bits: 8}"),
    .larger = "{bits: 8}",
};
