/* Slim Fly: the graphs against the definition over residues and over tables of fields, their
 * diameter and mean distance, the Hoffman-Singleton graph, symmetries, names, and what is refused.
 */
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

/* All that are at most 49. */
static const uint32_t orders[] = {3,  4,  5,  7,  8,  9,  11, 13, 16, 17, 19,
                                  23, 25, 27, 29, 31, 32, 37, 41, 43, 47, 49};
enum { ORDERS = sizeof orders / sizeof orders[0] };

static vef_topology *fly_of(uint32_t q) {
    char parameters[32];
    snprintf(parameters, sizeof parameters, "{q: %u}", q);
    return topology_of("slim-fly", parameters, 1);
}

static int delta(uint32_t q) {
    return q % 4 == 3 ? -1 : (int)(q % 4);
}

/* ---- the definition, prime q ---- */

static uint32_t to_the(uint32_t base, uint32_t exponent, uint32_t q) {
    return exponent == 0 ? 1 : base * to_the(base, exponent - 1, q) % q;
}

static uint32_t primitive_root(uint32_t q) {
    for (uint32_t root = 2;; root++) {
        uint32_t order = 1;
        while (to_the(root, order, q) != 1)
            order++;
        if (order == q - 1)
            return root;
    }
}

/* X and X' as Besta and Hoefler list them, for q = 4w + 1 and q = 4w - 1. */
static void list_sets(uint32_t q, bool sets[2][64]) {
    const uint32_t root = primitive_root(q), w = (q + 1) / 4;
    memset(sets, 0, 2 * sizeof sets[0]);
    if (q % 4 == 1) {
        for (uint32_t i = 0; i < q - 1; i++)
            sets[i % 2][to_the(root, i, q)] = true;
        return;
    }
    for (uint32_t i = 0; i <= 2 * w - 2; i += 2) {
        sets[0][to_the(root, i, q)] = true;
        sets[0][to_the(root, 2 * w - 1 + i, q)] = true;
        sets[1][to_the(root, i + 1, q)] = true;
        sets[1][to_the(root, 2 * w + i, q)] = true;
    }
}

/* X' and, for d = -1, X depend on the primitive root; galois.c promises the least one. */
static void test_graph_is_that_of_the_definition(void **state) {
    (void)state;
    static const uint32_t primes[] = {5, 7, 11, 13, 17};
    for (size_t i = 0; i < sizeof primes / sizeof primes[0]; i++) {
        const uint32_t q = primes[i];
        bool sets[2][64];
        list_sets(q, sets);
        vef_topology *topology = fly_of(q);
        assert_int_equal(topology->routers, 2 * q * q);
        for (uint32_t a = 0; a < topology->routers; a++)
            for (uint32_t b = 0; b < topology->routers; b++) {
                const uint32_t half = a / (q * q), x = a / q % q, y = a % q;
                const uint32_t other = b / (q * q), x2 = b / q % q, y2 = b % q;
                bool linked;
                if (half == other)
                    linked = x == x2 && sets[half][(y + q - y2) % q];
                else if (half == 0)
                    linked = y == (x2 * x + y2) % q;
                else
                    linked = y2 == (x * x2 + y) % q;
                assert_int_equal(count_links(topology, a, b), linked);
            }
        vef_topology_destroy(topology);
    }
}

/* ---- the definition, any q ---- */

/* The sets are read off the links of (0, 0, 0) and (1, 0, 0); all other groups must have the same.
 */
static void check_definition(const vef_topology *topology, const vef_galois *field) {
    const uint32_t q = field->q, size = (uint32_t)((int)q - delta(q)) / 2;
    bool sets[2][64] = {{false}};
    for (uint32_t half = 0; half < 2; half++)
        for (uint32_t port = 0; port < topology->ports; port++) {
            const uint32_t next = neighbour_of(topology, half * q * q, port);
            if (next / q == half * q)
                sets[half][next % q] = true;
        }
    uint32_t members[2] = {0};
    for (uint32_t z = 0; z < q; z++) {
        assert_int_equal(z > 0, sets[0][z] || sets[1][z]);
        for (uint32_t half = 0; half < 2; half++) {
            members[half] += sets[half][z];
            assert_int_equal(sets[half][z], sets[half][field->negative[z]]);
        }
        /* For d = 1, one set has the squares and the other has none. */
        if (delta(q) == 1 && z > 0)
            assert_true(sets[0][vef_galois_multiply(field, z, z)] &&
                        !sets[1][vef_galois_multiply(field, z, z)]);
    }
    assert_int_equal(members[0], size);
    assert_int_equal(members[1], size);
    for (uint32_t a = 0; a < topology->routers; a++)
        for (uint32_t port = 0; port < topology->ports; port++) {
            const uint32_t b = neighbour_of(topology, a, port);
            const uint32_t x = a / q % q, y = a % q, x2 = b / q % q, y2 = b % q;
            assert_int_equal(count_links(topology, a, b), 1);
            if (a / (q * q) == b / (q * q)) {
                assert_int_equal(x, x2);
                assert_true(sets[a / (q * q)][vef_galois_subtract(field, y, y2)]);
            } else if (a < b) {
                assert_int_equal(y, vef_galois_add(field, vef_galois_multiply(field, x2, x), y2));
            }
        }
}

/* Degree (3q - d) / 2; diameter 2, so the mean distance is 2 - degree / (routers - 1). */
static void test_any_order(void **state) {
    (void)state;
    for (size_t i = 0; i < ORDERS; i++) {
        const uint32_t q = orders[i], degree = (uint32_t)(3 * (int)q - delta(q)) / 2;
        vef_topology *topology = fly_of(q);
        vef_arena arena = {0};
        vef_galois field;
        assert_int_equal(vef_galois_make(q, &arena, &field, NULL), VEF_OK);
        assert_int_equal(topology->routers, 2 * q * q);
        assert_int_equal(topology->ports, degree); /* none unconnected: the loop finds all links */
        check_definition(topology, &field);
        uint32_t *distance = malloc(topology->routers * sizeof *distance);
        for (uint32_t from = 0; from < topology->routers; from += q * q / 2 + 1) {
            distances_from(topology, from, distance);
            uint64_t moment[3] = {0};
            for (uint32_t to = 0; to < topology->routers; to++) {
                assert_true(distance[to] <= 2);
                moment[distance[to]]++;
                assert_int_equal(topology->distance(topology, from, to), distance[to]);
            }
            assert_int_equal(moment[1], degree);
            const double others = topology->routers - 1.0;
            assert_near((double)(moment[1] + 2 * moment[2]) / others, 2 - degree / others, 1e-12);
        }
        free(distance);
        vef_arena_release(&arena);
        vef_topology_destroy(topology);
    }
}

/* Degrees and sizes of the literature: McKay, Miller, Širáň's degrees for q = 5, 9, 13, …; H_9 has
 * 162 routers (Šiagiová 2001). Mean distances to other routers by the closed form, six digits. */
static void test_known_sizes(void **state) {
    (void)state;
    static const struct {
        uint32_t q, routers, degree;
        double average; /* 0: not asked */
    } rows[] = {
        {5, 50, 7, 1.857143},    {9, 162, 13, 1.919255},   {13, 338, 19, 1.943620},
        {17, 578, 25, 1.956672}, {25, 1250, 37, 1.970376}, {29, 1682, 43, 0},
        {37, 2738, 55, 0},       {41, 3362, 61, 0},        {49, 4802, 73, 0},
        {7, 98, 11, 1.886598},   {11, 242, 17, 1.929461},  {4, 32, 6, 1.806452},
        {8, 128, 12, 1.905512},  {16, 512, 24, 1.953033},  {43, 3698, 65, 1.982418},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        vef_topology *topology = fly_of(rows[i].q);
        assert_int_equal(topology->routers, rows[i].routers);
        assert_int_equal(topology->ports, rows[i].degree);
        if (rows[i].average > 0 && topology->routers <= 600) {
            uint32_t diameter;
            const double n = topology->routers;
            assert_near(average_distance(topology, &diameter) * n / (n - 1), rows[i].average,
                        0.5e-6 + 1e-9);
            assert_int_equal(diameter, 2);
        }
        vef_topology_destroy(topology);
    }
}

/* q = 5: two routers that are linked have no common neighbour, others have one, so there are no
 * circles of 3 or 4: the Moore graph of degree 7, which is unique (Hoffman, Singleton 1960). */
static void test_hoffman_singleton(void **state) {
    (void)state;
    vef_topology *topology = fly_of(5);
    for (uint32_t a = 0; a < 50; a++)
        for (uint32_t b = 0; b < 50; b++) {
            uint32_t common = 0;
            for (uint32_t port = 0; port < topology->ports; port++)
                common += count_links(topology, neighbour_of(topology, a, port), b);
            assert_int_equal(common, a == b ? 7 : count_links(topology, a, b) ? 0 : 1);
        }
    vef_topology_destroy(topology);
}

/* ---- symmetries ---- */

typedef enum map { TRANSLATE, SHIFT_X, SHIFT_M, SCALE, EXCHANGE } map;

/* The image of a router: by translations (s, t), by x or m alone, by a factor, by exchange of the
 * halves. */
static uint32_t image(const vef_galois *f, map which, uint32_t router, uint32_t s, uint32_t t) {
    const uint32_t q = f->q, half = router / (q * q), x = router / q % q, y = router % q;
    uint32_t half2 = half, x2 = x, y2 = y;
    const uint32_t sx = vef_galois_multiply(f, s, x), ss = vef_galois_multiply(f, s, s);
    switch (which) {
    case TRANSLATE:
        x2 = vef_galois_add(f, x, s);
        y2 = half == 0 ? vef_galois_add(f, vef_galois_add(f, y, sx), ss)
                       : vef_galois_subtract(f, y, sx);
        y2 = vef_galois_add(f, y2, t);
        break;
    case SHIFT_X:
        x2 = half == 0 ? vef_galois_add(f, x, s) : x;
        y2 = half == 0 ? y : vef_galois_subtract(f, y, sx);
        break;
    case SHIFT_M:
        x2 = half == 0 ? x : vef_galois_add(f, x, s);
        y2 = half == 0 ? vef_galois_add(f, y, sx) : y;
        break;
    case SCALE:
        x2 = half == 0 ? x : sx;
        y2 = vef_galois_multiply(f, s, y);
        break;
    case EXCHANGE:
        half2 = 1 - half;
        x2 = half == 0 ? x : f->negative[sx];
        y2 = vef_galois_multiply(f, s, y);
        break;
    }
    return (half2 * q + x2) * q + y2;
}

static void add(symmetries *known, const vef_galois *field, map which, uint32_t s, uint32_t t) {
    for (uint32_t router = 0; router < known->topology->routers; router++)
        known->image[router] = image(field, which, router, s, t);
    add_symmetry(known, which == TRANSLATE);
}

/* The symmetries that the head of slim_fly.c names; translations alone make no more than two
 * classes. */
static void test_what_is_claimed_to_be_alike(void **state) {
    (void)state;
    for (size_t i = 0; i < ORDERS && orders[i] <= 32; i++) {
        const uint32_t q = orders[i];
        vef_topology *topology = fly_of(q);
        vef_arena arena = {0};
        vef_galois field;
        assert_int_equal(vef_galois_make(q, &arena, &field, NULL), VEF_OK);
        assert_int_equal(topology->orbits, delta(q) == 1 ? 1 : 2);
        assert_int_equal(topology->translation_classes, 2);
        symmetries known = symmetries_of(topology);
        for (uint32_t unit = 1; unit < q; unit *= field.p) {
            add(&known, &field, TRANSLATE, unit, 0);
            add(&known, &field, TRANSLATE, 0, unit);
        }
        uint32_t classes = 0;
        for (uint32_t router = 0; router < topology->routers; router++) {
            classes += known.router[router] == router; /* the root of a class */
            assert_int_equal(vef_topology_translation_class(topology, router), router / (q * q));
        }
        assert_int_equal(classes, 2);
        for (uint32_t unit = 1; unit < q; unit *= field.p) {
            add(&known, &field, SHIFT_X, unit, 0);
            add(&known, &field, SHIFT_M, unit, 0);
        }
        const uint32_t b = field.power[1 % (q - 1)];
        if (delta(q) == 1) {
            add(&known, &field, EXCHANGE, b, 0);
            add(&known, &field, SCALE, vef_galois_multiply(&field, b, b), 0);
        } else if (delta(q) == -1)
            add(&known, &field, SCALE, field.negative[1], 0);
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
    vef_topology *topology = fly_of(5);
    vef_topology_router_name(topology, 25 + 3 * 5 + 2, name, sizeof name);
    assert_string_equal(name, "(1, 3, 2)");
    vef_topology_port_name(topology, 1, name, sizeof name);
    assert_string_equal(name, "group 1");
    vef_topology_port_name(topology, 6, name, sizeof name);
    assert_string_equal(name, "across 4");
    assert_int_equal(topology->link_classes, 3);
    assert_int_equal(vef_topology_link_class(topology, 24, 1), 0);
    assert_int_equal(vef_topology_link_class(topology, 25, 1), 1);
    assert_int_equal(vef_topology_link_class(topology, 25, 2), 2);
    vef_topology_link_class_name(topology, 1, name, sizeof name);
    assert_string_equal(name, "groups of half 1");
    vef_topology_destroy(topology);
}

static void test_what_is_refused(void **state) {
    (void)state;
    static const struct {
        const char *yaml, *says;
    } rows[] = {
        {"{family: slim-fly}", "q"},
        {"{family: slim-fly, q: 2}", "expected a whole number from 3 to 223"},
        {"{family: slim-fly, q: 227}", "expected a whole number from 3 to 223"},
        {"{family: slim-fly, q: 6}", "q: 6: not a prime power: expected 5 or 7"},
        {"{family: slim-fly, q: 12}", "expected 11 or 13"},
        {"{family: slim-fly, q: 222}", "expected 211 or 223"},
        {"{family: slim-fly, q: 5, p: 4}", "p"},
        {"{family: slimfly, q: 5}", "did you mean slim-fly"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        assert_topology_refused(rows[i].yaml, 1, rows[i].says);
    vef_topology *greatest = fly_of(223);
    assert_int_equal(greatest->ports, 335);
    vef_topology_destroy(greatest);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_graph_is_that_of_the_definition),
        cmocka_unit_test(test_any_order),
        cmocka_unit_test(test_known_sizes),
        cmocka_unit_test(test_hoffman_singleton),
        cmocka_unit_test(test_what_is_claimed_to_be_alike),
        cmocka_unit_test(test_names_and_classes),
        cmocka_unit_test(test_what_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
