/* Minimal routing records of RTT(a) by formula: Camarero, Martinez, Vallejo, Stafford, Beivide and
 * others on the mapping of tasks to rectangular twisted tori, section 2, Algorithm 2.
 *
 * As published the algorithm returns one record: among equally long ways it always takes the one
 * whose remainder is -a, and under uniform traffic a mean path then has half a hop more along y-
 * than along y+, where the papers take the loads of links as equal. So the ties of both remainders
 * are kept, in the order of the table of lattice.h, and a draw among them gives the same record as
 * a draw among the table's rows. The table itself stays, for analysis that visits all differences.
 *
 * Measured by bench/records.c (ns for a record between two random routers given by number, ties
 * drawn, on one core; a = 16, 64, 256): table 25.4, 25.1, 31.6; vef_lattice_minimal 17.1, 16.3,
 * 16.1. */
#include "netmodel/topology/lattice/lattice.h"

#include <string.h>

/* The remainder that lies in [0, modulus); the algorithms' rem, whose argument may be negative. */
static int32_t remainder_of(int32_t value, int32_t modulus) {
    const int32_t rest = value % modulus;
    return rest < 0 ? rest + modulus : rest;
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

void vef_lattice_find_rtt(vef_lattice *lattice, vef_arena *arena) {
    const int32_t a = lattice->sizes[1];
    if (lattice->dimensions != 2 || !lattice->all_wrap || !lattice->unit_generators ||
        lattice->sizes[0] != 2 * a || lattice->shifts[1][0] != a)
        return;
    /* What each tied record adds to the one of turn_back(u, v), in the order of the table, so that
     * a draw among ties gives the same record with either of the two: no tie, one in v, one in u,
     * both. */
    const int16_t b = (int16_t)a, twice = (int16_t)(2 * a);
    const int16_t rows[][2] = {
        {0, 0},                                                 /* no tie */
        {0, 0},     {(int16_t)-b, b},                           /* v = -a */
        {b, b},     {0, 0},                                     /* u = -a */
        {0, twice}, {0, 0},           {b, b}, {(int16_t)-b, b}, /* both */
    };
    int16_t *ties = vef_arena_alloc(arena, 1, sizeof rows);
    memcpy(ties, rows, sizeof rows);
    lattice->rtt_ties = ties;
    lattice->rtt = a;
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
