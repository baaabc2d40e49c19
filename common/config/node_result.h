/* A configuration as a part of a document. */
#ifndef VEF_COMMON_CONFIG_NODE_RESULT_H
#define VEF_COMMON_CONFIG_NODE_RESULT_H

#include "common/config/config.h"
#include "common/report/result.h"

/* Adds a node as the value of `key`: mappings as maps, sequences as lists, and plain scalars
 * that are null, true, false or a number (RFC 8259) as such. Everything else is a string, such as
 * "1 Gbit/s" and what was quoted. */
void vef_node_put(vef_result *into, const char *key, const vef_node *node);

/* The same for a configuration that `put` builds. */
void vef_config_put_result(vef_result *into, const char *key,
                           void (*put)(const void *context, vef_node *config), const void *context);

#endif
