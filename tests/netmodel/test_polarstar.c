/* PolarStar: orders, degrees and diameter, and the published gains in size (Lakhotia et al., SPAA
 * 2024, abstract). */
#include "netmodel/analysis/figures.h"
#include "tests/netmodel/networks.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>

typedef struct network {
    uint32_t q, inside; /* d' */
    bool paley;
} network;

static const network networks[] = {{2, 0, false}, {3, 3, false}, {4, 4, false},  {5, 7, false},
                                   {7, 3, false}, {8, 8, false}, {11, 3, false}, {2, 2, true},
                                   {3, 6, true},  {4, 4, true},  {5, 2, true},   {7, 6, true},
                                   {8, 2, true},  {9, 8, true}};

static void test_closed_forms(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof networks / sizeof networks[0]; i++) {
        const uint32_t q = networks[i].q, inside = networks[i].inside;
        const uint32_t points = q * q + q + 1, size = 2 * inside + (networks[i].paley ? 1 : 2);
        char parameters[96];
        snprintf(parameters, sizeof parameters, "{degree: %u, q: %u, supernode: %s}",
                 q + 1 + inside, q, networks[i].paley ? "paley" : "inductive-quad");
        vef_topology *topology = topology_of("polarstar", parameters, 1);
        const vef_figures_request request = {.without_loads = true};
        vef_figures figures;
        vef_error error = {0};
        if (vef_figures_measure(topology, &request, &figures, &error))
            fail_msg("%s", error.message);
        assert_int_equal(figures.routers, points * size);
        assert_int_equal(figures.diameter, 3);
        assert_int_equal(figures.degree_max, q + 1 + inside);
        assert_int_equal(figures.degree_min, q + 1 + inside - networks[i].paley);
        /* The q + 1 quadrics have no loop with Paley supernodes. */
        assert_int_equal(2 * figures.links, points * size * (q + 1 + inside) -
                                                (networks[i].paley ? (q + 1) * size : 0));
        vef_figures_release(&figures);
        vef_topology_destroy(topology);
    }
}

/* A simple graph: no two ports of a router lead to the same one. */
static void test_no_parallel_links(void **state) {
    (void)state;
    vef_topology *topology = topology_of("polarstar", "{degree: 9}", 1);
    for (uint32_t router = 0; router < topology->routers; router++)
        for (uint32_t a = 0; a < topology->ports; a++)
            for (uint32_t b = 0; b < a; b++) {
                const uint32_t *next = &topology->neighbour[router * topology->ports];
                assert_true(next[a] == VEF_NO_ROUTER || next[a] != next[b]);
            }
    vef_topology_destroy(topology);
}

/* The greatest dragonfly and HyperX of three dimensions with so many links a router. */
static double dragonfly(uint32_t degree) {
    double most = 0;
    for (uint32_t a = 1; a <= degree; a++) {
        const double h = degree + 1 - a;
        most = fmax(most, a * (a * h + 1));
    }
    return most;
}

static double hyperx(uint32_t degree) {
    double most = 0;
    for (uint32_t a = 1; a < degree; a++)
        for (uint32_t b = 1; a + b < degree; b++)
            most = fmax(most, (a + 1.0) * (b + 1) * (degree - a - b + 1));
    return most;
}

static bool is_prime_power(uint32_t q) {
    uint32_t p = 2;
    while (q % p != 0)
        p++;
    while (q % p == 0)
        q /= p;
    return q == 1;
}

/* The greatest over all splits of the degree. */
static double polarstar(uint32_t degree) {
    double most = 0;
    for (uint32_t q = 2; q < degree; q++) {
        const uint32_t inside = degree - 1 - q;
        const double points = q * q + q + 1;
        if (!is_prime_power(q))
            continue;
        if (inside % 4 == 0 || inside % 4 == 3)
            most = fmax(most, points * (2 * inside + 2));
        else if (inside % 2 == 0 && is_prime_power(2 * inside + 1))
            most = fmax(most, points * (2 * inside + 1));
    }
    return most;
}

static double routers_of(uint32_t degree) {
    char parameters[32];
    snprintf(parameters, sizeof parameters, "{degree: %u}", degree);
    vef_topology *topology = topology_of("polarstar", parameters, 1);
    const double routers = topology->routers;
    vef_topology_destroy(topology);
    return routers;
}

/* "geometric mean increase in scale of ... 1.9x over Dragonfly, and 6.7x over 3-D HyperX", from 8
 * to 128 links. */
static void test_published_scale(void **state) {
    (void)state;
    double beside_dragonfly = 0, beside_hyperx = 0;
    for (uint32_t degree = 8; degree <= 128; degree++) {
        beside_dragonfly += log(polarstar(degree) / dragonfly(degree)) / 121;
        beside_hyperx += log(polarstar(degree) / hyperx(degree)) / 121;
    }
    assert_near(exp(beside_dragonfly), 1.9, 0.05);
    assert_near(exp(beside_hyperx), 6.7, 0.05);
    for (uint32_t degree = 3; degree <= 32; degree++)
        assert_near(routers_of(degree), polarstar(degree), 0);
}

/* The split of 15 links that the paper simulates: q = 11 and d' = 3. */
static void test_best_split(void **state) {
    (void)state;
    assert_near(routers_of(15), 133 * 8, 0);
}

static void test_refusals(void **state) {
    (void)state;
    assert_topology_refused("{family: polarstar, degree: 6, q: 3, supernode: inductive-quad}", 1,
                            "there is no such network");
    assert_topology_refused("{family: polarstar, degree: 16, q: 6}", 1, "there is no such network");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_closed_forms),    cmocka_unit_test(test_no_parallel_links),
        cmocka_unit_test(test_published_scale), cmocka_unit_test(test_best_split),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
