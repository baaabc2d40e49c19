/* Breaking long lines of text at blanks. */
#ifndef VEF_COMMON_WRAP_H
#define VEF_COMMON_WRAP_H

#include <stddef.h>
#include <stdio.h>

/* Writes a line of that many bytes as lines of at most `width` columns, if words allow it. All but
 * the first begin at the column `indent`, which is less than `width`. */
void vef_wrap_line(FILE *out, const char *line, size_t length, size_t indent, size_t width);

#endif
