/* Steady state of a time series: the end of its warm-up, and the uncertainty of its mean. */
#ifndef VEF_NETMODEL_LOAD_STEADY_H
#define VEF_NETMODEL_LOAD_STEADY_H

#include <stdbool.h>
#include <stddef.h>

/* The number of values at the beginning of a series to discard as warm-up, by MSER-5 (steady.c), a
 * multiple of 5. */
size_t vef_warm_up_length(const double *values, size_t count);

/* Whether the series has settled: its warm-up ends in the first half. At least 50 values. */
bool vef_has_settled(const double *values, size_t count);

/* A mean and its uncertainty. */
typedef struct vef_estimate {
    double mean;
    double variance; /* of the mean */
    double freedom;  /* degrees of freedom of the variance; 0: unknown */
    /* Correlation of each batch mean with the next. Above VEF_MOST_CORRELATION batches are too
     * short for the variance to be trusted. */
    double correlation;
} vef_estimate;

enum { VEF_BATCHES = 32 };
#define VEF_MOST_CORRELATION 0.2
#define VEF_CONFIDENCE 0.95
#define VEF_SPREAD_BY_CHANCE 0.01

/* From VEF_BATCHES batches of equal length, without the first values if they do not divide. At
 * least VEF_BATCHES values. */
vef_estimate vef_batch_means(const double *values, size_t count);

/* Half the width of the confidence interval at VEF_CONFIDENCE; infinite when freedom is 0. */
double vef_half_width(const vef_estimate *estimate);

/* Whether that is at most `precision` of the mean, with batches long enough to be trusted. */
bool vef_is_precise(const vef_estimate *estimate, double precision);

/* The mean of independent estimates of one quantity, of equal weight. If their spread exceeds their
 * variances (Fisher's F exceeded with a probability below VEF_SPREAD_BY_CHANCE), the variance is
 * that of their spread. */
vef_estimate vef_combine_estimates(const vef_estimate *estimates, size_t count);

#endif
