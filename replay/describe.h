/* What an event is to the algorithms of collectives: shared by the engine and by the formats that
 * are written (replay/formats/walk.h). */
#ifndef VEF_REPLAY_DESCRIBE_H
#define VEF_REPLAY_DESCRIBE_H

#include "common/status.h"
#include "replay/collectives/plan.h"
#include "replay/comms.h"

/* The communicator whose members carry the event's collective out; VEF_NO_COMM when the task is
 * none of them. */
uint32_t vef_describe_comm(const vef_event *event);

typedef struct vef_described {
    vef_comm_state *state;
    uint32_t member; /* rank among all members of the communicator */
    vef_collective call;
} vef_described;

/* Describes the collective of a task's event, which is carried out on `comm`. VEF_CORRUPT (the
 * message begins with what is wrong, without task or event) where communicator, root or counts do
 * not fit. */
vef_code vef_describe(vef_replay_comms *comms, uint32_t comm, uint32_t task, const vef_event *event,
                      vef_described *described, vef_error *error);

/* The algorithm that carries the described call out; NULL when the call moves nothing. A call on an
 * intercommunicator that has no algorithm becomes a barrier of both groups: `described->call` is
 * that barrier then, and `*barrier` is set. */
const vef_algorithm *vef_describe_algorithm(vef_described *described, bool *barrier);

#endif
