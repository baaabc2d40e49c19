/* Sharing out independent pieces of an analysis among the processor's cores. */
#ifndef VEF_COMMON_WORKERS_H
#define VEF_COMMON_WORKERS_H

#include <stdint.h>

enum { VEF_MOST_WORKERS = 64 };

/* How many threads to use for that many pieces: one per core that is online, at least 1. */
uint32_t vef_workers_for(uint32_t pieces);

/* Calls work(context, worker, piece) once for every piece below `pieces`, in no fixed order, from
 * `workers` threads numbered from 0 (the caller is one of them); returns when all are done. Where
 * the system gives fewer threads, those there are do it all, so it cannot fail. */
void vef_workers_run(uint32_t workers, uint32_t pieces,
                     void (*work)(void *context, uint32_t worker, uint32_t piece), void *context);

#endif
