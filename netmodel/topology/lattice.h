/* Lattice networks: Cayley graphs of Z^n modulo a lattice, with a list of generators.
 *
 * Torus, mesh, RT, RTT, PT, PTT, PDTT, diagonal and king networks are all one thing (Camara et al.:
 * "Twisted Torus Topologies for Enhanced Interconnection Networks", TPDS 2010, sections 2 and 4;
 * Stafford et al., king networks): sizes, a shift of earlier coordinates where a dimension wraps,
 * and generators. Generator g gives a router port 2g (plus g) and port 2g + 1 (minus g). */
#ifndef VEF_NETMODEL_TOPOLOGY_LATTICE_H
#define VEF_NETMODEL_TOPOLOGY_LATTICE_H

#include "netmodel/topology/topology.h"

enum { VEF_MAX_GENERATORS = VEF_MAX_PORTS / 2 };

typedef struct vef_lattice {
    uint32_t dimensions;
    int32_t sizes[VEF_MAX_DIMENSIONS];
    /* Crossing the end of dimension d subtracts sizes[d] there and adds shifts[d][e] to every e <
     * d. */
    int32_t shifts[VEF_MAX_DIMENSIONS][VEF_MAX_DIMENSIONS];
    bool wraps[VEF_MAX_DIMENSIONS]; /* false: a mesh in that dimension */
    uint32_t generators;
    int32_t generator[VEF_MAX_GENERATORS][VEF_MAX_DIMENSIONS];

    /* Minimal routing records, tabulated once. A record says how often to go along each generator
     * (negative: backwards). Where every dimension wraps the network is vertex-transitive, and the
     * records depend on the difference destination - source alone: those of the difference whose
     * router number is k are records[first[k]] … records[first[k + 1] - 1], each of `generators`
     * numbers, all of the same least length. Meshes: for unit generators, the difference itself. */
    const uint32_t *first; /* routers + 1 entries, or NULL for a mesh */
    const int16_t *records;
} vef_lattice;

/* The router number of the difference destination - source (all dimensions wrap). */
uint32_t vef_lattice_difference(const vef_lattice *lattice, uint32_t source, uint32_t destination);

#endif
