/* Parallel execution of independent pieces of an analysis. */
#ifndef VEF_COMMON_THREADS_WORKERS_H
#define VEF_COMMON_THREADS_WORKERS_H

#include <stdint.h>

enum { VEF_MOST_WORKERS = 64 };

/* Number of threads for that many pieces: at most one per online core, at least 1. */
uint32_t vef_workers_for(uint32_t pieces);

/* Calls work(context, worker, piece) once for every piece below `pieces`, in any order, from
 * `workers` threads numbered from 0, including the caller; returns when all are done. If the system
 * provides fewer threads, those do all the work, so it cannot fail. */
void vef_workers_run(uint32_t workers, uint32_t pieces,
                     void (*work)(void *context, uint32_t worker, uint32_t piece), void *context);

#endif
