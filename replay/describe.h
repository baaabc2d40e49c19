/* Describes an event for the algorithms of collectives: used by the engine and by the writers of
 * other formats (interchange/walk/walk.h). */
#ifndef VEF_REPLAY_DESCRIBE_H
#define VEF_REPLAY_DESCRIBE_H

#include "common/status.h"
#include "replay/collectives/plan.h"
#include "replay/comms.h"

/* The communicator whose members execute the event's collective; VEF_NO_COMM if the task is not one
 * of them. */
uint32_t vef_describe_comm(const vef_event *event);

typedef struct vef_described {
    vef_comm_state *state;
    uint32_t member; /* rank among all members of the communicator */
    vef_collective call;
} vef_described;

/* Describes the collective of a task's event, executed on `comm`. VEF_CORRUPT (without task or
 * event in the message) if communicator, root or counts are invalid. */
vef_code vef_describe(vef_replay_comms *comms, uint32_t comm, uint32_t task, const vef_event *event,
                      vef_described *described, vef_error *error);

/* The choice for the described call; none if the call moves nothing. A call on an
 * intercommunicator without an algorithm becomes a barrier of both groups: `described->call` is
 * that barrier then, and `*barrier` is set. */
vef_tuned vef_describe_algorithm(vef_described *described, bool *barrier);

#endif
