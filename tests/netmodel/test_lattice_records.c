/* Minimal routing records of lattice networks against all vectors that a search by trying finds,
 * and against breadth-first distances. */
#include "netmodel/topology/lattice/lattice.h"
#include "tests/netmodel/networks.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

/* In how many orders the steps of a record can be taken from `at`, and in how many of those every
 * step finds its link and the last one ends at `destination`. */
typedef struct orders {
    uint64_t total, good;
} orders;

static uint64_t count_orders(const int *record, uint32_t generators) {
    uint64_t count = 1, steps = 0;
    for (uint32_t g = 0; g < generators; g++)
        for (int k = 1; k <= abs(record[g]); k++)
            count = count * ++steps / (uint64_t)k;
    return count;
}

static orders try_orders(const vef_topology *topology, uint32_t here, uint32_t destination,
                         int *record) {
    const uint32_t generators = topology->lattice->generators;
    orders tried = {.total = count_orders(record, generators), .good = 0};
    bool arrived = true;
    for (uint32_t g = 0; g < generators; g++) {
        if (record[g] == 0)
            continue;
        arrived = false;
        const int step = record[g] > 0 ? 1 : -1;
        const uint32_t next =
            topology->neighbour[(size_t)here * topology->ports + 2 * g + (step < 0)];
        if (next == VEF_NO_ROUTER)
            continue;
        record[g] -= step;
        tried.good += try_orders(topology, next, destination, record).good;
        record[g] += step;
    }
    if (arrived)
        tried.good = here == destination;
    return tried;
}

/* All vectors of `generators` counts with sum of magnitudes `length` that lead to `destination`,
 * the generators taken one after the other. */
static uint32_t count_by_trying(const vef_topology *topology, uint32_t source, uint32_t destination,
                                uint32_t g, int length) {
    if (length == 0)
        return source == destination;
    if (g == topology->lattice->generators)
        return 0;
    uint32_t found = count_by_trying(topology, source, destination, g + 1, length);
    for (uint32_t port = 2 * g; port <= 2 * g + 1; port++) {
        uint32_t here = source;
        for (int steps = 1; steps <= length; steps++) {
            here = topology->neighbour[(size_t)here * topology->ports + port];
            if (here == VEF_NO_ROUTER)
                break;
            found += count_by_trying(topology, here, destination, g + 1, length - steps);
        }
    }
    return found;
}

/* The same on the endless lattice, for meshes of two dimensions: vectors of sum (x, y). */
static uint32_t count_endless(const vef_lattice *lattice, int x, int y, uint32_t g, int length) {
    if (g == lattice->generators)
        return x == 0 && y == 0 && length == 0;
    uint32_t found = 0;
    for (int count = -length; count <= length; count++)
        found += count_endless(lattice, x - count * lattice->generator[g][0],
                               y - count * lattice->generator[g][1], g + 1, length - abs(count));
    return found;
}

static uint32_t count_records(const vef_topology *topology, uint32_t source, uint32_t destination,
                              int length) {
    if (topology->lattice->any_order)
        return count_by_trying(topology, source, destination, 0, length);
    const int width = (int)topology->sizes[0], a = (int)source, b = (int)destination;
    return count_endless(topology->lattice, b % width - a % width, b / width - a / width, 0,
                         length);
}

static void check_records(const vef_topology *topology, uint32_t source, uint32_t destination,
                          uint32_t distance) {
    const vef_lattice *lattice = topology->lattice;
    vef_minimal minimal;
    vef_lattice_minimal(lattice, source, destination, &minimal);
    assert_true(minimal.count >= 1);
    assert_int_equal(topology->distance(topology, source, destination), distance);
    for (uint32_t i = 0; i < minimal.count; i++) {
        int record[VEF_MAX_GENERATORS];
        uint32_t length = 0;
        for (uint32_t g = 0; g < lattice->generators; g++) {
            record[g] = minimal.records[i * lattice->generators + g] + minimal.straight[g];
            length += (uint32_t)abs(record[g]);
        }
        assert_int_equal(length, distance);
        const orders tried = try_orders(topology, source, destination, record);
        if (lattice->any_order)
            assert_int_equal(tried.good, tried.total);
        assert_true(tried.good > 0);
        for (uint32_t j = 0; j < i; j++)
            assert_memory_not_equal(minimal.records + i * lattice->generators,
                                    minimal.records + j * lattice->generators,
                                    lattice->generators * sizeof(int16_t));
    }
    if (topology->routers <= 32) /* none is missing */
        assert_int_equal(minimal.count,
                         count_records(topology, source, destination, (int)distance));
}

static void check_all_pairs(const vef_topology *topology) {
    uint32_t *distance = malloc(topology->routers * sizeof *distance);
    for (uint32_t a = 0; a < topology->routers; a++) {
        distances_from(topology, a, distance);
        for (uint32_t b = 0; b < topology->routers; b++)
            check_records(topology, a, b, distance[b]);
    }
    free(distance);
}

static void test_records_are_all_the_minimal_ones(void **state) {
    (void)state;
    for (size_t f = 0; vef_topology_families[f]; f++)
        for (size_t s = 0; vef_topology_families[f]->samples[s]; s++) {
            if (!vef_topology_families[f]->lattice)
                continue;
            vef_topology *topology = topology_of(vef_topology_families[f]->name,
                                                 vef_topology_families[f]->samples[s], 1);
            if (topology->lattice->first)
                check_all_pairs(topology);
            vef_topology_destroy(topology);
        }
}

/* Meshes with diagonals, their generators in whatever order and sign, and those without records. */
static void test_meshes_with_diagonals(void **state) {
    (void)state;
    static const struct {
        const char *parameters;
        bool records, any_order;
    } rows[] = {
        {"{sizes: [5, 4], wrap: [0, 0], generators: [[1, 0], [0, 1]]}", true, true},
        {"{sizes: [5, 4], wrap: [0, 0], generators: [[0, 1], [-1, 0]]}", true, true},
        {"{sizes: [5, 4], wrap: [0, 0], generators: [[1, 1], [0, -1], [1, 0]]}", true, true},
        {"{sizes: [4, 5], wrap: [0, 0], generators: [[1, -1], [1, 0], [0, 1]]}", true, true},
        {"{sizes: [7, 3], wrap: [0, 0], generators: [[-1, -1], [0, 1], [1, -1], [-1, 0]]}", true,
         false},
        {"{sizes: [2, 8], wrap: [0, 0], generators: [[-1, 1], [0, 1], [1, 1], [1, 0]]}", true,
         false},
        /* no table: a unit vector is missing; a longer step; twice the same; half a torus */
        {"{sizes: [4, 4], wrap: [0, 0], generators: [[1, 0], [1, 1]]}", false, false},
        {"{sizes: [5, 5], wrap: [0, 0], generators: [[1, 0], [0, 1], [1, 2]]}", false, false},
        {"{sizes: [4, 4], wrap: [0, 0], generators: [[1, 0], [0, 1], [1, 1], [-1, -1]]}", false,
         false},
        {"{sizes: [4, 4], wrap: [1, 0], generators: [[1, 0], [0, 1], [1, 1]]}", false, false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        vef_topology *topology = topology_of("lattice", rows[i].parameters, 1);
        assert_int_equal(topology->lattice->first != NULL, rows[i].records);
        assert_int_equal(topology->distance != NULL, rows[i].records);
        assert_int_equal(topology->lattice->any_order, rows[i].any_order);
        if (rows[i].records)
            check_all_pairs(topology);
        vef_topology_destroy(topology);
    }
}

/* From the south-west corner three steps east: straight on, or north-east, east and south-east in
 * some order; south-east cannot come first. */
static void test_king_records_at_the_border(void **state) {
    (void)state;
    vef_topology *topology = topology_of("king-mesh", "{sizes: [5, 5]}", 1);
    vef_minimal minimal;
    vef_lattice_minimal(topology->lattice, 0, 3, &minimal);
    assert_int_equal(minimal.count, 2);
    orders whole = {0};
    for (uint32_t i = 0; i < minimal.count; i++) {
        int record[4];
        for (uint32_t g = 0; g < 4; g++)
            record[g] = minimal.records[4 * i + g] + minimal.straight[g];
        const orders tried = try_orders(topology, 0, 3, record);
        whole.total += tried.total;
        whole.good += tried.good;
    }
    assert_int_equal(whole.total, 7); /* the trinomial coefficient of the king paper, section 2 */
    assert_int_equal(whole.good, 4);
    vef_topology_destroy(topology);
}

static void test_large_lattice(void **state) {
    (void)state;
    vef_topology *topology = topology_of("pdtt", "{a: 32}", 1);
    assert_int_equal(topology->routers, 65536);
    /* 6 ports x 6 bytes per router, and a few records for each difference */
    assert_true(topology->arena.held_bytes < 8u << 20);
    uint32_t *distance = malloc(topology->routers * sizeof *distance);
    distances_from(topology, 0, distance);
    for (uint32_t r = 0; r < topology->routers; r++) {
        uint32_t length = 0;
        const int16_t *record =
            topology->lattice->records + (size_t)topology->lattice->first[r] * 3;
        for (uint32_t g = 0; g < 3; g++)
            length += (uint32_t)abs(record[g]);
        assert_int_equal(length, distance[r]);
    }
    free(distance);
    vef_topology_destroy(topology);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_records_are_all_the_minimal_ones),
        cmocka_unit_test(test_meshes_with_diagonals),
        cmocka_unit_test(test_king_records_at_the_border),
        cmocka_unit_test(test_large_lattice),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
