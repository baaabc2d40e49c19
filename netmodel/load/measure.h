/* Measuring a process in intervals of time, in one or more independent runs that advance together:
 * first their warm-up is discarded, then their steady state is measured until the requested
 * precision. See measure.c for the procedure. Independent of networks and threads:
 *
 *   for each run, until none of them lacks an interval: vef_measure_add()
 *   vef_measure_decide(): go on, reset the figures and go on, or end */
#ifndef VEF_NETMODEL_LOAD_MEASURE_H
#define VEF_NETMODEL_LOAD_MEASURE_H

#include "netmodel/load/series.h"
#include "netmodel/load/steady.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct vef_measure_settings {
    uint32_t runs;           /* at least 1 */
    double interval_cycles;  /* length of an interval, in the unit of latencies */
    double offered_phits;    /* in an interval of a run, on average; infinite: unknown */
    double precision;        /* half the width of the intervals, relative to the mean */
    uint64_t most_intervals; /* of a run: warm-up and measurement together */
    uint64_t least_packets;  /* delivered in the measurement, by all runs together */
    bool phits_alone;        /* the precision of latencies does not matter */
    bool gives_up;           /* whether to end when most_intervals cannot be enough */
} vef_measure_settings;

/* The three means, of one run or of all. */
typedef struct vef_measured_means {
    vef_estimate phits; /* of an interval of one run */
    vef_estimate packet_latency, message_latency;
} vef_measured_means;

typedef struct vef_measurement {
    bool settled;   /* the end of the warm-up was detected */
    bool precise;   /* settled; and throughput, and latency if it matters, have the precision */
    bool saturated; /* less arrives than is offered */
    bool unbounded; /* the latency of messages grows with the length of the runs */
    uint64_t warm_up_intervals, intervals; /* of each run: discarded; measured */
    double needed_intervals; /* that the precision would take, from what is known; 0: unknown */
    double doubt; /* what to multiply the variances of the means by: at least 1 (measure.c) */
    vef_measured_means means; /* as they look */
} vef_measurement;

typedef struct vef_measure vef_measure;

/* Free with vef_measure_free. */
vef_measure *vef_measure_new(const vef_measure_settings *settings);
void vef_measure_free(vef_measure *measure); /* NULL is fine */

/* Intervals that a run lacks until the next decision. */
uint64_t vef_measure_lacks(const vef_measure *measure, uint32_t run);

/* Adds an interval of a run. Different threads may add to different runs. */
void vef_measure_add(vef_measure *measure, uint32_t run, const vef_load_sample *sample);

typedef enum vef_measure_step {
    VEF_MEASURE_GO_ON,
    VEF_MEASURE_WARMED_UP, /* the figures begin now, again if they had begun before */
    VEF_MEASURE_END,
} vef_measure_step;

/* When no run lacks an interval. */
vef_measure_step vef_measure_decide(vef_measure *measure);

const vef_measurement *vef_measure_result(const vef_measure *measure);
vef_measured_means vef_measure_run(const vef_measure *measure, uint32_t run);

/* An estimate (0 to 1) of the finished share when a run lacks that many intervals on average. */
double vef_measure_share(const vef_measure *measure, double lacking_intervals);

#endif
