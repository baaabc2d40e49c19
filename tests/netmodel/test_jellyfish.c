/* Jellyfish: regular, simple and connected graphs, the same for the same seed; their distribution
 * against all graphs of a small size by enumeration and against the closed form for triangles; mean
 * distances against the lower bound; and what is refused. */
#include "tests/netmodel/links.h"
#include "tests/netmodel/networks.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static vef_topology *jellyfish_of(uint32_t routers, uint32_t degree, uint32_t seed) {
    char parameters[64];
    snprintf(parameters, sizeof parameters, "{routers: %u, degree: %u, seed: %u}", routers, degree,
             seed);
    return topology_of("jellyfish", parameters, 1);
}

/* Sparse graphs, and dense ones, which are drawn by their absent links: none, 1, 2 and more of each
 * router. */
static void test_regular_simple_connected(void **state) {
    (void)state;
    static const uint32_t sizes[][2] = {
        {4, 3},  {5, 4},  {6, 3},   {6, 4},   {7, 4},   {8, 3},   {8, 6},   {8, 7},     {9, 6},
        {12, 5}, {20, 3}, {21, 10}, {22, 11}, {64, 40}, {65, 62}, {200, 7}, {1025, 700}};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        for (uint32_t seed = 0; seed < 3; seed++) {
            const uint32_t n = sizes[i][0];
            vef_topology *topology = jellyfish_of(n, sizes[i][1], seed);
            assert_int_equal(topology->routers, n);
            assert_int_equal(topology->ports, sizes[i][1]);
            bool *seen = malloc(n * sizeof *seen);
            for (uint32_t a = 0; a < n; a++) {
                memset(seen, 0, n * sizeof *seen);
                for (uint32_t port = 0; port < topology->ports; port++) {
                    const uint32_t next = neighbour_of(topology, a, port);
                    const uint32_t back = topology->reverse_port[a * topology->ports + port];
                    assert_true(next < n && next != a && !seen[next]);
                    assert_int_equal(neighbour_of(topology, next, back), a);
                    seen[next] = true;
                }
            }
            free(seen);
            uint32_t *distance = malloc(n * sizeof *distance);
            distances_from(topology, 0, distance);
            for (uint32_t a = 0; a < n; a++)
                assert_int_not_equal(distance[a], UINT32_MAX);
            free(distance);
            vef_topology_destroy(topology);
        }
}

static void test_seeds(void **state) {
    (void)state;
    static const uint32_t sizes[][2] = {{40, 5}, {40, 30}};
    for (size_t i = 0; i < 2; i++) {
        vef_topology *first = jellyfish_of(sizes[i][0], sizes[i][1], 5);
        vef_topology *again = jellyfish_of(sizes[i][0], sizes[i][1], 5);
        vef_topology *other = jellyfish_of(sizes[i][0], sizes[i][1], 6);
        const size_t bytes = (size_t)first->routers * first->ports * sizeof *first->neighbour;
        assert_memory_equal(first->neighbour, again->neighbour, bytes);
        uint32_t different = 0;
        for (uint32_t a = 0; a < first->routers; a++)
            for (uint32_t b = 0; b < a; b++)
                different += count_links(first, a, b) != count_links(other, a, b);
        assert_true(different > 0);
        vef_topology_destroy(first);
        vef_topology_destroy(again);
        vef_topology_destroy(other);
    }
}

/* ---- the distribution ---- */

enum { MOST = 8 };

/* Graphs by adjacency as bits, and how many of them are of each kind. */
typedef struct kinds {
    uint32_t total, bipartite, without_triangles;
} kinds;

static void add_kind(uint32_t n, const uint8_t *links, kinds *count) {
    uint32_t side[MOST] = {1}, triangles = 0;
    bool bipartite = true, connected = true;
    for (uint32_t round = 0; round < n; round++)
        for (uint32_t a = 0; a < n; a++)
            for (uint32_t b = 0; b < n; b++)
                if (links[a] >> b & 1 && side[a] && !side[b])
                    side[b] = 3 - side[a];
    for (uint32_t a = 0; a < n; a++) {
        connected = connected && side[a];
        for (uint32_t b = 0; b < n; b++)
            if (links[a] >> b & 1) {
                bipartite = bipartite && side[a] != side[b];
                triangles += (links[a] & links[b]) != 0;
            }
    }
    if (!connected)
        return;
    count->total++;
    count->bipartite += bipartite;
    count->without_triangles += triangles == 0;
}

static uint32_t bits(uint32_t x) {
    return x == 0 ? 0 : (x & 1) + bits(x >> 1);
}

/* All regular graphs: decides about the links of router a to b and later ones, then about those of
 * the next. */
static void enumerate(uint32_t n, uint32_t degree, uint32_t a, uint32_t b, uint8_t *links,
                      kinds *count) {
    if (a == n) {
        add_kind(n, links, count);
        return;
    }
    if (b >= n) {
        if (bits(links[a]) == degree)
            enumerate(n, degree, a + 1, a + 2, links, count);
        return;
    }
    enumerate(n, degree, a, b + 1, links, count);
    if (bits(links[a]) == degree || bits(links[b]) == degree)
        return;
    links[a] = (uint8_t)(links[a] ^ 1u << b);
    links[b] = (uint8_t)(links[b] ^ 1u << a);
    enumerate(n, degree, a, b + 1, links, count);
    links[a] = (uint8_t)(links[a] ^ 1u << b);
    links[b] = (uint8_t)(links[b] ^ 1u << a);
}

static void assert_share(uint32_t drawn, uint32_t samples, uint32_t part, uint32_t owner) {
    const double share = (double)part / owner;
    const double deviation = sqrt(samples * share * (1 - share));
    assert_near(drawn, samples * share, 4 * deviation);
}

/* Shares of kinds of graphs in 4,000 drawn ones within four standard deviations of those among all.
 * Connected cubic graphs of 6 and 8 labelled vertices: 70 and 19320 (Read, Wilson: "An Atlas of
 * Graphs"). */
static void test_all_graphs_are_equally_likely(void **state) {
    (void)state;
    static const struct {
        uint32_t routers, degree, total; /* 0: not published */
    } rows[] = {{6, 3, 70}, {8, 3, 19320}, {7, 4, 0}};
    enum { SAMPLES = 4000 };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const uint32_t n = rows[i].routers;
        kinds expected = {0}, drawn = {0};
        uint8_t links[MOST] = {0};
        enumerate(n, rows[i].degree, 0, 1, links, &expected);
        if (rows[i].total)
            assert_int_equal(expected.total, rows[i].total);
        for (uint32_t seed = 0; seed < SAMPLES; seed++) {
            vef_topology *topology = jellyfish_of(n, rows[i].degree, seed);
            memset(links, 0, sizeof links);
            for (uint32_t a = 0; a < n; a++)
                for (uint32_t port = 0; port < topology->ports; port++)
                    links[a] = (uint8_t)(links[a] | 1u << neighbour_of(topology, a, port));
            add_kind(n, links, &drawn);
            vef_topology_destroy(topology);
        }
        assert_int_equal(drawn.total, SAMPLES);
        assert_share(drawn.bipartite, SAMPLES, expected.bipartite, expected.total);
        assert_share(drawn.without_triangles, SAMPLES, expected.without_triangles, expected.total);
    }
}

/* Triangles of a large random graph of degree d are Poisson distributed with mean (d - 1)^3 / 6
 * (Bollobás 1980); the ring that the drawing begins with has about three for each router. */
static void test_triangles(void **state) {
    (void)state;
    enum { SAMPLES = 64, ROUTERS = 1000, DEGREE = 6 };
    uint64_t corners = 0;
    for (uint32_t seed = 0; seed < SAMPLES; seed++) {
        vef_topology *topology = jellyfish_of(ROUTERS, DEGREE, seed);
        for (uint32_t a = 0; a < ROUTERS; a++)
            for (uint32_t p = 0; p < DEGREE; p++)
                for (uint32_t r = 0; r < p; r++)
                    corners += count_links(topology, neighbour_of(topology, a, p),
                                           neighbour_of(topology, a, r));
        vef_topology_destroy(topology);
    }
    const double mean = (DEGREE - 1.0) * (DEGREE - 1) * (DEGREE - 1) / 6;
    assert_near((double)corners / 3 / SAMPLES, mean, 4 * sqrt(mean / SAMPLES));
}

/* ---- distances ---- */

/* Cerf, Cowan, Mullin, Stanton: "A Lower Bound on the Average Shortest Path Length in Regular
 * Graphs", Networks 4, 1974: as if there were as many routers up to some distance as the degree
 * allows. */
static double least_average(uint32_t routers, uint32_t degree) {
    double sum = 0, left = routers - 1, reached = degree;
    for (uint32_t hops = 1; left > 0; hops++, reached *= degree - 1) {
        const double here = reached < left ? reached : left;
        sum += hops * here;
        left -= here;
    }
    return sum / (routers - 1);
}

/* The mean in a large random graph: a search has met r(k) = d + d (d - 1) + … routers in k hops, if
 * none twice, so it has missed a given one with a probability of about exp(-r(k) / n) (Nitzan,
 * Katzav, Kühn, Biham: "Distance distribution in configuration-model networks", Phys. Rev. E 93,
 * 2016). */
static double random_average(uint32_t routers, uint32_t degree) {
    double sum = 1, met = 0, reached = degree;
    for (uint32_t hops = 1; met < 50.0 * routers; hops++, reached *= degree - 1) {
        met += reached;
        sum += exp(-met / routers);
    }
    return sum;
}

/* Never below the bound, and near the mean of random graphs, which is that of a limit. */
static void test_mean_distance(void **state) {
    (void)state;
    static const uint32_t sizes[][2] = {{100, 3},  {128, 8},   {500, 10}, {1000, 12},
                                        {1000, 6}, {2000, 24}, {2000, 3}};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        vef_topology *topology = jellyfish_of(sizes[i][0], sizes[i][1], 1);
        uint32_t diameter;
        const double n = topology->routers, bound = least_average(sizes[i][0], sizes[i][1]);
        const double average = average_distance(topology, &diameter) * n / (n - 1);
        const double expected = random_average(sizes[i][0], sizes[i][1]);
        assert_true(average >= bound - 1e-9);
        assert_near(average, expected, 0.02 * expected);
        vef_topology_destroy(topology);
    }
    /* Moore graphs meet the bound: Petersen's, and Hoffman and Singleton's. */
    assert_near(least_average(10, 3), 5.0 / 3, 1e-12);
    assert_near(least_average(50, 7), 13.0 / 7, 1e-12);
}

/* ---- what is refused ---- */

static void test_what_is_refused(void **state) {
    (void)state;
    static const struct {
        const char *parameters, *says;
    } rows[] = {
        {"routers: 16", "degree"},
        {"degree: 4", "routers"},
        {"routers: 3, degree: 3", "expected a whole number from 4"},
        {"routers: 16, degree: 2", "expected a whole number from 3 to 1024"},
        {"routers: 16, degree: 1025", "expected a whole number from 3 to 1024"},
        {"routers: 16, degree: 16",
         "16 links of a router to the 15 others: expected at most 15, or at least 17 routers"},
        {"routers: 9, degree: 12", "expected at most 8, or at least 13 routers"},
        {"routers: 9, degree: 3",
         "27 ends of links, an odd number: expected 8 or 10 routers, or a degree of 4"},
        {"routers: 101, degree: 7", "expected 100 or 102 routers, or a degree of 6 or 8"},
        {"routers: 16777216, degree: 4", "MiB"},
        {"routers: 16, degree: 4, seed: -1", "seed"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char yaml[128];
        snprintf(yaml, sizeof yaml, "{family: jellyfish, %s}", rows[i].parameters);
        assert_topology_refused(yaml, 1, rows[i].says);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_regular_simple_connected),
        cmocka_unit_test(test_seeds),
        cmocka_unit_test(test_all_graphs_are_equally_likely),
        cmocka_unit_test(test_triangles),
        cmocka_unit_test(test_mean_distance),
        cmocka_unit_test(test_what_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
