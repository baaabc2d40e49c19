/* Warm-up, confidence and Student's t (netmodel/load/) against published tables, and against series
 * whose mean is known. */
#include "common/rng.h"
#include "netmodel/load/distributions.h"
#include "netmodel/load/measure.h"
#include "tests/netmodel/networks.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>

/* Abramowitz and Stegun, Handbook of Mathematical Functions, Table 26.10, to its three digits. */
static void test_quantiles_of_student(void **state) {
    (void)state;
    static const struct {
        double freedom, t90, t95, t99;
    } rows[] = {
        {1, 6.314, 12.706, 63.657}, {2, 2.920, 4.303, 9.925},  {3, 2.353, 3.182, 5.841},
        {4, 2.132, 2.776, 4.604},   {5, 2.015, 2.571, 4.032},  {10, 1.812, 2.228, 3.169},
        {20, 1.725, 2.086, 2.845},  {30, 1.697, 2.042, 2.750}, {60, 1.671, 2.000, 2.660},
        {120, 1.658, 1.980, 2.617},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_near(vef_student_two_sided(0.90, rows[i].freedom), rows[i].t90, 0.00051);
        assert_near(vef_student_two_sided(0.95, rows[i].freedom), rows[i].t95, 0.00051);
        assert_near(vef_student_two_sided(0.99, rows[i].freedom), rows[i].t99, 0.00051);
    }
    /* one degree of freedom is Cauchy's distribution, two have a closed form too */
    double pi = acos(-1);
    assert_near(vef_student_two_sided(0.95, 1), tan(pi * 0.475), 1e-8);
    assert_near(vef_student_two_sided(0.95, 2), 0.95 * sqrt(2 / (1 - 0.95 * 0.95)), 1e-9);
}

/* Normal with mean 0 and variance 1 (Box and Muller). */
static double normal(vef_rng *rng) {
    double radius = sqrt(-2 * log(1 - vef_rng_unit(rng)));
    return radius * cos(2 * acos(-1) * vef_rng_unit(rng));
}

/* Batches of one value each: the textbook interval of 32 independent values. Correlation widens it,
 * as that of an autoregressive process of first order. */
static void test_interval_of_batches(void **state) {
    (void)state;
    enum { BATCHES = 32 };
    vef_rng rng = vef_rng_make(2, VEF_RNG_TEST, 0);
    double values[BATCHES], mean = 0, squares = 0;
    vef_estimate estimate;
    do {
        for (size_t i = 0; i < BATCHES; i++)
            values[i] = normal(&rng);
        estimate = vef_batch_means(values, BATCHES, BATCHES);
    } while (estimate.correlation > 0 || estimate.bias > 0);
    for (size_t i = 0; i < BATCHES; i++)
        mean += values[i] / BATCHES;
    for (size_t i = 0; i < BATCHES; i++)
        squares += (values[i] - mean) * (values[i] - mean);
    const double width = 2.0395134 * sqrt(squares / 31 / 32);
    assert_near(estimate.mean, mean, 1e-12);
    assert_near(vef_half_width(&estimate), width, 1e-6);
    assert_true(isinf(vef_half_width(&(vef_estimate){0})));
    estimate.correlation = 0.2;
    assert_near(vef_half_width(&estimate), width * sqrt(1.2 / 0.8), 1e-6);
    /* narrow enough, but not if short batches hide more correlation */
    estimate.mean = 100 * width;
    assert_true(vef_is_precise(&estimate, 0.0123));
    estimate.correlation = 0.21;
    assert_true(vef_half_width(&estimate) < 0.0124 * estimate.mean);
    assert_false(vef_is_precise(&estimate, 0.0124));
    assert_true(vef_is_precise(&estimate, 0.02));
    estimate.mean = mean;
    estimate.correlation = 0;
    /* two runs of equal variance: half of it, and twice the degrees of freedom */
    vef_estimate both[] = {estimate, estimate};
    vef_estimate combined = vef_combine_estimates(both, 2);
    assert_near(combined.mean, mean, 1e-12);
    assert_near(combined.variance, estimate.variance / 2, 1e-12);
    assert_near(combined.freedom, 62, 1e-9);
}

/* A line rises by its slope times its length, and its mean is half of that below its end. Noise of
 * ten times the rise has no significant trend. */
static void test_bias_of_a_trend(void **state) {
    (void)state;
    enum { COUNT = 4 * VEF_TREND_BATCHES };
    double values[COUNT];
    vef_rng rng = vef_rng_make(9, VEF_RNG_TEST, 0);
    for (size_t i = 0; i < COUNT; i++)
        values[i] = 100 + 0.5 * (double)i;
    assert_near(vef_trend_bias(values, COUNT), 0.5 * COUNT / 2, 1e-9);
    const vef_estimate line = vef_batch_means(values, COUNT, 32);
    assert_near(line.bias, 0.5 * COUNT / 2, 1e-9);
    assert_true(vef_half_width(&line) >= line.bias);
    const vef_estimate twice = vef_scaled_estimate(&line, 2);
    assert_near(vef_half_width(&twice), 2 * vef_half_width(&line), 1e-9);
    for (size_t i = 0; i < COUNT; i++)
        values[i] += 5 * COUNT * normal(&rng);
    assert_near(vef_trend_bias(values, COUNT), 0, 1e-9);
    assert_near(vef_trend_bias(values, VEF_TREND_BATCHES - 1), 0, 1e-9);
}

/* The correlation of few batches is unbiased: within four deviations of its average over many
 * series of an autoregressive process. */
static void test_correlation_of_few(void **state) {
    (void)state;
    enum { TRIALS = 20000, FEW = 12 };
    static const double truths[] = {0, 0.3};
    vef_rng rng = vef_rng_make(5, VEF_RNG_TEST, 0);
    for (size_t t = 0; t < sizeof truths / sizeof *truths; t++) {
        const double phi = truths[t];
        double sum = 0;
        for (int trial = 0; trial < TRIALS; trial++) {
            double values[FEW], value = normal(&rng);
            for (size_t i = 0; i < FEW; i++) {
                values[i] = value;
                value = phi * value + sqrt(1 - phi * phi) * normal(&rng);
            }
            sum += vef_batch_means(values, FEW, FEW).correlation;
        }
        assert_near(sum / TRIALS, phi, 4 * 0.4 / sqrt(TRIALS) + 0.01);
    }
    assert_int_equal(vef_batches_of_each(1), VEF_BATCHES);
    for (uint32_t runs = 1; runs < 20; runs++) {
        assert_true(vef_batches_of_each(runs) * runs >= VEF_BATCHES);
        assert_true(vef_batches_of_each(runs) >= VEF_LEAST_BATCHES);
    }
}

/* Published tables (Abramowitz and Stegun, 26.9): F exceeded with probabilities 0.05 and 0.01. */
static void test_fisher(void **state) {
    (void)state;
    static const struct {
        double ratio, above, below, probability;
    } rows[] = {
        {4.965, 1, 10, 0.05}, {3.316, 2, 30, 0.05},  {2.525, 4, 60, 0.05},
        {5.390, 2, 30, 0.01}, {2.978, 10, 10, 0.05},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        assert_near(vef_fisher_exceeds(rows[i].ratio, rows[i].above, rows[i].below),
                    rows[i].probability, 1e-4);
    assert_near(vef_fisher_exceeds(0, 2, 30), 1, 1e-12);
}

/* Five runs whose means are far apart for what each says of itself: the textbook interval of five
 * values. Where each says that it may be off by as much, their own variances stand. */
static void test_spread_between_runs(void **state) {
    (void)state;
    vef_estimate runs[5];
    for (size_t i = 0; i < 5; i++)
        runs[i] = (vef_estimate){.mean = (double)i + 1, .variance = 1e-6, .freedom = 31};
    vef_estimate whole = vef_combine_estimates(runs, 5);
    assert_near(whole.mean, 3, 1e-12);
    assert_near(whole.freedom, 4, 1e-12);
    assert_near(vef_half_width(&whole), 2.776445 * sqrt(2.5 / 5), 1e-5);
    for (size_t i = 0; i < 5; i++)
        runs[i].variance = 2;
    whole = vef_combine_estimates(runs, 5);
    assert_near(whole.variance, 2.0 / 5, 1e-12);
    assert_near(whole.freedom, 155, 1e-9);
}

/* ---- the whole procedure, on autoregressive series that begin far from their mean ---- */

typedef struct autoregressive {
    vef_rng rng;
    double phi, spread, deviation; /* of the next from the mean, in standard deviations */
    uint64_t intervals;
    bool ramp;
} autoregressive;

enum { MEAN = 50 };

static vef_load_sample next_interval(autoregressive *series) {
    series->deviation = series->phi * series->deviation +
                        sqrt(1 - series->phi * series->phi) * normal(&series->rng);
    double value = MEAN + series->spread * series->deviation;
    if (series->ramp)
        value += 0.1 * (double)series->intervals;
    series->intervals++;
    return (vef_load_sample){.phits = value,
                             .packets = 10,
                             .packet_latency = 10 * value,
                             .messages = 10,
                             .message_latency = 10 * value};
}

static vef_measure_settings usual(uint32_t runs, double precision, uint64_t most) {
    return (vef_measure_settings){.runs = runs,
                                  .interval_cycles = 1000,
                                  .offered_phits = INFINITY,
                                  .precision = precision,
                                  .most_intervals = most,
                                  .least_packets = 100};
}

/* Measures `settings.runs` series to the end. */
static vef_measurement measure(autoregressive *series, vef_measure_settings settings) {
    vef_measure *measure = vef_measure_new(&settings);
    assert_non_null(measure);
    do
        for (uint32_t run = 0; run < settings.runs; run++)
            while (vef_measure_lacks(measure, run) > 0) {
                const vef_load_sample sample = next_interval(&series[run]);
                vef_measure_add(measure, run, &sample);
            }
    while (vef_measure_decide(measure) != VEF_MEASURE_END);
    const vef_measurement result = *vef_measure_result(measure);
    vef_measure_free(measure);
    return result;
}

enum { REPETITIONS = 300, MOST_RUNS = 3 };

/* Misses among REPETITIONS intervals of 95 %. */
static uint32_t misses(uint32_t runs, double phi, double precision) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < REPETITIONS; i++) {
        autoregressive series[MOST_RUNS];
        for (uint32_t run = 0; run < runs; run++)
            series[run] = (autoregressive){.rng = vef_rng_make(3 + run, VEF_RNG_TEST, i),
                                           .phi = phi,
                                           .spread = 5,
                                           .deviation = -8};
        const vef_measurement result = measure(series, usual(runs, precision, 1 << 20));
        const vef_estimate *phits = &result.means.phits;
        assert_true(result.settled);
        assert_true(result.precise);
        assert_false(result.saturated);
        assert_true(vef_half_width(phits) <= precision * phits->mean);
        count += fabs(phits->mean - MEAN) > vef_half_width(phits);
        /* both are the same series here, one of them a ratio */
        assert_near(result.means.packet_latency.mean, phits->mean, 1e-9);
    }
    return count;
}

/* An interval of 95 % misses 15 of 300 on average, and with probability 0.999 at most 28
 * (the binomial distribution). */
static void test_coverage(void **state) {
    (void)state;
    static const double phis[] = {0, 0.6, 0.9};
    for (size_t i = 0; i < sizeof phis / sizeof *phis; i++)
        for (uint32_t runs = 1; runs <= MOST_RUNS; runs += 2) {
            const uint32_t count = misses(runs, phis[i], 0.015);
            if (count > 28)
                fail_msg("phi %g, %u runs: %u of %d intervals miss the mean", phis[i], runs, count,
                         REPETITIONS);
        }
}

static void test_what_does_not_settle(void **state) {
    (void)state;
    autoregressive series = {
        .rng = vef_rng_make(4, VEF_RNG_TEST, 0), .phi = 0.5, .spread = 5, .ramp = true};
    const vef_measurement result = measure(&series, usual(1, 0.001, 20000));
    assert_false(result.settled);
    assert_false(result.precise);
    assert_int_equal(result.warm_up_intervals + result.intervals, 20000);
}

/* White noise of 5 around 50, and a precision of 1 in 100,000: the textbook length is
 * (1.96 x 5 / 50 / 1e-5)^2 = 3.8e8 intervals. Asked to give up, the measurement ends within a
 * quarter of the million that it may take, with an estimate of that length; else it takes all. */
static void test_gives_up(void **state) {
    (void)state;
    for (int gives_up = 0; gives_up < 2; gives_up++) {
        autoregressive series = {.rng = vef_rng_make(6, VEF_RNG_TEST, 0), .spread = 5};
        vef_measure_settings settings = usual(1, 1e-5, 1000000);
        settings.gives_up = gives_up;
        const vef_measurement result = measure(&series, settings);
        assert_true(result.settled);
        assert_false(result.precise);
        assert_true(result.needed_intervals > 1e8 && result.needed_intervals < 1.2e9);
        if (gives_up)
            assert_true(result.intervals < 1000000 / 4);
        else
            assert_int_equal(result.warm_up_intervals + result.intervals, 1000000);
    }
}

/* Noise of 5 % about half of what is offered: saturated. About what is offered: not. */
static void test_saturation(void **state) {
    (void)state;
    for (int saturated = 0; saturated < 2; saturated++) {
        autoregressive series = {.rng = vef_rng_make(7, VEF_RNG_TEST, 0), .spread = 2.5};
        vef_measure_settings settings = usual(1, 0.01, 1000000);
        settings.interval_cycles = 1;
        settings.offered_phits = saturated ? 2 * MEAN : MEAN;
        const vef_measurement result = measure(&series, settings);
        assert_true(result.settled && result.precise);
        assert_int_equal(result.saturated, saturated);
        assert_int_equal(result.unbounded, saturated);
        assert_true(result.intervals >= 50 * VEF_BATCHES - 50);
    }
}

/* A network that is offered 8 % more than the 50 phits per cycle that it accepts, and whose content
 * approaches FULL_LATENCY x 50 phits exponentially: what arrives is what is accepted without what
 * remains inside, and the latency is Little's. Both procedures find 50 phits within their interval
 * and half the precision; the throughput alone is known before the latency is. */
enum { FULL_LATENCY = 500, FILLING_CYCLES = 10000, FILLING_INTERVAL = 16 };

static vef_measurement measure_filling(bool phits_alone) {
    vef_measure_settings settings = usual(1, 0.01, 1000000);
    settings.interval_cycles = FILLING_INTERVAL;
    settings.offered_phits = 1.08 * MEAN * FILLING_INTERVAL;
    settings.phits_alone = phits_alone;
    vef_measure *measure = vef_measure_new(&settings);
    assert_non_null(measure);
    vef_rng rng = vef_rng_make(8, VEF_RNG_TEST, 0);
    double cycles = 0;
    do
        while (vef_measure_lacks(measure, 0) > 0) {
            const double missing = exp(-cycles / FILLING_CYCLES);
            const double remains = missing * FULL_LATENCY * MEAN / FILLING_CYCLES;
            const double packets = (MEAN - remains + 0.5 * normal(&rng)) * FILLING_INTERVAL / 16;
            const vef_load_sample sample = {.phits = packets * 16,
                                            .packets = packets,
                                            .packet_latency =
                                                packets * FULL_LATENCY * (1 - missing),
                                            .messages = packets,
                                            .inside = FULL_LATENCY * MEAN / 16 * (1 - missing)};
            vef_measure_add(measure, 0, &sample);
            cycles += FILLING_INTERVAL;
        }
    while (vef_measure_decide(measure) != VEF_MEASURE_END);
    const vef_measurement result = *vef_measure_result(measure);
    vef_measure_free(measure);
    return result;
}

static void test_filling_queues(void **state) {
    (void)state;
    const vef_measurement whole = measure_filling(false), alone = measure_filling(true);
    const vef_measurement *both[] = {&whole, &alone};
    for (size_t i = 0; i < 2; i++) {
        assert_true(both[i]->settled && both[i]->precise && both[i]->saturated);
        const vef_estimate *phits = &both[i]->means.phits;
        assert_near(phits->mean / FILLING_INTERVAL, MEAN,
                    vef_half_width(phits) / FILLING_INTERVAL + 0.005 * MEAN);
    }
    assert_true(alone.warm_up_intervals < 0.8 * (double)whole.warm_up_intervals);
}

/* ---- a queue, whose figures have closed forms ---- */

/* In each slot a packet arrives with probability ARRIVES x load, and is lost if ROOM wait; or the
 * first leaves, with probability LEAVES. So n packets wait with a probability proportional to
 * load^n (a birth-death chain), LEAVES (1 - p(0)) leave in a slot, and by Little's law each has
 * spent the mean number of those that wait over this. Near load 1 it changes as slowly as it takes
 * to diffuse over its length, about ROOM^2 / 5 slots. */
enum { ROOM = 12, SLOTS = 16, QUEUES = 200 };
static const double LEAVES = 0.4;

typedef struct queue {
    vef_rng rng;
    double load;
    uint64_t now, entered[ROOM];
    uint32_t first, waiting;
} queue;

static vef_load_sample next_slots(queue *line) {
    vef_load_sample sample = {0};
    for (int slot = 0; slot < SLOTS; slot++) {
        const double draw = vef_rng_unit(&line->rng);
        line->now++;
        if (draw < LEAVES && line->waiting > 0) {
            sample.packets++;
            sample.packet_latency += (double)(line->now - line->entered[line->first]);
            line->first = (line->first + 1) % ROOM;
            line->waiting--;
        } else if (draw >= LEAVES && draw < LEAVES * (1 + line->load) && line->waiting < ROOM) {
            line->entered[(line->first + line->waiting++) % ROOM] = line->now;
        }
    }
    sample.phits = sample.messages = sample.packets;
    sample.message_latency = sample.packet_latency;
    sample.inside = line->waiting;
    return sample;
}

static vef_measured_means measure_queues(double load, uint64_t repetition, uint64_t most) {
    enum { RUNS = 3 };
    queue queues[RUNS];
    vef_measure_settings settings = usual(RUNS, 0.03, most);
    settings.interval_cycles = SLOTS;
    settings.offered_phits = LEAVES * load * SLOTS;
    settings.gives_up = true;
    for (uint32_t run = 0; run < RUNS; run++)
        queues[run] =
            (queue){.rng = vef_rng_make(10 + run, VEF_RNG_TEST, repetition), .load = load};
    vef_measure *measure = vef_measure_new(&settings);
    assert_non_null(measure);
    do
        for (uint32_t run = 0; run < RUNS; run++)
            while (vef_measure_lacks(measure, run) > 0) {
                const vef_load_sample sample = next_slots(&queues[run]);
                vef_measure_add(measure, run, &sample);
            }
    while (vef_measure_decide(measure) != VEF_MEASURE_END);
    const vef_measurement result = *vef_measure_result(measure);
    if (result.precise) {
        assert_true(result.settled);
        assert_true(vef_half_width(&result.means.packet_latency) <=
                    settings.precision * result.means.packet_latency.mean);
    }
    vef_measure_free(measure);
    return result.means;
}

/* Below, at and above saturation, with enough time and with too little, intervals of 95 % miss at
 * most 21 of 200 times: more has a probability of 0.0005 (the binomial distribution). */
static void test_coverage_of_queues(void **state) {
    (void)state;
    static const double loads[] = {0.5, 0.9, 0.96, 1.001, 1.04, 1.5};
    for (size_t l = 0; l < sizeof loads / sizeof *loads; l++)
        for (int enough = 0; enough < 2; enough++) {
            double sum = 0, inside = 0;
            for (int n = 0; n <= ROOM; n++) {
                sum += pow(loads[l], n);
                inside += n * pow(loads[l], n);
            }
            const double leave = LEAVES * (1 - 1 / sum), latency = inside / sum / leave;
            uint32_t phits_missed = 0, latency_missed = 0;
            for (uint64_t i = 0; i < QUEUES; i++) {
                const vef_measured_means means = measure_queues(loads[l], i, enough ? 8000 : 500);
                phits_missed +=
                    fabs(means.phits.mean - leave * SLOTS) > vef_half_width(&means.phits);
                latency_missed += fabs(means.packet_latency.mean - latency) >
                                  vef_half_width(&means.packet_latency);
            }
            if (phits_missed > 21 || latency_missed > 21)
                fail_msg("load %g: of %d intervals %u of the throughput and %u of the latency miss",
                         loads[l], QUEUES, phits_missed, latency_missed);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fisher),
        cmocka_unit_test(test_spread_between_runs),
        cmocka_unit_test(test_quantiles_of_student),
        cmocka_unit_test(test_bias_of_a_trend),
        cmocka_unit_test(test_interval_of_batches),
        cmocka_unit_test(test_correlation_of_few),
        cmocka_unit_test(test_coverage),
        cmocka_unit_test(test_what_does_not_settle),
        cmocka_unit_test(test_gives_up),
        cmocka_unit_test(test_saturation),
        cmocka_unit_test(test_filling_queues),
        cmocka_unit_test(test_coverage_of_queues),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
