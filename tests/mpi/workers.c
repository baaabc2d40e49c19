/* Computation of other threads while the thread that calls MPI waits for them: each stretch of
 * computation ends with a send to MPI_PROC_NULL, whose tag is its duration in ms on an idle
 * machine. Threads compute up to a CPU time, in multiples of 20 ms, so that the longest, the sum
 * and zero differ clearly. */
#include <mpi.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <time.h>

enum { STEP_MS = 20 };

static long long cpu_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return now.tv_sec * 1000000000LL + now.tv_nsec;
}

static void compute(int steps) {
    long long end = cpu_ns() + steps * STEP_MS * 1000000LL;
    while (cpu_ns() < end)
        ;
}

static void takes(int steps) {
    MPI_Send(NULL, 0, MPI_CHAR, MPI_PROC_NULL, steps * STEP_MS, MPI_COMM_WORLD);
}

static void *work(void *steps) {
    compute((int)(long)steps);
    return NULL;
}

static pthread_t begin(int steps) {
    pthread_t thread;
    pthread_create(&thread, NULL, work, (void *)(long)steps);
    return thread;
}

static sem_t wanted, done;

static void *pool(void *ignored) {
    for (;;) {
        sem_wait(&wanted);
        compute(2);
        sem_post(&done);
    }
    return ignored;
}

static void *detached(void *ignored) {
    compute(2);
    sem_post(&done);
    return ignored;
}

static void *ends_early(void *ignored) {
    compute(2);
    pthread_exit(ignored);
}

static void by_pthreads(void) {
    pthread_t one = begin(2), other = begin(1), thread;
    pthread_join(one, NULL);
    pthread_join(other, NULL);
    takes(2);
    compute(1); /* serial, then two at once, then serial */
    one = begin(2), other = begin(2);
    pthread_join(one, NULL);
    pthread_join(other, NULL);
    compute(1);
    takes(4);
    for (int i = 0; i < 3; i++) /* one after the other */
        pthread_join(begin(1), NULL);
    takes(3);
    one = begin(1); /* the master computes longer than its thread */
    compute(2);
    pthread_join(one, NULL);
    takes(2);
    pthread_create(&thread, NULL, ends_early, NULL);
    pthread_join(thread, NULL);
    takes(2);
    pthread_create(&thread, NULL, detached, NULL);
    pthread_detach(thread);
    sem_wait(&done);
    takes(2);
    takes(0); /* what others computed before is over */
    pthread_create(&thread, NULL, pool, NULL);
    for (int i = 0; i < 2; i++) {
        sem_post(&wanted);
        sem_wait(&done);
        takes(2);
    }
    takes(0);
}

static void by_openmp(void) {
#pragma omp parallel num_threads(2)
    compute(2);
    takes(2);
    compute(1);
#pragma omp parallel for num_threads(2) schedule(static, 1)
    for (int i = 0; i < 2; i++)
        compute(1 + i);
    compute(1);
    takes(4);
#pragma omp parallel for num_threads(2) schedule(dynamic)
    for (int i = 0; i < 2; i++)
        compute(2);
    takes(2);
#pragma omp parallel sections num_threads(2)
    {
#pragma omp section
        compute(2);
#pragma omp section
        compute(1);
    }
    takes(2);
    /* Two tasks that wait for each other's beginning, so that one thread cannot run both. */
    sem_t begun[2];
    sem_init(&begun[0], 0, 0);
    sem_init(&begun[1], 0, 0);
#pragma omp parallel num_threads(2)
#pragma omp single
    for (int i = 0; i < 2; i++)
#pragma omp task firstprivate(i) shared(begun)
    {
        sem_post(&begun[i]);
        sem_wait(&begun[1 - i]);
        compute(1 + i);
    }
    takes(2);
}

int main(int argc, char **argv) {
    int provided;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    sem_init(&wanted, 0, 0);
    sem_init(&done, 0, 0);
    takes(0);
    by_pthreads();
    by_openmp();
    MPI_Finalize();
    return 0;
}
