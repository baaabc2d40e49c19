/* What this program was built from. The Makefile writes <built.h>, in the build folder, from its
 * own lists, and compiles only this file again when a new commit changes it. */
#include "cli/version.h"

#include <built.h>
#include <stddef.h>

const char *vef_version(void) {
    return VEF_BUILT_VERSION;
}

const char *vef_version_commit(void) {
    return VEF_BUILT_COMMIT;
}

const char *vef_version_of_results(void) {
    return VEF_BUILT_VERSION "+" VEF_SOURCES;
}

const char *vef_version_compiler(void) {
#ifdef __clang__
    return __VERSION__; /* it has the name: "Clang 14.0.6" */
#else
    return "GCC " __VERSION__;
#endif
}

const vef_feature vef_features[] = {VEF_BUILT_OPTIONAL{NULL, false}};

const char *const vef_capture_names[] = {VEF_BUILT_CAPTURE NULL};
