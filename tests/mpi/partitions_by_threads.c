/* Two tasks exchange partitioned messages; four threads of each mark the partitions ready while
 * the first thread waits. */
#include <mpi.h>
#include <pthread.h>

enum { THREADS = 4, EACH = 2, ROUNDS = 150 };

static MPI_Request out;
static pthread_barrier_t round_begins;
static double data[THREADS * EACH], more[THREADS * EACH];

static void *mark(void *number) {
    int first = EACH * (int)(long)number;
    for (int i = 0; i < ROUNDS; i++) {
        pthread_barrier_wait(&round_begins);
        MPI_Pready(first, out);
        MPI_Pready_range(first + 1, first + EACH - 1, out);
    }
    return NULL;
}

int main(int argc, char **argv) {
    int me, provided;
    pthread_t threads[THREADS];
    MPI_Request in;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    if (provided != MPI_THREAD_MULTIPLE)
        return 3;
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Psend_init(data, THREADS * EACH, 1, MPI_DOUBLE, 1 - me, 1, MPI_COMM_WORLD, MPI_INFO_NULL,
                   &out);
    MPI_Precv_init(more, THREADS * EACH, 1, MPI_DOUBLE, 1 - me, 1, MPI_COMM_WORLD, MPI_INFO_NULL,
                   &in);
    pthread_barrier_init(&round_begins, NULL, THREADS + 1);
    for (long i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, mark, (void *)i);
    for (int i = 0; i < ROUNDS; i++) {
        MPI_Start(&in);
        MPI_Start(&out);
        pthread_barrier_wait(&round_begins);
        MPI_Wait(&out, MPI_STATUS_IGNORE);
        MPI_Wait(&in, MPI_STATUS_IGNORE);
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    MPI_Request_free(&in);
    MPI_Request_free(&out);
    MPI_Finalize();
    return 0;
}
