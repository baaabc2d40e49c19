/* Prismatic tori of 2a x a x a routers: plain, twisted once, twisted twice.
 *
 * Camara, Moreto, Vallejo, Beivide, Miguel-Alonso, Martinez, Navaridas: "Twisted Torus Topologies
 * for Enhanced Interconnection Networks", TPDS 2010, section 3.4. PT(a) has no twist; in PTT(a), a
 * stack of RTT(a), the y wrap shifts x by a; in PDTT(a) the z wrap does so too, and the three
 * dimensions become alike. For even a the diameter is 2a in PT and 3a/2 in the others; average
 * distances are about a, 11a/12 and 7a/8. An odd a is as good: the shift is half of 2a. */
#include "netmodel/topology/families.h"
#include "netmodel/topology/lattice/lattice.h"

typedef struct parameters {
    int64_t a;
} parameters;

static const vef_param schema[] = {
    {VEF_KEY(INT, parameters, a), .minimum = 2,
     .maximum = 203, /* 2a x a x a within VEF_MAX_LATTICE_ROUTERS */
     .help = "routers along y and z; along x there are 2a"},
    {.key = NULL},
};

static vef_code build(const parameters *given, bool y_twist, bool z_twist, vef_topology *topology,
                      vef_error *error) {
    int32_t a = (int32_t)given->a;
    vef_lattice lattice = {
        .dimensions = 3,
        .sizes = {2 * a, a, a},
        .shifts = {{0}, {y_twist ? a : 0}, {z_twist ? a : 0}},
        .wraps = {true, true, true},
    };
    vef_lattice_unit_generators(&lattice);
    return vef_lattice_build(&lattice, topology, error);
}

static vef_code build_pt(const void *given, vef_topology *topology, vef_error *error) {
    return build(given, false, false, topology, error);
}

static vef_code build_ptt(const void *given, vef_topology *topology, vef_error *error) {
    return build(given, true, false, topology, error);
}

static vef_code build_pdtt(const void *given, vef_topology *topology, vef_error *error) {
    return build(given, true, true, topology, error);
}

static const char *const samples[] = {"{a: 4}", "{a: 2}", "{a: 3}", NULL};

const vef_topology_family vef_topology_pt = {
    .name = "pt",
    .summary = "prismatic torus, 2a x a x a",
    VEF_PARAMETERS(schema, parameters),
    .build = build_pt,
    .samples = samples,
    .larger = "{a: 5}",
    VEF_LATTICE_HOOKS,
};

const vef_topology_family vef_topology_ptt = {
    .name = "ptt",
    .summary = "prismatic twisted torus, 2a x a x a, the y wrap shifted by a along x",
    VEF_PARAMETERS(schema, parameters),
    .build = build_ptt,
    .samples = samples,
    .larger = "{a: 5}",
    VEF_LATTICE_HOOKS,
};

const vef_topology_family vef_topology_pdtt = {
    .name = "pdtt",
    .summary = "prismatic doubly twisted torus, 2a x a x a, the y and z wraps shifted by a along x",
    VEF_PARAMETERS(schema, parameters),
    .build = build_pdtt,
    .samples = samples,
    .larger = "{a: 5}",
    VEF_LATTICE_HOOKS,
};
