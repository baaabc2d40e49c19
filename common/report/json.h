/* Strings and numbers of JSON (RFC 8259), for writers of JSON beside results. */
#ifndef VEF_COMMON_REPORT_JSON_H
#define VEF_COMMON_REPORT_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Writes `text` as a string in quotes; bytes that are not UTF-8 become U+FFFD. Returns the number
 * of bytes written. */
size_t vef_json_string(FILE *out, const char *text);

bool vef_json_is_number(const char *text);

#endif
