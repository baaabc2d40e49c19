/* What the headers of libvef share: failures, times, visibility.
 *
 * Functions that can fail return VEF_FAILURE_NONE (0), or another code and fill in their last
 * argument, which may be NULL. libvef does not print, exit or keep global state. Different objects
 * may be used by different threads at once; one object by one thread at a time.
 *
 * Structs that a program fills in begin with `size`, the size of the struct that it was compiled
 * with (options = VEF_SIZED(vef_feed_options) sets it and clears the rest), so that later versions
 * can add fields at the end.
 */
#ifndef VEF_BASE_H
#define VEF_BASE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define VEF_PUBLIC __attribute__((visibility("default")))
#else
#define VEF_PUBLIC
#endif

typedef enum vef_failure_code {
    VEF_FAILURE_NONE = 0,
    VEF_FAILURE_INVALID,     /* an argument or a file that is wrong */
    VEF_FAILURE_UNSUPPORTED, /* each is fine, but not together */
    VEF_FAILURE_CORRUPT,     /* a damaged file */
    VEF_FAILURE_VERSION,     /* made for another version */
    VEF_FAILURE_IO,          /* the operating system refused */
    VEF_FAILURE_MEMORY,
    VEF_FAILURE_RUN, /* it ran, and failed */
} vef_failure_code;

typedef struct vef_failure {
    vef_failure_code code;
    char text[1024]; /* what is wrong, where, and what would be right */
} vef_failure;

/* No time: something that will not happen by itself. */
#define VEF_NEVER UINT64_MAX

/* The version of the library, "0.9.0"; lives as long as the program. */
VEF_PUBLIC const char *vef_library_version(void);

#ifdef __cplusplus
}

template <typename T> T vef_sized() {
    T cleared = T();
    cleared.size = sizeof cleared;
    return cleared;
}
#define VEF_SIZED(type) vef_sized<type>()
#else
#define VEF_SIZED(type) ((type){.size = sizeof(type)})
#endif

#endif
