/* Writing a mapping for `vef replay --map file(PATH)`, or for launchers. */
#ifndef VEF_CLI_MAP_WRITE_H
#define VEF_CLI_MAP_WRITE_H

#include "mappings/mapping.h"

/* Whether vef_mapping_write knows the form. */
bool vef_mapping_form_exists(const char *form);

/* `form`: endpoints (also NULL), hostfile or rankfile; `view` has cores and interfaces of nodes;
 * `name` goes into a comment; `hosts`: a file with the names of nodes, or NULL. VEF_UNSUPPORTED if
 * a node has more tasks than cores and the form is of hosts. */
vef_code vef_mapping_write(const vef_mapping *mapping, const vef_mapping_view *view,
                           const char *name, const char *form, const char *hosts, const char *path,
                           vef_error *error);

#endif
