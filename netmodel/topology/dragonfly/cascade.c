/* Cascade: dragonflies whose groups are HyperX networks, such as the Cray XC.
 *
 * Faanes et al.: "Cray Cascade: a Scalable HPC System based on a Dragonfly Network", SC 2012; and
 * Alverson, Froese, Kaplan, Roweth: "Cray XC Series Network", Cray white paper WP-Aries01-1112,
 * 2012. There a group has 16 x 6 routers, completely connected along rows (a chassis, by one link)
 * and columns (six chassis, by three links); here a group may have any sizes and weights. Global
 * links are those of a dragonfly (global_links.c) of as many routers in a group.
 *
 * Symmetries. Rotation of the groups (global_links.h) preserves ports, so that the routers of equal
 * place are equivalent: a class of translations for each place. Without rotation no orbits are
 * claimed. */
#include "netmodel/topology/dragonfly/global_links.h"
#include "netmodel/topology/families.h"
#include "netmodel/topology/hyperx.h"

typedef struct cascade {
    /* ---- parameters ---- */

    vef_int_list sizes, weights;
    uint32_t endpoints_per_router; /* as given here; 0: not given */
    uint32_t h, groups;            /* groups: as given; 0: as many as possible */
    int arrangement;

    /* ---- derived ---- */

    vef_hyperx group;
    uint32_t routers; /* of a group */
    vef_global_links global;
} cascade;

static const vef_param schema[] = {
    {VEF_KEY(INT_LIST, cascade, sizes), .aliases = "s shape dimensions group", .minimum = 2,
     .maximum = VEF_MAX_PORTS + 1,
     .help = "routers along each dimension of a group, dimension 0 first"},
    {VEF_KEY(INT_LIST, cascade, weights), .aliases = "k weight", .fallback = "[]", .minimum = 1,
     .maximum = VEF_MAX_PORTS,
     .help = "parallel links between two routers of a group in each dimension; none: 1"},
    VEF_ENDPOINTS_ROW(cascade, "endpoints of a router"),
    VEF_GLOBAL_LINKS_ROWS(cascade, "router", "routers of a group"),
    {.key = NULL},
};

/* ---- building ---- */

static uint32_t local_ports(const cascade *parameters) {
    return parameters->group.first_port[parameters->group.dimensions];
}

static void join(const cascade *parameters, vef_topology *topology) {
    const uint32_t first = local_ports(parameters);
    for (uint32_t router = 0; router < topology->routers; router++) {
        vef_hyperx_join(&parameters->group, topology, router);
        for (uint32_t k = 0; k < parameters->h; k++) {
            const vef_global_end here = {router / parameters->routers,
                                         router % parameters->routers * parameters->h + k};
            const vef_global_end there = vef_global_links_other(&parameters->global, here);
            vef_topology_join(topology, router, first + k,
                              there.group * parameters->routers + there.index / parameters->h,
                              first + there.index % parameters->h);
        }
    }
}

static vef_code take(cascade *parameters, vef_error *error) {
    vef_code code = vef_hyperx_measure(&parameters->sizes, &parameters->weights, &parameters->group,
                                       &parameters->routers, error);
    if (code == VEF_OK && parameters->group.dimensions == VEF_MAX_DIMENSIONS)
        code = vef_fail(error, VEF_INVALID, "sizes: %d dimensions: out of range: expected 1 to %d",
                        VEF_MAX_DIMENSIONS, VEF_MAX_DIMENSIONS - 1);
    if (code != VEF_OK)
        return code;
    parameters->global =
        (vef_global_links){.groups = parameters->groups,
                           .routers = parameters->routers,
                           .h = parameters->h,
                           .arrangement = (vef_arrangement)parameters->arrangement};
    return vef_global_links_settle(&parameters->global, parameters->routers, "routers of a group",
                                   error);
}

static vef_code build(const void *given, vef_topology *topology, vef_error *error) {
    cascade *parameters = vef_arena_alloc(&topology->arena, 1, sizeof *parameters);
    *parameters = *(const cascade *)given;
    topology->parameters = parameters;
    topology->details = &parameters->group; /* for vef_hyperx_port_name */
    vef_code code = take(parameters, error);
    if (code != VEF_OK)
        return code;
    topology->routers = parameters->routers * parameters->global.groups;
    topology->ports = local_ports(parameters) + parameters->h;
    code = vef_topology_make_ports(topology, error);
    if (code != VEF_OK)
        return code;
    join(parameters, topology);
    topology->dimensions = parameters->group.dimensions + 1;
    for (uint32_t d = 0; d < parameters->group.dimensions; d++)
        topology->sizes[d] = parameters->group.sizes[d];
    topology->sizes[parameters->group.dimensions] = parameters->global.groups;
    topology->link_classes = parameters->group.dimensions + 1;
    if (vef_global_links_rotate(&parameters->global))
        topology->orbits = topology->translation_classes = parameters->routers;
    return VEF_OK;
}

/* ---- names, symmetries ---- */

static void port_name(const vef_topology *topology, uint32_t port, char *text, size_t text_bytes) {
    const uint32_t first = local_ports(topology->parameters);
    if (port >= first)
        snprintf(text, text_bytes, "global %u", port - first);
    else
        vef_hyperx_port_name(topology, port, text, text_bytes);
}

static uint32_t link_class(const vef_topology *topology, uint32_t router, uint32_t port) {
    const cascade *parameters = topology->parameters;
    (void)router;
    return port >= local_ports(parameters) ? parameters->group.dimensions
                                           : vef_hyperx_dimension_of(&parameters->group, port);
}

static void axis_name(const vef_topology *topology, uint32_t axis, char *text, size_t text_bytes) {
    const cascade *parameters = topology->parameters;
    if (axis == parameters->group.dimensions)
        snprintf(text, text_bytes, "global");
    else if (parameters->group.dimensions <= 3)
        snprintf(text, text_bytes, "%c", "xyz"[axis]);
    else
        snprintf(text, text_bytes, "d%u", axis);
}

static uint32_t place(const vef_topology *topology, uint32_t router) {
    return router % ((const cascade *)topology->parameters)->routers;
}

static const char *const samples[] = {
    "{sizes: [4, 2], weights: [1, 3], h: 1, groups: 5}",
    "{sizes: [3, 2], h: 1, arrangement: absolute}",
    "{sizes: [2, 3, 2], weights: [2, 1, 1], h: 2, groups: 4, arrangement: relative}",
    "{sizes: [5], h: 2, groups: 3, arrangement: circulant}",
    NULL,
};

const vef_topology_family vef_topology_cascade = {
    .name = "cascade",
    .aliases = "aries cray-xc xc hyperx-dragonfly",
    .summary = "dragonfly whose groups are HyperX networks, as in the Cray XC",
    VEF_PARAMETERS(schema, cascade),
    .build = build,
    .port_name = port_name,
    .link_class = link_class,
    .link_class_name = axis_name,
    .orbit = place,
    .translation_class = place,
    .axis_name = axis_name,
    .samples = samples,
    .larger = "{sizes: [4, 4], weights: [1, 3], h: 1, groups: 17}",
};
