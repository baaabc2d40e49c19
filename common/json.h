/* A JSON writer: nesting, commas and escapes are its business; keys and values the caller's. */
#ifndef VEF_COMMON_JSON_H
#define VEF_COMMON_JSON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum { VEF_JSON_DEPTH = 32 };

typedef struct vef_json {
    FILE *out;
    unsigned depth;
    bool filled[VEF_JSON_DEPTH], array[VEF_JSON_DEPTH];
} vef_json;

void vef_json_begin(vef_json *json, FILE *out); /* opens the outermost object */
void vef_json_end(vef_json *json);              /* closes it and ends the line */

/* In an object `key` names the value; in an array it is NULL. */
void vef_json_open_object(vef_json *json, const char *key);
void vef_json_open_array(vef_json *json, const char *key);
void vef_json_close(vef_json *json);
void vef_json_string(vef_json *json, const char *key, const char *text); /* NULL text: null */
void vef_json_strings(vef_json *json, const char *key, const char *const *texts, size_t count);
void vef_json_uint(vef_json *json, const char *key, uint64_t value);
void vef_json_int(vef_json *json, const char *key, int64_t value);
void vef_json_real(vef_json *json, const char *key, double value); /* not finite: null */
void vef_json_bool(vef_json *json, const char *key, bool value);
/* `number` is written as it stands; it must be a JSON number (vef_json_is_number). */
void vef_json_number(vef_json *json, const char *key, const char *number);
bool vef_json_is_number(const char *text);
void vef_json_null(vef_json *json, const char *key);

#endif
