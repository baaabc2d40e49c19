/* Work beside polling. `polls MODE`; task 0 prints the CPU time that its work took, and the wall
 * time of its loop, in ns.
 *
 *   flag      polls a receive until a thread has set a flag, three times 40 ms
 *   slices    computes in slices with a test after each, for 60 ms
 *   progress  computes for 60 ms while a thread does nothing but poll, and another one calls after
 * it message   polls for a message that task 1 sends after 60 ms, then computes for 60 ms beside
 * the same, but its 60 ms pass in a thread while it polls */
#include <mpi.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { MS = 1000000 };

static atomic_int wanted, done;
static atomic_llong computed_ns;

static long long now_ns(clockid_t clock) {
    struct timespec now;
    clock_gettime(clock, &now);
    return now.tv_sec * 1000000000LL + now.tv_nsec;
}

static void compute(long long ns) {
    long long begin = now_ns(CLOCK_THREAD_CPUTIME_ID), end;
    while ((end = now_ns(CLOCK_THREAD_CPUTIME_ID)) < begin + ns)
        ;
    computed_ns += end - begin;
}

static void *work(void *portion_ms) {
    for (int i = 0; i < 3; i++) {
        while (wanted <= i)
            nanosleep(&(struct timespec){0, 50000}, NULL);
        compute((long)portion_ms * MS);
        done++;
    }
    return NULL;
}

static void *poll_only(void *comm) {
    while (!done) {
        int found;
        MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, *(MPI_Comm *)comm, &found, MPI_STATUS_IGNORE);
    }
    return NULL;
}

static void *says_too(void *ignored) {
    MPI_Send(NULL, 0, MPI_CHAR, MPI_PROC_NULL, 0, MPI_COMM_WORLD);
    return ignored;
}

static void test(MPI_Request *request) {
    int flag;
    MPI_Test(request, &flag, MPI_STATUS_IGNORE);
}

static void says(void) {
    MPI_Send(NULL, 0, MPI_CHAR, MPI_PROC_NULL, 0, MPI_COMM_WORLD);
}

int main(int argc, char **argv) {
    const char *mode = argv[argc - 1];
    int rank, level;
    pthread_t thread;
    MPI_Request request;
    MPI_Init_thread(&argc, &argv,
                    strcmp(mode, "progress") ? MPI_THREAD_FUNNELED : MPI_THREAD_MULTIPLE, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    long long begin_ns = now_ns(CLOCK_MONOTONIC);
    if (strcmp(mode, "flag") == 0) {
        MPI_Irecv(NULL, 0, MPI_CHAR, 0, 0, MPI_COMM_WORLD, &request);
        pthread_create(&thread, NULL, work, (void *)40L);
        for (int i = 0; i < 3; i++) {
            wanted++;
            while (done <= i)
                test(&request);
            says();
        }
        pthread_join(thread, NULL);
        MPI_Send(NULL, 0, MPI_CHAR, 0, 0, MPI_COMM_WORLD);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else if (strcmp(mode, "slices") == 0) {
        MPI_Irecv(NULL, 0, MPI_CHAR, 0, 0, MPI_COMM_WORLD, &request);
        for (int i = 0; i < 3000; i++) {
            compute(20000);
            test(&request);
        }
        MPI_Send(NULL, 0, MPI_CHAR, 0, 0, MPI_COMM_WORLD);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else if (strcmp(mode, "progress") == 0) {
        MPI_Comm comm;
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        pthread_create(&thread, NULL, poll_only, &comm);
        compute(60 * MS);
        says();
        done = 1;
        pthread_join(thread, NULL);
        pthread_create(&thread, NULL, says_too, NULL);
        pthread_join(thread, NULL);
    } else if (rank == 1) {
        compute(60 * MS);
        MPI_Send(NULL, 0, MPI_CHAR, 0, 0, MPI_COMM_WORLD);
    } else {
        int beside = strcmp(mode, "beside") == 0, flag = 0;
        MPI_Irecv(NULL, 0, MPI_CHAR, 1, 0, MPI_COMM_WORLD, &request);
        wanted = 3;
        if (beside)
            pthread_create(&thread, NULL, work, (void *)20L);
        while (!flag)
            MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
        while (beside && done < 3)
            MPI_Iprobe(0, 0, MPI_COMM_SELF, &flag, MPI_STATUS_IGNORE);
        if (beside)
            pthread_join(thread, NULL);
        else
            compute(60 * MS);
    }
    if (rank == 0)
        printf("%lld %lld\n", (long long)computed_ns, now_ns(CLOCK_MONOTONIC) - begin_ns);
    MPI_Finalize();
    return 0;
}
