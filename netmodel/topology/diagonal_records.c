/* Minimal routing records of diagonal tori.
 *
 * Stafford, Bosque, Martinez, Vallejo, Beivide, Camarero, Castillo: "Assessing the Suitability of
 * King Topologies for Interconnection Networks", section 3.2, Algorithm 1. The printed form uses
 * the letter s for the side and then again for the number of the candidate drawn, after which it
 * needs the side; leaves the components of r that a branch does not name without a value (they are
 * 0); and draws one candidate among equals, where here all are returned. Its formulas are as
 * printed. */
#include "netmodel/topology/diagonal_records.h"

#include <string.h>

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

uint32_t vef_diagonal_torus_records(int32_t side, int32_t x, int32_t y,
                                    int32_t records[VEF_DIAGONAL_QUADRANTS][3]) {
    x += x < 0 ? side : 0;
    y += y < 0 ? side : 0;
    const int32_t length[VEF_DIAGONAL_QUADRANTS] = {
        greater(x, y),
        greater(side - x, side - y),
        side - x + y,
        side - y + x,
    };
    int32_t least = length[0];
    for (int i = 1; i < VEF_DIAGONAL_QUADRANTS; i++)
        least = length[i] < least ? length[i] : least;
    uint32_t count = 0;
    for (int i = 0; i < VEF_DIAGONAL_QUADRANTS; i++)
        if (length[i] == least)
            candidate(i, side, x, y, least, records[count++]);
    return count;
}
