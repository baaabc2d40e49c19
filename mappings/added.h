/* Mappings that plug-ins add (vef/plugin.h). */
#ifndef VEF_MAPPINGS_ADDED_H
#define VEF_MAPPINGS_ADDED_H

#include "common/config/config.h"
#include "mappings/mapping.h"

/* The family called `name` of the plug-ins of a network file (the value of its key `plugins`, NULL:
 * none), made in `arena`; NULL: none has it. The caller closes `*library` when it is no longer
 * used. */
vef_code vef_mapping_find_added(const vef_node *plugins, const char *name, vef_arena *arena,
                                void **library, const vef_mapping_family **family,
                                vef_error *error);

#endif
