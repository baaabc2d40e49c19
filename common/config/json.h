/* Documents of JSON as nodes of a configuration. Apart from config.h, which plug-ins include: what
 * they may call becomes part of libvef, which reads no JSON. */
#ifndef VEF_COMMON_CONFIG_JSON_H
#define VEF_COMMON_CONFIG_JSON_H

#include "common/config/config.h"

/* Reads a document of JSON, one map, of `bytes` bytes and a NUL. Strings are `quoted`. Refused,
 * with file, line and column: what is not JSON, duplicate keys, NUL characters. `wanted` (NULL:
 * all) are the members of the map that are read. The others are checked, and take no memory but for
 * their keys, with empty values. */
vef_code vef_json_parse(const char *text, size_t bytes, const char *origin,
                        const char *const *wanted, vef_arena *arena, vef_node **root,
                        vef_error *error);

#endif
