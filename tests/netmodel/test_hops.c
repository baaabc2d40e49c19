/* Distances to routers with endpoints: closed forms with entries of each width, and by the formula
 * where the table would be large; by search on a graph without formula. */
#include "netmodel/routing/hops.h"
#include "tests/netmodel/links.h"
#include "tests/netmodel/networks.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdlib.h>

/* Chains of routers: |i - j| hops. */
static void test_widths(void **state) {
    (void)state;
    static const struct {
        uint32_t routers, bits;
    } rows[] = {{7, 4}, {8, 4}, {9, 8}, {128, 8}, {129, 16}, {301, 16}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const uint32_t n = rows[i].routers;
        char parameters[32];
        snprintf(parameters, sizeof parameters, "{sizes: [%u]}", n);
        vef_topology *topology = topology_of("mesh", parameters, 1);
        vef_arena arena = {0};
        vef_hops hops;
        assert_int_equal(vef_hops_create(topology, &arena, &hops, NULL), VEF_OK);
        assert_int_equal(hops.bits, rows[i].bits);
        assert_int_equal(hops.diameter, n - 1);
        for (uint32_t a = 0; a < n; a++)
            for (uint32_t b = 0; b < n; b++)
                assert_int_equal(vef_hops_to(&hops, a, b), a < b ? b - a : a - b);
        vef_arena_release(&arena);
        vef_topology_destroy(topology);
    }
}

/* HyperX: the coordinates that differ. 81^2 routers would need a table of 20 MiB. */
static void test_formula(void **state) {
    (void)state;
    static const struct { uint32_t size, bits; } rows[] = {{9, 4}, {81, 0}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const uint32_t s = rows[i].size;
        char parameters[32];
        snprintf(parameters, sizeof parameters, "{sizes: [%u, %u]}", s, s);
        vef_topology *topology = topology_of("hyperx", parameters, 1);
        vef_arena arena = {0};
        vef_hops hops;
        assert_int_equal(vef_hops_create(topology, &arena, &hops, NULL), VEF_OK);
        assert_int_equal(hops.bits, rows[i].bits);
        assert_int_equal(hops.diameter, 2);
        assert_int_equal(hops.nearer[1], 1);
        assert_int_equal(hops.nearer[2], 2);
        for (uint32_t a = 0; a < s * s; a += s + 2)
            for (uint32_t b = 0; b < s * s; b++)
                assert_int_equal(vef_hops_to(&hops, hops.target_of[a], b),
                                 (a % s != b % s) + (a / s != b / s));
        vef_arena_release(&arena);
        vef_topology_destroy(topology);
    }
}

static void test_search(void **state) {
    (void)state;
    vef_topology *topology = topology_of("jellyfish", "{routers: 101, degree: 4, seed: 5}", 1);
    const uint32_t n = topology->routers;
    vef_arena arena = {0};
    vef_hops hops;
    assert_int_equal(vef_hops_create(topology, &arena, &hops, NULL), VEF_OK);
    uint32_t *distance = malloc(n * sizeof *distance);
    uint32_t diameter = 0;
    for (uint32_t a = 0; a < n; a++) {
        distances_from(topology, a, distance);
        for (uint32_t b = 0; b < n; b++) {
            assert_int_equal(vef_hops_to(&hops, hops.target_of[a], b), distance[b]);
            diameter = distance[b] > diameter ? distance[b] : diameter;
        }
    }
    assert_int_equal(hops.diameter, diameter);
    free(distance);
    vef_arena_release(&arena);
    vef_topology_destroy(topology);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_widths),
        cmocka_unit_test(test_formula),
        cmocka_unit_test(test_search),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
