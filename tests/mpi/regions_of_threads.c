/* One thread of each task makes collectives while another opens and closes the region `b` as fast
 * as possible, at most 500,000 times, so that a call may begin inside the region and be recorded
 * after it.
 *
 *     regions_of_threads COLLECTIVES */
#include "../../capture/vef.h"

#include <mpi.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

enum { SWITCHES = 500000 };
static atomic_int over;

static void *switches(void *unused) {
    for (int i = 0; i < SWITCHES && !over; i++) {
        vef_region_begin("b");
        vef_region_end("b");
    }
    return unused;
}

int main(int argc, char **argv) {
    int provided, collectives = argc > 1 ? atoi(argv[1]) : 1000;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    pthread_t thread;
    pthread_create(&thread, NULL, switches, NULL);
    double values[40] = {0}, sums[40];
    for (int i = 0; i < collectives; i++) {
        MPI_Allreduce(values, sums, 40, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        MPI_Bcast(values, 40, MPI_DOUBLE, i % 2, MPI_COMM_WORLD);
    }
    over = 1;
    pthread_join(thread, NULL);
    MPI_Finalize();
    return 0;
}
