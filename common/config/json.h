/* A configuration as JSON. */
#ifndef VEF_COMMON_CONFIG_JSON_H
#define VEF_COMMON_CONFIG_JSON_H

#include "common/config/config.h"
#include "common/json.h"

/* Writes a tree as the value of `key`: mappings as objects, sequences as arrays, and plain scalars
 * that are null, true, false or a JSON number as such. Everything else is a string, such as
 * "1 Gbit/s" and what was quoted. */
void vef_json_node(vef_json *json, const char *key, const vef_node *node);

/* The same for a text of YAML. */
vef_code vef_json_yaml(vef_json *json, const char *key, const char *yaml, vef_error *error);

#endif
