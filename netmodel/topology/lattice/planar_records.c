/* Minimal routing records of meshes with diagonals, by formula (for the lattices listed in
 * lattice.h).
 *
 * Stafford et al. ("Assessing the Suitability of King Topologies for Interconnection Networks"),
 * sections 3.2 and 3.3. For a difference (dx, dy) between an orthogonal direction and an
 * existing diagonal, the record of section 3.2 (Knaive in 3.3.1) goes diagonally until one
 * coordinate is right, then straight; next to a missing diagonal it goes along both axes. With
 * one diagonal this is the only minimal record. With both, two orthogonal steps can be exchanged
 * for one of each diagonal (3.3.2), so the minimal records are that one and those with 1, 2 …
 * pairs of its orthogonal steps exchanged. Their number is floor(||dx| - |dy|| / 2) + 1. */
#include "netmodel/topology/lattice/lattice.h"

#include <stdlib.h>
#include <string.h>

/* Directions; also the order of a king mesh's rows of exchanges: by the orthogonal direction of
 * the pairs, + then -. */
enum { EAST, NORTH, NORTH_EAST, NORTH_WEST, DIRECTIONS };
static const int32_t direction[DIRECTIONS][2] = {{1, 0}, {0, 1}, {1, 1}, {-1, 1}};

bool vef_lattice_is_planar(vef_lattice *lattice) {
    if (lattice->dimensions != 2 || lattice->wraps[0] || lattice->wraps[1])
        return false;
    for (uint32_t g = 0; g < lattice->generators; g++) {
        const int32_t *step = lattice->generator[g];
        int found = DIRECTIONS;
        for (int i = 0; i < DIRECTIONS; i++)
            for (int8_t sign = -1; sign <= 1; sign += 2)
                if (step[0] == sign * direction[i][0] && step[1] == sign * direction[i][1] &&
                    lattice->planar_sign[i] == 0) {
                    found = i;
                    lattice->planar_sign[i] = sign;
                    lattice->planar_generator[i] = (uint8_t)g;
                }
        if (found == DIRECTIONS)
            return false;
    }
    lattice->planar = lattice->planar_sign[EAST] != 0 && lattice->planar_sign[NORTH] != 0;
    return lattice->planar;
}

static void add_steps(const vef_lattice *lattice, int16_t *record, int which, int32_t steps) {
    int16_t *count = &record[lattice->planar_generator[which]];
    *count = (int16_t)(*count + lattice->planar_sign[which] * steps);
}

/* Rows of one orthogonal direction: 0, 1, 2 … exchanges. */
static uint32_t rows_of_direction(const vef_lattice *lattice) {
    int32_t longest = lattice->sizes[0] > lattice->sizes[1] ? lattice->sizes[0] : lattice->sizes[1];
    return (uint32_t)longest / 2 + 1;
}

vef_code vef_lattice_planar_rows(vef_lattice *lattice, vef_arena *arena, vef_error *error) {
    for (uint32_t d = 0; d < 2; d++)
        if (lattice->sizes[d] > INT16_MAX)
            return vef_fail(error, VEF_INVALID,
                            "sizes: dimension %u has size %d: out of range: expected at most %d", d,
                            lattice->sizes[d], INT16_MAX);
    const bool both =
        lattice->planar_sign[NORTH_EAST] != 0 && lattice->planar_sign[NORTH_WEST] != 0;
    const uint32_t each = both ? rows_of_direction(lattice) : 1;
    const uint32_t directions = both ? 4 : 1;
    const size_t row = lattice->generators;
    uint32_t *first = vef_arena_alloc(arena, directions + 1, sizeof *first);
    int16_t *records = vef_arena_alloc(arena, (size_t)directions * each * row, sizeof *records);
    for (uint32_t i = 0; i <= directions; i++)
        first[i] = i * each;
    for (uint32_t i = 0; both && i < directions; i++) {
        int from = i < 2 ? EAST : NORTH;
        int32_t sign = i % 2 == 0 ? 1 : -1;
        for (uint32_t k = 0; k < each; k++) {
            int16_t *record = records + (first[i] + k) * row;
            int32_t pairs = sign * (int32_t)k;
            /* (2,0) = (1,1) - (-1,1) and (0,2) = (1,1) + (-1,1) */
            add_steps(lattice, record, from, -2 * pairs);
            add_steps(lattice, record, NORTH_EAST, pairs);
            add_steps(lattice, record, NORTH_WEST, from == EAST ? -pairs : pairs);
        }
    }
    lattice->first = first;
    lattice->records = records;
    return VEF_OK;
}

void vef_lattice_planar_minimal(const vef_lattice *lattice, const int32_t *difference,
                                vef_minimal *minimal) {
    memset(minimal->straight, 0, lattice->generators * sizeof minimal->straight[0]);
    int32_t x = difference[0], y = difference[1];
    const int diagonal = (x < 0) == (y < 0) ? NORTH_EAST : NORTH_WEST;
    if (lattice->planar_sign[diagonal] != 0) {
        int32_t steps = abs(x) < abs(y) ? abs(x) : abs(y);
        steps = y < 0 ? -steps : steps;
        add_steps(lattice, minimal->straight, diagonal, steps);
        x -= steps * direction[diagonal][0];
        y -= steps;
    }
    add_steps(lattice, minimal->straight, EAST, x);
    add_steps(lattice, minimal->straight, NORTH, y);
    minimal->records = lattice->records;
    minimal->count = 1;
    if (lattice->generators == DIRECTIONS) {
        uint32_t row = x != 0 ? (x < 0) : 2 + (y < 0);
        minimal->records += (size_t)lattice->first[row] * lattice->generators;
        minimal->count = (uint32_t)(abs(x) + abs(y)) / 2 + 1;
    }
}
