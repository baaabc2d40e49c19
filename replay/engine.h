/* The inside of a replay, shared by the files that make it up:
 *
 *   engine.c      the loop: whoever is due goes on, then the network, then whoever was told
 *   task.c        one task: its program counter, computation, what each kind of call does
 *   transfer.c    one message: eager, rendezvous, local; who is told when
 *   collective.c  one collective: its plan, run step by step in place
 *   broadcast.c   one message to all in the network, for a collective
 *   stall.c       why nothing goes on any more
 *   approximation.c  what the trace made the replay approximate, in words
 *
 * Time is in cycles. A task's `cpu_cycles` is the time up to which its processor is accounted for:
 * it grows by computation, by overheads, and by blocked time, so the four sum to it exactly. */
#ifndef VEF_REPLAY_ENGINE_H
#define VEF_REPLAY_ENGINE_H

#include "replay/broadcast.h"
#include "replay/clock.h"
#include "replay/collectives/plan.h"
#include "replay/comms.h"
#include "replay/match.h"
#include "replay/replay.h"
#include "replay/requests.h"
#include "replay/source.h"
#include "replay/wakeups.h"

/* What a task is about when it goes on. */
typedef enum vef_stage {
    VEF_STAGE_FETCH,      /* take the next event */
    VEF_STAGE_ENTER,      /* its computation is done: enter the call */
    VEF_STAGE_OPERATIONS, /* start the operations of a transfer, from `next_operation` */
    VEF_STAGE_BLOCKED,    /* in a call until `needs` completions have come */
    VEF_STAGE_PLAN,       /* in a collective */
    VEF_STAGE_ENDED,
} vef_stage;

/* What the completion of a message means to its task. */
#define VEF_TOKEN_KIND (UINT64_C(3) << 62)
#define VEF_TOKEN_NONE UINT64_C(0)                     /* nothing: nobody asks */
#define VEF_TOKEN_CALL (UINT64_C(1) << 62)             /* one need less of the call under way */
#define VEF_TOKEN_REQUEST(r) (UINT64_C(2) << 62 | (r)) /* a request */
#define VEF_TOKEN_STEP(i) (UINT64_C(3) << 62 | (i))    /* a step of the plan under way */

/* A collective under way in one task. */
typedef struct vef_plan_run {
    vef_plan plan;
    uint8_t *done; /* per step */
    uint32_t *nth; /* per step: which message of the plan with its peer, in its direction */
    size_t capacity;
    uint32_t next;   /* the first step not started */
    uint32_t prefix; /* steps done without a gap */
    uint32_t comm;
    uint64_t number; /* of the collective on its communicator */
} vef_plan_run;

typedef struct vef_task {
    vef_stage stage;
    bool queued;     /* has a wake-up */
    bool paid;       /* the overhead of the step or operation at hand */
    bool after_poll; /* the event before was an unsuccessful test or probe */
    uint32_t needs;
    uint32_t next_operation;
    uint64_t cpu_cycles;
    const vef_event *event;
    uint64_t event_number; /* of `event`, from 0 */
    uint64_t remainder;    /* of the clock */
    vef_requests requests;
    vef_plan_run run;
    uint64_t *thread_cycles; /* per thread: when its last call returned; NULL: one thread so far */
    uint32_t thread_count;
} vef_task;

/* What a trace made the replay approximate, counted. */
typedef struct vef_approximations {
    uint64_t unmatched_sends, unmatched_receives, threaded_events, open_calls;
    uint64_t intercommunicator_collectives, free_polls;
} vef_approximations;

typedef struct vef_engine {
    vef_source *source;
    vef_netmodel *network;
    const uint32_t *mapping;
    const vef_replay_options *options;
    vef_replay_result *result;
    vef_error *error;

    uint64_t now_cycles;
    uint64_t in_flight; /* messages inside the network, control messages included */
    uint32_t running;   /* the task that is going on now: it needs no wake-up; or UINT32_MAX */
    uint32_t ended;
    vef_wakeups wakeups;
    vef_task *tasks;
    vef_matches matches;
    vef_broadcasts broadcasts;
    vef_comms comms;
    uint32_t *peer_sends, *peer_receives; /* per rank, all 0 between uses: for numbering plans */

    vef_clock clock;
    uint64_t send_overhead_cycles, receive_overhead_cycles;
    vef_approximations approximations;
} vef_engine;

/* task.c */

/* Goes on with a task whose wake-up is due. */
vef_code vef_task_run(vef_engine *engine, uint32_t task);
/* Tells a task that one of its messages is complete: now, its other side being ready since
 * `since_cycles`. `received`: it costs the receiver's overhead. */
vef_code vef_task_complete(vef_engine *engine, uint32_t task, uint64_t token, uint64_t since_cycles,
                           bool received);
/* Blocked time up to now: waiting until `since_cycles`, communicating from then on. */
void vef_task_account(vef_engine *engine, uint32_t task, uint64_t since_cycles);
void vef_task_pay(vef_engine *engine, uint32_t task, uint64_t cycles);
/* Queues a task for when its processor is free; does nothing when it is queued or running. */
void vef_task_wake(vef_engine *engine, uint32_t task);
/* The same for the running task, which pauses. */
void vef_task_sleep(vef_engine *engine, uint32_t task);
/* What the event's call is named: "MPI_Send". */
const char *vef_task_call(const vef_engine *engine, uint32_t task);
/* vef_fail with "task T, event E (MPI_X): " before the message. */
vef_code vef_task_fail(vef_engine *engine, uint32_t task, vef_code code, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* transfer.c */

/* Starts a send or a receive now; `*complete` tells that it is complete already (its token is then
 * never told). `key->ordinal` VEF_NO_ORDINAL in a send: nobody will receive it. */
vef_code vef_transfer_send(vef_engine *engine, const vef_transfer_key *key, uint64_t bytes,
                           uint16_t operation_flags, uint64_t token, bool *complete);
vef_code vef_transfer_receive(vef_engine *engine, const vef_transfer_key *key, uint64_t token,
                              bool *complete);
/* Whether the message (or its request) has arrived; if not, the receiver is told when it has. */
vef_code vef_transfer_probe(vef_engine *engine, const vef_transfer_key *key, bool *arrived);
/* The data of a message are with its receiver, who was not asked for them. */
vef_code vef_transfer_arrive(vef_engine *engine, const vef_transfer_key *key, uint64_t bytes,
                             uint64_t sent_cycles);
/* What a message to all is called in the network. */
uint64_t vef_transfer_broadcast_id(uint32_t number);
/* Takes a delivery of the network. */
vef_code vef_transfer_delivered(vef_engine *engine, const vef_net_delivery *delivery);

/* broadcast.c */

/* Sends the data of the task's collective to all members of its communicator; it needs no answer.
 */
vef_code vef_broadcast_send(vef_engine *engine, uint32_t task, uint64_t bytes);
vef_code vef_broadcast_delivered(vef_engine *engine, uint32_t number, uint32_t endpoint);

/* collective.c */

/* Enters the collective of the task's event: its plan is ready to run, empty when nothing moves. */
vef_code vef_plan_enter(vef_engine *engine, uint32_t task);
/* Starts what can start; `*finished` when every step is done. */
vef_code vef_plan_go_on(vef_engine *engine, uint32_t task, bool *finished);
/* A step's message is complete; wakes the task when that lets another step start. */
vef_code vef_plan_complete(vef_engine *engine, uint32_t task, uint32_t step, uint64_t since_cycles,
                           bool received);

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
