/* Rectangular torus and rectangular twisted torus of 2a x a routers.
 *
 * Camara, Moreto, Vallejo, Beivide, Miguel-Alonso, Martinez, Navaridas: "Twisted Torus Topologies
 * for Enhanced Interconnection Networks", TPDS 2010, section 2. In the twisted one the y wrap
 * shifts x by a: diameter a (a > 1) instead of 3a/2, average distance (4a^2 - 1) / (6a) instead of
 * 3a/4. */
#include "netmodel/topology/families.h"
#include "netmodel/topology/lattice/lattice.h"

typedef struct parameters {
    int64_t a;
} parameters;

static const vef_param schema[] = {
    {VEF_KEY(INT, parameters, a), .minimum = 2,
     .maximum = 2896, /* 2a x a within VEF_MAX_LATTICE_ROUTERS */
     .help = "routers along y; along x there are 2a"},
    {.key = NULL},
};

static vef_code build(const parameters *given, int32_t twist, vef_topology *topology,
                      vef_error *error) {
    int32_t a = (int32_t)given->a;
    vef_lattice lattice = {
        .dimensions = 2,
        .sizes = {2 * a, a},
        .shifts = {{0}, {twist}},
        .wraps = {true, true},
    };
    vef_lattice_unit_generators(&lattice);
    return vef_lattice_build(&lattice, topology, error);
}

static vef_code build_rt(const void *given, vef_topology *topology, vef_error *error) {
    return build(given, 0, topology, error);
}

static vef_code build_rtt(const void *given, vef_topology *topology, vef_error *error) {
    return build(given, (int32_t)((const parameters *)given)->a, topology, error);
}

static const char *const samples[] = {"{a: 4}", "{a: 2}", "{a: 3}", "{a: 7}", NULL};

const vef_topology_family vef_topology_rt = {
    .name = "rt",
    .summary = "rectangular torus, 2a x a",
    VEF_PARAMETERS(schema, parameters),
    .build = build_rt,
    .samples = samples,
    .larger = "{a: 10}",
    VEF_LATTICE_HOOKS,
};

const vef_topology_family vef_topology_rtt = {
    .name = "rtt",
    .summary = "rectangular twisted torus, 2a x a, the y wrap shifted by a along x",
    VEF_PARAMETERS(schema, parameters),
    .build = build_rtt,
    .samples = samples,
    .larger = "{a: 10}",
    VEF_LATTICE_HOOKS,
};
