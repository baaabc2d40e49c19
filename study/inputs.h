/* The contents of files that points read. */
#ifndef VEF_STUDY_INPUTS_H
#define VEF_STUDY_INPUTS_H

#include "common/hash.h"
#include "common/index.h"
#include "common/status.h"

#include <stdbool.h>

typedef struct vef_study_input {
    char *path; /* from malloc */
    vef_hash hash;
    vef_code code; /* of reading it */
    char *reason;  /* likewise, from malloc; NULL: read */
} vef_study_input;

typedef struct vef_study_inputs {
    vef_study_input *list;
    size_t count, room;
    vef_index index;
} vef_study_inputs; /* zero-initialised is empty */

/* Adds the content of a file to `hash`. Each file is read once. */
vef_code vef_study_inputs_add(vef_study_inputs *inputs, const char *path, vef_hash *hash,
                              vef_error *error);

/* Adds the contents of all regular files that words of the text name: "file(places.txt)".
 * Relative names are looked up in the folder, "" for the working directory. */
vef_code vef_study_inputs_add_named(vef_study_inputs *inputs, const char *folder, const char *text,
                                    vef_hash *hash, vef_error *error);

void vef_study_inputs_free(vef_study_inputs *inputs);

#endif
