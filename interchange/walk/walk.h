/* A trace as a program of messages: the common input of the writers of other formats.
 *
 * The events of a task are passed on in order as computation, starts of messages and waits; a
 * collective as the messages of its plan. Threads of a task and background collectives are separate
 * chains; a format without chains gets them one after another. Messages need no matching: both
 * sides use the same tag, which no other message between the two has at the time.
 *
 * A replay (replay/events.h) would pass on the same messages, but it holds the plans of all tasks
 * at a time: for one Alltoall of 4,096 tasks 1.4 GB, where the walk takes 6 MB. It also ends where
 * the trace stalls, and reports how long a task waited instead of what it depends on. So it only
 * orders the steps of non-blocking collectives (order.h). */
#ifndef VEF_INTERCHANGE_WALK_WALK_H
#define VEF_INTERCHANGE_WALK_WALK_H

#include "interchange/format.h"

/* Tags of the messages of collectives: from here to 2^31 - 1. Those of other messages are smaller.
 */
#define VEF_PLAN_TAGS (UINT32_C(1) << 30)

/* One send or receive of a task. */
typedef struct vef_walk_message {
    bool send;
    uint32_t peer; /* task */
    uint32_t tag;  /* below 2^31 */
    uint64_t bytes;
    uint64_t mark; /* the format's own name for it, set by `start` */
} vef_walk_message;

/* The callbacks of a format. `chain` counts from 0 in each task; a number may be reused once its
 * chain has been joined. */
typedef struct vef_walk_sink {
    void *context;
    bool chains; /* false: everything is on chain 0 */
    /* Also passes the task's number of threads: the chains that exist from the start. */
    vef_code (*begin_task)(void *context, uint32_t task, uint32_t threads, vef_error *error);
    void (*compute)(void *context, uint32_t chain, uint64_t ns);
    void (*start)(void *context, uint32_t chain, vef_walk_message *message);
    /* Later statements of the chain follow the completion of the messages. */
    void (*wait)(void *context, uint32_t chain, const vef_walk_message *const *messages,
                 size_t count);
    /* With `chains`: `chain` begins at the position of `from`; and later statements on `chain`
     * follow everything on `other` so far (which continues). */
    void (*fork)(void *context, uint32_t from, uint32_t chain);
    void (*join)(void *context, uint32_t chain, uint32_t other);
    /* Whether the format supports this collective as an action, and has written it. May be NULL.
     * `world`: it is on a communicator with the world's ranks. */
    bool (*collective)(void *context, uint32_t chain, const vef_event *event, bool world);
    /* A mark of the program, after the computation before it. May be NULL. */
    void (*mark)(void *context, uint32_t chain, const vef_event *event);
    vef_code (*end_task)(void *context, vef_error *error);
} vef_walk_sink;

/* Passes on every task in turn. Reports what was left out. Memory: one block per thread and what is
 * in progress in one task. */
vef_code vef_walk(vef_trace *trace, const vef_format_options *options, const vef_walk_sink *sink,
                  vef_format_report *report, vef_error *error);

#endif
