/* Files: output that appears under its name only when complete, reading whole files, creating
 * folders. Every message names the path. */
#ifndef VEF_COMMON_SYSTEM_FILE_H
#define VEF_COMMON_SYSTEM_FILE_H

#include "common/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* An output file being written through `stream` (also readable and seekable for a regular file). */
typedef struct vef_output {
    FILE *stream;
    char *path;         /* the final name, with symbolic links resolved */
    char *temporary;    /* its name until the commit, beside the final one; NULL: unnamed */
    int cause;          /* errno of the first failure that vef_output_write met */
    bool in_place;      /* a device or a pipe: written directly */
    bool keep_existing; /* set by the caller: the commit fails (EEXIST) rather than replace an
                           existing file */
    bool more_follow;   /* set by the caller, which commits another output of the folder later: that
                           commit synchronises the folder */
} vef_output;

/* Opens a new output; an existing file at `path` stays until the commit, and the output has its
 * mode and, where permitted, its owner and group. "-" is standard output. Where the file system and
 * /proc support it, the output has no name before the commit, so a killed program leaves nothing
 * behind. */
vef_code vef_output_open(vef_output *output, const char *path, vef_error *error);

/* Writes bytes to the stream; a failure (such as a full disk) is reported at the latest by the
 * commit. */
vef_code vef_output_write(vef_output *output, const void *data, size_t bytes, vef_error *error);

/* Flushes, closes and names the output `path`; reports every earlier failure of the stream too. On
 * failure the output is discarded. The content is on the disk before it has the name (fsync), and
 * the name is on the disk when this returns: a crash of the host leaves the former file or the
 * whole output. */
vef_code vef_output_commit(vef_output *output, vef_error *error);

/* Closes and removes the output. Does nothing after a commit or discard. */
void vef_output_discard(vef_output *output);

/* fsync of a descriptor. File systems that do not support it (EINVAL, ENOTSUP) are no failure. 0,
 * or -1 and errno. */
int vef_file_sync(int file);

/* The same for the folder that has the entry `path`; not if this process may not read it. */
int vef_file_sync_folder(const char *path);

/* A name for a file beside `path`: `path` with `suffix` appended, shortened before the suffix where
 * it would exceed the limit of the file system. Allocated. */
char *vef_file_beside(const char *path, const char *suffix);

/* Reads a whole file of at most `limit_bytes` (more is VEF_INVALID). `*text` is allocated, owned by
 * the caller, and has a NUL after its `*bytes` bytes (`bytes` may be NULL). */
vef_code vef_file_read(const char *path, size_t limit_bytes, char **text, size_t *bytes,
                       vef_error *error);

#endif
