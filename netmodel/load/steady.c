/* Warm-up by MSER-5, confidence by batch means.
 *
 * MSER-5 (White, Cobb, Spratt, "A comparison of five steady-state truncation heuristics for
 * simulation", Winter Simulation Conference 2000): of the means z of every five values, discard the
 * first d for which the squared standard error of the rest, sum (z - mean)^2 / (n - d)^2, is least.
 * Both discarded values and remaining warm-up cost precision. A minimum in the second half means
 * that the series is still changing, or too short.
 *
 * Batch means (Law, Simulation Modeling and Analysis, section 9.5.3): the mean of the series is
 * that of its batches, which are almost independent if they are long. Otherwise correlation r of
 * neighbours makes the variance of their mean (1 + r) / (1 - r) times as large, as for an
 * autoregressive process of first order (Steiger et al., "ASAP3: a batch means procedure for
 * steady-state simulation analysis", ACM TOMACS 2005, use the same correction); r below 0 is not
 * corrected.
 *
 * Independent runs, each with its own variance: Welch and Satterthwaite give the degrees of
 * freedom. Just below saturation values are correlated over more than a run, which its batches
 * do not show; the spread of the runs' means does. */
#include "netmodel/load/steady.h"

#include "netmodel/load/distributions.h"

#include <assert.h>
#include <math.h>

enum { GROUP = 5, LEAST_VALUES = 10 * GROUP };

static double group_mean(const double *values, size_t group) {
    double sum = 0;
    for (size_t i = 0; i < GROUP; i++)
        sum += values[group * GROUP + i];
    return sum / GROUP;
}

/* The number of groups of `groups` to discard. The last ones are excluded: with few remaining
 * values the error is small by chance. */
static size_t mser(const double *values, size_t groups) {
    size_t best = 0;
    double least = INFINITY, mean = 0, squares = 0;
    for (size_t kept = 1; kept <= groups; kept++) {
        size_t first = groups - kept;
        double z = group_mean(values, first), delta = z - mean;
        mean += delta / (double)kept;
        squares += delta * (z - mean); /* Welford */
        double error = squares / ((double)kept * (double)kept);
        if (kept >= GROUP && error <= least) {
            least = error;
            best = first;
        }
    }
    return best;
}

size_t vef_warm_up_length(const double *values, size_t count) {
    return GROUP * mser(values + count % GROUP, count / GROUP);
}

bool vef_has_settled(const double *values, size_t count) {
    return count >= LEAST_VALUES && vef_warm_up_length(values, count) <= count / 2;
}

vef_estimate vef_batch_means(const double *values, size_t count) {
    assert(count >= VEF_BATCHES);
    size_t each = count / VEF_BATCHES;
    double batch[VEF_BATCHES], mean = 0, squares = 0, products = 0;
    values += count - each * VEF_BATCHES;
    for (size_t b = 0; b < VEF_BATCHES; b++) {
        batch[b] = 0;
        for (size_t i = 0; i < each; i++)
            batch[b] += values[b * each + i];
        batch[b] /= (double)each;
        mean += batch[b] / VEF_BATCHES;
    }
    for (size_t b = 0; b < VEF_BATCHES; b++) {
        squares += (batch[b] - mean) * (batch[b] - mean);
        if (b > 0)
            products += (batch[b] - mean) * (batch[b - 1] - mean);
    }
    double correlation = squares > 0 ? products / squares : 0;
    double r = correlation > 0 ? correlation : 0;
    return (vef_estimate){
        .mean = mean,
        .variance = squares / (VEF_BATCHES - 1) / VEF_BATCHES * (1 + r) / (1 - r),
        .freedom = VEF_BATCHES - 1,
        .correlation = correlation,
    };
}

double vef_half_width(const vef_estimate *estimate) {
    if (!(estimate->freedom > 0))
        return INFINITY;
    if (estimate->variance <= 0)
        return 0;
    return vef_student_two_sided(VEF_CONFIDENCE, estimate->freedom) * sqrt(estimate->variance);
}

bool vef_is_precise(const vef_estimate *estimate, double precision) {
    return estimate->correlation <= VEF_MOST_CORRELATION &&
           vef_half_width(estimate) <= precision * fabs(estimate->mean);
}

/* Uses the spread of the estimates' means as the variance of `all`, their mean, if that is
 * significantly more. */
static void consider_spread(vef_estimate *all, const vef_estimate *estimates, size_t count) {
    if (count < 2 || !(all->freedom > 0))
        return;
    double squares = 0;
    for (size_t i = 0; i < count; i++)
        squares += (estimates[i].mean - all->mean) * (estimates[i].mean - all->mean);
    const double freedom = (double)(count - 1);
    const double spread = squares / freedom / (double)count;
    if (spread <= all->variance)
        return;
    if (all->variance > 0 &&
        vef_fisher_exceeds(spread / all->variance, freedom, all->freedom) >= VEF_SPREAD_BY_CHANCE)
        return;
    all->variance = spread;
    all->freedom = freedom;
}

vef_estimate vef_combine_estimates(const vef_estimate *estimates, size_t count) {
    vef_estimate all = {0};
    double weights = 0;
    for (size_t i = 0; i < count; i++) {
        const vef_estimate *one = &estimates[i];
        all.mean += one->mean / (double)count;
        all.variance += one->variance / (double)(count * count);
        if (one->freedom > 0)
            weights += one->variance * one->variance / one->freedom;
        if (one->correlation > all.correlation || i == 0)
            all.correlation = one->correlation;
    }
    double sum = all.variance * (double)(count * count);
    all.freedom = weights > 0 ? sum * sum / weights : 0;
    for (size_t i = 0; i < count; i++)
        if (!(estimates[i].freedom > 0))
            all.freedom = 0;
        else if (weights <= 0)
            all.freedom += estimates[i].freedom; /* no variation */
    consider_spread(&all, estimates, count);
    return all;
}
