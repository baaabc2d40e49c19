/* Strings of JSON, for writers of JSON beside reports. */
#ifndef VEF_COMMON_REPORT_JSON_H
#define VEF_COMMON_REPORT_JSON_H

#include <stddef.h>
#include <stdio.h>

/* Writes `text` as a string of JSON (RFC 8259), in quotes; bytes that are not UTF-8 become U+FFFD.
 * Returns the number of bytes written. */
size_t vef_json_string(FILE *out, const char *text);

#endif
