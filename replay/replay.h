/* Causal replay of a trace on a network model.
 *
 * Times are in picoseconds and exact; what happens in routers happens at cycles (netmodel/clock.h).
 * Old timestamps are not replayed: a task continues when what it waited for has happened in the
 * simulated network, after the computation that was measured between its calls. docs/semantics.md
 * defines the replay of each MPI call. */
#ifndef VEF_REPLAY_REPLAY_H
#define VEF_REPLAY_REPLAY_H

#include "common/progress.h"
#include "common/status.h"
#include "netmodel/netmodel.h"
#include "replay/collectives/choices.h"
#include "replay/events.h"
#include "replay/host/host.h"
#include "traces/file/trace.h"

#include <stdint.h>

/* Tasks first … first + count - 1. */
typedef struct vef_gate_start {
    uint32_t first, count;
} vef_gate_start;

/* Tasks that do not start at time 0: those of jobs with a start, or of a batch that a scheduler
 * places while the replay runs. With a gate every task waits until the gate starts it. The time
 * before counts as nothing: a task's times add up to its end less its start. */
typedef struct vef_replay_gate {
    void *context;
    uint32_t endpoints; /* the mapping of no task will exceed them */
    /* When the gate acts next: now or later; VEF_FOREVER: not before another task has ended
     * (the event `retires`). */
    uint64_t (*next)(void *context);
    /* Called while `next` is not later than now, after everything else of that time. May start
     * tasks, whose entries in the mapping of the replay are final then; `start->count` 0: none. */
    vef_code (*act)(void *context, uint64_t now_ps, vef_gate_start *start, vef_error *error);
} vef_replay_gate;

typedef struct vef_replay_options {
    uint64_t eager_bytes;        /* eager limit: larger messages use rendezvous */
    uint64_t control_bytes;      /* size of the rendezvous request and clearance */
    uint64_t eager_buffer_bytes; /* of a task, for eager messages that it has not received yet; a
                                    message that does not fit uses rendezvous. 0: unlimited */
    vef_host host;
    uint64_t limit_ps;   /* stop here; VEF_FOREVER: no limit */
    vef_choices choices; /* the algorithms of collectives; some need a network with broadcast */
    const vef_listener *listeners; /* to its events; NULL: none */
    const vef_replay_gate *gate;   /* NULL: all tasks start at time 0 */
} vef_replay_options;

/* The defaults, documented in docs/semantics.md. */
vef_replay_options vef_replay_defaults(void);

/* computing + outside + communicating + waiting + overhead = end - start. A blocked call is divided
 * at each completion that it needed: until that message's other side was ready it was waiting, from
 * then on communicating. A task of several threads ends with the last of them, and its times are
 * those of the calls that led there: of that thread, and, up to the point where a call of another
 * thread held it back, of the other. */
typedef struct vef_task_result {
    uint64_t start_ps; /* 0 without a gate */
    uint64_t end_ps;   /* when it reached MPI_Finalize or the end of its events */
    uint64_t computing_ps;
    uint64_t outside_ps;       /* in calls that traces do not store: files, datatypes, … */
    uint64_t communicating_ps; /* blocked while a needed message was in flight */
    uint64_t waiting_ps;  /* blocked before that message was even sent (or its receive posted) */
    uint64_t overhead_ps; /* of the processor: sends, receives, copies and reductions of
                                 collectives */
    uint64_t messages_sent, bytes_sent; /* collectives' included */
} vef_task_result;

/* The reason why a replay stopped before the traces ended. */
typedef enum vef_stall {
    VEF_STALL_NONE,
    VEF_STALL_NETWORK_DEADLOCK, /* text: the cycle of virtual channels */
    VEF_STALL_NO_SEND,          /* a receive whose send never comes: text: task, event, source */
    VEF_STALL_NO_RECEIVE,       /* a send that has to wait for a receive that never comes */
    VEF_STALL_TASK_CYCLE,       /* tasks that wait for each other in a cycle */
    VEF_STALL_TRACE_CUT,        /* a wait for something beyond the end of a cut trace */
    VEF_STALL_COLLECTIVE, /* a collective that some member never enters, or that members enter as
                             different ones */
    VEF_STALL_TIME_LIMIT,
} vef_stall;

/* The name of a stall in results: "network-deadlock"; NULL for VEF_STALL_NONE. */
const char *vef_stall_name(vef_stall stall);

typedef struct vef_replay_result {
    uint64_t time_ps;            /* from MPI_Init to the last task's MPI_Finalize */
    double time_ns, time_cycles; /* time_ps in other units: vef_netmodel_cycles_of_ps */
    uint64_t events;             /* replayed */
    uint64_t messages; /* of the program, including collectives; without control messages */
    uint64_t message_bytes;
    uint64_t local_messages;   /* messages between tasks of one node: not in the network */
    uint64_t refused_messages; /* messages that would have been eager but for full buffers */
    uint64_t noise_ps;         /* by which noise lengthened computation, over all threads */
    double noise_cycles;       /* noise_ps in cycles */
    vef_net_statistics network;
    bool repeat; /* of a network that was split: to be replayed again on a new one that is not; the
                    rest says nothing */
    uint32_t tasks;
    vef_task_result *task; /* per task */
    uint64_t *collectives; /* per row of vef_algorithms: calls of tasks that moved data by it */
    vef_stall stall;
    char stall_text[VEF_MESSAGE_BYTES];
    char approximations[4 * VEF_MESSAGE_BYTES]; /* approximations, "" if none */
} vef_replay_result;

/* A replay on a network that was split (vef_netmodel_split) is divided among threads where that can
 * be; the result is the same, or `repeat`.
 *
 * Replays `trace` with task t at endpoint mapping[t]. A stall is a result, not an error; errors are
 * an unreadable trace, an invalid mapping, and a network without a required broadcast. `progress`
 * may be NULL. */
vef_code vef_replay(vef_trace *trace, vef_netmodel *network, const uint32_t *mapping,
                    const vef_replay_options *options, vef_progress *progress,
                    vef_replay_result *result, vef_error *error);
void vef_replay_result_release(vef_replay_result *result);

#endif
