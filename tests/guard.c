/* Runs a test so that it cannot hang and leaves no process behind:
 *
 *     guard LIMIT_S COMMAND...
 *
 * The command has a session of its own, and this process adopts what its descendants leave behind
 * (PR_SET_CHILD_SUBREAPER), also daemons with sessions and environments of their own.
 *
 * The command hangs if for LIMIT_S seconds none of its processes begins or ends and its output, the
 * file that is stdout, does not grow; or if it takes ten times as long. While its processes
 * compute, seconds of a core count, so that a busy machine makes no test hang. What hangs is listed
 * and ended; the status is 124.
 *
 * Processes that are left LIMIT_S / 6 seconds after the command has ended are listed and ended; the
 * status is 125, if the command's own is 0. */
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MOST = 1 << 15, HANGS = 124, LEAVES = 125 };

typedef struct process {
    int pid, parent;
    char state;
    bool descends;              /* from this process */
    unsigned long user, system; /* clock ticks */
    unsigned long long began;
} process;

/* The processes of the test at one moment. */
typedef struct picture {
    size_t count, running;
    uint64_t identity; /* a sum over the processes */
    double cpu_s;
    off_t output_bytes;
} picture;

static process known[MOST];
static size_t known_count;

static double now_s(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static size_t read_proc(int pid, const char *name, char *text, size_t room) {
    snprintf(text, room, "/proc/%d/%s", pid, name);
    const int file = open(text, O_RDONLY | O_CLOEXEC);
    const ssize_t got = file < 0 ? -1 : read(file, text, room - 1);
    if (file >= 0)
        close(file);
    text[got < 0 ? 0 : got] = '\0';
    return got < 0 ? 0 : (size_t)got;
}

/* False if it has ended. */
static bool read_process(int pid, process *into) {
    char text[1024];
    read_proc(pid, "stat", text, sizeof text);
    const char *rest = strrchr(text, ')'); /* the name in brackets may hold anything */
    *into = (process){.pid = pid};
    return rest != NULL &&
           sscanf(rest + 1,
                  " %c %d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu %*d %*d %*d %*d %*d %*d %llu",
                  &into->state, &into->parent, &into->user, &into->system, &into->began) == 5 &&
           into->state != 'Z' && into->state != 'X';
}

static int compare_processes(const void *a, const void *b) {
    const int x = ((const process *)a)->pid, y = ((const process *)b)->pid;
    return (x > y) - (x < y);
}

static bool is_descendant(int pid) {
    const process key = {.pid = pid};
    const process *found = bsearch(&key, known, known_count, sizeof key, compare_processes);
    return found != NULL && found->descends;
}

static picture look(void) {
    const int self = getpid();
    picture seen = {0};
    struct stat output;
    const struct dirent *entry;
    DIR *proc = opendir("/proc");
    known_count = 0;
    while (proc != NULL && known_count < MOST && (entry = readdir(proc)) != NULL)
        if (atoi(entry->d_name) > 0 && read_process(atoi(entry->d_name), &known[known_count]))
            known_count++;
    if (proc != NULL)
        closedir(proc);
    qsort(known, known_count, sizeof *known, compare_processes);
    /* Parents come before their children, but where numbers of processes began anew. */
    for (bool more = true; more;) {
        more = false;
        for (size_t i = 0; i < known_count; i++)
            if (!known[i].descends && (known[i].parent == self || is_descendant(known[i].parent)))
                known[i].descends = more = true;
    }
    for (size_t i = 0; i < known_count; i++)
        if (known[i].descends) {
            seen.count++;
            seen.running += known[i].state == 'R';
            seen.identity += ((uint64_t)known[i].pid << 40 ^ known[i].began) * 0x9e3779b97f4a7c15;
            seen.cpu_s += (double)(known[i].user + known[i].system) / (double)sysconf(_SC_CLK_TCK);
        }
    seen.output_bytes = fstat(STDOUT_FILENO, &output) == 0 ? output.st_size : 0;
    return seen;
}

static void list(const char *what) {
    char text[256];
    look();
    printf("%s\n", what);
    for (size_t i = 0; i < known_count; i++)
        if (known[i].descends) {
            const size_t length = read_proc(known[i].pid, "cmdline", text, sizeof text);
            for (size_t c = 0; c + 1 < length; c++)
                text[c] = text[c] == '\0' ? ' ' : text[c];
            printf("  process %d, child of %d, state %c, %lu clock ticks: %s\n", known[i].pid,
                   known[i].parent, known[i].state, known[i].user + known[i].system, text);
        }
    fflush(stdout);
}

/* Takes the status of every child that has ended; that of `command` into *status. */
static bool reap(pid_t command, int *status) {
    int one;
    bool ended = false;
    for (pid_t pid; (pid = waitpid(-1, &one, WNOHANG)) > 0;)
        if (pid == command) {
            *status = WIFEXITED(one) ? WEXITSTATUS(one) : 128 + WTERMSIG(one);
            ended = true;
        }
    return ended;
}

static void signal_all(int number) {
    look();
    for (size_t i = 0; i < known_count; i++)
        if (known[i].descends)
            kill(known[i].pid, number);
}

/* Whether all processes end within so many seconds; they get the signal, unless it is 0, until
 * then. As long as there is one, this process has a child: its ancestor or, adopted, itself. */
static bool are_gone(double within_s, int number) {
    const double end_s = now_s() + within_s;
    for (;;) {
        pid_t pid;
        while ((pid = waitpid(-1, NULL, WNOHANG)) > 0)
            continue;
        if (pid < 0)
            return true;
        if (now_s() >= end_s)
            return false;
        if (number != 0)
            signal_all(number);
        nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
    }
}

static void end_all(void) {
    signal_all(SIGTERM); /* scripts may have to tidy up */
    if (!are_gone(3, 0) && !are_gone(30, SIGKILL))
        list("these cannot be ended:");
}

/* How much of the time between two pictures counts as a time without progress. */
static double stuck_s(const picture *before, const picture *after, double elapsed_s) {
    const double cpu_s = after->cpu_s - before->cpu_s;
    const double cores = (double)sysconf(_SC_NPROCESSORS_ONLN);
    if (after->running == 0 && cpu_s < elapsed_s / 10)
        return elapsed_s;
    const double shared = (double)after->running < cores ? (double)after->running : cores;
    const double each_s = shared > 1 ? cpu_s / shared : cpu_s;
    return each_s < elapsed_s ? each_s : elapsed_s;
}

/* The status of the command, or of this program where it has to end it. */
static int watch(pid_t command, const sigset_t *signals, double limit_s) {
    const double began_s = now_s();
    double looked_s = began_s, still_s = 0;
    picture last = look();
    int status = 0;
    while (!reap(command, &status)) {
        const int got = sigtimedwait(signals, NULL, &(struct timespec){.tv_nsec = 500000000});
        if (got > 0 && got != SIGCHLD) {
            end_all();
            return 128 + got;
        }
        const double at_s = now_s();
        if (at_s - looked_s < 0.5)
            continue;
        const picture seen = look();
        const bool same = seen.identity == last.identity && seen.output_bytes == last.output_bytes;
        still_s = same ? still_s + stuck_s(&last, &seen, at_s - looked_s) : 0;
        if (still_s >= limit_s || at_s - began_s >= 10 * limit_s) {
            list(still_s >= limit_s ? "hangs: no process began or ended and nothing was printed:"
                                    : "takes too long:");
            end_all();
            return HANGS;
        }
        last = seen;
        looked_s = at_s;
    }
    if (are_gone(limit_s / 6, 0))
        return status;
    list("leaves processes behind:");
    end_all();
    return status != 0 ? status : LEAVES;
}

int main(int argc, char **argv) {
    sigset_t signals, former;
    const double limit_s = argc > 2 ? atof(argv[1]) : 0;
    if (limit_s <= 0) {
        fprintf(stderr, "usage: guard LIMIT_S COMMAND...\n");
        return 2;
    }
    sigemptyset(&signals);
    for (const int *one = (const int[]){SIGCHLD, SIGHUP, SIGINT, SIGTERM, 0}; *one != 0; one++)
        sigaddset(&signals, *one);
    sigprocmask(SIG_BLOCK, &signals, &former);
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    const pid_t command = fork();
    if (command == 0) {
        setsid();
        sigprocmask(SIG_SETMASK, &former, NULL);
        signal(SIGINT, SIG_DFL); /* a script that starts a suite with & ignores both for it */
        signal(SIGQUIT, SIG_DFL);
        execvp(argv[2], argv + 2);
        perror(argv[2]);
        _exit(127);
    }
    return command < 0 ? 1 : watch(command, &signals, limit_s);
}
