/* The names of nodes, as launchers know them. A file of names has one in each line, in the order of
 * the nodes of the network; `#` begins a comment. Without a file a name is that of the node whose
 * number it ends in: node17, or just 17. */
#ifndef VEF_MAPPINGS_PLACES_HOST_NAMES_H
#define VEF_MAPPINGS_PLACES_HOST_NAMES_H

#include "mappings/places/host_list.h"

#include <stdint.h>

typedef struct vef_host_names {
    char *text;  /* owned; the names are in it */
    char **name; /* [count]; NULL: by number */
    uint32_t count;
} vef_host_names; /* zero-initialised: by number */

/* `path` NULL: by number. VEF_INVALID names file and line: a name twice, or too long. */
vef_code vef_host_names_read(const char *path, vef_host_names *names, vef_error *error);
void vef_host_names_free(vef_host_names *names);

/* The node of a name; UINT32_MAX: unknown. */
uint32_t vef_host_names_find(const vef_host_names *names, const char *name);
/* The name of a node, in `text`; VEF_INVALID if the file has fewer names. */
vef_code vef_host_names_write(const vef_host_names *names, uint32_t node,
                              char text[VEF_HOST_NAME_BYTES], vef_error *error);

/* The next line of a text that is not empty, without comment and white space around it; NULL at the
 * end. `*rest` begins at the text, which is changed; `*number` counts the lines from 0. */
char *vef_host_line(char **rest, unsigned long *number);

#endif
