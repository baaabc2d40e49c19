/* Two tasks of THREADS threads that call MPI concurrently: threads i exchange CALLS messages
 * with tag i, blocking in one direction and non-blocking in the other. */
#include <mpi.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>

enum { THREADS = 6, CALLS = 400 };

static int me;
static pthread_barrier_t all_here; /* six at a time: one that had ended would leave its place */

static void *exchange(void *argument) {
    int tag = (int)(intptr_t)argument;
    pthread_barrier_wait(&all_here);
    for (int i = 0; i < CALLS; i++) {
        int out = i, in = -1;
        MPI_Request request;
        MPI_Irecv(&in, 1, MPI_INT, 1 - me, tag, MPI_COMM_WORLD, &request);
        MPI_Send(&out, 1, MPI_INT, 1 - me, tag, MPI_COMM_WORLD);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        if (in != i)
            MPI_Abort(MPI_COMM_WORLD, 3);
    }
    pthread_barrier_wait(&all_here);
    return NULL;
}

int main(int argc, char **argv) {
    pthread_t threads[THREADS];
    int provided;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    if (provided != MPI_THREAD_MULTIPLE)
        MPI_Abort(MPI_COMM_WORLD, 4);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    pthread_barrier_init(&all_here, NULL, THREADS);
    for (intptr_t i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, exchange, (void *)i);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    MPI_Finalize();
    return 0;
}
