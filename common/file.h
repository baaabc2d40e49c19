/* Files: an output that appears under its name only when it is complete, reading a whole file,
 * making a folder. Every message names the path. */
#ifndef VEF_COMMON_FILE_H
#define VEF_COMMON_FILE_H

#include "common/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* An output under way. Written through `stream` (readable and seekable too, for a regular file). */
typedef struct vef_output {
    FILE *stream;
    char *path;         /* the final name; a symbolic link was followed */
    char *temporary;    /* its name until the commit, beside the final one; NULL: it has none */
    int cause;          /* errno of the first failure that vef_output_write met */
    bool in_place;      /* a device or a pipe: written under its own name */
    bool keep_existing; /* set by the caller: the commit fails (EEXIST) rather than replace a file
                           that has the final name by then */
} vef_output;

/* Opens a new output; a file at `path` stays until the commit. Where the file system and /proc
 * allow, the output has no name before the commit, so that a killed program leaves nothing. On
 * failure nothing is held. */
vef_code vef_output_open(vef_output *output, const char *path, vef_error *error);

/* Writes bytes to the stream; a failure (a full disk) is told at the latest by the commit. */
vef_code vef_output_write(vef_output *output, const void *data, size_t bytes, vef_error *error);

/* Flushes, closes and names the output `path`; reports every earlier failure of the stream too. On
 * failure the output is discarded. Not synchronised to the disk: safe against the end of the
 * program, not against the loss of power. */
vef_code vef_output_commit(vef_output *output, vef_error *error);

/* Closes and removes what was written. Does nothing to an output that is committed or discarded. */
void vef_output_discard(vef_output *output);

/* The name of something beside `path`: `path` with `suffix` appended, the name before it shortened
 * where the whole would be longer than the file system allows. So it can be made wherever a file
 * `path` can. In new memory; NULL without it. */
char *vef_file_beside(const char *path, const char *suffix);

/* Reads a whole file, of at most `limit_bytes` (more is VEF_INVALID); `*text` has a NUL after its
 * `*bytes` bytes (`bytes` may be NULL) and is the caller's to free. */
vef_code vef_file_read(const char *path, size_t limit_bytes, char **text, size_t *bytes,
                       vef_error *error);

#endif
