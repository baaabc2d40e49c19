/* THREADS threads of task 0 each send ROUNDS synchronous messages of one envelope to task 1,
 * whose threads receive them by matched probes, blocking and not, and by plain receives. MPI
 * decides which thread gets which message; each must get one. */
#include <mpi.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>

enum { THREADS = 4, ROUNDS = 32 };

typedef enum way { MPROBE, IMPROBE, RECEIVE, WAYS } way;

static int me;

static void take_one(way how, MPI_Status *status) {
    MPI_Message message;
    MPI_Request request;
    int flag = 0, got;
    switch (how) {
    case MPROBE:
        MPI_Mprobe(0, 7, MPI_COMM_WORLD, &message, status);
        MPI_Mrecv(&got, 1, MPI_INT, &message, status);
        break;
    case IMPROBE:
        while (!flag)
            MPI_Improbe(0, 7, MPI_COMM_WORLD, &flag, &message, status);
        MPI_Imrecv(&got, 1, MPI_INT, &message, &request);
        MPI_Wait(&request, status);
        break;
    default:
        MPI_Recv(&got, 1, MPI_INT, 0, 7, MPI_COMM_WORLD, status);
    }
}

static void *work(void *argument) {
    const way how = (way)(intptr_t)argument;
    for (int round = 0; round < ROUNDS; round++) {
        MPI_Status status;
        if (me == 0) {
            MPI_Ssend(&round, 1, MPI_INT, 1, 7, MPI_COMM_WORLD);
            continue;
        }
        take_one(how, &status);
        if (status.MPI_SOURCE != 0 || status.MPI_TAG != 7)
            MPI_Abort(MPI_COMM_WORLD, 9);
    }
    return NULL;
}

int main(int argc, char **argv) {
    pthread_t threads[THREADS];
    int provided;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    if (provided != MPI_THREAD_MULTIPLE)
        MPI_Abort(MPI_COMM_WORLD, 4);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    for (intptr_t how = 0; how < WAYS; how++) {
        for (int i = 0; i < THREADS; i++)
            pthread_create(&threads[i], NULL, work, (void *)how);
        for (int i = 0; i < THREADS; i++)
            pthread_join(threads[i], NULL);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
