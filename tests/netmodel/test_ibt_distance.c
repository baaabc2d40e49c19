/* Distances in interlaced bypass tori by formula against a search, and the formula as Zhang, Powell
 * and Deng print it ("Interlacing Bypass Rings to Torus Networks for More Efficient Networks",
 * section 3): where it holds. */
#include "tests/netmodel/ibt_definition.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdlib.h>

static void check_formula(const vef_topology *topology, uint32_t step) {
    uint32_t *distance = malloc(topology->routers * sizeof *distance);
    assert_non_null(distance);
    assert_non_null(topology->distance);
    for (uint32_t from = 0; from < topology->routers; from += step) {
        distances_from(topology, from, distance);
        for (uint32_t to = 0; to < topology->routers; to++)
            assert_int_equal(topology->distance(topology, from, to), distance[to]);
    }
    free(distance);
}

/* Every pair of every network of these sizes, whatever the length. */
static void test_formula_is_the_distance(void **state) {
    (void)state;
    for (uint32_t size = 4; size <= 20; size++)
        for (uint32_t length = 2; length <= size - 2; length++) {
            ibt_definition ring = {1, {size}, 1, 1, {length}};
            vef_topology *topology = ibt_network_by(&ring);
            check_formula(topology, 1);
            vef_topology_destroy(topology);
        }
    for (uint32_t size = 4; size <= 14; size += 2)
        for (uint32_t other = 4; other <= size; other += 2)
            for (uint32_t length = 2; length <= other - 2; length += 2) {
                ibt_definition plane = {2, {size, other}, 2, 1, {length}};
                vef_topology *topology = ibt_network_by(&plane);
                check_formula(topology, 1);
                vef_topology_destroy(topology);
            }
    static const ibt_definition others[] = {
        {3, {6, 6, 6}, 3, 1, {3}}, {3, {9, 9, 9}, 3, 1, {3}},  {3, {9, 6, 6}, 3, 1, {3}},
        {3, {9, 9, 9}, 3, 1, {6}}, {3, {9, 12, 9}, 3, 1, {6}}, {4, {6, 6, 6, 3}, 3, 1, {3}},
        {3, {8, 6, 5}, 2, 1, {4}}, {3, {7, 4, 2}, 1, 1, {3}},
    };
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        vef_topology *topology = ibt_network_by(&others[i]);
        check_formula(topology, 1);
        vef_topology_destroy(topology);
    }
    /* larger ones, from some routers of all orbits */
    static const ibt_definition large[] = {
        {2, {44, 44}, 2, 1, {20}},    {2, {64, 64}, 2, 1, {16}},    {3, {32, 32, 8}, 2, 1, {6}},
        {3, {12, 12, 12}, 3, 1, {6}}, {3, {18, 15, 12}, 3, 1, {9}}, {3, {30, 30, 36}, 3, 1, {12}},
    };
    for (size_t i = 0; i < sizeof large / sizeof large[0]; i++) {
        vef_topology *topology = ibt_network_by(&large[i]);
        check_formula(topology, topology->routers / 5 | 1);
        vef_topology_destroy(topology);
    }
    vef_topology *two_lengths = ibt_of("16, 16", 2, "4, 8");
    assert_null(two_lengths->distance);
    vef_topology_destroy(two_lengths);
    vef_topology *one_length_twice = ibt_of("12, 12", 2, "4, 4");
    check_formula(one_length_twice, 1);
    vef_topology_destroy(one_length_twice);
}

static int sign(int x) {
    return (x > 0) - (x < 0);
}

/* The formula of sections 3.1 to 3.3, symbol for symbol. `mended`: with t = N / 2 where the
 * difference is that, for which the text's formula of t gives 0. */
static int printed_distance(const ibt_definition *definition, uint32_t from, uint32_t to,
                            bool mended) {
    int one_b = 0, one_t = 0, alpha = 0, beta = 0, gamma = 0, sum_t = 0;
    uint32_t first = ibt_coordinate_sum(definition, from) % definition->m,
             last = ibt_coordinate_sum(definition, to) % definition->m;
    for (uint32_t d = 0; d < definition->n; d++) {
        const int size = (int)definition->sizes[d], length = (int)definition->lengths[0];
        const int difference =
            (int)(to % definition->sizes[d]) - (int)(from % definition->sizes[d]);
        from /= definition->sizes[d];
        to /= definition->sizes[d];
        /* twice t, as N / 2 may be a fraction */
        int t = 2 * difference + size * sign(difference) * (sign(size - 2 * abs(difference)) - 1);
        if (mended && 2 * abs(difference) == size)
            t = 2 * difference;
        assert_int_equal(t % 2, 0);
        t /= 2;
        int b = abs(t) / length;
        if (2 * (abs(t) % length) > length) /* nearest; a half towards 0 */
            b++;
        b *= sign(t);
        const int rest = t - length * b;
        const int s = (first == d) + (last == d);
        one_b += abs(b);
        one_t += abs(rest);
        sum_t += rest;
        alpha += rest * rest;
        beta += abs(sign(b));
        gamma += (abs(sign(b)) + s) * (abs(sign(b)) + s);
    }
    int extra = 0;
    if (definition->m == 2)
        extra = alpha == 0 && (beta == 2 || gamma == 5 || gamma == 10) ? 2 : 0;
    else if (alpha == 0 && (gamma == 6 || gamma == 11))
        extra = 4;
    else if (alpha <= 1 && gamma == (5 - 2 * alpha) * beta)
        extra = 2;
    else if (alpha == 2 && sum_t == 0 && gamma == beta * beta + 2)
        extra = 2;
    return one_b + one_t + extra;
}

static uint32_t disagreements(const ibt_definition *definition, bool mended) {
    vef_topology *topology = ibt_network_by(definition);
    uint32_t *distance = malloc(topology->routers * sizeof *distance);
    assert_non_null(distance);
    uint32_t count = 0;
    for (uint32_t from = 0; from < definition->m; from++) { /* (0, 0), (1, 0), (2, 0): each orbit */
        distances_from(topology, from, distance);
        for (uint32_t to = 0; to < topology->routers; to++)
            count += printed_distance(definition, from, to, mended) != (int)distance[to];
    }
    free(distance);
    vef_topology_destroy(topology);
    return count;
}

/* What ibt_distance.c says of the formula as printed. */
static void test_where_the_printed_formula_holds(void **state) {
    (void)state;
    ibt_definition plane = {.n = 2, .m = 2, .k = 1};
    for (uint32_t size = 4; size <= 34; size += 2)
        for (uint32_t length = 2; length <= size - 2; length += 2) {
            plane.sizes[0] = plane.sizes[1] = size;
            plane.lengths[0] = length;
            bool holds = length >= 4 && 2 * length <= size &&
                         (size % length == 0 || size % (2 * length) == 2);
            assert_true(disagreements(&plane, false) > 0); /* at differences of N / 2 */
            assert_int_equal(disagreements(&plane, true) == 0, holds);
        }
    for (uint32_t size = 8; size <= 20; size += 2) /* sizes that differ */
        for (uint32_t other = 8; other < size; other += 2)
            for (uint32_t length = 4; length <= other - 2; length += 2) {
                plane.sizes[0] = size;
                plane.sizes[1] = other;
                plane.lengths[0] = length;
                bool holds = 2 * length <= other &&
                             (size % length == 0 || size % (2 * length) == 2) &&
                             (other % length == 0 || other % (2 * length) == 2);
                assert_int_equal(disagreements(&plane, true) == 0, holds);
            }
    ibt_definition space = {.n = 3, .m = 3, .k = 1};
    for (uint32_t size = 6; size <= 18; size += 3)
        for (uint32_t length = 3; length <= size - 2; length += 3) {
            space.sizes[0] = space.sizes[1] = space.sizes[2] = size;
            space.lengths[0] = length;
            bool holds = length >= 6 && 2 * length <= size && size % length == 0;
            assert_int_equal(disagreements(&space, true) == 0, holds);
        }
    space = (ibt_definition){3, {18, 12, 12}, 3, 1, {6}};
    assert_int_equal(disagreements(&space, true), 0);
    space = (ibt_definition){3, {12, 12, 15}, 3, 1, {6}};
    assert_true(disagreements(&space, true) > 0);
    /* the counterexamples given there */
    ibt_definition definition = {2, {8, 8}, 2, 1, {4}};
    assert_int_equal(printed_distance(&definition, 0, 4, false), 0);
    definition = (ibt_definition){2, {14, 14}, 2, 1, {4}};
    vef_topology *topology = ibt_network_by(&definition);
    assert_int_equal(topology->distance(topology, 0, 6), 2);
    assert_int_equal(printed_distance(&definition, 0, 6, true), 3);
    vef_topology_destroy(topology);
    definition = (ibt_definition){2, {8, 8}, 2, 1, {2}};
    topology = ibt_network_by(&definition);
    assert_int_equal(topology->distance(topology, 0, 2 * 8), 2);
    assert_int_equal(printed_distance(&definition, 0, 2 * 8, true), 3);
    vef_topology_destroy(topology);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_formula_is_the_distance),
        cmocka_unit_test(test_where_the_printed_formula_holds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
