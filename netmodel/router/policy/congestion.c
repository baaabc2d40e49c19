/* The policies of congestion control. See congestion.h.
 *
 * throttle: after Baydal, Lopez and Duato ("A family of mechanisms for congestion control in
 * wormhole networks", IEEE TPDS 16(9), 2005), whose routers restrict injection by the free virtual
 * channels of their outputs. Here the places at the other ends of all links of the router count,
 * since switching is virtual cut-through and an adaptive packet may leave by any of them; a router
 * knows them as its credits.
 *
 * window: the end-to-end window of textbooks (Bertsekas and Gallager, Data Networks, section 6.2).
 *
 * ecn: the shape is that of DCTCP (Alizadeh et al., SIGCOMM 2010: mark by the length of the queue
 * on entry, react once for a window of packets) with the fixed factor of TCP instead of DCTCP's
 * estimate of the share of marks, and of the congestion control of InfiniBand (Gran et al., IPDPS
 * 2010: marks by switches, sent back by the destination, delays between packets) with growth by
 * acknowledgements instead of a timer. Windows below one packet are times between packets, as in
 * Swift (Kumar et al., SIGCOMM 2020, section 3.5), since an incast of many sources fills queues
 * even with one packet of each. */
#include "netmodel/router/policy/congestion.h"

#include <math.h>

static bool admits(const vef_congestion_parameters *given, uint64_t taken, uint64_t places) {
    return (double)taken <= given->queue_share * (double)places;
}

static bool marks(const vef_congestion_parameters *given, uint32_t taken, uint32_t places) {
    return (double)taken > given->queue_share * (double)places;
}

/* A round trip has `window` packets, but at least one. */
static double increase(const vef_congestion_parameters *given, double window) {
    const double grown = window + given->increase_packets / fmax(window, 1);
    return fmin(grown, given->window_packets);
}

static double decrease(const vef_congestion_parameters *given, double window) {
    return fmin(fmax(window * given->decrease, given->least_window_packets), window);
}

static const vef_congestion_policy throttle = {.admits = admits};
static const vef_congestion_policy window = {.by_pair = true};
static const vef_congestion_policy ecn = {
    .by_pair = true, .marks = marks, .increase = increase, .decrease = decrease};

static const vef_congestion_policy *const policies[] = {
#define CONGESTION(id, name, aliases, summary) &id,
#include "netmodel/file/policies.def"
};

const vef_congestion_policy *vef_congestion_policy_of(const vef_congestion *congestion) {
    return congestion->policy ? policies[congestion->policy->number] : NULL;
}
