/* The labels of a Paraver trace: the `.pcf` file beside it, of functions of the program and marks.
 */
#ifndef VEF_INTERCHANGE_PARAVER_LABELS_H
#define VEF_INTERCHANGE_PARAVER_LABELS_H

#include "common/containers/map64.h"
#include "common/status.h"

typedef struct vef_paraver_labels {
    vef_map64 place; /* type << 32 ^ value → place in `names` */
    char **names;
    size_t count, room;
    char **hosts; /* per node, from the `.row` file; NULL */
    size_t host_count, host_room;
} vef_paraver_labels; /* zero-initialised is empty */

/* Reads the files beside the trace `path`, if they are there. */
vef_code vef_paraver_labels_read(const char *path, vef_paraver_labels *labels, vef_error *error);
void vef_paraver_labels_free(vef_paraver_labels *labels);

/* The label of a value, or its number in `text`, which has 32 bytes. */
const char *vef_paraver_label(const vef_paraver_labels *labels, uint32_t type, uint64_t value,
                              char *text);

/* The name of a node, from 1; NULL: not known. */
const char *vef_paraver_host(const vef_paraver_labels *labels, uint32_t node);

/* The name of a file beside the trace: with `suffix` instead of `.prv` or `.prv.gz`. Allocated. */
char *vef_paraver_beside(const char *path, const char *suffix);

#endif
