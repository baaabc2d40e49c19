/* Reading loads: "0.3", "0.05:1.0:0.05" (from, to, step), or several separated by commas. */
#ifndef VEF_CLI_LOAD_RATES_H
#define VEF_CLI_LOAD_RATES_H

#include "common/status.h"

#include <stddef.h>

enum { VEF_MOST_RATES = 1000 };

/* Reads them into `rates`, which has room for VEF_MOST_RATES. Each is more than 0 (VEF_INVALID). */
vef_code vef_load_read_rates(const char *text, double *rates, size_t *count, vef_error *error);

#endif
