/* Diagonal and king networks: meshes and tori of two dimensions with one or both kinds of diagonal
 * links.
 *
 * Stafford, Bosque, Martinez, Vallejo, Beivide, Camarero, Castillo: "Assessing the Suitability of
 * King Topologies for Interconnection Networks", section 2, definitions 1 and 2. There the sides
 * are equal; here they need not be. With s of them: a diagonal torus has an average distance of
 * about 7s/18, a king torus one of about s/3 and a diameter of floor(s/2), with 8d routers at
 * distance d when s is odd; a king mesh has the distance max(|dx|, |dy|) and so a diameter of
 * s - 1 (Table 1 there prints s). */
#include "netmodel/topology/families.h"
#include "netmodel/topology/lattice/lattice.h"

typedef struct parameters {
    vef_int_list sizes;
    int diagonal; /* of diagonal networks only */
} parameters;

enum { NORTH_EAST, NORTH_WEST };
/* clang-format off */
#define SIZES                                                                                      \
    {VEF_KEY(INT_LIST, parameters, sizes),                                                                               \
     \
     \
     .minimum = 2,                                                                                 \
     .maximum = VEF_MAX_LATTICE_ROUTERS,                                                           \
     .help = "routers along x and along y"}
/* clang-format on */

static const vef_param diagonal_schema[] = {
    SIZES,
    {VEF_KEY(CHOICE, parameters, diagonal), .fallback = "north-east",
     .choices = VEF_LIST("north-east", "north-west"),
     .help = "direction of the diagonal link: to (x + 1, y + 1) or to (x - 1, y + 1)"},
    {.key = NULL},
};

static const vef_param king_schema[] = {SIZES, {.key = NULL}};

static vef_code build(const parameters *given, bool wraps, bool north_east, bool north_west,
                      vef_topology *topology, vef_error *error) {
    vef_lattice lattice = {.wraps = {wraps, wraps}};
    vef_code code = vef_lattice_take_two_sizes(&lattice, &given->sizes, error);
    if (code != VEF_OK)
        return code;
    vef_lattice_unit_generators(&lattice);
    for (int east = 1; east >= -1; east -= 2)
        if (east > 0 ? north_east : north_west) {
            lattice.generator[lattice.generators][0] = east;
            lattice.generator[lattice.generators++][1] = 1;
        }
    return vef_lattice_build(&lattice, topology, error);
}

static vef_code build_diagonal_mesh(const void *parameters_given, vef_topology *topology,
                                    vef_error *error) {
    const parameters *given = parameters_given;
    return build(given, false, given->diagonal == NORTH_EAST, given->diagonal == NORTH_WEST,
                 topology, error);
}

static vef_code build_diagonal_torus(const void *parameters_given, vef_topology *topology,
                                     vef_error *error) {
    const parameters *given = parameters_given;
    return build(given, true, given->diagonal == NORTH_EAST, given->diagonal == NORTH_WEST,
                 topology, error);
}

static vef_code build_king_mesh(const void *given, vef_topology *topology, vef_error *error) {
    return build(given, false, true, true, topology, error);
}

static vef_code build_king_torus(const void *given, vef_topology *topology, vef_error *error) {
    return build(given, true, true, true, topology, error);
}

static const char *const diagonal_samples[] = {
    "{sizes: [5, 5]}",
    "{sizes: [2, 2]}",
    "{sizes: [4, 4], diagonal: north-west}",
    "{sizes: [6, 3]}",
    "{sizes: [2, 5], diagonal: north-west}",
    NULL,
};

static const char *const king_samples[] = {
    "{sizes: [5, 5]}", "{sizes: [2, 2]}", "{sizes: [4, 4]}",
    "{sizes: [6, 3]}", "{sizes: [2, 5]}", NULL,
};

const vef_topology_family vef_topology_diagonal_mesh = {
    .name = "diagonal-mesh",
    .summary = "two-dimensional mesh with diagonal links in one direction",
    VEF_PARAMETERS(diagonal_schema, parameters),
    .build = build_diagonal_mesh,
    .samples = diagonal_samples,
    .larger = "{sizes: [12, 12]}",
    VEF_LATTICE_HOOKS,
};

const vef_topology_family vef_topology_diagonal_torus = {
    .name = "diagonal-torus",
    .summary = "two-dimensional torus with diagonal links in one direction",
    VEF_PARAMETERS(diagonal_schema, parameters),
    .build = build_diagonal_torus,
    .samples = diagonal_samples,
    .larger = "{sizes: [14, 14]}",
    VEF_LATTICE_HOOKS,
};

const vef_topology_family vef_topology_king_mesh = {
    .name = "king-mesh",
    .summary = "two-dimensional mesh with diagonal links in both directions",
    VEF_PARAMETERS(king_schema, parameters),
    .build = build_king_mesh,
    .samples = king_samples,
    .larger = "{sizes: [12, 12]}",
    VEF_LATTICE_HOOKS,
};

const vef_topology_family vef_topology_king_torus = {
    .name = "king-torus",
    .summary = "two-dimensional torus with diagonal links in both directions",
    VEF_PARAMETERS(king_schema, parameters),
    .build = build_king_torus,
    .samples = king_samples,
    .larger = "{sizes: [14, 14]}",
    VEF_LATTICE_HOOKS,
};
