/* Recursive diagonal tori, shifted recursive tori and hybrid fat trees against their definitions
 * and against Table 1 of Zhang, Powell, Deng ("Interlacing Bypass Rings to Torus Networks for More
 * Efficient Networks"). */
#include "tests/netmodel/compared.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

/* ---- the table ---- */

static void test_table_1(void **state) {
    (void)state;
    static const struct {
        const char *family, *parameters;
        uint32_t routers, least_degree, degree;
        double average, deviation;
        uint32_t diameter;
    } rows[] = {
        {"rdt", "{size: 128}", 16384, 6, 8, 6.6113, 1.2340, 10},
        {"rdt", "{size: 256}", 65536, 8, 8, 7.8076, 1.4521, 12},
        {"srt", "{bits: 7}", 16384, 4, 8, 7.8904, 1.6543, 13},
        {"srt", "{bits: 8}", 65536, 4, 8, 10.0529, 1.9974, 16},
        {"hybrid-fat-tree", "{levels: 15}", 32768, 2, 29, 9.3334, 1.6922, 15},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        vef_topology *topology = topology_of(rows[i].family, rows[i].parameters, 1);
        assert_int_equal(topology->routers, rows[i].routers);
        uint32_t least = UINT32_MAX, most = 0;
        for (uint32_t r = 0; r < topology->routers; r++) {
            const uint32_t degree = degree_of(topology, r);
            least = degree < least ? degree : least;
            most = degree > most ? degree : most;
        }
        assert_int_equal(least, rows[i].least_degree);
        assert_int_equal(most, rows[i].degree);
        const distances found = distances_of(topology, true);
        assert_near(found.average, rows[i].average, 0.00005000001);
        assert_near(found.deviation, rows[i].deviation, 0.00005000001);
        assert_int_equal(found.diameter, rows[i].diameter);
        vef_topology_destroy(topology);
    }
}

/* Rings along an axis cross both cuts. RDT: in each row of routers a quarter has steps of rank r,
 * and so a step of l crosses a cut l / 4 times, twice that if there are two diagonals; rank 4 of
 * 128 routers is half of the side, where a link crosses one of the cuts. Table 1 prints 5632 and
 * 23552. SRT: a ring of each length in each row, of which the longest has one link. The others are
 * as printed. */
static void test_bisections(void **state) {
    (void)state;
    vef_topology *topology = NULL;
    for (uint32_t axis = 0; axis < 2; axis++) {
        topology = topology_of("rdt", "{size: 128}", 1);
        assert_int_equal(cut(topology, axis), 128 * (2 + 2 + 4 + 16 + 16));
        vef_topology_destroy(topology);
        topology = topology_of("rdt", "{size: 256}", 1);
        assert_int_equal(cut(topology, axis), 256 * (2 + 2 + 4 + 16 + 32));
        vef_topology_destroy(topology);
        topology = topology_of("srt", "{bits: 7}", 1);
        assert_int_equal(cut(topology, axis), 1664);
        vef_topology_destroy(topology);
        topology = topology_of("srt", "{bits: 8}", 1);
        assert_int_equal(cut(topology, axis), 3840);
        vef_topology_destroy(topology);
    }
    topology = topology_of("hybrid-fat-tree", "{levels: 15}", 1);
    assert_int_equal(cut(topology, 0), 3);
    vef_topology_destroy(topology);
}

/* ---- symmetries ---- */

/* The router that `router` becomes when all move by `by` along both dimensions. */
static uint32_t moved(const vef_topology *topology, uint32_t router, const uint32_t *by) {
    uint32_t here[2];
    vef_topology_coordinates(topology, router, here);
    for (int d = 0; d < 2; d++)
        here[d] = (here[d] + by[d]) % topology->sizes[d];
    return vef_topology_router_at(topology, here);
}

/* Any two routers of one orbit are taken into each other by a translation that preserves ports; all
 * orbits are as large. */
static void check_translations(const vef_topology *topology) {
    uint32_t *of_orbit = calloc(topology->orbits, sizeof *of_orbit);
    assert_non_null(of_orbit);
    for (uint32_t to = 0; to < topology->routers; to++) {
        uint32_t by[2];
        vef_topology_coordinates(topology, to, by);
        of_orbit[vef_topology_orbit(topology, to)]++;
        if (vef_topology_orbit(topology, to) != vef_topology_orbit(topology, 0))
            continue;
        for (uint32_t r = 0; r < topology->routers; r++) {
            const uint32_t image = moved(topology, r, by);
            assert_int_equal(vef_topology_orbit(topology, image), vef_topology_orbit(topology, r));
            for (uint32_t port = 0; port < topology->ports; port++) {
                const uint32_t next = neighbour_of(topology, r, port);
                assert_int_equal(neighbour_of(topology, image, port),
                                 next == VEF_NO_ROUTER ? next : moved(topology, next, by));
            }
        }
    }
    for (uint32_t orbit = 0; orbit < topology->orbits; orbit++)
        assert_int_equal(of_orbit[orbit], topology->routers / topology->orbits);
    free(of_orbit);
}

static void test_translations(void **state) {
    (void)state;
    static const struct {
        const char *family, *parameters;
        uint32_t orbits;
    } rows[] = {
        {"rdt", "{size: 16, ranks: 2, upper_tori: 2}", 1},
        {"rdt", "{size: 16, ranks: 2, assignment: [[1, 2, 1, 2], [2, 1, 2, 1]]}", 2},
        {"rdt", "{size: 12, ranks: 1}", 1},
        /* alpha's tile with ranks of n = 1, of steps (2, 2), (4, 0), (4, 4), (8, 0) */
        {"rdt",
         "{size: 16, cardinal: 1, ranks: 6, assignment: [[3, 3, 5, 5], [4, 4, 6, 6], [5, 5, 3, 3], "
         "[6, 6, 4, 4]]}",
         8},
        {"srt", "{bits: 4}", 8},
        {"srt", "{bits: 5, shift: 2}", 16},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        vef_topology *topology = topology_of(rows[i].family, rows[i].parameters, 1);
        assert_int_equal(topology->orbits, rows[i].orbits);
        assert_int_equal(topology->translation_classes, rows[i].orbits);
        check_translations(topology);
        vef_topology_destroy(topology);
    }
}

/* ---- links by definition ---- */

/* A router is linked with those at these steps, both ways. */
typedef struct steps {
    int64_t a[2], b[2];
} steps;

static uint32_t stepped(const vef_topology *topology, uint32_t router, const int64_t *step,
                        int64_t sign) {
    uint32_t by[2];
    for (int d = 0; d < 2; d++) {
        const int64_t size = topology->sizes[d];
        by[d] = (uint32_t)(((sign * step[d]) % size + size) % size);
    }
    return moved(topology, router, by);
}

/* Fails unless the links of `router` of a class called `name` are those of the steps, each once. */
static void check_steps(const vef_topology *topology, uint32_t router, const char *name,
                        const steps *walk) {
    uint32_t expected[4], count = 0, found = 0;
    for (int i = 0; i < 4; i++) {
        const uint32_t next =
            stepped(topology, router, i < 2 ? walk->a : walk->b, i % 2 == 0 ? 1 : -1);
        bool known = false;
        for (uint32_t j = 0; j < count; j++)
            known = known || expected[j] == next;
        if (!known)
            expected[count++] = next;
    }
    char text[VEF_CLASS_NAME_BYTES];
    for (uint32_t port = 0; port < topology->ports; port++) {
        const uint32_t next = neighbour_of(topology, router, port);
        if (next == VEF_NO_ROUTER)
            continue;
        vef_topology_link_class_name(topology, vef_topology_link_class(topology, router, port),
                                     text, sizeof text);
        if (strcmp(text, name) != 0)
            continue;
        bool known = false;
        for (uint32_t j = 0; j < count; j++)
            known = known || expected[j] == next;
        assert_true(known);
        found++;
    }
    assert_int_equal(found, count);
}

/* The pieces of the network of the links of a class, without routers that have none, must all have
 * `routers` routers; returns how many there are. */
static uint32_t pieces_of_class(const vef_topology *topology, uint32_t link_class,
                                uint32_t routers) {
    uint32_t *queue = malloc(topology->routers * sizeof *queue), pieces = 0;
    bool *seen = calloc(topology->routers, sizeof *seen);
    assert_non_null(queue);
    assert_non_null(seen);
    for (uint32_t start = 0; start < topology->routers; start++) {
        if (seen[start])
            continue;
        uint32_t used = 0, count = 0;
        queue[count++] = start;
        seen[start] = true;
        while (used < count) {
            const uint32_t here = queue[used++];
            for (uint32_t port = 0; port < topology->ports; port++) {
                const uint32_t next = neighbour_of(topology, here, port);
                if (next == VEF_NO_ROUTER || seen[next] ||
                    vef_topology_link_class(topology, here, port) != link_class)
                    continue;
                seen[next] = true;
                queue[count++] = next;
            }
        }
        if (count == 1)
            continue;
        assert_int_equal(count, routers);
        pieces++;
    }
    free(seen);
    free(queue);
    return pieces;
}

/* ---- recursive diagonal tori ---- */

/* Steps of a rank from those of the rank below, as Yang et al. define them. */
static steps coarser(const steps *walk, int64_t n) {
    steps next;
    for (int d = 0; d < 2; d++) {
        next.a[d] = n * (walk->a[d] + walk->b[d]);
        next.b[d] = n * (walk->b[d] - walk->a[d]);
    }
    return next;
}

/* Links of the ranks of a bit mask of a router, and no others. */
static void check_ranks(const vef_topology *topology, uint32_t router, int64_t n, uint32_t ranks) {
    steps walk = {{1, 0}, {0, 1}};
    for (uint32_t rank = 0; rank < topology->link_classes; rank++) {
        char name[16];
        snprintf(name, sizeof name, "rank %u", rank);
        if (ranks >> rank & 1)
            check_steps(topology, router, name, &walk);
        walk = coarser(&walk, n);
    }
    for (uint32_t port = 0; port < topology->ports; port++)
        if (neighbour_of(topology, router, port) != VEF_NO_ROUTER)
            assert_true(ranks >> vef_topology_link_class(topology, router, port) & 1);
}

static void test_perfect_rdt(void **state) {
    (void)state;
    static const struct {
        uint32_t size, n, ranks;
    } rows[] = {{16, 2, 2}, {40, 2, 3}, {9, 1, 5}, {16, 1, 6}, {7, 3, 1}, {36, 3, 2}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char parameters[96];
        snprintf(parameters, sizeof parameters,
                 "{size: %u, cardinal: %u, ranks: %u, upper_tori: %u}", rows[i].size, rows[i].n,
                 rows[i].ranks, rows[i].ranks);
        vef_topology *topology = topology_of("rdt", parameters, 1);
        for (uint32_t r = 0; r < topology->routers; r++)
            check_ranks(topology, r, rows[i].n, (2u << rows[i].ranks) - 1);
        vef_topology_destroy(topology);
    }
}

/* RDT(2, 4, 1)/alpha: a quarter of the routers has each rank, all ranks are within a hop of each
 * router, and a torus of rank r + 1 has one of eight (2 n^2) routers of a torus of rank r. */
static void test_rdt_alpha(void **state) {
    (void)state;
    for (uint32_t size = 128; size <= 256; size *= 2) {
        char parameters[32];
        snprintf(parameters, sizeof parameters, "{size: %u}", size);
        vef_topology *topology = topology_of("rdt", parameters, 1);
        uint32_t routers_of[5] = {0};
        for (uint32_t r = 0; r < topology->routers; r++) {
            const uint32_t rank = vef_topology_link_class(topology, r, 4);
            routers_of[rank]++;
            assert_int_equal(rank, 1 + (r / size + 2 * (r % size / 2)) % 4);
            check_ranks(topology, r, 2, 1 | 1u << rank);
            uint32_t within = 1u << rank;
            for (uint32_t port = 0; port < 4; port++)
                within |=
                    1u << vef_topology_link_class(topology, neighbour_of(topology, r, port), 4);
            assert_int_equal(within, 1 << 1 | 1 << 2 | 1 << 3 | 1 << 4);
        }
        uint32_t routers = topology->routers;
        for (uint32_t rank = 1; rank <= 4; rank++) {
            assert_int_equal(routers_of[rank], topology->routers / 4);
            routers /= 8;
            assert_int_equal(pieces_of_class(topology, rank, routers),
                             topology->routers / 4 / routers);
        }
        vef_topology_destroy(topology);
    }
}

/* ---- shifted recursive tori ---- */

/* A row has a ring of N / 2^l routers for each length 2^l, and the pattern of the row before, moved
 * by s. */
static void check_srt(uint32_t bits, uint32_t shift) {
    char parameters[48];
    snprintf(parameters, sizeof parameters, "{bits: %u, shift: %u}", bits, shift);
    vef_topology *topology = topology_of("srt", parameters, 1);
    const uint32_t size = 1u << bits;
    uint32_t without = 0;
    for (uint32_t r = 0; r < topology->routers; r++) {
        const uint32_t x = r % size, y = r / size;
        uint32_t place = x + shift * y, length = 2;
        for (; length < size && place % 2 == 0; place /= 2)
            length *= 2;
        check_steps(topology, r, "x", &(steps){{1, 0}, {1, 0}});
        check_steps(topology, r, "y", &(steps){{0, 1}, {0, 1}});
        without += length == size;
        if (length == size) {
            assert_int_equal(degree_of(topology, r), 4);
            continue;
        }
        char name[24];
        snprintf(name, sizeof name, "bypass %u", length);
        check_steps(topology, r, name, &(steps){{length, 0}, {0, length}});
        assert_int_equal(degree_of(topology, r), length == size / 2 ? 6 : 8);
    }
    assert_int_equal(without, 2 * size);
    /* the rings of a length along both dimensions make tori of (N / 2^l) x (N / 2^l), 2^l of them
     */
    for (uint32_t l = 1; l < bits; l++)
        assert_int_equal(pieces_of_class(topology, 1 + l, (size >> l) * (size >> l)), 1u << l);
    vef_topology_destroy(topology);
}

static void test_srt(void **state) {
    (void)state;
    check_srt(3, 1);
    check_srt(4, 5);
    check_srt(5, 2);
    check_srt(6, 9);
    check_srt(7, 64);
}

/* Shifts that differ by sign, or are inverse modulo N / 2, give the same network: of 32 routers a
 * side, 5 and 13 (5 x 13 = 4 x 16 + 1), 3 = -13 and 11 = -5 (3 x 11 = 2 x 16 + 1). */
static void test_equivalent_shifts(void **state) {
    (void)state;
    vef_topology *inner[4];
    static const uint32_t shifts[4] = {5, 13, 3, 11}, size = 32;
    for (int i = 0; i < 4; i++) {
        char parameters[48];
        snprintf(parameters, sizeof parameters, "{bits: 5, shift: %u}", shifts[i]);
        inner[i] = topology_of("srt", parameters, 1);
    }
    for (uint32_t r = 0; r < size * size; r++) {
        const uint32_t x = r % size, y = r / size;
        for (uint32_t port = 0; port < 8; port++) {
            const uint32_t next = neighbour_of(inner[0], r, port);
            if (next == VEF_NO_ROUTER)
                continue;
            const uint32_t u = next % size, v = next / size;
            assert_true(count_links(inner[1], y + size * x, v + size * u));
            assert_true(
                count_links(inner[3], (size - x) % size + size * y, (size - u) % size + size * v));
            assert_true(count_links(inner[2], y + size * ((size - x) % size),
                                    v + size * ((size - u) % size)));
        }
    }
    vef_topology *standard = topology_of("srt", "{bits: 5}", 1); /* 2^2 + 1 */
    for (uint32_t r = 0; r < size * size; r++)
        for (uint32_t port = 0; port < 8; port++)
            assert_int_equal(neighbour_of(standard, r, port), neighbour_of(inner[0], r, port));
    vef_topology_destroy(standard);
    for (int i = 0; i < 4; i++)
        vef_topology_destroy(inner[i]);
}

/* ---- hybrid fat trees ---- */

enum { MOST_LEVELS = 12 };

/* Links of H(n) from router `first` on, by its recursive definition; returns the first root.
 * linked_with: for a router the others of lower number, at most as many as twice the levels. */
static void define_tree(uint32_t n, uint32_t first, uint32_t (*linked_with)[2 * MOST_LEVELS],
                        uint32_t *count, uint32_t roots[2]) {
    if (n == 1) {
        linked_with[first + 1][count[first + 1]++] = first;
        roots[0] = first;
        roots[1] = first + 1;
        return;
    }
    uint32_t owner[2][2];
    for (uint32_t half = 0; half < 2; half++)
        define_tree(n - 1, first + (half << (n - 1)), linked_with, count, owner[half]);
    const uint32_t links[3][2] = {
        {owner[0][0], owner[1][0]}, {owner[0][0], owner[1][1]}, {owner[0][1], owner[1][0]}};
    for (int i = 0; i < 3; i++)
        linked_with[links[i][1]][count[links[i][1]]++] = links[i][0];
    roots[0] = owner[0][0];
    roots[1] = owner[1][0];
}

static void test_hybrid_fat_tree(void **state) {
    (void)state;
    static uint32_t linked_with[1 << MOST_LEVELS][2 * MOST_LEVELS];
    static uint32_t count[1 << MOST_LEVELS];
    for (uint32_t n = 2; n <= MOST_LEVELS; n++) {
        memset(count, 0, sizeof count);
        uint32_t roots[2];
        define_tree(n, 0, linked_with, count, roots);
        char parameters[32];
        snprintf(parameters, sizeof parameters, "{levels: %u}", n);
        vef_topology *topology = topology_of("hybrid-fat-tree", parameters, 1);
        const uint32_t routers = 1u << n;
        assert_int_equal(topology->routers, routers);
        uint32_t links = 0, ends = 0;
        for (uint32_t r = 0; r < routers; r++) {
            ends += degree_of(topology, r);
            links += count[r];
            for (uint32_t i = 0; i < count[r]; i++)
                assert_true(count_links(topology, r, linked_with[r][i]));
        }
        assert_int_equal(links, 2 * routers - 3);
        assert_int_equal(ends, 2 * links);
        for (int i = 0; i < 2; i++)
            assert_int_equal(degree_of(topology, roots[i]), 2 * n - 1);
        assert_int_equal(cut(topology, 0), 3);
        for (uint32_t r = 0; r < routers; r++) { /* exchange of the halves */
            assert_int_equal(vef_topology_orbit(topology, r), r % (routers / 2));
            for (uint32_t port = 0; port < topology->ports; port++) {
                const uint32_t next = neighbour_of(topology, r, port);
                assert_int_equal(neighbour_of(topology, r ^ routers / 2, port),
                                 next == VEF_NO_ROUTER ? next : next ^ routers / 2);
            }
        }
        vef_topology_destroy(topology);
    }
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
        {"rdt", "{size: 128}", 3, "y-", 131, "(3, 1)"},
        {"rdt", "{size: 128}", 6, "upper b+", 16383, "(127, 127)"},
        {"rdt", "{size: 16, ranks: 2, upper_tori: 2}", 9, "rank 2 a-", 17, "(1, 1)"},
        {"srt", "{bits: 4}", 1, "x-", 17, "(1, 1)"},
        {"srt", "{bits: 4}", 6, "bypass y+", 17, "(1, 1)"},
        {"hybrid-fat-tree", "{levels: 4}", 0, "parent", 9, "9"},
        {"hybrid-fat-tree", "{levels: 4}", 1, "other root", 9, "9"},
        {"hybrid-fat-tree", "{levels: 4}", 5, "level 1 other", 9, "9"},
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
        {"{family: rdt}", "size"},
        {"{family: rdt, size: 3}", "from 4 to 2048"},
        {"{family: rdt, size: 64}",
         "ranks: a step of 64 of rank 4 does not fit into a side of 64: expected ranks up to 3, or "
         "a "
         "size of 128 or more"},
        {"{family: rdt, size: 32, ranks: 3, upper_tori: 3}",
         "a step of 16 of rank 3 does not fit into a side of 32: expected ranks up to 2, or a size "
         "of 33"},
        {"{family: rdt, size: 2048, cardinal: 1024, ranks: 24, upper_tori: 24}",
         "cardinal: 1024: out of range in a side of 2048: expected 1 to 1023"},
        {"{family: rdt, size: 130}",
         "size: 130: the assignment repeats every 4 routers along x: expected a multiple, such as "
         "132"},
        {"{family: rdt, size: 128, upper_tori: 2}",
         "upper_tori: 2 of 4 ranks: not supported: expected 1 or 4"},
        {"{family: rdt, size: 64, ranks: 3}",
         "assignment: missing: expected rows of ranks for RDT(2, 3, 1)"},
        {"{family: rdt, size: 16, ranks: 2, upper_tori: 2, assignment: [[1]]}",
         "assignment: not supported where every router has all ranks"},
        {"{family: rdt, size: 16, ranks: 2, assignment: [[1, 2], [2]]}",
         "assignment: row 1 has 1 ranks: expected 2"},
        {"{family: rdt, size: 16, ranks: 2, assignment: [[]]}", "assignment: 1 rows of 0 ranks"},
        {"{family: rdt, size: 16, ranks: 2, assignment: [[1, 3]]}",
         "rank 3 at (1, 0): out of range: expected 1 to 2"},
        {"{family: rdt, size: 16, ranks: 2, assignment: [[1, 1, 2, 2]]}",
         "assignment: a link of rank 1 leads from (0, 0) to (2, 0) of rank 2: expected the same "
         "rank"},
        {"{family: srt, bits: 1}", "from 2 to 11"},
        {"{family: srt, bits: 12}", "from 2 to 11"},
        {"{family: srt, bits: 4, shift: 9}",
         "shift: 9 in rows of 16 routers: out of range: expected 1 to 8"},
        {"{family: hybrid-fat-tree, levels: 1}", "from 2 to 19"},
        {"{family: hybrid-fat-tree, levels: 20}", "from 2 to 19"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        assert_topology_refused(rows[i].yaml, 1, rows[i].says);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_table_1),
        cmocka_unit_test(test_bisections),
        cmocka_unit_test(test_translations),
        cmocka_unit_test(test_perfect_rdt),
        cmocka_unit_test(test_rdt_alpha),
        cmocka_unit_test(test_srt),
        cmocka_unit_test(test_equivalent_shifts),
        cmocka_unit_test(test_hybrid_fat_tree),
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_what_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
