/* Lattice networks: Cayley graphs of Z^n modulo a lattice, with a list of generators.
 *
 * Torus, mesh, RT, RTT, PT, PTT, PDTT, diagonal and king networks are all one thing (Camara et al.:
 * "Twisted Torus Topologies for Enhanced Interconnection Networks", TPDS 2010, sections 2 and 4;
 * Stafford et al., king networks): sizes, a shift of earlier coordinates where a dimension wraps,
 * and generators. Generator g gives a router port 2g (plus g) and port 2g + 1 (minus g).
 *
 * A dimension of size 2 that wraps keeps both of its links: they run in parallel, as in the papers'
 * tori of that size (their nodes have 2n ports whatever the sizes). A size of 1 is refused: its
 * links would lead from a router to itself. */
#ifndef VEF_NETMODEL_TOPOLOGY_LATTICE_H
#define VEF_NETMODEL_TOPOLOGY_LATTICE_H

#include "netmodel/topology/topology.h"

enum {
    VEF_MAX_GENERATORS = 32,
    VEF_MAX_LATTICE_ROUTERS = VEF_MAX_ROUTERS,
};

typedef struct vef_lattice {
    uint32_t dimensions;
    int32_t sizes[VEF_MAX_DIMENSIONS];
    /* Crossing the end of dimension d subtracts sizes[d] there and adds shifts[d][e] to every e <
     * d. */
    int32_t shifts[VEF_MAX_DIMENSIONS][VEF_MAX_DIMENSIONS];
    bool wraps[VEF_MAX_DIMENSIONS]; /* false: a mesh in that dimension */
    uint32_t generators;
    int32_t generator[VEF_MAX_GENERATORS][VEF_MAX_DIMENSIONS];

    /* ---- set by vef_lattice_build ---- */

    bool unit_generators; /* generator g is the unit vector of dimension g, and there are no more */
    bool all_wrap;        /* and so the network is vertex-transitive */

    /* Minimal routing records, tabulated once. A record says how often to go along each generator
     * (negative: backwards). Across dimensions that wrap, the records depend on the difference
     * destination - source alone: those of the difference numbered k are records[first[k]] …
     * records[first[k + 1] - 1], each of `generators` numbers, all of the same least length. A
     * difference is numbered like a router, by its coordinates in the dimensions that wrap (so by
     * its router number where all do). Along a dimension that does not wrap, the record is the
     * difference itself. NULL: none (a mesh with other generators than unit vectors). */
    const uint32_t *first;
    const int16_t *records;
    uint32_t stride[VEF_MAX_DIMENSIONS]; /* in the number of a difference; 0: does not wrap */
} vef_lattice;

/* For families: checks `lattice` (sizes, shifts, wraps, generators) and fills in the topology from
 * it: routers, ports, neighbours, the grid, and a copy of `lattice` with its tables. */
vef_code vef_lattice_build(const vef_lattice *lattice, vef_topology *topology, vef_error *error);
void vef_lattice_port_name(const vef_topology *topology, uint32_t port, char *text,
                           size_t text_bytes);

/* Takes the dimensions and sizes that a user listed; fails (VEF_INVALID) for none or too many. */
vef_code vef_lattice_take_sizes(vef_lattice *lattice, const vef_int_list *sizes, vef_error *error);

/* Makes the unit vectors the generators of `lattice`, whose dimensions are set. */
void vef_lattice_unit_generators(vef_lattice *lattice);

/* Moves `coordinates` to where they lie inside the sizes; false when they are beyond the end of a
 * dimension that does not wrap. */
bool vef_lattice_reduce(const vef_lattice *lattice, int32_t *coordinates);

/* Every minimal record from source to destination: the sum of `straight` and one of the `count`
 * rows of `records` (`generators` numbers each). The lattice must have records. */
typedef struct vef_minimal {
    const int16_t *records;
    uint32_t count;
    int16_t straight[VEF_MAX_GENERATORS]; /* along the dimensions that do not wrap */
} vef_minimal;
void vef_lattice_minimal(const vef_lattice *lattice, uint32_t source, uint32_t destination,
                         vef_minimal *minimal);

/* Fills in first, records and stride (records.c), taking memory from `arena`. */
vef_code vef_lattice_tabulate(vef_lattice *lattice, vef_arena *arena, vef_error *error);

#endif
