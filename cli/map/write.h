/* Writing a mapping for `vef replay --map file(PATH)`, or for launchers. */
#ifndef VEF_CLI_MAP_WRITE_H
#define VEF_CLI_MAP_WRITE_H

#include "mappings/mapping.h"

typedef enum vef_mapping_form {
    VEF_FORM_OF_ENDPOINTS,
    VEF_FORM_OF_HOSTS, /* srun */
    VEF_FORM_OF_RANKS, /* Open MPI */
} vef_mapping_form;
extern const char *const vef_mapping_forms[]; /* their names, ended by NULL */

/* `view` has cores and interfaces of nodes;
 * `name` goes into a comment; `hosts`: a file with the names of nodes, or NULL. VEF_UNSUPPORTED if
 * a node has more tasks than cores and the form is of hosts. */
vef_code vef_mapping_write(const vef_mapping *mapping, const vef_mapping_view *view,
                           const char *name, vef_mapping_form form, const char *hosts,
                           const char *path, vef_error *error);

#endif
