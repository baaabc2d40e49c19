/* Idle tasks yield: see yield.c. */
#ifndef VEF_CAPTURE_YIELD_H
#define VEF_CAPTURE_YIELD_H

#include <stdbool.h>

/* Whether this process yields; decided at its start, by VEF_CAPTURE_OVERSUBSCRIBE. */
bool vef_yields(void);

/* The MPI library is about to poll once: whether to yield if that makes no progress. */
bool vef_polls(void);

#endif
