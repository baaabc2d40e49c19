/* The published generators of minimal routing records. See published_records.h.
 *
 * Rectangular tori, RT(a), and rectangular twisted tori, RTT(a). By tiles: Camara, Moreto, Vallejo,
 * Beivide, Miguel-Alonso, Martinez, Navaridas: "Twisted Torus Topologies for Enhanced
 * Interconnection Networks", TPDS 2010, section 4, Algorithm 1. By remainders: Camarero, Martinez,
 * Vallejo, Stafford, Beivide and others on the mapping of tasks to rectangular twisted tori,
 * section 2, Algorithms 1 (RT) and 2 (RTT).
 *
 * Diagonal tori: Stafford, Bosque, Martinez, Vallejo, Beivide, Camarero, Castillo: "Assessing the
 * Suitability of King Topologies for Interconnection Networks", section 3.2, Algorithm 1. The
 * printed form uses the letter s for the side and then again for the number of the candidate drawn,
 * after which it needs the side; leaves the components of r that a branch does not name without a
 * value (they are 0); and draws one candidate among equals, where here all are returned. Its
 * formulas are as printed. */
#include "tests/netmodel/published_records.h"

#include <stdlib.h>
#include <string.h>

/* ---- RT(a) and RTT(a) ---- */

/* The remainder that lies in [0, modulus); the algorithms' rem, whose argument may be negative. */
static int32_t remainder_of(int32_t value, int32_t modulus) {
    const int32_t rest = value % modulus;
    return rest < 0 ? rest + modulus : rest;
}

void published_rt_record(int32_t a, int32_t x, int32_t y, int32_t record[2]) {
    record[0] = remainder_of(x + a, 2 * a) - a;
    record[1] = remainder_of(y + a / 2, a) - a / 2;
}

/* The rectangle of 2a x a tiles the plane at the multiples of (2a, 0) and (a, a). Algorithm 1 looks
 * for the destination in the source's own tile and the six that touch it; these are the left lower
 * corners, in the order of its candidates 0 to 6, whose signs are as printed (a candidate is the
 * difference plus the corner). The seven are different and come with their negatives. The text
 * keeps one candidate of least length; here all of them are kept. Proposition 12 there proves that
 * one of the seven is minimal, the test that no minimal one is outside. */
uint32_t published_rtt_records_by_tiles(int32_t a, int32_t x, int32_t y,
                                        int32_t records[RTT_TILES][2]) {
    const int32_t corner[RTT_TILES][2] = {
        {0, 0}, {-a, -a}, {a, -a}, {2 * a, 0}, {-2 * a, 0}, {a, a}, {-a, a},
    };
    int32_t least = INT32_MAX;
    uint32_t count = 0;
    for (int i = 0; i < RTT_TILES; i++) {
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

void published_rtt_record(int32_t a, int32_t x, int32_t y, int32_t record[2]) {
    int32_t u, v;
    turn(a, x, y, &u, &v);
    turn_back(u, v, record);
}

/* Ties: u or v is -a, and a is as good. */
uint32_t published_rtt_records(int32_t a, int32_t x, int32_t y, int32_t records[RTT_TIES][2]) {
    int32_t u, v;
    turn(a, x, y, &u, &v);
    uint32_t count = 0;
    for (int32_t other_u = u; other_u <= (u == -a ? a : u); other_u += 2 * a)
        for (int32_t other_v = v; other_v <= (v == -a ? a : v); other_v += 2 * a)
            turn_back(other_u, other_v, records[count++]);
    return count;
}

/* ---- diagonal tori ---- */

enum { X, Y, Z };

static int32_t greater(int32_t a, int32_t b) {
    return a > b ? a : b;
}

/* The record of candidate i, whose length is `length`; x and y in [0, side). */
static void candidate(int i, int32_t side, int32_t x, int32_t y, int32_t length,
                      int32_t record[3]) {
    memset(record, 0, 3 * sizeof record[0]);
    if (i == 0) { /* north-east: the diagonal helps */
        record[Z] = x > y ? y : x;
        record[x > y ? X : Y] = length - record[Z];
    } else if (i == 1) { /* south-west: here too */
        record[Z] = (x > y ? x : y) - side;
        record[x > y ? Y : X] = -record[Z] - length;
    } else { /* north-west, south-east */
        record[X] = i == 2 ? x - side : x;
        record[Y] = i == 2 ? y : y - side;
    }
}

uint32_t published_diagonal_records(int32_t side, int32_t x, int32_t y,
                                    int32_t records[DIAGONAL_QUADRANTS][3]) {
    x += x < 0 ? side : 0;
    y += y < 0 ? side : 0;
    const int32_t length[DIAGONAL_QUADRANTS] = {
        greater(x, y),
        greater(side - x, side - y),
        side - x + y,
        side - y + x,
    };
    int32_t least = length[0];
    for (int i = 1; i < DIAGONAL_QUADRANTS; i++)
        least = length[i] < least ? length[i] : least;
    uint32_t count = 0;
    for (int i = 0; i < DIAGONAL_QUADRANTS; i++)
        if (length[i] == least)
            candidate(i, side, x, y, least, records[count++]);
    return count;
}
