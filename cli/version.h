/* What this program was built from: the version, and what `vef version` prints. */
#ifndef VEF_CLI_VERSION_H
#define VEF_CLI_VERSION_H

#include <stdbool.h>

/* "0.9.0". */
const char *vef_version(void);

/* 12 hexadecimal digits, followed by "-dirty" if the sources were modified; "unknown" without git.
 */
const char *vef_version_commit(void);

/* "0.9.0+4d3c2b1a": with a checksum of the sources that results depend on. */
const char *vef_version_of_results(void);

const char *vef_version_compiler(void); /* "GCC 12.2.0" */

/* The optional libraries that the Makefile knows; ends with a row without a name. */
typedef struct vef_feature {
    const char *name;
    bool built; /* the program uses it */
} vef_feature;
extern const vef_feature vef_features[];

/* The MPI libraries for which a capture library was built, libvefcapture-NAME.so; ends with NULL.
 */
extern const char *const vef_capture_names[];

#endif
