/* Feeding a simulator: the messages of a traced MPI program, in causal order.
 *
 * A feed replays a trace. It does not simulate a network: it names the messages that enter it, the
 * caller simulates them and reports when each has arrived, and the tasks of the program go on from
 * there. Collectives, rendezvous and computation are those of `vef replay`. Times of messages are
 * in cycles of the caller's, whose length the options give: a message leaves with the next cycle.
 * Times of tasks are in picoseconds, and exact.
 *
 *     for (;;) {
 *         vef_feed_run(feed, now, &ended, NULL);           // the tasks, up to and including `now`
 *         while (vef_feed_take(feed, &message))            // messages that leave up to `now`
 *             ...inject it...
 *         if (ended)
 *             break;
 *         ...simulate up to the next arrival or vef_feed_next(feed), whichever is first: new
 * `now`... vef_feed_deliver(feed, id, now, NULL);           // for each arrival
 *     }
 *     vef_feed_finish(feed, &result, NULL);
 *
 * A simulator may as well advance cycle by cycle. Arrivals of a cycle are reported before
 * vef_feed_run for that cycle; those that are reported after it, for the same cycle, are handled by
 * one more vef_feed_run. A replay on a network of vef and one that a feed drives on the same
 * network give the same times (examples/embed/). */
#ifndef VEF_REPLAY_H
#define VEF_REPLAY_H

#include <vef/base.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct vef_feed vef_feed;

typedef struct vef_feed_options {
    size_t size;       /* sizeof(vef_feed_options) */
    const char *trace; /* the path of a .vef file */
    /* The length of a cycle: `cycle_ps` picoseconds, 1 to 10^9, or, unless `cycle_parts` is 0, one
     * of so many parts of them, up to 10^5 (vef_fabric_cycle). */
    uint64_t cycle_ps, cycle_parts;
    uint32_t endpoints; /* of the network */
    /* The sections `mpi` and `host` (docs/semantics.md) of a machine file, or of a text like
     * "{mpi: {preset: openmpi}}". NULL: the defaults. If it has a topology, that is what
     * mappings see; the rest of its network has no effect. `overrides` are keys as of `vef replay
     * --set`, "mpi.bcast=binomial". */
    const char *machine;
    const char *const *overrides;
    size_t override_count;
    /* Task t is at `endpoint[t]`, one for each task of the trace; or, with NULL, where `mapping`
     * puts it (as `vef replay --map`; NULL: identity). */
    const uint32_t *endpoint;
    const char *mapping;
} vef_feed_options;

typedef enum vef_feed_kind {
    VEF_FEED_DATA,      /* of a message of the program or of a collective */
    VEF_FEED_REQUEST,   /* of a rendezvous: asks for leave to send */
    VEF_FEED_CLEARANCE, /* the answer */
    VEF_FEED_ONE_SIDED, /* a put, get or accumulate, or its answer */
} vef_feed_kind;

typedef struct vef_feed_message {
    uint64_t id;                  /* for vef_feed_deliver; never used again */
    uint64_t time_cycles;         /* when it leaves its source */
    uint64_t bytes;               /* may be 0 */
    uint32_t source, destination; /* endpoints, never the same */
    vef_feed_kind kind;
    uint32_t traffic_class; /* as `mpi.classes` says, else 0 */
} vef_feed_message;

/* Times of a task; the parts sum to its end. Blocked time is `waiting` until the other
 * side of the message was ready, `communicating` from then on. */
typedef struct vef_feed_task {
    uint64_t end_ps;
    uint64_t computing_ps, outside_ps, communicating_ps, waiting_ps, overhead_ps;
    uint64_t messages_sent, bytes_sent;
} vef_feed_task;

typedef struct vef_feed_result {
    size_t size;              /* sizeof(vef_feed_result) */
    int complete;             /* 1: every task has ended; 0: see `stall` */
    uint64_t time_ps;         /* the end of the last task, or as far as the replay came */
    uint64_t messages, bytes; /* of the program and its collectives, those within a node included */
    uint64_t local_messages;  /* within a node: not handed out */
    char stall[1024];         /* why it did not go on; "": it did */
} vef_feed_result;

/* Opens a trace. The caller closes the feed. */
VEF_PUBLIC int vef_feed_open(const vef_feed_options *options, vef_feed **feed,
                             vef_failure *failure);
VEF_PUBLIC void vef_feed_close(vef_feed *feed); /* NULL is fine */

/* What is wrong with the trace, although it can be replayed: that it is cut short, and where. "":
 * nothing. Lives as long as the feed. */
VEF_PUBLIC const char *vef_feed_warnings(const vef_feed *feed);
VEF_PUBLIC uint32_t vef_feed_tasks(const vef_feed *feed);
/* The endpoint of a task; UINT32_MAX: there is no such task. */
VEF_PUBLIC uint32_t vef_feed_endpoint(const vef_feed *feed, uint32_t task);

/* Lets the tasks run up to and including `until_cycles`, which is not before that of the last call.
 * `*ended`: no message will come any more, since all tasks have ended, or nothing can go on
 * although no message is under way. */
VEF_PUBLIC int vef_feed_run(vef_feed *feed, uint64_t until_cycles, int *ended,
                            vef_failure *failure);
/* The next message that leaves up to the time of the last vef_feed_run, in the order of their
 * times; 0: there is none. */
VEF_PUBLIC int vef_feed_take(vef_feed *feed, vef_feed_message *message);
/* When a task goes on, or a message leaves, by itself; VEF_NEVER: not before a message arrives. */
VEF_PUBLIC uint64_t vef_feed_next(const vef_feed *feed);
/* A message that was taken has arrived as a whole, at the time of the last vef_feed_run or later,
 * and not before it left. Refuses, and changes nothing: an unknown id, one that has arrived, a time
 * in the past.
 */
VEF_PUBLIC int vef_feed_deliver(vef_feed *feed, uint64_t id, uint64_t time_cycles,
                                vef_failure *failure);
/* Messages that were taken and have not arrived. */
VEF_PUBLIC uint64_t vef_feed_under_way(const vef_feed *feed);
/* Whether a task has ended, and then when. */
VEF_PUBLIC int vef_feed_task_ended(const vef_feed *feed, uint32_t task, uint64_t *end_ps);

/* Ends the replay, as far as it has come, once; afterwards only vef_feed_task_times and
 * vef_feed_close are called. If tasks had not ended, `stall` says why: messages that never arrived,
 * a receive whose send never comes, or that the caller stopped. */
VEF_PUBLIC int vef_feed_finish(vef_feed *feed, vef_feed_result *result, vef_failure *failure);
/* After vef_feed_finish. */
VEF_PUBLIC int vef_feed_task_times(const vef_feed *feed, uint32_t task, vef_feed_task *times,
                                   vef_failure *failure);

#ifdef __cplusplus
}
#endif

#endif
