/* The environment variables that vef reads (settings.def), and the values that they may have. */
#ifndef VEF_TRACES_LOG_SETTINGS_H
#define VEF_TRACES_LOG_SETTINGS_H

#include "common/status.h"

#include <stdio.h>

/* VEF_INVALID names the first variable VEF_CAPTURE_* of the environment that does not exist, or
 * whose value is not understood. An empty value is none. */
vef_code vef_settings_check(char *const *environment, vef_error *error);

/* Checks a comma-separated list of recordable calls, with or without "MPI_"; `skipping`: none of
 * them may be one that every trace records. `what` is the name of the option or variable. */
vef_code vef_settings_check_calls(const char *what, bool skipping, const char *list,
                                  vef_error *error);

void vef_settings_describe(FILE *out);

#endif
