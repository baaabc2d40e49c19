/* Running a program between two files. See filter.h. */
#include "common/filter.h"

#include <errno.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

/* Runs the program with one open file as input and the other as output; `*status` as of waitpid.
 * Returns an errno. */
static int run(char *const *arguments, int from, int to, int *status) {
    posix_spawn_file_actions_t actions;
    pid_t child;
    int failed = posix_spawn_file_actions_init(&actions);
    if (failed != 0)
        return failed;
    failed = posix_spawn_file_actions_adddup2(&actions, from, 0);
    if (failed == 0)
        failed = posix_spawn_file_actions_adddup2(&actions, to, 1);
    if (failed == 0)
        failed = posix_spawnp(&child, arguments[0], &actions, NULL, arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    while (failed == 0 && waitpid(child, status, 0) < 0)
        failed = errno == EINTR ? 0 : errno;
    return failed;
}

vef_code vef_filter_run(char *const *arguments, const char *needs, FILE *from, FILE *to,
                        vef_error *error) {
    const char *name = arguments[0];
    int status = 0;
    if (fflush(from) != 0 || ferror(from) || lseek(fileno(from), 0, SEEK_SET) != 0)
        return vef_fail_errno(error, "the input of %s", name);
    const int failed = run(arguments, fileno(from), fileno(to), &status);
    if (failed == ENOENT || (failed == 0 && WIFEXITED(status) && WEXITSTATUS(status) == 127))
        return vef_fail(error, VEF_UNSUPPORTED, "%s", needs);
    if (failed != 0) {
        errno = failed;
        return vef_fail_errno(error, "cannot run %s", name);
    }
    if (WIFSIGNALED(status))
        return vef_fail(error, VEF_FAILED, "%s was ended by signal %d", name, WTERMSIG(status));
    if (WEXITSTATUS(status) != 0)
        return vef_fail(error, VEF_FAILED, "%s failed with status %d", name, WEXITSTATUS(status));
    return VEF_OK;
}
