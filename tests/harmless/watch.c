/* Runs a command for tests/harmless/run.sh and writes down how it ended.
 *
 *     watch job FOLDER SECONDS COMMAND...   a whole job: its output goes to FOLDER/out and
 * FOLDER/err watch task FOLDER COMMAND...          a task of it: FOLDER/out-RANK and
 * FOLDER/err-RANK
 *
 * FOLDER/end, or end-RANK, is the line "exit STATUS" or "signal NUMBER"; of a job that takes longer
 * than SECONDS it is "hung". A job has ended when all processes that it has left behind have ended,
 * daemons too. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { PATH_BYTES = 4096 };

static void fail(const char *what) {
    perror(what);
    exit(125);
}

/* Makes FOLDER/NAME, or FOLDER/NAME-RANK, the descriptor `target`. */
static void redirect(const char *folder, const char *name, const char *rank, int target) {
    char path[PATH_BYTES];
    snprintf(path, sizeof path, "%s/%s%s%s", folder, name, *rank ? "-" : "", rank);
    int file = open(path, O_WRONLY | O_CREAT | O_APPEND, 0666);
    if (file < 0 || (file != target && dup2(file, target) != target))
        fail(path);
    if (file != target)
        close(file);
}

static void write_end(const char *folder, const char *rank, const char *text) {
    char path[PATH_BYTES];
    snprintf(path, sizeof path, "%s/end%s%s", folder, *rank ? "-" : "", rank);
    FILE *file = fopen(path, "w");
    if (file == NULL || fprintf(file, "%s\n", text) < 0 || fclose(file) != 0)
        fail(path);
}

static const char *rank_of(void) {
    static const char *const names[] = {"PMI_RANK", "OMPI_COMM_WORLD_RANK"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (getenv(names[i]) != NULL)
            return getenv(names[i]);
    return "0";
}

static pid_t start(const char *folder, const char *rank, char **command) {
    pid_t parent = getpid(), child = fork();
    if (child != 0)
        return child;
    if (*rank != '\0') { /* the launcher kills this process, not its child */
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (getppid() != parent)
            _exit(125);
    }
    redirect(folder, "out", rank, STDOUT_FILENO);
    redirect(folder, "err", rank, STDERR_FILENO);
    execvp(command[0], command);
    fail(command[0]);
    return -1;
}

/* Kills the children of this process until none is left: orphans of killed ones are its children.
 */
static void kill_rest(void) {
    char path[64], list[PATH_BYTES];
    snprintf(path, sizeof path, "/proc/self/task/%d/children", (int)getpid());
    do {
        FILE *file = fopen(path, "r");
        size_t length = file != NULL ? fread(list, 1, sizeof list - 1, file) : 0;
        if (file != NULL)
            fclose(file);
        list[length] = '\0';
        for (char *word = strtok(list, " \n"); word != NULL; word = strtok(NULL, " \n"))
            kill((pid_t)atoi(word), SIGKILL);
    } while (waitpid(-1, NULL, 0) > 0);
}

static const char *describe(int how, char *text, size_t bytes) {
    snprintf(text, bytes, WIFSIGNALED(how) ? "signal %d" : "exit %d",
             WIFSIGNALED(how) ? WTERMSIG(how) : WEXITSTATUS(how));
    return text;
}

static int run_task(const char *folder, char **command) {
    char text[32];
    int how = 0;
    const char *rank = rank_of();
    pid_t child = start(folder, rank, command);
    while (waitpid(child, &how, 0) < 0 && errno == EINTR)
        ;
    write_end(folder, rank, describe(how, text, sizeof text));
    if (WIFEXITED(how))
        return WEXITSTATUS(how);
    signal(WTERMSIG(how), SIG_DFL);
    raise(WTERMSIG(how));
    return 128 + WTERMSIG(how);
}

static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static int run_job(const char *folder, double limit, char **command) {
    char text[32] = "hung";
    int how = 0;
    double began = seconds();
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    pid_t child = start(folder, "", command), ended = 0;
    while (ended >= 0 && seconds() - began < limit) {
        ended = waitpid(-1, &how, WNOHANG);
        if (ended == child)
            describe(how, text, sizeof text);
        if (ended == 0)
            nanosleep(&(struct timespec){0, 5000000}, NULL);
    }
    if (ended >= 0 || errno != ECHILD) {
        snprintf(text, sizeof text, "hung");
        kill_rest();
    }
    write_end(folder, "", text);
    return 0;
}

int main(int argc, char **argv) {
    if (argc > 3 && strcmp(argv[1], "task") == 0)
        return run_task(argv[2], argv + 3);
    if (argc > 4 && strcmp(argv[1], "job") == 0)
        return run_job(argv[2], atof(argv[3]), argv + 4);
    fprintf(stderr, "usage: watch job FOLDER SECONDS COMMAND... | watch task FOLDER COMMAND...\n");
    return 125;
}
