/* What reading, writing and describing by a schema share; not for users of config.h. */
#ifndef VEF_COMMON_CONFIG_SCHEMA_H
#define VEF_COMMON_CONFIG_SCHEMA_H

#include "common/config/config.h"

enum { VEF_TYPE_TEXT_BYTES = 256 };

/* What a key's value must be: "whole number from 1 to 64", "true | false"; `text` has
 * VEF_TYPE_TEXT_BYTES bytes and is returned. */
char *vef_param_type_text(char *text, const vef_param *param);

/* Whether `name` is the known one or an alias of it, apart from case, '-' and '_'. */
bool vef_is_known_as(const vef_known *known, const char *name);

/* The failure for the key `name`, which neither `schema` nor `extra` (may be NULL) has. The hint is
 * a key of the schema, or else one elsewhere in the file, with the sections that lead to it. */
vef_code vef_fail_unknown_key(vef_error *error, const char *name, const vef_param *schema,
                              const char *const *extra, vef_arena *arena);

/* The field of `object` that the row describes. */
static inline void *vef_param_field(const vef_param *param, void *object) {
    return (char *)object + param->offset;
}
static inline const void *vef_param_value(const vef_param *param, const void *object) {
    return (const char *)object + param->offset;
}

#endif
