/* The networks that interlaced bypass tori are compared with: cube-connected cycles, de Bruijn
 * graphs, barrel shifters and complete graphs, against their definitions and against Table 1 of
 * Zhang, Powell, Deng ("Interlacing Bypass Rings to Torus Networks for More Efficient Networks").
 */
#include "tests/netmodel/compared.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Table 1; the cost is degree times diameter. The deviations of the cube-connected cycles there are
 * those of a sample, with a divisor of N - 1 for the N distances from a router; those of the other
 * networks have N, which gives 2.8431 and 2.9486 for these two. That vertex-symmetric networks and
 * orbits are what they claim is tested below. */
static void test_table_1(void **state) {
    (void)state;
    static const struct {
        const char *family, *parameters;
        uint32_t routers, degree;
        double average, deviation;
        uint32_t diameter;
        uint64_t bisection;
        uint32_t cost;
    } rows[] = {
        {"cube-connected-cycles", "{dimensions: 11}", 22528, 3, 15.2685, 2.8432, 25, 1024, 75},
        {"cube-connected-cycles", "{dimensions: 12}", 49152, 3, 16.9020, 2.9487, 28, 2048, 84},
        {"barrel-shifter", "{bits: 15}", 32768, 29, 5.1111, 1.1000, 8, 49150, 232},
        /* bisection printed 32768: there the 4 links between words such as 0202 … and 2020 … that
         * lie on different sides count twice */
        {"de-bruijn", "{symbols: 4, length: 7}", 16384, 8, 6.0287, 0.9025, 7, 32768 - 4, 56},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        vef_topology *topology = topology_of(rows[i].family, rows[i].parameters, 1);
        assert_int_equal(topology->routers, rows[i].routers);
        uint32_t degree = 0;
        for (uint32_t r = 0; r < topology->routers; r++)
            degree = degree_of(topology, r) > degree ? degree_of(topology, r) : degree;
        assert_int_equal(degree, rows[i].degree);
        distances found = distances_of(topology, true);
        assert_near(found.average, rows[i].average, 0.00005000001);
        if (strcmp(rows[i].family, "cube-connected-cycles") == 0)
            found.deviation *= sqrt(rows[i].routers / (rows[i].routers - 1.0));
        assert_near(found.deviation, rows[i].deviation, 0.00005000001);
        assert_int_equal(found.diameter, rows[i].diameter);
        assert_int_equal(degree * found.diameter, rows[i].cost);
        for (uint32_t axis = 0; axis < topology->axes; axis++)
            assert_int_equal(cut(topology, axis), rows[i].bisection);
        vef_topology_destroy(topology);
    }
}

/* ---- cube-connected cycles ---- */

static uint32_t turned(uint32_t bits, uint32_t by, uint32_t n) {
    return (bits << by | bits >> (n - by)) & ((1u << n) - 1);
}

/* Preparata and Vuillemin: ring neighbours, and the corner that differs in bit `place`. The group
 * that the file speaks of takes every router to every other, and ports to the same ports; the
 * mirror image exchanges the ring ports. */
static void test_cube_connected_cycles(void **state) {
    (void)state;
    for (uint32_t n = 3; n <= 6; n++) {
        char parameters[32], name[VEF_CLASS_NAME_BYTES];
        snprintf(parameters, sizeof parameters, "{dimensions: %u}", n);
        vef_topology *topology = topology_of("cube-connected-cycles", parameters, 1);
        assert_int_equal(topology->routers, n * (1u << n));
        assert_int_equal(topology->orbits, 1);
        assert_int_equal(topology->axes, n);
        uint32_t links[2] = {0};
        for (uint32_t r = 0; r < topology->routers; r++) {
            const uint32_t corner = r / n, place = r % n;
            assert_int_equal(degree_of(topology, r), 3);
            assert_true(count_links(topology, r, corner * n + (place + 1) % n));
            assert_true(count_links(topology, r, corner * n + (place + n - 1) % n));
            assert_true(count_links(topology, r, (corner ^ 1u << place) * n + place));
            for (uint32_t axis = 0; axis < n; axis++)
                assert_int_equal(vef_topology_far_side(topology, axis, r), corner >> axis & 1);
            for (uint32_t port = 0; port < 3; port++) {
                bool ring = neighbour_of(topology, r, port) / n == corner;
                uint32_t link_class = vef_topology_link_class(topology, r, port);
                vef_topology_link_class_name(topology, link_class, name, sizeof name);
                assert_string_equal(name, ring ? "ring" : "cube");
                assert_int_equal(vef_topology_port_kind(topology, r, port), ring ? 0 : 1);
                links[link_class]++;
            }
        }
        assert_int_equal(links[0], 2 * topology->routers);
        assert_int_equal(links[1], topology->routers);
        for (uint32_t axis = 0; axis < n; axis++)
            assert_int_equal(cut(topology, axis), 1u << (n - 1));
        for (uint32_t by = 0; by < topology->routers; by++) /* takes router 0 to `by` */
            for (uint32_t r = 0; r < topology->routers; r++)
                for (uint32_t port = 0; port < 3; port++) {
                    uint32_t pair[] = {r, neighbour_of(topology, r, port)};
                    for (int i = 0; i < 2; i++)
                        pair[i] = (turned(pair[i] / n, by % n, n) ^ by / n) * n +
                                  (pair[i] % n + by % n) % n;
                    assert_int_equal(neighbour_of(topology, pair[0], port), pair[1]);
                }
        for (uint32_t r = 0; r < topology->routers; r++)
            for (uint32_t port = 0; port < 3; port++) {
                uint32_t pair[] = {r, neighbour_of(topology, r, port)};
                for (int i = 0; i < 2; i++) {
                    uint32_t mirrored = 0;
                    for (uint32_t bit = 0; bit < n; bit++)
                        mirrored |= (pair[i] / n >> bit & 1) << (n - bit) % n;
                    pair[i] = mirrored * n + (n - pair[i] % n) % n;
                }
                assert_int_equal(neighbour_of(topology, pair[0], port < 2 ? 1 - port : 2), pair[1]);
            }
        vef_topology_destroy(topology);
    }
}

/* ---- de Bruijn ---- */

enum { WORD = 8 };

static void symbols_of(uint32_t word, uint32_t d, uint32_t length, uint32_t *symbols) {
    for (uint32_t i = length; i-- > 0; word /= d)
        symbols[i] = word % d;
}

/* The least pair of words that a permutation of the symbols makes of these two: what they look like
 * when symbols have no names. Found by trying all permutations. */
static uint64_t without_names(uint32_t a, uint32_t b, uint32_t d, uint32_t length) {
    uint32_t symbols[2][WORD], permutation[8];
    symbols_of(a, d, length, symbols[0]);
    symbols_of(b, d, length, symbols[1]);
    uint32_t permutations = 1;
    for (uint32_t i = 2; i <= d; i++)
        permutations *= i;
    uint64_t least = UINT64_MAX;
    for (uint32_t number = 0; number < permutations; number++) {
        for (uint32_t i = 0; i < d; i++)
            permutation[i] = i;
        for (uint32_t i = d, rest = number; i > 1; rest /= i, i--) {
            uint32_t other = rest % i, kept = permutation[i - 1];
            permutation[i - 1] = permutation[other];
            permutation[other] = kept;
        }
        uint64_t image = 0;
        for (uint32_t i = 0; i < 2 * length; i++)
            image = image * d + permutation[symbols[i / length][i % length]];
        least = image < least ? image : least;
    }
    return least;
}

/* Samatham and Pradhan: a word is linked with those that its last symbols begin, and those that its
 * first symbols end; each once, and none with itself. Routers of one orbit, and links of one kind
 * out of them, are alike but for the names of the symbols. */
static void check_de_bruijn(uint32_t d, uint32_t length) {
    char parameters[48];
    snprintf(parameters, sizeof parameters, "{symbols: %u, length: %u}", d, length);
    vef_topology *topology = topology_of("de-bruijn", parameters, 1);
    const uint32_t words = topology->routers, kinds = topology->ports;
    uint64_t *orbit = malloc(topology->orbits * sizeof *orbit);
    uint64_t *kind = malloc((size_t)topology->orbits * kinds * sizeof *kind);
    uint64_t *links =
        calloc(topology->orbits, sizeof *links); /* of each kind: 4 bits for its count */
    assert_non_null(links);
    assert_true(kinds <= 16);
    assert_non_null(orbit);
    assert_non_null(kind);
    memset(orbit, 0xff, topology->orbits * sizeof *orbit);
    memset(kind, 0xff, (size_t)topology->orbits * kinds * sizeof *kind);
    uint32_t orbits = 0;
    for (uint32_t u = 0; u < words; u++) {
        uint32_t a[WORD], b[WORD], expected = 0;
        symbols_of(u, d, length, a);
        for (uint32_t v = 0; v < words; v++) {
            symbols_of(v, d, length, b);
            bool left = memcmp(a + 1, b, (length - 1) * sizeof *a) == 0;
            bool right = memcmp(a, b + 1, (length - 1) * sizeof *a) == 0;
            expected += u != v && (left || right);
            assert_int_equal(count_links(topology, u, v), u != v && (left || right));
        }
        assert_int_equal(degree_of(topology, u), expected);
        const uint32_t mine = vef_topology_orbit(topology, u);
        assert_true(mine < topology->orbits);
        orbits += orbit[mine] == UINT64_MAX;
        if (orbit[mine] == UINT64_MAX)
            orbit[mine] = without_names(u, u, d, length);
        assert_int_equal(orbit[mine], without_names(u, u, d, length));
        uint64_t my_links = 0;
        for (uint32_t port = 0; port < topology->ports; port++) {
            uint32_t v = neighbour_of(topology, u, port);
            if (v == VEF_NO_ROUTER)
                continue;
            uint32_t this_kind = vef_topology_port_kind(topology, u, port);
            assert_true(this_kind < kinds);
            my_links += UINT64_C(1) << 4 * this_kind;
            uint64_t *alike = &kind[(size_t)mine * kinds + this_kind];
            if (*alike == UINT64_MAX)
                *alike = without_names(u, v, d, length);
            assert_int_equal(*alike, without_names(u, v, d, length));
        }
        if (links[mine] == 0)
            links[mine] = my_links;
        assert_int_equal(links[mine], my_links); /* all of an orbit have the same kinds of links */
    }
    free(links);
    assert_int_equal(orbits, topology->orbits);
    free(kind);
    free(orbit);
    vef_topology_destroy(topology);
}

static void test_de_bruijn(void **state) {
    (void)state;
    static const uint32_t sizes[][2] = {{2, 1}, {5, 1}, {2, 2}, {4, 2}, {2, 3}, {3, 3},
                                        {2, 6}, {3, 4}, {4, 4}, {5, 3}, {6, 2}};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        check_de_bruijn(sizes[i][0], sizes[i][1]);
    /* Stirling numbers of the second kind: S(7, 1) + … + S(7, 4) patterns of four symbols */
    vef_topology *topology = topology_of("de-bruijn", "{symbols: 4, length: 7}", 1);
    assert_int_equal(topology->orbits, 1 + 63 + 301 + 350);
    vef_topology_destroy(topology);
    /* the other bisection of Table 1, 131072, less the links that it counts twice */
    topology = topology_of("de-bruijn", "{symbols: 4, length: 8}", 1);
    assert_int_equal(topology->orbits, 1 + 127 + 966 + 1701);
    assert_int_equal(cut(topology, 0), 131072 - 4);
    vef_topology_destroy(topology);
}

/* ---- barrel shifters, complete graphs ---- */

static void test_barrel_shifter(void **state) {
    (void)state;
    for (uint32_t bits = 1; bits <= 12; bits++) {
        char parameters[32];
        snprintf(parameters, sizeof parameters, "{bits: %u}", bits);
        vef_topology *topology = topology_of("barrel-shifter", parameters, 1);
        const uint32_t routers = 1u << bits;
        assert_int_equal(topology->routers, routers);
        assert_int_equal(topology->orbits, 1);
        for (uint32_t r = 0; r < routers; r++) {
            assert_int_equal(degree_of(topology, r), 2 * bits - 1);
            for (uint32_t i = 0; i < bits; i++) {
                assert_true(count_links(topology, r, (r + (1u << i)) % routers));
                assert_true(count_links(topology, r, (r + routers - (1u << i)) % routers));
            }
            for (uint32_t port = 0; port < topology->ports; port++) {
                /* a translation takes ports to themselves, the mirror image to those of the kind */
                uint32_t by = neighbour_of(topology, 0, port);
                assert_int_equal(neighbour_of(topology, r, port), (r + by) % routers);
                uint32_t kind = vef_topology_port_kind(topology, r, port);
                assert_true(by == 1u << kind || by == routers - (1u << kind));
            }
        }
        assert_int_equal(cut(topology, 0), 3 * routers / 2 - 2);
        uint32_t *distance = malloc(routers * sizeof *distance);
        assert_non_null(distance);
        for (uint32_t from = 0; from<routers; from += routers> 64 ? routers / 3 : 1) {
            distances_from(topology, from, distance);
            for (uint32_t to = 0; to < routers; to++)
                assert_int_equal(topology->distance(topology, from, to), distance[to]);
        }
        free(distance);
        vef_topology_destroy(topology);
    }
}

static void test_complete(void **state) {
    (void)state;
    for (uint32_t routers = 2; routers <= 17; routers++) {
        char parameters[32];
        snprintf(parameters, sizeof parameters, "{routers: %u}", routers);
        vef_topology *topology = topology_of("complete", parameters, 1);
        for (uint32_t a = 0; a < routers; a++) {
            assert_int_equal(degree_of(topology, a), routers - 1);
            for (uint32_t b = 0; b < routers; b++) {
                assert_int_equal(count_links(topology, a, b), a != b);
                assert_int_equal(topology->distance(topology, a, b), a != b);
            }
            for (uint32_t port = 0; port < routers - 1; port++)
                assert_int_equal(vef_topology_port_kind(topology, a, port), 0);
        }
        assert_int_equal(topology->orbits, 1);
        assert_int_equal(cut(topology, 0), (routers / 2) * ((routers + 1) / 2));
        vef_topology_destroy(topology);
    }
    vef_topology *largest = topology_of("complete", "{routers: 1025}", 1);
    assert_int_equal(largest->ports, VEF_MAX_PORTS);
    vef_topology_destroy(largest);
}

/* ---- for people ---- */

static void test_names(void **state) {
    (void)state;
    static const struct {
        const char *family, *parameters;
        uint32_t port;
        const char *port_name;
        uint32_t router;
        const char *router_name;
    } rows[] = {
        {"cube-connected-cycles", "{dimensions: 3}", 1, "ring-", 17, "(2, 5)"},
        {"de-bruijn", "{symbols: 4, length: 4}", 2, "left 2", 27, "0123"},
        {"de-bruijn", "{symbols: 4, length: 4}", 5, "right 1", 255, "3333"},
        {"de-bruijn", "{symbols: 12, length: 2}", 0, "left 0", 131, "10.11"},
        {"barrel-shifter", "{bits: 4}", 3, "-2", 9, "9"},
        {"barrel-shifter", "{bits: 4}", 6, "+-8", 9, "9"},
        {"complete", "{routers: 4}", 2, "+3", 3, "3"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        vef_topology *topology = topology_of(rows[i].family, rows[i].parameters, 1);
        char text[VEF_ROUTER_NAME_BYTES];
        vef_topology_port_name(topology, rows[i].port, text, sizeof text);
        assert_string_equal(text, rows[i].port_name);
        vef_topology_router_name(topology, rows[i].router, text, sizeof text);
        assert_string_equal(text, rows[i].router_name);
        vef_topology_destroy(topology);
    }
}

static void test_what_is_refused(void **state) {
    (void)state;
    static const struct {
        const char *yaml, *says;
    } rows[] = {
        {"{family: cube-connected-cycles, dimensions: 2}", "from 3 to 19"},
        {"{family: cube-connected-cycles, dimensions: 20}", "from 3 to 19"},
        {"{family: cube-connected-cycles}", "dimensions"},
        {"{family: de-bruijn, symbols: 1, length: 4}", "from 2 to 512"},
        {"{family: de-bruijn, symbols: 513, length: 1}", "from 2 to 512"},
        {"{family: de-bruijn, symbols: 4, length: 0}", "from 1 to 24"},
        {"{family: de-bruijn, symbols: 4, length: 13}",
         "length: more than 16777216 words of 4 symbols: expected at most 12"},
        {"{family: de-bruijn, symbols: 512, length: 24}", "expected at most 2"},
        {"{family: barrel-shifter, bits: 0}", "from 1 to 24"},
        {"{family: barrel-shifter, bits: 25}", "from 1 to 24"},
        {"{family: complete, routers: 1}", "from 2 to 1025"},
        {"{family: complete, routers: 1026}", "from 2 to 1025"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        assert_topology_refused(rows[i].yaml, 1, rows[i].says);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_table_1),         cmocka_unit_test(test_cube_connected_cycles),
        cmocka_unit_test(test_de_bruijn),       cmocka_unit_test(test_barrel_shifter),
        cmocka_unit_test(test_complete),        cmocka_unit_test(test_names),
        cmocka_unit_test(test_what_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
