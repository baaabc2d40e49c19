/* Causal replay of a trace on a network model.
 *
 * Nothing is replayed by its old timestamp: a task goes on when what it waited for has happened in
 * the simulated network, after the computation that was measured between its calls. How each MPI
 * call is replayed stands in docs/semantics.md. */
#ifndef VEF_REPLAY_REPLAY_H
#define VEF_REPLAY_REPLAY_H

#include "common/progress.h"
#include "common/status.h"
#include "netmodel/netmodel.h"
#include "replay/collectives/choices.h"
#include "traces/file/trace.h"

#include <stdint.h>

/* Steps of a non-blocking collective that have started, and where the thread that called it is. */
typedef struct vef_steps_started {
    uint32_t task, thread;
    uint64_t collective; /* the event of the thread that started the collective */
    uint32_t until;      /* all steps of its plan before this one have started */
    uint64_t event;      /* the thread is in this event or computes what precedes it */
    uint32_t own_steps;  /* of the blocking collective that it is in; 0: it is in none */
    /* It is in the blocking collective at place `number` in sequence 0 of communicator `comm`
     * (vef_event_sequence), and some of the steps needed others: they are later than the call. */
    bool inside;
    uint32_t comm;
    uint64_t number;
} vef_steps_started;

/* A task enters or leaves a blocking collective, the one at place `number` in sequence 0 of
 * communicator `comm`. */
typedef struct vef_collective_passed {
    uint32_t task, comm;
    uint64_t number;
    bool leaves;
} vef_collective_passed;

/* Called in the order in which the replay carries out what is observed. */
typedef struct vef_replay_observer {
    void *self;
    vef_code (*steps_started)(void *self, const vef_steps_started *steps, vef_error *error);
    vef_code (*passed)(void *self, const vef_collective_passed *passed, vef_error *error);
} vef_replay_observer;

typedef struct vef_replay_options {
    uint64_t eager_bytes;   /* messages up to this travel at once, larger ones by rendezvous */
    uint64_t control_bytes; /* size of the rendezvous request and clearance */
    double compute_scale;   /* measured computation is multiplied by this, >= 0 */
    bool outside;           /* the time in calls that traces do not hold passes too */
    double poll_gap_ns;     /* a gap up to this after an unsuccessful test or probe is waiting, not
                               computation: the task was polling */
    double send_overhead_ns, receive_overhead_ns; /* of the processor, per message */
    double reduce_ns_per_byte;                    /* of the processor, in collectives */
    uint64_t limit_cycles;                        /* stop here; VEF_FOREVER: no limit */
    vef_choices choices; /* the algorithms of collectives; for those that need it the network must
                            have broadcast */
    const vef_replay_observer *observer; /* NULL: nobody asks */
} vef_replay_options;

/* The defaults, documented in docs/semantics.md. */
vef_replay_options vef_replay_defaults(void);

/* computing + outside + communicating + waiting + overhead = end. A blocked call is divided at each
 * completion that it needed: up to the time at which that message's other side was ready it was
 * waiting, from then on communicating. A task of several threads ends with the last of them, and
 * its parts are those of the calls that led there: of that thread, and, up to where that was held
 * back by a call of another, of the other. */
typedef struct vef_task_result {
    uint64_t end_cycles; /* when it reached MPI_Finalize or the end of its events */
    uint64_t computing_cycles;
    uint64_t outside_cycles;       /* in calls that traces do not hold: files, datatypes, … */
    uint64_t communicating_cycles; /* blocked while a message that it needed was under way */
    uint64_t waiting_cycles; /* blocked before that message was even sent (or its receive posted) */
    uint64_t overhead_cycles; /* of the processor: sends, receives, reductions in collectives */
    uint64_t messages_sent, bytes_sent; /* collectives' included */
} vef_task_result;

/* Why a replay stopped before the traces ended. */
typedef enum vef_stall {
    VEF_STALL_NONE,
    VEF_STALL_NETWORK_DEADLOCK, /* text: the cycle of virtual channels */
    VEF_STALL_NO_SEND,          /* a receive whose send never comes: text: task, event, source */
    VEF_STALL_NO_RECEIVE,       /* a send that has to wait for a receive that never comes */
    VEF_STALL_TASK_CYCLE,       /* tasks that wait for each other in a circle */
    VEF_STALL_TRACE_CUT,        /* what is waited for lay beyond the end of a cut trace */
    VEF_STALL_COLLECTIVE, /* a collective that some member never enters, or enters as another one */
    VEF_STALL_TIME_LIMIT,
} vef_stall;

/* What a stall is called in results: "network-deadlock"; NULL for VEF_STALL_NONE. */
const char *vef_stall_name(vef_stall stall);

typedef struct vef_replay_result {
    uint64_t time_cycles; /* from MPI_Init to the last task's MPI_Finalize */
    double time_ns;
    uint64_t events;   /* replayed */
    uint64_t messages; /* of the program, those of its collectives included; no control messages */
    uint64_t message_bytes;
    uint64_t
        local_messages; /* of these, between tasks of one endpoint: they never see the network */
    vef_net_statistics network;
    uint32_t tasks;
    vef_task_result *task; /* per task */
    vef_stall stall;
    char stall_text[VEF_MESSAGE_BYTES];
    char approximations[4 * VEF_MESSAGE_BYTES]; /* what this trace made the replay approximate, ""
                                               for nothing */
} vef_replay_result;

/* Replays `trace` with task t at endpoint mapping[t]. A stall is a result, not an error; errors are
 * a trace that cannot be read, a mapping that does not fit, a network without the broadcast that is
 * asked for, and the lack of memory. `progress` may
 * be NULL. */
vef_code vef_replay(vef_trace *trace, vef_netmodel *network, const uint32_t *mapping,
                    const vef_replay_options *options, vef_progress *progress,
                    vef_replay_result *result, vef_error *error);
void vef_replay_result_release(vef_replay_result *result);

#endif
