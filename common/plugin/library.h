/* Plug-ins: shared objects that add to vef (vef/plugin.h), as the key `plugins` of a network file
 * names them. Only those are loaded that the user has allowed: the environment variable VEF_PLUGINS
 * is a list, separated by colons, of objects and of folders of objects, which root and the user
 * alone can change.
 *
 * An object stays loaded as long as something that it made: each topology, routing and pattern
 * holds it for itself. So there is no list of plug-ins in the program. */
#ifndef VEF_COMMON_PLUGIN_LIBRARY_H
#define VEF_COMMON_PLUGIN_LIBRARY_H

#include "common/config/config.h"

#include <vef/plugin.h>

typedef enum vef_plugin_part {
    VEF_PLUGIN_PART_TOPOLOGY,
    VEF_PLUGIN_PART_ROUTING,
    VEF_PLUGIN_PART_PATTERN,
    VEF_PLUGIN_PART_MAPPING,
} vef_plugin_part;

/* Loads the object `path`. VEF_INVALID: it is none, or of another interface, or has parts without
 * names or functions. The caller closes it. */
vef_code vef_library_open(const char *path, void **library, const vef_plugin **plugin,
                          vef_error *error);
void vef_library_close(void *library); /* NULL is fine */

/* The part called `name` in the objects of `list`, the value of the key `plugins` (NULL: none),
 * with its object, which the caller closes when nothing of the part is used any more. Both NULL:
 * none has it. */
vef_code vef_library_find(const vef_node *list, vef_plugin_part part, const char *name,
                          void **library, const void **found, vef_error *error);

/* Adds the list to a configuration as its key `plugins`, with whole paths; nothing if there is
 * none.
 */
vef_code vef_library_put(const vef_node *list, vef_node *into, vef_error *error);

/* The key `plugins` beside `node` in its network file (vef_node_set_root); NULL: none. */
const vef_node *vef_library_list(const vef_node *node);

#endif
