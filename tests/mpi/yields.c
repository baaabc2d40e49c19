/* Idle tasks yield in MPI, do not sleep there, and keep their core if they compute between tests.
 *
 * The program defines sched_yield and the functions that sleep, so it counts the calls of the MPI
 * library and of a capture. Task 1 sends when task 0, which waits, has yielded often enough. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <mpi.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { ENOUGH = 20, TESTS = 3000, NAPS = 20000 };

static _Thread_local bool counts; /* the thread under test, in MPI */
static long sleeps;
static atomic_long *yields; /* of task 0, in memory of both tasks */

int sched_yield(void) {
    if (counts)
        atomic_fetch_add(yields, 1);
    return (int)syscall(SYS_sched_yield);
}

int nanosleep(const struct timespec *span, struct timespec *rest) {
    sleeps += counts;
    return (int)syscall(SYS_nanosleep, span, rest);
}

int clock_nanosleep(clockid_t clock, int flags, const struct timespec *span,
                    struct timespec *rest) {
    sleeps += counts;
    return syscall(SYS_clock_nanosleep, clock, flags, span, rest) == 0 ? 0 : errno;
}

int usleep(useconds_t us) {
    return nanosleep(&(struct timespec){us / 1000000, us % 1000000 * 1000L}, NULL);
}

static void map_counter(void) {
    char path[4096];
    const char *directory = getenv("TMPDIR");
    snprintf(path, sizeof path, "%s/yields.shared", directory != NULL ? directory : "/tmp");
    int file = open(path, O_RDWR | O_CREAT, 0600);
    void *memory = file >= 0 && ftruncate(file, 4096) == 0
                       ? mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0)
                       : MAP_FAILED;
    if (memory == MAP_FAILED)
        MPI_Abort(MPI_COMM_WORLD, 3);
    yields = memory;
}

static void begin(int rank) {
    if (rank == 0)
        atomic_store(yields, 0);
    MPI_Barrier(MPI_COMM_WORLD);
    counts = rank == 0;
}

/* Ends a part of task 0, which should have yielded so often. Returns whether it is wrong. */
static int end(const char *part, long least, long most) {
    counts = false;
    long yielded = atomic_load(yields);
    int wrong = yielded < least || yielded > most || sleeps != 0;
    printf("%s: %ld yields (%ld to %ld), %ld sleeps: %s\n", part, yielded, least, most, sleeps,
           wrong ? "wrong" : "right");
    return wrong;
}

/* Task 1: sends when task 0 has yielded, or after long. */
static void answer(void) {
    for (int naps = 0; naps < NAPS && atomic_load(yields) < ENOUGH; naps++)
        syscall(SYS_nanosleep, &(struct timespec){0, 1000000}, NULL);
    MPI_Send(NULL, 0, MPI_BYTE, 0, 0, MPI_COMM_WORLD);
}

int main(int argc, char **argv) {
    int rank, done = 0, wrong = 0;
    volatile double work = 1;
    MPI_Request request;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    map_counter();

    begin(rank);
    if (rank == 0) {
        MPI_Recv(NULL, 0, MPI_BYTE, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        wrong += end("waits in MPI_Recv", ENOUGH, NAPS * 1000L);
    } else {
        answer();
    }

    begin(rank);
    if (rank == 0) {
        MPI_Irecv(NULL, 0, MPI_BYTE, 1, 0, MPI_COMM_WORLD, &request);
        while (!done)
            MPI_Test(&request, &done, MPI_STATUS_IGNORE);
        wrong += end("waits in a loop of MPI_Test", ENOUGH, NAPS * 1000L);
    } else {
        answer();
    }

    begin(rank);
    if (rank == 0) {
        MPI_Irecv(NULL, 0, MPI_BYTE, 1, 0, MPI_COMM_WORLD, &request);
        for (int test = 0; test < TESTS; test++) {
            for (int step = 0; step < 1000; step++)
                work *= 1.0000001;
            MPI_Test(&request, &done, MPI_STATUS_IGNORE);
        }
        wrong += end("computes between tests", 0, TESTS / 2);
        MPI_Send(NULL, 0, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else {
        MPI_Recv(NULL, 0, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Send(NULL, 0, MPI_BYTE, 0, 0, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return wrong != 0;
}
