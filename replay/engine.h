/* The inside of a replay, shared by the files that make it up:
 *
 *   engine.c      the loop: whoever is due goes on, then the network, then whoever was told
 *   strand.c      one thread of a task: its program counter, its time, the order among threads
 *   task.c        what calls do to their task: operations, requests, waits
 *   transfer.c    one message: eager, rendezvous, local; who is told when
 *   collective.c  one collective: its plan, run step by step, in a call or beside the task
 *   broadcast.c   one message to all in the network, for a collective
 *   one_sided.c   one-sided operations
 *   window.c      the synchronisation of windows
 *   stall.c       why nothing goes on any more
 *   approximation.c  what the trace made the replay approximate, in words
 *
 * Time is in cycles. A strand's `cpu_cycles` is the time up to which its processor is accounted
 * for: it grows by computation, by time outside, by overheads, and by blocked time, so its `times`
 * sum to it exactly.
 *
 * Strands and plans are numbered together, as what goes on by itself ("who"): strand i is i and so
 * is the plan of the collective that it is in; from `strand_count` on come the plans that run
 * beside their task. */
#ifndef VEF_REPLAY_ENGINE_H
#define VEF_REPLAY_ENGINE_H

#include "replay/broadcast_records.h"
#include "replay/collectives/plan.h"
#include "replay/comms.h"
#include "replay/cycle_clock.h"
#include "replay/match.h"
#include "replay/replay.h"
#include "replay/requests.h"
#include "replay/source.h"
#include "replay/wakeups.h"

#include <stdalign.h>

/* What a strand is about when it goes on. */
typedef enum vef_stage {
    VEF_STAGE_FETCH,      /* take the next event */
    VEF_STAGE_ENTER,      /* its computation is done: enter the call once other threads allow it */
    VEF_STAGE_HELD,       /* the same, and calls of other threads have to end first */
    VEF_STAGE_OPERATIONS, /* start the operations of a transfer, from `next_operation` */
    VEF_STAGE_SINGLE,     /* start what a Pready sends, or an operation on a window */
    VEF_STAGE_BLOCKED,    /* in a call until `needs` completions have come */
    VEF_STAGE_PLAN,       /* in a collective */
    VEF_STAGE_SYNC,       /* in the synchronisation of a window, see vef_sync_go_on */
    VEF_STAGE_ENDED,
} vef_stage;

/* What the completion of a message means to its task. */
#define VEF_TOKEN_KIND (UINT64_C(3) << 62)
#define VEF_TOKEN_NONE UINT64_C(0)                     /* nothing: nobody asks */
#define VEF_TOKEN_CALL(s) (UINT64_C(1) << 62 | (s))    /* one need less of strand s in its call */
#define VEF_TOKEN_REQUEST(r) (UINT64_C(2) << 62 | (r)) /* a request of the task */
#define VEF_TOKEN_STEP(run, i)                                                                     \
    (UINT64_C(3) << 62 | (uint64_t)(run) << 32 | (i)) /* step i of a plan; run below 2^30 */
enum { VEF_MOST_RUNS = 1 << 30 };

/* A collective under way in one task: of the strand that is in the call, or, when the call only
 * started it, of nobody: then it has a clock of its own and completes `request`. */
typedef struct vef_plan_run {
    vef_plan plan;
    uint8_t *done; /* per step */
    uint32_t *nth; /* per step: which message of the plan with its peer, in its direction */
    size_t capacity;
    uint32_t next;   /* the first step not started */
    uint32_t prefix; /* steps done without a gap */
    uint32_t comm;
    uint32_t task;
    uint16_t call;
    bool active;     /* between its start and its last step */
    bool entered;    /* on its communicator: `number` is valid */
    bool paid;       /* the cost of the step at hand */
    bool queued;     /* has a wake-up; of those beside the task alone */
    uint64_t number; /* of the collective on its communicator */
    /* Of those beside the task: */
    uint64_t request;
    uint32_t free_steps;   /* the first ones, which need no other step */
    uint32_t strand;       /* that started it, */
    uint64_t event_number; /* in this event */
    uint64_t
        cpu_cycles; /* up to which the interface, or whatever carries it out, is busy with it */
    uint32_t next_free;
} vef_plan_run;

/* The parts of a strand's time; they sum to its `cpu_cycles`. */
typedef struct vef_times {
    uint64_t computing_cycles, outside_cycles, overhead_cycles, waiting_cycles,
        communicating_cycles;
} vef_times;

enum { VEF_NO_STRAND = -1, VEF_STRAND_BYTES = 128 };

/* A thread of a task. What every event needs comes first, in a line of the cache or two. */
typedef struct vef_strand {
    alignas(VEF_STRAND_BYTES) vef_stage stage;
    uint32_t task;
    bool queued;     /* has a wake-up */
    bool paid;       /* the overhead of the operation at hand */
    bool after_poll; /* the event before was an unsuccessful test or probe */
    bool threaded;   /* the task has other threads too */
    bool released;   /* enters its call although calls of other threads have not ended */
    uint32_t needs;
    uint32_t next_operation;
    uint32_t thread;
    uint64_t cpu_cycles;
    const vef_event *event;
    uint64_t event_number; /* of `event` in its thread, from 0 */
    uint64_t remainder;    /* of the clock */
    vef_times times;
    uint64_t outside_remainder;
    uint32_t probed; /* in a probe: the record of the message that it waits for; VEF_NO_TRANSFER */
    uint32_t phase;  /* of a SYNC, 0 when it enters: its own */
    uint32_t holder; /* when held: the strand whose call it was last seen to be held by */
    int32_t waits_for; /* for a stall: the task whose call or answer a SYNC waits for; -1 */
} vef_strand;

/* The last call that a thread left, for the other threads of its task: its tick, when it ended and
 * the parts of the time until then. */
typedef struct vef_left {
    bool any;
    uint64_t tick, cycles;
    vef_times times;
} vef_left;

/* A message that a task of several threads has received, and a tick: calls of the task that were
 * entered before it may have seen the message in a probe. */
typedef struct vef_taken {
    uint64_t until;
    uint32_t record;
} vef_taken;

typedef struct vef_task {
    uint32_t first_strand, strand_count;
    uint32_t ended; /* strands that have */
    vef_open_requests requests;
    vef_taken *taken;                                  /* a ring, `until` growing */
    uint32_t taken_first, taken_count, taken_capacity; /* capacity: a power of two */
} vef_task;

/* What a trace made the replay approximate, counted; approximation.c has a row for each. */
typedef struct vef_approximations {
    uint64_t unmatched_sends, unmatched_receives, unmatched_calls, open_calls, threads, released;
    uint64_t intercommunicator_collectives, free_polls, beside, partitioned, one_sided;
    uint64_t lock_waits, shared_windows, fallbacks;
    uint64_t outside_ns;
} vef_approximations;

/* A partitioned send whose data are not ready: what its start said of it. */
typedef struct vef_parked {
    vef_operation operation;
    uint32_t next_free;
} vef_parked;

typedef struct vef_engine {
    vef_source *source;
    vef_netmodel *network;
    const uint32_t *mapping;
    const vef_replay_options *options;
    vef_replay_result *result;
    vef_progress *progress; /* or NULL */
    vef_error *error;

    uint64_t now_cycles;
    uint64_t in_flight; /* messages inside the network, control messages included */
    uint32_t running;   /* who is going on now: needs no wake-up; or UINT32_MAX */
    vef_wakeups wakeups;
    vef_task *tasks;
    vef_strand *strands; /* of task 0, then of task 1, … each in order of thread */
    vef_left *lefts;     /* by strand; NULL where no task has several */
    uint32_t strand_count, ended;
    vef_plan_run *runs;                         /* by who; of strands first */
    uint32_t run_count, run_capacity, free_run; /* free: of those beside tasks; UINT32_MAX */
    vef_parked *parked;
    uint32_t parked_count, free_parked; /* UINT32_MAX */
    size_t parked_capacity;
    vef_matches matches;
    vef_broadcasts broadcasts;
    vef_replay_comms comms;
    struct vef_one_sided *one_sided;      /* one_sided.c's own; NULL until there is need of it */
    uint32_t *peer_sends, *peer_receives; /* per rank, all 0 between uses: for numbering plans */

    vef_cycle_clock clock, outside_clock;
    uint64_t send_overhead_cycles, receive_overhead_cycles;
    bool hardware_broadcast; /* some collective is to use it */
    vef_approximations approximations;
} vef_engine;

/* strand.c */

/* Goes on with a strand whose wake-up is due. */
vef_code vef_strand_run(vef_engine *engine, uint32_t strand);
/* Blocked time up to now: waiting until `since_cycles`, communicating from then on. */
void vef_strand_account(vef_engine *engine, uint32_t strand, uint64_t since_cycles);
void vef_strand_pay(vef_engine *engine, uint32_t strand, uint64_t cycles);
/* Queues a strand for when its processor is free; does nothing when it is queued or running. */
void vef_strand_wake(vef_engine *engine, uint32_t strand);
/* The same for the running strand, which pauses. */
void vef_strand_sleep(vef_engine *engine, uint32_t strand);
/* One need of the call under way less, at now: the other side was ready since `since_cycles`;
 * `received`: it costs the receiver's overhead. */
void vef_strand_needs_less(vef_engine *engine, uint32_t strand, uint64_t since_cycles,
                           bool received);
/* A held strand enters its call before the calls of other threads that it follows have ended. */
void vef_strand_release(vef_engine *engine, uint32_t strand);
/* The strand ends: with its last event, or in a call that never returned. */
void vef_strand_end(vef_engine *engine, uint32_t strand);
/* The first unfinished call of another thread of the task that had returned before the strand's
 * event was entered: it must end before this one begins. Index of the strand that is in it or on
 * the way to it; VEF_NO_STRAND. */
int64_t vef_strand_held_by(const vef_engine *engine, uint32_t strand);
/* What the event's call is named: "Send". */
const char *vef_strand_call(const vef_engine *engine, uint32_t strand);
/* "task 3, event 17 (MPI_Recv)", with the thread where the task has several. */
void vef_strand_name(const vef_engine *engine, uint32_t strand, char *text, size_t text_bytes);
/* vef_fail with vef_strand_name and ": " before the message. */
vef_code vef_strand_fail(vef_engine *engine, uint32_t strand, vef_code code, const char *format,
                         ...) __attribute__((format(printf, 4, 5)));

/* task.c */

/* The strand enters a call that completes requests, or a probe: it needs those that the call
 * completed in the recorded run, or the messages that it saw. */
vef_code vef_task_wait(vef_engine *engine, uint32_t strand);
vef_code vef_task_probe(vef_engine *engine, uint32_t strand);
/* The strand enters a call that moves nothing; some say something about a request, and some end the
 * thread. */
vef_code vef_task_enter_local(vef_engine *engine, uint32_t strand);
/* Starts the operations of the strand's event; `*pause` when the processor is busy until later. */
vef_code vef_task_start_operations(vef_engine *engine, uint32_t strand, bool *pause);
vef_code vef_task_start_single(vef_engine *engine, uint32_t strand, bool *pause);
/* Tells a task that one of its messages is complete: now, its other side being ready since
 * `since_cycles`. `received`: it costs the receiver's overhead. */
vef_code vef_task_complete(vef_engine *engine, uint32_t task, uint64_t token, uint64_t since_cycles,
                           bool received);
/* Blocked time up to now of whoever waits for the request, as by vef_strand_account. */
void vef_task_account_request(vef_engine *engine, uint32_t task, uint64_t request,
                              uint64_t since_cycles);
/* Notes a request that was just started and is not complete: one more part of it is under way,
 * which VEF_TOKEN_REQUEST completes. */
vef_code vef_task_note_request(vef_engine *engine, uint32_t task, uint64_t request);
/* Of a task with threads: the strand's call has returned, so the requests that it started are, and
 * other threads that came to wait for them first may go on where they are complete. */
vef_code vef_task_note_started(vef_engine *engine, uint32_t strand);
/* Whether a strand is in a call that waits for the request. */
bool vef_strand_waits_for_request(const vef_engine *engine, uint32_t strand, uint64_t request);
/* vef_strand_fail of the task's strand that is going on, or else of its first. */
vef_code vef_task_fail(vef_engine *engine, uint32_t task, vef_code code, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* transfer.c */

/* Starts a send or a receive now; `*complete` tells that it is complete already (its token is then
 * never told). `key->ordinal` VEF_NO_ORDINAL in a send: nobody will receive it. */
vef_code vef_transfer_send(vef_engine *engine, const vef_transfer_key *key, uint64_t bytes,
                           uint16_t operation_flags, uint64_t token, bool *complete);
vef_code vef_transfer_receive(vef_engine *engine, const vef_transfer_key *key, uint64_t token,
                              bool *complete);
/* Whether the message (or its request) has arrived; if not, the strand needs one less when it has.
 */
vef_code vef_transfer_probe(vef_engine *engine, const vef_transfer_key *key, uint32_t strand,
                            bool *arrived);
/* The data of a message are with its receiver, who was not asked for them. */
vef_code vef_transfer_arrive(vef_engine *engine, const vef_transfer_key *key, uint64_t bytes,
                             uint64_t sent_cycles);
/* What others than transfer.c call their messages in the network: a number of their own, which
 * comes back to vef_broadcast_delivered and vef_one_sided_delivered. Who injects one counts it in
 * `in_flight`, who takes it from there counts it out. */
uint64_t vef_transfer_broadcast_id(uint32_t number);
uint64_t vef_transfer_one_sided_id(uint64_t number);
/* Takes a delivery of the network. */
vef_code vef_transfer_delivered(vef_engine *engine, const vef_net_delivery *delivery);

/* broadcast.c */

/* Sends the data of a collective to all members of its communicator; it needs no answer. */
vef_code vef_broadcast_send(vef_engine *engine, const vef_plan_run *run, uint64_t bytes);
vef_code vef_broadcast_delivered(vef_engine *engine, uint32_t number, uint32_t endpoint);

/* collective.c */

/* Enters the collective of the strand's event: its plan is ready to run in the strand (empty when
 * nothing moves), or, when the call only starts it, runs beside the task from now on. */
vef_code vef_plan_enter(vef_engine *engine, uint32_t strand);
/* Starts what can start of the strand's plan; `*finished` when every step is done. */
vef_code vef_plan_go_on(vef_engine *engine, uint32_t strand, bool *finished);
/* Goes on with a plan beside its task whose wake-up is due. */
vef_code vef_plan_run_beside(vef_engine *engine, uint32_t who);
/* A step's message is complete; wakes whoever runs the plan when that lets another step start. */
vef_code vef_plan_complete(vef_engine *engine, uint32_t who, uint32_t step, uint64_t since_cycles,
                           bool received);

/* one_sided.c: operations on windows and the synchronisation of windows. A window is a communicator
 * with a state in engine->comms like any other. */

/* Starts the operation of the strand's event (kind ONE_SIDED), its send overhead being paid and the
 * time now. It may add to the strand's `needs` what VEF_TOKEN_CALL(strand) will complete; an R…
 * call notes its request (vef_task_note_request) for VEF_TOKEN_REQUEST. The call ends at `needs` 0.
 */
vef_code vef_one_sided_enter(vef_engine *engine, uint32_t strand);
/* Goes on with the strand's event (kind SYNC, no poll): called when it is entered, with `phase` 0,
 * and again whenever `needs` has come down to 0. Sets `*finished`, or adds to `needs`; may set the
 * stage to VEF_STAGE_PLAN after vef_plan_enter, whose end is then the call's. May pay: it is called
 * again when that is over, if `needs` is 0 and it has not finished. While it waits, `waits_for`
 * names the task that it waits for. */
vef_code vef_sync_go_on(vef_engine *engine, uint32_t strand, bool *finished);
/* A message of vef_transfer_one_sided_id has been delivered. */
vef_code vef_one_sided_delivered(vef_engine *engine, uint64_t number);
/* Nothing goes on any more: sets `waits_for` of each strand that waits at a window to who holds it
 * up. */
void vef_sync_name_waits(vef_engine *engine);
void vef_one_sided_release(vef_engine *engine);

/* approximation.c */

/* Writes what was approximated, in sentences, into the result. */
void vef_approximations_write(vef_engine *engine);

/* stall.c */

/* Nothing goes on any more: says why in the result. */
vef_code vef_stall_diagnose(vef_engine *engine);
/* Notes a stall that is already understood. */
void vef_stall_set(vef_engine *engine, vef_stall stall, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
