/* Running another program from one file to another. */
#ifndef VEF_COMMON_FILTER_H
#define VEF_COMMON_FILTER_H

#include "common/status.h"

#include <stdio.h>

/* Runs the program `arguments` (terminated by NULL), found on the PATH, from the beginning of
 * `from` to `to`, and waits for it. `needs` is the message if the program is missing
 * (VEF_UNSUPPORTED): its package, and an alternative. A program that fails is VEF_FAILED. */
vef_code vef_filter_run(char *const *arguments, const char *needs, FILE *from, FILE *to,
                        vef_error *error);

#endif
