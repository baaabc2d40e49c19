/* Lattice networks: Cayley graphs of Z^n modulo a lattice, with a list of generators.
 *
 * Torus, mesh, RT, RTT, PT, PTT, PDTT, diagonal and king networks are one family (Camara et al.:
 * "Twisted Torus Topologies for Enhanced Interconnection Networks", TPDS 2010, sections 2 and 4;
 * Stafford et al., king networks): sizes, a shift of earlier coordinates where a dimension wraps,
 * and generators. Generator g gives a router port 2g (plus g) and port 2g + 1 (minus g).
 *
 * A dimension of size 2 that wraps keeps both of its links: they run in parallel, as in the papers'
 * tori of that size (their nodes have 2n ports whatever the sizes). So do generators that lead the
 * same way: in a king torus with a size of 2, (1,1) and (-1,1) do, and every router keeps its eight
 * links. Refused are a size of 1 and a generator that is a multiple of the lattice: their links
 * would lead from a router to itself. */
#ifndef VEF_NETMODEL_TOPOLOGY_LATTICE_LATTICE_H
#define VEF_NETMODEL_TOPOLOGY_LATTICE_LATTICE_H

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

    bool unit_generators; /* generator g is the unit vector of dimension g, and there are no others
                           */
    bool all_wrap;        /* all dimensions wrap: the network is vertex-transitive */

    /* Minimal routing records, for vef_lattice_minimal. A record says how often to go along each
     * generator (negative: backwards). Two kinds of lattices have them:
     *
     * - All dimensions wrap, or the generators are the unit vectors: tabulated once. Across
     *   dimensions that wrap, the records depend on the difference destination - source alone:
     *   those of the difference numbered k are records[first[k]] … records[first[k + 1] - 1], each
     *   of `generators` numbers, all of the same least length. A difference is numbered like a
     *   router, by its coordinates in the dimensions that wrap (so by its router number where all
     *   do). Along a dimension that does not wrap, the record is the difference itself.
     * - A mesh of two dimensions whose generators are (1,0), (0,1) and one or both of (1,1) and
     *   (-1,1), each once, in any order and with either sign: by formula (planar_records.c). Any
     *   step has entries of -1, 0 and 1, so a shortest way on the endless lattice can be taken
     *   without leaving the rectangle between its ends, and the mesh adds nothing to it. `first`
     *   and `records` are the formula's own there.
     *
     * Others, whose shortest ways may depend on how near the border is, have none: first is NULL.
     */
    const uint32_t *first;
    const int16_t *records;
    uint32_t stride[VEF_MAX_DIMENSIONS]; /* in the number of a difference; 0: does not wrap */
    /* Whether the steps of every record can be taken in any order: false only for a king mesh,
     * where three steps east may be north-east, east and south-east, and at the border one of those
     * cannot come first. */
    bool any_order;

    /* For RTT(a), however it was described: a, and the rows of its ties (rtt_records.c), from which
     * vef_lattice_minimal answers without the table; else 0. */
    int32_t rtt;
    const int16_t *rtt_ties;

    /* Of a mesh with diagonals: the generator in each direction (1,0), (0,1), (1,1), (-1,1), and
     * its sign: 1, -1 (negative) or 0 (absent). */
    bool planar;
    uint8_t planar_generator[4];
    int8_t planar_sign[4];

    /* Symmetries (lattice_symmetry.c). */
    const uint32_t *orbit;     /* [routers]; NULL: by formula */
    const uint16_t *port_kind; /* [routers * ports], or [ports] if all routers are equivalent; NULL:
                                  by formula */
    /* Of each reflection: a bit for each dimension that it turns round; and [reflections * ports]
     * the images of ports. */
    uint32_t turned[VEF_MAX_DIMENSIONS];
    const uint16_t *reflected_port;
    uint32_t exchange[VEF_MAX_DIMENSIONS]; /* the first dimension with which this one may be
                                              exchanged; itself: none before it */
} vef_lattice;

/* For families: checks `lattice` (sizes, shifts, wraps, generators) and fills in the topology from
 * it: routers, ports, neighbours, the grid, and a copy of `lattice` with its tables. */
vef_code vef_lattice_build(const vef_lattice *lattice, vef_topology *topology, vef_error *error);

/* Copies the dimensions and sizes of a list; fails (VEF_INVALID) for none or too many. */
vef_code vef_lattice_take_sizes(vef_lattice *lattice, const vef_int_list *sizes, vef_error *error);

/* Sets the generators of `lattice`, whose dimensions are set, to the unit vectors. */
void vef_lattice_unit_generators(vef_lattice *lattice);

/* The sizes of a network of two dimensions. */
vef_code vef_lattice_take_two_sizes(vef_lattice *lattice, const vef_int_list *sizes,
                                    vef_error *error);

/* Moves `coordinates` into the range of the sizes; false if they are beyond the end of a dimension
 * that does not wrap. */
bool vef_lattice_reduce(const vef_lattice *lattice, int32_t *coordinates);

/* Every minimal record from source to destination: the sum of `straight`, which they share, and one
 * of the `count` rows of `records` (`generators` numbers each). The lattice must have records. */
typedef struct vef_minimal {
    const int16_t *records;
    uint32_t count;
    int16_t straight[VEF_MAX_GENERATORS];
} vef_minimal;
void vef_lattice_minimal(const vef_lattice *lattice, uint32_t source, uint32_t destination,
                         vef_minimal *minimal);

/* Hops between two routers: the length of their records. */
uint32_t vef_lattice_distance(const vef_topology *topology, uint32_t from, uint32_t to);

/* ---- parts of vef_lattice_build ---- */

/* Refuses (VEF_INVALID) lattices whose table of records would be too large, if that is known
 * beforehand: unit generators without shifts. */
vef_code vef_lattice_check_records(const vef_lattice *lattice, vef_error *error);

/* Fills in first, records and stride (records.c), taking memory from `arena`. */
vef_code vef_lattice_tabulate(vef_lattice *lattice, vef_arena *arena, vef_error *error);

/* Whether a lattice is a mesh with diagonals as above, filling in `planar…` if so; its table; and
 * the records of a difference (planar_records.c). */
bool vef_lattice_is_planar(vef_lattice *lattice);
vef_code vef_lattice_planar_rows(vef_lattice *lattice, vef_arena *arena, vef_error *error);
void vef_lattice_planar_minimal(const vef_lattice *lattice, const int32_t *difference,
                                vef_minimal *minimal);

/* Sets rtt and rtt_ties if the lattice is an RTT(a); the records of a difference, in the order of
 * the table (rtt_records.c). */
void vef_lattice_find_rtt(vef_lattice *lattice, vef_arena *arena);
void vef_lattice_rtt_minimal(const vef_lattice *lattice, const int32_t *difference,
                             vef_minimal *minimal);

/* Fills in the orbits, translation classes and reflections of `topology`, and the fields of the
 * lattice above that hold its symmetries. */
void vef_lattice_find_symmetries(vef_lattice *lattice, vef_topology *topology);

/* ---- the lattice as a topology, for the rows of its families ---- */

void vef_lattice_port_name(const vef_topology *topology, uint32_t port, char *text,
                           size_t text_bytes);
uint32_t vef_lattice_link_class(const vef_topology *topology, uint32_t router, uint32_t port);
void vef_lattice_link_class_name(const vef_topology *topology, uint32_t link_class, char *text,
                                 size_t text_bytes);
uint32_t vef_lattice_orbit(const vef_topology *topology, uint32_t router);
uint32_t vef_lattice_port_kind(const vef_topology *topology, uint32_t router, uint32_t port);
uint32_t vef_lattice_translation_class(const vef_topology *topology, uint32_t router);
uint32_t vef_lattice_reflect(const vef_topology *topology, uint32_t which, uint32_t router);
uint32_t vef_lattice_reflect_port(const vef_topology *topology, uint32_t which, uint32_t port);

/* clang-format off */
#define VEF_LATTICE_HOOKS                                                                          \
    .port_name = vef_lattice_port_name,                                                            \
    .link_class = vef_lattice_link_class,                                                          \
    .link_class_name = vef_lattice_link_class_name,                                                \
    .orbit = vef_lattice_orbit,                                                                    \
    .port_kind = vef_lattice_port_kind,                                                            \
    .translation_class = vef_lattice_translation_class,                                            \
    .reflect = vef_lattice_reflect,                                                                \
    .reflect_port = vef_lattice_reflect_port,                                                      \
    .lattice = true
/* clang-format on */

#endif
