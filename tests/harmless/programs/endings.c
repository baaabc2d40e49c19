/* How a program ends: argv[1]. */
#include "harmless.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>

static void at_exit(void) {
    printf("an exit function\n");
    fflush(stdout);
}
static void exit_from_exit(void) {
    exit(9);
}
static void at_quick_exit_too(void) {
    printf("a quick exit function\n");
    fflush(stdout);
}

static volatile int deep_enough;
static int recurse(int depth) {
    volatile char block[4096];
    block[depth % 4096] = (char)depth;
    return deep_enough ? 0 : recurse(depth + 1) + block[5];
}

static void end_by_exit(void) {
    atexit(at_exit);
    exit(3);
}
static void end_by_leave(void) {
    atexit(at_exit);
    _exit(4);
}
static void end_by_quick_exit(void) {
    at_quick_exit(at_quick_exit_too);
    quick_exit(5);
}
static void end_by_finalize(void) {
    atexit(at_exit);
    MPI_Finalize();
    exit(6);
}
static void end_twice(void) {
    atexit(exit_from_exit);
    MPI_Finalize();
    exit(1);
}
static void end_by_mpi(void) {
    MPI_Abort(MPI_COMM_WORLD, 7);
}
static void end_by_error(void) {
    int in;
    MPI_Recv(&in, 1, MPI_INT, 77, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}
static void end_by_overflow(void) {
    setrlimit(RLIMIT_STACK, &(struct rlimit){256 << 10, RLIM_INFINITY});
    recurse(0);
}
static void end_by_exec(void) {
    fflush(stdout);
    execlp("state", "state", "environment", "files", "signals", "limits", "arguments", NULL);
}
static void end_by_exec_after(void) {
    MPI_Finalize();
    fflush(stdout);
    execlp("state", "state", "environment", "files", "signals", "limits", "arguments", NULL);
}
/* Two programs of MPI in one process, one after the other. */
static void end_by_exec_mpi(void) {
    MPI_Finalize();
    fflush(stdout);
    execlp("exchange", "exchange", "20", NULL);
}
static void end_by_stop(void) { /* continued by a child */
    pid_t parent = getpid();
    if (fork() == 0) {
        char path[64], text[512] = "";
        snprintf(path, sizeof path, "/proc/%d/stat", (int)parent);
        while (strstr(text, ") T ") == NULL && strstr(text, ") t ") == NULL) {
            int file = open(path, O_RDONLY);
            ssize_t length = read(file, text, sizeof text - 1);
            text[length > 0 ? length : 0] = '\0';
            close(file);
            usleep(1000);
        }
        kill(parent, SIGCONT);
        _exit(0);
    }
    raise(SIGSTOP);
    talk(10);
    exit(finish());
}

static const test_case cases[] = {
    {"exit", end_by_exit},
    {"leave", end_by_leave},
    {"quick_exit", end_by_quick_exit},
    {"finalize", end_by_finalize},
    {"twice", end_twice},
    {"abort", end_by_mpi},
    {"error", end_by_error},
    {"overflow", end_by_overflow},
    {"exec", end_by_exec},
    {"exec_after", end_by_exec_after},
    {"exec_mpi", end_by_exec_mpi},
    {"stop", end_by_stop},
    {NULL, NULL},
};

int main(int argc, char **argv) {
    const test_case *chosen = find_case(cases, argv[1]);
    begin(&argc, &argv);
    talk(20);
    chosen->run();
    return 98;
}
