/* Idle tasks give way: see yield.c. */
#ifndef VEF_CAPTURE_YIELD_H
#define VEF_CAPTURE_YIELD_H

#include <stdbool.h>

/* Whether this process gives way; decided when it starts, by VEF_CAPTURE_OVERSUBSCRIBE. */
bool vef_yields(void);

#endif
