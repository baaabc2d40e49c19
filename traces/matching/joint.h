/* Calls that several tasks make together: collectives, the making and freeing of communicators, and
 * fences. A trace may have such a call for some of these tasks only: others made it while recording
 * was off, or their logs were cut short before it. Such a call is flagged VEF_EVENT_UNMATCHED.
 *
 * The k-th call of a communicator by one member is the k-th by each other, counted with those that
 * are not recorded; calls of Comm_create_group and its like count on the communicator that they
 * make. So one bit for each call is enough, and for each member how many it made. */
#ifndef VEF_TRACES_MATCHING_JOINT_H
#define VEF_TRACES_MATCHING_JOINT_H

#include "common/map64.h"
#include "common/status.h"
#include "traces/event.h"

/* Calls from `first` on, up to but not including `end`. */
typedef struct vef_joint_calls {
    uint64_t first, end;
} vef_joint_calls;

typedef struct vef_joint_row {
    vef_joint_calls *lacks; /* that some member did not record; once settled: in order, apart */
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

/* Whether the event is one of these calls: then the communicator of its row, in `*local` (a number
 * of the event's own). */
bool vef_joint_comm(const vef_event *event, uint32_t *local);

/* First pass: a call of a task, on the communicator with the number `comm` in the run; what its
 * ring has dropped counts as `before` calls of the sequence (vef_event_sequence). A muted
 * collective stands for as many as vef_before_calls says. */
vef_code vef_joint_see(vef_joint *joint, uint32_t task, const vef_event *event, uint32_t comm,
                       vef_error *error);
vef_code vef_joint_before(vef_joint *joint, uint32_t task, uint32_t comm, uint32_t sequence,
                          uint64_t before, vef_error *error);

/* Between the passes: takes the members of each communicator, and begins to count anew. */
void vef_joint_settle(vef_joint *joint, const vef_communicator *communicators);

/* Second pass, the calls in the same order: whether some member lacks the call. */
bool vef_joint_next_lacks(vef_joint *joint, uint32_t task, const vef_event *event, uint32_t comm);

#endif
