/* The families of the topology table; each is defined in the file named beside it. */
#ifndef VEF_NETMODEL_TOPOLOGY_FAMILIES_H
#define VEF_NETMODEL_TOPOLOGY_FAMILIES_H

#include "netmodel/topology/topology.h"

extern const vef_topology_family vef_topology_torus;                 /* lattice/torus.c */
extern const vef_topology_family vef_topology_mesh;                  /* lattice/torus.c */
extern const vef_topology_family vef_topology_rt;                    /* lattice/rectangular.c */
extern const vef_topology_family vef_topology_rtt;                   /* lattice/rectangular.c */
extern const vef_topology_family vef_topology_pt;                    /* lattice/prismatic.c */
extern const vef_topology_family vef_topology_ptt;                   /* lattice/prismatic.c */
extern const vef_topology_family vef_topology_pdtt;                  /* lattice/prismatic.c */
extern const vef_topology_family vef_topology_diagonal_mesh;         /* lattice/diagonal.c */
extern const vef_topology_family vef_topology_diagonal_torus;        /* lattice/diagonal.c */
extern const vef_topology_family vef_topology_king_mesh;             /* lattice/diagonal.c */
extern const vef_topology_family vef_topology_king_torus;            /* lattice/diagonal.c */
extern const vef_topology_family vef_topology_hypercube;             /* lattice/hypercube.c */
extern const vef_topology_family vef_topology_lattice;               /* lattice/any_lattice.c */
extern const vef_topology_family vef_topology_twin_torus;            /* twin_torus.c */
extern const vef_topology_family vef_topology_kary_ntree;            /* kary_ntree.c */
extern const vef_topology_family vef_topology_edges;                 /* edges.c */
extern const vef_topology_family vef_topology_ibt;                   /* ibt.c */
extern const vef_topology_family vef_topology_cube_connected_cycles; /* cube_connected_cycles.c */
extern const vef_topology_family vef_topology_de_bruijn;             /* de_bruijn.c */
extern const vef_topology_family vef_topology_barrel_shifter;        /* barrel_shifter.c */
extern const vef_topology_family vef_topology_complete;              /* complete.c */

#endif
