/* Distances and path diversity: figures of the papers, closed forms, graphs drawn by hand and at
 * random against a search of its own. */
#include "common/rng.h"
#include "netmodel/analysis/graph/distances.h"
#include "tests/netmodel/drawn.h"
#include "tests/netmodel/networks.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static vef_distances distances_of(const vef_topology *topology) {
    vef_graph *graph = graph_of(topology);
    vef_distances distances;
    vef_error error = {0};
    if (vef_distances_measure(graph, &distances, &error))
        fail_msg("%s", error.message);
    vef_graph_destroy(graph);
    return distances;
}

/* Camara et al., TPDS 2010, sections 2 and 4; Stafford et al. (king paper), Table 3; Zhang, Powell,
 * Deng, Table 1 (hypercube and tori). */
static void test_figures_of_the_papers(void **state) {
    (void)state;
    static const struct {
        const char *family, *parameters;
        uint32_t diameter;
        double average, deviation, digits; /* deviation 0: not given */
    } rows[] = {
        {"rt", "{a: 4}", 6, 3.0, 0, 0},
        {"rtt", "{a: 4}", 4, 2.625, 0, 0},
        {"rt", "{a: 16}", 24, 12.0, 0, 0},
        {"rtt", "{a: 16}", 16, 10.65625, 0, 0},
        {"torus", "{sizes: [16, 8, 8]}", 16, 8.0, 0, 0},
        {"lattice", "{sizes: [16, 8, 8], shifts: [[], [8], []]}", 12, 7.3125, 0, 0},
        {"lattice", "{sizes: [16, 8, 8], shifts: [[], [8], [8]]}", 12, 6.96875, 0, 0},
        {"lattice", "{sizes: [16, 16], generators: [[1, 0], [0, 1], [1, 1]]}", 10, 6.2109, 0, 5e-5},
        {"torus", "{sizes: [32, 32, 32]}", 48, 24.0, 8.0312, 5e-5},
        {"torus", "{sizes: [16, 16, 16, 8]}", 28, 14.0, 4.2426, 5e-5},
        {"mesh", "{sizes: [2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2]}", 13, 6.5, sqrt(13) / 2, 1e-14},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        vef_topology *topology = topology_of(rows[i].family, rows[i].parameters, 1);
        vef_distances distances = distances_of(topology);
        const double routers = topology->routers;
        assert_int_equal(distances.diameter, rows[i].diameter);
        assert_near(distances.average, rows[i].average, rows[i].digits);
        assert_near(distances.average_without, rows[i].average * routers / (routers - 1),
                    rows[i].digits + 1e-13);
        if (rows[i].deviation > 0)
            assert_near(distances.deviation, rows[i].deviation, rows[i].digits);
        vef_distances_release(&distances);
        vef_topology_destroy(topology);
    }
}

/* Mean |x - y| of two places on a line of n is (n^2 - 1) / (3n); dimensions add up, and so do the
 * variances: E[d^2] = (n^2 - 1) / 6. */
static void test_mesh_by_formula(void **state) {
    (void)state;
    static const struct {
        const char *parameters;
        uint32_t sizes[3];
    } rows[] = {
        {"{sizes: [7]}", {7}},
        {"{sizes: [19, 30]}", {19, 30}},
        {"{sizes: [5, 8, 11]}", {5, 8, 11}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        vef_topology *topology = topology_of("mesh", rows[i].parameters, 2);
        vef_distances distances = distances_of(topology);
        double mean = 0, variance = 0;
        uint32_t diameter = 0;
        for (uint32_t d = 0; d < 3 && rows[i].sizes[d]; d++) {
            const double n = rows[i].sizes[d], line = (n * n - 1) / (3 * n);
            mean += line;
            variance += (n * n - 1) / 6 - line * line;
            diameter += rows[i].sizes[d] - 1;
        }
        assert_int_equal(distances.diameter, diameter);
        assert_near(distances.average, mean, 1e-14);
        assert_near(distances.deviation, sqrt(variance), 1e-14);
        vef_distances_release(&distances);
        vef_topology_destroy(topology);
    }
}

/* Camara et al., TPDS 2010, section 2: 1, 4d for 0 < d < a, 2a - 1 at a. */
static void test_distribution_of_rtt(void **state) {
    (void)state;
    vef_topology *topology = topology_of("rtt", "{a: 9}", 3);
    vef_distances distances = distances_of(topology);
    assert_int_equal(distances.diameter, 9);
    assert_near(distances.distribution[0], 1, 0);
    for (uint32_t d = 1; d < 9; d++)
        assert_near(distances.distribution[d], 4 * d, 0);
    assert_near(distances.distribution[9], 17, 0);
    vef_distances_release(&distances);
    vef_topology_destroy(topology);
}

/* ---- graphs of the test's own ---- */

/* A star: the hub (router 0) has no endpoints, its three leaves have 1, 2 and 3. Of the 36 pairs,
 * 1 + 4 + 9 = 14 stay on a leaf and 22 are 2 hops apart. */
static void test_routers_without_endpoints_are_no_ends(void **state) {
    (void)state;
    drawn star = draw(4, 3, (uint32_t[]){0, 1, 2, 3});
    for (uint32_t leaf = 1; leaf < 4; leaf++)
        draw_link(&star, 0, leaf);
    vef_graph *graph = graph_of(&star.topology);
    assert_int_equal(graph->arcs, 6);
    assert_int_equal(graph->sources, 3);
    static const uint32_t first[] = {0, 3, 4, 5, 6};
    assert_memory_equal(graph->first, first, sizeof first);
    vef_distances distances;
    vef_error error = {0};
    assert_int_equal(vef_distances_measure(graph, &distances, &error), VEF_OK);
    assert_int_equal(distances.diameter, 2);
    assert_near(distances.average, 44.0 / 36, 1e-15);
    assert_near(distances.average_without, 2, 0);
    assert_near(distances.deviation, sqrt(88.0 / 36 - 44.0 / 36 * 44 / 36), 1e-15);
    assert_near(distances.distribution[0], 3 * 14.0 / 36, 1e-15);
    assert_near(distances.distribution[1], 0, 0);
    assert_near(distances.distribution[2], 3 * 22.0 / 36, 1e-15);
    vef_distances_release(&distances);
    vef_graph_destroy(graph);
    wipe(&star);
}

static void test_what_is_not_connected_is_refused(void **state) {
    (void)state;
    /* 0 - 1, 2 - 3; then router 3 alone loses its endpoints, which leaves 2 cut off */
    for (uint32_t on_last = 0; on_last < 2; on_last++) {
        drawn two = draw(4, 1, (uint32_t[]){1, 1, 1, on_last});
        draw_link(&two, 0, 1);
        draw_link(&two, 2, 3);
        vef_graph *graph = graph_of(&two.topology);
        vef_distances distances;
        vef_error error = {0};
        assert_int_equal(vef_distances_measure(graph, &distances, &error), VEF_INVALID);
        assert_non_null(strstr(error.message, "from router 0 to router 2"));
        assert_null(distances.distribution);
        uint32_t hops;
        double paths;
        assert_int_equal(vef_minimal_paths(graph, 0, 3, &hops, &paths, &error), VEF_INVALID);
        assert_int_equal(vef_minimal_paths(graph, 0, 4, &hops, &paths, &error), VEF_INVALID);
        vef_graph_destroy(graph);
        wipe(&two);
    }
    /* cut off, but without endpoints */
    drawn fine = draw(3, 1, (uint32_t[]){1, 2, 0});
    draw_link(&fine, 0, 1);
    vef_distances distances = distances_of(&fine.topology);
    assert_near(distances.average, 4.0 / 9, 1e-16);
    vef_distances_release(&distances);
    wipe(&fine);
}

/* A ring with chords at random and 0 to 3 endpoints per router: many batches of several weights. */
static drawn draw_at_random(uint32_t routers, uint64_t seed) {
    vef_rng rng = vef_rng_make(seed, VEF_RNG_TEST, 0);
    uint32_t *endpoints = calloc(routers, sizeof *endpoints);
    for (uint32_t r = 0; r < routers; r++)
        endpoints[r] = vef_rng_below(&rng, 4);
    endpoints[0] = 1;
    drawn made = draw(routers, 8, endpoints);
    free(endpoints);
    uint32_t *used = calloc(routers, sizeof *used);
    for (uint32_t r = 0; r < routers; r++) {
        vef_topology_join(&made.topology, r, 0, (r + 1) % routers, 1);
        used[r] = 2;
    }
    for (uint32_t i = 0; i < routers / 4; i++) {
        const uint32_t a = vef_rng_below(&rng, routers), b = vef_rng_below(&rng, routers);
        if (a == b || used[a] == 8 || used[b] == 8)
            continue;
        vef_topology_join(&made.topology, a, used[a], b, used[b]);
        used[a]++;
        used[b]++;
    }
    free(used);
    return made;
}

static void test_random_graphs_by_search(void **state) {
    (void)state;
    static const uint32_t sizes[] = {3, 33, 65, 700, 1500};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        const uint32_t routers = sizes[i];
        drawn made = draw_at_random(routers, i);
        vef_distances distances = distances_of(&made.topology);
        vef_graph *graph = graph_of(&made.topology);
        uint64_t *pairs = calloc(routers, sizeof *pairs), sum = 0, weights = 0, squares = 0;
        uint32_t *hops = calloc(routers, sizeof *hops), diameter = 0, with_endpoints = 0;
        for (uint32_t a = 0; a < routers; a++) {
            with_endpoints += graph->endpoints[a] != 0;
            distances_from(&made.topology, a, hops);
            for (uint32_t b = 0; b < routers; b++) {
                const uint64_t weight = (uint64_t)graph->endpoints[a] * graph->endpoints[b];
                pairs[hops[b]] += weight;
                sum += weight * hops[b];
                squares += weight * hops[b] * hops[b];
                weights += weight;
                if (weight && hops[b] > diameter)
                    diameter = hops[b];
            }
        }
        const double mean = (double)sum / (double)weights;
        assert_int_equal(distances.diameter, diameter);
        assert_near(distances.average, mean, 1e-13);
        assert_near(distances.average_without, (double)sum / (double)(weights - pairs[0]), 1e-13);
        assert_near(distances.deviation, sqrt((double)squares / (double)weights - mean * mean),
                    1e-9);
        for (uint32_t d = 0; d <= diameter; d++)
            assert_near(distances.distribution[d],
                        (double)pairs[d] / (double)weights * (double)with_endpoints, 1e-10);
        free(pairs);
        free(hops);
        vef_graph_destroy(graph);
        vef_distances_release(&distances);
        wipe(&made);
    }
}

/* ---- path diversity ---- */

static double choose(uint32_t n, uint32_t k) {
    double product = 1;
    for (uint32_t i = 1; i <= k; i++)
        product = product * (n - k + i) / i;
    return product;
}

/* The coefficient of x^(k + n) in (1 + x + x^2)^n. */
static double trinomial(uint32_t n, uint32_t k) {
    double row[64] = {1}, next[64];
    for (uint32_t i = 0; i < n; i++) {
        for (uint32_t j = 0; j < 2 * n + 1; j++)
            next[j] = row[j] + (j > 0 ? row[j - 1] : 0) + (j > 1 ? row[j - 2] : 0);
        memcpy(row, next, sizeof row);
    }
    return row[k + n];
}

static uint32_t greater(uint32_t a, uint32_t b) {
    return a > b ? a : b;
}

/* Stafford et al. (king paper), section 2: |R| = C(|dx| + |dy|, |dx|) in a mesh; C(|dx|, |dy|) with
 * one pair of diagonals for |dx| >= |dy| of the same sign; trinomial coefficients in a king mesh.
 * In tori large enough that no wrap comes near. */
static void test_path_diversity_by_formula(void **state) {
    (void)state;
    vef_topology *mesh = topology_of("mesh", "{sizes: [13, 11]}", 1);
    vef_topology *diagonal =
        topology_of("lattice", "{sizes: [25, 25], generators: [[1, 0], [0, 1], [1, 1]]}", 1);
    vef_topology *king = topology_of(
        "lattice", "{sizes: [25, 25], generators: [[1, 0], [0, 1], [1, 1], [-1, 1]]}", 1);
    vef_graph *graphs[] = {graph_of(mesh), graph_of(diagonal), graph_of(king)};
    vef_error error = {0};
    for (uint32_t x = 0; x < 11; x++)
        for (uint32_t y = 0; y < 11; y++) {
            uint32_t hops;
            double paths;
            const uint32_t there = vef_topology_router_at(mesh, (uint32_t[]){x, y});
            assert_int_equal(vef_minimal_paths(graphs[0], 0, there, &hops, &paths, &error), 0);
            assert_int_equal(hops, x + y);
            assert_near(paths, choose(x + y, x), 0);
            assert_int_equal(vef_minimal_paths(graphs[0], there, 0, &hops, &paths, &error), 0);
            assert_near(paths, choose(x + y, x), 0);
            const uint32_t on_torus = vef_topology_router_at(king, (uint32_t[]){x, y});
            const uint32_t longer = greater(x, y), shorter = x + y - longer;
            assert_int_equal(vef_minimal_paths(graphs[1], 0, on_torus, &hops, &paths, &error), 0);
            assert_int_equal(hops, longer);
            assert_near(paths, choose(longer, shorter), 0);
            assert_int_equal(vef_minimal_paths(graphs[2], 0, on_torus, &hops, &paths, &error), 0);
            assert_int_equal(hops, longer);
            assert_near(paths, trinomial(longer, shorter), 0);
        }
    for (size_t i = 0; i < 3; i++)
        vef_graph_destroy(graphs[i]);
    vef_topology_destroy(mesh);
    vef_topology_destroy(diagonal);
    vef_topology_destroy(king);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_figures_of_the_papers),
        cmocka_unit_test(test_mesh_by_formula),
        cmocka_unit_test(test_distribution_of_rtt),
        cmocka_unit_test(test_routers_without_endpoints_are_no_ends),
        cmocka_unit_test(test_what_is_not_connected_is_refused),
        cmocka_unit_test(test_random_graphs_by_search),
        cmocka_unit_test(test_path_diversity_by_formula),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
