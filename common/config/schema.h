/* Shared by reading trees, and by reading, writing and describing by a schema; private to
 * common/config. */
#ifndef VEF_COMMON_CONFIG_SCHEMA_H
#define VEF_COMMON_CONFIG_SCHEMA_H

#include "common/config/config.h"

/* A kind of values. Of those that are one number, or one number with a unit, how it is read and
 * written; the others have no such functions. */
typedef struct vef_param_traits {
    const char *words; /* "a number"; a format of four examples for whole numbers in lists */
    size_t bytes;      /* of the field, where it can be not given; else 0 */
    vef_code (*parse_whole)(const char *text, const char *what, uint64_t *value, vef_error *error);
    char *(*format_whole)(char *text, uint64_t value);
    vef_code (*parse_real)(const char *text, const char *what, double *value, vef_error *error);
    char *(*format_real)(char *text, double value);
} vef_param_traits;

extern const vef_param_traits vef_param_traits_of[]; /* by vef_param_kind */

enum { VEF_TYPE_TEXT_BYTES = 256, VEF_DEEPEST_NODE = 64, VEF_MOST_NODE_KEYS = 4096 };

/* The accepted values of a key: "whole number from 1 to 64", "true | false". Returns `text`, of
 * VEF_TYPE_TEXT_BYTES bytes. */
char *vef_param_type_text(char *text, const vef_param *param);

/* Whether `name` is `known` or one of its aliases, ignoring case, '-' and '_'. */
bool vef_is_known_as(const vef_known *known, const char *name);

/* The failure for an unknown key `name`, absent from `schema` and `extra` (may be NULL). Suggests a
 * key of the schema, or one elsewhere in the file with its path. Sets error->unknown_key. */
vef_code vef_fail_unknown_key(vef_error *error, const char *name, const vef_param *schema,
                              const char *const *extra, vef_arena *arena);

/* A node that is added to a mapping, or a sequence, that is built; `key` is not copied. */
vef_node *vef_node_add(vef_node *into, const char *key, vef_node_kind kind);

/* The field of `object` that the row describes. */
static inline void *vef_param_field(const vef_param *param, void *object) {
    return (char *)object + param->offset;
}
static inline const void *vef_param_value(const vef_param *param, const void *object) {
    return (const char *)object + param->offset;
}

#endif
