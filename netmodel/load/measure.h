/* Measuring a process in intervals of time: first its warm-up is discarded, then its steady state
 * is measured until the requested precision. See measure.c for the procedure. Independent of
 * networks: the process is behind vef_sample_source. */
#ifndef VEF_NETMODEL_LOAD_MEASURE_H
#define VEF_NETMODEL_LOAD_MEASURE_H

#include "common/status.h"
#include "netmodel/load/steady.h"

#include <stdbool.h>
#include <stdint.h>

/* The counts of an interval. Latencies are sums: over packets, and over messages. */
typedef struct vef_load_sample {
    double phits, packets, packet_latency, messages, message_latency;
} vef_load_sample;

/* The measured process: advances by one interval. */
typedef struct vef_sample_source {
    void *context;
    vef_code (*interval)(void *context, vef_load_sample *sample, vef_error *error);
    /* The warm-up is over: reset the figures. */
    vef_code (*warmed_up)(void *context, vef_error *error);
    /* An estimate (0 to 1) of the finished share; NULL: not needed. */
    void (*watch)(void *context, double share);
} vef_sample_source;

typedef struct vef_measure_settings {
    double interval_cycles;  /* length of an interval, in the unit of latencies */
    double precision;        /* half the width of the intervals, relative to the mean */
    uint64_t most_intervals; /* warm-up and measurement together */
    uint64_t least_packets;  /* delivered in the measurement */
    bool phits_alone;        /* the precision of latencies does not matter */
} vef_measure_settings;

typedef struct vef_measurement {
    bool settled; /* the end of the warm-up was detected */
    bool precise; /* throughput, and latency if it matters, with the requested precision, from
                     batches long enough */
    uint64_t warm_up_intervals, intervals; /* discarded; measured */
    vef_load_sample sum;                   /* over those measured */
    /* Phits of an interval, latency of a packet, latency of a message. */
    vef_estimate phits, packet_latency, message_latency;
} vef_measurement;

vef_code vef_measure(const vef_sample_source *measured, const vef_measure_settings *settings,
                     vef_measurement *measurement, vef_error *error);

#endif
