/* Breaking long lines of text at blanks. */
#ifndef VEF_COMMON_WRAP_H
#define VEF_COMMON_WRAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Whether a byte goes on with a character of UTF-8: it takes no column. */
static inline bool vef_continues_character(char byte) {
    return ((unsigned char)byte & 0xc0) == 0x80;
}

/* Writes a line of that many bytes as lines of at most `width` columns, if words allow it. All but
 * the first begin at the column `indent`, which is less than `width`. */
void vef_wrap_line(FILE *out, const char *line, size_t length, size_t indent, size_t width);

#endif
