/* Segmented regression beside a search over all breakpoints, whose lines are solved independently:
 * by trying each set of active constraints on the normal equations of centred sums. And known
 * truths, with and without noise. */
#include "common/rng.h"
#include "replay/fit/segments.h"

#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
// cmocka.h needs the four above.
#include <cmocka.h>

enum { MOST_POINTS = 9 };

static double squares(const vef_fit_point *points, size_t count, double a, double b) {
    double sum = 0;
    for (size_t i = 0; i < count; i++) {
        const double r = (points[i].ns - a - b * points[i].bytes) / points[i].deviation_ns;
        sum += r * r;
    }
    return sum;
}

/* The least squares of one line with a, b >= 0. */
static double best_line(const vef_fit_point *points, size_t count) {
    double w = 0, x = 0, y = 0, sxx = 0, sxy = 0, xx = 0, xy = 0;
    for (size_t i = 0; i < count; i++) {
        const double weight = 1 / (points[i].deviation_ns * points[i].deviation_ns);
        w += weight;
        x += weight * points[i].bytes;
        y += weight * points[i].ns;
        xx += weight * points[i].bytes * points[i].bytes;
        xy += weight * points[i].bytes * points[i].ns;
    }
    x /= w;
    y /= w;
    for (size_t i = 0; i < count; i++) {
        const double weight = 1 / (points[i].deviation_ns * points[i].deviation_ns);
        sxx += weight * (points[i].bytes - x) * (points[i].bytes - x);
        sxy += weight * (points[i].bytes - x) * (points[i].ns - y);
    }
    double least = squares(points, count, 0, 0);
    least = fmin(least, squares(points, count, fmax(y, 0), 0));
    least = fmin(least, squares(points, count, 0, fmax(xy / xx, 0)));
    const double b = count > 1 ? sxy / sxx : 0, a = y - b * x;
    return a >= 0 && b >= 0 ? fmin(least, squares(points, count, a, b)) : least;
}

/* The least squares of `segments` lines over all breakpoints; DBL_MAX: impossible. */
static double best_split(const vef_fit_point *points, size_t count, uint32_t segments,
                         size_t least_points) {
    if (segments == 1)
        return count >= least_points ? best_line(points, count) : DBL_MAX;
    double least = DBL_MAX;
    for (size_t last = least_points; last < count; last++) {
        const double before = best_split(points, count - last, segments - 1, least_points);
        if (before < DBL_MAX)
            least = fmin(least, before + best_line(points + count - last, last));
    }
    return least;
}

static void test_brute_force(void **state) {
    (void)state;
    for (uint32_t trial = 0; trial < 3000; trial++) {
        vef_rng rng = vef_rng_make(7, VEF_RNG_TEST, trial);
        vef_fit_point points[MOST_POINTS];
        const size_t count = 2 + vef_rng_below(&rng, MOST_POINTS - 1);
        double bytes = 0;
        for (size_t i = 0; i < count; i++) {
            bytes += 1 + vef_rng_below(&rng, 50);
            points[i] =
                (vef_fit_point){bytes, 1 + 100 * vef_rng_unit(&rng), 0.5 + 3 * vef_rng_unit(&rng)};
        }
        const vef_segment_limits limits = {1 + vef_rng_below(&rng, 3), 1 + vef_rng_below(&rng, 3),
                                           0.1};
        vef_segmentation found;
        vef_segments_fit(points, count, &limits, &found);
        /* The least BIC of all numbers of segments, each with its best breakpoints. */
        double least = DBL_MAX, at_least = 0;
        uint32_t wanted = 0;
        for (uint32_t k = 1; k <= limits.most_segments; k++) {
            const double best = best_split(points, count, k, k == 1 ? 1 : limits.least_points);
            const double n = (double)count;
            const double bic =
                best < DBL_MAX ? n * log(best / n + 0.01) + (3.0 * k - 1) * log(n) : DBL_MAX;
            if (bic < least - 1e-9) {
                least = bic;
                wanted = k;
                at_least = best;
            }
        }
        assert_int_equal(found.count, wanted);
        assert_true(fabs(found.squares - at_least) <= 1e-6 * (1 + at_least));
        /* The segments cover the points, and have the squares that they claim. */
        double sum = 0;
        size_t end = 0;
        for (uint32_t k = 0; k < found.count; k++) {
            const vef_segment *s = &found.segments[k];
            assert_int_equal(s->first, end);
            assert_true(s->end > s->first && s->fixed_ns >= 0 && s->per_byte_ns >= 0);
            sum += squares(points + s->first, s->end - s->first, s->fixed_ns, s->per_byte_ns);
            end = s->end;
        }
        assert_int_equal(end, count);
        assert_true(fabs(sum - at_least) <= 1e-6 * (1 + at_least));
    }
}

/* Exact points of lines are found again, with as many segments as there are lines. */
static void test_exact(void **state) {
    (void)state;
    static const double fixed[] = {100, 400, 90}, per_byte[] = {0.5, 0.01, 0.25};
    enum { EACH = 20 };
    vef_fit_point points[3 * EACH];
    for (size_t i = 0; i < 3 * EACH; i++) {
        const double bytes = floor(pow(1.25, (double)i + 10));
        const double ns = fixed[i / EACH] + per_byte[i / EACH] * bytes;
        points[i] = (vef_fit_point){bytes, ns, ns};
    }
    const vef_segment_limits limits = {6, 4, 0.001};
    vef_segmentation found;
    vef_segments_fit(points, 3 * EACH, &limits, &found);
    assert_int_equal(found.count, 3);
    for (size_t k = 0; k < 3; k++) {
        assert_int_equal(found.segments[k].end, (k + 1) * EACH);
        assert_true(fabs(found.segments[k].fixed_ns - fixed[k]) < 1e-3 * fixed[k]);
        assert_true(fabs(found.segments[k].per_byte_ns - per_byte[k]) < 1e-3 * per_byte[k]);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_brute_force),
        cmocka_unit_test(test_exact),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
