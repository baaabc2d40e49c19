/* Traffic over inner links: against paths followed one by one, and the figures and closed forms of
 * the papers. */
#include "netmodel/analysis/inner_link.h"
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
static uint32_t step(uint32_t n, const uint32_t *sizes, uint32_t *at, const uint32_t *to) {
    for (uint32_t d = 0; d < n; d++) {
        if (at[d] == to[d])
            continue;
        const uint32_t up = (to[d] + sizes[d] - at[d]) % sizes[d];
        const bool minus = up > sizes[d] - up;
        at[d] = (at[d] + (minus ? sizes[d] - 1 : 1)) % sizes[d];
        return 2 * d + minus;
    }
    abort();
}

static void place(uint32_t n, const uint32_t *sizes, uint32_t node, uint32_t *at) {
    for (uint32_t d = 0; d < n; d++) {
        at[d] = node % sizes[d];
        node /= sizes[d];
    }
}

/* Follows every path between nodes and sees by which ports it goes through node `through`:
 * [port in][port out]. */
static void follow_all(uint32_t n, const uint32_t *sizes, uint32_t through,
                       uint64_t counts[12][12]) {
    uint32_t nodes = 1, middle[6], at[6], to[6];
    for (uint32_t d = 0; d < n; d++)
        nodes *= sizes[d];
    place(n, sizes, through, middle);
    memset(counts, 0, 12 * sizeof counts[0]);
    for (uint32_t s = 0; s < nodes; s++)
        for (uint32_t t = 0; t < nodes; t++) {
            if (s == t || s == through || t == through)
                continue;
            place(n, sizes, s, at);
            place(n, sizes, t, to);
            while (memcmp(at, to, n * sizeof *at) != 0) {
                const uint32_t out = step(n, sizes, at, to);
                if (memcmp(at, middle, n * sizeof *at) == 0) /* comes in by the opposite port */
                    counts[out ^ 1][step(n, sizes, at, to)]++;
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

static void test_no_inner_links(void **state) {
    (void)state;
    vef_topology *topology = topology_of("torus", "{sizes: [4, 4, 4]}", 2);
    vef_inner_use use;
    vef_error error = {0};
    assert_int_equal(vef_inner_use_count(topology, &use, &error), VEF_UNSUPPORTED);
    assert_non_null(strstr(error.message, "twin-torus"));
    vef_topology_destroy(topology);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_twin_counts_are_those_of_paths_followed),
        cmocka_unit_test(test_twin_figures_of_the_thesis),
        cmocka_unit_test(test_best_configuration_has_the_closed_form),
        cmocka_unit_test(test_no_configuration_is_better_than_the_best),
        cmocka_unit_test(test_no_inner_links),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
