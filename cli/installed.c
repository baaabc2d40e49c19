/* Looks for files that are installed with the program. See installed.h. */
#include "cli/installed.h"

#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

_Static_assert(VEF_INSTALLED_BYTES >= PATH_MAX, "realpath writes PATH_MAX bytes");

/* Relative to the folder of the program. */
static const char *const folders[] = {
    ".",
    "../lib/vef",
    "../lib64/vef",
#ifdef VEF_MULTIARCH
    "../lib/" VEF_MULTIARCH "/vef",
#endif
};
enum { FOLDERS = sizeof folders / sizeof *folders };

static bool find_beside(const char *program, const char *name, char *path) {
    char candidate[2 * VEF_INSTALLED_BYTES];
    for (size_t i = 0; i < FOLDERS; i++) {
        snprintf(candidate, sizeof candidate, "%s/%s/%s", program, folders[i], name);
        if (realpath(candidate, path) != NULL)
            return true;
    }
    return false;
}

vef_code vef_installed_find(const char *name, const char *variable, char path[VEF_INSTALLED_BYTES],
                            vef_error *error) {
    char program[VEF_INSTALLED_BYTES], list[512] = "";
    const char *wish = getenv(variable);
    if (wish != NULL && *wish != '\0')
        return realpath(wish, path) != NULL ? VEF_OK
                                            : vef_fail_errno(error, "%s=%s", variable, wish);
    const ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    if (length < 0)
        return vef_fail_errno(error, "/proc/self/exe");
    program[length] = '\0';
    const char *folder = dirname(program);
    if (find_beside(folder, name, path))
        return VEF_OK;
    for (size_t i = 1; i < FOLDERS; i++)
        vef_append(list, sizeof list, ", %s", folders[i]);
    return vef_fail(error, VEF_INVALID, "%s: not found in %s%s: expected there, or at %s=PATH",
                    name, folder, list, variable);
}

bool vef_program_find(const char *word, char path[VEF_INSTALLED_BYTES]) {
    if (strchr(word, '/') != NULL) {
        snprintf(path, VEF_INSTALLED_BYTES, "%s", word);
        return access(path, X_OK) == 0;
    }
    for (const char *folder = getenv("PATH"); folder != NULL && *word != '\0';) {
        const size_t length = strcspn(folder, ":");
        snprintf(path, VEF_INSTALLED_BYTES, "%.*s/%s", (int)length, folder, word);
        if (access(path, X_OK) == 0)
            return true;
        folder = folder[length] != '\0' ? folder + length + 1 : NULL;
    }
    return false;
}
