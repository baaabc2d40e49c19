/* Texts of others (names in files, of files, of programs) on their way to people and programs. */
#ifndef VEF_COMMON_UTF8_H
#define VEF_COMMON_UTF8_H

#include <stdbool.h>
#include <stddef.h>

/* Whether a byte continues a character: it takes no column. */
static inline bool vef_utf8_continues(char byte) {
    return ((unsigned char)byte & 0xc0) == 0x80;
}

/* The bytes of the UTF-8 character at `text`; 0 if it is malformed (RFC 3629: no overlong forms, no
 * surrogates, nothing above U+10FFFF). The NUL at the end has length 1. */
size_t vef_utf8_length(const unsigned char *text);

/* The same, but 0 also for what acts on a terminal or a reader instead of being seen: control
 * characters (U+0000 to U+001F, U+007F to U+009F), line and paragraph separators, marks that
 * reorder text (U+202A to U+202E, U+2066 to U+2069), U+FEFF and U+FFFE to U+FFFF. */
size_t vef_utf8_visible(const unsigned char *text);

#endif
