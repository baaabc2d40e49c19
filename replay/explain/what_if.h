/* What a replay would gain from another machine: an ideal network, twice the bandwidth of links,
 * half the delays of routers and links, processors that compute twice as fast.
 *
 * Predicted from the critical path: the parts that the change affects become shorter. That is the
 * best case, since another chain of events may then be the longest, and contention may change its
 * place; so the changed machine is also simulated. It is the resolved configuration of the network
 * with other values. A cycle is the time of a phit, so for twice the bandwidth phits are twice as
 * large and packets have half as many: cycles, delays and packets remain what they are. For half
 * the delays phits are half as large, and a cycle half as long. */
#ifndef VEF_REPLAY_EXPLAIN_WHAT_IF_H
#define VEF_REPLAY_EXPLAIN_WHAT_IF_H

#include "replay/explain/path.h"
#include "replay/replay.h"

typedef enum vef_change {
    VEF_CHANGE_IDEAL,
    VEF_CHANGE_BANDWIDTH,
    VEF_CHANGE_LATENCY,
    VEF_CHANGE_CPU,
    VEF_CHANGES
} vef_change;

typedef struct vef_what_if {
    const char *key, *name; /* in documents, in text */
    double predicted_ns;
    bool simulated;
    double simulated_ns;
    char reason[VEF_MESSAGE_BYTES]; /* why it was not simulated, or empty */
} vef_what_if;

/* All changes, in their order, by the path of a replay. */
void vef_what_if_predict(const vef_path *path, vef_what_if what_if[VEF_CHANGES]);

/* Replays the trace on each changed machine. `options` are those of the replay. Fails only if the
 * trace cannot be read; a machine that cannot be simulated has its reason. */
vef_code vef_what_if_simulate(vef_trace *trace, const vef_netmodel *network,
                              const uint32_t *mapping, const vef_replay_options *options,
                              vef_progress *progress, vef_what_if what_if[VEF_CHANGES],
                              vef_error *error);

#endif
