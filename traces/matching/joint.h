/* Joint calls of several tasks: collectives, creation and freeing of communicators, and fences. A
 * trace may lack such a call for some of its tasks: they made it while recording was off, their
 * logs were cut before it, or it is outside a slice. A merge flags such a call VEF_EVENT_UNMATCHED,
 * a slice leaves it out.
 *
 * The k-th call of a communicator by one member is the k-th by each other, including calls that
 * were not recorded; calls of Comm_create_group and similar count on the communicator that they
 * create. So one bit per call suffices, and a count per member. */
#ifndef VEF_TRACES_MATCHING_JOINT_H
#define VEF_TRACES_MATCHING_JOINT_H

#include "common/containers/interval_set.h"
#include "common/containers/map64.h"
#include "traces/event.h"

typedef struct vef_joint_row {
    vef_runs lacking;  /* not recorded by some member; once settled */
    uint64_t complete; /* calls that every member made; once settled */
    uint64_t dropped;  /* the first calls, which the ring of some member dropped */
    uint32_t comm;
} vef_joint_row;

typedef struct vef_joint {
    vef_map64 row_of; /* communicator and sequence → row */
    vef_joint_row *rows;
    uint32_t row_count;
    size_t row_capacity;
    vef_map64 counts; /* row and task → calls so far */
} vef_joint;          /* zero-initialised is empty */

void vef_joint_free(vef_joint *joint);

/* Whether the event is a joint call; returns the communicator of its row in `*local` (in the
 * event's numbering). */
bool vef_joint_comm(const vef_event *event, uint32_t *local);

/* First pass: a call of a task on communicator `comm` of the run, which the result has or lacks
 * (`recorded`); or `before` calls of the sequence (vef_event_sequence) that its ring dropped. A
 * muted collective represents as many as vef_before_calls returns. */
void vef_joint_see(vef_joint *joint, uint32_t task, const vef_event *event, uint32_t comm,
                   bool recorded);
void vef_joint_before(vef_joint *joint, uint32_t task, uint32_t comm, uint32_t sequence,
                      uint64_t before);

/* Between the passes: compares the counts of the members of each communicator, and resets them.
 * `chosen`: per task, whether its calls matter; NULL: those of all do. */
void vef_joint_settle(vef_joint *joint, const vef_communicator *communicators, const bool *chosen);

/* Who has a call. */
typedef enum vef_joint_made {
    VEF_JOINT_WHOLE,   /* all members */
    VEF_JOINT_LACKING, /* not all */
    VEF_JOINT_DROPPED, /* not all: the ring of some member dropped it */
} vef_joint_made;

/* Second pass, the same calls in the same order. */
vef_joint_made vef_joint_next(vef_joint *joint, uint32_t task, const vef_event *event,
                              uint32_t comm);

/* Locks of windows and their unlocks, which are calls of one task. The result has both, or neither
 * is paired. `held`: by vef_lock_key, 2 × the number of the event, + 1 if it is recorded.
 * `unpaired` gets the numbers of the recorded events without a recorded counterpart, and is settled
 * at the end of the task. */
#define VEF_LOCK_ALL UINT32_MAX                /* the target of a lock of all */
uint64_t vef_lock_key(const vef_event *event); /* window and target */
void vef_locks_see(vef_map64 *held, const vef_event *event, uint64_t number, bool recorded,
                   vef_runs *unpaired);
void vef_locks_end(vef_map64 *held, vef_runs *unpaired);

#endif
