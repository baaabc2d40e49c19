/* The state of a replay, which the files of this folder share. From the bottom up, each uses those
 * before it:
 *
 *   policy.h      the time policies; order.c: plain order, and tasks that run ahead
 *   executor.c    strands and plans: their names, their time, their wake-ups
 *   complete.c    what completed messages mean to a task: requests, steps, calls
 *   hosts.c       nodes, their interfaces, and the way into the network
 *   processors.c  processors of hosts and who runs on them
 *   letters.c     messages between parts of a replay
 *   transfer.c    one message: what it costs the processors; eager, rendezvous, local
 *   broadcast.c   one message to all in the network, for a collective
 *   one_sided.c   one-sided operations, and the messages of windows
 *   collective.c  one collective: its plan, run step by step, in a call or beside the task
 *   window.c      the synchronisation of windows
 *   operations.c  sends, receives and probes of a call
 *   polls.c       what polls add to the computation of their thread
 *   strand.c      one thread of a task: its program counter, and the order among threads
 *   processor.c   the time policy of networks with costs of hosts
 *   stall.c       why nothing goes on any more
 *   loop.c        the main loop: due strands and plans, then the network, then receivers
 *   parts.c       the main loop of each part of a replay that threads divide
 *   finish.c      the times of its tasks, and what was approximated
 *   prepare.c     its memory
 *   replay.c      the whole: vef_replay_source, and replays step by step
 *
 * Time is in ps. Only the network rounds, in its own unit (netmodel/clock.h): a message enters it
 * in the first unit that does not begin before the message leaves, and is delivered when a unit
 * begins. Strands and plans are numbered together ("who"): strand i and the plan of its current
 * collective have number i; background plans have numbers from `strand_count` on. */
#ifndef VEF_REPLAY_ENGINE_ENGINE_H
#define VEF_REPLAY_ENGINE_ENGINE_H

#include "common/containers/wakeups.h"
#include "common/prefetch.h"
#include "common/store.h"
#include "netmodel/clock.h"
#include "netmodel/pending.h"
#include "replay/comms.h"
#include "replay/engine/policy.h"
#include "replay/polls.h"
#include "replay/replay.h"
#include "replay/source.h"
#include "replay/state/broadcast_records.h"
#include "replay/state/match.h"
#include "replay/state/requests.h"
#include "replay/state/search.h"
#include "replay/state/sim_time.h"

#include <stdalign.h>

/* What a strand does when it continues. */
typedef enum vef_stage {
    VEF_STAGE_FETCH,      /* take the next event */
    VEF_STAGE_STARTING,   /* its earlier messages must start first, see `approach` of policy.h */
    VEF_STAGE_COMPUTE,    /* waits for its processor before its computation */
    VEF_STAGE_ENTER,      /* its computation is done: enter the call once other threads permit it */
    VEF_STAGE_HELD,       /* its computation is done, but calls of other threads must end first */
    VEF_STAGE_OPERATIONS, /* start the operations of a transfer, from `next_operation` */
    VEF_STAGE_SINGLE,     /* start what a Pready sends, or an operation on a window */
    VEF_STAGE_BLOCKED,    /* in a call until `needs` completions have occurred */
    VEF_STAGE_PLAN,       /* in a collective */
    VEF_STAGE_SYNC,       /* in the synchronisation of a window, see vef_sync_go_on */
    VEF_STAGE_ENDED,
    VEF_STAGE_UNSTARTED, /* waits for the gate */
} vef_stage;

/* The meaning of a message's completion for its task. */
#define VEF_TOKEN_KIND (UINT64_C(3) << 62)
#define VEF_TOKEN_NONE UINT64_C(0)                     /* none */
#define VEF_TOKEN_CALL(s) (UINT64_C(1) << 62 | (s))    /* one need fewer of strand s in its call */
#define VEF_TOKEN_REQUEST(r) (UINT64_C(2) << 62 | (r)) /* a request of the task */
#define VEF_TOKEN_STEP(run, i)                                                                     \
    (UINT64_C(3) << 62 | (uint64_t)(run) << 32 | (i)) /* step i of a plan; run below 2^30 */
enum { VEF_MOST_RUNS = 1 << 30, VEF_EVENTS_AHEAD = 64, VEF_NS_AHEAD = 1000000 };

/* The parts of a strand's time; they sum to its `cpu_ps`. */
typedef struct vef_times {
    uint64_t computing_ps, outside_ps, overhead_ps, waiting_ps, communicating_ps;
} vef_times;

enum { VEF_NO_STRAND = -1 };

/* A thread of a task. The fields used by every event come first, in one or two cache lines. */
typedef struct vef_strand {
    alignas(VEF_CACHE_LINE_BYTES) vef_stage stage;
    uint32_t task;
    bool queued;     /* has a wake-up */
    bool paid;       /* the overhead of the current operation */
    bool after_poll; /* polls before its event affect the gap of that: vef_polling_gap_ps */
    bool threaded;   /* the task has other threads too */
    bool released;   /* enters its call before calls of other threads have ended */
    uint32_t needs;
    uint32_t next_operation;
    uint32_t thread;
    uint64_t cpu_ps;
    const vef_event *event;
    uint64_t event_number; /* of `event` in its thread, from 0 */
    uint64_t remainder;    /* of the scale */
    vef_times times;
    uint32_t probed;   /* in a probe: the record of its message; VEF_NO_TRANSFER */
    uint32_t phase;    /* of a SYNC, 0 on entry: its own */
    uint32_t holder;   /* when held: the strand whose call held it last */
    int32_t waits_for; /* for a stall: the task for whose call or answer a SYNC waits; -1 */
} vef_strand;

/* The last call that a thread left, for the other threads of its task: its tick, when it ended, and
 * the times until then. */
typedef struct vef_left {
    bool any;
    uint64_t tick, end_ps;
    vef_times times;
} vef_left;

/* What earlier polls of a strand mean for its next events: polls.c. */
typedef struct vef_polling {
    vef_poll_series series;
    uint64_t busy_ps, hidden_ps;
    bool tested;         /* the previous event is a test that succeeded between computation; */
    uint64_t blocked_ps; /* blocked time before it */
} vef_polling;

/* A message that a task of several threads has received, and a tick: calls of the task entered
 * before it may have seen the message in a probe. */
typedef struct vef_taken {
    uint64_t until;
    uint32_t record;
} vef_taken;

/* What a completed message needs is in one cache line. */
typedef struct vef_task {
    alignas(VEF_CACHE_LINE_BYTES) uint32_t first_strand;
    uint32_t strand_count;
    vef_open_requests requests;
    uint32_t ended; /* strands that have */
    uint64_t start_ps;
    vef_taken *taken;                                  /* a ring buffer with increasing `until` */
    uint32_t taken_first, taken_count, taken_capacity; /* capacity: a power of two */
} vef_task;

/* Counts of the approximations that a trace caused; finish.c has a row for each. */
typedef struct vef_approximations {
    uint64_t unmatched_sends, unmatched_receives, unmatched_calls, open_calls, threads, released;
    uint64_t intercommunicator_collectives, free_polls, beside, partitioned, one_sided;
    uint64_t lock_waits, shared_windows, fallbacks;
    uint64_t outside_ns;
} vef_approximations;

/* A partitioned send whose data are not ready: the arguments of its start. */
typedef struct vef_parked {
    vef_operation operation;
    uint32_t next_free;
} vef_parked;

/* Nodes and their network interfaces (hosts.c). */
typedef struct vef_hosts {
    bool plain;                           /* none of the following but `of_task` is in use */
    bool memory;                          /* messages between tasks of a node take time */
    bool in_turn;                         /* messages leave through the interfaces in turn */
    uint32_t *turn;                       /* in_turn: per node, the number of its next message */
    uint64_t gap_ps;                      /* between messages of an interface */
    uint64_t *sends_from, *receives_from; /* per endpoint: when its interface is free */
    /* Per task: its memory carries a message until then, and receives one. NULL: no limit. */
    uint64_t *memory_from, *memory_receives_from;
    uint32_t *of_task;
    /* Per task: the node for collectives, a wider one where nodes have a network inside. */
    uint32_t *collective_node;
    vef_pending pending; /* deliveries at later times that the network does not have */
} vef_hosts;

struct vef_engine {
    vef_store *store; /* of what there is for each task, strand and plan; of all parts */
    vef_source *source;
    vef_netmodel *network;
    const uint32_t *mapping;
    const vef_replay_options *options;
    vef_replay_result *result;
    vef_progress *progress; /* or NULL */
    vef_error *error;
    const vef_listener *listeners; /* of the options, or NULL */
    const vef_replay_gate *gate;   /* of the options, or NULL */
    vef_net_watch watch;           /* of the network, if a listener wants it */

    vef_time_policy policy;
    uint64_t now_ps;       /* if tasks run ahead, or with processors: of the running one */
    unsigned time_shift;   /* of the times of wake-ups, if tasks run ahead; else 0 */
    uint32_t events_ahead; /* that the running strand may still run ahead; else 0 */
    uint64_t in_flight;    /* messages inside the network, control messages included */
    uint32_t running;      /* the one that is continuing: needs no wake-up; or UINT32_MAX */
    vef_wakeups wakeups;
    const vef_net_loggops *loggops;    /* of the network; NULL: hosts have no costs of their own */
    struct vef_processors *processors; /* with `loggops`, or if strands share processors; or NULL */
    uint64_t job_ps;                   /* with processors: of the first job; else VEF_NO_WAKEUP */
    uint64_t event_ps;                 /* with processors: of the current job or delivery */
    uint64_t handled_ps; /* with processors: when the current arrival has been handled */
    vef_task *tasks;
    vef_strand *strands;  /* of task 0, then of task 1, … each in order of thread */
    vef_left *lefts;      /* by strand; NULL if no task has several */
    vef_polling *polling; /* by strand */
    uint32_t strand_count, ended;
    struct vef_plan_run *runs; /* by strand */
    /* Plans beside tasks, a row for as many as a task has had at once, each by task: their numbers,
     * and so their order, are those of their task alone. */
    struct vef_plan_run **beside;
    uint32_t beside_rows;
    struct vef_plan *made; /* the last plan that was made; in the same memory for all runs */
    vef_parked *parked;
    uint32_t parked_count, free_parked; /* UINT32_MAX */
    size_t parked_capacity;
    vef_matches matches;
    vef_match_search search; /* if searches for a match cost time */
    uint64_t *held_bytes;    /* per task, if limited: eager messages to it, not received yet */
    vef_noise_stream *noise; /* per strand, or NULL */
    uint64_t *core_free_ps;  /* per core, if all tasks share them, or NULL */
    vef_hosts hosts;
    vef_broadcasts broadcasts;
    vef_replay_comms comms;
    struct vef_one_sided *one_sided; /* one_sided.c's own; NULL until needed */
    uint32_t *peer_counts;           /* two per rank: for vef_plan_number */

    vef_net_clock clock;                  /* of the network */
    uint64_t eager_bytes;                 /* the eager limit */
    vef_time_scale scale;                 /* of computation */
    vef_time_scale *scales;               /* per task, if some compute slower; else NULL */
    bool charges_sends, charges_receives; /* some messages cost processor time */
    bool charges_copies;                  /* so do a task's own data in a collective */
    bool settles;                         /* receives cost processor time, or buffers are limited */
    bool hardware_broadcast;              /* some collective will use it */
    bool knows_nodes; /* some collective depends on which tasks are at one endpoint */
    bool looks_ahead; /* strand i is task i, and prefetches before its turn */
    vef_approximations approximations;

    /* Of a part of a replay that is divided (parts.c): its number, the letters of all parts, and
     * the part of each task. NULL: of one that is not. */
    uint32_t part;
    struct vef_letters *letters;
    const uint32_t *part_of;
    /* Of a replay that is divided: the events of each part so far, for progress. */
    const uint64_t **part_events;
    uint32_t part_count;
};

/* Whether a task is in another part. */
static inline bool vef_engine_away(const vef_engine *engine, uint32_t task) {
    return engine->letters && engine->part_of[task] != engine->part;
}

#endif
