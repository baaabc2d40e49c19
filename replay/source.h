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
    bool divisible; /* `next` may be called for different tasks on different threads */
    /* How a task ended; VEF_LOG_CUT if its later events are not known. */
    vef_log_end (*end)(const vef_source *source, uint32_t task);
};

/* The first communicator that is a window of one-sided communication; VEF_NO_COMM: none is. */
static inline uint32_t vef_source_window(const vef_source *source) {
    for (uint32_t i = 0; i < source->communicator_count; i++)
        if (vef_call_has(source->communicators[i].made_by, VEF_FACT_WINDOW))
            return i;
    return VEF_NO_COMM;
}

/* The same as vef_replay, for any source. */
vef_code vef_replay_source(vef_source *source, vef_netmodel *network, const uint32_t *mapping,
                           const vef_replay_options *options, vef_progress *progress,
                           vef_replay_result *result, vef_error *error);

/* ---- a replay that its caller advances step by step, for networks that the caller drives ---- */

typedef struct vef_stepped vef_stepped;

/* Begins a replay; arguments as those of vef_replay_source. All but the options must outlive it,
 * and what these refer to. The tasks have not run yet. */
vef_code vef_stepped_begin(vef_source *source, vef_netmodel *network, const uint32_t *mapping,
                           const vef_replay_options *options, vef_stepped **stepped,
                           vef_error *error);
/* When a task can continue without the network; VEF_FOREVER: none can. */
uint64_t vef_stepped_next(const vef_stepped *stepped);
/* Whether the network has messages. */
bool vef_stepped_waits(const vef_stepped *stepped);
/* Runs up to `until_ps`, including what happens then; VEF_FOREVER: to the end, or until nothing
 * can continue, which is a stall. `*ended`: the replay has ended or stalled; it is not run again.
 */
vef_code vef_stepped_run(vef_stepped *stepped, uint64_t until_ps, bool *ended, vef_error *error);
/* Whether a task has ended, and then when. */
bool vef_stepped_task_ended(const vef_stepped *stepped, uint32_t task, uint64_t *end_ps);
/* Completes the result, once; it is valid until the replay is destroyed. If the replay has not
 * ended, its stall is `stall`, with `text`. */
vef_code vef_stepped_finish(vef_stepped *stepped, vef_stall stall, const char *text,
                            const vef_replay_result **result, vef_error *error);
void vef_stepped_destroy(vef_stepped *stepped); /* NULL is fine */

/* ---- traces ---- */

/* The events of a trace, which must outlive it; of several processes that replay it together each
 * reads those of its own tasks. Closes its streams. */
vef_source *vef_source_open_trace(vef_trace *trace);
void vef_source_close_trace(vef_source *source); /* NULL is fine */

#endif
