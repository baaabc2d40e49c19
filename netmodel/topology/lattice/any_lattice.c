/* Any lattice network: sizes, wrap shifts and generators as the user gives them (lattice.h). Every
 * network of Camara et al. (TPDS 2010) and of the king paper is one of these. */
#include "netmodel/topology/families.h"
#include "netmodel/topology/lattice/lattice.h"

typedef struct parameters {
    vef_int_list sizes;
    vef_int_table shifts;
    vef_int_table generators;
    vef_int_list wrap;
} parameters;

static const vef_param schema[] = {
    {VEF_KEY(INT_LIST, parameters, sizes), .aliases = "size nodes routers dims dimensions shape",
     .minimum = 2, .maximum = VEF_MAX_LATTICE_ROUTERS,
     .help = "routers along each dimension, dimension 0 first"},
    {VEF_KEY(INT_TABLE, parameters, shifts), .fallback = "[]", .minimum = -VEF_MAX_LATTICE_ROUTERS,
     .maximum = VEF_MAX_LATTICE_ROUTERS,
     .help = "a row per dimension: how far its wrap shifts each earlier dimension ([[], [4]]: the "
             "wrap of dimension 1 shifts dimension 0 by 4); none: no shifts"},
    {VEF_KEY(INT_TABLE, parameters, generators), .fallback = "[]",
     .minimum = -VEF_MAX_LATTICE_ROUTERS, .maximum = VEF_MAX_LATTICE_ROUTERS,
     .help = "a row per generator (a pair of links, + and -): its step along each dimension; none: "
             "the unit vectors"},
    {VEF_KEY(INT_LIST, parameters, wrap), .fallback = "[]", .minimum = 0, .maximum = 1,
     .help = "for each dimension 1 (wraps) or 0 (a mesh); none: all wrap"},
    {.key = NULL},
};

static vef_code read_shifts(const parameters *given, vef_lattice *lattice, vef_error *error) {
    if (given->shifts.count != 0 && given->shifts.count != lattice->dimensions)
        return vef_fail(error, VEF_INVALID,
                        "shifts: %zu rows for %u dimensions: expected one for each",
                        given->shifts.count, lattice->dimensions);
    for (uint32_t d = 0; d < given->shifts.count; d++) {
        const vef_int_list *row = &given->shifts.rows[d];
        if (row->count > lattice->dimensions)
            return vef_fail(error, VEF_INVALID,
                            "shifts: row %u has %zu numbers: expected at most %u", d, row->count,
                            lattice->dimensions);
        for (uint32_t e = 0; e < row->count; e++)
            lattice->shifts[d][e] = (int32_t)row->values[e];
    }
    return VEF_OK;
}

static vef_code read_generators(const parameters *given, vef_lattice *lattice, vef_error *error) {
    if (given->generators.count == 0) {
        vef_lattice_unit_generators(lattice);
        return VEF_OK;
    }
    if (given->generators.count > VEF_MAX_GENERATORS)
        return vef_fail(error, VEF_INVALID, "generators: %zu are out of range: expected 1 to %d",
                        given->generators.count, VEF_MAX_GENERATORS);
    lattice->generators = (uint32_t)given->generators.count;
    for (uint32_t g = 0; g < lattice->generators; g++) {
        const vef_int_list *row = &given->generators.rows[g];
        if (row->count != lattice->dimensions)
            return vef_fail(
                error, VEF_INVALID,
                "generators: number %u has %zu numbers: expected one for each of the %u dimensions",
                g, row->count, lattice->dimensions);
        for (uint32_t d = 0; d < lattice->dimensions; d++)
            lattice->generator[g][d] = (int32_t)row->values[d];
    }
    return VEF_OK;
}

static vef_code build(const void *parameters_given, vef_topology *topology, vef_error *error) {
    const parameters *given = parameters_given;
    vef_lattice lattice = {0};
    vef_code code = vef_lattice_take_sizes(&lattice, &given->sizes, error);
    if (code != VEF_OK)
        return code;
    if (given->wrap.count != 0 && given->wrap.count != lattice.dimensions)
        return vef_fail(error, VEF_INVALID,
                        "wrap: %zu numbers for %u dimensions: expected one for each",
                        given->wrap.count, lattice.dimensions);
    for (uint32_t d = 0; d < lattice.dimensions; d++)
        lattice.wraps[d] = given->wrap.count == 0 || given->wrap.values[d] != 0;
    code = read_shifts(given, &lattice, error);
    if (code == VEF_OK)
        code = read_generators(given, &lattice, error);
    return code == VEF_OK ? vef_lattice_build(&lattice, topology, error) : code;
}

static const char *const samples[] = {
    "{sizes: [8, 4], shifts: [[], [4]]}",                                  /* RTT(4) */
    "{sizes: [6, 3, 3], shifts: [[], [3], [3]]}",                          /* PDTT(3) */
    "{sizes: [7, 2], shifts: [[], [-2]]}",                                 /* an odd twist */
    "{sizes: [5, 5], generators: [[1, 0], [0, 1], [1, 1]]}",               /* diagonal torus */
    "{sizes: [4, 6], generators: [[1, 0], [0, 1], [1, 1], [-1, 1]]}",      /* king torus */
    "{sizes: [9], generators: [[1], [3]]}",                                /* circulant graph */
    "{sizes: [4, 5], wrap: [1, 0]}",                                       /* cylinder */
    "{sizes: [4, 2, 3], shifts: [[], [2], []], wrap: [1, 1, 0]}",          /* twisted, stacked */
    "{sizes: [4, 5], generators: [[1, 0], [0, 1], [1, 1]], wrap: [1, 0]}", /* without records */
    "{sizes: [5, 4], generators: [[1, 0], [0, 1], [1, 2]], wrap: [0, 0]}", /* without records */
    NULL,
};

const vef_topology_family vef_topology_lattice = {
    .name = "lattice",
    .summary = "any lattice network: sizes, wrap shifts and generators",
    VEF_PARAMETERS(schema, parameters),
    .build = build,
    .samples = samples,
    .larger = "{sizes: [10, 5, 5], shifts: [[], [5], [5]]}",
    VEF_LATTICE_HOOKS,
};
