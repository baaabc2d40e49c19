/* Traffic patterns that plug-ins add (vef/plugin.h). */
#ifndef VEF_NETMODEL_TRAFFIC_ADDED_H
#define VEF_NETMODEL_TRAFFIC_ADDED_H

#include "netmodel/traffic/traffic.h"

/* The kind called `name` of the plug-ins of a network file (the value of its key `plugins`, NULL:
 * none), made in `arena`; NULL: none has it. The caller closes `*library` when no pattern of it is
 * left. */
vef_code vef_pattern_find_added(const vef_node *plugins, const char *name, vef_arena *arena,
                                void **library, const vef_pattern_kind **kind, vef_error *error);

#endif
