/* Joint calls of several tasks: collectives, creation and freeing of communicators, and fences. A
 * trace may lack such a call for some of its tasks: they made it while recording was off, or their
 * logs were cut before it. Such a call is flagged VEF_EVENT_UNMATCHED.
 *
 * The k-th call of a communicator by one member is the k-th by each other, including calls that
 * were not recorded; calls of Comm_create_group and similar count on the communicator that they
 * create. So one bit per call suffices, and a count per member. */
#ifndef VEF_TRACES_MATCHING_JOINT_H
#define VEF_TRACES_MATCHING_JOINT_H

#include "common/map64.h"
#include "traces/event.h"

/* Calls from `first` up to, but not including, `end`. */
typedef struct vef_joint_calls {
    uint64_t first, end;
} vef_joint_calls;

typedef struct vef_joint_row {
    vef_joint_calls *lacks; /* not recorded by some member; once settled: in order, disjoint */
    size_t lacks_count, lacks_capacity;
    uint64_t complete; /* calls that every member made; once settled */
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

/* First pass: a call of a task on communicator `comm` of the run; `before` calls of the sequence
 * (vef_event_sequence) were dropped by its ring. A muted collective represents as many as
 * vef_before_calls returns. */
void vef_joint_see(vef_joint *joint, uint32_t task, const vef_event *event, uint32_t comm);
void vef_joint_before(vef_joint *joint, uint32_t task, uint32_t comm, uint32_t sequence,
                      uint64_t before);

/* Between the passes: sets the members of each communicator, and resets the counts. */
void vef_joint_settle(vef_joint *joint, const vef_communicator *communicators);

/* Second pass, the same calls in the same order: whether some member lacks the call. */
bool vef_joint_next_lacks(vef_joint *joint, uint32_t task, const vef_event *event, uint32_t comm);

#endif
