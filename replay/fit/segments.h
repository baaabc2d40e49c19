/* Segmented regression: the piecewise-linear function of a size that fits measured times best.
 *
 * Each segment is a line `fixed + per_byte x size`, both at least 0, and segments need not meet: a
 * library changes its protocol at a size. For each number of segments a dynamic program over all
 * breakpoints finds the least weighted sum of squares (Bellman and Roth, "Curve fitting by
 * segmented straight lines", Journal of the American Statistical Association 64, 1969); the number
 * of segments is the one with the least BIC (Schwarz, "Estimating the dimension of a model", Annals
 * of Statistics 6, 1978). The time is O(n^2 x segments). */
#ifndef VEF_REPLAY_FIT_SEGMENTS_H
#define VEF_REPLAY_FIT_SEGMENTS_H

#include <stddef.h>
#include <stdint.h>

enum { VEF_MOST_SEGMENTS = 8 };

/* A measured time; its weight is 1 / deviation_ns^2. */
typedef struct vef_fit_point {
    double bytes, ns, deviation_ns;
} vef_fit_point;

/* The line through points first … end - 1. */
typedef struct vef_segment {
    size_t first, end;
    double fixed_ns, per_byte_ns;
} vef_segment;

typedef struct vef_segmentation {
    uint32_t count;
    vef_segment segments[VEF_MOST_SEGMENTS];
    double squares; /* the weighted sum of squared residuals */
} vef_segmentation;

typedef struct vef_segment_limits {
    uint32_t most_segments; /* 1 to VEF_MOST_SEGMENTS */
    size_t least_points;    /* of a segment, at least 1; a single segment may have fewer */
    /* Residuals below this many deviations are not worth another segment: the least noise that
     * counts, relative to `deviation_ns`. Greater than 0. */
    double least_noise;
} vef_segment_limits;

/* The best line through `count` points; returns the weighted sum of squares. */
double vef_segment_line(const vef_fit_point *points, size_t count, double *fixed_ns,
                        double *per_byte_ns);

/* The best segments through points with ascending sizes; at least one point. Deterministic. */
void vef_segments_fit(const vef_fit_point *points, size_t count, const vef_segment_limits *limits,
                      vef_segmentation *best);

#endif
