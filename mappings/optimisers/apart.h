/* Work that a time limit can end wherever it is, such as that of a library, which may also crash
 * for want of memory: in a process of its own. */
#ifndef VEF_MAPPINGS_OPTIMISERS_APART_H
#define VEF_MAPPINGS_OPTIMISERS_APART_H

#include "mappings/optimisers/clock.h"

/* Memory that the work may write its result to, filled with 0. */
void *vef_apart_allocate(size_t bytes);
void vef_apart_free(void *memory, size_t bytes); /* NULL is fine */

/* Runs `work` in a child process; its result, or false once the time is over. All that it changes
 * but memory of vef_apart_allocate is lost, and what it prints on stderr; where that says "out of
 * memory", this is as if an allocation here had failed. `work` checks its own allocations. */
bool vef_apart_run(vef_optimiser_clock *clock, uint64_t done, uint64_t total,
                   bool (*work)(void *context), void *context);

#endif
