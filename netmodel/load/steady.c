/* Confidence by batch means. See steady.h.
 *
 * Batch means (Law, Simulation Modeling and Analysis, section 9.5.3): the mean of the series is
 * that of its batches, which are almost independent if they are long. Otherwise correlation r of
 * neighbours makes the variance of their mean (1 + r) / (1 - r) times as large, as for an
 * autoregressive process of first order (Steiger et al., "ASAP3: a batch means procedure for
 * steady-state simulation analysis", ACM TOMACS 2005, use the same correction); r below 0 is not
 * corrected. The correlation of n values about their own mean is biased by -(1 + 4 r) / n (Kendall,
 * "Note on bias in the estimation of autocorrelation", Biometrika 1954), which is undone.
 *
 * Independent runs, each with its own variance: Welch and Satterthwaite give the degrees of
 * freedom. Just below saturation values are correlated over more than a run, which its batches
 * do not show; the spread of the runs' means does. */
#include "netmodel/load/steady.h"

#include "netmodel/load/distributions.h"

#include <assert.h>
#include <math.h>

static const double GREATEST_CORRELATION = 0.9; /* that a correction believes */

double vef_mean(const double *values, size_t count) {
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += values[i];
    return sum / (double)count;
}

uint32_t vef_batches_of_each(uint32_t runs) {
    const uint32_t each = (VEF_BATCHES + runs - 1) / runs;
    return each > VEF_LEAST_BATCHES ? each : VEF_LEAST_BATCHES;
}

/* Squares of deviations, and products of each with the next. */
typedef struct sums {
    double squares, products, last;
} sums;

static void add_deviation(sums *totals, double deviation) {
    totals->squares += deviation * deviation;
    totals->products += deviation * totals->last;
    totals->last = deviation;
}

/* The correlation of n neighbours, without bias. */
static double correlation_of(const sums *totals, double n) {
    return totals->squares > 0 ? (n * totals->products / totals->squares + 1) / (n - 4) : 0;
}

/* By how much it multiplies the variance of a mean. */
static double widening(double correlation) {
    const double r = fmax(0, fmin(correlation, GREATEST_CORRELATION));
    return (1 + r) / (1 - r);
}

vef_trend vef_find_trend(const double *values, size_t count) {
    const size_t each = count / VEF_TREND_BATCHES;
    const double n = VEF_TREND_BATCHES, middle = (n - 1) / 2;
    if (each == 0)
        return (vef_trend){0, INFINITY};
    double batch[VEF_TREND_BATCHES], slope = 0;
    values += count - each * VEF_TREND_BATCHES;
    const double spread = n * (n * n - 1) / 12; /* of the numbers of batches: sum of squares */
    for (size_t b = 0; b < VEF_TREND_BATCHES; b++) {
        batch[b] = vef_mean(values + b * each, each);
        slope += ((double)b - middle) * batch[b] / spread;
    }
    const double mean = vef_mean(batch, VEF_TREND_BATCHES);
    sums rest = {0};
    for (size_t b = 0; b < VEF_TREND_BATCHES; b++)
        add_deviation(&rest, batch[b] - mean - slope * ((double)b - middle));
    const double variance = rest.squares / (n - 2) / spread * widening(correlation_of(&rest, n));
    return (vef_trend){slope * n, sqrt(variance) * n};
}

double vef_trend_bias(const double *values, size_t count) {
    static const double BY_CHANCE = 2;
    const vef_trend trend = vef_find_trend(values, count);
    const double chance = BY_CHANCE * trend.error;
    return fabs(trend.change) > chance ? sqrt(trend.change * trend.change - chance * chance) / 2
                                       : 0;
}

vef_estimate vef_scaled_estimate(const vef_estimate *estimate, double factor) {
    vef_estimate scaled = *estimate;
    scaled.mean *= factor;
    scaled.variance *= factor * factor;
    scaled.bias *= factor;
    return scaled;
}

vef_estimate vef_batch_means(const double *values, size_t count, uint32_t batches) {
    assert(batches >= VEF_LEAST_BATCHES && count >= batches);
    const size_t each = count / batches;
    const double n = batches, bias = vef_trend_bias(values, count);
    values += count - each * batches;
    const double mean = vef_mean(values, each * batches);
    sums totals = {0};
    for (uint32_t b = 0; b < batches; b++)
        add_deviation(&totals, vef_mean(values + b * each, each) - mean);
    return (vef_estimate){
        .mean = mean,
        .variance = totals.squares / (n - 1) / n,
        .freedom = n - 1,
        .correlation = fmax(-1, fmin(correlation_of(&totals, n), 1)),
        .bias = bias,
    };
}

static double half_width(const vef_estimate *estimate, double correlation) {
    if (!(estimate->freedom > 0))
        return INFINITY;
    if (estimate->variance <= 0)
        return estimate->bias;
    return hypot(vef_student_two_sided(VEF_CONFIDENCE, estimate->freedom) *
                     sqrt(estimate->variance * widening(correlation)),
                 estimate->bias);
}

double vef_half_width(const vef_estimate *estimate) {
    return half_width(estimate, estimate->correlation);
}

bool vef_is_precise(const vef_estimate *estimate, double precision) {
    double correlation = estimate->correlation;
    if (correlation > VEF_MOST_CORRELATION)
        correlation += VEF_DOUBTED_CORRELATION;
    return half_width(estimate, correlation) <= precision * fabs(estimate->mean);
}

/* Uses the spread of the estimates' means as the variance of `combined`, their mean, if that is
 * significantly more. */
static void consider_spread(vef_estimate *combined, const vef_estimate *estimates, size_t count) {
    if (count < 2 || !(combined->freedom > 0))
        return;
    double squares = 0;
    for (size_t i = 0; i < count; i++)
        squares += (estimates[i].mean - combined->mean) * (estimates[i].mean - combined->mean);
    const double freedom = (double)(count - 1);
    const double spread = squares / freedom / (double)count;
    const double variance = combined->variance * widening(combined->correlation);
    if (spread <= variance)
        return;
    if (variance > 0 &&
        vef_fisher_exceeds(spread / variance, freedom, combined->freedom) >= VEF_SPREAD_BY_CHANCE)
        return;
    combined->variance = spread;
    combined->freedom = freedom;
    combined->correlation = 0; /* runs are independent */
}

vef_estimate vef_combine_estimates(const vef_estimate *estimates, size_t count) {
    vef_estimate combined = {0};
    double weights = 0;
    for (size_t i = 0; i < count; i++) {
        const vef_estimate *one = &estimates[i];
        combined.mean += one->mean / (double)count;
        combined.variance += one->variance / (double)(count * count);
        if (one->freedom > 0)
            weights += one->variance * one->variance / one->freedom;
        combined.correlation += one->correlation / (double)count;
    }
    double sum = combined.variance * (double)(count * count);
    combined.freedom = weights > 0 ? sum * sum / weights : 0;
    for (size_t i = 0; i < count; i++)
        if (!(estimates[i].freedom > 0))
            combined.freedom = 0;
        else if (weights <= 0)
            combined.freedom += estimates[i].freedom; /* no variation */
    consider_spread(&combined, estimates, count);
    return combined;
}
