/* The execution of a replay as a timeline (`vef replay --timeline`), written while it runs.
 *
 * A track per thread of a task, and one per plan of a non-blocking collective under way. Calls are
 * slices, and within them and between them what the time went to. An arrow per message, from its
 * send to its arrival at the receiver's track. Times are simulated ns, rounded down.
 *
 * Messages of windows have arrows to the memory of their target, which has a track of its own, and
 * those of their answers back. A broadcast by the network has an arrow to each receiver. An arrow
 * whose message is not received enters a track of its own at the end.
 *
 * A part has the calls that are entered inside its conditions, and what lies between them; clipped
 * to its interval of time.
 *
 * The reports of one executor are in the order of time, but an arrow may leave or enter at a time
 * for which its track has no report yet. It waits in the queue of the track until then. Memory:
 * these queues, a record for each message under way, and the open regions. */
#ifndef VEF_REPLAY_TIMELINE_REPLAY_TIMELINE_H
#define VEF_REPLAY_TIMELINE_REPLAY_TIMELINE_H

#include "common/status.h"
#include "netmodel/sampling.h"
#include "replay/events.h"
#include "traces/slice/slice.h"

typedef struct vef_replay_timeline vef_replay_timeline;

typedef struct vef_replay_timeline_options {
    const char *trace, *network, *mapping;
    const vef_trace_header *header; /* lasts as long as the timeline */
    const vef_slice_options *part;  /* by the simulated time; lasts as long as the timeline; NULL:
                                       the whole */
    uint64_t max_bytes;             /* of the file; 0: unlimited */
    bool sampled;                   /* room is kept for samples */
} vef_replay_timeline_options;

/* Begins the file, which appears at `path` when finished. */
vef_code vef_replay_timeline_open(const char *path, const vef_replay_timeline_options *options,
                                  vef_replay_timeline **timeline, vef_error *error);
/* For the options of one replay. */
vef_listener *vef_replay_timeline_listener(vef_replay_timeline *timeline);
/* After the replay, stalled or not; adds the samples (NULL: none) as counters. `*notes`: what was
 * left out, or "". It belongs to the timeline. */
vef_code vef_replay_timeline_finish(vef_replay_timeline *timeline, const vef_netmodel *network,
                                    const vef_link_samples *samples, const char **notes,
                                    vef_error *error);
/* Without finish, nothing of the file remains. NULL is fine. */
void vef_replay_timeline_destroy(vef_replay_timeline *timeline);

#endif
