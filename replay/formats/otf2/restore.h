/* Messages and completions that an archive does not state.
 *
 * Some tools record that a request was started, and not what became of it: no record says which
 * message a non-blocking receive got, nor which call completed a request (tools.h, starts_only).
 * The archive does name every message where it is sent, and every call that completes something.
 * Each task is gone through in the order of its calls:
 *
 *   - A request is known by the address of its handle. When the address is used again, the request
 *     before is complete: the last completing call before that is due to complete it.
 *   - MPI_Wait, MPI_Waitany, MPI_Testany and MPI_Test complete one request: one that is due, else
 *     the oldest receive that may be complete, else the oldest send. MPI_Waitany and the tests
 *     leave sends to a later call for several requests, if one comes in time. MPI_Waitall,
 *     MPI_Waitsome, MPI_Testall and MPI_Testsome complete all that may be complete.
 *   - Of successive tests without other calls between them only the last completes something.
 *   - A receive may be complete if a message to the task was sent before the call returned, that no
 *     blocking receive needs and no other receive has got. Messages of one sender are received in
 *     the order in which they were sent. Of several senders the one that is most behind is taken:
 *     its share of messages received so far against the share of messages that the task has sent to
 *     it so far, or if it sends none to it, of all messages received; then the one that sent first.
 *   - If more receives are started than messages are sent to the task, the others are receives from
 *     MPI_PROC_NULL, which is treated as one more sender, whose messages are always there.
 *
 * Any choice leaves enough messages for the later calls: as many as were sent in time, less one.
 * A message is sent before the call returns that completes its receive, by the clocks of the
 * archive. So the order of the recorded times is one in which the program ends, if sends do not
 * wait for their receives, and the replay cannot deadlock. A request that is due, and the only one
 * that an MPI_Wait can complete, gets a message even if the clocks say that none was sent yet; such
 * receives are counted (`early`), and vef_otf2_restore_finish looks for a cycle among them.
 *
 * Memory: 40 bytes for each message, 40 for each call, and 48 for each request. */
#ifndef VEF_REPLAY_FORMATS_OTF2_RESTORE_H
#define VEF_REPLAY_FORMATS_OTF2_RESTORE_H

#include "common/map64.h"
#include "common/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct vef_otf2_message {
    uint32_t sender, receiver; /* tasks */
    uint32_t comm;             /* place in the run's `comms` */
    int32_t tag;
    uint64_t bytes;
    uint64_t sent_ns;
} vef_otf2_message;

/* `message` of messages to and from MPI_PROC_NULL, and of what is not known. */
#define VEF_OTF2_NO_MESSAGE UINT64_MAX

typedef enum vef_otf2_step_kind {
    VEF_OTF2_STEP_SEND,       /* blocking: `message` */
    VEF_OTF2_STEP_RECEIVE,    /* stated: sender, comm, tag */
    VEF_OTF2_STEP_START_SEND, /* address of the handle, `message` */
    VEF_OTF2_STEP_START_RECEIVE,
    VEF_OTF2_STEP_COMPLETE, /* call */
    VEF_OTF2_STEP_OTHER,    /* any other call */
} vef_otf2_step_kind;

typedef struct vef_otf2_step {
    uint8_t kind;
    uint16_t call;
    uint32_t comm;
    int32_t tag;
    uint32_t sender;
    uint64_t at_ns;   /* RECEIVE, COMPLETE: when the call returns */
    uint64_t message; /* place in `messages` */
    uint64_t address;
} vef_otf2_step;

/* What a completing call completes. */
typedef struct vef_otf2_completed {
    uint64_t request; /* the task's requests of this kind are counted from 0 */
    uint64_t message; /* of a receive; VEF_OTF2_NO_MESSAGE: a send, or MPI_PROC_NULL */
} vef_otf2_completed;

typedef struct vef_otf2_restored {
    vef_otf2_step *steps; /* in the order of the task's records; calls where they return */
    size_t step_count, step_room;
    /* Of the task's k-th call that completes: list[ends[k - 1]] up to list[ends[k]]. */
    vef_otf2_completed *list;
    size_t count, room;
    size_t *ends;
    size_t call_count, call_room;
    /* Of the task's requests: VEF_OTF2_NO_MESSAGE for sends, MPI_PROC_NULL, and without message. */
    uint64_t *messages;
    bool *nowhere; /* to or from MPI_PROC_NULL */
    size_t request_count;
} vef_otf2_restored;

typedef struct vef_otf2_restore {
    uint32_t task_count;
    vef_otf2_restored *tasks;
    vef_otf2_message *messages; /* of one sender together, in its order */
    size_t message_count, message_room;
    /* Numbers for the notes. */
    uint64_t receives; /* that got a message */
    uint64_t nowhere;  /* from MPI_PROC_NULL */
    uint64_t choices;  /* messages of several senders were there */
    uint64_t early;    /* before it was sent, by the clocks */
    uint64_t open;     /* no call completes it */
} vef_otf2_restore;

vef_code vef_otf2_restore_begin(vef_otf2_restore *self, uint32_t tasks, vef_error *error);
vef_code vef_otf2_restore_step(vef_otf2_restore *self, uint32_t task, vef_otf2_step step,
                               vef_error *error);
/* Adds a message; `*place` is for the step. */
vef_code vef_otf2_restore_message(vef_otf2_restore *self, vef_otf2_message message, uint64_t *place,
                                  vef_error *error);
/* After the last step of the last task. VEF_CORRUPT if receives that the clocks contradict wait for
 * each other. */
vef_code vef_otf2_restore_finish(vef_otf2_restore *self, vef_error *error);
void vef_otf2_restore_release(vef_otf2_restore *self);

#endif
