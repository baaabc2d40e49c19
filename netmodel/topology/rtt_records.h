/* The published generators of minimal routing records for rectangular tori RT(a) and rectangular
 * twisted tori RTT(a), as functions of the difference of two routers' coordinates, beside the table
 * of lattice.h, which serves every lattice. They agree with it for every pair of every size up to
 * a = 16 (tests/netmodel/test_lattice_generators.c).
 *
 * What RTT uses. vef_lattice_minimal, which routings ask for each packet, answers on RTT(a) with
 * Algorithm 2. As published it gives one record: where ways are equally long it always takes the
 * one whose remainder is 0, and under uniform traffic a mean path then has half a hop more along y-
 * than along y+, where the papers take the loads of links as equal. So its two remainders are kept
 * and their ties with them, in the order of the table; a record is drawn among them as among the
 * table's rows. The table itself stays, for analysis that goes through all differences.
 *
 * Measured by bench/records.c (ns for a record between two routers given by number, pairs random,
 * on one core; a = 16, 64, 256):
 *
 *   RTT  table, ties drawn                 25.4  25.1  31.6
 *        vef_lattice_minimal, ties drawn   17.1  16.3  16.1
 *        Algorithm 2, one record            7.7   7.7   7.7
 *        Algorithm 2 with ties, drawn       9.7   8.8   8.5
 *        Algorithm 1 (tiles), ties drawn   22.7  21.8  21.6
 *   RT   table, ties drawn                 26.6  26.0  31.4
 *        Algorithm 1 (RT), one record       8.0   8.0   8.0
 */
#ifndef VEF_NETMODEL_TOPOLOGY_RTT_RECORDS_H
#define VEF_NETMODEL_TOPOLOGY_RTT_RECORDS_H

#include <stdint.h>

/* All take a >= 2 and the difference destination - source of coordinates as they stand in the
 * rectangle: |x| < 2a, |y| < a. A record is {along x, along y}, in hops, negative: backwards. */
enum { VEF_RTT_TILES = 7, VEF_RTT_TIES = 4 };

/* RT(a), one minimal record; of two equal ways round the one with the minus sign (Camarero et al.,
 * Algorithm 1). */
void vef_rt_record(int32_t a, int32_t x, int32_t y, int32_t record[2]);

/* RTT(a), every minimal record: the best of the ways into seven tiles of the plane (Camara et al.,
 * Algorithm 1). Returns how many, at most VEF_RTT_TIES. */
uint32_t vef_rtt_records_by_tiles(int32_t a, int32_t x, int32_t y,
                                  int32_t records[VEF_RTT_TILES][2]);

/* RTT(a), one minimal record, by two remainders (Camarero et al., Algorithm 2). */
void vef_rtt_record(int32_t a, int32_t x, int32_t y, int32_t record[2]);

/* RTT(a), every minimal record, by the same two remainders. Returns how many: 1, 2 or 4; the first
 * is vef_rtt_record's. */
uint32_t vef_rtt_records(int32_t a, int32_t x, int32_t y, int32_t records[VEF_RTT_TIES][2]);

#endif
