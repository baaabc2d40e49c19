/* A pool of threads, and the one way in which it hands out work.
 *
 * A pool has places. Pieces of work are offered one after another, number n at place n % places,
 * and each is taken by one thread: a helper, or the caller while it waits. So the caller never
 * waits for a thread that the system has not scheduled, unless that stopped in the middle of a
 * piece: on a busy machine a pool is hardly slower than one thread. If the system provides fewer
 * threads, or none, those do all the work.
 *
 * Three forms of work use it, a pool for one of them: steps that follow each other within
 * microseconds (vef_pool_run), many independent pieces (vef_workers_run), and pieces in the
 * background that are collected in order (vef_pool_offer). */
#ifndef VEF_COMMON_THREADS_POOL_H
#define VEF_COMMON_THREADS_POOL_H

#include <stdint.h>

typedef struct vef_pool vef_pool;

enum {
    VEF_MOST_WORKERS = 64,
    VEF_POOL_DONE = UINT8_MAX, /* instead of a next step */
};

typedef struct vef_pool_job {
    void *context;
    uint32_t places, first_step;
    /* Does the piece at a place; on any thread. */
    void (*work)(void *context, uint32_t step, uint32_t place);
    /* Called after all pieces of a step; returns the next step, or VEF_POOL_DONE. It sees what
     * `work` has changed, and `work` sees its changes. NULL: the only step is the first. */
    uint32_t (*next)(void *context, uint32_t step);
} vef_pool_job;

/* Number of threads for that many pieces: at most one per online core, at least 1. */
uint32_t vef_workers_for(uint32_t pieces);

/* A pool of `threads`, one of which is the caller's, for jobs of that many places. */
vef_pool *vef_pool_create(uint32_t threads, uint32_t places);
/* Waits for pieces under way; others are never done. NULL is fine. */
void vef_pool_destroy(vef_pool *pool);

/* ---- steps ---- */

/* Does a job, every step with a piece at each place; returns when it is done. A pool does one at a
 * time. NULL: the caller does it alone, which costs less for steps shorter than a microsecond or
 * two. */
void vef_pool_run(vef_pool *pool, const vef_pool_job *job);

/* ---- independent pieces ---- */

/* Calls work(context, worker, piece) once for every piece below `pieces`, in any order, from
 * `workers` threads numbered from 0, including the caller; returns when all are done. */
void vef_workers_run(uint32_t workers, uint32_t pieces,
                     void (*work)(void *context, uint32_t worker, uint32_t piece), void *context);

/* ---- pieces in the background ---- */

/* The pieces that are offered and not collected, at most one for each place. */
uint32_t vef_pool_pending(const vef_pool *pool);
/* The place of the next piece to offer, and of the next one to collect. */
uint32_t vef_pool_next(const vef_pool *pool);
uint32_t vef_pool_oldest(const vef_pool *pool);
/* Offers the next piece, whose place is free, of the first step of a job. All are of one job. */
void vef_pool_offer(vef_pool *pool, const vef_pool_job *job);
/* Waits until the oldest pending piece is done; then its place is free. */
void vef_pool_collect(vef_pool *pool);

#endif
