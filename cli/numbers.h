/* Options that are lists of numbers: "0.3", "0.05:1.0:0.05" (from, to, step), or several of these
 * separated by commas. */
#ifndef VEF_CLI_NUMBERS_H
#define VEF_CLI_NUMBERS_H

#include "common/status.h"

#include <stddef.h>

enum { VEF_MOST_NUMBERS = 1000 };

/* Reads them into `numbers`, which has room for VEF_MOST_NUMBERS. Messages call each `what`, "a
 * load such as 0.3". */
vef_code vef_numbers_read(const char *option, const char *what, const char *text, double *numbers,
                          size_t *count, vef_error *error);

#endif
