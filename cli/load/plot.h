/* The picture of `vef load`, drawn by gnuplot. */
#ifndef VEF_CLI_LOAD_PLOT_H
#define VEF_CLI_LOAD_PLOT_H

#include "cli/load/report.h"

/* Refuses names that end neither in .svg nor in .png, and a missing gnuplot, before the
 * measurement. */
vef_code vef_load_plot_check(const char *path, vef_error *error);

/* Draws latency against accepted load, and accepted against offered. */
vef_code vef_load_plot(const vef_load_report *report, const char *path, vef_error *error);

#endif
