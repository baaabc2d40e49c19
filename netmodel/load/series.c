/* Series of samples. See series.h.
 *
 * A latency is the ratio R of two sums, latencies over packets. Its values are the linearisation
 * about the ratio of all samples, R + (x - R y) / mean(y), which have the same mean and, for long
 * series, the same variance (Law, Simulation Modeling and Analysis, section 9.5.3: ratio
 * estimators). */
#include "netmodel/load/series.h"

static void add(vef_load_sample *to, const vef_load_sample *more) {
    to->phits += more->phits;
    to->packets += more->packets;
    to->packet_latency += more->packet_latency;
    to->messages += more->messages;
    to->message_latency += more->message_latency;
    to->inside += more->inside;
}

void vef_series_clear(vef_series *series) {
    series->count = 0;
    series->each = 1;
    series->begun = series->intervals = 0;
    series->sum = (vef_load_sample){0};
}

void vef_series_add(vef_series *series, const vef_load_sample *sample) {
    add(&series->sum, sample);
    series->intervals++;
    if (series->begun == 0)
        series->samples[series->count] = *sample;
    else
        add(&series->samples[series->count], sample);
    if (++series->begun < series->each)
        return;
    series->begun = 0;
    if (++series->count < VEF_MOST_SAMPLES)
        return;
    for (size_t i = 0; i < VEF_MOST_SAMPLES / 2; i++) {
        series->samples[i] = series->samples[2 * i];
        add(&series->samples[i], &series->samples[2 * i + 1]);
    }
    series->count = VEF_MOST_SAMPLES / 2;
    series->each *= 2;
}

void vef_series_pool(const vef_series *series, size_t series_count, vef_series *pool) {
    *pool = series[0];
    for (size_t s = 1; s < series_count; s++) {
        add(&pool->sum, &series[s].sum);
        for (size_t i = 0; i < pool->count; i++)
            add(&pool->samples[i], &series[s].samples[i]);
    }
}

/* A quantity as a ratio: numerator and denominator. */
static double above(const vef_load_sample *sample, vef_quantity quantity) {
    return quantity == VEF_PACKET_LATENCY ? sample->packet_latency : sample->message_latency;
}

static double below(const vef_load_sample *sample, vef_quantity quantity) {
    return quantity == VEF_PACKET_LATENCY ? sample->packets : sample->messages;
}

size_t vef_series_values(const vef_series *series, vef_quantity quantity, double *values) {
    const size_t count = series->count;
    if (quantity == VEF_PHITS_PER_INTERVAL || quantity == VEF_MESSAGES_INSIDE) {
        for (size_t i = 0; i < count; i++)
            values[i] = (quantity == VEF_MESSAGES_INSIDE ? series->samples[i].inside
                                                         : series->samples[i].phits) /
                        (double)series->each;
        return count;
    }
    double x_sum = 0, y_sum = 0;
    for (size_t i = 0; i < count; i++) {
        x_sum += above(&series->samples[i], quantity);
        y_sum += below(&series->samples[i], quantity);
    }
    const double ratio = y_sum > 0 ? x_sum / y_sum : 0;
    const double y_mean = y_sum > 0 ? y_sum / (double)count : 1;
    for (size_t i = 0; i < count; i++) {
        const vef_load_sample *sample = &series->samples[i];
        values[i] = ratio + (above(sample, quantity) - ratio * below(sample, quantity)) / y_mean;
    }
    return count;
}
