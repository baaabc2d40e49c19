/* HyperX: routers in a grid of any sizes, completely connected along each dimension.
 *
 * Ahn, Binkert, Davis, McLaren, Schreiber: "HyperX: Topology, Routing, and Packaging of Efficient
 * Large-Scale Networks", SC 2009, section 2: S_d routers and K_d parallel links between two of them
 * in dimension d, T endpoints at each. Equal sizes of T and single links make a flattened butterfly
 * (Kim, Dally, Abts, ISCA 2007), one dimension a full mesh, sizes of 2 a hypercube. Also known as
 * Hamming graphs.
 *
 * The distance is the number of coordinates that differ.
 *
 * Symmetries. Adding a vector to all coordinates preserves ports, which are offsets: one class of
 * translations. Negating a coordinate is a reflection. Any permutation of the values of a
 * coordinate is a symmetry, and so is one of parallel links, and the exchange of dimensions of
 * equal size and weight: the links of such dimensions are of one kind. */
#include "netmodel/topology/hyperx.h"
#include "netmodel/topology/families.h"

static const vef_param schema[] = {
    {VEF_KEY_AS("sizes", INT_LIST, vef_hyperx, sizes_given),
     .aliases = "s size nodes routers dims dimensions shape widths", .minimum = 2,
     .maximum = VEF_MAX_PORTS + 1, .help = "routers along each dimension (S), dimension 0 first"},
    {VEF_KEY_AS("weights", INT_LIST, vef_hyperx, weights_given), .aliases = "k weight",
     .fallback = "[]", .minimum = 1, .maximum = VEF_MAX_PORTS,
     .help = "parallel links between two routers in each dimension (K); none: 1"},
    VEF_ENDPOINTS_ROW(vef_hyperx, "endpoints of a router (T)"),
    {.key = NULL},
};

/* ---- building ---- */

vef_code vef_hyperx_measure(const vef_int_list *sizes, const vef_int_list *weights,
                            vef_hyperx *hyperx, uint32_t *routers, vef_error *error) {
    if (sizes->count < 1 || sizes->count > VEF_MAX_DIMENSIONS)
        return vef_fail(error, VEF_INVALID, "sizes: %zu dimensions: out of range: expected 1 to %d",
                        sizes->count, VEF_MAX_DIMENSIONS);
    if (weights && weights->count != 0 && weights->count != sizes->count)
        return vef_fail(error, VEF_INVALID,
                        "weights: %zu numbers for %zu dimensions: expected one for each, or none",
                        weights->count, sizes->count);
    uint64_t product = 1, ports = 0;
    hyperx->dimensions = (uint32_t)sizes->count;
    for (uint32_t d = 0; d < hyperx->dimensions; d++) {
        hyperx->sizes[d] = (uint32_t)sizes->values[d];
        hyperx->weights[d] = weights && weights->count != 0 ? (uint32_t)weights->values[d] : 1;
        hyperx->strides[d] = (uint32_t)product;
        product *= hyperx->sizes[d];
        ports += (uint64_t)(hyperx->sizes[d] - 1) * hyperx->weights[d];
        if (product > VEF_MAX_ROUTERS)
            return vef_fail(error, VEF_INVALID,
                            "sizes: more than %d routers: expected fewer or smaller sizes",
                            VEF_MAX_ROUTERS);
        if (ports > VEF_MAX_PORTS)
            return vef_fail(error, VEF_INVALID,
                            "sizes, weights: a router with more than %d links: expected smaller "
                            "sizes or weights",
                            VEF_MAX_PORTS);
        hyperx->first_port[d + 1] = (uint32_t)ports;
    }
    *routers = (uint32_t)product;
    return VEF_OK;
}

static uint32_t distance(const vef_topology *topology, uint32_t from, uint32_t to) {
    uint32_t hops = 0;
    for (uint32_t d = 0; d < topology->dimensions; d++) {
        hops += from % topology->sizes[d] != to % topology->sizes[d];
        from /= topology->sizes[d];
        to /= topology->sizes[d];
    }
    return hops;
}

/* Fills in the ports of a router in one dimension. */
static void join_along(const vef_hyperx *hyperx, vef_topology *topology, uint32_t router,
                       uint32_t d) {
    const uint32_t size = hyperx->sizes[d], stride = hyperx->strides[d];
    const uint32_t coordinate = vef_hyperx_coordinate(hyperx, router, d);
    for (uint32_t offset = 1; offset < size; offset++) {
        const uint32_t other =
            router + offset * stride - (coordinate + offset < size ? 0 : size * stride);
        for (uint32_t link = 0; link < hyperx->weights[d]; link++)
            vef_topology_join(topology, router, vef_hyperx_port(hyperx, d, offset, link), other,
                              vef_hyperx_port(hyperx, d, size - offset, link));
    }
}

void vef_hyperx_join(const vef_hyperx *hyperx, vef_topology *topology, uint32_t router) {
    for (uint32_t d = 0; d < hyperx->dimensions; d++)
        join_along(hyperx, topology, router, d);
}

vef_code vef_hyperx_build(const vef_int_list *sizes, const vef_int_list *weights,
                          vef_hyperx *hyperx, vef_topology *topology, vef_error *error) {
    vef_code code = vef_hyperx_measure(sizes, weights, hyperx, &topology->routers, error);
    if (code != VEF_OK)
        return code;
    topology->details = hyperx;
    topology->ports = hyperx->first_port[hyperx->dimensions];
    topology->dimensions = hyperx->dimensions;
    for (uint32_t d = 0; d < hyperx->dimensions; d++)
        topology->sizes[d] = hyperx->sizes[d];
    code = vef_topology_make_ports(topology, error);
    if (code != VEF_OK)
        return code;
    for (uint32_t router = 0; router < topology->routers; router++)
        vef_hyperx_join(hyperx, topology, router);
    topology->orbits = topology->translation_classes = 1;
    topology->distance = distance;
    return VEF_OK;
}

static vef_code build(const void *given, vef_topology *topology, vef_error *error) {
    vef_hyperx *hyperx = vef_arena_alloc(&topology->arena, 1, sizeof *hyperx);
    *hyperx = *(const vef_hyperx *)given;
    topology->reflections = topology->link_classes = (uint32_t)hyperx->sizes_given.count;
    return vef_hyperx_build(&hyperx->sizes_given, &hyperx->weights_given, hyperx, topology, error);
}

/* ---- names, symmetries ---- */

void vef_hyperx_port_name(const vef_topology *topology, uint32_t port, char *text,
                          size_t text_bytes) {
    const vef_hyperx *hyperx = topology->details;
    const uint32_t d = vef_hyperx_dimension_of(hyperx, port);
    char name[VEF_AXIS_NAME_BYTES];
    vef_topology_axis_name(topology, d, name, sizeof name);
    snprintf(text, text_bytes, "%s+%u", name, vef_hyperx_offset_of(hyperx, port));
    if (hyperx->weights[d] > 1)
        vef_append(text, text_bytes, " link %u",
                   (port - hyperx->first_port[d]) % hyperx->weights[d]);
}

static uint32_t link_class(const vef_topology *topology, uint32_t router, uint32_t port) {
    (void)router;
    return vef_hyperx_dimension_of(topology->details, port);
}

/* The first dimension of equal size and weight. */
static uint32_t port_kind(const vef_topology *topology, uint32_t router, uint32_t port) {
    const vef_hyperx *hyperx = topology->details;
    const uint32_t d = vef_hyperx_dimension_of(hyperx, port);
    uint32_t first = 0;
    (void)router;
    while (hyperx->sizes[first] != hyperx->sizes[d] || hyperx->weights[first] != hyperx->weights[d])
        first++;
    return first;
}

static uint32_t reflect(const vef_topology *topology, uint32_t which, uint32_t router) {
    const vef_hyperx *hyperx = topology->details;
    const uint32_t coordinate = vef_hyperx_coordinate(hyperx, router, which);
    const uint32_t image = coordinate == 0 ? 0 : hyperx->sizes[which] - coordinate;
    return router + (image - coordinate) * hyperx->strides[which]; /* modulo 2^32 */
}

static uint32_t reflect_port(const vef_topology *topology, uint32_t which, uint32_t port) {
    const vef_hyperx *hyperx = topology->details;
    const uint32_t d = vef_hyperx_dimension_of(hyperx, port);
    if (d != which)
        return port;
    const uint32_t link = (port - hyperx->first_port[d]) % hyperx->weights[d];
    return vef_hyperx_port(hyperx, d, hyperx->sizes[d] - vef_hyperx_offset_of(hyperx, port), link);
}

static const char *const samples[] = {
    "{sizes: [4, 4]}",
    "{sizes: [3, 4, 2]}",
    "{sizes: [5, 3], weights: [1, 2]}",
    "{sizes: [3, 3], weights: [2, 2]}",
    "{sizes: [2, 2, 3, 2]}",
    NULL,
};

const vef_topology_family vef_topology_hyperx = {
    .name = "hyperx",
    .aliases = "flattened-butterfly hamming generalized-hypercube",
    .summary = "HyperX: complete graphs along each dimension of a grid; flattened butterflies",
    VEF_PARAMETERS(schema, vef_hyperx),
    .build = build,
    .port_name = vef_hyperx_port_name,
    .link_class = link_class,
    .link_class_name = vef_topology_axis_name,
    .port_kind = port_kind,
    .reflect = reflect,
    .reflect_port = reflect_port,
    .samples = samples,
    .larger = "{sizes: [6, 6, 6]}",
};
