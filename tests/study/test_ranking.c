/* Rankings against Student's distribution in closed form, and sentences for causes that are known.
 * With two degrees of freedom P(|T| <= t) = t / sqrt(2 + t^2), so t = sqrt(2 c^2 / (1 - c^2)) for
 * the confidence c. */
#include "common/memory.h"
#include "study/verdict/ranking.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SEEDS = 3 };

static double student_2(double confidence) {
    return sqrt(2 * confidence * confidence / (1 - confidence * confidence));
}

/* A verdict over cells with these values of seeds 1, 2, 3; 0: none. */
static vef_verdict rank(size_t count, const double values[][SEEDS], const size_t *order) {
    static const char *labels[][1] = {{"a"}, {"b"}, {"c"}, {"d"}};
    vef_verdict verdict = {
        .application = "app", .measure = "time_ns", .hint = "seeds", .count = count};
    verdict.cells = vef_calloc(count, sizeof *verdict.cells);
    for (size_t i = 0; i < count; i++) {
        verdict.cells[i].label = labels[i];
        for (size_t s = 0; s < SEEDS; s++) {
            const size_t seed = order[s];
            vef_study_sample_add(&verdict.cells[i].sample, seed + 1, values[i][seed], 10 * i + seed,
                                 false);
        }
    }
    vef_verdict_rank(&verdict);
    return verdict;
}

static const size_t in_order[SEEDS] = {0, 1, 2};

static const char *name(const vef_verdict *verdict, size_t rank_of_cell) {
    return verdict->cells[rank_of_cell].label[0];
}

static void two_cells(void **state) {
    (void)state;
    /* Logarithms of the ratios 0.2, 0.21, 0.22: mean 0.21, standard deviation 0.01. */
    const double values[][SEEDS] = {{100 * exp(0.2), 300 * exp(0.21), 70 * exp(0.22)},
                                    {100, 300, 70}};
    vef_verdict verdict = rank(2, values, in_order);
    const vef_study_mean *ratio = &verdict.cells[1].ratio;
    const double half = student_2(0.95) * 0.01 / sqrt(3);
    assert_string_equal(name(&verdict, 0), "b");
    assert_int_equal(verdict.cells[0].standing, VEF_STANDING_BEST);
    assert_int_equal(verdict.cells[1].standing, VEF_STANDING_WORSE);
    assert_true(fabs(ratio->mean - exp(0.21)) < 1e-9);
    assert_true(fabs(ratio->low - exp(0.21 - half)) < 1e-8 &&
                fabs(ratio->high - exp(0.21 + half)) < 1e-8);
    assert_true(fabs(half - 4.302653 * 0.01 / sqrt(3)) < 1e-7); /* the t of tables */
    vef_verdict_release(&verdict);

    const double noisy[][SEEDS] = {{100, 300, 70}, {100 * exp(0.1), 300 * exp(0.2), 70 * exp(0.3)}};
    verdict = rank(2, noisy, in_order); /* 0.2 +- 0.248 */
    assert_int_equal(verdict.cells[1].standing, VEF_STANDING_NOISE);
    assert_int_equal(vef_verdict_rival(&verdict), 0);
    vef_verdict_release(&verdict);
}

/* With three cells there are three pairs: each interval has the confidence 1 - 0.05 / 3. */
static void three_cells(void **state) {
    (void)state;
    const double values[][SEEDS] = {
        {100, 300, 70}, {100 * exp(0.2), 300 * exp(0.21), 70 * exp(0.22)}, {200, 600, 140}};
    vef_verdict verdict = rank(3, values, in_order);
    const double half = student_2(1 - 0.05 / 3) * 0.01 / sqrt(3);
    assert_true(fabs(verdict.cells[1].ratio.low - exp(0.21 - half)) < 1e-7);
    assert_true(fabs(verdict.cells[1].ratio.high - exp(0.21 + half)) < 1e-7);
    assert_string_equal(name(&verdict, 2), "c");
    assert_int_equal(vef_verdict_rival(&verdict), 1);
    vef_verdict_release(&verdict);
}

/* The order in which seeds finish changes nothing; which run has which seed does, since runs are
 * paired. */
static void seeds_are_paired(void **state) {
    (void)state;
    const double values[][SEEDS] = {{100, 200, 400}, {111, 220, 441}},
                 crossed[][SEEDS] = {{100, 200, 400}, {441, 111, 220}};
    static const size_t orders[][SEEDS] = {{0, 1, 2}, {2, 0, 1}, {1, 0, 2}};
    vef_verdict first = rank(2, values, in_order);
    assert_int_equal(first.cells[1].standing, VEF_STANDING_WORSE);
    for (size_t o = 0; o < sizeof orders / sizeof *orders; o++) {
        vef_verdict verdict = rank(2, values, orders[o]);
        assert_true(fabs(verdict.cells[1].ratio.low - first.cells[1].ratio.low) < 1e-12);
        assert_true(fabs(verdict.cells[1].ratio.high - first.cells[1].ratio.high) < 1e-12);
        vef_verdict_release(&verdict);
    }
    vef_verdict verdict = rank(2, crossed, in_order);
    assert_int_equal(verdict.cells[1].standing, VEF_STANDING_NOISE);
    assert_true(fabs(verdict.cells[1].ratio.mean - first.cells[1].ratio.mean) <
                1e-9); /* geometric means do not care */
    vef_verdict_release(&verdict);
    vef_verdict_release(&first);
}

static void without_randomness(void **state) {
    (void)state;
    const double values[][SEEDS] = {{110, 110, 110}, {100, 100, 100}, {100, 100, 100}, {90, 0, 90}};
    vef_verdict verdict = rank(4, values, in_order);
    assert_string_equal(name(&verdict, 0),
                        "b"); /* equal cells stay in order; incomplete ones come last */
    assert_int_equal(verdict.cells[1].standing, VEF_STANDING_EQUAL);
    assert_int_equal(verdict.cells[2].standing, VEF_STANDING_EXACT);
    assert_int_equal(verdict.cells[3].standing, VEF_STANDING_INCOMPLETE);
    assert_int_equal(vef_verdict_rival(&verdict), 2);
    vef_verdict_release(&verdict);
    const double single[][SEEDS] = {{100, 0, 0}, {110, 0, 0}, {0, 0, 0}};
    verdict = rank(3, single, in_order);
    for (size_t i = 0; i < 2; i++)
        verdict.cells[i].sample.left_out = 0;
    vef_verdict_rank(&verdict);
    assert_int_equal(verdict.cells[1].standing, VEF_STANDING_SINGLE);
    assert_int_equal(verdict.cells[2].standing, VEF_STANDING_NONE);
    /* Runs that measured their own intervals: 3 and 4 % make 5 % for their ratio, which
     * includes 1.04 / 1. */
    verdict.cells[0].half_width = 0.03;
    verdict.cells[1].half_width = 0.04;
    vef_verdict_rank(&verdict);
    assert_int_equal(verdict.cells[1].standing, VEF_STANDING_WORSE);
    assert_true(fabs(verdict.cells[1].ratio.low - 1.1 * exp(-0.05)) < 1e-9);
    verdict.cells[0].half_width = 0.08;
    verdict.cells[1].half_width = 0.06;
    vef_verdict_rank(&verdict);
    assert_int_equal(verdict.cells[1].standing, VEF_STANDING_NOISE);
    vef_verdict_release(&verdict);
}

static void the_greatest(void **state) {
    (void)state;
    const double values[][SEEDS] = {{1, 1, 1}, {2, 2, 2}};
    vef_verdict verdict = rank(2, values, in_order);
    assert_string_equal(name(&verdict, 0), "a");
    verdict.greatest = true;
    vef_verdict_rank(&verdict);
    assert_string_equal(name(&verdict, 0), "b");
    assert_true(fabs(verdict.cells[1].ratio.mean - 0.5) < 1e-12);
    vef_verdict_release(&verdict);
}

static void causes(void **state) {
    (void)state;
    double first[VEF_CAUSES] = {
        [VEF_CAUSE_COMPUTING] = 5e6, [VEF_CAUSE_CONTENTION] = 3e6, [VEF_CAUSE_LATENCY] = 2e6};
    double second[VEF_CAUSES] = {
        [VEF_CAUSE_COMPUTING] = 5e6, [VEF_CAUSE_CONTENTION] = 8e6, [VEF_CAUSE_LATENCY] = 3e6};
    char *why = vef_why_by_causes(first, second); /* 5 of the 6 ms */
    assert_string_equal(why,
                        "contention on the critical path 3 instead of 8 ms (30 instead of 50 %)");
    free(why);
    second[VEF_CAUSE_LATENCY] = 6.5e6; /* 5 and 4.5 of 9.5 ms */
    why = vef_why_by_causes(first, second);
    assert_non_null(strstr(why, "contention on the critical path 3 instead of 8 ms"));
    assert_non_null(strstr(why, ", latency on the critical path 2 instead of 6.5 ms"));
    free(why);
    second[VEF_CAUSE_LATENCY] = 0; /* one grows, one falls: 5 - 2 ms */
    why = vef_why_by_causes(first, second);
    assert_non_null(strstr(why, ", latency on the critical path 2 instead of 0 ms"));
    free(why);
    assert_null(vef_why_by_causes(first, first));
    const vef_reason reasons[] = {{"p", 1, 1.005}, {"q", 2, 3}, {"r", 4, 1}, {"s", 0, 0}};
    why = vef_why_by_figures(reasons, 4);
    assert_string_equal(why, "r 4 instead of 1, q 2 instead of 3");
    free(why);
    assert_null(vef_why_by_figures(reasons, 1));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_cells),        cmocka_unit_test(three_cells),
        cmocka_unit_test(seeds_are_paired), cmocka_unit_test(without_randomness),
        cmocka_unit_test(the_greatest),     cmocka_unit_test(causes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
