/* The inside of a replay, shared by the files that make it up:
 *
 *   prepare.c     its memory
 *   loop.c        the main loop: due threads and plans, then the network, then receivers
 *   finish.c      the times of its tasks
 *   replay.c      the whole: vef_replay_source, and replays step by step
 *   strand.c      one thread of a task: its program counter, its time, the order among threads
 *   polls.c       what polls add to the computation of their thread
 *   task.c        what calls do to their task: operations, requests, waits
 *   transfer.c    one message: eager, rendezvous, local; its completion
 *   charge.c      what messages cost the processors
 *   hosts.c       tasks that share a node; its network interfaces
 *   gate.c        tasks that start later than at time 0
 *   processor.c   processors and network interfaces, on networks with costs of hosts
 *   collective.c  one collective: its plan, run step by step, in a call or beside the task
 *   broadcast.c   one message to all in the network, for a collective
 *   one_sided.c   one-sided operations
 *   window.c      the synchronisation of windows
 *   stall.c       why nothing goes on any more
 *   approximation.c  what the trace made the replay approximate, in words
 *
 * Time is in ps. Only the network rounds, in its own unit (netmodel/clock.h): a message enters it
 * in the first unit that does not begin before the message leaves, and is delivered when a unit
 * begins. A strand's `cpu_ps` is the time up to which its processor is accounted for: it grows by
 * computation, by time outside, by overheads, and by blocked time, so its `times` sum to it
 * exactly.
 *
 * On a network in which messages take no time (vef_netmodel_kind's `pass`) tasks run ahead: a task
 * goes on from event to event without regard to the times of others, until it needs something that
 * has not happened yet. Each completion has the time at which the later side was ready, so results
 * do not depend on the order in which tasks run. Within VEF_NS_AHEAD they run in the order of their
 * numbers, again and again, for at most VEF_EVENTS_AHEAD events each; so the messages that are sent
 * and not yet received are few, as in the order of time. There are no network deliveries and few
 * wake-ups, and what a task needs is in the caches, or follows what they have. vef_replay_source
 * decides which replays can do that; one that stalls or fails is repeated in the order of time.
 *
 * Strands and plans are numbered together ("who"): strand i and the plan of its current collective
 * have number i; background plans have numbers from `strand_count` on. */
#ifndef VEF_REPLAY_ENGINE_H
#define VEF_REPLAY_ENGINE_H

#include "netmodel/clock.h"
#include "netmodel/pending.h"
#include "replay/collectives/plan.h"
#include "replay/comms.h"
#include "replay/polls.h"
#include "replay/replay.h"
#include "replay/source.h"
#include "replay/state/broadcast_records.h"
#include "replay/state/match.h"
#include "replay/state/requests.h"
#include "replay/state/search.h"
#include "replay/state/sim_time.h"
#include "replay/state/wakeups.h"

#include <stdalign.h>

/* What a strand does when it continues. */
typedef enum vef_stage {
    VEF_STAGE_FETCH,      /* take the next event */
    VEF_STAGE_STARTING,   /* its earlier messages must start first, see vef_processor_before */
    VEF_STAGE_COMPUTE,    /* waits for its processor before its computation */
    VEF_STAGE_ENTER,      /* its computation is done: enter the call once other threads permit it */
    VEF_STAGE_HELD,       /* the same, but calls of other threads must end first */
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

/* The call whose plan a run holds, besides its `call`, `comm` and `task`: the next call is often
 * the same and has the same plan. */
typedef struct vef_planned {
    bool valid;
    bool commutative, in_place;
    bool moves;    /* else the call has no plan */
    bool counts;   /* it moves data, by the algorithm of row `algorithm` */
    bool barrier;  /* see vef_describe_algorithm */
    bool fallback; /* see vef_algorithm_falls_back */
    int32_t root;
    uint32_t member; /* rank among all members of the communicator */
    uint32_t algorithm;
    uint64_t bytes, elements;
    uint64_t own_bytes; /* see vef_own_bytes */
} vef_planned;

/* A collective in progress in one task: of the strand in the call, or, if the call only started it,
 * in the background: then it has a separate clock and completes `request`. */
typedef struct vef_plan_run {
    vef_plan plan;
    vef_planned planned;
    uint64_t *done_ps; /* per step: when it was complete, or VEF_FOREVER */
    uint32_t *nth;     /* per step: the number of its message with this peer, in its direction */
    size_t capacity;
    uint64_t prefix_ps; /* when the steps of `prefix` were complete */
    uint32_t next;      /* the first step that has not started */
    uint32_t prefix;    /* steps complete without a gap, as far as the next one needs them */
    uint32_t comm;
    uint32_t task;
    uint16_t call;
    bool active;     /* between its start and its last step */
    bool entered;    /* on its communicator: `number` is valid */
    bool paid;       /* the cost of the current step */
    bool queued;     /* has a wake-up; of background plans only */
    uint64_t number; /* of the collective on its communicator */
    /* Of background plans: */
    uint64_t request;
    uint32_t free_steps;   /* the first ones, which need no other step */
    uint32_t strand;       /* the strand that started it, */
    uint64_t event_number; /* in this event */
    uint64_t cpu_ps;       /* until when its executor is busy with it */
    uint32_t next_free;
} vef_plan_run;

/* The parts of a strand's time; they sum to its `cpu_ps`. */
typedef struct vef_times {
    uint64_t computing_ps, outside_ps, overhead_ps, waiting_ps, communicating_ps;
} vef_times;

enum { VEF_NO_STRAND = -1, VEF_STRAND_BYTES = 128 };

/* A thread of a task. The fields used by every event come first, in one or two cache lines. */
typedef struct vef_strand {
    alignas(VEF_STRAND_BYTES) vef_stage stage;
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

typedef struct vef_task {
    uint32_t first_strand, strand_count;
    uint32_t ended; /* strands that have */
    uint64_t start_ps;
    vef_open_requests requests;
    vef_taken *taken;                                  /* a ring buffer with increasing `until` */
    uint32_t taken_first, taken_count, taken_capacity; /* capacity: a power of two */
} vef_task;

/* Counts of the approximations that a trace caused; approximation.c has a row for each. */
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
    bool in_turn;                         /* messages leave through the interfaces in turn, */
    uint32_t *turn;                       /* per node: the number of its next message */
    uint64_t gap_ps;                      /* between messages of an interface, which */
    uint64_t *sends_from, *receives_from; /* per endpoint: is free from then on */
    /* Per task: its memory carries a message until then, and receives one. NULL: no limit. */
    uint64_t *memory_from, *memory_receives_from;
    uint32_t *of_task;
    vef_pending pending; /* deliveries at later times that the network does not have */
} vef_hosts;

typedef struct vef_engine {
    vef_source *source;
    vef_netmodel *network;
    const uint32_t *mapping;
    const vef_replay_options *options;
    vef_replay_result *result;
    vef_progress *progress; /* or NULL */
    vef_error *error;
    const vef_listener *listeners; /* of the options, or NULL */
    const vef_replay_gate *gate;   /* likewise */
    vef_net_watch watch;           /* of the network, if a listener wants it */

    uint64_t now_ps;       /* if tasks run ahead, or with `loggops`: of the running one */
    bool ahead;            /* see above */
    unsigned time_shift;   /* of the times of wake-ups, if tasks run ahead; else 0 */
    uint32_t events_ahead; /* that the running strand may still run ahead; else 0 */
    uint64_t in_flight;    /* messages inside the network, control messages included */
    uint32_t running;      /* the one that is continuing: needs no wake-up; or UINT32_MAX */
    vef_wakeups wakeups;
    const vef_net_loggops *loggops;    /* of the network; NULL: hosts have no costs of their own */
    struct vef_processors *processors; /* with `loggops`, or if strands share processors; or NULL */
    uint64_t event_ps;                 /* with `loggops`: of the current job or delivery */
    uint64_t handled_ps; /* with `loggops`: when the processor has handled the current arrival */
    vef_task *tasks;
    vef_strand *strands;  /* of task 0, then of task 1, … each in order of thread */
    vef_left *lefts;      /* by strand; NULL if no task has several */
    vef_polling *polling; /* by strand */
    uint32_t strand_count, ended;
    vef_plan_run *runs;                         /* by who; of strands first */
    uint32_t run_count, run_capacity, free_run; /* free: of those beside tasks; UINT32_MAX */
    vef_parked *parked;
    uint32_t parked_count, free_parked; /* UINT32_MAX */
    size_t parked_capacity;
    vef_matches matches;
    vef_match_search search; /* if searches for a match cost time */
    uint64_t *held_bytes;    /* per task, if limited: eager messages to it, not received yet */
    vef_noise_stream *noise; /* per strand, or NULL */
    vef_hosts hosts;
    vef_broadcasts broadcasts;
    vef_replay_comms comms;
    struct vef_one_sided *one_sided;      /* one_sided.c's own; NULL until needed */
    uint32_t *peer_sends, *peer_receives; /* per rank, all 0 between uses: for numbering plans */

    vef_net_clock clock;                  /* of the network */
    vef_time_scale scale;                 /* of computation */
    vef_time_scale *scales;               /* per task, if some compute slower; else NULL */
    bool charges_sends, charges_receives; /* some messages cost processor time */
    bool charges_copies;                  /* so do a task's own data in a collective */
    bool settles;                         /* receives cost processor time, or buffers are limited */
    bool hardware_broadcast;              /* some collective will use it */
    bool knows_nodes; /* some collective depends on which tasks are at one endpoint */
    bool looks_ahead; /* strand i is task i, and prefetches before its turn */
    vef_approximations approximations;
} vef_engine;

/* prepare.c */

/* An engine whose first fields, up to `gate`, are set, and that runs ahead or not. Releasing one
 * that failed, or was never prepared, is fine. */
vef_code vef_engine_prepare(vef_engine *engine);
void vef_engine_release(vef_engine *engine);

/* loop.c */

/* Wakes all strands, once. */
void vef_engine_begin(vef_engine *engine);
/* Runs up to `until_ps`, including what happens then, or, VEF_FOREVER, to the end. It ends
 * early when the replay has ended or the result names a stall. */
vef_code vef_engine_run(vef_engine *engine, uint64_t until_ps);
/* When a strand, a plan, a job or a pending delivery can continue without the network; VEF_FOREVER:
 * none. */
uint64_t vef_engine_next(const vef_engine *engine);
/* Whether nothing is left to do after the last event of all strands. */
bool vef_engine_ended(const vef_engine *engine);
/* Advances a network without messages to the engine's time. */
vef_code vef_engine_catch_up(vef_engine *engine);
/* Injects a message that leaves at `time_ps`, now or later. */
vef_code vef_engine_enter(vef_engine *engine, vef_net_message *message, uint64_t time_ps);

/* gate.c: only with a gate */

/* Lets all strands wait for the gate. */
void vef_gate_close(vef_engine *engine);
/* Lets the gate act, if it wants to now. */
vef_code vef_gate_run(vef_engine *engine);

/* finish.c */

/* Completes the result, whether the replay has ended or stalled. */
vef_code vef_engine_finish(vef_engine *engine);

/* The two tasks whose data a message carries; VEF_CARRIES_NOTHING: a control message, or one for
 * all endpoints. */
typedef struct vef_carried {
    uint32_t from, to;
} vef_carried;
#define VEF_CARRIES_NOTHING ((vef_carried){UINT32_MAX, UINT32_MAX})

/* Sends a message now, of which `in_flight` counts one more from now on; sets its time. A network
 * is only advanced while it has messages. */
vef_code vef_hosts_inject(vef_engine *engine, vef_net_message *message, vef_carried tasks);
static inline vef_code vef_engine_inject(vef_engine *engine, vef_net_message *message,
                                         vef_carried tasks) {
    if (!engine->hosts.plain)
        return vef_hosts_inject(engine, message, tasks);
    vef_code code = engine->in_flight++ ? VEF_OK : vef_engine_catch_up(engine);
    return code ? code : vef_engine_enter(engine, message, engine->now_ps);
}

/* strand.c */

/* Continues a strand whose wake-up is due. */
vef_code vef_strand_run(vef_engine *engine, uint32_t strand);
/* Accounts blocked time up to now: waiting until `since_ps`, communicating from then on. */
void vef_strand_account(vef_engine *engine, uint32_t strand, uint64_t since_ps);
void vef_strand_pay(vef_engine *engine, uint32_t strand, uint64_t ps);
/* Time in local calls passes, if host.outside. */
void vef_strand_pass_outside(vef_engine *engine, uint32_t strand, uint64_t ns);
/* The computation before the strand's event, which is a poll or has `after_poll`, by the task's
 * scale. */
uint64_t vef_polling_gap_ps(vef_engine *engine, uint32_t strand, const vef_time_scale *scale);
/* The time before the strand's event passes: in computation, then outside. */
vef_code vef_strand_pass_gap(vef_engine *engine, uint32_t strand);
/* The strand waits until then, which may be in the future; its call continues at its own time. */
void vef_strand_wait_until(vef_engine *engine, uint32_t strand, uint64_t ps);
/* Queues a strand for the time when its processor is free; does nothing if it is queued or running.
 */
void vef_strand_wake(vef_engine *engine, uint32_t strand);
/* The same for the running strand, which pauses. */
void vef_strand_sleep(vef_engine *engine, uint32_t strand);
/* One need fewer of the current call: the other side was ready since `since_ps`; it costs the
 * strand's processor `cost_ps`. */
void vef_strand_needs_less(vef_engine *engine, uint32_t strand, uint64_t since_ps,
                           uint64_t cost_ps);
/* A held strand enters its call before earlier calls of other threads have ended. */
void vef_strand_release(vef_engine *engine, uint32_t strand);
/* The strand ends: with its last event, or in a call that never returned. */
void vef_strand_end(vef_engine *engine, uint32_t strand);
/* The first unfinished call of another thread of the task that had returned before the strand's
 * event was entered: it must end before this one begins. Number of the strand in that call;
 * VEF_NO_STRAND. */
int64_t vef_strand_held_by(const vef_engine *engine, uint32_t strand);
/* The name of the event's call: "Send". */
const char *vef_strand_call(const vef_engine *engine, uint32_t strand);
/* "task 3, event 17 (MPI_Recv)", with the thread where the task has several. */
void vef_strand_name(const vef_engine *engine, uint32_t strand, char *text, size_t text_bytes);
/* vef_fail with vef_strand_name and ": " before the message. */
vef_code vef_strand_fail(vef_engine *engine, uint32_t strand, vef_code code, const char *format,
                         ...) __attribute__((format(printf, 4, 5)));

/* task.c */

/* The strand enters a call that completes requests, or a probe: it needs the requests that the call
 * completed in the recorded run, or the messages that it saw. */
void vef_task_wait(vef_engine *engine, uint32_t strand);
vef_code vef_task_probe(vef_engine *engine, uint32_t strand);
/* The strand enters a call that transfers nothing; some affect a request, and some end the thread.
 */
void vef_task_enter_local(vef_engine *engine, uint32_t strand);
/* Starts the operations of the strand's event; `*pause` when the processor is busy until later. */
vef_code vef_task_start_operations(vef_engine *engine, uint32_t strand, bool *pause);
vef_code vef_task_start_single(vef_engine *engine, uint32_t strand, bool *pause);
/* One of the task's messages is complete now, its other side being ready since `since_ps`. It
 * costs `cost_ps` of the processor that waits for it. */
void vef_task_complete(vef_engine *engine, uint32_t task, uint64_t token, uint64_t since_ps,
                       uint64_t cost_ps);
/* Accounts blocked time up to now of strands that wait for the request, as vef_strand_account. */
void vef_task_account_request(vef_engine *engine, uint32_t task, uint64_t request,
                              uint64_t since_ps);
/* Records a request that was just started and is not complete: one more part of it is in progress,
 * which VEF_TOKEN_REQUEST completes. */
void vef_task_note_request(vef_engine *engine, uint32_t task, uint64_t request);
/* Of a task with threads: the strand's call has returned, so its requests have started, and other
 * threads that already wait for them may continue if they are complete. */
void vef_task_note_started(vef_engine *engine, uint32_t strand);
/* Whether a strand is in a call that waits for the request. */
bool vef_strand_waits_for_request(const vef_engine *engine, uint32_t strand, uint64_t request);
/* vef_strand_fail of the task's strand that is going on, or else of its first. */
vef_code vef_task_fail(vef_engine *engine, uint32_t task, vef_code code, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* hosts.c */

vef_code vef_hosts_prepare(vef_engine *engine);
/* The task is where the mapping says now. */
vef_code vef_hosts_place(vef_engine *engine, uint32_t task);
void vef_hosts_release(vef_engine *engine);
/* Whether two tasks are on one node. */
static inline bool vef_hosts_share(const vef_engine *engine, uint32_t task, uint32_t other) {
    return engine->hosts.of_task[task] == engine->hosts.of_task[other];
}
/* Processes a delivery of the network, at once or when its interface is free. */
vef_code vef_hosts_receive(vef_engine *engine, const vef_net_delivery *delivery);
/* Processes the deliveries that are pending up to now. */
vef_code vef_hosts_deliver(vef_engine *engine);

/* charge.c: processor time of messages */

void vef_charges_prepare(vef_engine *engine);
/* Of a send, and of the receive of a message, which is unexpected if it had arrived before: at most
 * VEF_MOST_PS. */
uint64_t vef_charge_send_ps(const vef_engine *engine, uint64_t bytes, bool blocking, bool eager);
/* Of a task's operation in a call that sends one message, or reads or writes a window. */
uint64_t vef_charge_operation_ps(const vef_engine *engine, uint32_t task, uint16_t call,
                                 const vef_operation *operation);
uint64_t vef_charge_receive_ps(const vef_engine *engine, uint32_t record, bool unexpected);

/* transfer.c */

/* Whether a send of this size is eager unless its receiver has no room. */
bool vef_transfer_is_eager(const vef_engine *engine, uint64_t bytes, uint16_t operation_flags);
/* Whether messages between the tasks do not enter the network. With `loggops` those to the task
 * itself do, as in LogGOPSim. */
static inline bool vef_transfer_is_local(const vef_engine *engine, uint32_t sender,
                                         uint32_t receiver) {
    return vef_hosts_share(engine, sender, receiver) && !(engine->loggops && sender == receiver);
}
/* Starts a send or a receive now. `*complete_ps`: when it was complete, in the future only if
 * tasks run ahead; its token is then never used. VEF_FOREVER: it is not yet. `key->ordinal`
 * VEF_NO_ORDINAL in a send: it will not be received. `*cost_ps`: processor time of a receive
 * that is complete, else 0. */
vef_code vef_transfer_send(vef_engine *engine, const vef_transfer_key *key, uint64_t bytes,
                           uint16_t operation_flags, uint64_t token, uint64_t *complete_ps);
vef_code vef_transfer_receive(vef_engine *engine, const vef_transfer_key *key, uint64_t token,
                              uint64_t *complete_ps, uint64_t *cost_ps);
/* `*arrived_ps`: when the message (or its request) was sent, if it has arrived; else
 * VEF_FOREVER, and its arrival will reduce the strand's needs. */
void vef_transfer_probe(vef_engine *engine, const vef_transfer_key *key, uint32_t strand,
                        uint64_t *arrived_ps);
/* The data of a message have arrived at its receiver, without rendezvous. */
void vef_transfer_arrive(vef_engine *engine, const vef_transfer_key *key, uint64_t bytes,
                         uint64_t sent_ps);
/* Network messages of files other than transfer.c: a number of their own, which is passed to
 * vef_broadcast_delivered and vef_one_sided_delivered. vef_engine_inject increments `in_flight`,
 * the receiver decrements it. */
uint64_t vef_transfer_broadcast_id(uint32_t number);
uint64_t vef_transfer_one_sided_id(uint64_t number);
/* Processes a delivery of the network. */
vef_code vef_transfer_delivered(vef_engine *engine, const vef_net_delivery *delivery);
/* With `loggops`, of data only: a processor handles them from now on. */
vef_code vef_transfer_handled(vef_engine *engine, uint32_t record);

/* broadcast.c */

/* Sends the data of a collective to all members of its communicator; without an answer. */
vef_code vef_broadcast_send(vef_engine *engine, const vef_plan_run *run, uint64_t bytes);
void vef_broadcast_delivered(vef_engine *engine, uint32_t number, uint32_t endpoint);

/* collective.c */

/* Enters the collective of the strand's event: its plan is ready to run in the strand (empty if
 * nothing moves), or, if the call only starts it, runs in the background from now on. */
vef_code vef_plan_enter(vef_engine *engine, uint32_t strand);
/* Starts eligible steps of the strand's plan; `*finished` when every step is complete. */
vef_code vef_plan_go_on(vef_engine *engine, uint32_t strand, bool *finished);
/* Continues a background plan whose wake-up is due. */
vef_code vef_plan_run_beside(vef_engine *engine, uint32_t who);
/* With `loggops`: the next step starts; its job lasts until then. */
vef_code vef_plan_start_step(vef_engine *engine, uint32_t who, uint64_t until_ps);
/* A step's message is complete; wakes the executor of the plan if another step can start now. */
void vef_plan_complete(vef_engine *engine, uint32_t who, uint32_t step, uint64_t since_ps,
                       uint64_t cost_ps);

/* one_sided.c: operations on windows and window synchronisation. A window is a communicator with a
 * state in engine->comms like any other. */

/* Starts the operation of the strand's event (kind ONE_SIDED) now, after its send overhead. It may
 * add to the strand's `needs`, which VEF_TOKEN_CALL(strand) will reduce; an R… call records its
 * request (vef_task_note_request) for VEF_TOKEN_REQUEST. The call ends at `needs` 0.
 */
vef_code vef_one_sided_enter(vef_engine *engine, uint32_t strand);
/* Continues the strand's event (kind SYNC, no poll): called on entry, with `phase` 0, and again
 * whenever `needs` is 0. Sets `*finished`, or adds to `needs`; may set the stage to VEF_STAGE_PLAN
 * after vef_plan_enter, whose end then ends the call. May consume processor time: it is called
 * again after that, if `needs` is 0 and it has not finished. While it waits, `waits_for` is the
 * task for which it waits. */
vef_code vef_sync_go_on(vef_engine *engine, uint32_t strand, bool *finished);
/* A message of vef_transfer_one_sided_id has been delivered. */
vef_code vef_one_sided_delivered(vef_engine *engine, uint64_t number);
/* Nothing can continue: sets `waits_for` of each strand that waits at a window to the task that
 * blocks it. */
void vef_sync_name_waits(vef_engine *engine);
void vef_one_sided_release(vef_engine *engine);

/* processor.c: only with `loggops`, except for vef_processor_bind and _share */

/* Makes the processors of all tasks; only for a network with costs of hosts. */
void vef_processors_prepare(vef_engine *engine);
void vef_processors_release(vef_engine *engine);

/* The strand enters a mark: binds it to a processor if the mark is its first call and names one. */
void vef_processor_bind(vef_engine *engine, uint32_t strand);
/* Without costs of hosts: the computation that the strand has just passed, from `begin_ps` on,
 * waits for those of other strands on its processor. */
void vef_processor_share(vef_engine *engine, uint32_t strand, uint64_t begin_ps);

/* The strand has fetched an event: waits until its earlier messages have started, unless the event
 * only starts messages or waits, then computes the event's gap. `*pause`: the strand waits. */
void vef_processor_before(vef_engine *engine, uint32_t strand, bool *pause);
/* Makes a job of a send or a receive; when it is complete `token` is. `number` orders it among jobs
 * that become ready at once. A strand waits for the start of a `beside` one, see above. */
typedef struct vef_processor_message {
    vef_transfer_key key;
    uint64_t bytes, token, number;
    uint16_t operation_flags;
    bool send, beside;
} vef_processor_message;
void vef_processor_queue(vef_engine *engine, uint32_t strand, const vef_processor_message *message);
/* Makes a job of the next step of the plan `who`: a send of so many bytes (`local`: to a task of
 * the same endpoint), or else a computation of so many ps. */
void vef_processor_step(vef_engine *engine, uint32_t who, bool send, bool local, uint64_t amount);

/* A message leaves, from the job that has just started. */
void vef_processor_departs(vef_engine *engine, uint32_t record);
/* A message has arrived: vef_transfer_handled when its job starts. */
void vef_processor_arrives(vef_engine *engine, uint32_t record);
/* A rendezvous has matched: its sender has been idle until now. */
void vef_processor_matched(vef_engine *engine, uint32_t record);

/* Orders the jobs that became ready by the same event; the next strand, of `task`, may be of
 * another task. UINT32_MAX: no strand is next. */
void vef_processors_turn(vef_engine *engine, uint32_t task);
/* The time of the first job; VEF_NO_WAKEUP. */
uint64_t vef_processors_first(const vef_engine *engine);
/* Starts, or postpones, the first job if its time has come. */
vef_code vef_processors_run(vef_engine *engine);

/* Overhead in the last `ps` before now on the processor of the strand. */
uint64_t vef_processor_overhead(vef_engine *engine, uint32_t strand, uint64_t ps);
/* Whether the task has several processors. */
bool vef_processors_several(const vef_engine *engine, uint32_t task);
/* When the last job of the task's processors ends. */
uint64_t vef_processors_end(const vef_engine *engine, uint32_t task);

/* approximation.c */

/* Writes the approximations, in sentences, into the result. */
void vef_approximations_write(vef_engine *engine);

/* stall.c */

/* Nothing can continue: stores the reason in the result. */
vef_code vef_stall_diagnose(vef_engine *engine);
/* Records a stall whose reason is known. */
void vef_stall_set(vef_engine *engine, vef_stall stall, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
