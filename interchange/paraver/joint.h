/* What a Paraver trace states of a collective only in the records of all its members: the root,
 * which is a mark of the root's own record, and the counts of vector variants, of which each member
 * has but the sums of what it sends and receives.
 *
 * The sums of the others are the vectors of Gatherv, Scatterv, Allgatherv and Reduce_scatter. Those
 * of Alltoallv and Alltoallw are not determined: vef takes a matrix whose rows and columns have
 * these sums, in proportion to them, so that every member gets what the others send it.
 *
 * Extrae states the arguments of a call, of which MPI_IN_PLACE makes one meaningless
 * (interchange/exchange.h). */
#ifndef VEF_INTERCHANGE_PARAVER_JOINT_H
#define VEF_INTERCHANGE_PARAVER_JOINT_H

#include "interchange/paraver/lines.h"
#include "traces/event.h"

typedef struct vef_paraver_meeting {
    uint32_t task, comm;     /* the place of the communicator in the header */
    uint16_t call;           /* vef_call, a collective */
    bool root;               /* it is marked as the root */
    uint64_t sent, received; /* bytes */
} vef_paraver_meeting;

typedef struct vef_paraver_joint vef_paraver_joint;

vef_paraver_joint *vef_paraver_joint_open(const vef_paraver_header *header);
void vef_paraver_joint_close(vef_paraver_joint *joint); /* NULL is fine */

/* Notes a call of one member; a task notes its calls in their order. */
void vef_paraver_joint_note(vef_paraver_joint *joint, const vef_paraver_meeting *call);

/* After all notes: fills in root and byte counts (traces/FORMAT.md) of an event of the call, which
 * is the `number`-th of its task on its communicator, from 0. `*known` is false if the counts of
 * its members do not agree. The vectors are those of `joint`, until the next call. */
void vef_paraver_joint_fill(vef_paraver_joint *joint, const vef_paraver_meeting *call,
                            uint64_t number, vef_event *event, bool *known);

/* Calls whose vectors are not those of the program. */
uint64_t vef_paraver_joint_shared_out(const vef_paraver_joint *joint);
/* Calls of Allgatherv in place: they have equal parts of the sum. */
uint64_t vef_paraver_joint_equal_parts(const vef_paraver_joint *joint);

#endif
