/* Throttling: a source injects only while its router's links lead to queues with free places.
 *
 * After Baydal, Lopez and Duato ("A family of mechanisms for congestion control in wormhole
 * networks", IEEE TPDS 16(9), 2005), whose routers restrict injection by the free virtual channels
 * of their outputs. Here the places at the other ends of all links of the router count, since
 * switching is virtual cut-through and an adaptive packet may leave by any of them; a router knows
 * them as its credits. */
#include "netmodel/router/congestion/congestion.h"

static const vef_param schema[] = {
    {VEF_KEY(REAL, vef_congestion_parameters, queue_share), .fallback = "0.25", .maximum = 1,
     .aliases = "share threshold",
     .help = "share of the places at the other ends of a router's links: while more are taken, its "
             "endpoints inject nothing"},
    {.key = NULL},
};

static bool admits(const vef_congestion_parameters *is, uint64_t taken, uint64_t places) {
    return (double)taken <= is->queue_share * (double)places;
}

const vef_congestion_policy vef_congestion_throttle = {
    .name = "throttle",
    .aliases = "throttling injection-throttling local",
    .summary =
        "endpoints inject only while few places at the ends of their router's links are "
        "taken",
    .schema = schema,
    .admits = admits,
};
