/* The source of a replay's events: one stream per task.
 *
 * A trace file is one source (source_trace.c); tests and workload generators are others. The engine
 * only requests the next event of a task. */
#ifndef VEF_REPLAY_SOURCE_H
#define VEF_REPLAY_SOURCE_H

#include "common/status.h"
#include "replay/replay.h"
#include "traces/event.h"
#include "traces/file/trace.h"
#include "traces/log/log.h"

typedef struct vef_source vef_source;

struct vef_source {
    uint32_t tasks;
    uint32_t communicator_count;
    const vef_communicator *communicators; /* 0 is the world */
    uint64_t events;                       /* of all tasks, for progress; 0: unknown */
    const uint64_t *not_recorded;          /* calls that the source does not store, or NULL */
    vef_measured_run measured;             /* how its times were measured; zeros: not known */
    /* How many threads a task has: their streams are 0 … threads-1. */
    uint32_t (*threads)(const vef_source *source, uint32_t task);
    /* The next event of a task's thread, or NULL in `*event` at its end; valid until the next call
     * for the same thread. Durations may be 0: a replay does not need them. Failures say where
     * (file, task, record). */
    vef_code (*next)(vef_source *source, uint32_t task, uint32_t thread, const vef_event **event,
                     vef_error *error);
    /* Prefetches what the next call of `next` for a task's thread will need: first `near` false,
     * some time later `near` true. NULL: not worth it. */
    void (*prefetch)(const vef_source *source, uint32_t task, uint32_t thread, bool near);
    /* Begins all streams again, for a replay that is repeated. */
    vef_code (*restart)(vef_source *source, vef_error *error);
    /* How a task ended; VEF_LOG_CUT if its later events are not known. */
    vef_log_end (*end)(const vef_source *source, uint32_t task);
};

/* The same as vef_replay, for any source. */
vef_code vef_replay_source(vef_source *source, vef_netmodel *network, const uint32_t *mapping,
                           const vef_replay_options *options, vef_progress *progress,
                           vef_replay_result *result, vef_error *error);

/* The events of a trace; closes its streams. The trace must outlive it. */
vef_code vef_source_open_trace(vef_trace *trace, vef_source **source, vef_error *error);
void vef_source_close_trace(vef_source *source); /* NULL is fine */

#endif
