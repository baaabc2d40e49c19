/* Running the command of `vef capture`: see launch.h. */
#include "cli/capture/launch.h"
#include "cli/capture/environment.h"
#include "cli/capture/words.h"
#include "cli/installed.h"
#include "cli/interrupt.h"
#include "common/system/file_kind.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

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

/* `waits`: options with which the command waits for its job. `passes`: the option with which the
 * job gets the environment; "": always, NULL: never. */
static const struct {
    const char *name, *verb, *waits[5], *passes;
} queues_of[] = {
    {"sbatch", NULL, {"--wait", "-W"}, ""},
    {"bsub", NULL, {"-K", "-I", "-Ip", "-Is"}, ""},
    {"flux", "batch", {"--wait"}, ""},
    {"flux", "submit", {"--wait"}, ""},
    {"qsub", NULL, {"-sync", "block=true", "-Wblock=true"}, "-V"},
    {"condor_submit", NULL, {NULL}, NULL},
    {"at", NULL, {NULL}, NULL}, /* set-user-ID: the loader removes LD_PRELOAD */
    {"batch", NULL, {NULL}, NULL},
};

vef_code vef_launch_queues(char *const *command, bool *queues, vef_error *error) {
    const char *name = vef_word_name(command[0]);
    *queues = false;
    for (size_t i = 0; i < sizeof queues_of / sizeof *queues_of; i++) {
        const char *verb = queues_of[i].verb, *passes = queues_of[i].passes;
        if (strcmp(name, queues_of[i].name) != 0 ||
            (verb != NULL && (command[1] == NULL || strcmp(command[1], verb) != 0)))
            continue;
        if (passes == NULL ||
            (*passes != '\0' && !vef_words_have(command, (const char *[]){passes, NULL})))
            return vef_fail(error, VEF_INVALID,
                            "%s does not pass LD_PRELOAD on to its job: expected %s%svef capture "
                            "inside the job",
                            name, passes != NULL ? passes : "", passes != NULL ? ", or " : "");
        *queues = !vef_words_have(command, queues_of[i].waits);
    }
    return VEF_OK;
}

/* In the child: executes the command; returns only with errno set. */
static void become(char *const *argv, const char *library, const char *const *variables) {
    char **words = vef_capture_environment(argv, library, variables);
    errno = ENOMEM;
    if (words != NULL)
        execvp(words[0], words);
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
        vef_fail_errno(error, "cannot run %s", argv[0]);
        return vef_fail_kind(error, argv[0], "program", "a program");
    }
    *status = WIFSIGNALED(how) ? 128 + WTERMSIG(how) : WEXITSTATUS(how);
    return VEF_OK;
}
