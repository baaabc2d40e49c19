/* Every permutation on every family of the topology table, whatever its sizes: each endpoint has
 * one source, or the message says what would fit and names patterns that do; and `transpose` by the
 * halves of coordinates and of bits. */
#include "tests/netmodel/networks.h"
#include "tests/netmodel/synthetic.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

static vef_code try_pattern(const char *name, const vef_topology *topology, vef_pattern **pattern,
                            vef_error *error) {
    *error = (vef_error){0};
    return vef_pattern_of_text(name, NULL, topology, pattern, error);
}

static uint32_t destination(const vef_pattern *pattern, uint32_t source, vef_rng *rng) {
    const uint32_t to = pattern->kind->destination(pattern, source, rng);
    return to == VEF_SILENT ? source : to;
}

static void check_bijection(const vef_pattern *pattern, const char *what) {
    vef_rng rng = vef_rng_make(2, VEF_RNG_TEST, 0);
    uint32_t *from = calloc(pattern->endpoints, sizeof *from);
    for (uint32_t e = 0; e < pattern->endpoints; e++) {
        const uint32_t to = destination(pattern, e, &rng);
        assert_true(to < pattern->endpoints);
        if (from[to]++ > 0)
            fail_msg("%s: two sources send to endpoint %u", what, to);
    }
    free(from);
}

/* All patterns that the message names are accepted. */
static void check_message(const vef_topology *topology, const char *what, char *message) {
    char *names = strstr(message, "; expected for this network one of: ");
    if (!strstr(message, "expected") || !names)
        fail_msg("%s: %s", what, message);
    names = strrchr(names, ':') + 1;
    for (char *name = strtok(names, ", "); name; name = strtok(NULL, ", ")) {
        vef_pattern *pattern = NULL;
        vef_error error;
        if (try_pattern(name, topology, &pattern, &error) != VEF_OK)
            fail_msg("%s: %s", what, error.message);
        check_bijection(pattern, name);
        vef_pattern_destroy(pattern);
    }
}

static void permutations_fit_or_say_what_does(void **state) {
    (void)state;
    enum { MOST_ENDPOINTS = 600 };
    uint32_t made = 0, refused = 0;
    for (size_t f = 0; vef_topology_families[f]; f++)
        for (const char *const *sample = vef_topology_families[f]->samples; *sample; sample++)
            for (uint32_t per_router = 1; per_router <= 3; per_router += 2) {
                vef_topology *topology =
                    topology_of(vef_topology_families[f]->name, *sample, per_router);
                for (size_t p = 0; topology->endpoints <= MOST_ENDPOINTS && vef_patterns[p]; p++) {
                    vef_pattern *pattern = NULL;
                    vef_error error;
                    if (!vef_patterns[p]->permutation || !vef_patterns[p]->samples[0])
                        continue;
                    if (try_pattern(vef_patterns[p]->name, topology, &pattern, &error) == VEF_OK) {
                        check_bijection(pattern, vef_patterns[p]->name);
                        made++;
                    } else {
                        check_message(topology, vef_patterns[p]->name, error.message);
                        refused++;
                    }
                    vef_pattern_destroy(pattern);
                }
                vef_topology_destroy(topology);
            }
    assert_true(made > 100 && refused > 100);
}

/* Dally and Towles, section 3.2: d_i = s_((i + b/2) mod b). */
static void transpose_exchanges_halves_of_bits(void **state) {
    (void)state;
    static const char *const networks[][2] = {
        {"torus", "{sizes: [16, 4]}"},   {"hypercube", "{dimensions: 6}"},
        {"torus", "{sizes: [2, 4, 8]}"}, {"mesh", "{sizes: [4, 2, 4, 2]}"},
        {"star", "{endpoints: 256}"},    {"kary-ntree", "{k: 4, n: 3}"}};
    vef_rng rng = vef_rng_make(2, VEF_RNG_TEST, 0);
    for (size_t n = 0; n < sizeof networks / sizeof *networks; n++) {
        vef_topology *topology = topology_of(networks[n][0], networks[n][1], 1);
        vef_pattern *pattern = pattern_of("transpose", topology);
        uint32_t bits = 0;
        while (1u << bits < topology->endpoints)
            bits++;
        assert_int_equal(bits % 2, 0);
        for (uint32_t s = 0; s < topology->endpoints; s++) {
            uint32_t d = 0;
            for (uint32_t i = 0; i < bits; i++)
                d |= (s >> (i + bits / 2) % bits & 1) << i;
            assert_int_equal(destination(pattern, s, &rng), d);
        }
        vef_pattern_destroy(pattern);
        vef_topology_destroy(topology);
    }
}

/* (a, b, c, d) to (c, d, a, b), also with several endpoints on a router, or on a grid of one's own;
 * and a square number of endpoints as a matrix. */
static void transpose_exchanges_halves_of_coordinates(void **state) {
    (void)state;
    static const struct {
        const char *family, *parameters, *pattern;
        uint32_t per_router, first, second; /* sizes of a half */
    } rows[] = {
        {"torus", "{sizes: [3, 4, 3, 4]}", "transpose", 2, 3, 4},
        {"mesh", "{sizes: [5, 2, 5, 2]}", "transpose", 3, 5, 2},
        {"xgft", "{m: [6, 6], w: [1, 2]}", "{pattern: transpose, grid: [3, 2, 3, 2]}", 1, 3, 2},
        {"torus", "{sizes: [12, 3]}", "transpose", 1, 6, 1},
        {"complete", "{routers: 7}", "transpose", 7, 7, 1},
    };
    vef_rng rng = vef_rng_make(2, VEF_RNG_TEST, 0);
    for (size_t n = 0; n < sizeof rows / sizeof *rows; n++) {
        vef_topology *topology =
            topology_of(rows[n].family, rows[n].parameters, rows[n].per_router);
        vef_pattern *pattern = pattern_of(rows[n].pattern, topology);
        const uint32_t half = rows[n].first * rows[n].second;
        const uint32_t copies = topology->endpoints / (half * half);
        for (uint32_t d = 0; d < rows[n].second; d++)
            for (uint32_t c = 0; c < rows[n].first; c++)
                for (uint32_t b = 0; b < rows[n].second; b++)
                    for (uint32_t a = 0; a < rows[n].first; a++) {
                        const uint32_t low = a + rows[n].first * b, high = c + rows[n].first * d;
                        for (uint32_t copy = 0; copy < copies; copy++)
                            assert_int_equal(
                                destination(pattern, (low + half * high) * copies + copy, &rng),
                                (high + half * low) * copies + copy);
                    }
        vef_pattern_destroy(pattern);
        vef_topology_destroy(topology);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(permutations_fit_or_say_what_does),
        cmocka_unit_test(transpose_exchanges_halves_of_bits),
        cmocka_unit_test(transpose_exchanges_halves_of_coordinates),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
