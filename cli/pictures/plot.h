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

/* Begins the commands of a picture of that size in pixels, in a file that the caller closes. */
vef_code vef_plot_begin(bool svg, double width, double height, FILE **commands, vef_error *error);

/* Draws the result of gnuplot for `commands` (of vef_plot_begin, which set no output). */
vef_code vef_plot_draw(FILE *commands, const char *path, const char *instead, vef_error *error);

/* The same to `picture`, an empty file for reading and writing, which is then at its beginning. */
vef_code vef_plot_run(FILE *commands, bool svg, FILE *picture, const char *instead,
                      vef_error *error);

/* Writes the texts, ended by NULL, as one string of gnuplot, in commands or in a data block. It is
 * the only way of a text into commands: gnuplot runs `backquoted` words even inside strings. */
void vef_plot_text(FILE *out, const char *text, ...) __attribute__((sentinel));
void vef_plot_escape(const char *text, FILE *out); /* a part of a string, without its quotes */

#endif
