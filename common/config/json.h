/* JSON (RFC 8259) into a tree of nodes. A header of its own: only the program needs libyajl, while
 * config.h is a header of plug-ins, whose functions libvef exports too. */
#ifndef VEF_COMMON_CONFIG_JSON_H
#define VEF_COMMON_CONFIG_JSON_H

#include "common/config/config.h"

/* Reads a document, one map, of `bytes` bytes and a NUL. Strings are `quoted`. Refused as in
 * vef_config_load, with file, line and column: text that is not JSON, duplicate keys, NUL
 * characters. `wanted` (NULL: all) are the members of the map that are read. The others are
 * checked, and take no memory but for their keys, with empty values. */
vef_code vef_json_parse(const char *text, size_t bytes, const char *origin,
                        const char *const *wanted, vef_arena *arena, vef_node **root,
                        vef_error *error);

#endif
