/* A series of counts in intervals of equal length, in constant memory. */
#ifndef VEF_NETMODEL_LOAD_SERIES_H
#define VEF_NETMODEL_LOAD_SERIES_H

#include <stddef.h>
#include <stdint.h>

/* The counts of an interval. Latencies are sums: over packets, and over messages. */
typedef struct vef_load_sample {
    double phits, packets, packet_latency, messages, message_latency;
    double inside; /* messages in the network and at the front of its sources, at the end */
} vef_load_sample;

enum { VEF_MOST_SAMPLES = 2048 };

/* When the samples are full, neighbours are added, and from then on a sample has twice as many
 * intervals. */
typedef struct vef_series {
    vef_load_sample samples[VEF_MOST_SAMPLES];
    size_t count;       /* whole samples */
    uint64_t each;      /* intervals per sample */
    uint64_t begun;     /* intervals of samples[count], not yet whole */
    uint64_t intervals; /* all of them */
    vef_load_sample sum;
} vef_series;

void vef_series_clear(vef_series *series);
void vef_series_add(vef_series *series, const vef_load_sample *sample);

/* The sum of `series_count` series of as many intervals, sample by sample. */
void vef_series_pool(const vef_series *series, size_t series_count, vef_series *pool);

/* What to take from a series. A latency is a ratio of sums, and an interval without a packet has
 * none; it is linearised (series.c). */
typedef enum vef_quantity {
    VEF_PHITS_PER_INTERVAL,
    VEF_PACKET_LATENCY,
    VEF_MESSAGE_LATENCY,
    VEF_MESSAGES_INSIDE,
    VEF_QUANTITIES
} vef_quantity;

/* Its values, one per whole sample, into values[VEF_MOST_SAMPLES]; returns their number. */
size_t vef_series_values(const vef_series *series, vef_quantity quantity, double *values);

#endif
