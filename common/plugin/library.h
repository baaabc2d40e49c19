/* Plug-ins: shared objects with rows (plugin.h), as the key `plugins` of a network file names them.
 * Only those are loaded that the user has allowed: the environment variable VEF_PLUGINS is a list,
 * separated by colons, of objects and of folders of objects, which root and the user alone can
 * change.
 *
 * An object stays loaded as long as something that it made: each topology, routing and pattern
 * holds it for itself. So there is no list of plug-ins in the program. */
#ifndef VEF_COMMON_PLUGIN_LIBRARY_H
#define VEF_COMMON_PLUGIN_LIBRARY_H

#include "common/config/config.h"
#include "common/plugin/plugin.h"

/* An extension point: where a plug-in lists its rows, which begin as vef_plugin_row. */
typedef struct vef_plugin_point {
    const char *key; /* how a file names a row: "topology: family" */
    size_t list;     /* offset in vef_plugin */
    const char *(*lacks)(
        const void *row); /* the member that it needs and does not have; NULL: none */
} vef_plugin_point;

/* The beginning of every row. */
typedef struct vef_plugin_row {
    const char *name, *aliases, *summary;
} vef_plugin_row;

/* Loads the object `path`. VEF_INVALID: it is none, or made with other headers. The caller closes
 * it. */
vef_code vef_library_open(const char *path, void **library, const vef_plugin **plugin,
                          vef_error *error);
void vef_library_close(void *library); /* NULL is fine */

/* The rows of a point, ended by NULL, in `*rows`; NULL: none. VEF_INVALID: one is not whole.
 * `path`: for the message. */
vef_code vef_library_rows(const char *path, const vef_plugin *plugin, const vef_plugin_point *point,
                          const vef_plugin_row *const **rows, vef_error *error);

/* The row called `name` in the objects of `list`, the value of the key `plugins` (NULL: none), with
 * its object, which the caller closes when nothing of the row is used any more. Both NULL: none has
 * it. */
vef_code vef_library_find(const vef_node *list, const vef_plugin_point *point, const char *name,
                          void **library, const void **row, vef_error *error);

/* Adds the list to a configuration as its key `plugins`, with whole paths; nothing if there is
 * none.
 */
vef_code vef_library_put(const vef_node *list, vef_node *into, vef_error *error);

/* The key `plugins` beside `node` in its network file (vef_node_set_root); NULL: none. */
const vef_node *vef_library_list(const vef_node *node);

#endif
