/* Traffic over inner links: against paths followed one by one, and the figures and closed forms of
 * the papers. */
#include "netmodel/analysis/loads/inner_link.h"
#include "tests/netmodel/networks.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- twin tori ---- */

static vef_twin_torus twin_of(uint32_t n, const uint32_t *sizes, uint64_t card0_ports) {
    vef_twin_torus twin = {.dimensions = n, .card0_ports = card0_ports};
    memcpy(twin.sizes, sizes, n * sizeof *sizes);
    return twin;
}

/* The port by which dimension-order routing leaves `at` for `to`, moving `at` on; ascending
 * dimensions, the shorter way round, + where both are as long. */
static uint32_t step(uint32_t n, const uint32_t *sizes, uint32_t *here, const uint32_t *to) {
    for (uint32_t d = 0; d < n; d++) {
        if (here[d] == to[d])
            continue;
        const uint32_t up = (to[d] + sizes[d] - here[d]) % sizes[d];
        const bool minus = up > sizes[d] - up;
        here[d] = (here[d] + (minus ? sizes[d] - 1 : 1)) % sizes[d];
        return 2 * d + minus;
    }
    abort();
}

static void place(uint32_t n, const uint32_t *sizes, uint32_t node, uint32_t *here) {
    for (uint32_t d = 0; d < n; d++) {
        here[d] = node % sizes[d];
        node /= sizes[d];
    }
}

/* Follows every path between nodes and sees by which ports it goes through node `through`:
 * [port in][port out]. */
static void follow_all(uint32_t n, const uint32_t *sizes, uint32_t through,
                       uint64_t counts[12][12]) {
    uint32_t nodes = 1, middle[6], current_place[6], to[6];
    for (uint32_t d = 0; d < n; d++)
        nodes *= sizes[d];
    place(n, sizes, through, middle);
    memset(counts, 0, 12 * sizeof counts[0]);
    for (uint32_t s = 0; s < nodes; s++)
        for (uint32_t t = 0; t < nodes; t++) {
            if (s == t || s == through || t == through)
                continue;
            place(n, sizes, s, current_place);
            place(n, sizes, t, to);
            while (memcmp(current_place, to, n * sizeof *current_place) != 0) {
                const uint32_t out = step(n, sizes, current_place, to);
                if (memcmp(current_place, middle, n * sizeof *current_place) ==
                    0) /* comes in by the opposite port */
                    counts[out ^ 1][step(n, sizes, current_place, to)]++;
            }
        }
}

static void test_twin_counts_are_those_of_paths_followed(void **state) {
    (void)state;
    static const struct {
        uint32_t n, sizes[6];
    } rows[] = {
        {3, {4, 4, 4}},       {3, {5, 5, 5}},          {3, {3, 4, 5}},    {3, {6, 2, 3}},
        {3, {2, 2, 2}},       {4, {3, 3, 3, 3}},       {4, {2, 4, 3, 5}}, {4, {4, 4, 2, 2}},
        {5, {3, 2, 3, 2, 4}}, {6, {2, 2, 3, 2, 2, 3}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const uint32_t n = rows[i].n;
        uint64_t counts[12][12], ports = 0;
        follow_all(n, rows[i].sizes, 5, counts);
        while (vef_twin_next_configuration(n, &ports)) {
            vef_inner_use expected = {0}, use;
            for (uint32_t in = 0; in < 2 * n; in++)
                for (uint32_t out = 0; out < 2 * n; out++) {
                    expected.paths += counts[in][out];
                    if ((ports >> in & 1) != (ports >> out & 1))
                        expected.crossing += counts[in][out];
                }
            vef_twin_torus twin = twin_of(n, rows[i].sizes, ports);
            vef_inner_use_of_twin(&twin, &use);
            assert_int_equal(use.paths, expected.paths);
            assert_int_equal(use.crossing, expected.crossing);
            /* and it does not matter which card is called 0 */
            twin.card0_ports ^= (1ull << 2 * n) - 1;
            vef_inner_use_of_twin(&twin, &use);
            assert_int_equal(use.crossing, expected.crossing);
        }
    }
}

/* Thesis, table 1.1: 93, 79 and 49 paths, 72, 61 and 38 % of all; the default for an even k is C.
 */
static void test_twin_figures_of_the_thesis(void **state) {
    (void)state;
    static const struct {
        const char *parameters;
        uint64_t crossing, paths;
        int percent;
    } rows[] = {
        {"{sizes: [4, 4, 4], card0: [X+, Y+, Z+]}", 93, 129, 72},
        {"{sizes: [4, 4, 4], card0: [X+, Y+, Y-]}", 79, 129, 61},
        {"{sizes: [4, 4, 4], card0: [X+, X-, Y+]}", 49, 129, 38},
        {"{sizes: [4, 4, 4]}", 49, 129, 38},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        vef_topology *topology = topology_of("twin-torus", rows[i].parameters, 1);
        vef_inner_use use;
        vef_error error = {0};
        assert_int_equal(vef_inner_use_count(topology, &use, &error), VEF_OK);
        assert_int_equal(use.crossing, rows[i].crossing);
        assert_int_equal(use.paths, rows[i].paths);
        assert_int_equal(lround(100.0 * (double)use.crossing / (double)use.paths), rows[i].percent);
        vef_topology_destroy(topology);
    }
}

static uint64_t power(uint64_t base, uint32_t exponent) {
    return exponent == 0 ? 1 : base * power(base, exponent - 1);
}

/* nDT paper, proposition 3.4, for odd k: the crossing paths of CBest in closed form. */
static void test_best_configuration_has_the_closed_form(void **state) {
    (void)state;
    for (uint32_t n = 3; n <= 6; n++)
        for (uint64_t k = 3; k <= 9; k += 2) {
            uint32_t sizes[6] = {0};
            for (uint32_t d = 0; d < n; d++)
                sizes[d] = (uint32_t)k;
            /* Definition 3.5: d0+ … of the first half, and the - port of a middle dimension. */
            uint64_t card0_ports = 0;
            for (uint32_t port = 0; port < 2 * (n / 2); port++)
                card0_ports |= 1ull << port;
            if (n % 2 != 0)
                card0_ports |= 1ull << n;
            const vef_twin_torus twin = twin_of(n, sizes, card0_ports);
            if (k > 3 || n > 3)
                assert_int_equal(vef_twin_best_configuration(n, sizes), card0_ports);
            vef_inner_use use;
            vef_inner_use_of_twin(&twin, &use);
            const uint64_t expected =
                n % 2 == 0 ? (power(k, n / 2) - 1) * (power(k, n / 2) - 1)
                           : (power(k, (n + 1) / 2) - 1) * (power(k, (n - 1) / 2) - 1) +
                                 (k - 1) * (k - 3) / 4 * power(k, n - 1);
            assert_int_equal(use.crossing, expected);
        }
}

/* 3DT paper, section 5.4.1 and nDT paper, section 3.5: none is better. For n = 3 and an even k C
 * alone is the best, for an odd one C and its mirror; but for k = 3 the four of the set SC0, which
 * split every dimension. */
static void test_no_configuration_is_better_than_the_best(void **state) {
    (void)state;
    for (uint32_t n = 3; n <= 6; n++)
        for (uint32_t k = 3; k <= 6; k++) {
            const uint32_t sizes[] = {k, k, k, k, k, k};
            const uint64_t best = vef_twin_best_configuration(n, sizes);
            vef_twin_torus twin = twin_of(n, sizes, best);
            vef_inner_use least, use;
            vef_inner_use_of_twin(&twin, &least);
            uint32_t as_good = 0, split = 0;
            uint64_t ports = 0;
            while (vef_twin_next_configuration(n, &ports)) {
                twin.card0_ports = ports;
                vef_inner_use_of_twin(&twin, &use);
                assert_true(use.crossing >= least.crossing);
                if (use.crossing > least.crossing)
                    continue;
                as_good++;
                split += ((ports ^ ports >> 1) & 0x15) == 0x15;
            }
            if (n == 3) {
                assert_int_equal(as_good, k == 3 ? 4 : k % 2 == 0 ? 1 : 2);
                assert_int_equal(split, k == 3 ? 4 : 0);
            }
        }
}

/* ---- T-switches ---- */

/* Follows the DESTRO path of every pair of terminals, by digits alone, and counts at the switch of
 * each position of each stage the paths through it and those between ports that `alpha` parts
 * ([stage * 2k + port]: on alpha). Fails unless all switches of a stage are alike. */
static void follow_destro(uint32_t k, uint32_t n, const bool *alpha, vef_inner_use *stages) {
    const uint32_t positions = (uint32_t)power(k, n - 1), terminals = positions * k;
    vef_inner_use *current = calloc((size_t)n * positions, sizeof *current);
    for (uint32_t from = 0; from < terminals; from++)
        for (uint32_t to = 0; to < terminals; to++) {
            if (from == to)
                continue;
            uint32_t source[8], target[8], switches[16], in[16], out[16], hops = 0, top = 0;
            for (uint32_t i = 0, a = from, b = to; i < n; i++, a /= k, b /= k) {
                source[i] = a % k;
                target[i] = b % k;
                if (source[i] != target[i])
                    top = i; /* up to the least stage from where the target is below */
            }
            uint32_t digit[8] = {0}; /* of the switch's position */
            for (uint32_t i = 0; i + 1 < n; i++)
                digit[i] = source[i + 1];
            uint32_t came_by = source[0];
            for (uint32_t stage = 0;; stage++) {
                uint32_t position = 0;
                for (uint32_t i = n - 1; i-- > 0;)
                    position = position * k + digit[i];
                switches[hops] = stage * positions + position;
                in[hops] = came_by;
                out[hops++] = target[stage] + (stage == top ? 0 : k);
                if (stage == top)
                    break;
                came_by = digit[stage]; /* the down port there is the digit that is given up */
                digit[stage] = target[stage];
            }
            for (uint32_t stage = top; stage-- > 0;) {
                came_by = k + digit[stage];
                digit[stage] = target[stage + 1];
                uint32_t position = 0;
                for (uint32_t i = n - 1; i-- > 0;)
                    position = position * k + digit[i];
                switches[hops] = stage * positions + position;
                in[hops] = came_by;
                out[hops++] = target[stage];
            }
            for (uint32_t i = 0; i < hops; i++) {
                const bool *on_alpha = alpha + switches[i] / positions * 2 * k;
                current[switches[i]].paths++;
                current[switches[i]].crossing += on_alpha[in[i]] != on_alpha[out[i]];
            }
        }
    for (uint32_t s = 0; s < n; s++) {
        stages[s] = current[s * positions];
        for (uint32_t o = 0; o < positions; o++)
            assert_memory_equal(&current[s * positions + o], &stages[s], sizeof stages[s]);
    }
    free(current);
}

static void test_t_switch_counts_are_those_of_paths_followed(void **state) {
    (void)state;
    static const struct {
        const char *parameters;
        uint32_t k, n;
    } rows[] = {
        {"{k: 4, n: 2, inner_links: 1}", 4, 2},
        {"{k: 4, n: 3, inner_links: 1}", 4, 3},
        {"{k: 2, n: 4, inner_links: 1}", 2, 4},
        {"{k: 6, n: 2, inner_links: 2}", 6, 2},
        {"{k: 4, n: 1, inner_links: 1, alpha: [[0, 1, 2, 7]]}", 4, 1},
        {"{k: 4, n: 3, inner_links: 1, alpha: [[0, 1, 2, 3]]}", 4, 3},
        {"{k: 4, n: 3, inner_links: 1, alpha: [[0, 1, 6, 7]]}", 4, 3},
        {"{k: 3, n: 3, inner_links: 1, alpha: [[0, 1, 4], [2, 3, 5], [1, 2, 4]]}", 3, 3},
        {"{k: 4, n: 2, inner_links: 1, alpha: [[0, 4, 5, 6], [1, 2, 3, 7]]}", 4, 2},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const uint32_t k = rows[i].k, n = rows[i].n;
        vef_topology *topology = topology_of("kary-ntree", rows[i].parameters, 1);
        const vef_kary_ntree *tree = vef_kary_ntree_of(topology);
        bool alpha[64];
        for (uint32_t port = 0; port < n * 2 * k; port++)
            alpha[port] = tree->chip[port] == 0;
        vef_inner_use expected[8], use, most = {0};
        follow_destro(k, n, alpha, expected);
        for (uint32_t stage = 0; stage < n; stage++) {
            vef_inner_use_of_stage(tree, stage, &use);
            assert_int_equal(use.paths, expected[stage].paths);
            assert_int_equal(use.crossing, expected[stage].crossing);
            if (stage == 0 || use.crossing > most.crossing)
                most = expected[stage];
        }
        vef_error error = {0};
        assert_int_equal(vef_inner_use_count(topology, &use, &error), VEF_OK);
        assert_int_equal(use.paths, most.paths);
        assert_int_equal(use.crossing, most.crossing);
        vef_topology_destroy(topology);
    }
}

/* Villar et al., propositions 20 and 21: k^(n+1) / 2 paths cross in every switch of the optimal
 * pattern before the last stage, none in it; table 2: the paths in all. */
static void test_optimal_t_switches_have_the_closed_form(void **state) {
    (void)state;
    static const uint32_t sizes[][2] = {{4, 2}, {4, 3}, {4, 5}, {8, 4}, {6, 3}, {2, 6}};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        const uint64_t k = sizes[i][0];
        const uint32_t n = sizes[i][1];
        char parameters[64];
        snprintf(parameters, sizeof parameters, "{k: %u, n: %u, inner_links: 1}", sizes[i][0], n);
        vef_topology *topology = topology_of("kary-ntree", parameters, 1);
        vef_inner_use use;
        for (uint32_t s = 0; s < n; s++) {
            vef_inner_use_of_stage(vef_kary_ntree_of(topology), s, &use);
            assert_int_equal(use.crossing, s == n - 1 ? 0 : power(k, n + 1) / 2);
            assert_int_equal(use.paths, (s == n - 1 ? 0 : 2 * (power(k, n + 1) - power(k, s + 2))) +
                                            (k - 1) * power(k, s + 1));
        }
        vef_error error = {0};
        assert_int_equal(vef_inner_use_count(topology, &use, &error), VEF_OK);
        assert_int_equal(use.crossing, power(k, n + 1) / 2);
        vef_topology_destroy(topology);
    }
}

/* Proposition 20: of all patterns of a 4 x 4 T-switch only those of pairs l and l + k are optimal
 * before the last stage: C(4, 2) of them (the exchange of the inner switches counted). */
static void test_no_pattern_is_better_than_the_optimal(void **state) {
    (void)state;
    uint32_t optimal[2] = {0};
    for (uint32_t set = 0; set < 256; set++) {
        if (__builtin_popcount(set) != 4)
            continue;
        char parameters[96], list[32] = "";
        for (uint32_t port = 0; port < 8; port++)
            if (set >> port & 1)
                snprintf(list + strlen(list), sizeof list - strlen(list), "%s%u",
                         list[0] ? ", " : "", port);
        snprintf(parameters, sizeof parameters, "{k: 4, n: 3, inner_links: 1, alpha: [[%s]]}",
                 list);
        vef_topology *topology = topology_of("kary-ntree", parameters, 1);
        for (uint32_t stage = 0; stage < 2; stage++) {
            vef_inner_use use;
            vef_inner_use_of_stage(vef_kary_ntree_of(topology), stage, &use);
            assert_true(use.crossing >= 128); /* 4^4 / 2 */
            const bool pairs = (set & 15) == set >> 4;
            assert_int_equal(use.crossing == 128, pairs);
            optimal[stage] += use.crossing == 128;
        }
        vef_topology_destroy(topology);
    }
    assert_int_equal(optimal[0], 6);
    assert_int_equal(optimal[1], 6);
}

static void test_no_inner_links(void **state) {
    (void)state;
    vef_topology *topology = topology_of("torus", "{sizes: [4, 4, 4]}", 2);
    vef_inner_use use;
    vef_error error = {0};
    assert_int_equal(vef_inner_use_count(topology, &use, &error), VEF_UNSUPPORTED);
    assert_non_null(strstr(error.message, "twin-torus"));
    vef_topology_destroy(topology);
    topology = topology_of("kary-ntree", "{k: 4, n: 3}", 1); /* plain switches */
    assert_int_equal(vef_inner_use_count(topology, &use, &error), VEF_UNSUPPORTED);
    vef_topology_destroy(topology);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_twin_counts_are_those_of_paths_followed),
        cmocka_unit_test(test_twin_figures_of_the_thesis),
        cmocka_unit_test(test_best_configuration_has_the_closed_form),
        cmocka_unit_test(test_no_configuration_is_better_than_the_best),
        cmocka_unit_test(test_t_switch_counts_are_those_of_paths_followed),
        cmocka_unit_test(test_optimal_t_switches_have_the_closed_form),
        cmocka_unit_test(test_no_pattern_is_better_than_the_optimal),
        cmocka_unit_test(test_no_inner_links),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
