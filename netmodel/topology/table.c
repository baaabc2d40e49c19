/* The topology families. To add one: a file that fills in a vef_topology_family (topology.h), its
 * declaration in families.h, and a row here; help, the reference, error messages and the generic
 * tests follow. */
#include "netmodel/topology/families.h"

/* clang-format off */
const vef_topology_family *const vef_topology_families[] = {
    &vef_topology_torus,
    &vef_topology_mesh,
    &vef_topology_rt,
    &vef_topology_rtt,
    &vef_topology_pt,
    &vef_topology_ptt,
    &vef_topology_pdtt,
    &vef_topology_diagonal_mesh,
    &vef_topology_diagonal_torus,
    &vef_topology_king_mesh,
    &vef_topology_king_torus,
    &vef_topology_hypercube,
    &vef_topology_lattice,
    &vef_topology_twin_torus,
    &vef_topology_kary_ntree,
    &vef_topology_edges,
    &vef_topology_ibt,
    &vef_topology_cube_connected_cycles,
    &vef_topology_de_bruijn,
    &vef_topology_barrel_shifter,
    &vef_topology_complete,
    NULL,
};
/* clang-format on */
