/* The picture of `vef fit pingpong`, drawn by gnuplot. */
#ifndef VEF_CLI_FIT_PLOT_H
#define VEF_CLI_FIT_PLOT_H

#include "replay/fit/pingpong.h"

/* Draws measured medians and fitted lines over the size, and relative residuals. docs/fit.md
 * explains it. */
vef_code vef_fit_plot(const vef_pingpong_fit *fit, const char *path, const char *instead,
                      vef_error *error);

#endif
