/* What the tests of the proof of freedom from deadlock share. */
#ifndef VEF_TESTS_NETMODEL_PROOFS_H
#define VEF_TESTS_NETMODEL_PROOFS_H

#include "netmodel/deadlock/deadlock.h"

/* The proof of a routing (queue_packets 0: its least), each destination by itself if `every`. */
vef_deadlock prove(const vef_routing *routing, uint32_t queue_packets, bool every);

/* Fails, naming `what`, unless it succeeded. */
void assert_free(const vef_routing *routing, const vef_deadlock *found, const char *what);

/* Fails unless the cycle is valid: each step leads to the queue of the next, and the reported
 * packet can reach it and has that escape, according to a search through all candidates.
 */
void check_cycle(const vef_routing *routing, const vef_deadlock *found);

#endif
