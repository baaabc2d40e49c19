/* Running the command of `vef capture`: see launch.h. */
#include "cli/capture/launch.h"
#include "cli/installed.h"
#include "cli/interrupt.h"

#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PATH_BYTES = 4096 };

vef_code vef_launch_library(char *path, size_t bytes, vef_error *error) {
    char resolved[VEF_INSTALLED_BYTES];
    if (vef_installed_find("libvefcapture.so", "VEF_LIBRARY", resolved, error) != VEF_OK)
        return error->code;
    const char *name = strrchr(resolved, '/') + 1;
    if (strpbrk(resolved, ":;") != NULL || strchr(name, ' ') != NULL)
        return vef_fail(error, VEF_INVALID,
                        "%s: expected a path without colon or semicolon and a name without space, "
                        "for LD_PRELOAD: set VEF_LIBRARY to a copy",
                        resolved);
    if (strlen(resolved) >= bytes)
        return vef_fail(error, VEF_INVALID, "%s: path too long", resolved);
    strcpy(path, resolved);
    return VEF_OK;
}

/* Puts `first` in front of the list that an environment variable holds, separated by a colon. */
static void prepend(const char *variable, const char *first) {
    char list[3 * PATH_BYTES];
    const char *former = getenv(variable);
    const bool more = former != NULL && *former != '\0';
    snprintf(list, sizeof list, "%s%s%s", first, more ? ":" : "", more ? former : "");
    setenv(variable, list, 1);
}

#ifdef __SANITIZE_ADDRESS__
/* The AddressSanitizer build needs its runtime loaded first. */
static int find_runtime(struct dl_phdr_info *object, size_t size, void *path) {
    (void)size;
    if (strstr(object->dlpi_name, "/libasan.so") == NULL)
        return 0;
    snprintf(path, PATH_BYTES, "%s:", object->dlpi_name);
    return 1;
}

/* Leaks of MPI itself are ignored, and faults of the program must reach the program. */
static void prepare_sanitizer(char *runtime) {
    char options[PATH_BYTES];
    const char *former = getenv("ASAN_OPTIONS");
    dl_iterate_phdr(find_runtime, runtime);
    snprintf(options, sizeof options,
             "%s:detect_leaks=0:handle_segv=0:handle_abort=0:handle_sigbus=0",
             former != NULL ? former : "");
    setenv("ASAN_OPTIONS", options, 1);
}
#else
/* A program with AddressSanitizer ends if another library comes before its runtime, whose functions
 * that one might hide; the capture library shows none. Options of the user come later, and win. */
static void prepare_sanitizer(char *runtime) {
    (void)runtime;
    prepend("ASAN_OPTIONS", "verify_asan_link_order=0");
}
#endif

/* Spaces separate the entries of LD_PRELOAD: a library in a folder with a space in its name is
 * preloaded by name, and the folder added to LD_LIBRARY_PATH, where only colons separate. */
static void preload(const char *library) {
    char list[2 * PATH_BYTES], runtime[PATH_BYTES + 1] = "", folder[PATH_BYTES];
    prepare_sanitizer(runtime);
    const char *name = library;
    if (strchr(library, ' ') != NULL) {
        name = strrchr(library, '/') + 1;
        snprintf(folder, sizeof folder, "%.*s", (int)(name - library - 1), library);
        prepend("LD_LIBRARY_PATH", folder);
    }
    snprintf(list, sizeof list, "%s%s", runtime, name);
    prepend("LD_PRELOAD", list);
}

/* Open MPI's mpirun does not pass its environment on to other nodes, except what this setting lists
 * (Open MPI 3 and later). It refuses the setting beside its option -x: then the user lists the
 * variables. */
static void forward_to_nodes(char *const *argv) {
    static const char setting[] = "OMPI_MCA_mca_base_env_list";
    char list[2 * PATH_BYTES] = "LD_PRELOAD";
    for (size_t i = 1; argv[i] != NULL; i++)
        if (strcmp(argv[i], "-x") == 0)
            return;
    for (char **variable = environ; *variable != NULL; variable++)
        if (strncmp(*variable, "VEF_CAPTURE_", 12) == 0) {
            const size_t length = strlen(list);
            snprintf(list + length, sizeof list - length, ";%.*s", (int)strcspn(*variable, "="),
                     *variable);
        }
    const char *former = getenv(setting);
    if (former != NULL && *former != '\0') {
        const size_t length = strlen(list);
        snprintf(list + length, sizeof list - length, ";%s", former);
    }
    setenv(setting, list, 1);
}

/* Whether a command is called like a launcher of Open MPI. */
static bool is_mpirun(const char *command) {
    static const char *const names[] = {"mpirun",         "mpiexec",         "orterun", "prterun",
                                        "mpirun.openmpi", "mpiexec.openmpi", NULL};
    const char *name = strrchr(command, '/') != NULL ? strrchr(command, '/') + 1 : command;
    for (size_t i = 0; names[i] != NULL; i++)
        if (strcmp(name, names[i]) == 0)
            return true;
    return false;
}

/* In the child: sets the environment and executes the command; returns only with errno set. */
static void become(char *const *argv, const char *library, const char *const *variables) {
    preload(library);
    for (size_t i = 0; variables[i] != NULL; i++)
        putenv((char *)(uintptr_t)variables[i]);
    if (is_mpirun(argv[0]))
        forward_to_nodes(argv);
    execvp(argv[0], argv);
}

static volatile sig_atomic_t child_pid, interrupted_by;

int vef_launch_interrupted(void) {
    return interrupted_by;
}

/* ^C on a terminal reaches the command directly; signals sent only to this process are passed on.
 */
static void pass_on(int signal, siginfo_t *info, void *context) {
    (void)context;
    int former = errno;
    if (signal != SIGUSR1 && signal != SIGUSR2)
        interrupted_by = signal;
    if (info->si_code <= 0 && child_pid > 0)
        kill((pid_t)child_pid, signal);
    errno = former;
}

static const int passed_on[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2};
enum { PASSED_ON = sizeof passed_on / sizeof *passed_on };

/* The errno of `become`, 0 if it succeeded. */
static int start_error(int pipe_end) {
    int failed = 0;
    ssize_t length;
    while ((length = read(pipe_end, &failed, sizeof failed)) < 0 && errno == EINTR)
        ;
    return length == (ssize_t)sizeof failed ? failed : 0;
}

/* Waits for the child, and meanwhile reaps adopted processes. Returns its status. */
static int wait_for(pid_t child) {
    int how = 0;
    for (;;) {
        pid_t ended = waitpid(-1, &how, 0);
        if (ended == child || (ended < 0 && errno != EINTR))
            return how;
    }
}

vef_code vef_launch(char *const *argv, const char *library, const char *const *variables,
                    const sigset_t *mask, int *status, vef_error *error) {
    int ends[2], how = 0;
    *status = 126;
    if (pipe2(ends, O_CLOEXEC) != 0)
        return vef_fail_errno(error, "pipe");
    prctl(PR_SET_CHILD_SUBREAPER,
          1); /* tasks whose launcher has died become children of this process */
    struct sigaction former[PASSED_ON],
        action = {.sa_sigaction = pass_on, .sa_flags = SA_SIGINFO | SA_RESTART};
    pid_t child = fork();
    if (child == 0) {
        sigprocmask(SIG_SETMASK, mask, NULL);
        become(argv, library, variables);
        int failed = errno;
        ssize_t written = write(ends[1], &failed, sizeof failed);
        _exit(written > 0 && failed == ENOENT ? 127 : 126);
    }
    int fork_error = errno;
    close(ends[1]);
    child_pid = child;
    for (int i = 0; i < PASSED_ON; i++)
        sigaction(passed_on[i], &action, &former[i]);
    sigprocmask(SIG_SETMASK, mask, NULL);
    int failed = child < 0 ? fork_error : start_error(ends[0]);
    close(ends[0]);
    if (child > 0)
        how = wait_for(child);
    vef_interrupts_hold();
    for (int i = 0; i < PASSED_ON; i++)
        sigaction(passed_on[i], &former[i], NULL);
    child_pid = 0;
    if (failed != 0) {
        *status = failed == ENOENT ? 127 : 126;
        errno = failed;
        return vef_fail_errno(error, "cannot run %s", argv[0]);
    }
    *status = WIFSIGNALED(how) ? 128 + WTERMSIG(how) : WEXITSTATUS(how);
    return VEF_OK;
}
