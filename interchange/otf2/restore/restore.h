/* Messages and completions that an archive does not state.
 *
 * Some tools record that a request was started, and not what became of it: no record says which
 * message a non-blocking receive got, nor which call completed a request (tools.h, starts_only).
 * The archive does name every message where it is sent, and every call that completes something.
 * From these the tasks are run, in no time: a task goes on until it waits for a message that no
 * task has sent yet, or for the other members of a collective. On the way it is decided what each
 * call completes, and which message a receive gets:
 *
 *   - A request is known by the address of its handle. When the address is used again, the request
 *     before is complete: the last completing call before that is due to complete it.
 *   - MPI_Wait, MPI_Waitany, MPI_Testany and MPI_Test complete one request: one that is due, else
 *     the oldest receive that may be complete, else the oldest send. MPI_Waitany and the tests
 *     leave sends to a later call for several requests, if one comes in time. MPI_Waitall,
 *     MPI_Waitsome, MPI_Testall and MPI_Testsome complete all that may be complete.
 *   - Of successive tests without other calls between them only the last completes something.
 *   - A receive may get a message that was possibly sent before the call returned (the clocks of
 *     tasks differ: clocks.h), that no blocking receive needs, and that no other receive
 *     has got. Messages of one sender are received in the order in which they were sent.
 *   - Of several senders the one that is most behind is taken, in whole messages: its share of
 *     messages received so far, against the share of its own messages that the task has sent to it
 *     so far; if the task sends it nothing, against the share of all messages received so far.
 *     Among equals: the one that sent first, if the clocks show it; then one that the task sends
 * to; then the one of which the task has received nothing for longest.
 *   - If more receives are started than messages are sent to the task, the others are receives from
 *     MPI_PROC_NULL, which is treated as one more sender, whose messages are always there.
 *   - If all tasks wait, one that can get a message which is sent already gets that one.
 *
 * So the tasks end in this run, in which sends do not wait for their receives and all collectives
 * are barriers. The replay makes the same calls complete the same requests, so it cannot deadlock
 * by the choices made here, unless sends wait for their receives. Another run, in which sends
 * do wait, sets `eager_only` if it does not end; then other ways are tried, too. MPI matches
 * receives in the order in which they are posted; where this exchanges messages, a second run
 * checks that the tasks still end (order.c). If they do not, or if tasks were stuck,
 * everything is decided anew in other ways (task.h), and the best of these counts. If a
 * task waits for a message that the archive does not have, it goes on without it; `stuck` counts
 * how often.
 *
 * Memory: 32 bytes for each message, 48 for each call, and 110 for each request. */
#ifndef VEF_INTERCHANGE_OTF2_RESTORE_RESTORE_H
#define VEF_INTERCHANGE_OTF2_RESTORE_RESTORE_H

#include "common/map64.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct vef_otf2_message {
    uint32_t sender, receiver; /* tasks */
    uint32_t comm;             /* place in the run's `comms` */
    int32_t tag;
    uint64_t bytes;
    uint64_t sent_ns; /* by the clock of the sender */
} vef_otf2_message;

/* `message` of messages to and from MPI_PROC_NULL, and of what is not known. */
#define VEF_OTF2_NO_MESSAGE UINT64_MAX

typedef enum vef_otf2_step_kind {
    VEF_OTF2_STEP_SEND,       /* blocking: `message` */
    VEF_OTF2_STEP_RECEIVE,    /* stated: sender, comm, tag */
    VEF_OTF2_STEP_START_SEND, /* address of the handle, `message` */
    VEF_OTF2_STEP_START_RECEIVE,
    VEF_OTF2_STEP_COMPLETE,   /* call */
    VEF_OTF2_STEP_COLLECTIVE, /* call, comm */
    VEF_OTF2_STEP_OTHER,      /* any other call */
} vef_otf2_step_kind;

typedef struct vef_otf2_step {
    uint8_t kind;
    bool synchronises; /* COLLECTIVE: no member leaves before all have entered */
    uint16_t call;
    uint32_t comm;
    int32_t tag;
    uint32_t sender;
    uint64_t entered_ns; /* COLLECTIVE */
    uint64_t at_ns;      /* RECEIVE, COMPLETE, COLLECTIVE: when the call returns */
    uint64_t message;    /* place in `messages`; COLLECTIVE: place in `gates` */
    uint64_t address;
} vef_otf2_step;

/* What a completing call completes. */
typedef struct vef_otf2_completed {
    uint64_t request; /* the task's requests of this kind are counted from 0 */
    uint64_t message; /* of a receive; VEF_OTF2_NO_MESSAGE: a send, or MPI_PROC_NULL */
    uint64_t sent;    /* likewise of a send */
} vef_otf2_completed;

typedef struct vef_otf2_restored {
    vef_otf2_step *steps; /* in the order of the task's records; calls where they return */
    size_t step_count, step_room;
    /* Of the task's k-th call that completes: list[ends[k - 1]] up to list[ends[k]]. */
    vef_otf2_completed *list;
    size_t count, room;
    size_t *ends;
    size_t call_count;
    /* Of the task's requests: VEF_OTF2_NO_MESSAGE for sends, MPI_PROC_NULL, and without message. */
    uint64_t *messages;
    bool *nowhere; /* to or from MPI_PROC_NULL */
    size_t request_count;
    vef_map64 collectives; /* communicator → its collectives so far */
} vef_otf2_restored;

/* A collective. */
typedef struct vef_otf2_gate {
    uint32_t size, members, arrived; /* members: that the archive has */
    bool open;
    uint32_t waiting;         /* the last task that waits, and so on (task.h); UINT32_MAX: none */
    int64_t earliest, latest; /* clocks.h */
} vef_otf2_gate;

typedef struct vef_otf2_restore {
    uint32_t task_count;
    vef_otf2_restored *tasks;
    vef_otf2_message *messages; /* of one sender together, in its order */
    size_t message_count, message_room;
    vef_otf2_gate *gates;
    size_t gate_count, gate_room;
    vef_map64 gate_of; /* communicator and number of the collective → place in `gates` */
    /* Numbers for the notes. */
    uint64_t receives; /* that got a message */
    uint64_t nowhere;  /* from MPI_PROC_NULL */
    uint64_t choices;  /* of `receives`: several senders were possible */
    uint64_t early;    /* before it was sent, by any clocks */
    uint64_t open;     /* receives that no call completes */
    uint64_t stuck;
    bool eager_only; /* the tasks do not end if sends wait for their receives */
} vef_otf2_restore;

void vef_otf2_restore_begin(vef_otf2_restore *self, uint32_t tasks);
void vef_otf2_restore_step(vef_otf2_restore *self, uint32_t task, vef_otf2_step step);
/* Adds a message; returns its place, for the step. */
uint64_t vef_otf2_restore_message(vef_otf2_restore *self, vef_otf2_message message);
/* Adds the task's next collective on a communicator of `size` members. */
void vef_otf2_restore_collective(vef_otf2_restore *self, uint32_t task, uint32_t size,
                                 vef_otf2_step step);
void vef_otf2_restore_release(vef_otf2_restore *self);

#endif
