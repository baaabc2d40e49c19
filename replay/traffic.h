/* The traffic matrix of a program: its messages and those of its collectives, by the algorithms
 * that a replay uses. */
#ifndef VEF_REPLAY_TRAFFIC_H
#define VEF_REPLAY_TRAFFIC_H

#include "replay/replay.h"
#include "traces/file/traffic.h"

/* Replays the trace on the ideal network with the collectives of `options`; a replay that stalls
 * gives what was sent until then. If they need a network that carries broadcasts, the collectives
 * are those of MPICH instead. On failure nothing is held. */
vef_code vef_replay_traffic(vef_trace *trace, const vef_replay_options *options,
                            vef_traffic_matrix *traffic, vef_error *error);

#endif
