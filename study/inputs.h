/* The files that points read, and hashes of their contents. */
#ifndef VEF_STUDY_INPUTS_H
#define VEF_STUDY_INPUTS_H

#include "common/config/config.h"
#include "common/containers/hash.h"
#include "common/containers/index.h"
#include "common/report/result.h"
#include "common/system/input.h"

/* The content of a file that a point has read. */
typedef struct vef_study_input {
    char *path; /* as it was opened; from malloc */
    vef_input_state state;
    vef_hash hash;
    bool settled; /* another content would have another state */
    bool looked;  /* `state` was found in this process */
} vef_study_input;

typedef struct vef_study_inputs {
    vef_study_input *list;
    size_t count, room;
    vef_index index;
} vef_study_inputs; /* zero-initialised is empty */

/* The present content of a file, which is read unless one with the same state has been. Looks at
 * the file once, and again if `again`. VEF_IO: it exists, but cannot be read. */
vef_code vef_study_inputs_get(vef_study_inputs *inputs, const char *path, bool again,
                              vef_study_input *found, vef_error *error);

/* Members of a result, as a list: written for what a point has read (NULL: nothing) … */
void vef_study_inputs_write(const vef_study_inputs *read, const char *const *keyed,
                            vef_result *into);

/* … learned from an earlier result, so that unchanged files are not read again … */
void vef_study_inputs_learn(vef_study_inputs *inputs, const vef_node *list);

/* … and compared with the present contents: the first path whose content is another one; NULL:
 * none. What is part of the key of the point is not compared. */
const char *vef_study_inputs_compare(vef_study_inputs *inputs, const vef_node *list);

/* Adds what the record of a process says to `read`. VEF_FAILED: a file changed between the
 * resolution of its point, its opening and now. */
vef_code vef_study_inputs_collect(vef_study_inputs *inputs, int record, const char *const *keyed,
                                  vef_study_inputs *read, vef_error *error);

void vef_study_inputs_free(vef_study_inputs *inputs);

#endif
