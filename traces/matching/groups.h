/* Communicators of a whole run from those that its tasks saw. Two tasks mean the same communicator
 * when it was made by the same call from the same parent, with the same members, and is the same
 * one in the row of those that each made so: all members of a communicator take part in making it,
 * and MPI has them do so in one order. The two sides of MPI_Intercomm_create have parents of their
 * own, so there only the two groups count. Windows are told apart likewise.
 *
 * In a graph topology each task knows its own neighbours, so the run's lists are put together from
 * those of all members; where a member's log does not reach so far its lists are empty. */
#ifndef VEF_TRACES_MATCHING_GROUPS_H
#define VEF_TRACES_MATCHING_GROUPS_H

#include "common/status.h"
#include "traces/event.h"

typedef struct vef_groups vef_groups;

/* Begins with the world of `tasks` tasks as number 0. */
vef_code vef_groups_new(uint32_t tasks, vef_groups **groups, vef_error *error);
void vef_groups_free(vef_groups *groups);

/* Takes in the communicators of the next task and gives the number of each in the run, in an array
 * of `count` that belongs to the caller (free). A self communicator gets its number only once it is
 * used: VEF_NO_COMM until then. */
vef_code vef_groups_add_task(vef_groups *groups, uint32_t task, const vef_communicator *list,
                             uint32_t count, uint32_t **numbers, vef_error *error);
vef_code vef_groups_use_self(vef_groups *groups, uint32_t task, uint32_t *number, vef_error *error);

/* How often a member of a graph has no lists of neighbours, since its log is missing or cut. */
uint64_t vef_groups_without_neighbours(const vef_groups *groups);

/* All communicators of the run, parents before children. */
const vef_communicator *vef_groups_list(const vef_groups *groups, uint32_t *count);

#endif
