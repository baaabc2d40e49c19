/* The procedure of a measurement.
 *
 * Warm-up: the source runs from empty for FIRST_INTERVALS intervals, then repeatedly half as much
 * again, until both the delivered phits and the latency of packets have settled (MSER-5, steady.h),
 * LEAST_LATENCIES times the mean latency has elapsed, and enough packets were delivered. All of it
 * is discarded: twice what MSER-5 alone would discard, and every figure then covers the same time.
 * If half of the allowed intervals are not enough, the rest is measured anyway, and reported as not
 * settled.
 *
 * Steady state: again FIRST_INTERVALS, and then half as much again, until 32 batches give both
 * means with the requested precision and without significant correlation, at two successive checks
 * if latencies matter: the width of an interval is itself random, and of many checks the first that
 * finds it narrow enough is biased. A series that turns out not to have settled joins the warm-up,
 * and a longer one is begun.
 *
 * Past saturation latencies of messages grow without bound with their sources' queues, so nothing
 * here depends on them; those of packets begin in the injection queue, and do settle.
 *
 * A latency is a ratio of sums, latencies over packets, and intervals without a packet have none.
 * What is settled and batched is the ratio's linearisation about its value R over all intervals,
 * R + (x - R y) / mean(y), which has the same mean and, for long series, the same variance (Law,
 * Simulation Modeling and Analysis, section 9.5.3: ratio estimators).
 *
 * Memory does not grow with time: with MOST_SAMPLES samples, neighbours are added, and from then on
 * a sample covers twice as many intervals. */
#include "netmodel/load/measure.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_INTERVALS = 64, MOST_SAMPLES = 2048, LEAST_LATENCIES = 3, LEAST_WARM_PACKETS = 500 };

typedef struct series {
    vef_load_sample samples[MOST_SAMPLES];
    double values[MOST_SAMPLES]; /* scratch */
    size_t count;                /* whole samples */
    uint64_t each;               /* intervals per sample */
    uint64_t begun;              /* intervals of samples[count], not yet whole */
    uint64_t intervals;
    vef_load_sample sum;
} series;

static void add(vef_load_sample *to, const vef_load_sample *more) {
    to->phits += more->phits;
    to->packets += more->packets;
    to->packet_latency += more->packet_latency;
    to->messages += more->messages;
    to->message_latency += more->message_latency;
}

static void clear(series *all) {
    all->count = 0;
    all->each = 1;
    all->begun = all->intervals = 0;
    all->sum = (vef_load_sample){0};
}

static void append(series *all, const vef_load_sample *sample) {
    add(&all->sum, sample);
    all->intervals++;
    if (all->begun == 0)
        all->samples[all->count] = *sample;
    else
        add(&all->samples[all->count], sample);
    if (++all->begun < all->each)
        return;
    all->begun = 0;
    if (++all->count < MOST_SAMPLES)
        return;
    for (size_t i = 0; i < MOST_SAMPLES / 2; i++) {
        all->samples[i] = all->samples[2 * i];
        add(&all->samples[i], &all->samples[2 * i + 1]);
    }
    all->count = MOST_SAMPLES / 2;
    all->each *= 2;
}

static void phits_of(series *all) {
    for (size_t i = 0; i < all->count; i++)
        all->values[i] = all->samples[i].phits / (double)all->each;
}

/* The linearised ratio of two fields; all 0 if nothing was delivered. */
static void ratio_of(series *all, size_t above, size_t below) {
    double x_sum = 0, y_sum = 0;
    for (size_t i = 0; i < all->count; i++) {
        const char *sample = (const char *)&all->samples[i];
        x_sum += *(const double *)(const void *)(sample + above);
        y_sum += *(const double *)(const void *)(sample + below);
    }
    double ratio = y_sum > 0 ? x_sum / y_sum : 0;
    double y_mean = y_sum > 0 ? y_sum / (double)all->count : 1;
    for (size_t i = 0; i < all->count; i++) {
        const char *sample = (const char *)&all->samples[i];
        double x = *(const double *)(const void *)(sample + above);
        double y = *(const double *)(const void *)(sample + below);
        all->values[i] = ratio + (x - ratio * y) / y_mean;
    }
}

static void packet_latency_of(series *all) {
    ratio_of(all, offsetof(vef_load_sample, packet_latency), offsetof(vef_load_sample, packets));
}

static void message_latency_of(series *all) {
    ratio_of(all, offsetof(vef_load_sample, message_latency), offsetof(vef_load_sample, messages));
}

static vef_code run_to(const vef_sample_source *measured, series *all, uint64_t intervals,
                       vef_error *error) {
    vef_code code = VEF_OK;
    while (all->intervals < intervals && code == VEF_OK) {
        vef_load_sample sample = {0};
        code = measured->interval(measured->context, &sample, error);
        append(all, &sample);
    }
    return code;
}

static uint64_t more(uint64_t intervals, uint64_t most) {
    uint64_t next = intervals + intervals / 2;
    return next < most ? next : most;
}

static void report_share(const vef_sample_source *measured, double share) {
    if (measured->watch)
        measured->watch(measured->context, share);
}

/* ---- warm-up ---- */

static bool has_settled(series *all, const vef_measure_settings *settings, int latencies) {
    double latency = all->sum.packets > 0 ? all->sum.packet_latency / all->sum.packets : 0;
    if (all->sum.packets < LEAST_WARM_PACKETS ||
        (double)all->intervals * settings->interval_cycles < latencies * latency)
        return false;
    phits_of(all);
    if (!vef_has_settled(all->values, all->count))
        return false;
    packet_latency_of(all);
    return vef_has_settled(all->values, all->count);
}

/* Everything so far becomes part of the warm-up. */
static vef_code leave_out(const vef_sample_source *measured, series *all, vef_measurement *result,
                          vef_error *error) {
    result->warm_up_intervals += all->intervals;
    clear(all);
    return measured->warmed_up(measured->context, error);
}

static vef_code warm_up(const vef_sample_source *measured, const vef_measure_settings *settings,
                        series *all, vef_measurement *result, vef_error *error) {
    uint64_t most = settings->most_intervals / 2;
    uint64_t target = FIRST_INTERVALS < most ? FIRST_INTERVALS : most;
    for (;;) {
        vef_code code = run_to(measured, all, target, error);
        if (code != VEF_OK)
            return code;
        if (has_settled(all, settings, LEAST_LATENCIES) || target == most)
            return leave_out(measured, all, result, error);
        target = more(target, most);
        report_share(measured, 0.3 * (double)target / (double)most);
    }
}

/* ---- steady state ---- */

static void estimate(series *all, vef_measurement *result) {
    result->intervals = all->intervals;
    result->sum = all->sum;
    if (all->count < VEF_BATCHES)
        return; /* freedom 0: nothing is known */
    phits_of(all);
    result->phits = vef_batch_means(all->values, all->count);
    packet_latency_of(all);
    result->packet_latency = vef_batch_means(all->values, all->count);
    message_latency_of(all);
    result->message_latency = vef_batch_means(all->values, all->count);
}

/* Whether the means have the requested precision at this check. */
static bool is_precise(const series *all, const vef_measure_settings *settings,
                       const vef_measurement *result) {
    if (!result->settled || all->sum.packets < (double)settings->least_packets ||
        !vef_is_precise(&result->phits, settings->precision))
        return false;
    if (settings->phits_alone)
        return true;
    const double batch_cycles =
        (double)all->intervals * settings->interval_cycles / (double)VEF_BATCHES;
    return batch_cycles >= result->packet_latency.mean &&
           vef_is_precise(&result->packet_latency, settings->precision);
}

/* Estimate of the finished share, since the width shrinks with the square root of the length. */
static double share_done(const vef_measurement *result, const vef_measure_settings *settings) {
    double share = result->sum.packets / (double)settings->least_packets;
    const vef_estimate *estimates[] = {&result->phits, &result->packet_latency};
    for (size_t i = 0; i < (settings->phits_alone ? 1 : 2); i++) {
        double wide = vef_half_width(estimates[i]) / fabs(estimates[i]->mean) / settings->precision;
        if (wide > 1 && 1 / (wide * wide) < share)
            share = 1 / (wide * wide);
    }
    double allowed =
        (double)result->intervals / (double)(settings->most_intervals - result->warm_up_intervals);
    if (allowed > share)
        share = allowed;
    return share < 1 ? share : 1;
}

vef_code vef_measure(const vef_sample_source *measured, const vef_measure_settings *settings,
                     vef_measurement *result, vef_error *error) {
    *result = (vef_measurement){0};
    series *all = malloc(sizeof *all);
    if (!all)
        return vef_fail_memory(error, "the samples of a measurement", sizeof *all);
    clear(all);
    const uint64_t most_warm_up = settings->most_intervals / 2;
    vef_code code = warm_up(measured, settings, all, result, error);
    uint64_t most = settings->most_intervals - result->warm_up_intervals;
    uint64_t target = FIRST_INTERVALS < most ? FIRST_INTERVALS : most;
    bool looked_precise = false;
    while (code == VEF_OK) {
        code = run_to(measured, all, target, error);
        if (code != VEF_OK)
            break;
        result->settled = has_settled(all, settings, 1);
        if (!result->settled && result->warm_up_intervals + all->intervals <= most_warm_up) {
            code = leave_out(measured, all, result, error);
            most = settings->most_intervals - result->warm_up_intervals;
            target = more(target, most);
            looked_precise = false;
            continue;
        }
        estimate(all, result);
        const bool before = looked_precise;
        looked_precise = is_precise(all, settings, result);
        result->precise = looked_precise && (before || settings->phits_alone);
        report_share(measured, 0.3 + 0.7 * share_done(result, settings));
        if (result->precise || target == most)
            break;
        target = more(target, most);
    }
    free(all);
    return code;
}
