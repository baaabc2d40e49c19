/* Pictures drawn by gnuplot: SVG or PNG, by the file's extension. */
#ifndef VEF_CLI_PICTURES_PLOT_H
#define VEF_CLI_PICTURES_PLOT_H

#include "common/status.h"

#include <stdbool.h>
#include <stdio.h>

/* Refuses names that end neither in .svg nor in .png, files that cannot be written, and a missing
 * gnuplot, before anything long begins. `option`: the one that asks for the picture, "--plot".
 * `instead` is an alternative without gnuplot: "--csv writes the same numbers". */
vef_code vef_plot_check(const char *option, const char *path, const char *instead,
                        vef_error *error);

bool vef_plot_is_svg(const char *path);

/* Draws the result of gnuplot for `commands` (which set the terminal, and no output). */
vef_code vef_plot_draw(FILE *commands, const char *path, const char *instead, vef_error *error);

/* The same to `picture`, an empty file for reading and writing, which is then at its beginning. */
vef_code vef_plot_run(FILE *commands, bool svg, FILE *picture, const char *instead,
                      vef_error *error);

/* Writes a text for a double-quoted string of gnuplot. */
void vef_plot_quote(const char *text, FILE *out);

#endif
