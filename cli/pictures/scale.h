/* Tics of pictures at round numbers, with short names: 1.5 MB. */
#ifndef VEF_CLI_PICTURES_SCALE_H
#define VEF_CLI_PICTURES_SCALE_H

#include <stdbool.h>
#include <stdio.h>

/* Writes "set AXIS (…)" of gnuplot, about five tics from `least` to `most`; both above 0 if
 * `logarithmic`. `unit` follows the prefix. */
void vef_scale_write(const char *axis, double least, double most, bool logarithmic,
                     const char *unit, FILE *out);

#endif
