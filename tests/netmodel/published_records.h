/* The published generators of minimal routing records for rectangular tori RT(a), rectangular
 * twisted tori RTT(a) and diagonal tori, as functions of the difference of two routers'
 * coordinates: what the records of lattice.h are checked against. */
#ifndef VEF_TESTS_NETMODEL_PUBLISHED_RECORDS_H
#define VEF_TESTS_NETMODEL_PUBLISHED_RECORDS_H

#include <stdint.h>

/* Those of RT and RTT take a >= 2 and the difference destination - source of coordinates in the
 * rectangle: |x| < 2a, |y| < a. A record is {along x, along y}, in hops, negative: backwards. */
enum { RTT_TILES = 7, RTT_TIES = 4 };

/* RT(a), one minimal record; of two equal ways round the one with the minus sign (Camarero et al.,
 * Algorithm 1). */
void published_rt_record(int32_t a, int32_t x, int32_t y, int32_t record[2]);

/* RTT(a), every minimal record: the best of the ways into seven tiles of the plane (Camara et al.,
 * Algorithm 1). Returns how many, at most RTT_TIES. */
uint32_t published_rtt_records_by_tiles(int32_t a, int32_t x, int32_t y,
                                        int32_t records[RTT_TILES][2]);

/* RTT(a), one minimal record, by two remainders (Camarero et al., Algorithm 2). */
void published_rtt_record(int32_t a, int32_t x, int32_t y, int32_t record[2]);

/* RTT(a), every minimal record, by the same two remainders. Returns how many: 1, 2 or 4; the first
 * is published_rtt_record's. */
uint32_t published_rtt_records(int32_t a, int32_t x, int32_t y, int32_t records[RTT_TIES][2]);

enum { DIAGONAL_QUADRANTS = 4 };

/* On the torus of `side` x `side` with the generators (1,0), (0,1) and (1,1): the records of least
 * length among one candidate for each quadrant that the destination can be looked for in. x and y
 * are destination - source, |x| and |y| < side. A record is {along x, along y, along the diagonal},
 * in hops, negative: backwards. Returns their number, at least 1. */
uint32_t published_diagonal_records(int32_t side, int32_t x, int32_t y,
                                    int32_t records[DIAGONAL_QUADRANTS][3]);

#endif
