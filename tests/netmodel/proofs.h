/* What the tests of the proof of freedom from deadlock share. */
#ifndef VEF_TESTS_NETMODEL_PROOFS_H
#define VEF_TESTS_NETMODEL_PROOFS_H

#include "netmodel/deadlock/deadlock.h"

/* The proof of a routing (queue_packets 0: its least), each destination by itself if `every`. */
vef_deadlock prove(const vef_routing *routing, uint32_t queue_packets, bool every);

/* Fails, naming `what`, unless it succeeded. */
void assert_free(const vef_routing *routing, const vef_deadlock *found, const char *what);

/* Fails unless the cycle found is one: each step leads to the queue of the next, and the packet
 * told can come there and is offered that escape, as a search through all that it is offered finds.
 */
void check_cycle(const vef_routing *routing, const vef_deadlock *found);

#endif
