/* Searching for the best network: the papers' best ones come out first, and whole rankings equal
 * those of searches written here, over every value and not only over those that are listed once. */
#include "netmodel/analysis/search/search.h"

#include "tests/netmodel/networks.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static vef_ranking search_for(const char *text, const vef_rank_by *by) {
    vef_ranking ranking;
    vef_error error = {0};
    if (vef_search(text, by, NULL, NULL, &ranking, &error) != VEF_OK)
        fail_msg("%s: %s", text, error.message);
    return ranking;
}

/* The ranks of the networks, by the figures in the order that is documented. */
static void check_order(const vef_ranking *ranking) {
    for (size_t i = 1; i < ranking->count; i++) {
        const vef_candidate_network *a = &ranking->networks[i - 1], *b = &ranking->networks[i];
        const double before[] = {a->average, a->diameter, (double)a->inner_crossing};
        const double after[] = {b->average, b->diameter, (double)b->inner_crossing};
        assert_true(before[ranking->by] <= after[ranking->by]);
        int order = before[ranking->by] < after[ranking->by] ? -1 : 0;
        for (int f = 0; order == 0 && f < 3; f++)
            order = before[f] < after[f] ? -1 : before[f] > after[f];
        assert_true(order <= 0);
    }
}

static const vef_candidate_network *find(const vef_ranking *ranking, const char *value) {
    for (size_t i = 0; i < ranking->count; i++)
        if (strcmp(ranking->networks[i].value, value) == 0)
            return &ranking->networks[i];
    return NULL;
}

/* Whether some listed network has this average and diameter. */
static bool has_figures(const vef_ranking *ranking, double average, uint32_t diameter) {
    for (size_t i = 0; i < ranking->count; i++)
        if (fabs(ranking->networks[i].average - average) < 1e-9 &&
            ranking->networks[i].diameter == diameter)
            return true;
    return false;
}

/* ---- a graph of its own: up to 64 links out of each router, searched from all ---- */

enum { MOST_NODES = 1024, MOST_LINKS = 64 };
typedef struct plain_graph {
    uint32_t nodes, degree[MOST_NODES], link[MOST_NODES][MOST_LINKS];
} plain_graph;

static void connect(plain_graph *graph, uint32_t a, uint32_t b) {
    graph->link[a][graph->degree[a]++] = b;
    graph->link[b][graph->degree[b]++] = a;
}

static double plain_average(const plain_graph *graph, uint32_t *diameter) {
    uint64_t sum = 0;
    *diameter = 0;
    for (uint32_t from = 0; from < graph->nodes; from++) {
        uint32_t distance[MOST_NODES], queue[MOST_NODES], count = 1;
        memset(distance, 0xff, sizeof distance);
        distance[from] = 0;
        queue[0] = from;
        for (uint32_t i = 0; i < count; i++)
            for (uint32_t l = 0; l < graph->degree[queue[i]]; l++) {
                const uint32_t next = graph->link[queue[i]][l];
                if (distance[next] != UINT32_MAX)
                    continue;
                distance[next] = distance[queue[i]] + 1;
                sum += distance[next];
                *diameter = distance[next] > *diameter ? distance[next] : *diameter;
                queue[count++] = next;
            }
        assert_int_equal(count, graph->nodes);
    }
    return (double)sum / graph->nodes / graph->nodes;
}

/* ---- interlaced bypass tori ---- */

/* Zhang, Powell, Deng, section 2.1, in two dimensions (height 1: in one). */
static plain_graph ibt_of(uint32_t width, uint32_t height, uint32_t m, const uint32_t *lengths,
                          uint32_t k) {
    static plain_graph graph;
    memset(&graph, 0, sizeof graph);
    graph.nodes = width * height;
    for (uint32_t y = 0; y < height; y++)
        for (uint32_t x = 0; x < width; x++) {
            const uint32_t sum = m == 1 ? x : x + y, length = lengths[sum % (m * k) / m];
            connect(&graph, y * width + x, y * width + (x + 1) % width);
            if (height > 1)
                connect(&graph, y * width + x, (y + 1) % height * width + x);
            if (sum % m == 0)
                connect(&graph, y * width + x, y * width + (x + length) % width);
            else
                connect(&graph, y * width + x, (y + length) % height * width + x);
        }
    return graph;
}

/* Whether the paper allows it: lengths and sizes divisible by mk. */
static bool allowed(uint32_t size, uint32_t m, const uint32_t *lengths, uint32_t k) {
    for (uint32_t i = 0; i < k; i++)
        if (lengths[i] % (m * k) != 0)
            return false;
    return size % (m * k) == 0;
}

static void the_papers_best_ibt_comes_first(void **state) {
    (void)state;
    /* Section 2.3 and Table 1: averages and diameters, best first. */
    static const struct {
        const char *lengths;
        double average;
        uint32_t diameter;
    } table[] = {{"[6, 12]", 7.5152, 12}, {"[6]", 8.2800, 15},  {"[9]", 8.8034, 16},
                 {"[12]", 8.8827, 15},    {"[3]", 10.3464, 19}, {"[15]", 11.3114, 21}};
    vef_ranking ranking = search_for("ibt sizes=30x30x36 L=3", NULL);
    assert_int_equal(ranking.by, VEF_BY_AVERAGE);
    assert_int_equal(ranking.enumerated, 14 + 14 * 13 / 2); /* lengths 2 to 15, one or two */
    assert_int_equal(ranking.count, 6);
    assert_int_equal(ranking.refused, ranking.enumerated - 6);
    for (size_t i = 0; i < 6; i++) {
        assert_string_equal(ranking.networks[i].value, table[i].lengths);
        assert_near(ranking.networks[i].average, table[i].average, 0.00005);
        assert_int_equal(ranking.networks[i].diameter, table[i].diameter);
    }
    check_order(&ranking);
    vef_ranking_release(&ranking);
}

/* Every list that the paper allows has the figures of one that is listed, and if it is listed
 * itself then there with its own. */
static void check_ibt(const char *text, uint32_t width, uint32_t height, uint32_t m,
                      uint32_t longest, uint32_t at_most) {
    vef_ranking ranking = search_for(text, NULL);
    size_t tried = 0;
    for (uint32_t k = 1; k <= at_most; k++) {
        uint32_t lists = 1;
        for (uint32_t i = 0; i < k; i++)
            lists *= longest - 1;
        for (uint32_t number = 0; number < lists; number++) {
            uint32_t lengths[4], rest = number, diameter;
            for (uint32_t i = 0; i < k; i++, rest /= longest - 1)
                lengths[i] = 2 + rest % (longest - 1);
            if (!allowed(width, m, lengths, k) || (m == 2 && !allowed(height, m, lengths, k)))
                continue;
            const plain_graph graph = ibt_of(width, height, m, lengths, k);
            const double average = plain_average(&graph, &diameter);
            if (!has_figures(&ranking, average, diameter))
                fail_msg("%s: no network of average %.9f, diameter %u (list %u of %u)", text,
                         average, diameter, number, k);
            char value[64];
            size_t used = 0;
            for (uint32_t i = 0; i < k; i++)
                used += (size_t)snprintf(value + used, sizeof value - used, "%s%u", i ? ", " : "[",
                                         lengths[i]);
            snprintf(value + used, sizeof value - used, "]");
            const vef_candidate_network *listed = find(&ranking, value);
            if (listed) {
                assert_near(listed->average, average, 1e-9);
                assert_int_equal(listed->diameter, diameter);
            }
            tried++;
        }
    }
    assert_true(tried > 0);
    check_order(&ranking);
    vef_ranking_release(&ranking);
}

static void no_bypass_lengths_are_missed(void **state) {
    (void)state;
    check_ibt("ibt sizes=24 L=1 at_most=3", 24, 1, 1, 12, 3);
    check_ibt("ibt sizes=12x12 L=2 at_most=3", 12, 12, 2, 6, 3);
    check_ibt("ibt sizes=12x6 bypass_dimensions=1", 12, 6, 1, 6, 2);
    check_ibt("ibt sizes=24x12 L=2 longest=10", 24, 12, 2, 10, 2);
    check_ibt("ibt sizes=[36, 24] L=2 at_most=3 longest=18", 36, 24, 2, 18, 3);
}

static void lists_of_lengths_that_are_one_network_are_listed_once(void **state) {
    (void)state;
    /* Of 3, 6, 9 and 12 the paper allows two only as <6,12> (divisible by 2), but any three. Up to
     * rotation and reversal (the one bypass dimension reads backwards as it does forwards) these
     * are 4 of three different lengths and 12 of two. */
    vef_ranking ranking = search_for("ibt sizes=36 L=1 at_most=3 longest=12", NULL);
    static const char *const once[] = {"[6, 12]", "[3, 6, 9]", "[3, 3, 6]", "[3, 6, 6]"};
    static const char *const never[] = {"[12, 6]",   "[6, 6]",    "[6, 9, 3]",
                                        "[3, 9, 6]", "[3, 6, 3]", "[6, 6, 6]"};
    size_t three = 0;
    for (size_t i = 0; i < sizeof once / sizeof *once; i++)
        assert_non_null(find(&ranking, once[i]));
    for (size_t i = 0; i < sizeof never / sizeof *never; i++)
        assert_null(find(&ranking, never[i]));
    for (size_t i = 0; i < ranking.count; i++) {
        int64_t a, b, c;
        if (sscanf(ranking.networks[i].value, "[%ld, %ld, %ld]", &a, &b, &c) == 3)
            three += a % 3 == 0 && b % 3 == 0 && c % 3 == 0;
    }
    assert_int_equal(three, 4 + 12);
    vef_ranking_release(&ranking);
}

/* ---- twists ---- */

/* A lattice network of unit vectors (Camara et al., TPDS 2010): crossing the end of y shifts x by
 * `yx`, of z shifts x by `zx` and y by `zy`. */
static plain_graph twisted_of(const int32_t *size, int32_t yx, int32_t zx, int32_t zy,
                              int32_t diagonals) {
    static plain_graph graph;
    memset(&graph, 0, sizeof graph);
    graph.nodes = (uint32_t)(size[0] * size[1] * size[2]);
    for (int32_t node = 0; node < size[0] * size[1] * size[2]; node++)
        for (int32_t g = 0; g < 3 + diagonals; g++) {
            int32_t x = node % size[0] + (g == 0 || g == 3) - (g == 4);
            int32_t y = node / size[0] % size[1] + (g == 1 || g >= 3);
            int32_t z = node / size[0] / size[1] + (g == 2);
            if (g == 2 && size[2] == 1)
                continue;
            if (z == size[2]) {
                z = 0;
                y += zy;
                x += zx;
            }
            while (y >= size[1]) {
                y -= size[1];
                x += yx;
            }
            x = ((x % size[0]) + size[0]) % size[0];
            connect(&graph, (uint32_t)node, (uint32_t)((z * size[1] + y) * size[0] + x));
        }
    return graph;
}

static void the_twist_of_rtt_comes_first(void **state) {
    (void)state;
    for (int32_t a = 2; a <= 10; a++) {
        char text[64], best[32];
        snprintf(text, sizeof text, "lattice sizes=%dx%d", 2 * a, a);
        snprintf(best, sizeof best, "[[], [%d]]", a);
        vef_ranking ranking = search_for(text, NULL);
        assert_int_equal(ranking.count, a + 1); /* shifts 0 to a: s and 2a - s mirror each other */
        assert_string_equal(ranking.networks[0].value, best);
        assert_int_equal(ranking.networks[0].diameter, a);
        assert_near(ranking.networks[0].average, (4.0 * a * a - 1) / (6.0 * a), 1e-9);
        assert_int_equal(ranking.networks[0].link_kinds, 1); /* edge-symmetric, section 3.3 */
        assert_false(vef_ranking_equal(&ranking.networks[0], &ranking.networks[1]));
        check_order(&ranking);
        for (int32_t s = 0; s < 2 * a; s++) {
            const int32_t size[3] = {2 * a, a, 1};
            const plain_graph graph = twisted_of(size, s, 0, 0, 0);
            uint32_t diameter;
            const double average = plain_average(&graph, &diameter);
            char value[32];
            if (s == 0)
                snprintf(value, sizeof value, "[[], []]");
            else
                snprintf(value, sizeof value, "[[], [%d]]", s < 2 * a - s ? s : 2 * a - s);
            const vef_candidate_network *listed = find(&ranking, value);
            assert_non_null(listed);
            assert_near(listed->average, average, 1e-9);
            assert_int_equal(listed->diameter, diameter);
        }
        vef_ranking_release(&ranking);
    }
}

static void no_twist_of_three_dimensions_is_missed(void **state) {
    (void)state;
    static const int32_t sizes[][3] = {{4, 2, 2}, {6, 3, 3}, {3, 4, 2}, {5, 3, 4}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        const int32_t *size = sizes[i];
        char text[64];
        snprintf(text, sizeof text, "lattice sizes=%dx%dx%d", size[0], size[1], size[2]);
        vef_ranking ranking = search_for(text, NULL);
        double best = INFINITY;
        for (int32_t n = 0; n < size[0] * size[0] * size[1]; n++) {
            const plain_graph graph =
                twisted_of(size, n % size[0], n / size[0] % size[0], n / size[0] / size[0], 0);
            uint32_t diameter;
            const double average = plain_average(&graph, &diameter);
            best = average < best ? average : best;
            assert_true(has_figures(&ranking, average, diameter));
        }
        assert_near(ranking.networks[0].average, best, 1e-9);
        assert_true(ranking.count < (size_t)(size[0] * size[0] * size[1]));
        check_order(&ranking);
        /* The listed ones are what they say. */
        for (size_t r = 0; r < ranking.count; r++) {
            int yx = 0, zx = 0, zy = 0;
            const char *value = ranking.networks[r].value;
            sscanf(value, "[[], [%d]", &yx);
            sscanf(strrchr(value, '['), "[%d, %d]", &zx, &zy);
            const plain_graph graph = twisted_of(size, yx, zx, zy, 0);
            uint32_t diameter;
            assert_near(plain_average(&graph, &diameter), ranking.networks[r].average, 1e-9);
        }
        vef_ranking_release(&ranking);
    }
}

static void mirrored_twists_are_listed_where_generators_tell_them_apart(void **state) {
    (void)state;
    static const struct {
        const char *text;
        int32_t diagonals;
        size_t count;
    } cases[] = {
        {"lattice sizes=6x4", 0, 4},
        {"lattice sizes=6x4 generators=[[1,0],[0,1],[1,1]]", 1, 6},
        {"lattice sizes=6x4 generators=[[1,0],[0,1],[1,1],[-1,1]]", 2, 4},
        {"lattice sizes=6x4 generators=[[-1, 0], [0, 1], [1, 1], [1, -1]]", 2, 4},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        vef_ranking ranking = search_for(cases[i].text, NULL);
        assert_int_equal(ranking.count, cases[i].count);
        for (int32_t s = 0; s < 6; s++) {
            const plain_graph graph =
                twisted_of((const int32_t[]){6, 4, 1}, s, 0, 0, cases[i].diagonals);
            uint32_t diameter;
            const double average = plain_average(&graph, &diameter);
            assert_true(has_figures(&ranking, average, diameter));
        }
        vef_ranking_release(&ranking);
    }
}

/* ---- twin tori ---- */

/* Paths of dimension order that go through one node of a k-ary n-torus and change its card; ties go
 * to +. Counted at all nodes over all pairs, then divided by the nodes. `card0`: bits of ports, 2d
 * and 2d + 1 the + and - of dimension d. */
static uint64_t count_crossing(const uint32_t *size, uint32_t n, uint32_t card0, uint64_t *paths) {
    uint32_t nodes = 1;
    uint64_t crossing = 0;
    *paths = 0;
    for (uint32_t d = 0; d < n; d++)
        nodes *= size[d];
    for (uint32_t to = 1; to < nodes; to++) { /* from node 0: all are alike */
        uint32_t rest = to, came_by = UINT32_MAX;
        for (uint32_t d = 0; d < n; d++) {
            const uint32_t distance = rest % size[d];
            const bool down = 2 * distance > size[d];
            rest /= size[d];
            for (uint32_t hop = down ? size[d] - distance : distance; hop > 0; hop--) {
                if (came_by != UINT32_MAX) {
                    ++*paths;
                    crossing += (card0 >> came_by & 1) != (card0 >> (2 * d + down) & 1);
                }
                came_by = 2 * d + !down; /* the port at the other end of the link */
            }
        }
    }
    return crossing;
}

/* "[X+, x-, d1+]" as bits. */
static uint32_t ports_of(const char *value) {
    uint32_t bits = 0;
    for (const char *cursor = value; *cursor; cursor++) {
        const int letter = tolower((unsigned char)*cursor);
        uint32_t dimension;
        if (letter == 'd')
            dimension = (uint32_t)strtoul(cursor + 1, NULL, 10);
        else if (letter >= 'x' && letter <= 'z')
            dimension = (uint32_t)(letter - 'x');
        else
            continue;
        cursor += strcspn(cursor, "+-");
        bits |= 1u << (2 * dimension + (*cursor == '-'));
    }
    return bits;
}

static void check_twin(const char *text, const uint32_t *size, uint32_t n, size_t count) {
    vef_ranking ranking = search_for(text, NULL);
    assert_int_equal(ranking.by, VEF_BY_INNER_USE);
    assert_int_equal(ranking.enumerated, count);
    assert_int_equal(ranking.count, count);
    check_order(&ranking);
    for (size_t i = 0; i < count; i++) {
        uint64_t paths;
        const uint32_t ports = ports_of(ranking.networks[i].value);
        assert_int_equal(__builtin_popcount(ports), n);
        assert_int_equal(ranking.networks[i].inner_crossing,
                         count_crossing(size, n, ports, &paths));
        assert_int_equal(ranking.networks[i].inner_paths, paths);
        for (size_t j = 0; j < i; j++) {
            const uint32_t other = ports_of(ranking.networks[j].value);
            assert_true(other != ports && other != (~ports & ((1u << 2 * n) - 1)));
        }
    }
    vef_ranking_release(&ranking);
}

static void configurations_of_twin_tori_are_ranked_by_what_crosses(void **state) {
    (void)state;
    /* (2n)! / (2 n! n!) of them: thesis, "Optimal port configuration". */
    check_twin("twin-torus sizes=4x4x4", (const uint32_t[]){4, 4, 4}, 3, 10);
    check_twin("twin-torus sizes=5x3x4", (const uint32_t[]){5, 3, 4}, 3, 10);
    check_twin("twin-torus sizes=2x3x2x2x3", (const uint32_t[]){2, 3, 2, 2, 3}, 5, 126);
}

static void configuration_C_is_the_best(void **state) {
    (void)state;
    /* 3DT paper: C = {X+ X- Y+ | Y- Z+ Z-} crosses 49 of 129 for k = 4; for odd k its mirror in Y
     * is as good. */
    vef_ranking ranking = search_for("twin-torus sizes=4x4x4", NULL);
    assert_int_equal(ports_of(ranking.networks[0].value), 1 << 0 | 1 << 1 | 1 << 2);
    assert_int_equal(ranking.networks[0].inner_crossing, 49);
    assert_int_equal(ranking.networks[0].inner_paths, 129);
    assert_true(ranking.networks[1].inner_crossing > 49);
    vef_ranking_release(&ranking);
    ranking = search_for("twin-torus sizes=5x5x5", NULL);
    for (size_t i = 0; i < 2; i++) {
        const uint32_t ports = ports_of(ranking.networks[i].value);
        assert_true(ports == 7 || ports == 11);
        assert_int_equal(ranking.networks[i].inner_crossing, 146);
    }
    assert_true(ranking.networks[2].inner_crossing > 146);
    vef_ranking_release(&ranking);
}

/* ---- figures, requests ---- */

static void other_figures_can_be_ranked_by(void **state) {
    (void)state;
    static const char *const texts[] = {"ibt sizes=24 L=1 at_most=3", "lattice sizes=6x3x3",
                                        "twin-torus sizes=2x3x4"};
    for (size_t i = 0; i < 3; i++)
        for (vef_rank_by by = VEF_BY_AVERAGE; by <= (i == 2 ? VEF_BY_INNER_USE : VEF_BY_DIAMETER);
             by++) {
            vef_ranking ranking = search_for(texts[i], &by);
            assert_int_equal(ranking.by, by);
            assert_true(ranking.count > 5);
            check_order(&ranking);
            vef_ranking_release(&ranking);
        }
}

typedef struct steps {
    uint64_t calls, last, total;
} steps;

static void count_steps(void *context, uint64_t done, uint64_t total) {
    steps *seen = context;
    seen->calls++;
    assert_int_equal(done, seen->calls);
    seen->last = done;
    seen->total = total;
}

static void progress_is_told_of_every_network(void **state) {
    (void)state;
    vef_ranking ranking;
    vef_error error;
    steps seen = {0};
    assert_int_equal(vef_search("ibt sizes=12x12 L=2", NULL, count_steps, &seen, &ranking, &error),
                     VEF_OK);
    assert_int_equal(seen.last, 5 + 10); /* lengths 2 to 6, one or two */
    assert_int_equal(seen.total, seen.last);
    assert_int_equal(ranking.enumerated, seen.last);
    assert_string_equal(ranking.fixed, "family: ibt, sizes: [12, 12], bypass_dimensions: 2");
    assert_non_null(strstr(ranking.refusal, "lengths [3]"));
    vef_ranking_release(&ranking);
}

static void what_cannot_be_understood_is_refused_with_what_would_do(void **state) {
    (void)state;
    static const struct {
        const char *text, *says;
    } cases[] = {
        {"", "ibt (lengths)"},
        {"torus sizes=4x4", "ibt (lengths)"},
        {"torus sizes=4x4", "twin-torus (card0)"},
        {"torus sizes=4x4", "lattice (shifts)"},
        {"ibt", "'sizes' is missing"},
        {"ibt sizes=8x8", "'bypass_dimensions' is missing"},
        {"ibt sizes", "'sizes': expected a key and a value"},
        {"ibt sizes=", "expected a key and a value, such as 'ibt sizes=30x30x36 L=3'"},
        {"ibt sizes=8xx8 L=1", "found '8xx8'"},
        {"ibt sizes=[8, 8 L=1", "not YAML"},
        {"ibt sizes=8x8 L=3", "3 of 2 dimensions: out of range: expected 1 to 2"},
        {"ibt sizes=8x8 L=1 bypass_dimensions=1", "duplicate key bypass_dimensions"},
        {"ibt sizes=8x8 L=1 lengths=4", "lengths: not accepted in a search of ibt networks"},
        {"ibt sizes=8x8 L=1 length=4", "sizes, bypass_dimensions, at_most, longest"},
        {"ibt sizes=8x8 L=1 at_most=0", "from 1 to 8"},
        {"ibt sizes=3x3 L=1", "dimensions of at least 4"},
        {"ibt sizes=7x7 L=2", "none of the 3 networks can be built"},
        {"ibt sizes=4096 L=1", ": at_most=1"},
        {"lattice sizes=16", "expected 2 to 24"},
        {"lattice sizes=4x4 wrap=[1, 0]", "expected at least two"},
        {"lattice sizes=4x4 wrap=[1]", "1 numbers for 2 dimensions"},
        {"lattice sizes=4x4 generators=[[1]]", "number 0 has 1 numbers"},
        {"lattice sizes=256x256x2", ": smaller sizes"},
        {"lattice sizes=4x4x4x4x4x4x4x4x4x4x4x4", ": smaller sizes"},
        {"lattice sizes=4x4 L=1", "sizes, generators, wrap"},
        {"twin-torus", "'sizes' is missing"},
        {"twin-torus sizes=4x4x4 card0=[X+, X-, Y+]", "card0: not accepted in a search"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        vef_ranking ranking;
        vef_error error = {0};
        const vef_code code = vef_search(cases[i].text, NULL, NULL, NULL, &ranking, &error);
        if (code != VEF_INVALID || !strstr(error.message, cases[i].says))
            fail_msg("'%s': %d, %s", cases[i].text, code, error.message);
    }
    const vef_rank_by inner = VEF_BY_INNER_USE;
    vef_ranking ranking;
    vef_error error = {0};
    assert_int_equal(vef_search("ibt sizes=8x8 L=1", &inner, NULL, NULL, &ranking, &error),
                     VEF_UNSUPPORTED);
    assert_non_null(strstr(error.message, "expected average or diameter"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_papers_best_ibt_comes_first),
        cmocka_unit_test(no_bypass_lengths_are_missed),
        cmocka_unit_test(lists_of_lengths_that_are_one_network_are_listed_once),
        cmocka_unit_test(the_twist_of_rtt_comes_first),
        cmocka_unit_test(no_twist_of_three_dimensions_is_missed),
        cmocka_unit_test(mirrored_twists_are_listed_where_generators_tell_them_apart),
        cmocka_unit_test(configurations_of_twin_tori_are_ranked_by_what_crosses),
        cmocka_unit_test(configuration_C_is_the_best),
        cmocka_unit_test(other_figures_can_be_ranked_by),
        cmocka_unit_test(progress_is_told_of_every_network),
        cmocka_unit_test(what_cannot_be_understood_is_refused_with_what_would_do),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
