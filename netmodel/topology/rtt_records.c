/* Minimal routing records of RT(a) and RTT(a). See rtt_records.h.
 *
 * By tiles: Camara, Moreto, Vallejo, Beivide, Miguel-Alonso, Martinez, Navaridas: "Twisted Torus
 * Topologies for Enhanced Interconnection Networks", TPDS 2010, section 4, Algorithm 1. By
 * remainders: Camarero, Martinez, Vallejo, Stafford, Beivide and others on the mapping of tasks to
 * rectangular twisted tori, section 2, Algorithms 1 (RT) and 2 (RTT). */
#include "netmodel/topology/rtt_records.h"

#include "netmodel/topology/lattice.h"

#include <stdlib.h>
#include <string.h>

/* The remainder that lies in [0, modulus); the algorithms' rem, whose argument may be negative. */
static int32_t remainder_of(int32_t value, int32_t modulus) {
    const int32_t rest = value % modulus;
    return rest < 0 ? rest + modulus : rest;
}

void vef_rt_record(int32_t a, int32_t x, int32_t y, int32_t record[2]) {
    record[0] = remainder_of(x + a, 2 * a) - a;
    record[1] = remainder_of(y + a / 2, a) - a / 2;
}

/* The rectangle of 2a x a tiles the plane at the multiples of (2a, 0) and (a, a). Algorithm 1 looks
 * for the destination in the source's own tile and the six that touch it; these are the left lower
 * corners, in the order of its candidates 0 to 6, whose signs are as printed (a candidate is the
 * difference plus the corner). The seven are different and come with their negatives. The text
 * keeps one candidate of least length; here all of them are kept. Proposition 12 there proves that
 * one of the seven is minimal, the test that no minimal one is outside. */
uint32_t vef_rtt_records_by_tiles(int32_t a, int32_t x, int32_t y,
                                  int32_t records[VEF_RTT_TILES][2]) {
    const int32_t corner[VEF_RTT_TILES][2] = {
        {0, 0}, {-a, -a}, {a, -a}, {2 * a, 0}, {-2 * a, 0}, {a, a}, {-a, a},
    };
    int32_t least = INT32_MAX;
    uint32_t count = 0;
    for (int i = 0; i < VEF_RTT_TILES; i++) {
        const int32_t along_x = x + corner[i][0], along_y = y + corner[i][1];
        const int32_t length = abs(along_x) + abs(along_y);
        if (length > least)
            continue;
        if (length < least)
            count = 0;
        least = length;
        records[count][0] = along_x;
        records[count++][1] = along_y;
    }
    return count;
}

/* In u = x + y and v = y - x the tiles of RTT(a) are squares of side 2a: u and v may each be
 * changed by 2a alone (and have the same parity, which that keeps). The length |x| + |y| is
 * max(|u|, |v|), so it is least when both are least: both in [-a, a). */
static void turn(int32_t a, int32_t x, int32_t y, int32_t *u, int32_t *v) {
    *u = remainder_of(x + y + a, 2 * a) - a;
    *v = remainder_of(y - x + a, 2 * a) - a;
}

static void turn_back(int32_t u, int32_t v, int32_t record[2]) {
    record[0] = (u - v) / 2;
    record[1] = (u + v) / 2;
}

void vef_rtt_record(int32_t a, int32_t x, int32_t y, int32_t record[2]) {
    int32_t u, v;
    turn(a, x, y, &u, &v);
    turn_back(u, v, record);
}

/* Ties: u or v is -a, and a is as good. */
uint32_t vef_rtt_records(int32_t a, int32_t x, int32_t y, int32_t records[VEF_RTT_TIES][2]) {
    int32_t u, v;
    turn(a, x, y, &u, &v);
    uint32_t count = 0;
    for (int32_t other_u = u; other_u <= (u == -a ? a : u); other_u += 2 * a)
        for (int32_t other_v = v; other_v <= (v == -a ? a : v); other_v += 2 * a)
            turn_back(other_u, other_v, records[count++]);
    return count;
}

/* ---- for lattices ---- */

vef_code vef_lattice_find_rtt(vef_lattice *lattice, vef_arena *arena, vef_error *error) {
    const int32_t a = lattice->sizes[1];
    if (lattice->dimensions != 2 || !lattice->all_wrap || !lattice->unit_generators ||
        lattice->sizes[0] != 2 * a || lattice->shifts[1][0] != a)
        return VEF_OK;
    /* What a record differs by from vef_rtt_record's, in the order of the table, so that a draw
     * among ties gives the same record whichever of the two is asked: no tie, one in v, one in u,
     * both. */
    const int16_t b = (int16_t)a, twice = (int16_t)(2 * a);
    const int16_t rows[][2] = {
        {0, 0},                                                 /* no tie */
        {0, 0},     {(int16_t)-b, b},                           /* v = -a */
        {b, b},     {0, 0},                                     /* u = -a */
        {0, twice}, {0, 0},           {b, b}, {(int16_t)-b, b}, /* both */
    };
    int16_t *ties = vef_arena_alloc(arena, 1, sizeof rows);
    if (!ties)
        return vef_fail_memory(error, "ties of routing records", sizeof rows);
    memcpy(ties, rows, sizeof rows);
    lattice->rtt_ties = ties;
    lattice->rtt = a;
    return VEF_OK;
}

void vef_lattice_rtt_minimal(const vef_lattice *lattice, const int32_t *difference,
                             vef_minimal *minimal) {
    static const uint8_t first[] = {0, 1, 3, 5}, count[] = {1, 2, 2, 4};
    int32_t u, v, record[2];
    turn(lattice->rtt, difference[0], difference[1], &u, &v);
    turn_back(u, v, record);
    minimal->straight[0] = (int16_t)record[0];
    minimal->straight[1] = (int16_t)record[1];
    const int ties = (v == -lattice->rtt) + 2 * (u == -lattice->rtt);
    minimal->records = lattice->rtt_ties + 2 * first[ties];
    minimal->count = count[ties];
}
