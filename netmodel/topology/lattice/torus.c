/* Torus and mesh of any dimensions: the lattice without shifts, with and without wraps; and the
 * hypercube, the mesh of size 2 in every dimension.
 *
 * A hypercube's routers are numbers of `dimensions` bits, linked where they differ in one of them.
 * There are C(n, d) routers at distance d; the diameter is n, the average distance n/2. Zhang,
 * Powell, Deng ("Interlaced Bypass Torus Networks for Next-Generation Supercomputers", Table 2)
 * compare with the one of 15 dimensions. */
#include "netmodel/topology/families.h"
#include "netmodel/topology/lattice/lattice.h"

typedef struct parameters {
    vef_int_list sizes;
} parameters;

static const vef_param schema[] = {
    {VEF_KEY(INT_LIST, parameters, sizes), .aliases = "size nodes routers dims dimensions shape",
     .minimum = 2, .maximum = VEF_MAX_LATTICE_ROUTERS,
     .help = "routers along each dimension, dimension 0 first"},
    {.key = NULL},
};

static vef_code build(const parameters *given, bool wraps, vef_topology *topology,
                      vef_error *error) {
    vef_lattice lattice = {0};
    vef_code code = vef_lattice_take_sizes(&lattice, &given->sizes, error);
    if (code != VEF_OK)
        return code;
    for (uint32_t d = 0; d < lattice.dimensions; d++)
        lattice.wraps[d] = wraps;
    vef_lattice_unit_generators(&lattice);
    return vef_lattice_build(&lattice, topology, error);
}

static vef_code build_torus(const void *given, vef_topology *topology, vef_error *error) {
    return build(given, true, topology, error);
}

static vef_code build_mesh(const void *given, vef_topology *topology, vef_error *error) {
    return build(given, false, topology, error);
}

static const char *const samples[] = {
    "{sizes: [8, 3]}",       "{sizes: [2, 2]}",
    "{sizes: [4, 4]}",       "{sizes: [5]}",
    "{sizes: [4, 3, 2]}",    "{sizes: [3, 4, 5]}",
    "{sizes: [2, 3, 2, 2]}", "{sizes: [7, 5]}",
    "{sizes: [3, 3, 3]}",    NULL,
};

const vef_topology_family vef_topology_torus = {
    .name = "torus",
    .aliases = "ring cycle torus2d torus3d 2d-torus 3d-torus k-ary-n-cube kary-ncube",
    .summary = "torus of any number of dimensions",
    VEF_PARAMETERS(schema, parameters),
    .build = build_torus,
    .samples = samples,
    .larger = "{sizes: [6, 6, 6]}",
    VEF_LATTICE_HOOKS,
};

const vef_topology_family vef_topology_mesh = {
    .name = "mesh",
    .aliases = "grid line array 2d-mesh 3d-mesh mesh2d mesh3d",
    .summary = "mesh of any number of dimensions: a torus without its wraps",
    VEF_PARAMETERS(schema, parameters),
    .build = build_mesh,
    .samples = samples,
    .larger = "{sizes: [12, 12]}",
    VEF_LATTICE_HOOKS,
};

/* ---- hypercube ---- */

typedef struct cube_parameters {
    int64_t dimensions;
} cube_parameters;

static const vef_param cube_schema[] = {
    {VEF_KEY(INT, cube_parameters, dimensions), .aliases = "nodes size n dim", .minimum = 1,
     .maximum = VEF_MAX_DIMENSIONS, .help = "links of a router; there are 2^dimensions routers"},
    {.key = NULL},
};

static vef_code build_cube(const void *given, vef_topology *topology, vef_error *error) {
    vef_lattice lattice = {.dimensions = (uint32_t)((const cube_parameters *)given)->dimensions};
    for (uint32_t d = 0; d < lattice.dimensions; d++)
        lattice.sizes[d] = 2;
    vef_lattice_unit_generators(&lattice);
    return vef_lattice_build(&lattice, topology, error);
}

const vef_topology_family vef_topology_hypercube = {
    .name = "hypercube",
    .aliases = "cube n-cube binary-n-cube",
    .summary = "hypercube, a mesh of size 2 in every dimension",
    VEF_PARAMETERS(cube_schema, cube_parameters),
    .build = build_cube,
    .samples = VEF_LIST("{dimensions: 5}", "{dimensions: 1}", "{dimensions: 2}", "{dimensions: 7}"),
    .larger = "{dimensions: 8}",
    VEF_LATTICE_HOOKS,
};
