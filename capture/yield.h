/* Idle tasks yield: see yield.c. */
#ifndef VEF_CAPTURE_YIELD_H
#define VEF_CAPTURE_YIELD_H

#include <stdbool.h>

/* Whether this process yields; decided at its start, by VEF_CAPTURE_OVERSUBSCRIBE. */
bool vef_yields(void);

/* The MPI library has polled once, and made progress or not. */
void vef_polled(bool progress);

#endif
