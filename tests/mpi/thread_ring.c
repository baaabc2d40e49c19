/* A ring of tasks with THREADS threads each that call MPI concurrently: thread i sends to thread
 * i of the next task, synchronously, and receives from thread i of the previous one, by a
 * request or a matched probe; every few rounds all threads i start a collective and wait for it
 * later. Messages make threads of different tasks depend on each other so that the calls of a
 * task, executed one at a time in any order of entry, would deadlock. */
#include <mpi.h>
#include <pthread.h>
#include <stdint.h>

enum { THREADS = 4, ROUNDS = 60, PERIOD = 10 };

static int me, size;
static MPI_Comm comms[THREADS];

static void receive(int round, int tag, int to) {
    int in = -1, from = (me + size - 1) % size;
    MPI_Request request;
    MPI_Message message;
    if (round % 2) {
        MPI_Irecv(&in, 1, MPI_INT, from, tag, MPI_COMM_WORLD, &request);
        MPI_Ssend(&round, 1, MPI_INT, to, tag, MPI_COMM_WORLD);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else {
        MPI_Issend(&round, 1, MPI_INT, to, tag, MPI_COMM_WORLD, &request);
        MPI_Mprobe(from, tag, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
        MPI_Mrecv(&in, 1, MPI_INT, &message, MPI_STATUS_IGNORE);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    if (in != round)
        MPI_Abort(MPI_COMM_WORLD, 3);
}

static void *go_round(void *argument) {
    int tag = (int)(intptr_t)argument, sum = 0, one = 1;
    MPI_Request collective = MPI_REQUEST_NULL;
    for (int round = 0; round < ROUNDS; round++) {
        if (round % PERIOD == 0)
            MPI_Iallreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comms[tag], &collective);
        receive(round, tag, (me + 1) % size);
        if (round % PERIOD == PERIOD - 1)
            MPI_Wait(&collective, MPI_STATUS_IGNORE);
    }
    if (sum != size)
        MPI_Abort(MPI_COMM_WORLD, 5);
    return NULL;
}

int main(int argc, char **argv) {
    pthread_t threads[THREADS];
    int provided;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    if (provided != MPI_THREAD_MULTIPLE)
        MPI_Abort(MPI_COMM_WORLD, 4);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = 0; i < THREADS; i++)
        MPI_Comm_dup(MPI_COMM_WORLD, &comms[i]);
    for (intptr_t i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, go_round, (void *)i);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    MPI_Finalize();
    return 0;
}
