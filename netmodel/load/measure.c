/* The procedure of a measurement.
 *
 * All runs have the same length at each decision, which depends on their sums and spreads, so the
 * result is a function of the processes alone.
 *
 * Warm-up: the runs start from empty and last FIRST_INTERVALS, then repeatedly a quarter more,
 * until both the delivered phits and, as far as it matters, the latency of packets, each summed
 * over the runs, have settled, LEAST_LATENCIES times the mean latency has elapsed, and enough
 * packets were delivered. All of it is discarded: twice what MSER-5 (steady.h) alone would discard,
 * and every figure then covers the same time. If half of the allowed intervals are not enough, the
 * rest is measured anyway, and reported as not settled.
 *
 * Steady state: again FIRST_INTERVALS, or an eighth of the warm-up. Then the width of the interval,
 * which shrinks with the root of the length, gives the length that the precision needs, and the
 * runs are extended towards it (believed()): by at least a tenth, and at most to twice the length.
 * They end when
 *
 *   - the interval of the throughput has the requested precision;
 *   - so has that of the latency, and a batch is at least as long as the latency: shorter ones
 * share packets; if the process is saturated, the length is REPORTED_LATENCIES at least instead;
 *   - enough packets were delivered;
 *
 * or, if the settings say so, when an eighth of the allowed length shows that the needed one
 * exceeds it by far (HOPELESS).
 *
 * A series with a significant trend, by more than the precision from its mean to its end, has not
 * settled: all of it joins the warm-up, and a longer one is begun.
 *
 * Saturated: less arrives than is offered, by more than 2.5 half widths and by more than 1 %, and
 * more than the queues hold is missing (has_backlog). Then latencies of messages grow without bound
 * with their sources' queues, so nothing here depends on them; those of packets begin in the
 * injection queue, and do settle, but say little. */
#include "netmodel/load/measure.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

enum { FIRST_INTERVALS = 64, LEAST_LATENCIES = 3, LEAST_WARM_PACKETS = 500 };
enum { WARM_UP_SHARES = 8 };      /* a measurement after a long warm-up need not be hasty */
enum { REPORTED_LATENCIES = 12 }; /* least length of a measurement in saturation, in latencies */
/* Shorter measurements do not know what they would need: batches are correlated. */
static const double HOPELESS = 1.5, BELIEVED_SHARE = 0.125;
static const double SATURATED_SHARE = 0.01, SURELY = 2.5;
static const double SIGNIFICANT = 3; /* errors of a trend: by chance with a probability of 0.5 % */

struct vef_measure {
    vef_measure_settings settings;
    uint32_t batches; /* of each run */
    bool warm, warm_up_settled;
    uint64_t target;         /* intervals of each run since the last reset */
    uint64_t first_look;     /* target of the first look at the steady state */
    double warm_up_phits;    /* of all runs */
    double believed;         /* the needed length, at the last decision; 0: unknown */
    bool believed_latencies; /* whether it is for latencies too */
    vef_measurement result;
    vef_estimate *estimates; /* scratch: [run] */
    vef_series pool;         /* scratch */
    double values[VEF_MOST_SAMPLES];
    vef_series series[]; /* [run] */
};

vef_measure *vef_measure_new(const vef_measure_settings *settings) {
    assert(settings->runs > 0);
    const size_t runs = settings->runs;
    vef_measure *measure = malloc(sizeof *measure + runs * sizeof *measure->series);
    if (!measure)
        return NULL;
    measure->settings = *settings;
    measure->batches = vef_batches_of_each(settings->runs);
    measure->warm = measure->warm_up_settled = false;
    measure->result = (vef_measurement){0};
    measure->warm_up_phits = measure->believed = 0;
    measure->believed_latencies = false;
    for (size_t run = 0; run < runs; run++)
        vef_series_clear(&measure->series[run]);
    const uint64_t most = settings->most_intervals / 2;
    measure->target = measure->first_look = FIRST_INTERVALS < most ? FIRST_INTERVALS : most;
    measure->estimates = calloc(runs, sizeof *measure->estimates);
    if (measure->estimates)
        return measure;
    free(measure);
    return NULL;
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

/* Of all runs. */
static vef_estimate combined(vef_measure *measure, vef_quantity quantity) {
    for (uint32_t run = 0; run < measure->settings.runs; run++)
        measure->estimates[run] = estimate_of(measure, run, quantity, measure->values);
    return vef_combine_estimates(measure->estimates, measure->settings.runs);
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
 * are inside by Little's law, throughput x latency. Else what is missing may still be filling the
 * queues. */
static bool has_backlog(const vef_measure *measure) {
    const vef_load_sample *sum = &measure->pool.sum;
    const double intervals = (double)(measure->result.warm_up_intervals + measure->pool.intervals);
    const double missing = measure->settings.offered_phits * measure->settings.runs * intervals -
                           measure->warm_up_phits - sum->phits;
    const double latency = sum->packets > 0 ? sum->packet_latency / sum->packets : 0;
    const double inside =
        sum->phits / (double)measure->pool.intervals * latency / measure->settings.interval_cycles;
    return missing > 2 * inside;
}

static bool is_saturated(const vef_measure *measure) {
    vef_estimate all = measure->result.means.phits; /* of one run */
    all.mean *= measure->settings.runs;
    all.variance *= (double)measure->settings.runs * measure->settings.runs;
    return is_below_offered(measure, &all) && has_backlog(measure);
}

/* ---- warm-up ---- */

/* The means of the last quarter of the pooled series and of that before it. */
typedef struct quarters {
    size_t samples; /* of each; 0: too few, no means */
    double before, now;
} quarters;

static quarters last_quarters(vef_measure *measure, vef_quantity quantity) {
    const size_t count = vef_series_values(&measure->pool, quantity, measure->values);
    quarters means = {.samples = count / 4};
    if (means.samples > 0) {
        const double *last = measure->values + count - means.samples;
        means.now = vef_mean(last, means.samples);
        means.before = vef_mean(last - means.samples, means.samples);
    }
    return means;
}

/* Whether the pooled series has settled: by MSER-5, or the last quarter differs from that before it
 * by at most `tolerance`, relative. The former suits noisy series, the latter large networks, whose
 * slightest change MSER-5 finds. */
static bool has_settled(vef_measure *measure, vef_quantity quantity, double tolerance) {
    const size_t count = vef_series_values(&measure->pool, quantity, measure->values);
    if (vef_has_settled(measure->values, count))
        return true;
    const quarters means = last_quarters(measure, quantity);
    return means.samples > 0 && fabs(means.now - means.before) <= tolerance * fabs(means.now);
}

/* Whether what enters the network differs from what leaves it by less than `tolerance`, relative.
 * By Little's law the packets inside are throughput x latency; so the share of the throughput that
 * remains inside is the growth of the latency per cycle. */
static bool is_balanced(vef_measure *measure, double tolerance) {
    const quarters means = last_quarters(measure, VEF_PACKET_LATENCY);
    const double cycles = (double)(means.samples * measure->pool.each) *
                          measure->settings.interval_cycles; /* between their middles */
    return means.samples > 0 && fabs(means.now - means.before) <= tolerance * cycles;
}

/* Whether the second half of the warm-up looks saturated. */
static bool begins_saturated(vef_measure *measure) {
    const size_t half =
        vef_series_values(&measure->pool, VEF_PHITS_PER_INTERVAL, measure->values) / 2;
    if (half < VEF_LEAST_BATCHES)
        return false;
    const vef_estimate phits =
        vef_batch_means(measure->values + measure->pool.count - half, half, VEF_LEAST_BATCHES);
    return is_below_offered(measure, &phits) && has_backlog(measure);
}

/* Whether the latency has settled, as far as it matters. In saturation it is not reported to the
 * precision; that it stops growing shows that the queues are full. The throughput alone is known
 * when next to nothing more goes into them. */
static bool is_latency_warm(vef_measure *measure) {
    const double precision = measure->settings.precision;
    if (!begins_saturated(measure))
        return has_settled(measure, VEF_PACKET_LATENCY, precision / 2);
    return has_settled(measure, VEF_PACKET_LATENCY, 3 * precision) ||
           (measure->settings.phits_alone && is_balanced(measure, precision / 2));
}

static bool is_warm(vef_measure *measure) {
    const vef_series *pool = &measure->pool;
    const double latency = pool->sum.packets > 0 ? pool->sum.packet_latency / pool->sum.packets : 0;
    return pool->sum.packets >= LEAST_WARM_PACKETS &&
           (double)pool->intervals * measure->settings.interval_cycles >=
               LEAST_LATENCIES * latency &&
           has_settled(measure, VEF_PHITS_PER_INTERVAL, measure->settings.precision / 2) &&
           is_latency_warm(measure);
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
    if (measure->warm_up_settled || measure->target == most) {
        measure->warm = true;
        const uint64_t share = measure->pool.intervals / WARM_UP_SHARES;
        return leave_out(measure, share > FIRST_INTERVALS ? share : FIRST_INTERVALS);
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
           (!measure->settings.phits_alone && !measure->result.saturated &&
            drifts(measure, VEF_PACKET_LATENCY));
}

/* The length that makes the interval of an estimate narrow enough; infinite: unknown. */
static double needed_for(const vef_measure *measure, const vef_estimate *estimate) {
    const double intervals = (double)measure->pool.intervals;
    if (!(estimate->freedom > 0) || !(estimate->mean > 0))
        return INFINITY;
    const double width = vef_half_width(estimate) / estimate->mean / measure->settings.precision;
    if (vef_is_precise(estimate, measure->settings.precision))
        return intervals * width * width;
    /* Narrow enough but for its correlation: batches are too short. */
    return intervals * fmax(width * width, 1.25);
}

static bool needs_latency(const vef_measure *measure) {
    return !measure->settings.phits_alone && !measure->result.saturated;
}

/* The length that the widths need. A width is itself random, and of many looks the first that finds
 * it narrow enough is likely to find it narrower than it is. So what is believed is at least the
 * geometric mean of this look's length and what the last look believed, and the intervals are
 * widened accordingly. */
static double believed(vef_measure *measure) {
    double length = needed_for(measure, &measure->result.means.phits);
    if (needs_latency(measure))
        length = fmax(length, needed_for(measure, &measure->result.means.packet_latency));
    const bool comparable = measure->believed_latencies == needs_latency(measure);
    const double before = comparable ? measure->believed : 0;
    measure->result.doubt = 1;
    if (length > 0 && length < before) {
        measure->result.doubt = sqrt(before / length);
        length *= measure->result.doubt;
    }
    measure->believed = isfinite(length) ? length : 0;
    measure->believed_latencies = needs_latency(measure);
    return length;
}

/* The length that everything but the widths needs. The first look at a latency is never the last;
 * one that is only reported still needs an honest interval. */
static double least_length(const vef_measure *measure) {
    const double intervals = (double)measure->pool.intervals;
    const double packets = measure->pool.sum.packets;
    if (packets <= 0)
        return INFINITY;
    const double least = intervals * (double)measure->settings.least_packets / packets;
    if (measure->settings.phits_alone)
        return least;
    const double latency_intervals =
        measure->result.means.packet_latency.mean / measure->settings.interval_cycles;
    if (!needs_latency(measure))
        return fmax(least, REPORTED_LATENCIES * latency_intervals);
    return fmax(fmax(least, latency_intervals * measure->batches), (double)measure->first_look + 1);
}

static vef_measure_step measure_on(vef_measure *measure) {
    vef_measurement *result = &measure->result;
    const uint64_t most = measure->settings.most_intervals - result->warm_up_intervals;
    result->intervals = measure->pool.intervals;
    result->means.phits = combined(measure, VEF_PHITS_PER_INTERVAL);
    result->means.packet_latency = combined(measure, VEF_PACKET_LATENCY);
    result->means.message_latency = combined(measure, VEF_MESSAGE_LATENCY);
    result->saturated = is_saturated(measure);
    const bool drifted = has_drifted(measure);
    if (drifted &&
        result->warm_up_intervals + result->intervals <= measure->settings.most_intervals / 2)
        return leave_out(measure, extended(result->intervals, 1.5, most - result->intervals));
    result->settled = measure->warm_up_settled && !drifted;
    const double length = fmax(believed(measure), least_length(measure));
    result->needed_intervals = isfinite(length) ? length : 0;
    result->precise = result->settled && length <= (double)result->intervals;
    const bool hopeless = measure->settings.gives_up && isfinite(length) &&
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
    const double all = fmin(fmax(result->needed_intervals, target), most);
    const double done = warm_up + target - lacking_intervals;
    /* During the warm-up: that the measurement is as long. */
    return fmin(done / (warm_up + (measure->warm ? all : 2 * all)), 1);
}
