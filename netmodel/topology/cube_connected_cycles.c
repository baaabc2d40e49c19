/* Cube-connected cycles: a hypercube with each corner replaced by a ring of n routers, one for each
 * dimension of the cube.
 *
 * Preparata, Vuillemin: "The Cube-Connected Cycles: A Versatile Network for Parallel Computation",
 * Commun. ACM 24(5), 1981. Router p of the ring at corner w has links to p + 1 and p - 1 of its
 * ring, and to router p of the corner that differs from w in bit p. Routers: n 2^n.
 *
 * It is the Cayley graph of the wreath product of Z_2 by Z_n with three generators: vertex-
 * symmetric. Turning the positions round (p to -p, and bits likewise) exchanges the two ring links,
 * so there are two kinds of ports. A cut across a bit of the corner takes the 2^(n-1) links of that
 * dimension of the cube. */
#include "netmodel/topology/families.h"

enum { RING_UP, RING_DOWN, CUBE, PORTS };

typedef struct parameters {
    int64_t dimensions;
} parameters;

static const vef_param schema[] = {
    {VEF_KEY(INT, parameters, dimensions),
     .minimum = 3, /* in a ring of two, both ring links would lead to the same router */
     .maximum = 19,
     .help = "n: dimensions of the cube and routers of each ring; there are n 2^n routers"},
    {.key = NULL},
};

static vef_code build(const void *given, vef_topology *topology, vef_error *error) {
    const uint32_t n = (uint32_t)((const parameters *)given)->dimensions;
    topology->routers = n << n;
    topology->ports = PORTS;
    vef_code code = vef_topology_make_ports(topology, error);
    if (code != VEF_OK)
        return code;
    for (uint32_t router = 0; router < topology->routers; router++) {
        const uint32_t corner = router / n, place = router % n;
        vef_topology_join(topology, router, RING_UP, corner * n + (place + 1) % n, RING_DOWN);
        vef_topology_join(topology, router, CUBE, (corner ^ 1u << place) * n + place, CUBE);
    }
    topology->dimensions = 2;
    topology->sizes[0] = n;
    topology->sizes[1] = 1u << n;
    topology->axes = n;
    topology->link_classes = 2;
    topology->orbits = topology->translation_classes = 1;
    return VEF_OK;
}

static void port_name(const vef_topology *topology, uint32_t port, char *text, size_t text_bytes) {
    (void)topology;
    static const char *const names[PORTS] = {"ring+", "ring-", "cube"};
    snprintf(text, text_bytes, "%s", names[port]);
}

static uint32_t port_kind(const vef_topology *topology, uint32_t router, uint32_t port) {
    (void)topology, (void)router;
    return port == CUBE;
}

static void link_class_name(const vef_topology *topology, uint32_t link_class, char *text,
                            size_t text_bytes) {
    (void)topology;
    snprintf(text, text_bytes, "%s", link_class == 0 ? "ring" : "cube");
}

static bool far_side(const vef_topology *topology, uint32_t axis, uint32_t router) {
    return router / topology->sizes[0] >> axis & 1;
}

/* Dimensions of the cube; the dimension of the rings is excluded. */
static void axis_name(const vef_topology *topology, uint32_t axis, char *text, size_t text_bytes) {
    (void)topology;
    snprintf(text, text_bytes, "cube d%u", axis);
}

const vef_topology_family vef_topology_cube_connected_cycles = {
    .name = "cube-connected-cycles",
    .aliases = "ccc",
    .summary = "a hypercube with a ring of routers at each corner",
    VEF_PARAMETERS(schema, parameters),
    .build = build,
    .port_name = port_name,
    .link_class = port_kind,
    .link_class_name = link_class_name,
    .port_kind = port_kind,
    .far_side = far_side,
    .axis_name = axis_name,
    .samples = VEF_LIST("{dimensions: 3}", "{dimensions: 4}", "{dimensions: 5}"),
    .larger = "{dimensions: 6}",
};
