/* Opening files for reading, and a record of which files a process has read: whoever starts it (a
 * study) learns the inputs of its result. The record goes to a descriptor that the process
 * inherits, VEF_INPUTS, and so do those of its own processes and threads. Without it nothing is
 * recorded. */
#ifndef VEF_COMMON_SYSTEM_INPUT_H
#define VEF_COMMON_SYSTEM_INPUT_H

#include "common/status.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* Names the descriptor, a sealable file of memfd_create(2) in append mode. */
#define VEF_INPUTS_VARIABLE "VEF_INPUTS"

/* What a file was when it was opened. A file whose content changes gets another `changed_ns`, which
 * programs cannot set. */
typedef struct vef_input_state {
    uint64_t inode, bytes;
    int64_t modified_ns, changed_ns;
    bool present; /* false: no such file, and the rest is 0 */
} vef_input_state;

/* open(2) with O_RDONLY, O_CLOEXEC and `flags`, recorded. */
int vef_input_open(const char *path, int flags);

/* fopen(3) in mode "r", recorded. */
FILE *vef_input_stream(const char *path);

/* Records a file that a library opens. */
void vef_input_note(const char *path);

/* The state of a file, which need not exist. False: it is not a regular file. */
bool vef_input_look(const char *path, vef_input_state *state);

/* Calls `each` with the files in a record, in the order in which they were opened; a file may occur
 * several times. */
vef_code vef_inputs_read(int record,
                         vef_code (*each)(const char *path, const vef_input_state *state,
                                          void *context, vef_error *error),
                         void *context, vef_error *error);

#endif
