/* Files of a library in the process of another program: the program's lowest free descriptors and
 * its errno stay as they would be without the library, and no signal is raised. */
#ifndef VEF_COMMON_SYSTEM_DESCRIPTOR_H
#define VEF_COMMON_SYSTEM_DESCRIPTOR_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Opens a file, close-on-exec, created with mode 0666. Its descriptor is above those that programs
 * use, and never 0 to 2. For a moment the file has the lowest free one. -1 and errno on failure. To
 * write, only a regular file without other names: no symbolic or hard link that somebody has put
 * there leads to another file (ELOOP, EMLINK). */
int vef_open_high(const char *path, int flags);

/* Why the files of tasks must not be written to a folder: others may write to it, or chose it.
 * NULL: they may, if it exists. */
const char *vef_folder_refusal(const char *folder);

/* Reads a file, up to `bytes` - 1, as a string into `text`. Returns its length, 0 on failure. */
size_t vef_read_text(const char *path, char *text, size_t bytes);

/* Whether the process may write a file up to this size (ulimit -f); beyond, the kernel sends
 * SIGXFSZ. */
bool vef_size_is_allowed(uint64_t bytes);

/* Restores errno when the calling function returns. */
#define VEF_KEEP_ERRNO __attribute__((cleanup(vef_set_errno))) const int errno_before = errno
static inline void vef_set_errno(const int *before) {
    errno = *before;
}

#endif
