/* The procedure of a measurement.
 *
 * All runs have the same length at each decision, which depends on their sums and spreads, so the
 * result is a function of the processes alone. Like Heidelberger and Welch ("Simulation run length
 * control in the presence of an initial transient", Operations Research 1983) it tests for
 * stationarity first and then extends the runs until the interval of the mean is narrow enough.
 *
 * Warm-up: the runs start from empty and last FIRST_INTERVALS, then repeatedly a quarter more,
 * until LEAST_LATENCIES times the mean latency has elapsed, enough packets were delivered, and
 * three series, each summed over the runs, are level: the delivered phits, the latency of packets,
 * and the messages inside, those at the front of the sources included. The last is the slow
 * variable: just above saturation queues fill for 100,000 cycles, while throughput and latency,
 * which are noisy and near their limits, seem settled (a truncation rule that sees only them, such
 * as MSER-5 of White, "An effective truncation heuristic for bias reduction in simulation output",
 * Simulation 1997, ends the warm-up too early). Level: the mean of the second half is within LEVEL
 * precisions of that of the quarter before, or within NOISY times as many and without a trend
 * beyond its error. An exponential approach is then over: if half and quarter differ by 2 %, what
 * remains in the next half is below 0.01 %. Where less arrives than is offered, some sources are
 * saturated and one may be about to be: its queue approaches its level with the inverse of time
 * (measured on meshes, whose sources saturate one after another), so that half of what still
 * changes remains. There the levels must agree within LEVEL_LAGGING precisions. All of the warm-up
 * is discarded. If half of the allowed intervals are not enough, the rest is measured anyway and
 * reported as not settled.
 *
 * Steady state: at least as long as the warm-up. The width of the interval, which shrinks with the
 * root of the length, gives the length that the precision needs, and the runs are extended towards
 * it (believed()): by at least a tenth, and at most to twice the length. They end when
 *
 *   - the interval of the throughput has the requested precision;
 *   - so has that of the latency, and a batch is at least as long as the latency: shorter ones
 * share packets;
 *   - enough packets were delivered;
 *
 * or, if the settings say so, when an eighth of the allowed length shows that the needed one
 * exceeds it by far (HOPELESS).
 *
 * A series with a significant trend, by more than the precision from its mean to its end, has not
 * settled: all of it joins the warm-up, and a longer one is begun.
 *
 * The interval of a mean also covers what the warm-up may have left in it, which its variance does
 * not show: the bias of a significant trend (steady.h), or LEFT_IN_PHITS, LEFT_IN_LATENCY (where
 * sources lag: LEFT_IN_LAGGING_LATENCY) precisions, less in a longer measurement, whichever is
 * more. These are from long runs at the knee of several networks, where the approach is slower than
 * exponential; the throughput changes by a fifth of what the latency does. A point that is not
 * precise in the end gets twice what the second half of the warm-up still changed (widen()).
 *
 * Saturated: less arrives than is offered, by more than 2.5 half widths and by more than 1 %, and
 * more than twice what is inside is missing (has_backlog). Then latencies of messages grow without
 * bound with their sources' queues; a significant trend of theirs shows it closer to saturation,
 * too; such a point is never settled. Those of packets begin in the injection queue, and do settle.
 */
#include "netmodel/load/measure.h"
#include "common/memory.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_INTERVALS = 64, LEAST_LATENCIES = 12, LEAST_WARM_PACKETS = 500 };
static const double LEVEL = 2, LEVEL_LAGGING = 1, LEVEL_ALONE = 8; /* times the precision */
static const double NOISY = 2;
/* What a settled warm-up may have left in the means of as long a measurement, in precisions. */
static const double LEFT_IN_PHITS = 0.15, LEFT_IN_LATENCY = 0.5, LEFT_IN_LAGGING_LATENCY = 1;
/* Shorter measurements do not know what they would need: batches are correlated. */
static const double HOPELESS = 1.5, BELIEVED_SHARE = 0.125;
static const double SATURATED_SHARE = 0.01, SURELY = 2.5;
static const double SIGNIFICANT = 3; /* errors of a trend: by chance with a probability of 0.5 % */

struct vef_measure {
    vef_measure_settings settings;
    uint32_t batches; /* of each run */
    bool warm, warm_up_settled;
    uint64_t target;             /* intervals of each run since the last reset */
    uint64_t first_look;         /* target of the first look at the steady state */
    double warm_up_phits;        /* of all runs */
    double believed;             /* the needed length, at the last decision; 0: unknown */
    double rise[VEF_QUANTITIES]; /* in the second half of the warm-up, relative */
    vef_measurement result;
    vef_estimate *estimates; /* scratch: [run] */
    vef_series pool;         /* scratch */
    double values[VEF_MOST_SAMPLES];
    vef_series series[]; /* [run] */
};

vef_measure *vef_measure_new(const vef_measure_settings *settings) {
    assert(settings->runs > 0);
    const size_t runs = settings->runs;
    vef_measure *measure = vef_malloc(sizeof *measure + runs * sizeof *measure->series);
    measure->settings = *settings;
    measure->batches = vef_batches_of_each(settings->runs);
    measure->warm = measure->warm_up_settled = false;
    measure->result = (vef_measurement){0};
    memset(measure->rise, 0, sizeof measure->rise);
    measure->warm_up_phits = measure->believed = 0;
    for (size_t run = 0; run < runs; run++)
        vef_series_clear(&measure->series[run]);
    const uint64_t most = settings->most_intervals / 2;
    measure->target = measure->first_look = FIRST_INTERVALS < most ? FIRST_INTERVALS : most;
    measure->estimates = vef_calloc(runs, sizeof *measure->estimates);
    return measure;
}

void vef_measure_free(vef_measure *measure) {
    if (measure)
        free(measure->estimates);
    free(measure);
}

uint64_t vef_measure_lacks(const vef_measure *measure, uint32_t run) {
    return measure->target - measure->series[run].intervals;
}

void vef_measure_add(vef_measure *measure, uint32_t run, const vef_load_sample *sample) {
    vef_series_add(&measure->series[run], sample);
}

const vef_measurement *vef_measure_result(const vef_measure *measure) {
    return &measure->result;
}

static vef_estimate estimate_of(const vef_measure *measure, uint32_t run, vef_quantity quantity,
                                double *values) {
    const size_t count = vef_series_values(&measure->series[run], quantity, values);
    if (count < measure->batches)
        return (vef_estimate){0}; /* freedom 0: nothing is known */
    return vef_batch_means(values, count, measure->batches);
}

vef_measured_means vef_measure_run(const vef_measure *measure, uint32_t run) {
    double values[VEF_MOST_SAMPLES];
    return (vef_measured_means){
        .phits = estimate_of(measure, run, VEF_PHITS_PER_INTERVAL, values),
        .packet_latency = estimate_of(measure, run, VEF_PACKET_LATENCY, values),
        .message_latency = estimate_of(measure, run, VEF_MESSAGE_LATENCY, values),
    };
}

/* ---- levels ---- */

/* The mean of the second half of the pooled series, and how much it is above that of the quarter
 * before. */
typedef struct level {
    double mean, rise;
} level;

static level find_level(vef_measure *measure, vef_quantity quantity) {
    const size_t quarter = vef_series_values(&measure->pool, quantity, measure->values) / 4;
    if (quarter == 0)
        return (level){0, INFINITY};
    const double *half = measure->values + measure->pool.count - 2 * quarter;
    const double mean = vef_mean(half, 2 * quarter);
    return (level){mean, mean - vef_mean(half - quarter, quarter)};
}

/* Whether less arrives than is offered, by more than a count of packets varies. */
static bool lags(vef_measure *measure) {
    const double offered = measure->settings.offered_phits * measure->settings.runs;
    const double chance = SURELY / sqrt(fmax(measure->pool.sum.packets / 2, 1));
    return isfinite(offered) && find_level(measure, VEF_PHITS_PER_INTERVAL).mean <
                                    (1 - fmax(SATURATED_SHARE, chance)) * offered;
}

/* ---- means ---- */

/* The share of the warm-up's length in that of the measurement: what it left decays, and a longer
 * measurement dilutes it. */
static double diluted(const vef_measure *measure) {
    return fmin(1, (double)measure->result.warm_up_intervals / (double)measure->pool.intervals);
}

/* Of all runs; the trend is that of their sum. */
static vef_estimate combined(vef_measure *measure, vef_quantity quantity, double left_in_it) {
    const uint32_t runs = measure->settings.runs;
    for (uint32_t run = 0; run < runs; run++)
        measure->estimates[run] = estimate_of(measure, run, quantity, measure->values);
    vef_estimate mean = vef_combine_estimates(measure->estimates, runs);
    const size_t count = vef_series_values(&measure->pool, quantity, measure->values);
    const bool phits = quantity == VEF_PHITS_PER_INTERVAL;
    const double trend = vef_trend_bias(measure->values, count) / (phits ? runs : 1);
    const double left = left_in_it * diluted(measure);
    mean.bias = fmax(trend, left * measure->settings.precision * mean.mean);
    return mean;
}

static uint64_t extended(uint64_t intervals, double factor, uint64_t most) {
    const double next = ceil((double)intervals * factor);
    return next < (double)most ? (uint64_t)next : most;
}

/* ---- saturation ---- */

/* Whether surely less arrives than is offered, `phits` being those of an interval of all runs. What
 * is generated varies, too: nothing is sure within the usual interval. */
static bool is_below_offered(const vef_measure *measure, const vef_estimate *phits) {
    const double offered = measure->settings.offered_phits * measure->settings.runs;
    return phits->freedom > 0 && phits->mean > 0 && isfinite(offered) &&
           offered - phits->mean > fmax(SATURATED_SHARE * offered, SURELY * vef_half_width(phits));
}

/* Whether the phits that have been offered and not delivered since the start are twice those that
 * are inside. Else what is missing may still be filling the queues. */
static bool has_backlog(const vef_measure *measure) {
    const vef_load_sample *sum = &measure->pool.sum;
    const double intervals = (double)(measure->result.warm_up_intervals + measure->pool.intervals);
    const double missing = measure->settings.offered_phits * measure->settings.runs * intervals -
                           measure->warm_up_phits - sum->phits;
    const double phits_of_each = sum->messages > 0 ? sum->phits / sum->messages : 0;
    return missing > 2 * phits_of_each * sum->inside / (double)measure->pool.intervals;
}

static bool is_saturated(const vef_measure *measure) {
    vef_estimate phits = measure->result.means.phits; /* of one run */
    phits.mean *= measure->settings.runs;
    phits.variance *= (double)measure->settings.runs * measure->settings.runs;
    return is_below_offered(measure, &phits) && has_backlog(measure);
}

/* ---- warm-up ---- */

/* Whether the quantity has stopped changing: it hardly does, or, if nothing lags, little more, as
 * it may by chance. */
static bool is_level(vef_measure *measure, vef_quantity quantity, bool lagging) {
    const level now = find_level(measure, quantity);
    const double most = (measure->settings.phits_alone ? LEVEL_ALONE
                         : lagging                     ? LEVEL_LAGGING
                                                       : LEVEL) *
                        measure->settings.precision * now.mean;
    if (fabs(now.rise) <= most)
        return true;
    if (lagging || fabs(now.rise) > NOISY * most)
        return false;
    const size_t count = measure->pool.count - measure->pool.count / 4;
    const vef_trend trend = vef_find_trend(measure->values + measure->pool.count - count, count);
    return fabs(trend.change) <= trend.error;
}

static bool is_warm(vef_measure *measure) {
    const vef_series *pool = &measure->pool;
    const bool lagging = !measure->settings.phits_alone && lags(measure);
    const double latency = pool->sum.packets > 0 ? pool->sum.packet_latency / pool->sum.packets : 0;
    return pool->sum.packets >= LEAST_WARM_PACKETS &&
           (double)pool->intervals * measure->settings.interval_cycles >=
               LEAST_LATENCIES * latency &&
           is_level(measure, VEF_MESSAGES_INSIDE, lagging) &&
           is_level(measure, VEF_PACKET_LATENCY, lagging) &&
           is_level(measure, VEF_PHITS_PER_INTERVAL, lagging);
}

/* Everything so far becomes part of the warm-up; measures `intervals` from now on. */
static vef_measure_step leave_out(vef_measure *measure, uint64_t intervals) {
    measure->result.warm_up_intervals += measure->pool.intervals;
    measure->warm_up_phits += measure->pool.sum.phits;
    const uint64_t most = measure->settings.most_intervals - measure->result.warm_up_intervals;
    for (uint32_t run = 0; run < measure->settings.runs; run++)
        vef_series_clear(&measure->series[run]);
    measure->target = measure->first_look = intervals < most ? intervals : most;
    return VEF_MEASURE_WARMED_UP;
}

static vef_measure_step warm_up(vef_measure *measure) {
    const uint64_t most = measure->settings.most_intervals / 2;
    measure->warm_up_settled = is_warm(measure);
    for (vef_quantity quantity = 0; quantity < VEF_QUANTITIES; quantity++) {
        const level now = find_level(measure, quantity);
        measure->rise[quantity] = now.mean > 0 ? fabs(now.rise) / now.mean : 0;
    }
    if (measure->warm_up_settled || measure->target == most) {
        measure->warm = true;
        return leave_out(measure, measure->pool.intervals / 2);
    }
    measure->target = extended(measure->target, 1.25, most);
    return VEF_MEASURE_GO_ON;
}

/* ---- steady state ---- */

/* Whether the pooled series has a trend: significant, and one that moves its mean. */
static bool drifts(vef_measure *measure, vef_quantity quantity) {
    const size_t count = vef_series_values(&measure->pool, quantity, measure->values);
    const vef_trend trend = vef_find_trend(measure->values, count);
    const double change = fabs(trend.change);
    return change > SIGNIFICANT * trend.error &&
           change / 2 > measure->settings.precision * fabs(vef_mean(measure->values, count));
}

static bool has_drifted(vef_measure *measure) {
    return drifts(measure, VEF_PHITS_PER_INTERVAL) ||
           (!measure->settings.phits_alone &&
            (drifts(measure, VEF_PACKET_LATENCY) || drifts(measure, VEF_MESSAGES_INSIDE)));
}

/* The length that makes the interval of an estimate narrow enough; infinite: unknown. Its variance
 * shrinks with the length, and its bias likewise, so that its square does faster. */
static double needed_for(const vef_measure *measure, const vef_estimate *estimate) {
    const double intervals = (double)measure->pool.intervals;
    const double wanted = estimate->mean * measure->settings.precision;
    if (!(estimate->freedom > 0) || !(wanted > 0)) /* an ideal network has latencies of 0 */
        return vef_half_width(estimate) > 0 ? INFINITY : 0;
    const double bias = estimate->bias / wanted, width = vef_half_width(estimate) / wanted;
    const double square = width * width - bias * bias;
    const double factor = (square + sqrt(square * square + 4 * bias * bias)) / 2;
    if (vef_is_precise(estimate, measure->settings.precision))
        return intervals * factor;
    /* Narrow enough but for its correlation: batches are too short. */
    return intervals * fmax(factor, 1.25);
}

/* The length that the widths need. A width is itself random, and of many looks the first that finds
 * it narrow enough is likely to find it narrower than it is. So what is believed is at least the
 * geometric mean of this look's length and what the last look believed, and the intervals are
 * widened accordingly. */
static double believed(vef_measure *measure) {
    double length = needed_for(measure, &measure->result.means.phits);
    if (!measure->settings.phits_alone)
        length = fmax(length, needed_for(measure, &measure->result.means.packet_latency));
    const double before = measure->believed;
    measure->result.doubt = 1;
    if (length > 0 && length < before) {
        measure->result.doubt = sqrt(before / length);
        length *= measure->result.doubt;
    }
    measure->believed = isfinite(length) ? length : 0;
    return length;
}

/* The length that everything but the widths needs. The first look at a latency is never the last;
 * one that is only reported still needs an honest interval. */
static double least_length(const vef_measure *measure) {
    const double intervals = (double)measure->pool.intervals;
    const double packets = measure->pool.sum.packets;
    if (packets <= 0)
        return INFINITY;
    const double least = fmax(intervals * (double)measure->settings.least_packets / packets,
                              (double)measure->result.warm_up_intervals);
    if (measure->settings.phits_alone)
        return least;
    const double latency_intervals =
        measure->result.means.packet_latency.mean / measure->settings.interval_cycles;
    return fmax(fmax(least, latency_intervals * measure->batches), (double)measure->first_look + 1);
}

/* Adds to the intervals of a point that is not steady what the warm-up still changed, twice: what
 * is left to change, if queues fill as the root of time. Latencies follow what is inside. */
static void widen(vef_measure *measure) {
    vef_measured_means *means = &measure->result.means;
    const double inside = measure->rise[VEF_MESSAGES_INSIDE];
    const double twice = 2 * diluted(measure);
    means->phits.bias =
        fmax(means->phits.bias, twice * measure->rise[VEF_PHITS_PER_INTERVAL] * means->phits.mean);
    vef_estimate *const latencies[] = {&means->packet_latency, &means->message_latency};
    for (size_t i = 0; i < 2; i++) {
        const double rise = fmax(inside, measure->rise[VEF_PACKET_LATENCY + i]);
        latencies[i]->bias = fmax(latencies[i]->bias, twice * rise * latencies[i]->mean);
    }
}

static vef_measure_step measure_on(vef_measure *measure) {
    vef_measurement *result = &measure->result;
    const uint64_t most = measure->settings.most_intervals - result->warm_up_intervals;
    result->intervals = measure->pool.intervals;
    const double left = lags(measure) ? LEFT_IN_LAGGING_LATENCY : LEFT_IN_LATENCY;
    result->means.phits = combined(measure, VEF_PHITS_PER_INTERVAL, LEFT_IN_PHITS);
    result->means.packet_latency = combined(measure, VEF_PACKET_LATENCY, left);
    result->means.message_latency = combined(measure, VEF_MESSAGE_LATENCY, left);
    result->saturated = is_saturated(measure);
    const bool drifted = has_drifted(measure);
    if (drifted &&
        result->warm_up_intervals + result->intervals <= measure->settings.most_intervals / 2)
        return leave_out(measure, extended(result->intervals, 1.5, most - result->intervals));
    result->unbounded = result->saturated || drifts(measure, VEF_MESSAGE_LATENCY);
    /* Just above saturation, where it cannot be proved, queues fill as slowly as by diffusion. */
    const bool fills = result->unbounded && !result->saturated && !measure->settings.phits_alone;
    result->settled = measure->warm_up_settled && !drifted && !fills;
    const double length = fmax(believed(measure), least_length(measure));
    result->needed_intervals = isfinite(length) ? length : 0;
    result->precise = result->settled && length <= (double)result->intervals;
    if (!result->precise)
        widen(measure);
    const bool hopeless = measure->settings.gives_up && !fills && isfinite(length) &&
                          length > HOPELESS * (double)most &&
                          (double)result->intervals >= BELIEVED_SHARE * (double)most;
    if (result->precise || hopeless || result->intervals == most)
        return VEF_MEASURE_END;
    const double factor = 1.1 * length / (double)result->intervals;
    measure->target = extended(result->intervals, fmax(1.1, fmin(factor, 2)), most);
    return VEF_MEASURE_GO_ON;
}

vef_measure_step vef_measure_decide(vef_measure *measure) {
    vef_series_pool(measure->series, measure->settings.runs, &measure->pool);
    return measure->warm ? measure_on(measure) : warm_up(measure);
}

double vef_measure_share(const vef_measure *measure, double lacking_intervals) {
    const vef_measurement *result = &measure->result;
    const double most = (double)(measure->settings.most_intervals - result->warm_up_intervals);
    const double warm_up = (double)result->warm_up_intervals;
    const double target = (double)measure->target;
    const double needed = fmin(fmax(result->needed_intervals, target), most);
    const double done = warm_up + target - lacking_intervals;
    /* During the warm-up: that the measurement is as long. */
    return fmin(done / (warm_up + (measure->warm ? needed : 2 * needed)), 1);
}
