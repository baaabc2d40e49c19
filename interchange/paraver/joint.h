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

#include "interchange/exchange.h"
#include "interchange/paraver/lines.h"
#include "traces/event.h"

/* A collective of one member. */
typedef struct vef_paraver_meeting {
    uint32_t comm, size;     /* the place of the communicator in the header; its size */
    uint32_t rank;           /* of the member */
    uint32_t number;         /* of the member's collectives on the communicator, from 0 */
    uint16_t call;           /* vef_call, a collective */
    bool root;               /* it is marked as the root */
    uint64_t sent, received; /* bytes */
} vef_paraver_meeting;

/* What the members state of a collective with a root or vectors. */
typedef struct vef_paraver_noted {
    int64_t root;            /* rank; -1: not known */
    bool sized;              /* by the counts that only a root has, rather than by a mark */
    vef_exchange_sums *sums; /* by rank; NULL without vectors */
    vef_exchange_sums *rest; /* of an Alltoallv that was filled in */
    vef_exchange_place place;
    bool settled, agrees;
} vef_paraver_noted;

typedef struct vef_paraver_joint {
    vef_map64 places; /* communicator << 32 | number of a collective → place in `list` */
    vef_paraver_noted *list;
    size_t count, room;
    uint64_t *sends, *receives; /* the vectors of the last event */
    size_t sends_room, receives_room;
    uint64_t shared_out;  /* calls whose vectors are not those of the program */
    uint64_t equal_parts; /* calls of Allgatherv in place: they have equal parts of the sum */
} vef_paraver_joint;      /* zero-initialised is empty */

/* Notes a call of one member. */
void vef_paraver_joint_note(vef_paraver_joint *joint, const vef_paraver_meeting *call);

/* After all notes: fills in root and byte counts (traces/FORMAT.md) of an event of the call. False
 * if the counts of its members do not agree. The vectors are those of `joint`, until the next
 * call. */
bool vef_paraver_joint_fill(vef_paraver_joint *joint, const vef_paraver_meeting *call,
                            vef_event *event);

void vef_paraver_joint_free(vef_paraver_joint *joint);

#endif
