/* Pictures drawn by gnuplot: SVG or PNG, as the file's name ends. */
#ifndef VEF_CLI_PICTURES_PLOT_H
#define VEF_CLI_PICTURES_PLOT_H

#include "common/status.h"

#include <stdbool.h>
#include <stdio.h>

/* Refuses names that end neither in .svg nor in .png, files that cannot be written, and a machine
 * without gnuplot, before anything long begins. `instead` is what does without gnuplot: "--csv
 * writes the same numbers". */
vef_code vef_plot_check(const char *path, const char *instead, vef_error *error);

bool vef_plot_is_svg(const char *path);

/* Draws what gnuplot makes of `commands` (which set the terminal, and no output). */
vef_code vef_plot_draw(FILE *commands, const char *path, const char *instead, vef_error *error);

/* Writes a text for gnuplot's double quotes. */
void vef_plot_quote(const char *text, FILE *out);

#endif
