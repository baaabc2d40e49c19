/* Marks and windows: routers mark packets that enter a long queue, and the source of a marked
 * packet multiplies its window for the destination by a factor below 1 (explicit congestion
 * notification; additive increase, multiplicative decrease).
 *
 * The shape is that of DCTCP (Alizadeh et al., SIGCOMM 2010: mark by the length of the queue on
 * entry, react once for a window of packets) with the fixed factor of TCP instead of DCTCP's
 * estimate of the share of marks, and of the congestion control of InfiniBand (Gran et al., IPDPS
 * 2010: marks by switches, sent back by the destination, delays between packets) with growth by
 * acknowledgements instead of a timer. Windows below one packet are times between packets, as in
 * Swift (Kumar et al., SIGCOMM 2020, section 3.5), since an incast of many sources fills queues
 * even with one packet of each. */
#include "netmodel/router/congestion/congestion.h"

#include <math.h>

static const vef_param schema[] = {
    {VEF_KEY(REAL, vef_congestion_parameters, queue_share), .fallback = "0.5", .maximum = 1,
     .aliases = "share threshold mark_share",
     .help = "a packet is marked when it enters the queue of a link of whose places more than this "
             "share are then taken"},
    VEF_WINDOW_ROWS("window of a source for a destination at first and at most"),
    {VEF_KEY(REAL, vef_congestion_parameters, least_window_packets), .fallback = "0.01",
     .minimum = 1e-6, .maximum = UINT16_MAX, .aliases = "least_window minimum",
     .help = "least window in packets; below 1: the source waits between packets"},
    {VEF_KEY(REAL, vef_congestion_parameters, decrease), .fallback = "0.5", .maximum = 1,
     .aliases = "factor beta",
     .help = "factor of the window when a marked packet has arrived, once per round trip"},
    {VEF_KEY(REAL, vef_congestion_parameters, increase_packets), .fallback = "0.1",
     .maximum = UINT16_MAX, .aliases = "increase alpha recovery",
     .help = "growth of the window in a round trip without marks"},
    VEF_ACK_DELAY_ROWS,
    {.key = NULL},
};

static bool marks(const vef_congestion_parameters *is, uint32_t taken, uint32_t places) {
    return (double)taken > is->queue_share * (double)places;
}

/* A round trip has `window` packets, but at least one. */
static double increase(const vef_congestion_parameters *is, double window) {
    const double grown = window + is->increase_packets / fmax(window, 1);
    return fmin(grown, is->window_packets);
}

static double decrease(const vef_congestion_parameters *is, double window) {
    return fmin(fmax(window * is->decrease, is->least_window_packets), window);
}

const vef_congestion_policy vef_congestion_ecn = {
    .name = "ecn",
    .aliases = "marking aimd dctcp dcqcn fecn",
    .summary =
        "routers mark packets in long queues; sources reduce their window for the "
        "destination",
    .schema = schema,
    .by_pair = true,
    .marks = marks,
    .increase = increase,
    .decrease = decrease,
};
