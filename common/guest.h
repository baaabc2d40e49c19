/* What a library may use of the process of somebody else's program without a trace: the program's
 * lowest free descriptors, errno, and the limit on the size of files stay as they would be. */
#ifndef VEF_COMMON_GUEST_H
#define VEF_COMMON_GUEST_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Opens a file, close-on-exec, created with mode 0666. Its descriptor is above those that programs
 * use, and never 0 to 2. For a moment the file has the lowest free one. -1 and errno on failure. */
int vef_guest_open(const char *path, int flags);

/* Reads a file, up to `bytes` - 1, as a string into `text`. Returns its length, 0 on failure. */
size_t vef_guest_read(const char *path, char *text, size_t bytes);

/* Whether the process may write a file up to this size (ulimit -f); beyond, the kernel sends
 * SIGXFSZ. */
bool vef_guest_may_write(uint64_t bytes);

/* Restores errno when the calling function returns. */
#define VEF_KEEP_ERRNO __attribute__((cleanup(vef_guest_set_errno))) const int errno_before = errno
static inline void vef_guest_set_errno(const int *before) {
    errno = *before;
}

#endif
