/* A crew: threads that work on one computation in step, up to a million times a second. Members
 * wait for each other by spinning for some microseconds before they sleep, if there is a core for
 * each. For pieces of work that take longer and do not meet see workers.h. */
#ifndef VEF_COMMON_CREW_H
#define VEF_COMMON_CREW_H

#include <stdint.h>

typedef struct vef_crew vef_crew;

/* A crew of at least one member, of which one is the thread that calls vef_crew_run. NULL when
 * memory runs out or the system provides too few threads. */
vef_crew *vef_crew_create(uint32_t members);
void vef_crew_destroy(vef_crew *crew); /* NULL is fine */

/* Calls work(context, member) once on each member, numbered from 0, the caller; returns when all
 * have returned. Changes made before are visible to the members, and theirs to the caller. */
void vef_crew_run(vef_crew *crew, void (*work)(void *context, uint32_t member), void *context);

/* For `work`: returns when all members have called it. Changes made before are visible to all. */
void vef_crew_meet(vef_crew *crew);

#endif
