/* Running the measuring program. See measure.h. */
#include "cli/fit/measure.h"

#include "cli/installed.h"
#include "cli/interrupt.h"
#include "common/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { PATH_BYTES = 4096, NUMBER_BYTES = 32, OPTIONS = 16 };

/* Passes held signals on to the child until it ends; its status as of waitpid. */
static vef_code wait_for(pid_t child, const char *name, vef_error *error) {
    int status = 0, passed_on = 0;
    pid_t ended;
    while ((ended = waitpid(child, &status, WNOHANG)) == 0 || (ended < 0 && errno == EINTR)) {
        const int signal = vef_interrupts_seen();
        if (signal != 0 && signal != passed_on)
            kill(child, passed_on = signal);
        nanosleep(&(struct timespec){0, 20000000}, NULL);
    }
    if (passed_on != 0)
        return vef_fail(error, VEF_STOPPED, "interrupted (%s)", strsignal(passed_on));
    if (ended < 0)
        return vef_fail_errno(error, "%s", name);
    if (WIFSIGNALED(status))
        return vef_fail(error, VEF_FAILED, "%s was ended by signal %d", name, WTERMSIG(status));
    if (WEXITSTATUS(status) == 127)
        return vef_fail(error, VEF_INVALID, "cannot run %s", name);
    if (WEXITSTATUS(status) != 0)
        return vef_fail(error, VEF_FAILED, "the measurement failed: %s ended with status %d", name,
                        WEXITSTATUS(status));
    return VEF_OK;
}

/* Runs the command with an empty input. */
static vef_code run(char *const *arguments, vef_error *error) {
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t mask, ignored;
    pid_t child;
    sigprocmask(SIG_SETMASK, NULL, &mask);
    vef_interrupts_hold();
    sigemptyset(&ignored);
    sigaddset(&ignored, SIGPIPE);
    sigaddset(&ignored, SIGXFSZ);
    int failed = posix_spawn_file_actions_init(&actions);
    if (failed != 0) {
        errno = failed;
        return vef_fail_errno(error, "cannot run %s", arguments[0]);
    }
    failed = posix_spawnattr_init(&attributes);
    if (failed == 0) {
        posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
        posix_spawnattr_setsigmask(&attributes, &mask);
        posix_spawnattr_setsigdefault(&attributes, &ignored);
        failed = posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
        if (failed == 0)
            failed = posix_spawnp(&child, arguments[0], &actions, &attributes, arguments, environ);
        posix_spawnattr_destroy(&attributes);
    }
    posix_spawn_file_actions_destroy(&actions);
    if (failed == 0)
        return wait_for(child, arguments[0], error);
    errno = failed;
    return vef_fail_errno(error, "cannot run %s", arguments[0]);
}

vef_code vef_pingpong_measure(const vef_measuring *measuring, const char *path, vef_error *error) {
    static const char *const usual[] = {"mpiexec.mpich", "-n", "2"};
    enum { USUAL = sizeof usual / sizeof *usual };
    char program[VEF_INSTALLED_BYTES], found[VEF_INSTALLED_BYTES], numbers[5][NUMBER_BYTES];
    vef_code code = vef_installed_find("vefpingpong", "VEF_PINGPONG", program, error);
    if (code != VEF_OK)
        return code;
    const int words = measuring->words > 0 ? measuring->words : USUAL;
    const char **arguments = vef_calloc((size_t)words + OPTIONS, sizeof *arguments);
    int count = 0;
    for (; count < words; count++)
        arguments[count] = measuring->words > 0 ? measuring->launcher[count] : usual[count];
    if (measuring->words == 0 && !vef_program_find(usual[0], found))
        arguments[0] = "mpiexec";
    snprintf(numbers[0], NUMBER_BYTES, "%" PRId64, measuring->sizes);
    snprintf(numbers[1], NUMBER_BYTES, "%" PRId64, measuring->repetitions);
    snprintf(numbers[2], NUMBER_BYTES, "%" PRIu64, measuring->most_bytes);
    snprintf(numbers[3], NUMBER_BYTES, "%" PRIu64, measuring->seed);
    snprintf(numbers[4], NUMBER_BYTES, "%.3f", measuring->limit_s);
    const char *const options[] = {program,    "-o",       path,      "-n",       numbers[0],
                                   "-r",       numbers[1], "-m",      numbers[2], "-s",
                                   numbers[3], "-t",       numbers[4]};
    for (size_t i = 0; i < sizeof options / sizeof *options; i++)
        arguments[count++] = options[i];
    if (measuring->quiet)
        arguments[count++] = "-q";
    if (measuring->warm)
        arguments[count++] = "-w";
    code = run((char *const *)(uintptr_t)arguments, error);
    free(arguments);
    return code;
}
