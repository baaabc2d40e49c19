/* The published generators of routing records against the table of minimal records, for every pair
 * of routers of every size: RT(a) and RTT(a) with a = 2 … 16, diagonal tori of sides 2 … 16. (The
 * table itself is checked by search in test_lattice_records.c.) */
#include "netmodel/topology/lattice/lattice.h"
#include "tests/netmodel/networks.h"
#include "tests/netmodel/published_records.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdlib.h>

enum { LARGEST = 16 };

/* A pair of routers: what the generators take, and what the table says. */
typedef struct pair {
    int32_t x, y; /* destination - source */
    vef_minimal minimal;
    uint32_t generators;
} pair;

/* The rows of the table for a difference, read as lattice.h describes it. */
static void look_up(const vef_lattice *lattice, int32_t x, int32_t y, vef_minimal *minimal) {
    int32_t position[VEF_MAX_DIMENSIONS] = {x, y};
    *minimal = (vef_minimal){0};
    assert_true(vef_lattice_reduce(lattice, position));
    const uint32_t number = (uint32_t)(position[0] + position[1] * lattice->sizes[0]);
    minimal->records = lattice->records + (size_t)lattice->first[number] * lattice->generators;
    minimal->count = lattice->first[number + 1] - lattice->first[number];
}

static pair pair_of(const vef_topology *topology, uint32_t from, uint32_t to) {
    uint32_t source[VEF_MAX_DIMENSIONS], destination[VEF_MAX_DIMENSIONS];
    vef_topology_coordinates(topology, from, source);
    vef_topology_coordinates(topology, to, destination);
    pair result = {
        .x = (int32_t)destination[0] - (int32_t)source[0],
        .y = (int32_t)destination[1] - (int32_t)source[1],
        .generators = topology->lattice->generators,
    };
    look_up(topology->lattice, result.x, result.y, &result.minimal);
    return result;
}

/* The row of the table for a record; fails if there is none, since the record is then not minimal.
 */
static uint32_t row_of(const pair *p, const int32_t *record) {
    for (uint32_t row = 0; row < p->minimal.count; row++) {
        uint32_t equal = 0;
        for (uint32_t g = 0; g < p->generators; g++)
            equal +=
                record[g] == p->minimal.records[row * p->generators + g] + p->minimal.straight[g];
        if (equal == p->generators)
            return row;
    }
    fail_msg("the record (%d, %d, …) for (%d, %d) is not in the table", record[0], record[1], p->x,
             p->y);
    return 0;
}

/* `count` records, `width` numbers each, are all the rows of the table, each once. */
static void check_set(const pair *p, const int32_t *records, uint32_t count, uint32_t width) {
    uint32_t seen = 0;
    assert_int_equal(count, p->minimal.count);
    for (uint32_t i = 0; i < count; i++)
        seen |= 1u << row_of(p, records + i * width);
    assert_int_equal(seen, (1u << count) - 1);
}

/* What routings ask gives the rows of the table, in the same order: a draw among ties comes out
 * the same by either. */
static void check_lattice(const vef_topology *topology, const pair *p, uint32_t from, uint32_t to) {
    vef_minimal minimal;
    vef_lattice_minimal(topology->lattice, from, to, &minimal);
    assert_int_equal(minimal.count, p->minimal.count);
    for (uint32_t i = 0; i < minimal.count * p->generators; i++)
        assert_int_equal(minimal.records[i] + minimal.straight[i % p->generators],
                         p->minimal.records[i]);
}

static void check_rtt_pair(const vef_topology *topology, int32_t a, uint32_t from, uint32_t to) {
    const pair p = pair_of(topology, from, to);
    check_lattice(topology, &p, from, to);
    int32_t by_tiles[RTT_TILES][2], by_remainders[RTT_TIES][2], one[2];
    uint32_t count = published_rtt_records_by_tiles(a, p.x, p.y, by_tiles);
    check_set(&p, by_tiles[0], count, 2);
    count = published_rtt_records(a, p.x, p.y, by_remainders);
    check_set(&p, by_remainders[0], count, 2);
    published_rtt_record(a, p.x, p.y, one);
    row_of(&p, one);
    assert_memory_equal(one, by_remainders[0], sizeof one);
    assert_int_equal(abs(one[0]) + abs(one[1]), topology->distance(topology, from, to));
}

static void test_twisted_tori(void **state) {
    (void)state;
    for (int32_t a = 2; a <= LARGEST; a++) {
        char parameters[32];
        snprintf(parameters, sizeof parameters, "{a: %d}", a);
        vef_topology *topology = topology_of("rtt", parameters, 1);
        assert_int_equal(topology->lattice->rtt, a);
        for (uint32_t from = 0; from < topology->routers; from++)
            for (uint32_t to = 0; to < topology->routers; to++)
                check_rtt_pair(topology, a, from, to);
        vef_topology_destroy(topology);
    }
}

/* Every record of every pair leads where it should, whatever the table says: in the plane, by the
 * two vectors of Camara et al., section 4, that the tiles stand at. */
static void test_twisted_tori_by_tiles_of_the_plane(void **state) {
    (void)state;
    for (int32_t a = 2; a <= LARGEST; a++)
        for (int32_t x = 1 - 2 * a; x < 2 * a; x++)
            for (int32_t y = 1 - a; y < a; y++) {
                int32_t records[RTT_TIES][2];
                const uint32_t count = published_rtt_records(a, x, y, records);
                for (uint32_t i = 0; i < count; i++) {
                    const int32_t up = records[i][1] - y, along = records[i][0] - x;
                    assert_int_equal(up % a, 0); /* i (2a, 0) + j (a, a) */
                    assert_int_equal((along - up) % (2 * a), 0);
                    assert_true(abs(records[i][0]) + abs(records[i][1]) <= a); /* the diameter */
                }
            }
}

/* The remainders of the destinations are even over 0 … 2a - 1, so without ties x + y and y - x are
 * -1/2 in the mean, and y too: 2a^2 destinations make a sum of -a^2. With ties all is even. */
static void test_ties_even_out_directions(void **state) {
    (void)state;
    for (int32_t a = 2; a <= LARGEST; a++) {
        int32_t along_y = 0;
        double mean_x = 0, mean_y = 0;
        for (int32_t x = 0; x < 2 * a; x++)
            for (int32_t y = 0; y < a; y++) {
                int32_t one[2], records[RTT_TIES][2];
                published_rtt_record(a, x, y, one);
                along_y += one[1];
                const uint32_t count = published_rtt_records(a, x, y, records);
                for (uint32_t i = 0; i < count; i++) {
                    mean_x += (double)records[i][0] / count;
                    mean_y += (double)records[i][1] / count;
                }
            }
        assert_int_equal(along_y, -a * a);
        assert_near(mean_x, 0, 1e-9);
        assert_near(mean_y, 0, 1e-9);
    }
}

static void test_plain_tori(void **state) {
    (void)state;
    for (int32_t a = 2; a <= LARGEST; a++) {
        char parameters[32];
        snprintf(parameters, sizeof parameters, "{a: %d}", a);
        vef_topology *topology = topology_of("rt", parameters, 1);
        for (uint32_t from = 0; from < topology->routers; from++)
            for (uint32_t to = 0; to < topology->routers; to++) {
                const pair p = pair_of(topology, from, to);
                int32_t record[2];
                check_lattice(topology, &p, from, to);
                published_rt_record(a, p.x, p.y, record);
                row_of(&p, record);
            }
        vef_topology_destroy(topology);
    }
}

/* The four candidates hold every minimal record, and no record twice. */
static void test_diagonal_tori(void **state) {
    (void)state;
    for (int32_t side = 2; side <= LARGEST; side++) {
        char parameters[64];
        snprintf(parameters, sizeof parameters, "{sizes: [%d, %d]}", side, side);
        vef_topology *topology = topology_of("diagonal-torus", parameters, 1);
        for (uint32_t from = 0; from < topology->routers; from++)
            for (uint32_t to = 0; to < topology->routers; to++) {
                const pair p = pair_of(topology, from, to);
                int32_t records[DIAGONAL_QUADRANTS][3];
                const uint32_t count = published_diagonal_records(side, p.x, p.y, records);
                assert_true(count >= 1 && count <= DIAGONAL_QUADRANTS);
                check_set(&p, records[0], count, 3);
            }
        vef_topology_destroy(topology);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_twisted_tori),
        cmocka_unit_test(test_twisted_tori_by_tiles_of_the_plane),
        cmocka_unit_test(test_ties_even_out_directions),
        cmocka_unit_test(test_plain_tori),
        cmocka_unit_test(test_diagonal_tori),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
