/* Ranks (netmodel/ranks.h) that are threads of a test: what a network does in several processes,
 * without MPI. */
#ifndef VEF_TESTS_NETMODEL_THREAD_RANKS_H
#define VEF_TESTS_NETMODEL_THREAD_RANKS_H

#include "netmodel/ranks.h"

/* Calls `work` as each of `count` ranks at once, with `ranks` NULL if there is one; returns when
 * all have returned. `work` must not fail the test. */
void run_ranks(uint32_t count, void (*work)(void *context, const vef_net_ranks *ranks),
               void *context);

#endif
