/* The published generator of minimal routing records for diagonal tori, as a function of the
 * difference of two routers' coordinates, beside the table of lattice.h that routings use. */
#ifndef VEF_NETMODEL_TOPOLOGY_DIAGONAL_RECORDS_H
#define VEF_NETMODEL_TOPOLOGY_DIAGONAL_RECORDS_H

#include <stdint.h>

enum { VEF_DIAGONAL_QUADRANTS = 4 };

/* On the torus of `side` x `side` with the generators (1,0), (0,1) and (1,1): the records of least
 * length among one candidate for each quadrant that the destination can be looked for in. x and y
 * are destination - source, |x| and |y| < side. A record is {along x, along y, along the diagonal},
 * in hops, negative: backwards. Returns how many there are, at least 1.
 *
 * These are all the minimal records, for every side (tests/netmodel/test_lattice_generators.c). */
uint32_t vef_diagonal_torus_records(int32_t side, int32_t x, int32_t y,
                                    int32_t records[VEF_DIAGONAL_QUADRANTS][3]);

#endif
