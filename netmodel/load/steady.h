/* The mean of a time series: its uncertainty, and whether the series has a trend. */
#ifndef VEF_NETMODEL_LOAD_STEADY_H
#define VEF_NETMODEL_LOAD_STEADY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

double vef_mean(const double *values, size_t count); /* of at least one */

/* The linear trend of a series, over all of it: the difference between its end and its beginning,
 * and the standard error of that, from VEF_TREND_BATCHES batches (infinite: fewer values). */
enum { VEF_TREND_BATCHES = 32 };
typedef struct vef_trend {
    double change, error;
} vef_trend;
vef_trend vef_find_trend(const double *values, size_t count);

/* How far the mean is from the level that the series approaches: half of the change, as far as
 * chance does not explain it (two errors). */
double vef_trend_bias(const double *values, size_t count);

/* A mean and its uncertainty. */
typedef struct vef_estimate {
    double mean;
    double variance; /* of the mean, if batches were independent */
    double freedom;  /* degrees of freedom of the variance; 0: unknown */
    /* Of each batch mean with the next, without the bias of few batches: -1 to 1. It widens the
     * interval (steady.c); above VEF_MOST_CORRELATION batches are short. */
    double correlation;
    double bias; /* by a significant trend (vef_trend_bias): it widens the interval, too */
} vef_estimate;

enum { VEF_BATCHES = 48, VEF_LEAST_BATCHES = 12 };
#define VEF_MOST_CORRELATION 0.2
#define VEF_CONFIDENCE 0.95
#define VEF_SPREAD_BY_CHANCE 0.01

/* Batches of each of several runs: together about VEF_BATCHES, each VEF_LEAST_BATCHES or more. */
uint32_t vef_batches_of_each(uint32_t runs);

/* Of `factor` times the quantity. */
vef_estimate vef_scaled_estimate(const vef_estimate *estimate, double factor);

/* From `batches` (VEF_LEAST_BATCHES or more) of equal length, without the first values if they do
 * not divide, and the trend of the values. At least `batches` values. */
vef_estimate vef_batch_means(const double *values, size_t count, uint32_t batches);

/* Half the width of the confidence interval at VEF_CONFIDENCE; infinite when freedom is 0. */
double vef_half_width(const vef_estimate *estimate);

/* Whether that is at most `precision` of the mean; if batches are short, even if their correlation
 * is in truth VEF_DOUBTED_CORRELATION more than it seems. */
bool vef_is_precise(const vef_estimate *estimate, double precision);
#define VEF_DOUBTED_CORRELATION 0.3

/* The mean of independent estimates of one quantity, of equal weight. If their spread exceeds their
 * variances (Fisher's F exceeded with a probability below VEF_SPREAD_BY_CHANCE), the variance is
 * that of their spread. */
vef_estimate vef_combine_estimates(const vef_estimate *estimates, size_t count);

#endif
