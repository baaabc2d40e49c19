/* Segmented regression. See segments.h. */
#include "replay/fit/segments.h"
#include "common/memory.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

/* Weighted sums over the points before one; long double, since differences of them follow. */
typedef struct moments {
    long double w, x, y, xx, xy, yy;
} moments;

static void add(moments *sums, const vef_fit_point *point) {
    const long double w = 1 / ((long double)point->deviation_ns * point->deviation_ns);
    const long double x = point->bytes, y = point->ns;
    sums->w += w;
    sums->x += w * x;
    sums->y += w * y;
    sums->xx += w * x * x;
    sums->xy += w * x * y;
    sums->yy += w * y * y;
}

static moments between(const moments *from, const moments *to) {
    return (moments){to->w - from->w,   to->x - from->x,   to->y - from->y,
                     to->xx - from->xx, to->xy - from->xy, to->yy - from->yy};
}

static double squares_of(const moments *m, long double a, long double b) {
    const long double squares =
        m->yy - 2 * (a * m->y + b * m->xy) + a * a * m->w + 2 * a * b * m->x + b * b * m->xx;
    return squares > 0 ? (double)squares : 0;
}

/* The least squares under fixed >= 0 and per_byte >= 0. The sum is convex: if its minimum is
 * outside, the constrained one is on the boundary, where one of the two is 0. */
static double line(const moments *m, double *fixed, double *per_byte) {
    const long double determinant = m->w * m->xx - m->x * m->x;
    if (determinant > 1e-12L * m->w * m->xx) {
        const long double b = (m->w * m->xy - m->x * m->y) / determinant;
        const long double a = (m->y - b * m->x) / m->w;
        if (a >= 0 && b >= 0) {
            *fixed = (double)a;
            *per_byte = (double)b;
            return squares_of(m, a, b);
        }
    }
    const long double level = m->y > 0 ? m->y / m->w : 0;
    const long double slope = m->xx > 0 && m->xy > 0 ? m->xy / m->xx : 0;
    const double flat = squares_of(m, level, 0), steep = squares_of(m, 0, slope);
    *fixed = flat <= steep ? (double)level : 0;
    *per_byte = flat <= steep ? 0 : (double)slope;
    return flat <= steep ? flat : steep;
}

double vef_segment_line(const vef_fit_point *points, size_t count, double *fixed_ns,
                        double *per_byte_ns) {
    moments sums = {0};
    for (size_t i = 0; i < count; i++)
        add(&sums, &points[i]);
    return line(&sums, fixed_ns, per_byte_ns);
}

/* The tables of the dynamic program: [k][n], the first n points in k + 1 segments. */
typedef struct tables {
    size_t count;
    moments *sums;   /* [n] */
    double *squares; /* DBL_MAX: impossible */
    size_t *from;    /* the first point of the last segment */
} tables;

static void fill(const tables *t, const vef_segment_limits *limits) {
    const size_t row = t->count + 1;
    double fixed, per_byte;
    for (uint32_t k = 0; k < limits->most_segments; k++)
        for (size_t n = 0; n <= t->count; n++) {
            double least = DBL_MAX;
            size_t from = 0;
            for (size_t first = 0; first < n; first++) {
                const double before = k > 0        ? t->squares[(k - 1) * row + first]
                                      : first == 0 ? 0
                                                   : DBL_MAX;
                if (before == DBL_MAX || (n - first < limits->least_points && first + t->count > n))
                    continue;
                const moments range = between(&t->sums[first], &t->sums[n]);
                const double squares = before + line(&range, &fixed, &per_byte);
                if (squares < least) {
                    least = squares;
                    from = first;
                }
            }
            t->squares[k * row + n] = least;
            t->from[k * row + n] = from;
        }
}

/* Two coefficients a segment, and the breakpoints between them. */
static double information(double squares, size_t count, uint32_t segments, double least_noise) {
    const double n = (double)count;
    return n * log(squares / n + least_noise * least_noise) + (3.0 * segments - 1) * log(n);
}

static void choose(const tables *t, const vef_segment_limits *limits, vef_segmentation *best) {
    const size_t row = t->count + 1;
    double least = DBL_MAX;
    best->count = 1;
    for (uint32_t k = 0; k < limits->most_segments; k++) {
        const double squares = t->squares[k * row + t->count];
        if (squares == DBL_MAX)
            continue;
        const double criterion = information(squares, t->count, k + 1, limits->least_noise);
        if (criterion < least) {
            least = criterion;
            best->count = k + 1;
            best->squares = squares;
        }
    }
    size_t end = t->count;
    for (uint32_t k = best->count; k-- > 0;) {
        vef_segment *segment = &best->segments[k];
        segment->end = end;
        segment->first = end = t->from[k * row + end];
        const moments range = between(&t->sums[segment->first], &t->sums[segment->end]);
        line(&range, &segment->fixed_ns, &segment->per_byte_ns);
    }
}

void vef_segments_fit(const vef_fit_point *points, size_t count, const vef_segment_limits *limits,
                      vef_segmentation *best) {
    const size_t cells = (count + 1) * limits->most_segments;
    tables t = {.count = count,
                .sums = vef_calloc(count + 1, sizeof *t.sums),
                .squares = vef_calloc(cells, sizeof *t.squares),
                .from = vef_calloc(cells, sizeof *t.from)};
    *best = (vef_segmentation){0};
    for (size_t i = 0; i < count; i++) {
        t.sums[i + 1] = t.sums[i];
        add(&t.sums[i + 1], &points[i]);
    }
    fill(&t, limits);
    choose(&t, limits, best);
    free(t.sums);
    free(t.squares);
    free(t.from);
}
