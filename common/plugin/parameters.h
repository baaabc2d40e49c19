/* Parameters of plug-ins as schemas of the configuration. */
#ifndef VEF_COMMON_PLUGIN_PARAMETERS_H
#define VEF_COMMON_PLUGIN_PARAMETERS_H

#include "common/config/config.h"

#include <vef/plugin.h>

/* A schema that reads the parameters (NULL: none) into an array of values; it and their number of
 * bytes, at least one, in `arena`. VEF_INVALID for a parameter that cannot be. */
vef_code vef_plugin_schema(const char *part, const vef_plugin_parameter *parameters,
                           vef_arena *arena, const vef_param **schema, size_t *value_bytes,
                           vef_error *error);

/* A context whose memory is taken from `arena`. */
typedef struct vef_plugin_making {
    vef_plugin_context context; /* first: its address is that of the whole */
    vef_arena *arena;
} vef_plugin_making;
vef_plugin_making vef_plugin_make(vef_arena *arena);

/* The refusal of a `create`: its reason. */
vef_code vef_plugin_refused(const vef_plugin_making *making, vef_error *error);

#endif
