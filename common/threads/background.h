/* Jobs that helper threads do in the background, collected in the order in which they started, so
 * that what becomes of them does not depend on the number of threads. */
#ifndef VEF_COMMON_THREADS_BACKGROUND_H
#define VEF_COMMON_THREADS_BACKGROUND_H

#include <stdint.h>

typedef struct vef_background vef_background;

/* Job number n, from 0, is work(context, n % places): the caller has data for `places` jobs.
 * `helpers` threads help; if the system provides fewer, or none, the caller's thread does the work.
 */
vef_background *vef_background_new(uint32_t places, uint32_t helpers,
                                   void (*work)(void *context, uint32_t place), void *context);

/* The jobs that are not collected yet, at most `places`. */
uint32_t vef_background_pending(const vef_background *jobs);

/* The place of the next job to start, or to collect. */
uint32_t vef_background_next(const vef_background *jobs);
uint32_t vef_background_oldest(const vef_background *jobs);

/* Starts the next job, whose place is free: fewer than `places` jobs are pending. */
void vef_background_start(vef_background *jobs);

/* Waits until the oldest pending job is done, doing jobs meanwhile; then its place is free. */
void vef_background_collect(vef_background *jobs);

/* Waits for jobs under way; others are never done. NULL is fine. */
void vef_background_free(vef_background *jobs);

#endif
