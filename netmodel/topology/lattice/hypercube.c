/* Hypercube: routers are numbers of `dimensions` bits, linked where they differ in one of them.
 *
 * It is the mesh of size 2 in every dimension: one link per dimension, so the lattice's records and
 * routings serve it. There are C(n, d) routers at distance d; the diameter is n, the average
 * distance n/2. Zhang, Powell, Deng ("Interlaced Bypass Torus Networks for Next-Generation
 * Supercomputers", Table 2) compare with the one of 15 dimensions. */
#include "netmodel/topology/families.h"
#include "netmodel/topology/lattice/lattice.h"

typedef struct parameters {
    int64_t dimensions;
} parameters;

static const vef_param schema[] = {
    {VEF_KEY(INT, parameters, dimensions), .aliases = "nodes size n dim", .minimum = 1,
     .maximum = VEF_MAX_DIMENSIONS, .help = "links of a router; there are 2^dimensions routers"},
    {.key = NULL},
};

static vef_code build(const void *parameters_given, vef_topology *topology, vef_error *error) {
    const parameters *given = parameters_given;
    vef_lattice lattice = {.dimensions = (uint32_t)given->dimensions};
    for (uint32_t d = 0; d < lattice.dimensions; d++)
        lattice.sizes[d] = 2;
    vef_lattice_unit_generators(&lattice);
    return vef_lattice_build(&lattice, topology, error);
}

static const char *const samples[] = {"{dimensions: 5}", "{dimensions: 1}", "{dimensions: 2}",
                                      "{dimensions: 7}", NULL};

const vef_topology_family vef_topology_hypercube = {
    .name = "hypercube",
    .aliases = "cube n-cube binary-n-cube",
    .summary = "hypercube, a mesh of size 2 in every dimension",
    .schema = schema,
    .parameter_bytes = sizeof(parameters),
    .build = build,
    .samples = samples,
    .larger = "{dimensions: 8}",
    VEF_LATTICE_HOOKS,
};
