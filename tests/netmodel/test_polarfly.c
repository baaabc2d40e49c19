/* PolarFly: the graphs against the definition over residues, counts, diameter, mean distance and
 * common neighbours over any field, symmetries, names, and what is refused. */
#include "netmodel/topology/algebraic/galois.h"
#include "tests/netmodel/links.h"
#include "tests/netmodel/networks.h"
#include "tests/netmodel/symmetries.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

static const uint32_t orders[] = {2, 3, 4, 5, 7, 8, 9, 11, 13, 16, 17, 19, 23, 25, 27};
enum { ORDERS = sizeof orders / sizeof orders[0] };

static vef_topology *fly_of(uint32_t q) {
    char parameters[32];
    snprintf(parameters, sizeof parameters, "{q: %u}", q);
    return topology_of("polarfly", parameters, 1);
}

static uint32_t degree_of(const vef_topology *topology, uint32_t router) {
    uint32_t degree = 0;
    for (uint32_t port = 0; port < topology->ports; port++)
        degree += neighbour_of(topology, router, port) != VEF_NO_ROUTER;
    return degree;
}

/* ---- the definition ---- */

/* All vectors whose first coordinate other than 0 is 1: those beginning with 1, with 0 1, and 0 0
 * 1, counted up. Returns how many. */
static uint32_t list_points(uint32_t q, uint32_t (*points)[3]) {
    uint32_t count = 0;
    for (uint32_t first = 0; first < 3; first++)
        for (uint32_t b = 0; b < q; b++)
            for (uint32_t c = 0; c < q; c++) {
                const uint32_t here[3] = {first == 0, first == 1 ? 1 : b, first == 2 ? 1 : c};
                if ((first >= 1 && b > 0) || (first == 2 && c > 0))
                    continue;
                memcpy(points[count++], here, sizeof here);
            }
    return count;
}

static void test_graph_is_that_of_the_definition(void **state) {
    (void)state;
    static const uint32_t primes[] = {2, 3, 5, 7, 11, 13};
    for (size_t i = 0; i < sizeof primes / sizeof primes[0]; i++) {
        const uint32_t q = primes[i];
        uint32_t points[200][3];
        vef_topology *topology = fly_of(q);
        assert_int_equal(list_points(q, points), topology->routers);
        for (uint32_t a = 0; a < topology->routers; a++)
            for (uint32_t b = 0; b < topology->routers; b++) {
                uint32_t dot = 0;
                for (uint32_t j = 0; j < 3; j++)
                    dot += points[a][j] * points[b][j];
                assert_int_equal(count_links(topology, a, b), a != b && dot % q == 0);
            }
        vef_topology_destroy(topology);
    }
}

/* ---- any q ---- */

/* Quadrics and the two other classes: of q (q + 1) / 2 and q (q - 1) / 2 routers for odd q, q^2 - 1
 * and 1 for even q; linked to 2 and 0, or 1 and all quadrics. */
static void check_classes(const vef_topology *topology, uint32_t q) {
    uint32_t routers[3] = {0};
    const uint32_t linked_to[2][2] = {{1, q + 1}, {2, 0}};
    for (uint32_t a = 0; a < topology->routers; a++) {
        const uint32_t class = vef_topology_orbit(topology, a);
        uint32_t quadrics = 0;
        for (uint32_t port = 0; port < topology->ports; port++)
            if (neighbour_of(topology, a, port) != VEF_NO_ROUTER) {
                const uint32_t next = neighbour_of(topology, a, port);
                quadrics += degree_of(topology, next) == q;
                assert_true(port == 0 || neighbour_of(topology, a, port - 1) < next);
                assert_int_equal(vef_topology_port_kind(topology, a, port),
                                 vef_topology_orbit(topology, next));
            }
        assert_int_equal(degree_of(topology, a), class == 0 ? q : q + 1);
        assert_int_equal(quadrics, class == 0 ? 0 : linked_to[q % 2][class - 1]);
        routers[class]++;
    }
    assert_int_equal(routers[0], q + 1);
    assert_int_equal(routers[1], q % 2 ? q * (q + 1) / 2 : q * q - 1);
    assert_int_equal(routers[2], q % 2 ? q * (q - 1) / 2 : 1);
}

/* Two routers have one common neighbour, unless one of them is a quadric linked to the other, which
 * stands for it: a graph without circles of four. The mean distance is 2 - k / (routers - 1), k the
 * mean degree. */
static void test_any_order(void **state) {
    (void)state;
    for (size_t i = 0; i < ORDERS; i++) {
        const uint32_t q = orders[i];
        vef_topology *topology = fly_of(q);
        const uint32_t n = topology->routers;
        assert_int_equal(n, q * q + q + 1);
        assert_int_equal(topology->ports, q + 1);
        check_classes(topology, q);
        uint32_t *distance = malloc(n * sizeof *distance);
        uint64_t sum = 0;
        for (uint32_t a = 0; a < n; a++) {
            distances_from(topology, a, distance);
            for (uint32_t b = 0; b < n; b++) {
                assert_true(distance[b] <= 2);
                assert_int_equal(topology->distance(topology, a, b), distance[b]);
                sum += distance[b];
            }
            uint32_t *common = calloc(n, sizeof *common);
            for (uint32_t port = 0; port < degree_of(topology, a); port++)
                for (uint32_t on = 0; on < degree_of(topology, neighbour_of(topology, a, port));
                     on++)
                    common[neighbour_of(topology, neighbour_of(topology, a, port), on)]++;
            for (uint32_t b = 0; b < n; b++) {
                const bool by_quadric = distance[b] == 1 && (degree_of(topology, a) == q ||
                                                             degree_of(topology, b) == q);
                assert_int_equal(common[b], a == b ? degree_of(topology, a) : !by_quadric);
            }
            free(common);
        }
        const double mean_degree = (double)q * (q + 1) * (q + 1) / n;
        assert_near((double)sum / n / (n - 1), 2 - mean_degree / (n - 1), 1e-12);
        free(distance);
        vef_topology_destroy(topology);
    }
}

/* q = 23 as the authors draw it: 553 routers of radix 24; mean distances by the closed form, six
 * digits. */
static void test_known_sizes(void **state) {
    (void)state;
    static const struct {
        uint32_t q, routers;
        double average;
    } rows[] = {{3, 13, 1.692308}, {4, 21, 1.761905}, {5, 31, 1.806452},   {7, 57, 1.859649},
                {8, 73, 1.876712}, {9, 91, 1.890110}, {11, 133, 1.909774}, {23, 553, 1.956600}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        vef_topology *topology = fly_of(rows[i].q);
        uint32_t diameter;
        const double n = topology->routers;
        assert_int_equal(topology->routers, rows[i].routers);
        assert_near(average_distance(topology, &diameter) * n / (n - 1), rows[i].average,
                    0.5e-6 + 1e-9);
        assert_int_equal(diameter, 2);
        vef_topology_destroy(topology);
    }
}

/* ---- symmetries ---- */

static uint32_t dot(const vef_galois *field, const uint32_t *u, const uint32_t *v) {
    uint32_t sum = 0;
    for (uint32_t i = 0; i < 3; i++)
        sum = vef_galois_add(field, sum, vef_galois_multiply(field, u[i], v[i]));
    return sum;
}

/* v + c (v . a) a for all points v. With c = -2 / (a . a), the reflection in the plane of a; for
 * even q and a . a = 0, a transvection. Both preserve the dot product. */
static void map_points(const vef_galois *field, uint32_t (*points)[3], const uint32_t *a,
                       uint32_t c, uint32_t *image) {
    const uint32_t q = field->q, n = q * q + q + 1;
    for (uint32_t router = 0; router < n; router++) {
        uint32_t v[3], first = 0;
        const uint32_t along = vef_galois_multiply(field, c, dot(field, points[router], a));
        for (uint32_t i = 0; i < 3; i++)
            v[i] =
                vef_galois_add(field, points[router][i], vef_galois_multiply(field, along, a[i]));
        while (v[first] == 0)
            assert_true(++first < 3);
        const uint32_t inverse = field->inverse[v[first]];
        for (uint32_t i = 0; i < 3; i++)
            v[i] = vef_galois_multiply(field, v[i], inverse);
        image[router] = 0;
        while (memcmp(points[image[router]], v, sizeof v) != 0)
            assert_true(++image[router] < n);
    }
}

static void test_what_is_claimed_to_be_alike(void **state) {
    (void)state;
    for (size_t i = 0; i < ORDERS && orders[i] <= 11; i++) {
        const uint32_t q = orders[i];
        vef_topology *topology = fly_of(q);
        vef_arena arena = {0};
        vef_galois field;
        assert_int_equal(vef_galois_make(q, &arena, &field, NULL), VEF_OK);
        uint32_t points[200][3];
        assert_int_equal(list_points(q, points), topology->routers);
        symmetries known = symmetries_of(topology);
        const uint32_t minus_two = field.negative[vef_galois_add(&field, 1, 1)];
        for (uint32_t a = 0; a < topology->routers; a++) {
            const uint32_t square = dot(&field, points[a], points[a]);
            for (uint32_t c = 1; c < q; c++) {
                if (q % 2 == 0 ? square != 0 : vef_galois_multiply(&field, c, square) != minus_two)
                    continue;
                map_points(&field, points, points[a], c, known.image);
                add_symmetry(&known, false);
            }
        }
        check_claims(&known);
        release_symmetries(&known);
        vef_arena_release(&arena);
        vef_topology_destroy(topology);
    }
}

/* ---- names, what is refused ---- */

static void test_names_and_classes(void **state) {
    (void)state;
    char name[VEF_ROUTER_NAME_BYTES];
    static const struct {
        uint32_t q, classes, links[4]; /* by class */
        const char *last;
    } rows[] = {
        /* W-V1: q each; V1-V1, V2-V2: (q - 1) / 2 and (q + 1) / 2 each; V1-V2: (q - 1) / 2 of V1 */
        {5, 4, {6 * 5, 15 * 2 / 2, 15 * 2, 10 * 3 / 2}, "V2-V2"},
        /* V1 has 1 link to W and q to V1; the one of V2 has q + 1 to W */
        {4, 3, {15, 15 * 4 / 2, 5}, "W-V2"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        vef_topology *topology = fly_of(rows[i].q);
        uint32_t ends[4] = {0};
        assert_int_equal(topology->link_classes, rows[i].classes);
        for (uint32_t a = 0; a < topology->routers; a++)
            for (uint32_t port = 0; port < degree_of(topology, a); port++)
                ends[vef_topology_link_class(topology, a, port)]++;
        for (uint32_t c = 0; c < 4; c++)
            assert_int_equal(ends[c], 2 * rows[i].links[c]);
        vef_topology_link_class_name(topology, rows[i].classes - 1, name, sizeof name);
        assert_string_equal(name, rows[i].last);
        vef_topology_destroy(topology);
    }
    vef_topology *topology = fly_of(5);
    static const char *const names[] = {"(1, 4, 3)", "(0, 1, 2)", "(0, 0, 1)"};
    static const uint32_t routers[] = {23, 27, 30};
    for (size_t i = 0; i < 3; i++) {
        vef_topology_router_name(topology, routers[i], name, sizeof name);
        assert_string_equal(name, names[i]);
    }
    vef_topology_destroy(topology);
}

static void test_what_is_refused(void **state) {
    (void)state;
    static const struct {
        const char *yaml, *says;
    } rows[] = {
        {"{family: polarfly}", "q"},
        {"{family: polarfly, q: 1}", "expected a whole number from 2 to 317"},
        {"{family: polarfly, q: 331}", "expected a whole number from 2 to 317"},
        {"{family: polarfly, q: 10}", "q: 10: not a prime power: expected 9 or 11"},
        {"{family: polarfly, q: 316}", "expected 313 or 317"},
        {"{family: polar-fly, q: 5}", "did you mean polarfly"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        assert_topology_refused(rows[i].yaml, 1, rows[i].says);
    vef_topology *greatest = fly_of(317);
    assert_int_equal(greatest->routers, 100807);
    vef_topology_destroy(greatest);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_graph_is_that_of_the_definition),
        cmocka_unit_test(test_any_order),
        cmocka_unit_test(test_known_sizes),
        cmocka_unit_test(test_what_is_claimed_to_be_alike),
        cmocka_unit_test(test_names_and_classes),
        cmocka_unit_test(test_what_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
