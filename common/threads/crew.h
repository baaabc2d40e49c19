/* A crew: threads that share the work of one computation whose steps follow each other within
 * microseconds. A step has pieces, which may be worked on at the same time, and the next step
 * begins when all are done. For long pieces in a single step see workers.h.
 *
 * The caller works too and takes every piece that nobody has begun, so it never waits for a thread
 * that the system has not scheduled, unless that stopped in the middle of a piece: on a busy
 * machine a crew is hardly slower than one thread. */
#ifndef VEF_COMMON_THREADS_CREW_H
#define VEF_COMMON_THREADS_CREW_H

#include <stdint.h>

typedef struct vef_crew vef_crew;

enum { VEF_CREW_DONE = UINT8_MAX }; /* instead of a next step */

typedef struct vef_crew_job {
    void *context;
    uint32_t pieces, first_step;
    /* Does one piece of a step; on any thread. */
    void (*work)(void *context, uint32_t step, uint32_t piece);
    /* Called after all pieces of a step; returns the next step, or VEF_CREW_DONE. It sees what
     * `work` has changed, and `work` sees its changes. */
    uint32_t (*next)(void *context, uint32_t step);
} vef_crew_job;

/* A crew of `threads`, one of which is the caller of vef_crew_run, for jobs of that many pieces.
 * Fewer threads if the system provides no more. */
vef_crew *vef_crew_create(uint32_t threads, uint32_t pieces);
void vef_crew_destroy(vef_crew *crew); /* NULL is fine */

/* Does a job; returns when it is done. A crew does one at a time. NULL: the
 * caller does it alone, which costs less for steps shorter than a microsecond or two. */
void vef_crew_run(vef_crew *crew, const vef_crew_job *job);

#endif
