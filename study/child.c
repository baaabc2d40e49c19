/* Processes of points. See child.h. */
#include "study/child.h"

#include "common/clock.h"
#include "common/containers/grow.h"
#include "common/memory.h"
#include "common/system/input.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { REFUSED = 2 }; /* the exit status for errors of usage and input */
enum { MOST_ARGUMENTS = 520, MOST_OUTPUT_BYTES = 1 << 30, MOST_ERROR_BYTES = 1 << 16 };

/* ---- starting ---- */

/* The number of the record of inputs in the new process. */
enum { INPUTS_FILE = 3 };

/* The environment with the number of the record, ended by NULL; from malloc. */
static char **make_environment(void) {
    static char record[] = VEF_INPUTS_VARIABLE "=3";
    size_t count = 0, kept = 0;
    while (environ[count])
        count++;
    char **made = vef_calloc(count + 2, sizeof *made);
    for (size_t i = 0; i < count; i++)
        if (strncmp(environ[i], record, strlen(VEF_INPUTS_VARIABLE "=")) != 0)
            made[kept++] = environ[i];
    made[kept] = record;
    return made;
}

/* In the new process: becomes the program; returns only if that fails. Calls only what is safe
 * after fork(2). */
static void become(const char *program, char *const *arguments, char *const *environment,
                   const int out[2], const int errors[2], int inputs, pid_t parent) {
    static const int restored[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGPIPE, SIGXFSZ};
    sigset_t none;
    const int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent || nothing < 0 || dup2(nothing, STDIN_FILENO) < 0 ||
        dup2(out[1], STDOUT_FILENO) < 0 || dup2(errors[1], STDERR_FILENO) < 0)
        return;
    if (inputs == INPUTS_FILE ? fcntl(inputs, F_SETFD, 0) != 0 : dup2(inputs, INPUTS_FILE) < 0)
        return;
    for (size_t i = 0; i < sizeof restored / sizeof *restored; i++)
        signal(restored[i], SIG_DFL);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    execve(program, arguments, environment);
}

/* Two pipes whose reading ends do not block. */
static bool open_pipes(int out[2], int errors[2]) {
    if (pipe2(out, O_CLOEXEC) != 0)
        return false;
    if (pipe2(errors, O_CLOEXEC) != 0) {
        close(out[0]);
        close(out[1]);
        return false;
    }
    return fcntl(out[0], F_SETFL, O_NONBLOCK) == 0 && fcntl(errors[0], F_SETFL, O_NONBLOCK) == 0;
}

vef_code vef_study_child_start(vef_study_child *child, const char *program,
                               const vef_study_point *point, uint32_t threads, vef_error *error) {
    const char *arguments[MOST_ARGUMENTS + 4] = {"vef"};
    char number[16];
    size_t count = 1;
    int out[2] = {-1, -1}, errors[2] = {-1, -1};
    for (size_t i = 0; i < point->argument_count && count < MOST_ARGUMENTS; i++)
        arguments[count++] = point->arguments[i];
    snprintf(number, sizeof number, "%u", threads);
    if (threads) {
        arguments[count++] = "--threads";
        arguments[count++] = number;
    }
    char **environment = make_environment();
    child->inputs = memfd_create("vef-inputs", MFD_CLOEXEC);
    if (child->inputs < 0 || fcntl(child->inputs, F_SETFL, O_APPEND) != 0 ||
        !open_pipes(out, errors)) {
        const vef_code code = vef_fail_errno(error, "cannot start a point");
        free(environment);
        return code;
    }
    const pid_t parent = getpid(), process = fork();
    if (process == 0) {
        become(program, (char *const *)(uintptr_t)arguments, environment, out, errors,
               child->inputs, parent);
        static const char message[] = "cannot run the program\n";
        if (write(STDERR_FILENO, message, sizeof message - 1) < 0)
            _exit(126);
        _exit(127);
    }
    free(environment);
    close(out[1]);
    close(errors[1]);
    *child = (vef_study_child){.process = process > 0 ? process : 0,
                               .output = {.file = out[0], .open = true},
                               .errors = {.file = errors[0], .open = true},
                               .inputs = child->inputs,
                               .began_s = vef_now_s()};
    if (process > 0)
        return VEF_OK;
    vef_fail_errno(error, "cannot start a point");
    vef_study_child_release(child);
    return VEF_IO;
}

/* ---- reading ---- */

/* What does not fit is dropped: a document that was cut is reported as damaged. */
static void read_text(vef_study_text *text, size_t most_bytes) {
    char chunk[8192];
    while (text->open) {
        const ssize_t got = read(text->file, chunk, sizeof chunk);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0 && errno == EAGAIN)
            return;
        if (got <= 0) {
            close(text->file);
            text->open = false;
            return;
        }
        const size_t bytes = (size_t)got;
        if (text->bytes + bytes >= most_bytes)
            continue;
        vef_grow(&text->text, &text->room, text->bytes + bytes + 1, 1);
        memcpy(text->text + text->bytes, chunk, bytes);
        text->bytes += bytes;
        text->text[text->bytes] = '\0';
    }
}

/* The first line of what it wrote to stderr, without "vef COMMAND: ". */
static const char *first_line(const vef_study_text *errors, const char *otherwise) {
    char *line = errors->text;
    while (line && strstr(line, ": warning: ") &&
           strstr(line, ": warning: ") < strchrnul(line, '\n'))
        line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL;
    if (!line || !*line || *line == '\n')
        return otherwise;
    line[strcspn(line, "\n")] = '\0';
    if (strncmp(line, "vef ", 4) == 0 && strstr(line, ": "))
        line = strstr(line, ": ") + 2;
    return line;
}

bool vef_study_child_read(vef_study_child *child, vef_study_outcome *outcome, int *signal) {
    int status = 0;
    read_text(&child->output, MOST_OUTPUT_BYTES);
    read_text(&child->errors, MOST_ERROR_BYTES);
    if (child->output.open || child->errors.open)
        return false;
    while (waitpid(child->process, &status, 0) < 0 && errno == EINTR)
        ;
    child->process = 0;
    const int ended = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    const bool ran = (ended == 0 || ended == 1) && child->output.bytes > 0;
    *signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    const char *reason = first_line(&child->errors, "ended without a message");
    const bool refused = ended == REFUSED && !strstr(reason, VEF_OUT_OF_MEMORY);
    *outcome = (vef_study_outcome){.state = ran && ended == 0 ? VEF_STUDY_DONE
                                            : ran             ? VEF_STUDY_STALLED
                                            : refused         ? VEF_STUDY_REFUSED
                                                              : VEF_STUDY_FAILED,
                                   .seconds = vef_now_s() - child->began_s,
                                   .document = ran ? child->output.text : NULL};
    if (outcome->state != VEF_STUDY_DONE)
        outcome->reason = reason;
    return true;
}

static void close_text(vef_study_text *text) {
    if (text->open)
        close(text->file);
    free(text->text);
    *text = (vef_study_text){0};
}

void vef_study_child_release(vef_study_child *child) {
    if (child->process > 0) {
        kill(child->process, SIGKILL);
        while (waitpid(child->process, NULL, 0) < 0 && errno == EINTR)
            ;
    }
    child->process = 0;
    if (child->inputs > 0)
        close(child->inputs);
    child->inputs = 0;
    close_text(&child->output);
    close_text(&child->errors);
}
