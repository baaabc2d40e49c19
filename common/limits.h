/* Limits on what a file can ask for (limits.def), so that a few bytes of somebody's file do not
 * take the memory or the time of a machine. The user changes them in the environment variable
 * VEF_LIMITS, "tasks=2000000,jobs=5000", to which the option --limit adds. */
#ifndef VEF_COMMON_LIMITS_H
#define VEF_COMMON_LIMITS_H

#include "common/status.h"

#include <stdint.h>
#include <stdio.h>

typedef enum vef_limit {
#define LIMIT(constant, name, value, meaning) VEF_LIMIT_##constant,
#include "common/limits.def"
#undef LIMIT
    VEF_LIMITS
} vef_limit;

/* VEF_INVALID: `value` is above the limit, or VEF_LIMITS does not read. Reads VEF_LIMITS: not for
 * every event. */
vef_code vef_limit_check(vef_limit limit, uint64_t value, vef_error *error);

/* Writes a line for each limit: its name, its value, its meaning. */
vef_code vef_limits_write(FILE *out, vef_error *error);

#endif
