/* Several programs as one source of events: the tasks of part 0, then those of part 1, …
 *
 * Each part keeps a world of its own. Its tasks and communicators are renumbered by an offset, and
 * so is everything in its events that names one: peers of operations and of synchronisations,
 * communicators, windows. Ranks (roots, neighbours), requests, tags and ordinals count within a
 * task, a pair of tasks or a communicator, and stay. A replay of a joint source of one part is the
 * replay of that part. */
#ifndef VEF_REPLAY_JOBS_JOINT_H
#define VEF_REPLAY_JOBS_JOINT_H

#include "replay/source.h"

typedef struct vef_joint_part {
    const char *name;   /* for messages */
    vef_source *source; /* kept alive by the caller */
    bool silent;        /* its tasks have no events; only the source's numbers of threads are used,
                           so that sources which replay elsewhere can be silent parts here */
} vef_joint_part;

/* Copies `parts`, at least one. Refuses (VEF_UNSUPPORTED) more tasks or communicators than can be
 * numbered, and (VEF_CORRUPT) members that are no tasks of their part. */
vef_code vef_joint_create(const vef_joint_part *parts, uint32_t count, vef_source **joint,
                          vef_error *error);
void vef_joint_destroy(vef_source *joint); /* NULL is fine */

/* The first task of a part; with `part` the number of parts, the number of tasks. */
uint32_t vef_joint_first_task(const vef_source *joint, uint32_t part);
/* The part of a task. */
uint32_t vef_joint_part_of(const vef_source *joint, uint32_t task);

#endif
