/* Random messages for the tests of network models, and a check that each arrives exactly once. */
#ifndef VEF_TESTS_NETMODEL_TRAFFIC_H
#define VEF_TESTS_NETMODEL_TRAFFIC_H

#include "netmodel/clock.h"

typedef struct traffic {
    uint32_t messages;      /* ids 0 … messages - 1 */
    uint64_t spread_cycles; /* injected at random times below this; 0: all at once */
    uint64_t most_bytes;    /* sizes uniform in 0 … most_bytes */
    uint64_t seed;
    uint64_t step_cycles; /* how far each advance may run; 0: as far as it likes */
} traffic;

/* Sends random messages between random endpoints and runs until all have arrived; fails when one
 * arrives twice or not at all. Returns the delivery time of each (to be freed). */
uint64_t *run_random(vef_netmodel *model, const traffic *given);

/* Sends one message at the present time, runs until it arrives, returns its delivery time in
 * cycles. */
uint64_t send_alone(vef_netmodel *model, uint32_t source, uint32_t destination, uint64_t bytes);

#endif
