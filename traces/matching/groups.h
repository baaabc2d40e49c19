/* Communicators of a whole run from those of its tasks. Communicators of two tasks are the same if
 * the same call created them from the same parent, with the same members, and at the same position
 * in the row of such creations of each task: all members take part in a creation, in the same
 * order. The two sides of MPI_Intercomm_create have different parents, so for these only the two
 * groups count. The same holds for windows.
 *
 * In a graph topology each task knows only its neighbours, so the run's lists are assembled from
 * all members; a member whose log is too short has empty lists. */
#ifndef VEF_TRACES_MATCHING_GROUPS_H
#define VEF_TRACES_MATCHING_GROUPS_H

#include "common/status.h"
#include "traces/event.h"

typedef struct vef_groups vef_groups;

/* Begins with the world of `tasks` tasks as number 0. */
vef_groups *vef_groups_new(uint32_t tasks);
void vef_groups_free(vef_groups *groups);

/* Adds the communicators of the next task and returns their numbers in the run, in an array of
 * `count` owned by the caller (free). A self communicator gets a number only once it is used:
 * VEF_NO_COMM until then. */
vef_code vef_groups_add_task(vef_groups *groups, uint32_t task, const vef_communicator *list,
                             uint32_t count, uint32_t **numbers, vef_error *error);
void vef_groups_use_self(vef_groups *groups, uint32_t task, uint32_t *number);

/* Number of members of graphs without lists of neighbours, since their log is missing or cut. */
uint64_t vef_groups_without_neighbours(const vef_groups *groups);

/* All communicators of the run, parents before children. */
const vef_communicator *vef_groups_list(const vef_groups *groups, uint32_t *count);

#endif
