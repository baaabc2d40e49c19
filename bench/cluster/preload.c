/* Loaded into the tasks of a measured program: notes the time between MPI_Init and MPI_Finalize,
 * and lets tasks that share cores wait without using a core. Needs no mpi.h, so one build fits
 * every MPI library.
 *
 * Time: tasks leave MPI_Init together. At MPI_Finalize each task appends a line to the file
 * $CLUSTER_TIMES, the end of MPI_Init and the begin of MPI_Finalize in ns of CLOCK_MONOTONIC, which
 * all namespaces of a machine share; the end is a call of MPI_Pcontrol(0) instead, if recording is
 * never turned on again. Works for programs that print no time, and means what a replay predicts.
 *
 * Waiting: an MPI library polls its sockets by epoll_wait or poll with a timeout of 0 until
 * something arrives. After POLLS such calls in vain, in a row and without a long pause between
 * them, a call waits in the kernel instead, at most LONGEST_NS: whatever arrives wakes it at once,
 * as if the task had a core of its own to poll on. A wait is short at first, so that a few
 * non-blocking calls in a row that also poll lose little. CLUSTER_POLL=1 leaves polls as they are.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

enum { POLLS = 4, PAUSE_NS = 20000000, SHORTEST_NS = 20000, LONGEST_NS = 1000000 };

static uint64_t now_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* ---- priority ---- */

/* Where the scheduler divides cores among sessions first (autogroup), nice has no effect between
 * sessions, and mpiexec's daemons begin new ones. So the priority of the task's own session is set
 * here. */
__attribute__((constructor)) static void raise_priority(void) {
    const char *nice = getenv("CLUSTER_NICE");
    const int file = nice ? open("/proc/self/autogroup", O_WRONLY) : -1;
    if (file < 0)
        return;
    dprintf(file, "%s", nice);
    close(file);
}

/* ---- waiting ---- */

static __thread uint32_t in_vain;
static __thread uint64_t last_ns, wait_ns;

/* How long a poll that would not wait may wait; called before it. */
static struct timespec patience(void) {
    static int polls = -1;
    if (polls < 0)
        polls = getenv("CLUSTER_POLL") != NULL;
    if (polls || in_vain < POLLS)
        return (struct timespec){0};
    if (now_ns() - last_ns > PAUSE_NS) {
        in_vain = 0;
        return (struct timespec){0};
    }
    wait_ns = wait_ns == 0 ? SHORTEST_NS : wait_ns < LONGEST_NS / 2 ? 2 * wait_ns : LONGEST_NS;
    return (struct timespec){0, (long)wait_ns};
}

static int polled(int events) {
    in_vain = events == 0 ? in_vain + 1 : 0;
    if (events != 0)
        wait_ns = 0;
    if (in_vain >= POLLS)
        last_ns = now_ns();
    return events;
}

int epoll_wait(int fd, struct epoll_event *events, int most, int timeout) {
    if (timeout != 0) {
        const struct timespec limit = {timeout / 1000, timeout % 1000 * 1000000L};
        return epoll_pwait2(fd, events, most, timeout < 0 ? NULL : &limit, NULL);
    }
    const struct timespec limit = patience();
    return polled(epoll_pwait2(fd, events, most, &limit, NULL));
}

int poll(struct pollfd *files, nfds_t count, int timeout) {
    if (timeout != 0) {
        const struct timespec limit = {timeout / 1000, timeout % 1000 * 1000000L};
        return ppoll(files, count, timeout < 0 ? NULL : &limit, NULL);
    }
    const struct timespec limit = patience();
    return polled(ppoll(files, count, &limit, NULL));
}

/* ---- time ---- */

static uint64_t begun_ns, off_ns; /* off_ns: when recording was turned off, 0: it is on */

static void *next(const char *name) {
    void *function = dlsym(RTLD_NEXT, name);
    if (!function) {
        fprintf(stderr, "preload.c: no %s in the program's MPI library\n", name);
        _exit(1);
    }
    return function;
}

enum { WORLD = 0x44000000, BYTE = 0x4c00010d, ANY_SOURCE = -2, ANY_TAG = -1, TAG = 77 };

/* With $CLUSTER_SETTLE each task exchanges a byte with each other one, so that all are connected.
 * By a call that hardly a program uses, so that `vef capture --skip Sendrecv_replace,Improbe`
 * leaves it out. Handles are those of MPICH's ABI. */
static int meet(void) {
    void *const ignore = (void *)1; /* MPI_STATUS_IGNORE */
    const char *wanted = getenv("CLUSTER_SETTLE");
    if (!wanted || *wanted == '\0')
        return 0;
    int (*rank_in)(int, int *) = (int (*)(int, int *))next("PMPI_Comm_rank");
    int (*size_of)(int, int *) = (int (*)(int, int *))next("PMPI_Comm_size");
    int (*exchange)(void *, int, int, int, int, int, int, int, void *) =
        (int (*)(void *, int, int, int, int, int, int, int, void *))next("PMPI_Sendrecv_replace");
    int rank, size;
    rank_in(WORLD, &rank);
    size_of(WORLD, &size);
    for (int hop = 1; hop < size; hop++) {
        char byte = 0;
        exchange(&byte, 1, BYTE, (rank + hop) % size, TAG, (rank + size - hop) % size, TAG, WORLD,
                 ignore);
    }
    return 1;
}

/* MPICH 4.0 over UCX closes its connections in MPI_Finalize one by one, and each that was not
 * complete needs an answer of the other task, which may be past answering: most short programs
 * hang. So tasks meet once more, and answer for a while. Not in the measured time. */
static void settle(void) {
    enum { SETTLE_NS = 100000000 };
    int found, message;
    if (!meet())
        return;
    int (*probe)(int, int, int, int *, int *, void *) =
        (int (*)(int, int, int, int *, int *, void *))next("PMPI_Improbe");
    for (const uint64_t end = now_ns() + SETTLE_NS; now_ns() < end; usleep(1000))
        probe(ANY_SOURCE, ANY_TAG, WORLD, &found, &message, (void *)1);
}

static void note(void) {
    static int noted;
    const char *path = getenv("CLUSTER_TIMES");
    if (noted++ > 0)
        return;
    const uint64_t ended_ns = off_ns != 0 ? off_ns : now_ns();
    const int file = path ? open(path, O_WRONLY | O_APPEND | O_CREAT, 0666) : -1;
    if (file < 0)
        return;
    dprintf(file, "%llu %llu\n", (unsigned long long)begun_ns, (unsigned long long)ended_ns);
    close(file);
    settle();
}

/* All tasks leave MPI_Init together, as those of a replay begin together, connected: each waits for
 * the count of $CLUSTER_TASKS in a file. */
static void begin(void) {
    meet();
    const char *path = getenv("CLUSTER_TIMES"), *tasks = getenv("CLUSTER_TASKS");
    char name[4096];
    if (path && tasks) {
        snprintf(name, sizeof name, "%s.begun", path);
        const int file = open(name, O_RDWR | O_CREAT, 0666);
        if (file >= 0 && ftruncate(file, sizeof(atomic_int)) == 0) {
            atomic_int *const begun =
                mmap(NULL, sizeof *begun, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
            if (begun != MAP_FAILED)
                for (atomic_fetch_add(begun, 1); atomic_load(begun) < atoi(tasks);)
                    usleep(200);
        }
    }
    begun_ns = now_ns();
}

int MPI_Init(int *argc, char ***argv) {
    int (*init)(int *, char ***) = (int (*)(int *, char ***))next("MPI_Init");
    const int code = init(argc, argv);
    begin();
    return code;
}

int MPI_Init_thread(int *argc, char ***argv, int required, int *provided) {
    int (*init)(int *, char ***, int, int *) =
        (int (*)(int *, char ***, int, int *))next("MPI_Init_thread");
    const int code = init(argc, argv, required, provided);
    begin();
    return code;
}

int MPI_Pcontrol(const int level, ...) {
    off_ns = level != 0 ? 0 : off_ns != 0 ? off_ns : now_ns();
    return ((int (*)(int, ...))next("MPI_Pcontrol"))(level);
}

int MPI_Finalize(void) {
    note();
    return ((int (*)(void))next("MPI_Finalize"))();
}

void mpi_init_(int *code) {
    ((void (*)(int *))next("mpi_init_"))(code);
    begin();
}

void mpi_finalize_(int *code) {
    note();
    ((void (*)(int *))next("mpi_finalize_"))(code);
}
